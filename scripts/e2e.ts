import { startVitest } from 'vitest/node'
import { readOptions, runScript } from './options.ts'
import { toolsFolder } from './tools.ts'

const USAGE = `Runs the quick start and the recipes with act on this machine.

  npm run e2e                         all of them
  npm run e2e -- recipes              those in files whose path has this in it
  npm run e2e -- -t 'a push'            those whose name has this in it`

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: { name: { type: 'string', short: 't' } },
})
await runScript(async () => {
  const vitest = await startVitest('test', positionals, {
    ...(values.name !== undefined && { testNamePattern: values.name }),
    config: false, // that of `npm test` has other projects
    watch: false,
    include: ['test/e2e/**/*.e2e.ts'],
    exclude: [],
    // Also prints the skipped tests: they list the limits of act.
    reporters: ['verbose'],
    testTimeout: 120_000,
    maxConcurrency: 4,
    env: { TOOLS: toolsFolder() },
  })
  await vitest.close()
})

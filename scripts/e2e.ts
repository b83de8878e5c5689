import { parseCLI, startVitest } from 'vitest/node'
import { ToolError, toolsFolder } from './tools.ts'

/** Runs the examples and the reusable workflows with act on this machine. Arguments are those of vitest. */
async function main(args: readonly string[]): Promise<void> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  const vitest = await startVitest('test', filter, {
    ...options,
    config: false, // that of `npm test` has other projects
    watch: false,
    include: ['test/e2e/**/*.e2e.ts'],
    exclude: [],
    // Prints the skipped tests too: they name what act can't show.
    reporters: ['verbose'],
    testTimeout: 120_000,
    maxConcurrency: 4,
    env: { TOOLS: toolsFolder() },
  })
  await vitest.close()
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ToolError)) throw error
  console.error(`The examples were not run. ${error.message}`)
  process.exitCode = 1
}

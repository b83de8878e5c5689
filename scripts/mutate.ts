import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readOptions, refuse } from './options.ts'

/** The files of src whose mutants the tests in a folder of the same name are to find. Stryker splits at each comma. */
const PARTS: Readonly<Record<string, string>> = {
  act: 'src/act/**/*.ts',
  '{look,decide}': 'src/look/**/*.ts,src/decide/**/*.ts',
  github: 'src/github/**/*.ts',
  inputs: 'src/inputs/**/*.ts',
  job: 'src/job.ts',
  lib: 'src/lib/markdown.ts,src/lib/text.ts,src/lib/time.ts',
  mintlify: 'src/mintlify/**/*.ts',
  prompt: 'src/prompt/**/*.ts',
  visitors: 'src/visitors/**/*.ts',
  report: 'src/report/**/*.ts',
}

const USAGE = `Changes src in thousands of small ways, and lists the changes that no test notices (tmp/mutation.html, too).

  npm run mutate -- PART...         the parts: ${Object.keys(PARTS).join(', ')}
  npm run mutate -- PART --only src/lib/time.ts:10-40`

const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { only: { type: 'string' } },
})
if (positionals.length === 0) refuse('Name a part.', USAGE)
for (const part of positionals) {
  const files = values.only ?? PARTS[part] ?? refuse(`There is no part ${part}.`, USAGE)
  const startedMs = performance.now()
  const stryker = join(import.meta.dirname, '../node_modules/.bin/stryker')
  const { status } = spawnSync(stryker, ['run', 'config/stryker.json', '--mutate', files], {
    stdio: 'inherit',
    env: { ...process.env, TESTS: part },
  })
  console.log(`${part}: ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`)
  process.exitCode ||= status ?? 1
}

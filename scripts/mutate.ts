import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readOptions, refuse } from './options.ts'

/** The files of src that are mutated, and the folders of tests that are to find the mutants. Stryker splits at each comma. */
const PARTS: Readonly<Record<string, { readonly files: string; readonly tests: string }>> = {
  act: { files: 'src/act/**/*.ts', tests: 'act' },
  decide: { files: 'src/decide/**/*.ts', tests: 'decide' },
  look: { files: 'src/look/**/*.ts', tests: '{look,decide}' },
  github: { files: 'src/github/**/*.ts', tests: 'github' },
  inputs: { files: 'src/inputs/**/*.ts', tests: 'inputs' },
  job: { files: 'src/job.ts', tests: 'job' },
  lib: { files: 'src/lib/markdown.ts,src/lib/text.ts,src/lib/time.ts', tests: 'lib' },
  mintlify: { files: 'src/mintlify/**/*.ts', tests: 'mintlify' },
  prompt: { files: 'src/prompt/**/*.ts', tests: 'prompt' },
  visitors: { files: 'src/visitors/**/*.ts', tests: 'visitors' },
  report: { files: 'src/report/**/*.ts', tests: 'report' },
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
  const { files, tests } = PARTS[part] ?? refuse(`There is no part ${part}.`, USAGE)
  const startedMs = performance.now()
  const stryker = join(import.meta.dirname, '../node_modules/.bin/stryker')
  const { status } = spawnSync(
    stryker,
    ['run', 'config/stryker.json', '--mutate', values.only ?? files],
    {
      stdio: 'inherit',
      env: { ...process.env, TESTS: tests },
    },
  )
  console.log(`${part}: ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`)
  process.exitCode ||= status ?? 1
}

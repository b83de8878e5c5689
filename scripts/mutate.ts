import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions, refuse } from './options.ts'

const ROOT = join(import.meta.dirname, '..')
/** Folders of src with a folder of tests of the same name. */
const PARTS = readdirSync(join(ROOT, 'src')).filter((name) => existsSync(join(ROOT, 'test', name)))

const USAGE = `Changes src in thousands of small ways, and lists the changes that no test notices (tmp/mutation.html, too).

  npm run mutate -- PART...         the parts: ${PARTS.join(', ')}
  npm run mutate -- PART --only src/lib/time.ts:10-40`

const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { only: { type: 'string' } },
})
if (positionals.length === 0) refuse('Name a part.', USAGE)
for (const part of positionals) {
  if (!PARTS.includes(part)) refuse(`There is no part ${part}.`, USAGE)
  const startedMs = performance.now()
  const stryker = join(ROOT, 'node_modules/.bin/stryker')
  const { status } = spawnSync(
    stryker,
    ['run', 'config/stryker.json', '--mutate', values.only ?? `src/${part}/**/*.ts`],
    {
      stdio: 'inherit',
      env: { ...process.env, TESTS: part },
    },
  )
  console.log(`${part}: ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`)
  process.exitCode ||= status ?? 1
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../src/lib/time.ts'
import { runMain } from '../src/main.ts'
import { Run, readEnvironment } from '../src/runner/run.ts'
import { bareEvent, commentIn, type Event, pushTo } from '../test/support/events.ts'
import { environmentOf } from '../test/support/run-action.ts'
import { startServices } from '../test/support/services.ts'
import { MAY_WRITE, person } from '../test/support/world.ts'
import { readOptions, runScript } from './options.ts'

const USAGE = `Prints the files of src that three runs execute, and how many of their functions.

  npm run flows

Anonymous functions and code that runs at import are left out. Fails if the push goes through too many files or functions.`

/** Of a push. */
const MAX_FILES = 34
const MAX_FUNCTIONS = 360

readOptions(USAGE, {})
const { github, world, access, close } = await startServices({ jobTimeMs: 200 })
const folder = mkdtempSync(join(tmpdir(), 'flows-'))
const author = person('mona')
world.roles.set('mona', MAY_WRITE)

await runScript(async () => {
  const push = { prompt: 'Bring the docs up to date.' }
  const pushed = () => pushTo(world, { author, files: ['src/flag.ts'] })
  await step(pushed(), push, 'pr-operation::created')
  const { files, functions } = await show('A push updates a docs pull request', MAX_FILES, () =>
    step(pushed(), push, 'pr-operation::updated'),
  )
  await show('A /docs comment on it', 35, () => {
    const event = commentIn(world, { number: 1, author, body: '/docs Explain exit code 6.' })
    return step(event, {}, 'pr-operation::updated')
  })
  const report = { 'visitors-summary': 'true', 'content-gaps': 'report' }
  await show("Monday's visitors report", 20, () =>
    step(bareEvent('schedule'), report, 'visitors-markdown::## '),
  )
  if (files > MAX_FILES || functions > MAX_FUNCTIONS)
    throw new Error(
      `The push goes through more than ${MAX_FILES} files or ${MAX_FUNCTIONS} functions.`,
    )
})
await close()
rmSync(folder, { recursive: true })

/**
 * Runs the action's main part in this process.
 *
 * @param output an output that shows that it was the run that is meant
 */
async function step(
  event: Event,
  inputs: Readonly<Record<string, string>>,
  output: string,
): Promise<void> {
  const all = { ...access, 'poll-interval': '100ms', ...inputs }
  const env = { GITHUB_API_URL: github.url, GITHUB_RUN_ID: `${1000 + github.requests.length}` }
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event.payload))
  const given = environmentOf({ event, inputs: all, env }, folder, folder)
  const environment = readEnvironment({ ...given, GITHUB_STEP_SUMMARY: join(folder, 'summary') })
  const write = process.stdout.write
  let log = ''
  process.stdout.write = (text) => {
    log += text
    return true
  }
  const cancel = new AbortController().signal
  const waiting = { clock: createSystemClock(), random: Math.random, cancel }
  await runMain(new Run(environment, waiting, { isPost: false }))
  process.stdout.write = write
  if (!log.includes(output)) throw new Error(`Another run than meant:\n${log}`)
}

/** Prints the files of src that some work executes, with the number of functions that have a name. */
async function show(name: string, limit: number, work: () => Promise<void>) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const src = new URL('../src/', import.meta.url).href
  const files = result.flatMap(({ url, functions }) => {
    const called = functions.filter(({ functionName: own, ranges: [range] }) => own && range?.count)
    const isFound = url.startsWith(src) && called.length > 0
    return isFound ? [{ path: url.replace(src, 'src/'), count: called.length }] : []
  })
  const functions = files.reduce((sum, { count }) => sum + count, 0)
  console.log(`${name}: ${files.length} files (at most ${limit}), ${functions} functions\n`)
  const lines = files.map(({ path, count }) => `  ${path}: ${count}`)
  console.log(`${lines.toSorted().join('\n')}\n`)
  return { files: files.length, functions }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDocsService } from '../docs-service/service.ts'
import { createSystemClock } from '../src/lib/time.ts'
import { runMain } from '../src/main.ts'
import { readEnvironment } from '../src/runner/environment.ts'
import { Run } from '../src/runner/run.ts'
import { bareEvent, type Event, issueComment, pushTo } from '../test/support/events.ts'
import { startGitHub } from '../test/support/github.ts'
import { environmentOf } from '../test/support/run-action.ts'
import { addComment, person } from '../test/support/world.ts'
import { aligned, readOptions, runScript } from './options.ts'

const USAGE = `Prints the files of src that three runs execute, and how many of their functions.

  npm run flows

What is in fewer files is found sooner. Anonymous functions and what runs at import are left out.`

/** A run, and in how many files it should be. */
type Flow = {
  readonly name: string
  readonly limit: number
  readonly event: () => Event
  readonly inputs: Readonly<Record<string, string>>
  /** An output that shows that it was that run. */
  readonly output: string
}

readOptions(USAGE, {})
const repository = 'https://github.com/acme/docs'
const [docs, github] = await Promise.all([
  startDocsService({ agent: 'none', jobTimeMs: 200, repository }),
  startGitHub(),
])
const folder = mkdtempSync(join(tmpdir(), 'flows-'))
const { world } = github
const mona = person('mona')
world.roles.set('mona', { permission: 'write', role_name: 'write' })
world.agentPulls = () => docs.jobs.flatMap(({ pull }) => pull ?? [])
const prompt = { prompt: 'Bring the docs up to date.' }
const push = () => pushTo(world, { author: mona, files: ['src/flag.ts'] })
const command = (): Event => {
  const body = '/docs Explain exit code 6.'
  const { id } = addComment(world, { kind: 'main', number: 1, author: mona, body })
  return issueComment({ id, body, author: mona, number: 1 })
}
const report = { 'visitors-summary': 'true', 'content-gaps': 'report' }
const FLOWS: readonly Flow[] = [
  {
    name: 'A push updates a docs pull request',
    limit: 34,
    event: push,
    inputs: prompt,
    output: 'pr-operation::updated',
  },
  {
    name: 'A /docs comment on it',
    limit: 34,
    event: command,
    inputs: {},
    output: 'pr-operation::updated',
  },
  {
    name: "Monday's readers report",
    limit: 20,
    event: () => bareEvent('schedule'),
    inputs: report,
    output: 'visitors-headline::Docs',
  },
]

await runScript(async () => {
  await step(push(), prompt, 'pr-operation::created')
  for (const flow of FLOWS) {
    const files = await covered(() => step(flow.event(), flow.inputs, flow.output))
    const counts = files.map(({ count }) => count)
    const functions = counts.reduce((sum, count) => sum + count, 0)
    console.log(
      `${flow.name}: ${files.length} files (at most ${flow.limit}), ${functions} functions\n`,
    )
    const rows = files.map(({ path, count }) => [`  ${path}`, `${count}`.padStart(4)])
    console.log(`${aligned(rows)}\n`)
  }
})
await Promise.all([docs.close(), github.close()])
rmSync(folder, { recursive: true })

/** Runs the action's main part in this process. @throws {Error} if it fails or does something else */
async function step(event: Event, inputs: Flow['inputs'], output: string): Promise<void> {
  const access = { 'api-key': docs.key, 'project-id': 'docs', 'base-url': docs.url }
  const all = { ...access, 'github-token': github.token, 'poll-interval': '100ms', ...inputs }
  const env = { GITHUB_API_URL: github.url, GITHUB_RUN_ID: `${1000 + github.requests.length}` }
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event.payload))
  const given = environmentOf({ event, inputs: all, env }, folder, folder)
  const environment = readEnvironment({ ...given, GITHUB_STEP_SUMMARY: join(folder, 'summary') })
  const cancel = new AbortController().signal
  const write = process.stdout.write.bind(process.stdout)
  let log = ''
  process.stdout.write = (text) => {
    log += text
    return true
  }
  const waiting = { clock: createSystemClock(), random: Math.random, cancel }
  const run = new Run(environment, waiting, { isPost: false })
  await runMain(run).finally(() => {
    process.stdout.write = write
  })
  if (run.log.hasFailed() || !log.includes(output))
    throw new Error(`Another run than meant:\n${log}`)
}

/** The files of src that some work executes, with the number of functions that have a name. */
async function covered(work: () => Promise<void>) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const src = new URL('../src/', import.meta.url).href
  return result
    .filter(({ url }) => url.startsWith(src))
    .map(({ url, functions }) => {
      const called = functions.filter(
        ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
      )
      return { path: relative('.', fileURLToPath(url)), count: called.length }
    })
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

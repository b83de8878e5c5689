import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { archiveOfWorkTree } from '../scripts/archive.ts'
import { readOptions, runScript } from '../scripts/options.ts'
import { selfSignedCertificate } from '../test/support/certificate.ts'
import { bareEvent, type Event, pushTo } from '../test/support/events.ts'
import { environmentOf } from '../test/support/run-action.ts'
import { startServices } from '../test/support/services.ts'
import { measureGit } from './git.ts'

const USAGE = `Measures what a run costs beside the waiting: the action in dist/ against a shell step with the same requests.

  npm run --silent bench             all of it, in a minute or two: the tables of bench/README.md
  npm run bench -- --short           sizes and limits alone, as CI runs it

Fails where a size, the memory or the number of requests is over its limit; never for a time.`

/** Figures side by side; the first column names the row. */
type Table = {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A program with its arguments and its whole environment. */
type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** `cpuMs` is of all its processes and threads, in user and kernel mode. */
type Times = { readonly wallMs: number; readonly cpuMs: number }

/** What is requested: the action's inputs, and the script that does the same. */
type Scene = {
  readonly name: string
  readonly script: string
  readonly event: Event
  readonly inputs: Readonly<Record<string, string>>
}

type Stage = Awaited<ReturnType<typeof startStage>>

const ROOT = join(import.meta.dirname, '..')
/** The Node that runners use, as far as npm has it. */
const NODE = join(ROOT, 'node_modules/.bin/node')
const RUNS = 15
const LARGE_SITE_PAGES = 8000

/** Leaves the most memory that a Node process ever had. `maxRSS` counts the memory of the process that forked it, too. */
const PEAK = `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
process.once('exit', () => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const kilobytes = /^VmHWM:\\s*(\\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  writeFileSync(process.env.PEAK_FILE, String(1024 * kilobytes))
})`

/** Start to done, each contender's runs in turn with the others': what else the machine does hits each alike. */
async function measureRuns(folder: string): Promise<Table> {
  const stage = await startStage(folder, 100)
  const scratch = join(folder, 'scratch')
  const bare: Command = {
    program: NODE,
    args: ['-e', '0'],
    env: { PATH: process.env['PATH'] ?? '' },
  }
  const rows: string[][] = []
  for (const scene of scenesOf(stage)) {
    const action = () => stage.action(scene)
    const contenders = [() => bare, action, () => stage.shell(scene)].map((command) => {
      return { command, times: [] as Times[], requests: 0 }
    })
    // The first round only fills the caches of the system.
    for (let run = -1; run < RUNS; run++) {
      for (const contender of contenders) {
        const before = stage.requests()
        const took = await timesOf(contender.command(), scratch)
        contender.requests = stage.requests() - before
        if (run >= 0) contender.times.push(took)
      }
    }
    const median = (name: keyof Times) =>
      contenders.map(
        ({ times }) => times.map((took) => took[name]).toSorted((a, b) => a - b)[RUNS >> 1] ?? 0,
      )
    const sides = ([first = 1, ...values]: readonly number[], unit: string) =>
      values.map((value) => `${value.toFixed(0)} ${unit}, ${(value / first).toFixed(1)} ×`)
    const peaks = [await peakOf(bare, scratch), await peakOf(action(), scratch)].map(
      (bytes) => bytes / 1e6,
    )
    const [, ...requests] = contenders.map((contender) => contender.requests)
    rows.push([
      scene.name,
      ...sides(median('wallMs'), 'ms'),
      ...sides(median('cpuMs'), 'ms'),
      requests.join(' / '),
      ...sides(peaks, 'MB'),
    ])
  }
  await stage.close()
  return {
    title: `Start to done: median of ${RUNS} runs in turn, and as a multiple of node -e 0`,
    head: [
      'Run',
      'this action',
      'shell step',
      'CPU: this action',
      'shell step',
      'requests',
      'memory: this action',
    ],
    rows,
  }
}

/** Sizes of what a runner downloads and Node reads, and what a large report takes, with their limits. */
async function measureLimits(folder: string): Promise<{ table: Table; failures: string[] }> {
  const stage = await startStage(folder, LARGE_SITE_PAGES)
  const inputs = { 'visitors-summary': 'true' }
  const scene = { name: '', script: '', event: { name: 'schedule', payload: {} }, inputs }
  const peakBytes = await peakOf(stage.action(scene), join(folder, 'scratch'))
  const requests = stage.requests()
  await stage.close()
  const dist = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
  const distBytes = dist.reduce((sum, name) => sum + statSync(join(ROOT, 'dist', name)).size, 0)
  const figures = [
    ['dist/, KB', distBytes / 1e3, 1000],
    ['archive that a runner downloads, KB', gzipSync(archiveOfWorkTree()).length / 1e3, 300],
    [`memory for the visitors of ${LARGE_SITE_PAGES} pages, MB`, peakBytes / 1e6, 150],
    // One of them asks GitHub for the docs pull requests.
    [`requests for the visitors of ${LARGE_SITE_PAGES} pages`, requests, 35],
  ] as const
  const rows = figures.map(([name, value, limit]) => [name, value.toFixed(0), String(limit)])
  const over = figures.filter(([, value, limit]) => value > limit)
  return {
    table: { title: 'Sizes and limits', head: ['', 'measured', 'limit'], rows },
    failures: over.map(
      ([name, value, limit]) => `Over the limit: ${name}: ${value.toFixed(0)} of ${limit}.`,
    ),
  }
}

/** Starts GitHub and the docs service on loopback, behind TLS, as a run in a workflow would have them. */
async function startStage(folder: string, pages: number) {
  const services = await startServices({ repository: '', jobTimeMs: 0, pages })
  const { docs, github, world } = services
  const tls = selfSignedCertificate()
  if (tls === undefined) throw new Error('The benchmark speaks TLS, which needs openssl.')
  const certificate = join(folder, 'certificate.pem')
  writeFileSync(certificate, tls.cert)
  const fronts = [docs.url, github.url].map((url) =>
    createServer(tls, (socket) => {
      pipeline(socket, connect(Number(new URL(url).port), '127.0.0.1'), socket, () => undefined)
    }),
  )
  await Promise.all(fronts.map((front) => once(front.listen(0, '127.0.0.1'), 'listening')))
  const [docsUrl = '', apiUrl = ''] = fronts.map(
    (front) => `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
  )

  /** With files of the runner that are empty again, so that outputs don't pile up. */
  function environmentFor({ event, inputs }: Scene): Record<string, string> {
    const run = join(folder, 'run')
    mkdirSync(run, { recursive: true })
    for (const name of ['output', 'state', 'summary']) writeFileSync(join(run, name), '')
    writeFileSync(join(run, 'event.json'), JSON.stringify(event.payload))
    const access = { ...services.access, 'base-url': docsUrl }
    const env = {
      GITHUB_API_URL: apiUrl,
      NODE_EXTRA_CA_CERTS: certificate,
      CURL_CA_BUNDLE: certificate,
    }
    return environmentOf({ event, inputs: { ...access, ...inputs }, env }, run, run)
  }

  return {
    world,
    requests: () => docs.requests.length + github.requests.length,
    /** The bundle, as a runner starts it. */
    action(scene: Scene): Command {
      // Each run is the first: one that goes on with a job waits for its answer to the message.
      world.statuses.splice(0)
      return { program: NODE, args: [join(ROOT, 'dist/index.js')], env: environmentFor(scene) }
    },
    /** The same without the action. */
    shell(scene: Scene): Command {
      const { prompt = '' } = scene.inputs
      const access = {
        API_KEY: docs.key,
        PROJECT_ID: 'docs',
        BASE_URL: docsUrl,
        GITHUB_TOKEN: github.token,
      }
      const env = { ...environmentFor(scene), ...access, PROMPT: prompt }
      return { program: 'bash', args: [join(import.meta.dirname, scene.script)], env }
    },
    async close() {
      for (const front of fronts) front.close()
      await services.close()
    },
  }
}

/** A job that is over at once, a push with the action's defaults, and the visitors of eight weeks. */
function scenesOf({ world }: Stage): Scene[] {
  const patch = `@@ -1,40 +1,40 @@\n${'-const old = true\n+const flag = false\n'.repeat(20)}`
  const files = Array.from({ length: 10 }, (_, index) => {
    return {
      filename: `src/file-${index}.ts`,
      status: 'modified',
      additions: 20,
      deletions: 20,
      patch,
    }
  })
  const prompt = 'Bring the docs up to date.'
  const create = { prompt, context: 'none', 'follow-up': 'false' }
  const push = pushTo(world, { message: 'Add a flag', files })
  const visitors = { 'visitors-summary': 'true' }
  return [
    {
      name: 'create',
      script: 'shell-job.sh',
      event: bareEvent('workflow_dispatch'),
      inputs: create,
    },
    { name: 'push, defaults', script: 'shell-job.sh', event: push, inputs: { prompt } },
    {
      name: 'visitors',
      script: 'shell-visitors.sh',
      event: bareEvent('schedule'),
      inputs: visitors,
    },
  ]
}

/** Runs a command to its end. @throws {Error} with its output, if it fails */
async function run({ program, args, env }: Command): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [exitCode] = await once(child, 'close')
  if (exitCode === 0) return
  throw new Error(
    `${program} ${args.join(' ')} ended with ${exitCode}:\n${(await output).join('')}`,
  )
}

/** Times of a command, by bash's `time`, which counts the processes that it starts as well. */
async function timesOf({ program, args, env }: Command, scratchFile: string): Promise<Times> {
  const script = `TIMEFORMAT='%3R %3U %3S'; { time "$@" 2>&3; } 3>&2 2>"$TIMES_FILE"`
  const timed = ['-c', script, 'bash', program, ...args]
  await run({ program: 'bash', args: timed, env: { ...env, TIMES_FILE: scratchFile } })
  const [wall = 0, user = 0, system = 0] = readFileSync(scratchFile, 'utf8').split(' ').map(Number)
  return { wallMs: 1000 * wall, cpuMs: 1000 * (user + system) }
}

/** Peak memory of a command that is Node, in bytes. */
async function peakOf({ program, args, env }: Command, scratchFile: string): Promise<number> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(PEAK)}`
  await run({ program, args: [preload, ...args], env: { ...env, PEAK_FILE: scratchFile } })
  return Number(readFileSync(scratchFile, 'utf8'))
}

/** Prints a table in Markdown. */
function show({ title, head, rows }: Table): void {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  const lines = [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  console.log(`**${title}**\n\n${lines.join('\n')}\n`)
}

const { values } = readOptions(USAGE, { options: { short: { type: 'boolean' } } })
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
await runScript(async () => {
  if (!values.short) {
    show(await measureRuns(folder))
    show(await measureGit(folder))
  }
  const { table, failures } = await measureLimits(folder)
  show(table)
  if (failures.length > 0) throw new Error(failures.join('\n'))
})
rmSync(folder, { recursive: true, force: true })
// A stage that is still open after a failure would keep the process waiting.
process.exit()

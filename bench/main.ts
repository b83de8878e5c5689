import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { archiveOfWorkTree } from '../scripts/archive.ts'
import { aligned, readOptions, runScript } from '../scripts/options.ts'
import { MAX_REQUESTS } from '../src/readers/analytics-reader.ts'
import { type Command, isInstalled, NODE, peakOf, type Times, timesOf } from './processes.ts'
import { scenesOf, startStage } from './scenes.ts'

const USAGE = `Measures what a run costs beside the waiting: the action in dist/ against a shell step with the same requests.

  npm run bench                            all of it, in a minute or two
  npm run bench -- --short                 sizes and limits alone, as CI runs it
  npm run bench -- --markdown              tables for bench/README.md
  npm run bench -- --against ../other      the action in that folder instead of the shell step

Fails where a size, the memory or the number of requests is over its limit; never for a time.`

/** Figures side by side; the first column names the row. */
type Table = {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const ROOT = join(import.meta.dirname, '..')
const RUNS = 15
const LARGE_SITE_PAGES = 8000

/** Start to done, each contender's runs in turn with the others': what else the machine does hits each alike. */
async function measureRuns(folder: string, against: string | undefined): Promise<Table> {
  const stage = await startStage(folder, 100)
  const scratch = join(folder, 'scratch')
  const bare: Command = {
    program: NODE,
    args: ['-e', '0'],
    env: { PATH: process.env['PATH'] ?? '' },
  }
  const rows: string[][] = []
  for (const scene of scenesOf(stage)) {
    const action = () => stage.action(scene, ROOT)
    const other = () =>
      against === undefined ? stage.shell(scene) : stage.action(scene, resolve(against))
    const contenders = [() => bare, action, other].map((command) => {
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
  const name = against === undefined ? 'shell step' : 'the other'
  return {
    title: `Start to done: median of ${RUNS} runs in turn, and as a multiple of node -e 0`,
    head: ['Run', 'this action', name, 'CPU: this action', name, 'requests', 'memory: this action'],
    rows,
  }
}

/** Sizes of what a runner downloads and Node reads, and what a large report takes, with their limits. */
async function measureLimits(folder: string): Promise<{ table: Table; failures: string[] }> {
  const stage = await startStage(folder, LARGE_SITE_PAGES)
  const inputs = { 'visitors-summary': 'true' }
  const scene = { name: '', script: '', event: { name: 'schedule', payload: {} }, inputs }
  const peakBytes = await peakOf(stage.action(scene, ROOT), join(folder, 'scratch'))
  const requests = stage.requests()
  await stage.close()
  const dist = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
  const distBytes = dist.reduce((sum, name) => sum + statSync(join(ROOT, 'dist', name)).size, 0)
  const figures = [
    ['dist/, KB', distBytes / 1e3, 1000],
    ['archive that a runner downloads, KB', gzipSync(archiveOfWorkTree()).length / 1e3, 300],
    [`memory for the visitors of ${LARGE_SITE_PAGES} pages, MB`, peakBytes / 1e6, 150],
    // One of them asks GitHub for the docs pull requests.
    [`requests for the visitors of ${LARGE_SITE_PAGES} pages`, requests, MAX_REQUESTS + 1],
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

function show({ title, head, rows }: Table): void {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  const lines = [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const markdown = `**${title}**\n\n${lines.join('\n')}\n`
  console.log(values.markdown ? markdown : `${title}\n\n${aligned([head, ...rows])}\n`)
}

const { values } = readOptions(USAGE, {
  options: {
    short: { type: 'boolean' },
    markdown: { type: 'boolean' },
    against: { type: 'string' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
await runScript(async () => {
  const missing = ['bash', 'curl', 'jq', 'openssl'].filter((program) => !isInstalled(program))
  if (missing.length > 0) throw new Error(`Install these and run this again: ${missing.join(', ')}`)
  if (!values.short) show(await measureRuns(folder, values.against))
  const { table, failures } = await measureLimits(folder)
  show(table)
  if (failures.length > 0) throw new Error(failures.join('\n'))
})
rmSync(folder, { recursive: true, force: true })
// A stage that is still open after a failure would keep the process waiting.
process.exit()

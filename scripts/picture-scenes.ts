import type { Fault } from '../docs-service/faults/fault.ts'
import type { DocsServiceOptions, VisitorsOverride } from '../docs-service/options.ts'
import { type DocsService, startDocsService } from '../docs-service/service.ts'
import { visitorsReport as siteReport } from '../docs-service/visitors/report.ts'
import type { Counts } from '../docs-service/visitors/site.ts'
import { formatDuration } from '../src/lib/duration.ts'
import { type ActionRun, runAction } from '../test/support/run-action.ts'

/** A picture's subject: its name, and the run whose summary it shows. */
export type Scene = {
  readonly name: string
  /** Runs the bundle on the embedded docs service; the Markdown is the same every time. */
  summary(): Promise<string>
}

const PROMPT = 'Explain in the quickstart why an upgrade needs a fresh snapshot.'
const JOB = {
  id: '3f0c5a9e-7d41-4b8e-9c1a-2f6d8e0b7a54',
  status: 'active',
  source: { repository: 'https://github.com/acme/docs', ref: 'docs/agent-why-an-upgrade-needs-a-snapshot' },
  model: 'docs-agent-1',
  prLink: null,
  createdAt: '2026-03-09T06:00:05.000Z',
  archivedAt: null,
}
/** Status requests that find the job active, at 100 ms each: enough for a duration above zero. */
const ACTIVE_LOOKS = 12
/** What the pictures say in place of the moments that their runs took. */
const JOB_DURATION_MS = 372_000
const TIMEOUT_MS = 1_800_000

/** Monday to Sunday; long over, so that the report is the same whenever it is made. */
const WEEK = { from: '2026-03-02', to: '2026-03-09' }
const NEW_PAGE = '/guides/restore'
const GONE_PAGE = '/recipes/regions'
const READ_BY_AI: readonly string[] = ['/sdks/webhooks', '/api-reference/snapshots', '/sdks/tokens']
/** Pages that more or fewer people came to than in the weeks before. */
const MOVED: Readonly<Record<string, number>> = {
  '/guides/snapshots': 1.42,
  '/quickstart': 1.18,
  '/cli/snapshots': 1.31,
  '/admin/schedules': 0.71,
  '/concepts/environments': 0.62,
}

/** The pictures of the README and of docs/pictures. */
export const SCENES: readonly Scene[] = [
  {
    name: 'job-summary',
    summary: () => endedJob({ status: 'completed', prLink: 'https://github.com/acme/docs/pull/482' }),
  },
  { name: 'job-failed', summary: () => endedJob({ status: 'failed' }) },
  { name: 'job-timed-out', summary: timedOutJob },
  { name: 'wrong-inputs', summary: wrongInputs },
  { name: 'visitors-report', summary: visitorsReport },
]

async function endedJob(end: { status: string; prLink?: string }): Promise<string> {
  const { summary, outputs } = await runJob(
    [
      { ...jobFault('look', JOB), times: ACTIVE_LOOKS },
      { ...jobFault('look', { ...JOB, ...end }), times: 'always' },
    ],
    { 'poll-interval': '100ms' },
  )
  const tookMs = Number(outputs['duration-seconds']) * 1000
  return inPlaceOf(summary, formatDuration(tookMs), formatDuration(JOB_DURATION_MS))
}

/** Waits 2 s and says 30 min. */
async function timedOutJob(): Promise<string> {
  const faults = [{ ...jobFault('look', JOB), times: 'always' as const }]
  const { summary, outputs } = await runJob(faults, { timeout: '2s', 'poll-interval': '1s' })
  const waits = [formatDuration(2000), formatDuration(Number(outputs['duration-seconds']) * 1000)]
  const said = waits.reduce((text, wait) => inPlaceOf(text, wait, formatDuration(TIMEOUT_MS)), summary)
  return inPlaceOf(said, '2s', '30m')
}

async function wrongInputs(): Promise<string> {
  const { summary } = await runWith({}, () => ({
    'project-id': '',
    prompt: PROMPT,
    timeout: '30',
    'fail-on': 'failed, timeout',
    'visitors-top': '500',
  }))
  return summary
}

/** The report of a week of a made-up site. */
export async function visitorsReport(): Promise<string> {
  const { summary } = await runWith({ visitors: sampleVisitors() }, () => ({
    'visitors-summary': 'true',
    'visitors-from': WEEK.from,
    'visitors-to': WEEK.to,
    'site-url': 'https://docs.example.com',
  }))
  return summary
}

/** The embedded service's own site, with what a report has something to say about. */
function sampleVisitors(): VisitorsOverride {
  const site = siteReport({ pages: 240, seed: 7 })
  return (query) => {
    const thisWeek = query.fromMs === Date.parse(WEEK.from)
    const { totals, visitors, hasMore } = site.answer(query)
    const missing = thisWeek ? GONE_PAGE : NEW_PAGE
    const rows = visitors
      .filter(({ path }) => path !== missing)
      .map((row) => (READ_BY_AI.includes(row.path) ? { ...row, human: row.ai, ai: row.human } : row))
      .map((row) => (thisWeek ? scaled(row, MOVED[row.path] ?? 1) : row))
    return { status: 200, body: { totals: scaled(totals, thisWeek ? 1.09 : 1), visitors: rows, hasMore } }
  }
}

function scaled<Row extends Counts>(row: Row, factor: number): Row {
  const by = (count: number) => Math.round(count * factor)
  return { ...row, human: by(row.human), ai: by(row.ai), total: by(row.total) }
}

function runJob(faults: readonly Fault[], inputs: Record<string, string>): Promise<ActionRun> {
  return runWith({ faults: [{ ...jobFault('create', JOB), times: 'always' }, ...faults] }, () => ({
    prompt: PROMPT,
    context: 'none',
    comment: 'never',
    ...inputs,
  }))
}

/** The service answers with this job, whatever it knows itself. */
function jobFault(path: 'create' | 'look', job: unknown): Fault {
  return { kind: 'body', body: job, handled: false, match: { path } }
}

async function runWith(
  options: DocsServiceOptions,
  inputsFor: (docs: DocsService) => Record<string, string>,
): Promise<ActionRun> {
  const docs = await startDocsService({ agent: 'none', ...options })
  try {
    const usual = { 'api-key': docs.key, 'project-id': 'docs', 'base-url': docs.url }
    const run = await runAction({ inputs: { ...usual, ...inputsFor(docs) } })
    if (run.summary === '') throw new Error(`A run wrote no summary:\n${run.log}`)
    return { ...run, summary: run.summary.replaceAll(docs.url, 'https://api.mintlify.com') }
  } finally {
    await docs.close()
  }
}

/** Puts one phrase in place of another, where it stands for itself: `2 s`, but not the end of `12 s`. */
function inPlaceOf(text: string, from: string, to: string): string {
  return text.replaceAll(new RegExp(`(?<![\\w.])${from}(?!\\w)`, 'g'), to)
}

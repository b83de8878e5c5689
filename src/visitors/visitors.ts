import { type FromGitHub, type Maybe, type Nodes, nodesOf } from '../github/client.ts'
import { GitHubError, graphqlError } from '../github/github-errors.ts'
import { code, codeBlock, joinMarkdown, Markdown, md, table } from '../lib/markdown.ts'
import {
  countOf,
  formatCount,
  type JsonRecord,
  joinSentences,
  listOf,
  Problem,
  shorten,
  stringField,
  sumOf,
} from '../lib/text.ts'
import { DAY_MS, formatAge } from '../lib/time.ts'
import type { Run } from '../runner/run.ts'
import { createAnalytics, type Period, readCount, readCounts } from './analytics.ts'

/** In the chart, with the current one. */
const PERIODS = 8
const TOP_PAGES = 10
const MAX_PATH_LENGTH = 80
/** Files for AI, which Mintlify lists like pages. */
const MACHINE_FILE = /(?:^|\/)(?:llms\.txt|llms-full\.txt|skill\.md)$/i
const VISITOR_KINDS = [
  ['human', 'People'],
  ['ai', 'AI'],
  ['total', 'All'],
] as const
/** The colors have a contrast of 3:1 to light and dark pages. */
const CHART_STYLE =
  '%%{init: {"xyChart": {"width": 720, "height": 260, "xAxis": {"labelFontSize": 11}}, "themeVariables": {"xyChart": {"backgroundColor": "transparent", "plotColorPalette": "#7d8590, #d1570a, #2f81f7"}}}}%%'
const NO_VISITORS = {
  from: null,
  to: null,
  totals: null,
  previous: null,
  change: null,
  trend: null,
  top: null,
}

type Visitors = NonNullable<Awaited<ReturnType<typeof readVisitors>>>

/**
 * Reports the visitors of the last full days and the content gaps, in the summary and in outputs.
 *
 * @throws {Problem} if the visitors or, without them, the content gaps could not be read
 */
export async function reportVisitors(contentGaps: ContentGaps, run: Run): Promise<void> {
  const { inputs, log, mintlifyName } = run
  if (inputs['dry-run']) {
    const plan = md`## 📊 Visitors report: dry run\n\nNothing was sent to ${mintlifyName}. Without \`dry-run\`, this run would create a visitors report.`
    return run.writeSummary('visitors', plan)
  }
  const hasVisitors = inputs['visitors-summary']
  const analytics = createAnalytics(34, run)
  const [visitors, docsPulls, gaps] = await Promise.all([
    hasVisitors ? readVisitors(analytics, run) : undefined,
    hasVisitors ? describeDocsPulls(run) : undefined,
    contentGaps,
  ])
  if (run.cancel.aborted)
    throw new Problem({
      title: 'The visitors report was canceled',
      text: 'The run was canceled before the visitors report was complete.',
    })
  const missing = [analytics, docsPulls, gaps].flatMap((part) => part?.missing ?? [])
  const [first] = missing
  if (first && !(hasVisitors ? visitors : gaps?.items)) throw new Problem(first)

  const parts = missing.map(({ purpose, title }) => `${purpose} (${title})`)
  const unread = `The action could not ${listOf(parts)}.`
  if (first) log.notice(joinSentences(unread, first.text), 'Part of the visitors report is missing')
  if (visitors?.totals.total === 0 && visitors.trend.some(({ totals }) => totals.total > 0))
    log.warning(
      "The docs had no visitors in this period, but earlier periods had some. Check the site's analytics tracking, and check that `project-id` is the right project.",
      'The docs had no visitors',
    )
  const heading = visitors ? headingOf(visitors) : md`Content gaps`
  log.info(`Visitors report: ${heading.source}`)
  // A line needs two points.
  const chart = visitors?.previous ? trendChart(visitors) : undefined
  const sections = [
    md`## 📊 ${heading}`,
    md`${visitors ? `${formatPeriod(visitors)} (UTC) · ` : ''}Project ${code(inputs['project-id'])}`,
    first && md`⚠️ ${unread}`,
    visitors && totalsTable(visitors),
    chart,
    docsPulls?.line,
    visitors?.top.length ? topTable(visitors) : undefined,
    gaps?.items && md`### ${gaps.title}\n\n${gaps.list}`,
  ]
  run.writeSummary('visitors', joinMarkdown(sections))
  run.setOutputs({
    visitors: JSON.stringify({
      ...(visitors ?? NO_VISITORS),
      gaps: gaps?.items ?? null,
      complete: !first,
    }),
    'visitors-markdown': joinMarkdown(sections.filter((one) => one !== chart)).source,
  })
}

/** Returns the full UTC days before today, or an earlier period of the same length. */
function periodBefore(nowMs: number, days: number, periodsBack = 0): Period {
  const toMs = (Math.floor(nowMs / DAY_MS) - periodsBack * days) * DAY_MS
  return { from: isoDay(toMs - days * DAY_MS), to: isoDay(toMs) }
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Formats a period with its last day: `27 Jul to 2 Aug`. The years are added if they differ. */
function formatPeriod({ from, to }: Period): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' })
    .formatRange(Date.parse(from), Date.parse(to) - 1)
    .replace(/\s*–\s*/, ' to ')
}

/** Reads the totals of all periods, and the pages of the current one and of the one before. */
async function readVisitors(
  { missing, read }: ReturnType<typeof createAnalytics>,
  { clock, inputs }: Run,
) {
  const nowMs = clock.now()
  const list = { path: ['visitors'], field: 'visitors', readRow: readPageRow }
  const trend = []
  for (let back = 0; back < PERIODS; back++) {
    const period = periodBefore(nowMs, inputs['visitors-days'], back)
    const purpose = `read the visitors since ${period.from}`
    const answer = await read({ ...list, purpose, period, query: { limit: 1 } })
    if (!answer?.totals) break
    trend.unshift({ ...period, totals: answer.totals })
  }
  const [now, before] = trend.toReversed()
  if (!now) return undefined
  const readPages = async (period: Period) => {
    const call = { ...list, purpose: `read all pages since ${period.from}`, period }
    const answer = await read({ ...call, query: { limit: 250 }, paging: 'offset' })
    return new Map(answer?.rows.map((page) => [page.path, page]))
  }
  const pages = await readPages(now)
  const earlier = before && (await readPages(before))
  const top = [...pages.values()]
    .filter(({ path }) => !MACHINE_FILE.test(path.slice(-20)))
    .sort((left, right) => right.total - left.total)
    .slice(0, TOP_PAGES)
    .map((page) => {
      const total = earlier?.get(page.path)?.total ?? (missing.length > 0 ? Number.NaN : 0)
      return { ...page, change: changeBetween(total, page.total) }
    })
  const previous = before?.totals ?? null
  return { ...now, previous, change: changeBetween(previous?.total, now.totals.total), trend, top }
}

function readPageRow(row: JsonRecord) {
  const [path, counts] = [stringField(row, 'path'), readCounts(row)]
  return path && counts ? { path, ...counts } : undefined
}

type Found = FromGitHub<
  Record<
    'all' | 'merged' | 'closed' | 'open',
    Nodes<FromGitHub<{ createdAt: string }>> & FromGitHub<{ issueCount: number }>
  >
>

const DOCS_PULLS_QUERY = `
  query ($all: String!, $merged: String!, $closed: String!, $open: String!) {
    all: search(type: ISSUE, first: 1, query: $all) { ...found }
    merged: search(type: ISSUE, first: 1, query: $merged) { ...found }
    closed: search(type: ISSUE, first: 1, query: $closed) { ...found }
    open: search(type: ISSUE, first: 1, query: $open) { ...found }
  }
  fragment found on SearchResultItemConnection {
    issueCount
    nodes { ... on PullRequest { createdAt } }
  }`

/** Counts the docs pull requests with one search. `line`: `undefined` if there are none. */
async function describeDocsPulls({ github, clock, environment, inputs }: Run) {
  const { from, to } = periodBefore(clock.now(), inputs['visitors-days'])
  const days = `${from}..${isoDay(Date.parse(to) - 1)}`
  // GitHub's search calls the account of an App `app/NAME`.
  const all = `repo:${environment.repository} is:pr author:app/mintlify`
  const answer = await github.attempt(async () => {
    const asked = {
      all,
      merged: `${all} merged:${days}`,
      closed: `${all} is:unmerged closed:${days}`,
      open: `${all} is:open sort:created-asc`,
    }
    const { data, errors } = await github.graphql<Maybe<Found>>(DOCS_PULLS_QUERY, asked)
    const [error] = errors
    if (error) throw graphqlError(error)
    if (!data?.all) throw new GitHubError('GitHub returned no counts')
    return data
  })
  if (!answer.known) {
    const { message, explanation } = answer.error
    const purpose = 'count the docs pull requests'
    return { missing: [{ purpose, title: message, text: explanation }] }
  }
  const countsOf = (name: keyof Found) => answer.value[name]?.issueCount ?? 0
  if (countsOf('all') === 0) return { missing: [] }
  const openedMs = Date.parse(nodesOf(answer.value.open)[0]?.createdAt ?? '')
  const age = openedMs ? ` (oldest: ${formatAge(clock.now() - openedMs)})` : ''
  const line = md`Docs pull requests in the period: ${countsOf('merged')} merged, ${countsOf('closed')} closed; ${countsOf('open')} open${age}`
  return { line, missing: [] }
}

/** Computes a change in percent with one decimal: `NaN` if unknown, infinite from nothing. Both are `null` in JSON. */
function changeBetween(previous = Number.NaN, current: number): number {
  return Math.round((current / previous - 1) * 1000) / 10
}

/** Formats a change: `+8.3%`, `-3%`, `new`, `–`. */
function formatChange(change: number): Markdown {
  if (Number.isNaN(change)) return md`–`
  if (!Number.isFinite(change)) return md`new`
  return Markdown.raw(`${change.toLocaleString('en-GB', { signDisplay: 'exceptZero' })}%`)
}

function headingOf({ totals, change }: Visitors): Markdown {
  const count = totals.total > 0 ? md`About ${countOf(totals.total, 'visitor')}` : md`No visitors`
  return Number.isFinite(change) ? md`${count} (${formatChange(change)})` : count
}

function totalsTable({ totals, previous }: Visitors): Markdown {
  const rows = VISITOR_KINDS.map(([kind, title]) => [
    title,
    formatCount(totals[kind]),
    previous ? formatCount(previous[kind]) : '–',
    formatChange(changeBetween(previous?.[kind], totals[kind])),
  ])
  return md`${table(['', 'Now', 'Before', 'Change'], rows, 'lrrr')}\n\nA visitor counted as both a person and AI is one in All.`
}

function topTable({ top }: Visitors): Markdown {
  const rows = top.map((page) => [
    code(shorten(page.path, MAX_PATH_LENGTH)),
    ...VISITOR_KINDS.map(([kind]) => formatCount(page[kind])),
    formatChange(page.change),
  ])
  return table(['Page', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
}

/** Renders the periods as a chart that GitHub draws. Older versions of Mermaid show no legend. */
function trendChart({ trend }: Visitors): Markdown {
  const most = Math.max(1, ...trend.map(({ totals }) => totals.total))
  const lines = VISITOR_KINDS.map(
    ([kind, title]) =>
      `  line "${title}" ${JSON.stringify(trend.map(({ totals }) => totals[kind]))}`,
  )
  const source = `${CHART_STYLE}
xychart-beta
  x-axis ${JSON.stringify(trend.map(({ from }) => from))}
  y-axis "Visitors" 0 --> ${most}
${lines.join('\n')}`
  return md`${codeBlock(source, 'mermaid')}\n\nLines: people (gray), AI (orange), all (blue).`
}

/** In a week there are too few ratings and questions. */
const GAP_DAYS = 28
const MIN_COUNT = 3
const MAX_OF_KIND = 5
const RESULTS = { rating: 'ratings are negative', question: 'questions are unanswered' }
const AGENT_RULES =
  "The following counts show demand and don't prove an error. Look at the page and at the code first, and change at most three pages because of this list."

/** The content gaps of a run, as they are read. */
export type ContentGaps = ReturnType<typeof readContentGaps>

/** Reads the pages with bad ratings or unanswered questions. @returns `undefined` if they aren't requested */
export async function readContentGaps(run: Run) {
  const { inputs, clock, mintlifyName } = run
  if (inputs['content-gaps'] === 'none' || inputs['dry-run']) return undefined
  const { read, missing } = createAnalytics(6, run)
  const period = periodBefore(clock.now(), GAP_DAYS)
  const ratings = await read({
    purpose: 'read the page ratings',
    path: ['feedback', 'by-page'],
    field: 'feedback',
    period,
    // Those that aren't resolved yet.
    query: { limit: 100, status: 'pending,in_progress' },
    readRow: readRating,
  })
  if (ratings?.hasMore)
    missing.push({
      purpose: 'read all page ratings',
      title: `${mintlifyName} lists 100 pages`,
      text: '',
    })
  const questions = await read({
    purpose: 'read all questions',
    path: ['assistant'],
    field: 'conversations',
    period,
    query: { limit: 1000 },
    paging: 'cursor',
    readRow: readQuestion,
  })
  const items = [...findGaps('rating', ratings?.rows), ...findGaps('question', questions?.rows)]
  const title = `${countOf(items.length, 'content gap')}, ${formatPeriod(period)}`
  const list = joinMarkdown(
    items.map(({ kind, path, count, of }) => {
      return md`- ${code(path)}: ${count} of ${of} ${RESULTS[kind]}`
    }),
    '\n',
  )
  const isForAgent = inputs['content-gaps'] === 'agent' && items.length > 0
  return {
    title,
    list,
    /** `undefined` if neither ratings nor questions could be read. */
    items: (ratings ?? questions) && items,
    /** The list for the prompt, after the action's own words. */
    forAgent: isForAgent ? [AGENT_RULES, `${title}:`, list.source] : [],
    missing,
  }
}

function readRating({ path, thumbsUp, thumbsDown }: JsonRecord) {
  const count = readCount(thumbsDown)
  const of = count + readCount(thumbsUp)
  return Number.isNaN(of) ? undefined : { path: readPath(path), count, of }
}

/** Cases on a page, of all ratings or questions. */
type Tally = ReturnType<typeof readQuestion>

/** Reads the page and the result of a question, and nothing else. */
function readQuestion({ pageUrl, resolutionStatus }: JsonRecord) {
  return { path: readPath(pageUrl), count: Number(resolutionStatus === 'unanswered'), of: 1 }
}

/** Reads a path or that of an address; empty if it could contain a stranger's words. */
function readPath(given: unknown): string {
  const path = typeof given === 'string' ? (URL.parse(given)?.pathname ?? given) : ''
  return /^[\w/.~-]{1,120}$/.test(path) ? path : ''
}

/** Finds the pages with many cases; of ratings, if these are more than half. */
function findGaps(kind: keyof typeof RESULTS, rows: readonly Tally[] = []) {
  const pages = [...Map.groupBy(rows, ({ path }) => path)].map(([path, all]) => {
    return { kind, path, count: sumOf(all, ({ count }) => count), of: sumOf(all, ({ of }) => of) }
  })
  return pages
    .filter(({ path, count, of }) => {
      return path && count >= MIN_COUNT && (kind === 'question' || count > of / 2)
    })
    .sort((left, right) => right.count - left.count)
    .slice(0, MAX_OF_KIND)
}

import type { Inputs } from '../inputs/table.ts'
import { code, details, joinMarkdown, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { byteLength } from '../lib/text.ts'
import type { Counts } from '../service/analytics.ts'
import {
  countOf,
  formatChange,
  formatCount,
  formatPeriod,
  formatPoints,
  formatShare,
  periodName,
  rawTable,
} from './format.ts'
import type { Missed } from './missed.ts'
import {
  aiShare,
  changeBetween,
  compareWithUsual,
  MARGIN_PERCENT,
  MIN_SPREADS,
  MIN_VISITORS,
  MOSTLY_AI,
} from './page-changes.ts'
import {
  changesSection,
  MISSED_FACTS,
  missedSections,
  pagesSection,
  stillAiSection,
  trendChart,
} from './sections.ts'
import { type PeriodTotals, type VisitorsReport, visitorsHeadline } from './visitors.ts'

export type SummaryContent = {
  readonly inputs: Inputs
  /** Of the visitors, if they were asked for and read. */
  readonly report?: VisitorsReport
  /** Why they were not read, as sentences. */
  readonly failure?: string
  /** Name of the exported file, if any. */
  readonly exported?: string
  readonly missed: Missed | undefined
  /** Sentences about what is missing. */
  readonly leftOut: readonly string[]
  readonly requests: number
}

/** Maximum number of bytes of the report: the summary of a job in the same step has the rest of GitHub's 1 MiB. */
const MAX_BYTES = 128 * 1024

/** The report as Markdown. Where it would be too long, the table of pages gets shorter, and it says so. */
export function readersSummary(content: SummaryContent): Markdown {
  const { report, leftOut } = content
  if (report === undefined) return summaryWithoutVisitors(content)
  for (let maxRows = report.top.length; ; maxRows = Math.floor(maxRows / 2)) {
    const isCut = maxRows < report.top.length
    const cut = isCut ? [`The table of pages is cut to ${countOf(maxRows, 'row')} to fit a job summary.`] : []
    const shown = { ...report, top: report.top.slice(0, maxRows) }
    const summary = summaryOf(shown, { ...content, leftOut: [...leftOut, ...cut] })
    if (maxRows === 0 || byteLength(summary.source) <= MAX_BYTES) return summary
  }
}

function summaryWithoutVisitors(content: SummaryContent): Markdown {
  const { inputs, failure, missed } = content
  const project = md`project ${code(inputs['project-id'])}`
  const failed = failure ? [md`## ❌ No visitors report`, sentencesWithCode(failure), project] : []
  if (missed === undefined) return joinMarkdown(failed)
  const { shown, folded } = missedSections(missed, inputs['site-url'])
  const head = [md`## 🔎 What readers missed`, md`${formatPeriod(missed.period)} · ${project}`]
  return joinMarkdown([...failed, ...head, ...shown, ...folded, factsSection(MISSED_FACTS, content)])
}

function summaryOf(report: VisitorsReport, content: SummaryContent): Markdown {
  const { period, usual, comparable } = report
  const { inputs, missed, leftOut } = content
  const site = inputs['site-url']
  const trend = comparable.length === 0 ? [] : [...comparable, report]
  const icons = { usual: '📊', highest: '📈', lowest: '📉' }
  const ofMissed = missed && missedSections(missed, site)
  return joinMarkdown([
    md`## ${icons[usual?.position ?? 'usual']} ${visitorsHeadline(report)}`,
    md`${formatPeriod(period)} · project ${code(inputs['project-id'])}`,
    ...caveats(report, leftOut).map(sentencesWithCode),
    totalsTable(report),
    ...trendChart(trend),
    ...changesSection(report, site),
    ...(missed === undefined ? [] : [md`**What readers missed**, ${formatPeriod(missed.period)}`]),
    ...(ofMissed?.shown ?? []),
    pagesSection(report, site),
    ...(ofMissed?.folded ?? []),
    ...stillAiSection(report, site),
    ...trendSection(trend),
    factsSection([...visitorsFacts(report), ...(missed === undefined ? [] : MISSED_FACTS)], content),
  ])
}

function caveats(report: VisitorsReport, leftOut: readonly string[]): string[] {
  const { warnings, isComplete, pages, trend, comparable, period, totals } = report
  const lines = warnings.map((warning) => `⚠️ ${warning}`)
  if (!isComplete) {
    lines.push(`⚠️ Not complete: ${countOf(pages.length, 'page')} could be read. The last part says why.`)
  } else if (leftOut.length > 0) {
    lines.push('⚠️ Not everything could be read. The last part says what, and why.')
  }
  if (trend.length > 1 && comparable.length === 0) {
    const before = trend.length - 1
    const earlier = `${before === 1 ? '' : `${before} `}${periodName(period, before)} before`
    const [first, never] = ['This is the first report: there were no visitors', 'Nor were there any']
    lines.push(`${totals.total > 0 ? first : never} in the ${earlier}.`)
  }
  return lines
}

function totalsTable({ totals, previous, comparable, usual }: VisitorsReport): Markdown {
  const before = comparable.length === 0 ? undefined : previous
  const row = (name: string, of: (totals: Counts) => number, isShare = false): string[] => {
    const now = of(totals)
    const format = isShare ? formatShare : formatCount
    const change = (from: number): string =>
      isShare ? formatPoints(now - from) : formatChange(changeBetween(from, now))
    const cells = [name, `**${format(now)}**`]
    if (before !== undefined) cells.push(format(of(before)), change(of(before)))
    const earlier = comparable.map((each) => of(each.totals))
    const range = compareWithUsual(now, earlier)
    if (range === undefined) return cells
    const words = { usual: '', highest: '**above** ', lowest: '**below** ' }
    const { low, high, position } = range
    const ends = isShare ? [low, Math.min(1, high)] : [Math.ceil(low), Math.floor(high)]
    return [...cells, `${words[position]}${ends.map(format).join('\u00A0–\u00A0')}`]
  }
  const head = ['', 'Now', ...(before ? ['Before', 'Change'] : []), ...(usual ? ['Usual'] : [])]
  const rows = [
    row('People', ({ human }) => human),
    row('AI', ({ ai }) => ai),
    row('**All**', ({ total }) => total),
    // A share of no visitors is none.
    ...(totals.total > 0 && before?.total !== 0 ? [row('AI share', aiShare, true)] : []),
  ]
  return rawTable(head, rows, `l${'r'.repeat(head.length - 1)}`)
}

/** The figures of the chart. */
function trendSection(trend: readonly PeriodTotals[]): Markdown[] {
  if (trend.length === 0) return []
  const rows = trend.map(({ period, totals: { human, ai, total } }, index) => {
    const change = changeBetween(trend[index - 1]?.totals.total || undefined, total)
    return [formatPeriod(period), ...[human, ai, total].map(formatCount), formatChange(change)]
  })
  const table = rawTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
  return [details(`Trend over ${trend.length} periods`, table)]
}

/** What was left out, what the figures mean, and what they cost. */
function factsSection(facts: readonly string[], content: SummaryContent): Markdown {
  const { inputs, leftOut, requests, exported = '' } = content
  const list = (items: readonly string[]): Markdown => {
    const lines = items.map((item) => md`- ${sentencesWithCode(item)}`)
    return joinMarkdown(lines, '\n')
  }
  const all = list([
    ...facts,
    `Requests: ${formatCount(requests)} of ${formatCount(inputs['visitors-max-requests'])} allowed.`,
    ...(exported === '' ? [] : [`All rows: \`${exported}\`.`]),
  ])
  if (leftOut.length === 0) return details('How to read these figures', all)
  const both = joinMarkdown([md`**Left out**`, list(leftOut), md`**These figures**`, all])
  return details('What was left out, and how to read these figures', both)
}

function visitorsFacts({ period, trend, comparable, usual, pageChanges }: VisitorsReport): string[] {
  const before = trend.at(-2)?.period
  const earlier = `${comparable.length} ${periodName(period, comparable.length)}`
  return [
    `Period: ${formatPeriod(period)} in UTC${before === undefined ? '' : `; before it: ${formatPeriod(before)}`}.`,
    ...(usual ? [`Usual: the range of the ${earlier} before, and ${MARGIN_PERCENT} % beyond.`] : []),
    ...(pageChanges ? [MOVED_FACT] : []),
    'The service estimates distinct visitors: they are deduplicated, over pages and over people and AI, so neither pages nor people and AI add up to all visitors.',
    `AI visitors are told by their user agent alone: pages fetched to answer someone's question, and pages read as Markdown. Search indexes and training crawlers count as neither people nor AI. Read mostly by AI: ${MOSTLY_AI * 100} % or more of at least ${MIN_VISITORS} visitors.`,
  ]
}

const MOVED_FACT = `What moved: pages that changed by at least ${MIN_VISITORS} visitors and, beside the change of the whole site, by at least ${MIN_SPREADS} times what counts and pages vary by chance; new and gone pages with at least ${MIN_VISITORS} visitors.`

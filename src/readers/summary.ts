import { code, details, joinMarkdown, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { byteLength } from '../lib/text.ts'
import type { Counts } from '../service/analytics.ts'
import { trendChart } from './chart.ts'
import { aiShare, changeBetween, compareWithUsual, MARGIN_PERCENT } from './compare.ts'
import {
  countOf,
  formatChange,
  formatCount,
  formatPoints,
  formatRange,
  formatShare,
  rawTable,
} from './format.ts'
import { furtherMissedSection, MISSED_FACTS, type Missed, missedSection } from './missed.ts'
import { MIN_SPREADS, MIN_VISITORS, MOSTLY_AI } from './page-changes.ts'
import { changesSection, newlyAiLine, pagesSection, stillAiSection } from './pages-summary.ts'
import { formatPeriod, periodName } from './period.ts'
import type { PeriodTotals } from './read.ts'
import { type VisitorsReport, visitorsHeadline } from './report.ts'

/** What a summary is made of beside the visitors. */
export type SummaryContext = {
  readonly projectId: string
  readonly siteUrl: URL | undefined
  readonly requests: number
  readonly maxRequests: number
  /** Name of the exported file; empty if there is none. */
  readonly exported: string
  /** Sentences about what is missing. */
  readonly leftOut: readonly string[]
  readonly missed: Missed | undefined
}

/** Maximum number of bytes of the report: the summary of a job in the same step has the rest of GitHub's 1 MiB. */
const MAX_BYTES = 128 * 1024

/** The report as Markdown. Where it would be too long, the table of pages gets shorter, and it says so. */
export function visitorsSummary(report: VisitorsReport, context: SummaryContext): Markdown {
  for (let maxRows = report.top.length; ; maxRows = Math.floor(maxRows / 2)) {
    const isCut = maxRows < report.top.length
    const cut = isCut ? [`The table of pages is cut to ${countOf(maxRows, 'row')} to fit a job summary.`] : []
    const shown = { ...report, top: report.top.slice(0, maxRows) }
    const summary = summaryOf(shown, { ...context, leftOut: [...context.leftOut, ...cut] })
    if (maxRows === 0 || byteLength(summary.source) <= MAX_BYTES) return summary
  }
}

function summaryOf(report: VisitorsReport, context: SummaryContext): Markdown {
  const { period, totals, usual, comparable, pageChanges } = report
  const trend = [...comparable, { period, totals }]
  const { missed, siteUrl } = context
  const icons = { usual: '📊', highest: '📈', lowest: '📉' }
  return joinMarkdown([
    md`## ${icons[usual?.position ?? 'usual']} ${visitorsHeadline(report)}`,
    md`${formatPeriod(period)} · project ${code(context.projectId)}`,
    ...caveats(report, context).map(sentencesWithCode),
    totalsTable(report),
    ...(trend.length > 1 ? trendChart(trend) : []),
    ...(pageChanges === undefined ? [] : changesSection(pageChanges, siteUrl)),
    ...newlyAiLine(report, siteUrl),
    ...(missed === undefined
      ? []
      : [md`**What readers missed**, ${formatPeriod(missed.period)}`, ...missedSection(missed, siteUrl)]),
    pagesSection(report, siteUrl),
    ...(missed === undefined ? [] : furtherMissedSection(missed, siteUrl)),
    ...stillAiSection(report, siteUrl),
    ...(trend.length > 1 ? [trendSection(trend)] : []),
    factsSection([...visitorsFacts(report), ...(missed === undefined ? [] : MISSED_FACTS)], context),
  ])
}

/** The report where no visitors could be read. `why`: sentences. */
export function noVisitorsSummary(why: string, context: SummaryContext): Markdown {
  const head = [md`## ❌ No visitors report`, sentencesWithCode(why), md`Project ${code(context.projectId)}`]
  return joinMarkdown(context.missed === undefined ? head : [...head, missedSummary(context.missed, context)])
}

/** What readers missed, where there is no report on the visitors. */
export function missedSummary(missed: Missed, context: SummaryContext): Markdown {
  return joinMarkdown([
    md`## 🔎 What readers missed`,
    md`${formatPeriod(missed.period)} · project ${code(context.projectId)}`,
    ...missedSection(missed, context.siteUrl),
    ...furtherMissedSection(missed, context.siteUrl),
    factsSection(MISSED_FACTS, context),
  ])
}

/** What a dry run would have read. `plan`: sentences. */
export function plannedSummary(plan: string, projectId: string): Markdown {
  return joinMarkdown([
    md`## 📊 Readers report: dry run`,
    sentencesWithCode(plan),
    md`Project ${code(projectId)}`,
  ])
}

function caveats(
  { warnings, isComplete, pages, trend, comparable, period, totals }: VisitorsReport,
  { leftOut }: SummaryContext,
): string[] {
  const lines = warnings.map((warning) => `⚠️ ${warning}`)
  if (!isComplete)
    lines.push(`⚠️ Not complete: ${countOf(pages.length, 'page')} could be read. The last part says why.`)
  else if (leftOut.length > 0) lines.push('⚠️ Not everything could be read. The last part says what, and why.')
  const before = trend.length - 1
  if (before > 0 && comparable.length === 0) {
    const earlier = `${before === 1 ? '' : `${before} `}${periodName(period, before)} before`
    lines.push(
      totals.total === 0
        ? `Nor were there any in the ${earlier}.`
        : `This is the first report: there were no visitors in the ${earlier}.`,
    )
  }
  return lines
}

/** A row of the table of totals: how its values are read, shown and compared. */
type Measure = {
  readonly name: string
  readonly of: (totals: Counts) => number
  readonly format: (value: number) => string
  readonly change: (previous: number, now: number) => string
  readonly range: (low: number, high: number) => string
}

const COUNT = {
  format: formatCount,
  change: (previous: number, now: number) => formatChange(changeBetween(previous, now)),
  range: formatRange,
}

const MEASURES: readonly Measure[] = [
  { ...COUNT, name: 'People', of: ({ human }) => human },
  { ...COUNT, name: 'AI', of: ({ ai }) => ai },
  { ...COUNT, name: '**All**', of: ({ total }) => total },
  {
    name: 'AI share',
    of: aiShare,
    format: formatShare,
    change: (previous, now) => formatPoints(now - previous),
    range: (low, high) => `${formatShare(low)}\u00A0–\u00A0${formatShare(Math.min(1, high))}`,
  },
]

function totalsTable({ totals, previous, comparable, usual }: VisitorsReport): Markdown {
  const before = comparable.length === 0 ? undefined : previous
  const head = ['', 'Now', ...(before ? ['Before', 'Change'] : []), ...(usual ? ['Usual'] : [])]
  // A share of no visitors is none.
  const measures = MEASURES.filter(({ of }) => of !== aiShare || (totals.total > 0 && before?.total !== 0))
  const rows = measures.map(({ name, of, format, change, range }) => {
    const compared = compareWithUsual(
      of(totals),
      comparable.map((each) => of(each.totals)),
    )
    const words = { usual: '', highest: '**above** ', lowest: '**below** ' }
    return [
      name,
      `**${format(of(totals))}**`,
      ...(before ? [format(of(before)), change(of(before), of(totals))] : []),
      ...(compared ? [`${words[compared.position]}${range(compared.low, compared.high)}`] : []),
    ]
  })
  return rawTable(head, rows, `l${'r'.repeat(head.length - 1)}`)
}

/** The figures of the chart. */
function trendSection(trend: readonly PeriodTotals[]): Markdown {
  const rows = trend.map(({ period: each, totals: { human, ai, total } }, index) => {
    const change = changeBetween(trend[index - 1]?.totals.total || undefined, total)
    return [formatPeriod(each), formatCount(human), formatCount(ai), formatCount(total), formatChange(change)]
  })
  return details(
    `Trend over ${trend.length} periods`,
    rawTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr'),
  )
}

/** What was left out, what the figures mean, and what they cost. */
function factsSection(facts: readonly string[], { leftOut, ...context }: SummaryContext): Markdown {
  const list = (items: readonly string[]): Markdown =>
    joinMarkdown(
      items.map((item) => md`- ${sentencesWithCode(item)}`),
      '\n',
    )
  const all = list([
    ...facts,
    `Requests: ${formatCount(context.requests)} of ${formatCount(context.maxRequests)} allowed.`,
    ...(context.exported === '' ? [] : [`All rows: \`${context.exported}\`.`]),
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
    'The service estimates distinct visitors. Whoever came twice, or as a person and through AI, counts once: so pages do not add up to all visitors, nor do people and AI.',
    `AI visitors are told by their user agent alone: pages fetched to answer somebody's question, and pages read as Markdown. Search indexes and training crawlers count as neither people nor AI. Read mostly by AI: ${MOSTLY_AI * 100} % or more of at least ${MIN_VISITORS} visitors.`,
  ]
}

const MOVED_FACT = `What moved: pages that changed by at least ${MIN_VISITORS} visitors and, beside the change of the whole site, by at least ${MIN_SPREADS} times what counts and pages vary by chance; new and gone pages with at least ${MIN_VISITORS} visitors.`

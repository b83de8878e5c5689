import { code, details, joinMarkdown, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { byteLength } from '../lib/text.ts'
import type { Counts } from '../service/analytics.ts'
import {
  aiShare,
  changeBetween,
  compareWithUsual,
  MARGIN_PERCENT,
  MIN_SPREADS,
  MIN_VISITORS,
  MOSTLY_AI,
} from './changes.ts'
import { countOf, formatChange, formatCount, formatPoints, formatShare, rawTable } from './format.ts'
import { furtherMissedSection, MISSED_FACTS, type Missed, missedSection } from './missed.ts'
import { changesSection, newlyAiLine, pagesSection, stillAiSection, trendChart } from './pages-summary.ts'
import { formatPeriod, periodName } from './period.ts'
import type { PeriodTotals } from './read.ts'
import { type VisitorsReport, visitorsHeadline } from './report.ts'

export type SummaryContent = {
  readonly projectId: string
  readonly siteUrl: URL | undefined
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
  readonly maxRequests: number
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
  const { projectId, siteUrl, failure = '', missed } = content
  const project = md`project ${code(projectId)}`
  const failed = failure === '' ? [] : [md`## ❌ No visitors report`, sentencesWithCode(failure), project]
  if (missed === undefined) return joinMarkdown(failed)
  return joinMarkdown([
    ...failed,
    md`## 🔎 What readers missed`,
    md`${formatPeriod(missed.period)} · ${project}`,
    ...missedSection(missed, siteUrl),
    ...furtherMissedSection(missed, siteUrl),
    factsSection(MISSED_FACTS, content),
  ])
}

function summaryOf(report: VisitorsReport, content: SummaryContent): Markdown {
  const { period, totals, usual, comparable, pageChanges } = report
  const trend = [...comparable, { period, totals }]
  const { missed, siteUrl } = content
  const icons = { usual: '📊', highest: '📈', lowest: '📉' }
  return joinMarkdown([
    md`## ${icons[usual?.position ?? 'usual']} ${visitorsHeadline(report)}`,
    md`${formatPeriod(period)} · project ${code(content.projectId)}`,
    ...caveats(report, content.leftOut).map(sentencesWithCode),
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
    factsSection([...visitorsFacts(report), ...(missed === undefined ? [] : MISSED_FACTS)], content),
  ])
}

function caveats(report: VisitorsReport, leftOut: readonly string[]): string[] {
  const { warnings, isComplete, pages, trend, comparable, period, totals } = report
  const lines = warnings.map((warning) => `⚠️ ${warning}`)
  if (!isComplete) {
    lines.push(`⚠️ Not complete: ${countOf(pages.length, 'page')} could be read. The last part says why.`)
  } else if (leftOut.length > 0)
    lines.push('⚠️ Not everything could be read. The last part says what, and why.')
  if (trend.length > 1 && comparable.length === 0) {
    const before = trend.length - 1
    const earlier = `${before === 1 ? '' : `${before} `}${periodName(period, before)} before`
    lines.push(
      totals.total === 0
        ? `Nor were there any in the ${earlier}.`
        : `This is the first report: there were no visitors in the ${earlier}.`,
    )
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
    const earlier = comparable.map((each) => of(each.totals))
    const range = compareWithUsual(now, earlier)
    const words = { usual: '', highest: '**above** ', lowest: '**below** ' }
    const ends =
      range &&
      (isShare ? [range.low, Math.min(1, range.high)] : [Math.ceil(range.low), Math.floor(range.high)])
    return [
      name,
      `**${format(now)}**`,
      ...(before ? [format(of(before)), change(of(before))] : []),
      ...(range && ends ? [`${words[range.position]}${ends.map(format).join('\u00A0–\u00A0')}`] : []),
    ]
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
function trendSection(trend: readonly PeriodTotals[]): Markdown {
  const rows = trend.map(({ period: each, totals: { human, ai, total } }, index) => {
    const change = changeBetween(trend[index - 1]?.totals.total || undefined, total)
    return [formatPeriod(each), formatCount(human), formatCount(ai), formatCount(total), formatChange(change)]
  })
  const table = rawTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
  return details(`Trend over ${trend.length} periods`, table)
}

/** What was left out, what the figures mean, and what they cost. */
function factsSection(facts: readonly string[], content: SummaryContent): Markdown {
  const { leftOut, requests, maxRequests, exported = '' } = content
  const list = (items: readonly string[]): Markdown => {
    const lines = items.map((item) => md`- ${sentencesWithCode(item)}`)
    return joinMarkdown(lines, '\n')
  }
  const all = list([
    ...facts,
    `Requests: ${formatCount(requests)} of ${formatCount(maxRequests)} allowed.`,
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
    'The service estimates distinct visitors. Whoever came twice, or as a person and through AI, counts once: so pages do not add up to all visitors, nor do people and AI.',
    `AI visitors are told by their user agent alone: pages fetched to answer somebody's question, and pages read as Markdown. Search indexes and training crawlers count as neither people nor AI. Read mostly by AI: ${MOSTLY_AI * 100} % or more of at least ${MIN_VISITORS} visitors.`,
  ]
}

const MOVED_FACT = `What moved: pages that changed by at least ${MIN_VISITORS} visitors and, beside the change of the whole site, by at least ${MIN_SPREADS} times what counts and pages vary by chance; new and gone pages with at least ${MIN_VISITORS} visitors.`

import { codeBlock, details, joinMarkdown, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { changeBetween } from './compare.ts'
import { formatChange, formatCount, pageName, trustedTable } from './format.ts'
import type { VisitorsOptions } from './options.ts'
import { formatPeriod, nameOfPeriods, shortNames } from './period.ts'
import type { PeriodTotals } from './read.ts'
import type { VisitorsReport } from './report.ts'

/** What a summary is made of beside the report. */
export type SummaryOptions = VisitorsOptions & {
  readonly projectId: string
  /** Whether the rows were exported. */
  readonly exported: boolean
}

/** Maximum number of characters of a path in the table of pages. */
const PATH_LENGTH = 80

/** The most visited pages. */
export function pagesSection({ top, pages, previous }: VisitorsReport, options: SummaryOptions): Markdown {
  if (pages.length === 0) return details('Top pages', md`No page had a visitor.`)
  const compared = previous !== undefined
  const rows = top.map(({ path, human, ai, total, change }, index) => [
    String(index + 1),
    pageName(path, { ...options, maxLength: PATH_LENGTH }),
    formatCount(human),
    formatCount(ai),
    `**${formatCount(total)}**`,
    ...(compared ? [formatChange(change)] : []),
  ])
  const head = ['', 'Page', 'People', 'AI', 'All', ...(compared ? ['Change'] : [])]
  const table = trustedTable(head, rows, `rlrrr${compared ? 'r' : ''}`)
  return details(`Top pages (${formatCount(top.length)} of ${formatCount(pages.length)})`, table)
}

/** The trend as a chart that GitHub draws, with the same figures under it; nothing for a single period. */
export function trendSection({ trend, period }: VisitorsReport): Markdown[] {
  if (trend.length < 2) return []
  const rows = trend.map(({ period: each, totals }, index) => [
    formatPeriod(each),
    formatCount(totals.human),
    formatCount(totals.ai),
    formatCount(totals.total),
    formatChange(changeBetween(trend[index - 1]?.totals.total, totals.total)),
  ])
  const body = joinMarkdown([
    codeBlock(chart(trend), 'mermaid'),
    md`Upper line: all visitors. Lower line: AI visitors.`,
    trustedTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr'),
  ])
  return [details(`Trend over ${trend.length} ${nameOfPeriods(period)}`, body)]
}

/** Names that fit under the chart side by side. */
const MAX_NAMES = 13

/** Both lines have a contrast of 3.7:1 or more to GitHub's light and dark pages, whose background is kept. */
const CHART_OPTIONS = {
  xyChart: { width: 900, height: 320 },
  themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette: '#2f81f7, #d1570a' } },
}

/**
 * Source of the chart: numbers, and names of our own making. It keeps to what Mermaid 10.9 draws already. Its axes know
 * no thousands separators, so that larger counts are in thousands or millions.
 */
function chart(trend: readonly PeriodTotals[]): string {
  const most = Math.max(...trend.map(({ totals }) => Math.max(totals.total, totals.ai)))
  const top = roundUp(most)
  const { unit, name } = unitFor(top)
  const values = (of: (each: PeriodTotals) => number): string =>
    trend.map((each) => String(of(each) / unit)).join(', ')
  return [
    `%%{init: ${JSON.stringify(CHART_OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis ${axisOf(trend)}`,
    `  y-axis "${name}" 0 --> ${top / unit}`,
    `  line [${values(({ totals }) => totals.total)}]`,
    `  line [${values(({ totals }) => totals.ai)}]`,
  ].join('\n')
}

function axisOf(trend: readonly PeriodTotals[]): string {
  const names = shortNames(trend.map(({ period }) => period))
  if (names.length <= MAX_NAMES) return `[${names.map((name) => `"${name}"`).join(', ')}]`
  return `"${formatSpan(trend)}" 1 --> ${names.length}`
}

/** From the first day of the first period to the last of the last. */
function formatSpan(trend: readonly PeriodTotals[]): string {
  const [first, last] = [trend[0]?.period, trend.at(-1)?.period]
  return first === undefined || last === undefined ? '' : formatPeriod({ from: first.from, to: last.to })
}

function unitFor(top: number): { readonly unit: number; readonly name: string } {
  if (top < 1000) return { unit: 1, name: 'Visitors' }
  return top < 1_000_000
    ? { unit: 1000, name: 'Thousand visitors' }
    : { unit: 1_000_000, name: 'Million visitors' }
}

/** The next number with some air above the bars that people like on an axis. */
function roundUp(most: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))) - 1)
  return Math.max(1, Math.ceil((most * 1.05) / unit) * unit)
}

/** What the figures mean, what they cost, and what is left out. */
export function figuresSection(report: VisitorsReport, options: SummaryOptions): Markdown {
  const { period, trend, comparable, verdict, requests, leftOut, moves } = report
  const before = trend.at(-2)?.period
  const names = nameOfPeriods(period)
  const facts = [
    `Period: ${formatPeriod(period)} in UTC${before === undefined ? '' : `; before it: ${formatPeriod(before)}`}.`,
    ...(verdict === undefined
      ? []
      : [`Usual: the range of the ${comparable.length} ${names} before, and 3% beyond.`]),
    ...(moves === undefined
      ? []
      : [
          'What moved: pages that changed by at least 10 visitors and 10%; new and gone ones with at least 10.',
        ]),
    'The service estimates how many distinct visitors came. Who came twice, or as a person and through AI, counts once: so pages do not add up to all visitors, nor do people and AI.',
    'AI visitors are AI tools and crawlers; the service tells them by user agent and address. Read mostly by AI: 60% or more of at least 10 visitors.',
    `Requests: ${formatCount(requests)} of ${formatCount(options.maxRequests)} allowed.`,
    ...(options.exported ? [`All rows: \`${options.exportTo?.name ?? ''}\`.`] : []),
  ]
  const list = (items: readonly string[]): Markdown =>
    joinMarkdown(
      items.map((item) => md`- ${sentencesWithCode(item)}`),
      '\n',
    )
  if (leftOut.length === 0) return details('How to read these figures', list(facts))
  return details(
    'What was left out, and how to read these figures',
    joinMarkdown([md`**Left out or not certain**`, list(leftOut), md`**These figures**`, list(facts)]),
  )
}

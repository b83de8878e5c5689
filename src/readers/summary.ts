import type { Inputs } from '../inputs/table.ts'
import {
  code,
  codeBlock,
  details,
  joinMarkdown,
  type Markdown,
  md,
  sentencesWithCode,
} from '../lib/markdown.ts'
import type { Counts } from '../service/analytics.ts'
import {
  countOf,
  formatChange,
  formatCount,
  formatPeriod,
  formatPoints,
  formatShare,
  periodName,
  shortNames,
} from './format.ts'
import { aiShare, changeBetween, compareWithUsual, MARGIN_PERCENT, PAGE_FACTS } from './page-changes.ts'
import { aiHeavySection, changesSection, rawTable, topPagesSection } from './page-lists.ts'
import { type Audience, type ReaderSignals, SIGNALS_FACTS, signalsSections } from './signals.ts'
import { type PeriodTotals, type VisitorsReport, visitorsHeadline } from './visitors.ts'

/** All that a report is made of; what was not asked for or not read is missing. */
export type ReportContent = {
  readonly inputs: Inputs
  readonly report?: VisitorsReport | undefined
  /** Why the visitors were not read, as sentences. */
  readonly failure?: string | undefined
  readonly signals?: ReaderSignals | undefined
  /** Name of the exported file, if there is one. */
  readonly exported?: string
  /** Sentences about what is missing. */
  readonly leftOut: readonly string[]
  readonly requests: number
}

/** The report for the job summary, its details folded. */
export function readersSummary(content: ReportContent): Markdown {
  const { report, signals, inputs } = content
  const site = inputs['site-url']
  return joinMarkdown([
    ...firstScreen(content, 'people'),
    ...(report ? [topPagesSection(report, site)] : []),
    ...(signals ? signalsSections(signals, 'people', site).folded : []),
    ...(report ? [...aiHeavySection(report, site), ...trendTable(report.drawn)] : []),
    ...(report || signals ? [factsSection(content)] : []),
  ])
}

/** The report for an issue, a discussion, a mail: without chart and what is folded, and fit for an agent to read. */
export function readersMarkdown(content: ReportContent): Markdown {
  return joinMarkdown(firstScreen(content, 'agent'))
}

function firstScreen(content: ReportContent, audience: Audience): Markdown[] {
  const { inputs, report, failure, signals, leftOut } = content
  const site = inputs['site-url']
  const project = md`project ${code(inputs['project-id'])}`
  const sections: Markdown[] = []
  if (failure) sections.push(md`## ❌ No visitors report`, sentencesWithCode(failure))
  if (failure && signals === undefined) sections.push(project)
  if (report !== undefined) {
    const icons = { usual: '📊', highest: '📈', lowest: '📉' }
    const lacking = `Not complete: ${countOf(report.pages.length, 'page')} could be read.`
    const warnings = [...report.warnings, ...(report.isComplete ? [] : [lacking])]
    if (audience === 'agent') warnings.push(...leftOut)
    else if (leftOut.length > 0) warnings.push('The last part says what is missing, and why.')
    sections.push(
      md`## ${icons[report.usual?.position ?? 'usual']} ${visitorsHeadline(report)}`,
      md`${formatPeriod(report.period)} · ${project}`,
      ...warnings.map((warning) => sentencesWithCode(`⚠️ ${warning}`)),
      ...firstReport(report),
      totalsTable(report),
      ...(audience === 'people' ? trendChart(report.drawn) : []),
      ...changesSection(report, site),
    )
  }
  if (signals !== undefined) {
    const [title, period] = ['What readers missed', formatPeriod(signals.period)]
    const head = report ? [md`**${title}**, ${period}`] : [md`## 🔎 ${title}`, md`${period} · ${project}`]
    sections.push(...head, ...signalsSections(signals, audience, site).shown)
  }
  return sections
}

/** Why there is no comparison, where no earlier period had visitors. */
function firstReport({ trend, comparable, period, totals }: VisitorsReport): Markdown[] {
  const before = trend.length - 1
  if (before === 0 || comparable.length > 0) return []
  const earlier = `${before === 1 ? '' : `${before} `}${periodName(period, before)} before`
  const first = `This is the first report: there were no visitors in the ${earlier}.`
  return [md`${totals.total > 0 ? first : `There were none in the ${earlier} either.`}`]
}

function totalsTable({ totals, comparable, usual }: VisitorsReport): Markdown {
  const before = comparable.at(-1)?.totals
  const row = (name: string, of: (totals: Counts) => number, isShare = false): string[] => {
    const now = of(totals)
    const format = isShare ? formatShare : formatCount
    const cells = [name, `**${format(now)}**`]
    // A share of no visitors is none.
    const periods = isShare ? comparable.filter((each) => each.totals.total > 0) : comparable
    const earlier = periods.map((each) => of(each.totals))
    if (usual) cells.push(usualCell(now, earlier, isShare))
    if (before === undefined) return cells
    const from = of(before)
    // Nothing has no change.
    const change = formatChange(from === 0 && now === 0 ? 'unknown' : changeBetween(from, now))
    return [...cells, format(from), isShare ? formatPoints(from, now) : change]
  }
  const head = ['', 'Now', ...(usual ? ['Usual'] : []), ...(before ? ['Before', 'Change'] : [])]
  const rows = [
    row('People', ({ human }) => human),
    row('AI', ({ ai }) => ai),
    row('**All**', ({ total }) => total),
    ...(totals.total > 0 && before?.total !== 0 ? [row('AI share', aiShare, true)] : []),
  ]
  return rawTable(head, rows, `l${'r'.repeat(head.length - 1)}`)
}

function usualCell(now: number, earlier: readonly number[], isShare: boolean): string {
  const range = compareWithUsual(now, earlier)
  if (range === undefined) return '–'
  const { low, high, position } = range
  const words = { usual: '', highest: '**above** ', lowest: '**below** ' }
  const ends = isShare
    ? [low, Math.min(1, high)].map(formatShare)
    : [Math.ceil(low), Math.floor(high)].map(formatCount)
  return words[position] + ends.join('\u00A0–\u00A0')
}

/** Periods whose names fit under the chart side by side. */
const MAX_CHARTED = 13

/** The lines of the chart. Each colour has a contrast of 3:1 or more to GitHub's light and dark pages. */
const LINES = [
  { title: 'All', name: 'all (blue)', color: '#2f81f7', of: ({ total }: Counts) => total },
  { title: 'People', name: 'people (grey)', color: '#7d8590', of: ({ human }: Counts) => human },
  { title: 'AI', name: 'AI (orange)', color: '#d1570a', of: ({ ai }: Counts) => ai },
]
const COLORS = LINES.map(({ color }) => color).join(', ')
const CHART_OPTIONS = {
  xyChart: { width: 720, height: 260, xAxis: { labelFontSize: 11, labelPadding: 9 } },
  themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette: COLORS } },
}

/**
 * The newest periods as a chart that GitHub draws, and what its lines are: new versions of Mermaid show a legend, older
 * ones do not. The source has numbers and names of our own making, and keeps to what Mermaid 10.9 draws already.
 */
function trendChart(trend: readonly PeriodTotals[]): Markdown[] {
  const charted = trend.slice(-MAX_CHARTED)
  const latest = charted.at(-1)?.totals
  if (latest === undefined) return []
  const most = Math.max(1, ...charted.flatMap(({ totals }) => LINES.map(({ of }) => of(totals))))
  const names = shortNames(charted.map(({ period }) => period)).map((name) => `"${name}"`)
  const source = [
    `%%{init: ${JSON.stringify(CHART_OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis [${names.join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${Math.ceil(most * 1.05)}`,
    ...LINES.map(
      ({ title, of }) => `  line "${title}" [${charted.map(({ totals }) => of(totals)).join(', ')}]`,
    ),
  ]
  const fromTop = LINES.toSorted((left, right) => right.of(latest) - left.of(latest))
  const lines = fromTop.map(({ name }) => name).join(', ')
  return [codeBlock(source.join('\n'), 'mermaid'), md`From the top, at the right: ${lines}.`]
}

/** All periods with the same figures, folded. */
function trendTable(trend: readonly PeriodTotals[]): Markdown[] {
  if (trend.length === 0) return []
  const rows = trend.map(({ period, totals: { human, ai, total } }, index) => {
    const change = changeBetween(trend[index - 1]?.totals.total || undefined, total)
    return [formatPeriod(period), ...[human, ai, total].map(formatCount), formatChange(change)]
  })
  const table = rawTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
  return [details(`Trend over ${trend.length} periods`, table)]
}

/** What was left out, what the figures mean, and what they cost. */
function factsSection({ inputs, report, signals, leftOut, requests, exported }: ReportContent): Markdown {
  const list = (items: readonly string[]): Markdown => {
    const lines = items.map((item) => md`- ${sentencesWithCode(item)}`)
    return joinMarkdown(lines, '\n')
  }
  const all = list([
    ...(report ? visitorsFacts(report) : []),
    ...(signals ? SIGNALS_FACTS : []),
    `Requests: ${formatCount(requests)} of ${formatCount(inputs['visitors-max-requests'])} allowed.`,
    ...(exported ? [`All rows: \`${exported}\`.`] : []),
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
    ...(pageChanges ? [PAGE_FACTS.moved] : []),
    'The service estimates distinct visitors: they are deduplicated, over pages and over people and AI, so neither pages nor people and AI add up to all visitors.',
    "AI visitors are recognised by their user agent alone: pages fetched to answer someone's question, and pages read as Markdown. Search indexes and training crawlers count as neither people nor AI.",
    PAGE_FACTS.ai,
  ]
}

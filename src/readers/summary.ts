import type { Inputs } from '../inputs/table.ts'
import type { Row } from '../lib/markdown.ts'
import {
  code,
  codeBlock,
  details,
  joinMarkdown,
  type Markdown,
  md,
  sentencesWithCode,
} from '../lib/markdown.ts'
import { countOf, formatCount } from '../lib/text.ts'
import type { Counts } from '../service/analytics.ts'
import { MAX_REQUESTS } from './analytics-reader.ts'
import {
  formatChange,
  formatPeriod,
  pageName,
  periodName,
  rawTable,
  shortNames,
  signed,
} from './format.ts'
import { type Audience, type ReaderSignals, SIGNALS_FACTS, signalsSections } from './signals.ts'
import {
  compareWithUsual,
  headingOf,
  MARGIN_PERCENT,
  MOVED_FACT,
  readsSentences,
  type VisitorsReport,
} from './visitors.ts'

/** Maximum number of characters of a path: on the first screen, in a folded table. */
const PATH_LENGTH = { first: 34, inTable: 80 }

/** All that a report is made of; what was not asked for or not read is missing. */
export type ReportContent = {
  readonly inputs: Inputs
  /** Why the step fails, as sentences; `undefined` if it does not. */
  readonly failure: string | undefined
  readonly report?: VisitorsReport | undefined
  readonly signals?: ReaderSignals | undefined
  /** What was done about the docs meanwhile. */
  readonly docsPulls?: Markdown | undefined
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
    report ? topPagesSection(report, site) : md``,
    signals ? signalsSections(signals, 'people', site).folded : md``,
    ...(report ? [trendTable(report), machineFilesSection(report)] : []),
    report || signals ? factsSection(content) : md``,
  ])
}

/** The report for an issue, a discussion, a mail: without chart and what is folded, and fit for an agent to read. */
export function readersMarkdown(content: ReportContent): Markdown {
  return joinMarkdown(firstScreen(content, 'agent'))
}

function firstScreen(content: ReportContent, audience: Audience): Markdown[] {
  const { inputs, failure, report, signals, docsPulls, leftOut } = content
  const site = inputs['site-url']
  const project = md`project ${code(inputs['project-id'])}`
  const sections: Markdown[] = []
  if (failure !== undefined)
    sections.push(md`## ❌ Readers report`, sentencesWithCode(failure), project)
  if (report !== undefined) {
    const icons = { usual: '📊', highest: '📈', lowest: '📉' }
    const lacking = `Not complete: ${countOf(report.pages.length, 'page')} could be read.`
    const warnings = [...report.warnings, ...(report.isComplete ? [] : [lacking])]
    if (audience === 'agent') warnings.push(...leftOut)
    else if (leftOut.length > 0) warnings.push('The last part says what is missing, and why.')
    sections.push(
      md`## ${icons[report.usual?.position ?? 'usual']} ${headingOf(report)}`,
      md`${formatPeriod(report.period)} · ${project}`,
      ...warnings.map((warning) => sentencesWithCode(`⚠️ ${warning}`)),
      firstReport(report),
      totalsTable(report),
      md`Visitors are deduplicated: people and AI do not add up to all.`,
      ...readsSentences(report).map((sentence) => md`${sentence}.`),
      audience === 'people' ? trendChart(report) : md``,
      changesSection(report, site),
      docsPulls ?? md``,
    )
  }
  if (signals !== undefined) {
    const [title, period] = ['What readers missed', formatPeriod(signals.period)]
    const head = report
      ? [md`**${title}**, ${period}`]
      : [md`## 🔎 ${title}`, md`${period} · ${project}`]
    sections.push(...head, ...signalsSections(signals, audience, site).shown)
  }
  return sections
}

/** Why there is no comparison, where no earlier period had visitors. */
function firstReport({ trend, compared, period }: VisitorsReport): Markdown {
  const before = trend.length - 1
  if (before === 0 || compared.length > 0) return md``
  const earlier = `${before} ${periodName(period, before)} before`
  return md`This is the first report: there were no visitors in the ${earlier}.`
}

function totalsTable({ totals, compared, usual }: VisitorsReport): Markdown {
  const before = compared.at(-2)?.totals
  const words = { usual: '', highest: '**above** ', lowest: '**below** ' }
  const row = (name: string, of: (totals: Counts) => number): string[] => {
    const now = of(totals)
    const range = compareWithUsual(compared.map((each) => of(each.totals)))
    const cells = [name, `**${formatCount(now)}**`]
    if (range) {
      const ends = [Math.ceil(range.low), Math.floor(range.high)].map(formatCount)
      cells.push(words[range.position] + ends.join('\u00A0–\u00A0'))
    }
    return before ? [...cells, formatCount(of(before)), formatChange(of(before), now)] : cells
  }
  const head = ['', 'Now', ...(usual ? ['Usual'] : []), ...(before ? ['Before', 'Change'] : [])]
  const rows = [
    row('People', ({ human }) => human),
    row('AI', ({ ai }) => ai),
    row('**All**', ({ total }) => total),
  ]
  return rawTable(head, rows, `l${'r'.repeat(head.length - 1)}`)
}

/** The pages that moved, as one table; nothing if that is not known. `site`, here and below: that pages are linked to. */
function changesSection({ pageChanges }: VisitorsReport, site: URL | undefined): Markdown {
  if (pageChanges === undefined) return md``
  const { up, down, count } = pageChanges
  if (count === 0) return md`**What moved:** Nothing moved beyond the usual.`
  const shown = [...up, ...down]
  const rows = shown.map(({ path, total, previous }): Row => {
    const name = pageName(path, site, PATH_LENGTH.first)
    const difference = signed(total - previous, formatCount)
    return [name, formatCount(total), difference, formatChange(previous, total)]
  })
  const more = count - shown.length
  if (more > 0) rows.push([`and ${formatCount(more)} more`, '', '', ''])
  return rawTable(['**What moved**', 'Now', '+/−', 'Change'], rows, 'lrrr')
}

function topPagesSection({ top, pages }: VisitorsReport, site: URL | undefined): Markdown {
  if (pages.length === 0) return md``
  const rows = top.map(({ path, human, ai, total, previous }, index) => {
    const name = pageName(path, site, PATH_LENGTH.inTable)
    const counts = [formatCount(human), formatCount(ai), `**${formatCount(total)}**`]
    return [String(index + 1), name, ...counts, formatChange(previous, total)]
  })
  const head = ['', 'Page', 'People', 'AI', 'All', 'Change']
  const title = `Top pages: ${formatCount(top.length)} of ${formatCount(pages.length)}`
  return details(title, rawTable(head, rows, 'rlrrrr'))
}

function machineFilesSection({ machineFiles }: VisitorsReport): Markdown {
  if (machineFiles.length === 0) return md``
  const named = machineFiles.map(({ path, total }) => {
    return md`${pageName(path, undefined, PATH_LENGTH.inTable)} ${formatCount(total)}`
  })
  return details('Visitors of files for machines', joinMarkdown(named, ' · '))
}

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
 * The periods as a chart that GitHub draws, and what its lines are: new versions of Mermaid show a legend, older
 * ones do not. The source has numbers and names of our own making, and keeps to what Mermaid 10.9 draws already.
 */
function trendChart({ compared, totals: latest }: VisitorsReport): Markdown {
  if (compared.length === 0) return md``
  const most = Math.max(1, ...compared.flatMap(({ totals }) => LINES.map(({ of }) => of(totals))))
  const names = shortNames(compared.map(({ period }) => period)).map((name) => `"${name}"`)
  const source = [
    `%%{init: ${JSON.stringify(CHART_OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis [${names.join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${Math.ceil(most * 1.05)}`,
    ...LINES.map(
      ({ title, of }) =>
        `  line "${title}" [${compared.map(({ totals }) => of(totals)).join(', ')}]`,
    ),
  ]
  const fromTop = LINES.toSorted((left, right) => right.of(latest) - left.of(latest))
  const lines = fromTop.map(({ name }) => name).join(', ')
  return md`${codeBlock(source.join('\n'), 'mermaid')}\n\nFrom the top, at the right: ${lines}.`
}

/** All periods with the same figures, folded. */
function trendTable({ compared }: VisitorsReport): Markdown {
  if (compared.length === 0) return md``
  const rows = compared.map(({ period, totals: { human, ai, total } }, index) => {
    const change = formatChange(compared[index - 1]?.totals.total, total)
    return [formatPeriod(period), ...[human, ai, total].map(formatCount), change]
  })
  const table = rawTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
  return details(`Trend over ${compared.length} periods`, table)
}

/** What was left out, what the figures mean, and what they cost. */
function factsSection(content: ReportContent): Markdown {
  const { inputs, failure, report, signals, leftOut, requests } = content
  const exported = failure === undefined && inputs['visitors-export']
  const list = (items: readonly string[]): Markdown =>
    joinMarkdown(
      items.map((item) => md`- ${sentencesWithCode(item)}`),
      '\n',
    )
  const all = list([
    ...(report ? visitorsFacts(report) : []),
    ...(signals ? SIGNALS_FACTS : []),
    `Requests: ${requests} of ${MAX_REQUESTS} allowed.`,
    ...(exported ? [`All rows: \`${exported}\`.`] : []),
  ])
  if (leftOut.length === 0) return details('How to read these figures', all)
  const both = joinMarkdown([md`**Left out**`, list(leftOut), md`**These figures**`, all])
  return details('What was left out, and how to read these figures', both)
}

function visitorsFacts({ period, trend, compared, usual, pageChanges }: VisitorsReport): string[] {
  const before = trend.at(-2)?.period
  const earlier = `${compared.length - 1} ${periodName(period, compared.length - 1)}`
  return [
    `Period: ${formatPeriod(period)} in UTC${before === undefined ? '' : `; before it: ${formatPeriod(before)}`}.`,
    ...(usual
      ? [`Usual: the range of the ${earlier} before, and ${MARGIN_PERCENT} % beyond.`]
      : []),
    ...(pageChanges ? [MOVED_FACT] : []),
    'The service estimates distinct visitors: they are deduplicated, over pages and over people and AI, so neither pages nor people and AI add up to all visitors.',
    "AI visitors are recognised by their user agent alone: pages fetched to answer someone's question, and pages read as Markdown. Search indexes and training crawlers count as neither people nor AI.",
    'Reads are events: each time that a page was read, by the same visitor or another.',
  ]
}

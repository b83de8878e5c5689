import { code, joinMarkdown, type Markdown, md } from '../lib/markdown.ts'
import type { Counts, PageVisitors } from '../service/visitors.ts'
import {
  aiShare,
  changeBetween,
  type Move,
  type Moves,
  positionIn,
  type Shortlist,
  usualRange,
} from './compare.ts'
import { figuresSection, pagesSection, type SummaryOptions, trendSection } from './details.ts'
import {
  countOf,
  formatChange,
  formatCount,
  formatDifference,
  formatPercent,
  formatPoints,
  formatRange,
  formatShare,
  pageName,
  sparkline,
  trusted,
  trustedTable,
} from './format.ts'
import { formatPeriod, nameOfPeriods } from './period.ts'
import type { VisitorsReport } from './report.ts'

/** Maximum number of bytes of the report: the summary of a job in the same step has the rest of GitHub's 1 MiB. */
const MAX_BYTES = 128 * 1024

/** Maximum number of characters of a path on the first screen, in a table with two of them side by side and in a line of five. */
const PATH_LENGTH = { inTable: 38, inLine: 30 }

/** Maximum number of periods of the trend in the table; all of them are in its own part below. */
const MAX_BARS = 16

/** Values of one row of the table over the periods: how they are read, shown and compared. */
type Measure = {
  readonly name: string
  readonly of: (totals: Counts) => number
  readonly format: (value: number) => string
  readonly change: (previous: number, now: number) => string
  readonly range: typeof formatRange
}

/** The report as Markdown. Where it would be too long, its tables get shorter, and it says so. */
export function visitorsSummary(report: VisitorsReport, options: SummaryOptions): Markdown {
  for (let maxRows = options.top; ; maxRows = Math.floor(maxRows / 2)) {
    const cut =
      maxRows < report.top.length
        ? [`The table of pages is cut to ${countOf(maxRows, 'row')}, so that the report fits a job summary.`]
        : []
    const shown = { ...report, top: report.top.slice(0, maxRows), leftOut: [...report.leftOut, ...cut] }
    const summary = joinMarkdown([
      ...firstScreen(shown, options),
      pagesSection(shown, options),
      ...trendSection(shown),
      figuresSection(shown, options),
    ])
    if (maxRows === 0 || Buffer.byteLength(summary.source) <= MAX_BYTES) return summary
  }
}

/** The one line that says how it went, as plain text: `About 12,480 visitors read the docs, as usual`. */
export function visitorsHeadline({ totals, verdict, soFar, period }: VisitorsReport): string {
  const who = totals.total === 0 ? 'No visitors' : `About ${countOf(totals.total, 'visitor')}`
  const read = `${who} read the docs`
  if (soFar) return `${read} so far`
  if (verdict === undefined) return read
  if (verdict.kind === 'usual') return `${read}, as usual`
  return `${read}, the ${verdict.kind} of ${verdict.periods} ${nameOfPeriods(period)}`
}

function firstScreen(report: VisitorsReport, options: SummaryOptions): Markdown[] {
  const { period, verdict, moves, mostlyAi, pages } = report
  const icons = { usual: '📊', highest: '📈', lowest: '📉' }
  return [
    md`## ${trusted(icons[verdict?.kind ?? 'usual'])} ${visitorsHeadline(report)}`,
    md`${trusted(formatPeriod(period))} · project ${code(options.projectId)}`,
    ...caveats(report, options),
    totalsTable(report),
    ...(moves === undefined ? [] : movesSection(moves, options)),
    ...(pages.length === 0 ? [] : [mostlyAiLine(mostlyAi, options)]),
  ]
}

function caveats(
  { soFar, complete, pages, moves, trend }: VisitorsReport,
  options: SummaryOptions,
): Markdown[] {
  if (!complete) {
    const read = countOf(pages.length, 'page')
    return [md`⚠️ **Not complete:** only ${read} could be read. The last part below says why.`]
  }
  if (soFar) return [md`⏳ The period is not over yet, so it is compared with nothing.`]
  if (options.trend === 1 || (moves !== undefined && trend.length === options.trend)) return []
  return [md`⚠️ **Not all could be compared.** The last part below says why.`]
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
    range: ({ low, high }) => `${formatPercent(low * 100)} – ${formatPercent(Math.min(1, high) * 100)}`,
  },
]

function totalsTable({ totals, previous, trend, comparable, verdict, period }: VisitorsReport): Markdown {
  const columns: { readonly head: string; readonly align: 'l' | 'r'; cell(measure: Measure): string }[] = [
    { head: '', align: 'l', cell: ({ name }) => name },
    {
      head: 'Now',
      align: 'r',
      cell: ({ of, format }) => `**${format(of(totals))}**`,
    },
  ]
  if (previous !== undefined) {
    columns.push(
      { head: 'Before', align: 'r', cell: ({ of, format }) => format(of(previous)) },
      { head: 'Change', align: 'r', cell: ({ of, change }) => change(of(previous), of(totals)) },
    )
  }
  if (verdict !== undefined) {
    columns.push({
      head: 'Usual',
      align: 'r',
      cell({ of, range }) {
        const usual = usualRange(comparable.map((each) => of(each.totals)))
        if (usual === undefined) return ''
        const where = positionIn(of(totals), usual)
        return where === 'usual' ? range(usual) : `**${where}** ${range(usual)}`
      },
    })
  }
  if (trend.length > 1) {
    const latest = trend.slice(-MAX_BARS)
    columns.push({
      head: `${latest.length} ${nameOfPeriods(period)}`,
      align: 'l',
      cell: ({ of }) => sparkline(latest.map((each) => of(each.totals))),
    })
  }
  return trustedTable(
    columns.map(({ head }) => head),
    MEASURES.map((measure) => columns.map(({ cell }) => cell(measure))),
    columns.map(({ align }) => align).join(''),
  )
}

function movesSection(moves: Moves, options: SummaryOptions): Markdown[] {
  const { up, down, added, gone } = moves
  if ([up, down, added, gone].every(({ items }) => items.length === 0)) {
    return [md`**What moved:** Nothing moved beyond the usual.`]
  }
  return [
    md`**What moved**`,
    ...(up.items.length + down.items.length === 0 ? [] : [upAndDownTable(up, down, options)]),
    ...namedPages(added, { title: 'New', figure: ({ total }) => formatCount(total), options }),
    ...namedPages(gone, { title: 'Gone', figure: ({ previous }) => formatCount(previous), options }),
  ]
}

function upAndDownTable(up: Shortlist<Move>, down: Shortlist<Move>, options: SummaryOptions): Markdown {
  const sides = [
    { name: 'Up', ...up },
    { name: 'Down', ...down },
  ].filter(({ items }) => items.length > 0)
  const longest = Math.max(...sides.map(({ items }) => items.length))
  const rows = Array.from({ length: longest }, (_, index) =>
    sides.flatMap(({ items }) => {
      const move = items[index]
      if (move === undefined) return ['', '']
      const { path, total, previous, change } = move
      const by = `${formatDifference(total - previous)} (${formatChange(change)})`
      return [pageName(path, { ...options, maxLength: PATH_LENGTH.inTable }), by]
    }),
  )
  const head = sides.flatMap(({ name, more }) => [name, more === 0 ? '' : `and ${formatCount(more)} more`])
  return trustedTable(head, rows, 'lr'.repeat(sides.length))
}

type NamedPagesOptions<T> = {
  readonly title: string
  readonly figure: (item: T) => string
  readonly options: SummaryOptions
}

function namedPages<T extends { readonly path: string }>(
  { items, more }: Shortlist<T>,
  { title, figure, options }: NamedPagesOptions<T>,
): Markdown[] {
  if (items.length === 0) return []
  const named = items.map(
    (item) =>
      md`${pageName(item.path, { ...options, maxLength: PATH_LENGTH.inLine })} ${trusted(figure(item))}`,
  )
  if (more > 0) named.push(md`and ${formatCount(more)} more`)
  return [md`**${title}:** ${joinMarkdown(named, ' · ')}`]
}

function mostlyAiLine(mostlyAi: Shortlist<PageVisitors>, options: SummaryOptions): Markdown {
  const title = 'Read mostly by AI'
  const figure = (page: PageVisitors): string => `${formatShare(aiShare(page))} of ${formatCount(page.total)}`
  const [line] = namedPages(mostlyAi, { title, figure, options })
  return line ?? md`**${title}:** no page.`
}

import { codeBlock, details, type Markdown, md } from '../lib/markdown.ts'
import type { Counts } from '../service/analytics.ts'
import { formatChange, formatCount, formatPeriod, shortNames } from './format.ts'
import { changeBetween } from './page-changes.ts'
import { rawTable } from './page-lists.ts'
import type { PeriodTotals } from './visitors.ts'

/** Periods whose names fit under the chart side by side. */
const MAX_CHARTED = 13

/** The lines of the chart. Each colour has a contrast of 3:1 or more to GitHub's light and dark pages. */
const LINES = [
  { title: 'All', name: 'all (blue)', color: '#2f81f7', of: ({ total }: Counts) => total },
  { title: 'People', name: 'people (grey)', color: '#7d8590', of: ({ human }: Counts) => human },
  { title: 'AI', name: 'AI (orange)', color: '#d1570a', of: ({ ai }: Counts) => ai },
]
const COLORS = {
  backgroundColor: 'transparent',
  plotColorPalette: LINES.map(({ color }) => color).join(', '),
}
const SIZES = { width: 720, height: 260, xAxis: { labelFontSize: 11, labelPadding: 9 } }
const OPTIONS = { xyChart: SIZES, themeVariables: { xyChart: COLORS } }

/**
 * The newest periods as a chart that GitHub draws, and what its lines are: new versions of Mermaid show a legend, older
 * ones do not. The source has numbers and names of our own making, and keeps to what Mermaid 10.9 draws already.
 */
export function trendChart(trend: readonly PeriodTotals[]): Markdown[] {
  const charted = trend.slice(-MAX_CHARTED)
  const latest = charted.at(-1)?.totals
  if (latest === undefined) return []
  const most = Math.max(1, ...charted.flatMap(({ totals }) => LINES.map(({ of }) => of(totals))))
  const names = shortNames(charted.map(({ period }) => period)).map((name) => `"${name}"`)
  const source = [
    `%%{init: ${JSON.stringify(OPTIONS)}}%%`,
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
export function trendTable(trend: readonly PeriodTotals[]): Markdown[] {
  if (trend.length === 0) return []
  const rows = trend.map(({ period, totals: { human, ai, total } }, index) => {
    const change = changeBetween(trend[index - 1]?.totals.total || undefined, total)
    return [formatPeriod(period), ...[human, ai, total].map(formatCount), formatChange(change)]
  })
  const table = rawTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
  return [details(`Trend over ${trend.length} periods`, table)]
}

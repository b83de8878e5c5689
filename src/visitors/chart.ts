import { codeBlock, details, joinMarkdown, type Markdown, md } from '../lib/markdown.ts'
import { changeBetween } from './compare.ts'
import type { PeriodTotals } from './findings.ts'
import { changeSign, count, figures, periodInWords, shortNames } from './words.ts'

/** More names than this do not fit under the chart side by side. */
const MOST_NAMES = 13

/**
 * The trend as a chart that GitHub draws, with its figures under it.
 *
 * @param trend the earliest first; at least two
 */
export function trendSection(trend: readonly PeriodTotals[]): Markdown {
  return joinMarkdown([
    md`### Trend`,
    codeBlock(chart(trend), 'mermaid'),
    md`Bars: all visitors. Line: AI visitors.`,
    details('The figures', figuresOf(trend)),
  ])
}

/**
 * Source of the chart: numbers, and names of our own making. It keeps to what Mermaid 10.9 draws already (which leaves
 * out bars on an axis that counts down), and leaves the background to the page, be it light or dark.
 */
function chart(trend: readonly PeriodTotals[]): string {
  const names = shortNames(trend.map(({ period }) => period))
  const most = Math.max(...trend.map(({ totals }) => Math.max(totals.total, totals.ai)))
  const xAxis =
    names.length <= MOST_NAMES
      ? `[${names.map((name) => `"${name}"`).join(', ')}]`
      : `"Periods, the latest last" 1 --> ${names.length}`
  return [
    `%%{init: ${JSON.stringify(LOOK)}}%%`,
    'xychart-beta',
    `  x-axis ${xAxis}`,
    `  y-axis "Visitors" 0 --> ${roundUp(most)}`,
    `  bar [${trend.map(({ totals }) => totals.total).join(', ')}]`,
    `  line [${trend.map(({ totals }) => totals.ai).join(', ')}]`,
  ].join('\n')
}

/** The next number with some air above the bars that people like on an axis. */
function roundUp(most: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))) - 1)
  return Math.max(1, Math.ceil((most * 1.05) / unit) * unit)
}

const LOOK = {
  xyChart: { width: 900, height: 320 },
  themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette: '#4493f8, #f0883e' } },
}

function figuresOf(trend: readonly PeriodTotals[]): Markdown {
  const rows = trend.map(({ period, totals }, index) => [
    periodInWords(period),
    count(totals.human),
    count(totals.ai),
    count(totals.total),
    changeSign(changeBetween(trend[index - 1]?.totals.total, totals.total)),
  ])
  return figures(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
}

import { codeBlock, type Markdown, md } from '../lib/markdown.ts'
import type { Counts } from '../service/analytics.ts'
import { listOf } from './format.ts'
import { shortNames } from './period.ts'
import type { PeriodTotals } from './read.ts'

/** A line of the chart. Each colour has a contrast of 3:1 or more to GitHub's light and dark pages. */
const LINES = [
  { title: 'All', name: 'all visitors (blue)', color: '#2f81f7', of: ({ total }: Counts) => total },
  { title: 'People', name: 'people (grey)', color: '#7d8590', of: ({ human }: Counts) => human },
  { title: 'AI', name: 'AI (orange)', color: '#d1570a', of: ({ ai }: Counts) => ai },
]

const OPTIONS = {
  xyChart: { width: 720, height: 260 },
  themeVariables: {
    xyChart: { backgroundColor: 'transparent', plotColorPalette: LINES.map(({ color }) => color).join(', ') },
  },
}

/** Characters that fit under the chart side by side. */
const MAX_NAMES_LENGTH = 72

/**
 * The periods as a chart that GitHub draws, and what its lines are: new versions of Mermaid show a legend, older ones
 * do not. The source has numbers and names of our own making, and keeps to what Mermaid 10.9 draws already.
 */
export function trendChart(trend: readonly PeriodTotals[]): Markdown[] {
  const most = Math.max(1, ...trend.flatMap(({ totals }) => LINES.map(({ of }) => of(totals))))
  const source = [
    `%%{init: ${JSON.stringify(OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis [${axisNames(trend).join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${Math.ceil(most * 1.05)}`,
    ...LINES.map(
      ({ title, of }) => `  line "${title}" [${trend.map(({ totals }) => of(totals)).join(', ')}]`,
    ),
  ]
  const latest = trend.at(-1)?.totals
  const fromTop = LINES.toSorted((left, right) => (latest ? right.of(latest) - left.of(latest) : 0))
  return [
    codeBlock(source.join('\n'), 'mermaid'),
    md`Lines, at their right end from top to bottom: ${listOf(fromTop.map(({ name }) => name))}.`,
  ]
}

/** Names of the periods: as many as fit, the last one among them. Mermaid needs the others to differ, so they are invisible. */
function axisNames(trend: readonly PeriodTotals[]): string[] {
  const names = shortNames(trend.map(({ period }) => period))
  const longest = Math.max(...names.map((name) => name.length))
  const step = Math.ceil((names.length * (longest + 3)) / MAX_NAMES_LENGTH)
  return names.map((name, index) => {
    const isShown = (names.length - 1 - index) % step === 0
    return `"${isShown ? name : '\u200C'.repeat(index + 1)}"`
  })
}

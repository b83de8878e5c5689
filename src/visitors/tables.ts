import { joinMarkdown, type Markdown, md } from '../lib/markdown.ts'
import { changeBetween, type Move } from './compare.ts'
import type { TopPage, VisitorsFindings } from './findings.ts'
import { changeSign, count, difference, figures, pageName, percent, periodInWords } from './words.ts'

/** The totals of the period, beside those of the one before where they are known. */
export function totalsTable({ period, totals, previous, trend }: VisitorsFindings): Markdown {
  const share = totals.ai / Math.max(1, totals.total)
  if (previous === undefined) {
    const rows = [
      ['**All visitors**', `**${count(totals.total)}**`],
      ['People', count(totals.human)],
      ['AI', count(totals.ai)],
      ['AI share', percent(share * 100)],
    ]
    return figures(['', periodInWords(period)], rows, 'lr')
  }
  const compared = (before: number, now: number): string[] => [
    count(now),
    count(before),
    changeSign(changeBetween(before, now)),
  ]
  const previousShare = previous.ai / Math.max(1, previous.total)
  const [total = '', ...others] = compared(previous.total, totals.total)
  const rows = [
    ['**All visitors**', `**${total}**`, ...others],
    ['People', ...compared(previous.human, totals.human)],
    ['AI', ...compared(previous.ai, totals.ai)],
    ['AI share', percent(share * 100), percent(previousShare * 100), points(share - previousShare)],
  ]
  const before = trend.at(-2)?.period ?? period
  return figures(['', periodInWords(period), periodInWords(before), 'Change'], rows, 'lrrr')
}

function points(difference: number): string {
  const rounded = Math.round(difference * 1000) / 10
  if (rounded === 0) return '0.0 points'
  return `${rounded > 0 ? '▲' : '▼'} ${Math.abs(rounded).toFixed(1)} points`
}

/** The most visited pages, `most` of them at most. */
export function topPages({ top, previous, rows }: VisitorsFindings, most: number): Markdown {
  if (top.length === 0)
    return rows === 0 ? md`No page was visited.` : md`The service's list was not steady enough.`
  const compared = previous !== undefined
  const head = ['', 'Page', 'People', 'AI', 'All', ...(compared ? ['Change'] : [])]
  const row = ({ path, human, ai, total, change }: TopPage, index: number): (string | Markdown)[] => [
    String(index + 1),
    pageName(path),
    count(human),
    count(ai),
    `**${count(total)}**`,
    ...(compared ? [changeSign(change)] : []),
  ]
  return figures(head, top.slice(0, most).map(row), `rlrrr${compared ? 'r' : ''}`)
}

/** Pages that changed most, under a title. */
export function movesTable(title: string, moves: readonly Move[]): Markdown {
  if (moves.length === 0) return md`### ${title}\n\nNone.`
  const rows = moves.map(({ path, total, previous, change }) => [
    pageName(path),
    count(previous),
    count(total),
    `**${difference(total - previous)}**`,
    changeSign(change),
  ])
  return joinMarkdown([
    md`### ${title}`,
    figures(['Page', 'Before', 'Now', 'Visitors', 'Change'], rows, 'lrrrr'),
  ])
}

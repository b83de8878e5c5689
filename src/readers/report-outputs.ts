import { extname } from 'node:path'
import type { OutputValues } from '../runner/outputs.ts'
import type { PageVisitors } from '../service/analytics.ts'
import { isoDay, type Period } from './format.ts'
import { MAX_NAMED } from './page-changes.ts'
import type { ReaderSignals } from './signals.ts'
import type { VisitorsReport } from './visitors.ts'

export function visitorsOutputs(report: VisitorsReport, requests: number): OutputValues {
  const { period, totals, previous, change, trend, top, pageChanges, isComplete } = report
  const { from, to } = datesOf(period)
  const all = {
    from,
    to,
    totals,
    previous: previous ?? null,
    change,
    trend: trend.map((each) => ({ ...datesOf(each.period), totals: each.totals })),
    top,
    risers: pageChanges?.up.slice(0, MAX_NAMED) ?? [],
    fallers: pageChanges?.down.slice(0, MAX_NAMED) ?? [],
    complete: isComplete,
    requests,
  }
  const numberOrNull = (key: string, value: unknown): unknown =>
    key === 'change' && typeof value === 'string' ? null : value
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    // `+12.5`, `-3.0`, `0.0`; empty for a change that is no number.
    'visitors-change': typeof change === 'string' ? '' : `${change > 0 ? '+' : ''}${change.toFixed(1)}`,
    'visitors-from': from,
    'visitors-to': to,
    'visitors-complete': String(isComplete),
    visitors: JSON.stringify(all, numberOrNull),
  }
}

function datesOf({ fromMs, toMs }: Period) {
  return { from: isoDay(fromMs), to: isoDay(toMs) }
}

/** What readers missed, an entry for each kind, by count; empty where nothing of it could be read. */
export function signalsOutputs({ items, isRead }: ReaderSignals): OutputValues {
  if (!isRead) return { 'reader-signals': '', 'reader-signals-count': '' }
  const rounded = (rate: number): number => Math.round(rate * 1000) / 1000
  const entries = items
    .flatMap(({ signals }) => signals)
    .sort((left, right) => right.count - left.count)
    .map(({ kind, name, count, of, rate, siteRate }) => ({
      kind,
      // JSON has no key whose value is undefined.
      [name.of]: name.forPeople,
      count,
      of,
      rate: rounded(rate),
      siteRate: rounded(siteRate),
    }))
  return { 'reader-signals': JSON.stringify(entries), 'reader-signals-count': String(entries.length) }
}

/** All rows as text, in the format that a file's ending asks for. */
export function exportText(rows: readonly PageVisitors[], path: string): string {
  const ending = extname(path).toLowerCase()
  const json = rows.map(({ path, human, ai, total }) => JSON.stringify({ path, human, ai, total }))
  if (ending === '.json') return `[\n${json.join(',\n')}\n]\n`
  if (ending === '.ndjson') return json.map((row) => `${row}\n`).join('')
  const lines = rows.map(({ path, human, ai, total }) => `${csvField(path)},${human},${ai},${total}\r\n`)
  return ['path,human,ai,total\r\n', ...lines].join('')
}

/** RFC 4180. What a spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection"). */
function csvField(text: string): string {
  const harmless = /^[\s=+\-@＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

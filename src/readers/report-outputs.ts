import { extname } from 'node:path'
import { byteLength } from '../lib/text.ts'
import { OUTPUT_LIMIT_BYTES, type OutputValues } from '../runner/outputs.ts'
import type { PageVisitors } from '../service/analytics.ts'
import { DAY_MS, isoDay, isoText, type Period } from './format.ts'
import type { Missed } from './missed.ts'
import { MAX_NAMED } from './page-changes.ts'
import type { VisitorsReport } from './visitors.ts'

export function visitorsOutputs(report: VisitorsReport, requests: number): OutputValues {
  const { totals, change, period, isComplete } = report
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    // `+12.5`, `-3.0`, `0.0`; empty for a change that is no number.
    'visitors-change': typeof change === 'string' ? '' : `${change > 0 ? '+' : ''}${change.toFixed(1)}`,
    // The days that the period touches.
    'visitors-from': isoDay(period.from.ms),
    'visitors-to': isoDay(Math.ceil(period.to.ms / DAY_MS) * DAY_MS),
    'visitors-complete': String(isComplete),
    visitors: visitorsJson(report, requests),
  }
}

/** The report as JSON, with as many rows in its lists as an output can hold. */
function visitorsJson(report: VisitorsReport, requests: number): string {
  const { period, totals, previous, change, trend, top, pageChanges, isComplete } = report
  const dates = ({ from, to }: Period) => ({ from: isoText(from.ms), to: isoText(to.ms) })
  for (let maxRows = 100; ; maxRows = Math.floor(maxRows / 2)) {
    const value = {
      ...dates(period),
      totals,
      previous: previous ?? null,
      change,
      trend: trend.map((each) => ({ ...dates(each.period), totals: each.totals })),
      top: top.slice(0, maxRows),
      risers: pageChanges?.up.slice(0, Math.min(MAX_NAMED, maxRows)) ?? [],
      fallers: pageChanges?.down.slice(0, Math.min(MAX_NAMED, maxRows)) ?? [],
      complete: isComplete,
      requests,
    }
    const json = JSON.stringify(value, (key, each) =>
      key === 'change' && typeof each === 'string' ? null : each,
    )
    if (maxRows === 0 || byteLength(json) <= OUTPUT_LIMIT_BYTES) return json
  }
}

/** What readers missed, an entry for each kind; empty where nothing of it could be read. */
export function missedOutputs({ items, isRead }: Missed): OutputValues {
  if (!isRead) return { 'reader-signals': '', 'reader-signals-count': '' }
  const rounded = (rate: number): number => Math.round(rate * 1000) / 1000
  const entries = items.flat().map(({ kind, on, name, count, of, rate, siteRate }) => ({
    kind,
    [on]: name?.text ?? null,
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

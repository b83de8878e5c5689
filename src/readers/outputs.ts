import { byteLength } from '../lib/text.ts'
import { OUTPUT_LIMIT_BYTES, type OutputValues } from '../runner/outputs.ts'
import { type Change, MAX_NAMED, type PageChange } from './changes.ts'
import type { Missed } from './missed.ts'
import { daysOf, isoText, type Period } from './period.ts'
import type { VisitorsReport } from './report.ts'
import type { Signal } from './signals.ts'

/** @param exported path of the exported file as the workflow named it; empty if there is none */
export function visitorsOutputs(
  report: VisitorsReport,
  { exported, requests }: { readonly exported: string; readonly requests: number },
): OutputValues {
  const { totals, change, period, isComplete } = report
  const { from, to } = daysOf(period)
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    'visitors-change': signedPercent(change),
    'visitors-from': from,
    'visitors-to': to,
    'visitors-complete': String(isComplete),
    'visitors-export': exported,
    visitors: visitorsJson(report, requests),
  }
}

/** `+12.5`, `-3.0`, `0.0`; empty for a change that is no number. */
function signedPercent(change: Change): string {
  if (typeof change === 'string') return ''
  return `${change > 0 ? '+' : ''}${change.toFixed(1)}`
}

/** The report as JSON, with as many rows in its lists as an output can hold. */
function visitorsJson(report: VisitorsReport, requests: number): string {
  for (let maxRows = 100; ; maxRows = Math.floor(maxRows / 2)) {
    const json = JSON.stringify(reportValue(report, { maxRows, requests }))
    if (maxRows === 0 || byteLength(json) <= OUTPUT_LIMIT_BYTES) return json
  }
}

function reportValue(
  { period, totals, previous, change, trend, top, pageChanges, isComplete }: VisitorsReport,
  { maxRows, requests }: { readonly maxRows: number; readonly requests: number },
): unknown {
  const changes = (list: readonly PageChange[] = []): unknown =>
    list.slice(0, Math.min(maxRows, MAX_NAMED)).map((page) => ({ ...page, change: changeValue(page.change) }))
  return {
    ...datesValue(period),
    totals,
    previous: previous ?? null,
    change: changeValue(change),
    trend: trend.map((each) => ({ ...datesValue(each.period), totals: each.totals })),
    top: top.slice(0, maxRows).map((page) => ({ ...page, change: changeValue(page.change) })),
    risers: changes(pageChanges?.up),
    fallers: changes(pageChanges?.down),
    complete: isComplete,
    requests,
  }
}

function datesValue({ from, to }: Period): { readonly from: string; readonly to: string } {
  return { from: isoText(from.ms), to: isoText(to.ms) }
}

function changeValue(change: Change): number | null {
  return typeof change === 'string' ? null : change
}

/** What readers missed, an entry for each kind; empty where nothing of it could be read. */
export function missedOutputs({ items, readKinds }: Missed): OutputValues {
  const entries = items.flat().map(signalValue)
  const isRead = readKinds > 0
  return {
    'reader-signals': isRead ? JSON.stringify(entries) : '',
    'reader-signals-count': isRead ? String(entries.length) : '',
  }
}

function signalValue({ kind, on, name, count, of, rate, siteRate }: Signal): unknown {
  return { kind, [on]: name?.text ?? null, count, of, rate: rounded(rate), siteRate: rounded(siteRate) }
}

function rounded(rate: number): number {
  return Math.round(rate * 1000) / 1000
}

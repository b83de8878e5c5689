import { byteLength } from '../lib/text.ts'
import { OUTPUT_LIMIT_BYTES, type OutputValues } from '../runner/outputs.ts'
import { type Change, MAX_NAMED } from './changes.ts'
import type { Missed } from './missed.ts'
import { daysOf, isoText, type Period } from './period.ts'
import type { VisitorsReport } from './report.ts'

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
    // `+12.5`, `-3.0`, `0.0`; empty for a change that is no number.
    'visitors-change': typeof change === 'string' ? '' : `${change > 0 ? '+' : ''}${change.toFixed(1)}`,
    'visitors-from': from,
    'visitors-to': to,
    'visitors-complete': String(isComplete),
    'visitors-export': exported,
    visitors: visitorsJson(report, requests),
  }
}

/** The report as JSON, with as many rows in its lists as an output can hold. */
function visitorsJson(report: VisitorsReport, requests: number): string {
  for (let maxRows = 100; ; maxRows = Math.floor(maxRows / 2)) {
    const json = JSON.stringify({ ...reportValue(report, maxRows), requests })
    if (maxRows === 0 || byteLength(json) <= OUTPUT_LIMIT_BYTES) return json
  }
}

function reportValue(
  { period, totals, previous, change, trend, top, pageChanges, isComplete }: VisitorsReport,
  maxRows: number,
): object {
  const rows = (list: readonly { readonly change: Change }[], max: number): unknown =>
    list.slice(0, Math.min(maxRows, max)).map((page) => ({ ...page, change: changeValue(page.change) }))
  return {
    ...datesValue(period),
    totals,
    previous: previous ?? null,
    change: changeValue(change),
    trend: trend.map((each) => ({ ...datesValue(each.period), totals: each.totals })),
    top: rows(top, maxRows),
    risers: rows(pageChanges?.up ?? [], MAX_NAMED),
    fallers: rows(pageChanges?.down ?? [], MAX_NAMED),
    complete: isComplete,
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
  if (readKinds === 0) return { 'reader-signals': '', 'reader-signals-count': '' }
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

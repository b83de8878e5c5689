import { OUTPUT_LIMIT_BYTES, type OutputValues } from '../runner/outputs.ts'
import type { Counts } from '../service/visitors.ts'
import type { Change, Move } from './compare.ts'
import { daysOf, isoText } from './period.ts'
import type { PeriodTotals } from './read.ts'
import type { TopPage, VisitorsReport } from './report.ts'

/**
 * The outputs of a visitors report.
 *
 * @param exported path of the exported file as the workflow named it; empty if there is none
 */
export function visitorsOutputs(report: VisitorsReport, exported: string): OutputValues {
  const { totals, change, period, complete } = report
  const { from, to } = daysOf(period)
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    'visitors-change': signedPercent(change),
    'visitors-from': from,
    'visitors-to': to,
    'visitors-complete': String(complete),
    'visitors-export': exported,
    visitors: visitorsJson(report),
  }
}

/** `+12.5`, `-3.0`, `0.0`; empty for a change that is no number. */
function signedPercent(change: Change): string {
  if (typeof change === 'string') return ''
  return `${change > 0 ? '+' : ''}${change.toFixed(1)}`
}

/** The report as JSON, with as many rows in its lists as an output can hold. */
function visitorsJson(report: VisitorsReport): string {
  for (let maxRows = 100; ; maxRows = Math.floor(maxRows / 2)) {
    const json = JSON.stringify(reportValue(report, maxRows))
    if (maxRows === 0 || Buffer.byteLength(json) <= OUTPUT_LIMIT_BYTES) return json
  }
}

function reportValue(report: VisitorsReport, maxRows: number): unknown {
  const { period, totals, previous, change, trend, top, moves, complete, requests } = report
  return {
    from: isoText(period.from.ms),
    to: isoText(period.to.ms),
    totals: countsValue(totals),
    previous: previous === undefined ? null : countsValue(previous),
    change: changeValue(change),
    trend: trend.map(periodValue),
    top: top.slice(0, maxRows).map(pageValue),
    risers: (moves?.up.items ?? []).slice(0, maxRows).map(moveValue),
    fallers: (moves?.down.items ?? []).slice(0, maxRows).map(moveValue),
    complete,
    requests,
  }
}

function countsValue({ human, ai, total }: Counts): unknown {
  return { human, ai, total }
}

function periodValue({ period, totals }: PeriodTotals): unknown {
  return { from: isoText(period.from.ms), to: isoText(period.to.ms), totals: countsValue(totals) }
}

function pageValue({ path, human, ai, total, change }: TopPage): unknown {
  return { path, human, ai, total, change: changeValue(change) }
}

function moveValue({ path, total, previous, change }: Move): unknown {
  return { path, total, previous, change: changeValue(change) }
}

function changeValue(change: Change): number | null {
  return typeof change === 'string' ? null : change
}

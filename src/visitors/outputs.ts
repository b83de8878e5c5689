import { OUTPUT_LIMIT_BYTES, type OutputValues } from '../runner/outputs.ts'
import type { Counts } from '../service/visitors.ts'
import type { Change, Move } from './compare.ts'
import type { PeriodTotals, TopPage, VisitorsFindings } from './findings.ts'
import { daysOf, isoText } from './period.ts'

/**
 * The outputs of a visitors report.
 *
 * @param exported path of the exported file as the workflow named it; empty if there is none
 */
export function visitorsOutputs(findings: VisitorsFindings, exported: string): OutputValues {
  const { totals, change, period, complete } = findings
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
    visitors: visitorsJson(findings),
  }
}

/** `+12.5`, `-3.0`, `0.0`; empty for a change that is no number. */
function signedPercent(change: Change): string {
  if (typeof change === 'string') return ''
  return `${change > 0 ? '+' : ''}${change.toFixed(1)}`
}

/** The report as JSON, with as many rows in its lists as an output can hold. */
function visitorsJson(findings: VisitorsFindings): string {
  for (let most = 100; ; most = Math.floor(most / 2)) {
    const json = JSON.stringify(describe(findings, most))
    if (most === 0 || Buffer.byteLength(json) <= OUTPUT_LIMIT_BYTES) return json
  }
}

function describe(findings: VisitorsFindings, most: number): unknown {
  const { period, totals, previous, change, trend, top, moves, complete, requests } = findings
  return {
    from: isoText(period.from.ms),
    to: isoText(period.to.ms),
    totals: describeCounts(totals),
    previous: previous === undefined ? null : describeCounts(previous),
    change: describeChange(change),
    trend: trend.map(describePeriod),
    top: top.slice(0, most).map(describePage),
    risers: (moves?.risers ?? []).slice(0, most).map(describeMove),
    fallers: (moves?.fallers ?? []).slice(0, most).map(describeMove),
    complete,
    requests,
  }
}

function describeCounts({ human, ai, total }: Counts): unknown {
  return { human, ai, total }
}

function describePeriod({ period, totals }: PeriodTotals): unknown {
  return { from: isoText(period.from.ms), to: isoText(period.to.ms), totals: describeCounts(totals) }
}

function describePage({ path, human, ai, total, change }: TopPage): unknown {
  return { path, human, ai, total, change: describeChange(change) }
}

function describeMove({ path, total, previous, change }: Move): unknown {
  return { path, total, previous, change: describeChange(change) }
}

function describeChange(change: Change): number | null {
  return typeof change === 'string' ? null : change
}

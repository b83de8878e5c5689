import { type Flaw, TIME_LIMIT_MS } from './asking.ts'
import type { Gap, VisitorsFindings } from './findings.ts'
import { countOf } from './words.ts'

/** What the words about a report need to know of what was asked. */
export type VisitorsLimits = {
  /** Periods of the trend that were wanted, the current one included. */
  readonly trend: number
  readonly maxRequests: number
}

const REPEATS = 'Pages came more than once, so the list moved while it was read: the later row of each counts'
const NO_MOVES = ', and risers and fallers are not known'

/** Says what a report leaves out or can't be sure of, and why: plain text, with inputs in backticks. */
export function gapsInWords(findings: VisitorsFindings, limits: VisitorsLimits): string[] {
  const byPart = Map.groupBy(findings.gaps, ({ part }) => part)
  return [...byPart].map(([part, gaps]) => {
    if (part === 'current' && gaps.every(({ flaw }) => flaw === 'repeated')) {
      return limits.trend > 1 ? `${REPEATS}${NO_MOVES}` : REPEATS
    }
    const causes = gaps.map((gap) => cause(gap, limits))
    return `${consequence(part, findings, limits)}: ${causes.join('; ')}`
  })
}

function consequence(part: Gap['part'], findings: VisitorsFindings, { trend }: VisitorsLimits): string {
  if (part === 'current') {
    const moves = trend > 1 ? NO_MOVES : ''
    return `The list of pages may not be whole: the top pages are those of the ${countOf(findings.rows, 'row')} that came${moves}`
  }
  if (part === 'previous') {
    return 'The pages of the period before are not all known, so risers and fallers are left out and changes may be missing'
  }
  return findings.trend.length === 1
    ? 'The periods before are left out'
    : `The trend has ${findings.trend.length} of ${trend} periods`
}

function cause({ flaw, end }: Gap, { maxRequests }: VisitorsLimits): string {
  const causes: Readonly<Record<Flaw, string>> = {
    requests: `\`visitors-max-requests\` allows no more than ${countOf(maxRequests, 'request')}`,
    time: `the ${TIME_LIMIT_MS / 60_000} minutes that the report may take were used up`,
    failed: end?.message ?? 'a request failed',
    repeated: 'pages came more than once, so the list moved while it was read',
    'no-more-rows': 'the service announced more rows, and then sent none that were new',
  }
  return causes[flaw]
}

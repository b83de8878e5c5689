import { formatDuration } from '../lib/duration.ts'
import { failureSentences } from '../service/service-error.ts'
import type { VisitorsEvent } from './progress.ts'
import { countOf } from './words.ts'

/** A line is written for every so many requests that are answered. */
const REQUESTS_PER_LINE = 50

/** Says what happens while visitors are read, for the log: plain text; `undefined` for what is not worth a line. */
export function visitorsProgressLine(event: VisitorsEvent): string | undefined {
  if (event.type === 'ask-again') {
    return `${failureSentences(event.error)} Asking for the visitors again in ${formatDuration(event.retryInMs)}.`
  }
  if (event.requests % REQUESTS_PER_LINE !== 0) return undefined
  return `Visitors: ${countOf(event.requests, 'request')} so far.`
}

import type { RecordedRequest } from '../http/recorded-request.ts'
import { errorReply, jsonReply, type Reply } from '../http/reply.ts'
import type { Settings } from '../options.ts'
import { readVisitorsQuery } from '../visitors/query.ts'
import type { VisitorsReport } from '../visitors/visitors-report.ts'
import { HourlyLimit, limitReply } from './hourly-limit.ts'

/** Answers the visitors call, after key and project have been checked. */
export type VisitorsCall = (call: { projectId: string }, request: RecordedRequest) => Reply

/** The visitors call. All projects belong to one organisation and share its limit; wrong queries do not count. */
export function visitorsCall({ limits, visitors, now }: Settings, report: VisitorsReport): VisitorsCall {
  const limit = new HourlyLimit(limits.analyticsPerHour)
  return ({ projectId }, request) => {
    const reading = readVisitorsQuery(request.query, now())
    if (!reading.ok) return errorReply(400, 'Invalid query parameters', reading.problems)
    const waitMs = limit.take(now())
    if (waitMs > 0) {
      return limitReply(`${limits.analyticsPerHour} analytics requests per hour`, waitMs, limits.retryAfter)
    }
    const override = visitors({ ...reading.query, projectId })
    return override ? jsonReply(override.status, override.body) : jsonReply(200, report.answer(reading.query))
  }
}

import { formatDuration } from '../machinery/duration.ts'
import { TransportError } from '../machinery/transport-error.ts'
import type { JobEvent } from '../work/job/progress.ts'

/** A line for the log: plain text, to be made fit for it. */
export type ProgressLine = { readonly level: 'info' | 'warning'; readonly text: string }

/** Says what happens to a job while it happens. */
export function progressLine(event: JobEvent): ProgressLine {
  switch (event.type) {
    case 'accepted':
      return info(`Job ${event.job.id} was accepted by the docs service.`)
    case 'status':
      return info(`Status: ${event.status}, after ${formatDuration(event.elapsedMs)}.`)
    case 'still-waiting':
      return info(
        `Still waiting after ${formatDuration(event.elapsedMs)}; status: ${event.status ?? 'not known yet'}.`,
      )
    case 'unknown-status':
      return warning(
        `The service shows a status that this version does not know: "${event.status}". Waiting goes on.`,
      )
    case 'odd-field':
      return warning(`The job's field ${event.field} has an unexpected type; it counts as absent.`)
    case 'look-failed':
      return info(`${sentence(event.error)} Looking again in ${formatDuration(event.retryInMs)}.`)
    case 'send-again':
      return info(
        `${sentence(event.error)} Nothing was started; trying again in ${formatDuration(event.retryInMs)}.`,
      )
  }
}

function sentence(error: Error): string {
  return error instanceof TransportError
    ? `No answer from the docs service: ${error.message}.`
    : error.message
}

function info(text: string): ProgressLine {
  return { level: 'info', text }
}

function warning(text: string): ProgressLine {
  return { level: 'warning', text }
}

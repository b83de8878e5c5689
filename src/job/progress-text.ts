import { formatDuration } from '../lib/duration.ts'
import { failureSentence, serviceWord } from '../service/words.ts'
import type { JobEvent } from './progress.ts'
import type { DirectRequest } from './request.ts'

/** A line for the log: plain text, to be made fit for it. */
export type ProgressLine = { readonly level: 'info' | 'warning'; readonly text: string }

/** Says what happens to a job while it happens. */
export function progressLine(event: JobEvent): ProgressLine {
  switch (event.type) {
    case 'accepted':
      return info(
        event.created
          ? `Job ${serviceWord(event.job.id)} was accepted by the docs service.`
          : `The message to job ${serviceWord(event.job.id)} was accepted by the docs service.`,
      )
    case 'earlier-job':
      return info(
        event.status === undefined
          ? `The earlier job ${event.id} is not known to the service any more.`
          : `The earlier job ${event.id} has the status ${serviceWord(event.status)}.`,
      )
    case 'resolved':
      return info(settledText(event.request))
    case 'status':
      return info(`Status: ${serviceWord(event.status)}, after ${formatDuration(event.elapsedMs)}.`)
    case 'still-waiting':
      return info(
        `Still waiting after ${formatDuration(event.elapsedMs)}; status: ${serviceWord(event.status ?? 'not known yet')}.`,
      )
    case 'unknown-status':
      return warning(
        `The service shows a status that this version does not know: "${serviceWord(event.status)}". Waiting goes on.`,
      )
    case 'invalid-field':
      return warning(`The job's field ${event.field} has an unexpected type; it counts as absent.`)
    case 'poll-failed':
      return info(`${failureSentence(event.error)} Looking again in ${formatDuration(event.retryInMs)}.`)
    case 'retry':
      return info(
        `${failureSentence(event.error)} Nothing was started; trying again in ${formatDuration(event.retryInMs)}.`,
      )
  }
}

function settledText(ask: DirectRequest): string {
  if (ask.kind === 'create') return 'It can not go on, so a new job is started.'
  return ask.kind === 'message' ? 'It gets the command as a message.' : 'This run goes on with it.'
}

function info(text: string): ProgressLine {
  return { level: 'info', text }
}

function warning(text: string): ProgressLine {
  return { level: 'warning', text }
}

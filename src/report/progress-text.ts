import { formatDuration } from '../machinery/duration.ts'
import { clip } from '../machinery/markdown.ts'
import type { DirectAsk } from '../work/job/ask.ts'
import type { JobEvent } from '../work/job/progress.ts'
import { failureSentence } from './failure-sentence.ts'

/** A line for the log: plain text, to be made fit for it. */
export type ProgressLine = { readonly level: 'info' | 'warning'; readonly text: string }

/** Most characters of a word of the service that a line shows. */
const WORD_LENGTH = 1000

/** Says what happens to a job while it happens. */
export function progressLine(event: JobEvent): ProgressLine {
  switch (event.type) {
    case 'accepted':
      return info(
        event.created
          ? `Job ${word(event.job.id)} was accepted by the docs service.`
          : `The message to job ${word(event.job.id)} was accepted by the docs service.`,
      )
    case 'earlier-job':
      return info(
        event.status === undefined
          ? `The earlier job ${event.id} is not known to the service any more.`
          : `The earlier job ${event.id} has the status ${word(event.status)}.`,
      )
    case 'settled':
      return info(settledText(event.ask))
    case 'status':
      return info(`Status: ${word(event.status)}, after ${formatDuration(event.elapsedMs)}.`)
    case 'still-waiting':
      return info(
        `Still waiting after ${formatDuration(event.elapsedMs)}; status: ${word(event.status ?? 'not known yet')}.`,
      )
    case 'unknown-status':
      return warning(
        `The service shows a status that this version does not know: "${word(event.status)}". Waiting goes on.`,
      )
    case 'odd-field':
      return warning(`The job's field ${event.field} has an unexpected type; it counts as absent.`)
    case 'look-failed':
      return info(`${failureSentence(event.error)} Looking again in ${formatDuration(event.retryInMs)}.`)
    case 'send-again':
      return info(
        `${failureSentence(event.error)} Nothing was started; trying again in ${formatDuration(event.retryInMs)}.`,
      )
  }
}

function settledText(ask: DirectAsk): string {
  if (ask.kind === 'create') return 'It can not go on, so a new job is started.'
  return ask.kind === 'message' ? 'It gets the command as a message.' : 'This run goes on with it.'
}

function word(text: string): string {
  return clip(text, WORD_LENGTH)
}

function info(text: string): ProgressLine {
  return { level: 'info', text }
}

function warning(text: string): ProgressLine {
  return { level: 'warning', text }
}

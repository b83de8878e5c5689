import { type Clock, startHeartbeat } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import { isKnownStatus, type Job } from '../service/job.ts'
import { failureSentences, serviceWord } from '../service/service-error.ts'
import type { DirectRequest } from './request.ts'

/** What happens to a job, reported while it happens. Times are milliseconds. */
export type JobEvent =
  /** The service has answered with the job: its id must not be lost from here on. */
  | { readonly type: 'accepted'; readonly job: Job; readonly created: boolean }
  /** It is decided whether an earlier job goes on; `reason`: why it does or does not, to follow "because". */
  | {
      readonly type: 'resolved'
      readonly request: DirectRequest
      readonly earlierId: string
      /** URL of the pull request of the job that goes on; `null` if it has none, or a new one is created. */
      readonly prLink: string | null
      readonly reason: string
    }
  | { readonly type: 'status'; readonly id: string; readonly status: string; readonly elapsedMs: number }
  | {
      readonly type: 'still-waiting'
      readonly id: string
      /** `undefined`: not known yet. */
      readonly status: string | undefined
      readonly elapsedMs: number
    }
  | { readonly type: 'unknown-status'; readonly id: string; readonly status: string }
  | { readonly type: 'invalid-field'; readonly id: string; readonly field: string }
  | {
      readonly type: 'poll-failed'
      readonly id: string
      readonly error: unknown
      readonly retryInMs: number
    }
  /** A create or a message was not accepted, and is sent again. */
  | { readonly type: 'retry'; readonly error: unknown; readonly retryInMs: number }

/** Takes events as they come. */
export type OnJobEvent = (event: JobEvent) => void

/** Reports what polls show of a job: each change, each oddity once, and a sign of life every minute. */
type Reporter = {
  seen(job: Job): void
  failed(error: Error, retryInMs: number): void
  stop(): void
}

/** What a reporter reports on, and to whom. */
type ReporterOptions = {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number
  readonly clock: Clock
  readonly onEvent: OnJobEvent
}

/** Starts to report on one job. The sign of life does not depend on polls: one that takes long is no reason for silence. */
export function startReporter({ id, startedAtMs, clock, onEvent }: ReporterOptions): Reporter {
  const warned = new Set<string>()
  let status: string | undefined
  const elapsedMs = (): number => clock.now() - startedAtMs
  const heartbeat = startHeartbeat(clock, () => {
    onEvent({ type: 'still-waiting', id, status, elapsedMs: elapsedMs() })
  })

  function warnOnce(key: string, event: JobEvent): void {
    if (!warned.has(key)) onEvent(event)
    warned.add(key)
  }

  return {
    seen(job) {
      if (job.status !== status) {
        status = job.status
        heartbeat.reset()
        onEvent({ type: 'status', id, status, elapsedMs: elapsedMs() })
      }
      if (!isKnownStatus(job.status)) {
        warnOnce(`status ${job.status}`, { type: 'unknown-status', id, status: job.status })
      }
      for (const field of job.invalidFields) {
        warnOnce(`field ${field}`, { type: 'invalid-field', id, field })
      }
    },
    failed(error, retryInMs) {
      heartbeat.reset()
      onEvent({ type: 'poll-failed', id, error, retryInMs })
    },
    stop: heartbeat.stop,
  }
}

/** A line for the log: plain text that can be read alone, to be made fit for the log. */
type ProgressLine = { readonly level: 'info' | 'warning'; readonly text: string }

/** Says what happens to a job while it happens. */
export function progressLine(event: JobEvent): ProgressLine {
  switch (event.type) {
    case 'accepted': {
      const what = event.created ? jobName(event.job.id) : `The message to ${jobName(event.job.id, 'job')}`
      return info(`${what} was accepted by the docs service.`)
    }
    case 'resolved':
      return info(resolvedText(event))
    case 'status':
      return info(
        `Status: ${serviceWord(event.status)} (${jobName(event.id, 'job')}, after ${formatDuration(event.elapsedMs)}).`,
      )
    case 'still-waiting': {
      const status = event.status === undefined ? 'not known yet' : serviceWord(event.status)
      return info(
        `Still waiting for ${jobName(event.id, 'job')} after ${formatDuration(event.elapsedMs)}; its status is ${status}.`,
      )
    }
    case 'unknown-status':
      return warning(
        `${jobName(event.id)} has a status that this version does not know: "${serviceWord(event.status)}". It counts as not finished yet.`,
      )
    case 'invalid-field':
      return warning(
        `${jobName(event.id)}: the field ${event.field} has an unexpected type and counts as absent.`,
      )
    case 'poll-failed':
      return info(
        `Polling ${jobName(event.id, 'job')} failed. ${failureSentences(event.error)} Next poll in ${formatDuration(event.retryInMs)}.`,
      )
    case 'retry':
      return info(
        `${failureSentences(event.error)} Nothing was started yet; trying again in ${formatDuration(event.retryInMs)}.`,
      )
  }
}

type Resolved = Extract<JobEvent, { type: 'resolved' }>

function resolvedText({ request, earlierId, reason }: Resolved): string {
  const earlier = `The earlier ${jobName(earlierId, 'job')}`
  if (request.kind === 'create') return `${earlier} cannot go on because ${reason}; a new job is created.`
  return request.kind === 'message'
    ? `${earlier} is sent a message: ${reason}.`
    : `${earlier} is reported by this run: ${reason}.`
}

function jobName(id: string, noun: 'Job' | 'job' = 'Job'): string {
  return `${noun} ${serviceWord(id)}`
}

function info(text: string): ProgressLine {
  return { level: 'info', text }
}

function warning(text: string): ProgressLine {
  return { level: 'warning', text }
}

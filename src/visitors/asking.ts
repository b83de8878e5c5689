import type { Deps } from '../lib/deps.ts'
import { formatDuration } from '../lib/duration.ts'
import { backoffMs } from '../lib/retry.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { DocsService } from '../service/docs-service.ts'
import { failureSentences, retryAfterMsOf, ServiceError } from '../service/service-error.ts'
import { askForVisitors, type VisitorsAnswer } from '../service/visitors.ts'
import type { Period } from './period.ts'
import type { OnVisitorsEvent } from './progress.ts'

/**
 * Why not all that was wanted is known to have been read: a limit of the run, a request that failed for good, rows that
 * came twice (so others may not have come at all), or a service that said it had more but did not give it.
 */
export type Flaw = 'requests' | 'time' | 'failed' | 'repeated' | 'no-more-rows'

/** The end of all asking. */
export class AskingStopped extends Error {
  override readonly name = 'AskingStopped'
  readonly flaw: Extract<Flaw, 'requests' | 'time' | 'failed'>

  /** @param message of a failure: what went wrong and why it was not tried again, as sentences */
  constructor(flaw: AskingStopped['flaw'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.flaw = flaw
  }
}

/** Rows of a period. */
export type RowsQuery = { readonly period: Period; readonly limit: number; readonly offset: number }

/** Asks the service for visitors, within the limits of the run. */
export type Asking = {
  /**
   * Asks until there is an answer.
   *
   * @throws {AskingStopped} nothing was asked because of a limit, or a request failed for good
   * @throws the reason of `cancel` once that is aborted
   */
  ask(query: RowsQuery): Promise<VisitorsAnswer>
  /** How many requests were made so far, retries included. */
  requests(): number
}

/** What asking needs from outside. */
export type AskingOptions = Deps & {
  /** Most requests of the run, retries included. */
  readonly maxRequests: number
  readonly onEvent: OnVisitorsEvent
}

/** Longest time for all requests of a run together, in milliseconds. */
export const TIME_LIMIT_MS = 300_000

/** How often one question is asked at most. */
const MOST_TRIES = 5

const BACKOFF = { baseMs: 1000, maxMs: 30_000 }

/** Opens a run's questions. The time begins to count now. */
export function openAsking(service: DocsService, options: AskingOptions): Asking {
  const { clock, cancel, maxRequests } = options
  const deadlineMs = clock.now() + TIME_LIMIT_MS
  const signal = AbortSignal.any([cancel, clock.timeout(TIME_LIMIT_MS)])
  let requests = 0

  async function askOnce({ period, limit, offset }: RowsQuery): Promise<VisitorsAnswer | Error> {
    requests += 1
    const query = { dateFrom: period.from.text, dateTo: period.to.text, limit, offset }
    try {
      return await askForVisitors(service, query, signal)
    } catch (error) {
      cancel.throwIfAborted()
      if (signal.aborted) throw timeIsUp()
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  function pauseBeforeNext(error: Error, tries: number): number {
    const pauseMs = retryAfterMsOf(error) || backoffMs(tries, BACKOFF, options.random)
    const hopeless = reasonToStop(error, tries) ?? reasonOfLimits(error, pauseMs)
    if (hopeless === undefined) return pauseMs
    throw new AskingStopped('failed', `${failureSentences(error)} ${hopeless}`.trim(), { cause: error })
  }

  function reasonOfLimits(error: Error, pauseMs: number): string | undefined {
    if (requests >= maxRequests) {
      return `It was not asked again, because \`visitors-max-requests\` is ${maxRequests}.`
    }
    if (clock.now() + pauseMs < deadlineMs) return undefined
    return retryAfterMsOf(error) === 0
      ? `It was not asked again, because the visitors report may take no more than ${timeLimit()}.`
      : `It wants to be asked again only in ${formatDuration(pauseMs)}, which is past the end of the ${timeLimit()} that the visitors report may take.`
  }

  async function ask(query: RowsQuery): Promise<VisitorsAnswer> {
    for (let tries = 1; ; tries++) {
      cancel.throwIfAborted()
      if (requests >= maxRequests) throw new AskingStopped('requests', '`visitors-max-requests` is used up.')
      if (clock.now() >= deadlineMs) throw timeIsUp()
      const answer = await askOnce(query)
      if (!(answer instanceof Error)) {
        options.onEvent({ type: 'answered', requests })
        return answer
      }
      const pauseMs = pauseBeforeNext(answer, tries)
      options.onEvent({ type: 'ask-again', error: answer, retryInMs: pauseMs })
      await clock.sleep(pauseMs, cancel)
    }
  }

  return { ask, requests: () => requests }
}

function reasonToStop(error: Error, tries: number): string | undefined {
  if (!isPassing(error)) return ''
  return tries < MOST_TRIES ? undefined : `It was asked ${MOST_TRIES} times.`
}

function isPassing(error: Error): boolean {
  if (error instanceof TransportError) return !['too-large', 'undecodable'].includes(error.failure)
  if (!(error instanceof ServiceError)) return false
  return error.status === 408 || error.status === 429 || error.status >= 500
}

function timeIsUp(): AskingStopped {
  return new AskingStopped('time', `The ${timeLimit()} that the visitors report may take are used up.`)
}

function timeLimit(): string {
  return `${TIME_LIMIT_MS / 60_000} minutes`
}

import type { Deps } from '../lib/deps.ts'
import type { DocsService } from '../service/docs-service.ts'
import type { Job } from '../service/job.ts'
import { getJob } from '../service/jobs.ts'
import { retryAfterMsOf, ServiceError } from '../service/service-error.ts'
import { isRetryable } from './look-failure.ts'
import { failurePauseMs } from './pace.ts'
import { MAX_FAILING_MS } from './poll.ts'
import type { OnJobEvent } from './progress.ts'

/** What looking for an earlier job needs from outside. */
export type EarlierOptions = Deps & {
  /** Longest time that looks may fail, in milliseconds; no more than ten minutes count. */
  readonly timeoutMs: number
  readonly onEvent: OnJobEvent
}

const PAUSE_MS = 2000

/**
 * Looks whether an earlier job can go on.
 *
 * @returns the job; `undefined` if it failed, was archived, or is gone (404)
 * @throws what the last look threw, if none was answered well in time or asking makes no sense
 */
export async function getEarlierJob(
  service: DocsService,
  id: string,
  { clock, cancel, random, timeoutMs, onEvent }: EarlierOptions,
): Promise<Job | undefined> {
  const untilMs = clock.now() + Math.min(timeoutMs, MAX_FAILING_MS)
  for (let failures = 1; ; failures++) {
    try {
      const job = await getJob(service, id, cancel)
      onEvent({ type: 'earlier-job', id, status: job.status })
      return job.status === 'failed' || job.status === 'archived' ? undefined : job
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) {
        onEvent({ type: 'earlier-job', id, status: undefined })
        return undefined
      }
      const pauseMs = retryAfterMsOf(error) || failurePauseMs(PAUSE_MS, failures, random)
      if (cancel.aborted || !isRetryable(error, undefined) || clock.now() + pauseMs > untilMs) throw error
      onEvent({ type: 'poll-failed', error, retryInMs: pauseMs })
      await clock.sleep(pauseMs, cancel).catch(() => undefined)
    }
  }
}

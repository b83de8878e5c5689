import type { Job } from '../../service/job.ts'

/** What happens to a job, told while it happens. Times are milliseconds. */
export type JobEvent =
  /** The service has answered with the job: its id must not be lost from here on. */
  | { readonly type: 'accepted'; readonly job: Job }
  | { readonly type: 'status'; readonly status: string; readonly elapsedMs: number }
  | { readonly type: 'still-waiting'; readonly status: string | undefined; readonly elapsedMs: number }
  | { readonly type: 'unknown-status'; readonly status: string }
  | { readonly type: 'odd-field'; readonly field: string }
  | { readonly type: 'look-failed'; readonly error: Error; readonly retryInMs: number }
  | { readonly type: 'send-again'; readonly error: Error; readonly retryInMs: number }

/** Takes events as they come. */
export type OnJobEvent = (event: JobEvent) => void

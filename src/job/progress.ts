import type { Job } from '../service/job.ts'
import type { DirectRequest } from './request.ts'

/** What happens to a job, told while it happens. Times are milliseconds. */
export type JobEvent =
  /** The service has answered with the job: its id must not be lost from here on. */
  | { readonly type: 'accepted'; readonly job: Job; readonly created: boolean }
  /** An earlier job was looked at before it is to go on; `undefined`: the service does not know it any more. */
  | { readonly type: 'earlier-job'; readonly id: string; readonly status: string | undefined }
  /** It is resolved whether an earlier job goes on. */
  | { readonly type: 'resolved'; readonly request: DirectRequest }
  | { readonly type: 'status'; readonly id: string; readonly status: string; readonly elapsedMs: number }
  | { readonly type: 'still-waiting'; readonly status: string | undefined; readonly elapsedMs: number }
  | { readonly type: 'unknown-status'; readonly status: string }
  | { readonly type: 'invalid-field'; readonly field: string }
  | { readonly type: 'poll-failed'; readonly error: Error; readonly retryInMs: number }
  | { readonly type: 'retry'; readonly error: Error; readonly retryInMs: number }

/** Takes events as they come. */
export type OnJobEvent = (event: JobEvent) => void

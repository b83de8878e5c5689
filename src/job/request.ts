import type { Job } from '../service/job.ts'

/** What is asked of the service: a new job, word to an existing one, or just to see one through. */
export type DirectRequest =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'message'; readonly id: string; readonly prompt: string }
  /** `seen`: the job, if it has just been looked at. */
  | { readonly kind: 'attach'; readonly id: string; readonly seen?: Job }

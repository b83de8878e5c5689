import type { Job } from '../service/job.ts'
import type { EarlierPullRequest } from './pull-request.ts'

/** A request that needs nothing to be found out first: a new job, a message to a job, or just a job to wait for. */
export type DirectRequest =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'message'; readonly id: string; readonly prompt: string }
  /** `seen`: the job, if it was just got. */
  | { readonly kind: 'attach'; readonly id: string; readonly seen?: Job }

/** A request for a job. Of the last two kinds, only the earlier job tells what they come to. */
export type JobRequest =
  | DirectRequest
  /** A message to the earlier job or, where that can't go on, a new job. */
  | {
      readonly kind: 'continue'
      readonly id: string
      readonly message: string
      readonly createPrompt: CreatePrompt
    }
  /** The earlier job itself or, where that can't go on, a new one. */
  | { readonly kind: 'resume'; readonly id: string; readonly createPrompt: CreatePrompt }

/** Makes the prompt of a new job, which is told of the pull request that went before, if there was one. */
export type CreatePrompt = (previous?: EarlierPullRequest) => Promise<string>

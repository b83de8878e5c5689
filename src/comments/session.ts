import type { Outcome } from '../job/outcome.ts'
import type { JobEvent } from '../job/progress.ts'

/** What a run says on GitHub while its job goes on, and what it has found there of earlier ones. */
export type Talk = {
  readonly earlier: Earlier | undefined
  /** Tells an event of the job. */
  tell(event: JobEvent): void
  /** Tells the end. Resolves when it is written. */
  finish(outcome: Outcome): Promise<void>
}

/** An earlier job that is to go on: by a message, or as it is if an earlier attempt of this run has started it. */
export type Earlier = { readonly kind: 'continue' | 'resume'; readonly id: string }

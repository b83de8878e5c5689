import type { Outcome } from '../job/outcome.ts'
import type { JobEvent } from '../job/progress.ts'

/** What a run says on GitHub while its job goes on, and what it has found there of earlier ones. */
export type Session = {
  readonly earlier: EarlierJob | undefined
  /** Takes an event of the job in. */
  onEvent(event: JobEvent): void
  /** Writes how it ended. Resolves when that is done. */
  finish(outcome: Outcome): Promise<void>
}

/** An earlier job that is to go on: by a message, or as it is if an earlier attempt of this run has started it. */
export type EarlierJob = { readonly kind: 'continue' | 'resume'; readonly id: string }

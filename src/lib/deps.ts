import type { Clock } from './clock.ts'

/** What code that waits and tries again needs from outside. */
export type Deps = {
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
}

import type { GitHub } from '../edges/github/github.ts'
import type { Environment } from '../edges/runner/environment.ts'
import type { Log } from '../edges/runner/log.ts'
import type { SetOutputs } from '../edges/runner/outputs.ts'
import type { Clock } from '../machinery/clock.ts'
import type { Redact } from '../machinery/redact.ts'

/** What every part of the story works with. */
export type RunContext = {
  readonly environment: Environment
  readonly log: Log
  readonly redact: Redact
  readonly setOutputs: SetOutputs
  /** Not asked, and its client not loaded, before a part needs it. */
  readonly github: GitHub
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
}

import type { GitHub } from '../edges/github/github.ts'
import type { Environment } from '../edges/runner/environment.ts'
import type { Log } from '../edges/runner/log.ts'
import type { SetOutputs } from '../edges/runner/outputs.ts'
import type { Outside } from '../machinery/outside.ts'
import type { Redact } from '../machinery/redact.ts'

/** What every part of the story works with. */
export type RunContext = Outside & {
  readonly environment: Environment
  readonly log: Log
  readonly redact: Redact
  readonly setOutputs: SetOutputs
  /** Not asked, and its client not loaded, before a part needs it. */
  readonly github: GitHub
}

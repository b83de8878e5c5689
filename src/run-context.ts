import type { GitHub } from './github/github.ts'
import type { Outside } from './lib/deps.ts'
import type { Redact } from './lib/redact.ts'
import type { Environment } from './runner/environment.ts'
import type { Log } from './runner/log.ts'
import type { SetOutputs } from './runner/outputs.ts'

/** What every part of the story works with. */
export type RunContext = Outside & {
  readonly environment: Environment
  readonly log: Log
  readonly redact: Redact
  readonly setOutputs: SetOutputs
  /** Not asked, and its client not loaded, before a part needs it. */
  readonly github: GitHub
}

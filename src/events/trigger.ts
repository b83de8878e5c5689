import type { Inputs } from '../inputs/table.ts'
import type { Command } from './command.ts'
import type { GitHubEvent } from './payload.ts'

/** What started a run that is to do something. */
export type Trigger = {
  readonly event: GitHubEvent
  /** The command that requests it, if one does. */
  readonly command: Command | undefined
}

/** Why a run does nothing. */
export type Skip = {
  readonly skip: true
  /** A sentence. */
  readonly reason: string
  readonly level: 'info' | 'notice' | 'warning'
  /** Whether a command without instructions is to be answered with how to use it. */
  readonly explainUsage: boolean
}

export function skip(level: Skip['level'], reason: string): Skip {
  return { skip: true, level, reason: `Skipped: ${reason}.`, explainUsage: false }
}

/** Whether the inputs hold a prompt of their own, whatever started the run. */
export function hasPrompt(inputs: Pick<Inputs, 'prompt' | 'prompt-file'>): boolean {
  return inputs.prompt !== '' || inputs['prompt-file'].length > 0
}

/** Whether a run may write comments and reactions. */
export function mayWrite(inputs: Pick<Inputs, 'comment' | 'dry-run'>): boolean {
  return inputs.comment !== 'never' && !inputs['dry-run']
}

import type { Inputs } from '../inputs/inputs.ts'
import type { Command } from './command.ts'
import type { GitHubEvent } from './event.ts'

/** What a run is to do. */
export type Task = {
  readonly event: GitHubEvent
  readonly inputs: Inputs
  /** The comment that asks for it, if one does. */
  readonly command: Command | undefined
}

/** Whether a run is to do anything. */
export type Admission =
  | { readonly admitted: true; readonly task: Task }
  /** `quiet`: not worth showing outside of the log. */
  | { readonly admitted: false; readonly reason: string; readonly quiet?: boolean }

/** Whether a run may write to GitHub at all. */
export function mayWrite({ comments, dryRun }: Pick<Inputs, 'comments' | 'dryRun'>): boolean {
  return comments.comment !== 'never' && !dryRun
}

import type { Inputs } from '../inputs/table.ts'
import type { Trigger } from '../trigger/trigger.ts'

/** What comments are written about: what started the run, and its inputs. */
export type CommentRequest = Trigger & { readonly inputs: Inputs }

/** Whether a run may write to GitHub at all. */
export function mayWrite(inputs: Pick<Inputs, 'comment' | 'dry-run'>): boolean {
  return inputs.comment !== 'never' && !inputs['dry-run']
}

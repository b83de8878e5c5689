import type { RunContext } from '../run-context.ts'
import { mayWrite, type Task } from '../trigger/task.ts'
import type { Talk } from './session.ts'

const SILENCE: Talk = {
  earlier: undefined,
  tell: () => undefined,
  finish: () => Promise.resolve(),
}

/** Begins to talk, where a run has somebody to answer or is told to speak. Most have not. */
export async function openTalk(task: Task, context: RunContext): Promise<Talk> {
  const { command, inputs } = task
  const speaks = command !== undefined || (inputs.comments.comment === 'always' && mayWrite(inputs))
  if (!speaks) return SILENCE
  const { beginConversation } = await import('./conversation.ts')
  return await beginConversation(task, context)
}

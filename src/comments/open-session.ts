import type { RunDeps } from '../github/github.ts'
import { type CommentRequest, mayWrite } from './comment-request.ts'
import type { Session } from './session.ts'

const SILENCE: Session = {
  earlier: undefined,
  onEvent: () => undefined,
  finish: () => Promise.resolve(),
}

/** Begins to talk, where a run has somebody to answer or is told to speak. Most have not. */
export async function openSession(request: CommentRequest, context: RunDeps): Promise<Session> {
  const { command, inputs } = request
  const speaks = command !== undefined || (inputs.comment === 'always' && mayWrite(inputs))
  if (!speaks) return SILENCE
  const { beginConversation } = await import('./conversation.ts')
  return await beginConversation(request, context)
}

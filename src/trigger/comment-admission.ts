import { explainCommands } from '../comments/beginning.ts'
import { react } from '../github/reactions.ts'
import type { CommentInputs } from '../inputs/comment-inputs.ts'
import { type Inputs, loadInputs } from '../inputs/inputs.ts'
import { assemblePrompt } from '../job/prompt.ts'
import { withoutHtmlComments } from '../lib/visible-text.ts'
import type { RunContext } from '../run-context.ts'
import { type Command, isAllowedBot, readCommand } from './command.ts'
import type { GitHubEvent } from './event.ts'
import { checkPermission, type Verdict } from './permission.ts'
import { type Admission, mayWrite } from './task.ts'

/** The event of a comment, with what decides whether it is heard. */
export type Heard = {
  readonly event: GitHubEvent
  readonly rules: CommentInputs
  /** Why nothing can be asked without secrets; `undefined` if there are some. */
  readonly withoutSecrets: string | undefined
}

/**
 * Finds out whether a comment asks for something, of somebody who may.
 *
 * @throws {InputsError} if it does, but the inputs are wrong
 */
export async function admitComment(heard: Heard, context: RunContext): Promise<Admission> {
  const { event, rules, withoutSecrets } = heard
  const { command: word } = rules
  if (word === '') return notAsked('With an empty `command`, comments ask for nothing.')
  const command = await readCommand(event, rules)
  if (command === undefined)
    return notAsked(
      `This is no new comment that asks for something with ${word}, of a person or of a bot that \`allow-bots\` names.`,
    )
  if (withoutSecrets !== undefined) return { admitted: false, reason: withoutSecrets }
  return await admitCommand(event, command, context)
}

function notAsked(reason: string): Admission {
  return { admitted: false, reason, quiet: true }
}

async function admitCommand(event: GitHubEvent, command: Command, context: RunContext): Promise<Admission> {
  const inputs = await loadInputs(context, true)
  const verdict = await judge(command, inputs.comments, context)
  if (context.cancel.aborted) return { admitted: false, reason: 'The run was cancelled.' }
  if (!verdict.granted) {
    if (mayWrite(inputs)) await react(context.github, command.comment, '-1')
    return { admitted: false, reason: `Nothing was done: ${verdict.reason}.` }
  }
  const task = { event, inputs, command }
  if (asksForSomething(command, inputs)) return { admitted: true, task }
  if (mayWrite(inputs)) await explainCommands(task, context)
  return {
    admitted: false,
    reason: `The comment says nothing after ${inputs.comments.command}, and there is no \`prompt\`.`,
  }
}

async function judge(command: Command, rules: CommentInputs, { github }: RunContext): Promise<Verdict> {
  const { comment } = command
  if (isAllowedBot(comment, rules)) return { granted: true }
  return await checkPermission(github, comment.login, rules.commandPermission)
}

function asksForSomething({ ask }: Command, { job }: Inputs): boolean {
  // What nobody can see asks for nothing.
  return job.jobId !== '' || assemblePrompt({ ...job, command: withoutHtmlComments(ask) }) !== ''
}

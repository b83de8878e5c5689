import { type Command, isAllowedBot, readCommand } from '../edges/github/command.ts'
import { isCommentEvent } from '../edges/github/comment-event.ts'
import { type GitHubEvent, lacksSecrets } from '../edges/github/event.ts'
import { mergedOwnWork, ownWorkIn } from '../edges/github/loop-guard.ts'
import { checkPermission, type Verdict } from '../edges/github/permission.ts'
import { react } from '../edges/github/reactions.ts'
import { type CommentInputs, readCommentInputs } from '../edges/runner/comment-inputs.ts'
import { openInputs } from '../edges/runner/input-reader.ts'
import { type Inputs, loadInputs } from '../edges/runner/inputs.ts'
import { usageBody } from '../report/comment-body.ts'
import { assemblePrompt } from '../work/job/prompt.ts'
import { answerAtOnce } from './beginning.ts'
import type { RunContext } from './run-context.ts'
import { mayWrite, type Task } from './task.ts'

/** Whether a run is to do anything. */
export type Admission =
  | { readonly admitted: true; readonly task: Task }
  /** `quiet`: not worth showing outside of the log. */
  | { readonly admitted: false; readonly reason: string; readonly quiet?: boolean }

/**
 * Finds out whether a run is to do anything, and what.
 *
 * @throws {InputsError} if it is, but its inputs are wrong
 */
export async function admit(event: GitHubEvent, context: RunContext): Promise<Admission> {
  const { environment, redact } = context
  // Before all inputs are judged: a comment that is no command must not fail for the others.
  const rules = readCommentInputs(openInputs(environment.inputs, redact))
  const { command: word, ignoreAuthors } = rules
  const isComment = isCommentEvent(event)
  const command = isComment && word !== '' ? await readCommand(event, rules) : undefined
  if (isComment && command === undefined) {
    const reason =
      word === ''
        ? 'With an empty `command`, comments ask for nothing.'
        : `This comment does not ask for anything with ${word}.`
    return { admitted: false, reason, quiet: true }
  }
  const ownWork = ownWorkIn(event, ignoreAuthors)
  if (ownWork !== undefined) return ignored(ownWork)
  const noSecrets = whereSecretsLack(event, context)
  if (noSecrets !== undefined) return { admitted: false, reason: noSecrets }
  if (command !== undefined) return await admitCommand({ event, command }, context)

  const inputs = await loadInputs(environment, redact, false)
  const merged = await mergedOwnWork(event, ignoreAuthors, context.github)
  return merged === undefined ? { admitted: true, task: { event, inputs, command } } : ignored(merged)
}

type Asked = { readonly event: GitHubEvent; readonly command: Command }

async function admitCommand({ event, command }: Asked, context: RunContext): Promise<Admission> {
  const inputs = await loadInputs(context.environment, context.redact, true)
  const verdict = await judge(command, inputs.comments, context)
  if (context.cancel.aborted) return { admitted: false, reason: 'The run was cancelled.' }
  if (!verdict.granted) {
    if (mayWrite(inputs)) await react(context.github, command.comment, '-1')
    return { admitted: false, reason: `Nothing was done: ${verdict.reason}.` }
  }
  const task = { event, inputs, command }
  if (asksForSomething(command, inputs)) return { admitted: true, task }
  if (mayWrite(inputs)) await answerAtOnce(task, usageBody, context)
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
  return job.jobId !== '' || assemblePrompt({ ...job, command: ask }) !== ''
}

function ignored(reason: string): Admission {
  return {
    admitted: false,
    reason: `Nothing was done: ${reason}, and \`ignore-authors\` keeps the agent's own work from waking it.`,
  }
}

function whereSecretsLack(event: GitHubEvent, { environment }: RunContext): string | undefined {
  const keyGiven = (environment.inputs.get('api-key') ?? '') !== ''
  const dryRun = /^true$/i.test(environment.inputs.get('dry-run') ?? '')
  if (keyGiven || dryRun || !lacksSecrets(event, environment)) return undefined
  return 'GitHub gives no secrets to runs for pull requests from forks or by Dependabot, so there is no `api-key` here and nothing was asked of the docs service.'
}

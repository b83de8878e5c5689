import { readCommentInputs } from '../inputs/comment-inputs.ts'
import { loadInputs } from '../inputs/inputs.ts'
import { openInputs } from '../inputs/reader.ts'
import type { RunContext } from '../run-context.ts'
import { isCommentEvent } from './comment-event.ts'
import { type GitHubEvent, lacksSecrets } from './event.ts'
import { mergedOwnWork, ownWorkIn } from './loop-guard.ts'
import type { Admission } from './task.ts'

/**
 * Finds out whether a run is to do anything, and what.
 *
 * @throws {InputsError} if it is, but its inputs are wrong
 */
export async function admit(event: GitHubEvent, context: RunContext): Promise<Admission> {
  const { environment, redact } = context
  // Before all inputs are judged: a comment that is no command must not fail for the others.
  const rules = readCommentInputs(openInputs(environment.inputs, redact))
  const withoutSecrets = whereSecretsLack(event, context)
  if (isCommentEvent(event)) {
    const { admitComment } = await import('./comment-admission.ts')
    return await admitComment({ event, rules, withoutSecrets }, context)
  }
  const ownWork = ownWorkIn(event, rules.ignoreAuthors)
  if (ownWork !== undefined) return ignored(ownWork)
  if (withoutSecrets !== undefined) return { admitted: false, reason: withoutSecrets }

  const inputs = await loadInputs(context, false)
  const merged = await mergedOwnWork(event, rules.ignoreAuthors, context.github)
  if (merged !== undefined) return ignored(merged)
  return { admitted: true, task: { event, inputs, command: undefined } }
}

function ignored(reason: string): Admission {
  return {
    admitted: false,
    reason: `Nothing was done: ${reason}, and \`ignore-authors\` keeps the agent's own work from waking it.`,
  }
}

/** Why a run can't do anything without secrets; `undefined` if it can. */
function whereSecretsLack(event: GitHubEvent, { environment }: RunContext): string | undefined {
  const keyGiven = (environment.inputs.get('api-key') ?? '') !== ''
  const dryRun = /^true$/i.test(environment.inputs.get('dry-run') ?? '')
  if (keyGiven || dryRun || !lacksSecrets(event, environment)) return undefined
  return 'GitHub gives no secrets to runs for pull requests from forks or by Dependabot, so there is no `api-key` here and nothing was asked of the docs service.'
}

import type { MergedPulls } from '../github/pull-requests.ts'
import type { Inputs } from '../inputs/table.ts'
import { inBackticks } from '../lib/text.ts'
import type { Environment } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { authorize, isAllowedBot } from './authorize.ts'
import { type GitHubEvent, isFromFork } from './event-table.ts'
import { findOwnWork, guardedCommits, loadMergedPulls } from './loop-guard.ts'
import { type Command, hasPrompt, readCommand, type Skip, skip, type Trigger } from './trigger.ts'

/** Whether a run may do what it was asked. */
export type Decision =
  | Skip
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'go'; readonly mergedPulls: MergedPulls }

/** Decides by the payload and the inputs alone whether a run is to do something. Sends nothing. */
export function readTrigger(
  event: GitHubEvent,
  inputs: Inputs,
  environment: Environment,
): Skip | { readonly kind: 'trigger'; readonly trigger: Trigger } {
  if (event.payloadProblem !== undefined && event.row.causedBy !== 'writer') {
    return skip('notice', "the event's payload could not be read, so it is not known who caused it")
  }
  const command = inputs.command === '' ? undefined : readCommand(event, inputs.command)
  const nothingAsked = whyNothingIsAsked(event, command, inputs)
  if (nothingAsked !== undefined) return skip('info', nothingAsked)
  const needsKey = inputs['api-key'] === '' && !inputs['dry-run']
  const withoutSecrets = needsKey ? kindWithoutSecrets(event, environment) : undefined
  const noSecrets = withoutSecrets && `\`api-key\` is empty, as GitHub gives no secrets to ${withoutSecrets}`
  const reason = findOwnWork(event, inputs) ?? noSecrets
  return reason === undefined ? { kind: 'trigger', trigger: { event, command } } : skip('notice', reason)
}

/** Checks the permission of the account that caused the run, and whether that was the agent's own work. */
export async function decide(trigger: Trigger, run: Run): Promise<Decision> {
  const { inputs, cancel } = run
  const refusal = await authorize(trigger, run)
  if (cancel.aborted) return { kind: 'cancelled' }
  if (refusal !== undefined) return refusal
  const isGuarded = guardedCommits(trigger.event, inputs).length > 0
  const isDescribed = hasPrompt(inputs) && inputs.context !== 'none'
  const mergedPulls = await loadMergedPulls(trigger.event, { isGuarded, isDescribed }, run)
  if (cancel.aborted) return { kind: 'cancelled' }
  const ownWork = findOwnWork(trigger.event, inputs, mergedPulls)
  return ownWork === undefined ? { kind: 'go', mergedPulls } : skip('notice', ownWork)
}

function whyNothingIsAsked(
  { name, row, payload }: GitHubEvent,
  command: Command | undefined,
  inputs: Inputs,
): string | undefined {
  if (row.subject === 'push' && payload.deleted === true)
    return `this push deletes ${inBackticks(payload.ref ?? '')}`
  if (payload.changes?.old_issue != null && payload.action === 'opened') {
    return 'this issue is not new: it was transferred from another repository'
  }
  if (command !== undefined) {
    const { author } = command
    const isRefused = author.isBot && !isAllowedBot(author, inputs)
    return isRefused ? `${author.login} is a bot that \`allow-bots\` does not list` : undefined
  }
  if (row.command === undefined || inputs.command === '') return undefined
  const { kind, action } = row.command
  if (kind === 'issue' && (payload.action !== action || hasPrompt(inputs))) return undefined
  const what = kind.endsWith('comment') ? 'comment' : kind
  if (payload.action !== action) return `the ${what} is not new (\`${name}\`, \`${payload.action}\`)`
  const noPrompt = kind === 'issue' ? ', and there is no `prompt`' : ''
  return `the ${what} does not start with ${inputs.command} as plain text${noPrompt}`
}

/**
 * What kind of run this is, if GitHub gives such runs no secrets: a fork's push has none of the repository that the fork
 * was made from.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
function kindWithoutSecrets({ name, row, payload }: GitHubEvent, { actor, repository }: Environment) {
  if ([actor, payload.sender?.login].includes('dependabot[bot]')) return 'Dependabot'
  if (row.subject === 'push') return payload.repository?.fork === true ? 'pushes in a fork' : undefined
  // `pull_request_target` runs with the base repository's secrets.
  const isPull = row.subject === 'pull-request' && name !== 'pull_request_target'
  return isPull && isFromFork(payload.pull_request, repository) ? 'pull requests from forks' : undefined
}

import type { Inputs } from '../inputs/table.ts'
import { inBackticks } from '../lib/text.ts'
import type { Environment } from '../runner/environment.ts'
import { type Command, readCommand } from './command.ts'
import { ownWorkInPayload } from './loop-guard.ts'
import { type GitHubEvent, isAllowedBot, isFromFork, readActor } from './payload.ts'
import { hasPrompt, type Skip, skip, type Trigger } from './trigger.ts'

/** Decides by the payload and the inputs alone whether a run is to do something. Sends nothing. */
export function readTrigger(event: GitHubEvent, inputs: Inputs, environment: Environment): Trigger | Skip {
  const command = inputs.command === '' ? undefined : readCommand(event, inputs.command)
  const nothingAsked = whyNothingIsAsked(event, command, inputs)
  if (nothingAsked !== undefined) return skip('info', nothingAsked)
  const ownWork = ownWorkInPayload(event, inputs)
  if (ownWork !== undefined) return skip('notice', ownWork)
  const needsKey = inputs['api-key'] === '' && !inputs['dry-run']
  return needsKey && lacksSecrets(event, environment) ? skip('notice', NO_SECRETS) : { event, command }
}

const NO_SECRETS =
  '`api-key` is empty, as GitHub gives no secrets to pull requests from forks, to Dependabot, and to pushes in a fork'

function whyNothingIsAsked(
  { name, row, payload }: GitHubEvent,
  command: Command | undefined,
  inputs: Inputs,
): string | undefined {
  if (row.tells === 'push' && payload.deleted === true)
    return `this push deletes ${inBackticks(payload.ref ?? '')}`
  if (payload.changes?.old_issue != null && payload.action === 'opened') {
    return 'this issue is not new: it was transferred from another repository'
  }
  if (command !== undefined) {
    const { author } = command
    const isRefused = author.isBot && !isAllowedBot(author, inputs['allow-bots'])
    return isRefused ? `${author.login} is a bot that \`allow-bots\` does not list` : undefined
  }
  if (row.command === undefined || inputs.command === '') return undefined
  const { kind, action } = row.command
  if (kind === 'issue' && (payload.action !== action || hasPrompt(inputs))) return undefined
  const what = kind.endsWith('comment') ? 'comment' : kind
  if (payload.action !== action) return `the ${what} is not new (\`${name}\`, \`${payload.action}\`)`
  const noPrompt = kind === 'issue' ? ', and there is no `prompt`' : ''
  return `the ${what} does not start with ${inputs.command}${noPrompt}`
}

const DEPENDABOT = 'dependabot[bot]'

/**
 * Whether GitHub gives this run no secrets: Dependabot started it, it is for a pull request from a fork, or for a push
 * in a fork, which has no secrets of the repository it was made from.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
function lacksSecrets({ name, row, payload }: GitHubEvent, { actor, repository }: Environment): boolean {
  if (actor === DEPENDABOT || readActor(payload.sender)?.login === DEPENDABOT) return true
  if (row.tells === 'push') return payload.repository?.fork === true
  // `pull_request_target` runs with the base repository's secrets.
  const isPull = row.tells === 'pull-request' && name !== 'pull_request_target'
  return isPull && isFromFork(payload.pull_request, repository)
}

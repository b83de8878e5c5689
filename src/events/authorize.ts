import { giveFinalReaction, react } from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import type { Maybe, Sent } from '../github/types.ts'
import { type Inputs, PERMISSION_LEVELS } from '../inputs/table.ts'
import { capitalize, inBackticks } from '../lib/text.ts'
import { type Environment, isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { type Actor, eventRow, type GitHubEvent, isFromFork, isRepository, readActor } from './event-table.ts'
import { findOwnWork } from './loop-guard.ts'
import { type Command, hasPrompt, mayWrite, readCommand, type Trigger } from './trigger.ts'

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

/** Decides by the payload and the inputs alone whether a run is to do something. Sends nothing. */
export function readTrigger(event: GitHubEvent, inputs: Inputs, environment: Environment): Trigger | Skip {
  const command = inputs.command === '' ? undefined : readCommand(event, inputs.command)
  const nothingAsked = whyNothingIsAsked(event, command, inputs)
  if (nothingAsked !== undefined) return skip('info', nothingAsked)
  const needsKey = inputs['api-key'] === '' && !inputs['dry-run']
  const withoutSecrets = needsKey ? kindWithoutSecrets(event, environment) : undefined
  const noSecrets = withoutSecrets && `\`api-key\` is empty, as GitHub gives no secrets to ${withoutSecrets}`
  const reason = findOwnWork(event, inputs) ?? noSecrets
  return reason === undefined ? { event, command } : skip('notice', reason)
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

/** Whether an account is a bot that needs no permission: a real bot with exactly that login. */
function isAllowedBot({ isBot, login }: Actor, inputs: Inputs): boolean {
  return isBot && inputs['allow-bots'].some((allowed) => allowed.toLowerCase() === login.toLowerCase())
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

/** Asks GitHub whether whoever caused the run may. Returns why the run must do nothing; `undefined` if it may go on. */
export async function authorize({ event, command }: Trigger, run: Run): Promise<Skip | undefined> {
  if (command !== undefined) return await authorizeCommand(command, run)
  if (isTrusted(event, run.environment)) return undefined
  const { sender, workflow_run: before } = event.payload
  const actor = readActor(before?.event === 'pull_request' ? before.triggering_actor : sender)
  return await checkPermission(actor, `a job for this \`${event.name}\` event`, run)
}

/** A refused author gets a reaction, and no comment. */
async function authorizeCommand({ source, author, instructions }: Command, run: Run) {
  const { inputs, github } = run
  const refusal = await checkPermission(author, `the command ${inputs.command}`, run)
  if (refusal !== undefined) {
    // A re-run's answer replaces that of the first attempt.
    const answer = isRerun(run.environment) ? giveFinalReaction : react
    const mayReact = mayWrite(inputs) && inputs['github-token'] !== '' && !run.cancel.aborted
    const isRefused = refusal.level === 'notice'
    if (mayReact) await answer(github, source, isRefused ? '-1' : 'confused')
    return isRefused ? refusal : { ...refusal, reason: `${refusal.reason} Repeat the command later.` }
  }
  // With `job-id`, a bare command waits for that job.
  if (instructions !== '' || hasPrompt(inputs) || inputs['job-id'] !== '') return undefined
  const reason = `${inputs.command} comes without instructions, and there is no \`prompt\``
  return { ...skip('notice', reason), explainUsage: true }
}

/** Whether an event can only be caused by someone with write permission. */
function isTrusted({ row, payload }: GitHubEvent, { repository }: Environment): boolean {
  if (row.causedBy === 'pull-request') {
    const { action, pull_request: pull, sender } = payload
    const byWriter =
      action === 'synchronize' || (action === 'closed' && pull?.merged === true) || sender?.type === 'Bot'
    return byWriter && !isFromFork(pull, repository)
  }
  if (row.causedBy === 'workflow-run') {
    const { event, head_repository: head } = payload.workflow_run ?? {}
    return isRepository(head, repository) && !!event && eventRow(event).causedBy === 'writer'
  }
  return row.causedBy === 'writer'
}

/**
 * Asks GitHub whether someone has the required permission on the repository. The answer must be about the same account:
 * a login can pass on to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 *
 * @param what what is asked for
 * @returns a notice if that is refused, a warning if GitHub can't be asked or its answer does not show it
 */
async function checkPermission(
  actor: Actor | undefined,
  what: string,
  { inputs, github }: Run,
): Promise<Skip | undefined> {
  const required = inputs['required-permission']
  const needs = `${what} needs \`${required}\` (\`required-permission\`)`
  const refused = (reason: string): Skip => skip('notice', `${reason}, and ${needs}`)
  if (actor === undefined) return refused('the event does not say who caused it')
  if (isAllowedBot(actor, inputs)) return undefined
  const { login, id } = actor
  if (id === undefined) return refused(`the event does not give the id of ${login}`)
  try {
    const answer = await github.call<PermissionAnswer>(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    )
    if (answer.user?.id == null) throw new GitHubError('GitHub named no account in its response')
    if (answer.user.id !== id) return refused(`${login} is another account's login now`)
    const level = readLevel(answer)
    const isEnough = LEVELS.indexOf(level) >= LEVELS.indexOf(required)
    return isEnough ? undefined : refused(`${login} has the permission \`${level}\` on this repository`)
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    if (error.status === 404) return refused(`${login} has no permission on this repository (404)`)
    const why = `the permission of ${login} could not be read: ${error.message}`
    return skip('warning', `${why}. ${capitalize(needs)}`)
  }
}

/** The part of GitHub's answer that shows the level. */
type PermissionAnswer = Sent<{
  /** Knows three levels only: `admin`, `write`, `read`, or `none`. */
  permission: string
  /** One of the five levels, or the name of a role that an organization made. */
  role_name: string
  user: Sent<{ id: number; permissions: Readonly<Record<string, boolean>> }>
}>

const LEVELS = ['none', ...PERMISSION_LEVELS] as const

/** The levels as `user.permissions` names them. */
const GRANTS = { read: 'pull', triage: 'triage', write: 'push', maintain: 'maintain', admin: 'admin' }

/** The level in an answer: a role that an organization made is what it grants. */
function readLevel({ permission, role_name: role, user }: PermissionAnswer): (typeof LEVELS)[number] {
  const named = (name: Maybe<string>) => PERMISSION_LEVELS.find((level) => level === name)
  const granted = user?.permissions
  const ofRole = named(role)
  if (ofRole !== undefined || granted == null) return ofRole ?? named(permission) ?? 'none'
  return PERMISSION_LEVELS.findLast((level) => granted[GRANTS[level]] === true) ?? 'none'
}

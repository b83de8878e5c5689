import { type Known, unknownBecause } from '../github/client.ts'
import { react } from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import type { MergedPulls } from '../github/pull-requests.ts'
import type { Maybe, Sent, User } from '../github/types.ts'
import { hasPrompt, PERMISSION_LEVELS } from '../inputs/table.ts'
import { capitalize } from '../lib/text.ts'
import type { Environment } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  type Actor,
  eventRow,
  type GitHubEvent,
  isAllowedBot,
  isFromFork,
  isRepository,
  readActor,
} from './event-table.ts'
import { findOwnWork, guardedCommits, loadMergedPulls } from './loop-guard.ts'
import { type Command, mayWrite, type Skip, skip, type Trigger } from './trigger.ts'

/** A command without instructions, which is answered with how to use it. */
type NoInstructions = { readonly kind: 'no-instructions'; readonly skip: Skip }

/** Whether a run may do what it was asked. */
type Decision =
  | Skip
  | NoInstructions
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'go'; readonly mergedPulls: MergedPulls }

/**
 * Checks the permission of the account that caused the run, where the event needs one, and whether that was the agent's
 * own work. Hands on the merged pull requests of a push, which the context tells as well.
 */
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

/** Checks the permission of the account that caused the run. Returns why it may not run; `undefined` if it may. */
async function authorize({ event, command }: Trigger, run: Run): Promise<Skip | NoInstructions | undefined> {
  if (command !== undefined) return await authorizeCommand(command, run)
  if (isTrusted(event, run.environment)) return undefined
  const { sender, workflow_run: before } = event.payload
  const actor = readActor(before?.event === 'pull_request' ? before.triggering_actor : sender)
  return await checkPermission(actor, `a job for this \`${event.name}\` event`, run)
}

/** A refused author gets a reaction, and no comment. */
async function authorizeCommand(
  { source, author, instructions }: Command,
  run: Run,
): Promise<Skip | NoInstructions | undefined> {
  const { inputs, github } = run
  const refusal = await checkPermission(author, `the command ${inputs.command}`, run)
  if (refusal !== undefined) {
    const mayReact = mayWrite(inputs) && inputs['github-token'] !== '' && !run.cancel.aborted
    const isRefused = refusal.level === 'notice'
    if (mayReact) await react(github, source, isRefused ? '-1' : 'confused')
    return isRefused ? refusal : { ...refusal, reason: `${refusal.reason} Repeat the command later.` }
  }
  // With `job-id`, a bare command waits for that job.
  if (instructions !== '' || hasPrompt(inputs) || inputs['job-id'] !== '') return undefined
  const reason = `${inputs.command} comes without instructions, and there is no \`prompt\``
  return { kind: 'no-instructions', skip: skip('notice', reason) } as const
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
 * Asks GitHub whether someone has the required permission on the repository.
 *
 * @param what what is asked for
 * @returns a notice if that is refused, a warning if the permission could not be read
 */
async function checkPermission(actor: Actor | undefined, what: string, run: Run): Promise<Skip | undefined> {
  const needs = `${what} needs \`${run.inputs['required-permission']}\` (\`required-permission\`)`
  const refusal = await findRefusal(actor, run)
  if (!refusal.known) {
    const why = `the permission of ${actor?.login} could not be read: ${refusal.why}`
    return skip('warning', `${why}. ${capitalize(needs)}`)
  }
  return refusal.value === undefined ? undefined : skip('notice', `${refusal.value}, and ${needs}`)
}

/** Whether an account of GitHub's may ask for jobs: one of `allow-bots`, or one with the required permission. */
export async function mayAsk(user: Maybe<User>, run: Run): Promise<Known<boolean>> {
  const refusal = await findRefusal(readActor(user), run)
  return refusal.known ? { known: true, value: refusal.value === undefined } : refusal
}

const ALLOWED = { known: true, value: undefined } as const

/**
 * Why someone may not ask; `undefined` if they may. GitHub's answer must be about the same account: a login can pass on
 * to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
async function findRefusal(
  actor: Actor | undefined,
  { inputs, github }: Run,
): Promise<Known<string | undefined>> {
  const refused = (why: string) => ({ known: true, value: why }) as const
  if (actor === undefined) return refused('the event does not say who caused it')
  if (isAllowedBot(actor, inputs)) return ALLOWED
  const { login, id } = actor
  if (id === undefined) return refused(`the event does not give the id of ${login}`)
  const answer = await github.read<PermissionAnswer>(() =>
    github.call(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    ),
  )
  if (!answer.known && answer.error.status !== 404) return answer
  if (!answer.known) return refused(`${login} has no permission on this repository (404)`)
  const { user } = answer.value
  if (user?.id == null) return unknownBecause(new GitHubError("GitHub's response names no account"))
  if (user.id !== id) return refused(`the login ${login} now belongs to another account`)
  const level = readLevel(answer.value)
  const isEnough = LEVELS.indexOf(level) >= LEVELS.indexOf(inputs['required-permission'])
  return isEnough ? ALLOWED : refused(`${login} has the permission \`${level}\` on this repository`)
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

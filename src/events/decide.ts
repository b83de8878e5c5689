import { type Known, NONE, unknownBecause } from '../github/client.ts'
import { react } from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import type { MergedPulls } from '../github/pull-requests.ts'
import type { Maybe, Sent, User } from '../github/types.ts'
import { hasPrompt, PERMISSION_LEVELS } from '../inputs/table.ts'
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
import { loadMergedPulls, whyNoJobIsNeeded } from './loop-guard.ts'
import { mayWrite, type Skip, skip, type Trigger } from './trigger.ts'

/** Whether a run may do what it was asked. */
type Decision =
  | Skip
  /** A command without instructions, which is answered with how to use it. */
  | { readonly kind: 'no-instructions'; readonly skip: Skip }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'go'; readonly mergedPulls: MergedPulls }

/**
 * Checks the permission of the account that caused the run, where the event needs one, and whether a push needs no job.
 * Hands on the merged pull requests of a push, which the context tells as well.
 */
export async function decide(trigger: Trigger, run: Run): Promise<Decision> {
  const { event, command } = trigger
  const { inputs, cancel } = run
  const refusal = await authorize(trigger, run)
  if (cancel.aborted) return { kind: 'cancelled' }
  if (refusal !== undefined) return refusal
  // With `job-id`, a bare command waits for that job.
  if (command?.instructions === '' && !hasPrompt(inputs) && inputs['job-id'] === '') {
    const reason = `${inputs.command} comes without instructions, and there is no \`prompt\``
    return { kind: 'no-instructions', skip: skip('notice', reason) }
  }
  const mergedPulls = await loadMergedPulls(event, run)
  if (cancel.aborted) return { kind: 'cancelled' }
  const reason = whyNoJobIsNeeded(event, inputs, mergedPulls)
  return reason === undefined ? { kind: 'go', mergedPulls } : skip('notice', reason)
}

/**
 * Checks the permission of the account that caused the run, where the event needs one. Where it is refused or unknown, a
 * command gets a reaction, and no comment.
 *
 * @returns why the run may do nothing; `undefined` if it may
 */
async function authorize({ event, command }: Trigger, run: Run): Promise<Skip | undefined> {
  const { inputs, github, environment, cancel } = run
  if (command === undefined && isTrusted(event, environment)) return undefined
  const { sender, workflow_run: before } = event.payload
  const actor =
    command?.author ??
    readActor(before?.event === 'pull_request' ? before.triggering_actor : sender)
  const refusal = await findRefusal(actor, run)
  if (refusal.known && refusal.value === undefined) return undefined
  const error = refusal.known ? undefined : refusal.error
  const isTokenRefused = inputs['github-token'] === '' || error?.status === 401
  if (command !== undefined && mayWrite(inputs) && !isTokenRefused && !cancel.aborted) {
    await react(github, command.source, refusal.known ? '-1' : 'confused')
  }
  if (refusal.known) {
    const what = command ? `the command ${inputs.command}` : `a run on this \`${event.name}\` event`
    const needs = `needs \`${inputs['required-permission']}\` (\`required-permission\`)`
    return skip('notice', `${refusal.value}, and ${what} ${needs}`)
  }
  const again = command ? 'repeat the command' : 're-run this job'
  const advice =
    isTokenRefused || error?.kind === 'permission'
      ? `Correct \`github-token\`, then ${again}`
      : `To try again, ${again} later`
  return skip(
    'warning',
    `failed to read the permission of ${actor?.login}: ${refusal.why}. ${advice}`,
  )
}

/** Whether an event can only be caused by someone with write permission. */
function isTrusted({ row, payload }: GitHubEvent, { repository }: Environment): boolean {
  if (row.causedBy === 'pull-request') {
    const { action, pull_request: pull, sender } = payload
    const byWriter =
      action === 'synchronize' ||
      (action === 'closed' && pull?.merged === true) ||
      sender?.type === 'Bot'
    return byWriter && !isFromFork(pull, repository)
  }
  if (row.causedBy === 'workflow-run') {
    const { event, head_repository: head } = payload.workflow_run ?? {}
    return isRepository(head, repository) && !!event && eventRow(event).causedBy === 'writer'
  }
  return row.causedBy === 'writer'
}

/** Whether an account of GitHub's may ask for jobs: one of `allow-bots`, or one with the required permission. */
export async function mayAsk(user: Maybe<User>, run: Run): Promise<Known<boolean>> {
  const refusal = await findRefusal(readActor(user), run)
  return refusal.known ? { known: true, value: refusal.value === undefined } : refusal
}

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
  if (isAllowedBot(actor, inputs)) return NONE
  const { login, id } = actor
  if (id === undefined) return refused(`the event does not give the id of ${login}`)
  const answer = await github.read<PermissionAnswer>(() =>
    github.call(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    ),
  )
  if (!answer.known) {
    const isNone = answer.error.status === 404
    return isNone ? refused(`${login} has no permission on this repository (404)`) : answer
  }
  const { user } = answer.value
  if (user?.id == null) return unknownBecause(new GitHubError("GitHub's response names no account"))
  if (user.id !== id) return refused(`the login ${login} now belongs to another account`)
  const level = readLevel(answer.value)
  const isEnough = LEVELS.indexOf(level) >= LEVELS.indexOf(inputs['required-permission'])
  return isEnough ? NONE : refused(`${login} has the permission \`${level}\` on this repository`)
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
const GRANTS = {
  read: 'pull',
  triage: 'triage',
  write: 'push',
  maintain: 'maintain',
  admin: 'admin',
}

/** The level in an answer: a role that an organization made is what it grants. */
function readLevel({
  permission,
  role_name: role,
  user,
}: PermissionAnswer): (typeof LEVELS)[number] {
  const named = (name: Maybe<string>) => PERMISSION_LEVELS.find((level) => level === name)
  const granted = user?.permissions
  const unnamed = granted
    ? PERMISSION_LEVELS.findLast((level) => granted[GRANTS[level]] === true)
    : named(permission)
  return named(role) ?? unnamed ?? 'none'
}

import { failedLookup, GitHubError, type Lookup, NOT_FOUND } from '../github/client.ts'
import type { MergedPulls } from '../github/pull-requests.ts'
import type { FromGitHub, Maybe, User } from '../github/types.ts'
import { PERMISSION_LEVELS } from '../inputs/table.ts'
import type { Run } from '../runner/run.ts'
import type { Trigger } from './command.ts'
import { readLabels, readPullsOfPush } from './commits.ts'
import { type Actor, accountToCheck, isAllowedBot, readActor } from './event.ts'
import { type LineComment, readLineComments } from './review.ts'

/** Whether an account may start jobs: one of `allow-bots`, or one with `required-permission`. */
export async function canStartJob(user: Maybe<User>, run: Run): Promise<Lookup<boolean>> {
  const refusal = await findRefusal(readActor(user), run)
  return refusal.known ? { known: true, value: refusal.value === undefined } : refusal
}

/**
 * Finds out why an account may not start a job; `undefined` if it may. GitHub's answer must be about the same account,
 * because a login can pass on to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
async function findRefusal(
  actor: Actor | undefined,
  { inputs, github }: Run,
): Promise<Lookup<string | undefined>> {
  const refused = (why: string) => ({ known: true, value: why }) as const
  if (actor === undefined) return refused('the event does not say who caused it')
  if (isAllowedBot(actor, inputs)) return NOT_FOUND
  const { login, id } = actor
  if (id === undefined) return refused(`the event does not give the ID of ${login}`)
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
  if (user?.id == null) return failedLookup(new GitHubError("GitHub's response names no account"))
  if (user.id !== id) return refused(`the login ${login} now belongs to another account`)
  const level = permissionLevel(answer.value)
  const isEnough = LEVELS.indexOf(level) >= LEVELS.indexOf(inputs['required-permission'])
  return isEnough
    ? NOT_FOUND
    : refused(`${login} has the permission \`${level}\` on this repository`)
}

/** The part of GitHub's answer that shows the level. */
type PermissionAnswer = FromGitHub<{
  /** Only `admin`, `write`, `read`, or `none`. */
  permission: string
  /** One of the five levels, or the name of a role that an organization made. */
  role_name: string
  user: FromGitHub<{ id: number; permissions: Readonly<Record<string, boolean>> }>
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

/** Reads the level: that of a role that an organization made is what the role grants. */
function permissionLevel({
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

/** What is read of a trigger before anything is done for it. */
export type Origin = {
  /** Why the account that caused it may not start a job; `undefined` if it may. */
  readonly refusal: Lookup<string | undefined>
  /** The account, if it was checked. */
  readonly login: string
  /** Of a push, by commit. */
  readonly mergedPulls: MergedPulls
  /** Of the event's pull request, as they are now. */
  readonly labels: readonly string[]
  /** Of a review that requests changes. */
  readonly lineComments: readonly LineComment[]
}

/** Reads who caused an event, and, if they may start a job, the pull requests that decide whether one is needed. */
export async function readOrigin({ event, command }: Trigger, run: Run): Promise<Origin> {
  const actor = command?.author ?? accountToCheck(event, run.environment)
  const isTrusted = actor === 'trusted'
  const refusal = isTrusted ? NOT_FOUND : await findRefusal(actor, run)
  const login = isTrusted ? '' : (actor?.login ?? '')
  const isRefused = !refusal.known || refusal.value !== undefined
  const found = { refusal, login, mergedPulls: new Map(), labels: [], lineComments: [] }
  if (isRefused || run.cancel.aborted) return found
  if (command?.kind === 'review')
    return { ...found, lineComments: await readLineComments(command, run) }
  const [mergedPulls, labels] = await Promise.all([
    readPullsOfPush(event, run),
    readLabels(event, run),
  ])
  return { ...found, mergedPulls, labels }
}

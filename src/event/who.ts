import type { FromGitHub, Maybe } from '../github/client.ts'
import { GitHubError, notStartedProblem } from '../github/github-errors.ts'
import { type Inputs, PERMISSION_LEVELS } from '../inputs/table.ts'
import { includesName } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { Actor } from './command.ts'
import type { GitHubEvent } from './event.ts'

/** Whether an account is one of `allow-bots`, which need no permission: a bot with exactly that login. */
export function isAllowedBot({ isBot, login }: Actor, inputs: Inputs): boolean {
  return isBot && includesName(inputs['allow-bots'], login)
}

/**
 * Reads why the account behind an event may not start a job; `undefined` if it may: one of `allow-bots`, or one with
 * `required-permission`. GitHub's answer must be about the same account, because a login can pass on to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 *
 * @throws {Problem}
 */
export async function readRefusal(
  { actor }: GitHubEvent,
  { inputs, github }: Run,
): Promise<string | undefined> {
  if (actor === 'trusted') return undefined
  if (!actor) return 'the event does not name the account that caused it'
  if (isAllowedBot(actor, inputs)) return undefined
  const { login, id } = actor
  if (id === undefined) return `the event does not give the ID of ${login}`
  const call = { purpose: `read the permission of ${login}`, permission: 'metadata: read' }
  const answer = await github.needIfFound<PermissionAnswer>(call, () =>
    github.call(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    ),
  )
  if (answer === undefined) return `${login} has no permission on this repository (404)`
  const known = answer.user?.id
  if (known == null)
    throw notStartedProblem(call, new GitHubError('GitHub did not name the account'))
  if (known !== id) return `the login ${login} now belongs to another account`
  const level = permissionLevel(answer)
  const isEnough = LEVELS.indexOf(level) >= LEVELS.indexOf(inputs['required-permission'])
  return isEnough ? undefined : `${login} has the permission \`${level}\` on this repository`
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

/** Reads the level: a role that an organization made has the level that it grants. */
function permissionLevel({ permission, role_name: role, user }: PermissionAnswer) {
  const named = (name: Maybe<string>) => PERMISSION_LEVELS.find((level) => level === name)
  const granted = user?.permissions
  const unnamed = granted
    ? PERMISSION_LEVELS.findLast((level) => granted[GRANTS[level]])
    : named(permission)
  return named(role) ?? unnamed ?? 'none'
}

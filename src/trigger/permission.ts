import { readFailure } from '../github/failure.ts'
import type { GitHub } from '../github/github.ts'
import { PERMISSION_LEVELS, type PermissionLevel } from '../inputs/table.ts'
import { integerField } from '../lib/json.ts'
import type { Actor } from './event.ts'

/** Whether somebody may start a job; where not, why, to follow a colon. */
export type Verdict =
  | { readonly kind: 'granted' }
  /** `unavailable`: GitHub gave no answer that tells. */
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string }

/** Whether an account is a bot that needs no permission: a real bot with exactly that login. */
export function isAllowedBot({ isBot, login }: Actor, allowBots: readonly string[]): boolean {
  return isBot && allowBots.some((allowed) => allowed.toLowerCase() === login.toLowerCase())
}

/**
 * Asks GitHub whether somebody has at least a level of permission on the repository. The answer must be about the same
 * account: a login can pass on to somebody else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
export async function checkPermission(
  github: GitHub,
  { login, id }: Actor,
  required: PermissionLevel,
): Promise<Verdict> {
  const needed = `\`required-permission\` is \`${required}\``
  if (id === undefined) return refused(`the event does not give the id of ${login}, and ${needed}`)
  try {
    const { data } = await github.ask(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    )
    if (data.user?.id === undefined) return unavailable(login, 'it named no account in its answer')
    if (data.user.id !== id) return refused(`${login} is the login of another account now, and ${needed}`)
    const level = readLevel(data)
    if (isAtLeast(level, required)) return { kind: 'granted' }
    return refused(`${login} has the permission \`${level}\` on this repository, and ${needed}`)
  } catch (error) {
    if (integerField(error, 'status') !== 404) return unavailable(login, readFailure(error).text)
    return refused(`${login} has no permission on this repository that GitHub knows of (404), and ${needed}`)
  }
}

function refused(reason: string): Verdict {
  return { kind: 'refused', reason }
}

function unavailable(login: string, failure: string): Verdict {
  return {
    kind: 'unavailable',
    reason: `GitHub could not be asked for the permission of ${login}: ${failure}`,
  }
}

type Level = PermissionLevel | 'none'

function isAtLeast(level: Level, required: PermissionLevel): boolean {
  return level !== 'none' && PERMISSION_LEVELS.indexOf(level) >= PERMISSION_LEVELS.indexOf(required)
}

/** What GitHub answers, as far as it tells the level. */
type PermissionAnswer = {
  /** Knows three levels only: `admin`, `write`, `read`, or `none`. */
  readonly permission: string
  /** One of the five levels, or the name of a role that an organisation made. */
  readonly role_name: string
  readonly user: { readonly permissions?: Readonly<Partial<Record<Grant, boolean>>> } | null
}

type Grant = 'admin' | 'maintain' | 'push' | 'triage' | 'pull'

/** From most to least. */
const GRANTS: readonly (readonly [Grant, PermissionLevel])[] = [
  ['admin', 'admin'],
  ['maintain', 'maintain'],
  ['push', 'write'],
  ['triage', 'triage'],
  ['pull', 'read'],
]

/** The level in an answer: a role that an organisation made is what it grants. */
function readLevel({ permission, role_name: role, user }: PermissionAnswer): Level {
  const standard = PERMISSION_LEVELS.find((level) => level === role)
  if (standard !== undefined) return standard
  const granted = user?.permissions
  if (granted === undefined) return PERMISSION_LEVELS.find((level) => level === permission) ?? 'none'
  return GRANTS.find(([grant]) => granted[grant] === true)?.[1] ?? 'none'
}

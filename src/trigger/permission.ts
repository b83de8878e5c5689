import { readFailure } from '../github/failure.ts'
import type { GitHub } from '../github/github.ts'
import { PERMISSION_LEVELS, type PermissionLevel } from '../inputs/table.ts'
import { stringField } from '../lib/json.ts'

/** Whether somebody may ask; where not, why, to follow "Nothing was done:". */
export type Verdict = { readonly granted: true } | { readonly granted: false; readonly reason: string }

/**
 * Asks GitHub whether somebody has at least a level of permission on the repository. Whatever goes wrong is a no.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
export async function checkPermission(
  github: GitHub,
  login: string,
  least: PermissionLevel,
): Promise<Verdict> {
  try {
    const { data } = await github.ask((octokit) =>
      octokit.rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    )
    const level = readLevel(data)
    if (level >= PERMISSION_LEVELS.indexOf(least)) return { granted: true }
    const has = PERMISSION_LEVELS[level] ?? 'none'
    return {
      granted: false,
      reason: `${login} has the permission \`${has}\` here, and \`${least}\` is needed`,
    }
  } catch (error) {
    return {
      granted: false,
      reason: `GitHub could not be asked for the permission of ${login}: ${readFailure(error).text}`,
    }
  }
}

/**
 * The level in an answer, as an index of `PERMISSION_LEVELS`; -1 for none. `role_name` knows all five levels, but may
 * be a role that an organisation made; `permission` then says which of the older three it comes from.
 */
function readLevel(data: unknown): number {
  const levels: readonly (string | undefined)[] = PERMISSION_LEVELS
  const role = levels.indexOf(stringField(data, 'role_name'))
  return role === -1 ? levels.indexOf(stringField(data, 'permission')) : role
}

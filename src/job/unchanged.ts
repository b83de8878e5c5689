import type { GitHubEvent } from '../events/event-table.ts'
import { ownAuthor } from '../events/loop-guard.ts'
import { readMergedPulls } from '../github/merged-pulls.ts'
import type { Comparison } from '../github/types.ts'
import type { Found } from '../record/found.ts'
import type { Run } from '../runner/run.ts'

/** More commits than this are taken for a change, like a push of so many. */
const MAX_COMMITS = 20

/**
 * Why a schedule starts no job (`skip-unchanged`): since the step's last job the branch has no commit but the agent's own.
 *
 * @returns `undefined` if there is one, or that can't be told
 */
export async function findUnchanged(
  { name }: GitHubEvent,
  { lastJob }: Found,
  { inputs, environment, github }: Run,
): Promise<string | undefined> {
  const base = lastJob.known ? lastJob.value : undefined
  const isAsked = inputs['skip-unchanged'] && name === 'schedule' && inputs['reader-signals'] !== 'agent'
  if (!isAsked || base === undefined) return undefined
  const reason = `no commit on this branch since this step's last job (on ${base.sha.slice(0, 7)}) but the agent's own`
  if (base.sha === environment.sha) return reason
  const basehead = `${base.sha}...${environment.sha}`
  const compared = await github.read(() =>
    github.call<Comparison>(({ rest }) =>
      rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead }),
    ),
  )
  if (!compared.known) return undefined
  const { status, commits } = compared.value
  if (status !== 'ahead' || !commits || commits.length > MAX_COMMITS) return undefined
  const origins = commits.map(({ sha, commit, author }) => ({
    sha: sha ?? '',
    message: commit?.message ?? '',
    login: author?.login,
    email: commit?.author?.email,
  }))
  const merged = await readMergedPulls(origins, { level: 'notice' }, github)
  const isOwn = origins.every((one) => ownAuthor(one, inputs, merged.get(one.sha)) !== undefined)
  return isOwn ? reason : undefined
}

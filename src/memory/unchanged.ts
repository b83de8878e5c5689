import { isSha } from '../events/event-table.ts'
import { ownAuthors } from '../events/loop-guard.ts'
import type { Trigger } from '../events/trigger.ts'
import { readMergedPulls } from '../github/pull-requests.ts'
import type { Comparison } from '../github/types.ts'
import { inBackticks } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { Since } from './recall.ts'
import { usesMemory } from './status.ts'

/** More commits than this are taken for a change, like a push of so many. */
const MAX_COMMITS = 20

/**
 * Why a schedule starts no job (`skip-unchanged`): since the step's last job the branch has no commit but the agent's own.
 *
 * @returns `undefined` if there is one, or that can't be told
 */
export async function findUnchanged(
  trigger: Trigger,
  { lastJob }: Since,
  { inputs, environment, github }: Run,
): Promise<string | undefined> {
  const isAsked = inputs['skip-unchanged'] && trigger.event.name === 'schedule'
  if (!isAsked || !usesMemory(trigger, inputs) || inputs['reader-signals'] === 'agent') return undefined
  const base = lastJob.known ? lastJob.value : undefined
  const head = environment.sha
  if (base === undefined || !isSha(head)) return undefined
  const id = base.jobId === '' ? 'of an unknown id' : inBackticks(base.jobId)
  const job = `job ${id} on ${base.sha.slice(0, 7)}`
  const reason = `no commit on this branch since this step's last job (${job}) but the agent's own`
  if (base.sha === head) return reason
  const compared = await github.read(() =>
    github.call<Comparison>(({ rest }) =>
      rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead: `${base.sha}...${head}` }),
    ),
  )
  if (!compared.known) return undefined
  const { status, commits, total_commits: count } = compared.value
  if (status !== 'ahead' || !commits || commits.length !== count || count > MAX_COMMITS) return undefined
  const origins = commits.map(({ sha, commit, author }) => ({
    sha: sha ?? '',
    message: commit?.message ?? '',
    login: author?.login,
    email: commit?.author?.email,
  }))
  const call = { purpose: "read the commits' pull requests", permission: 'pull-requests: read' } as const
  const merged = await readMergedPulls(
    origins,
    { withText: false, call: { ...call, level: 'notice' } },
    github,
  )
  return ownAuthors(origins, merged, inputs) === undefined ? undefined : reason
}

import { type GitHubEvent, isRepository, isSha } from '../events/event-table.ts'
import { originsOf, ownAuthor } from '../events/loop-guard.ts'
import { type Known, NONE } from '../github/client.ts'
import { GitHubError } from '../github/errors.ts'
import { readMergedPulls } from '../github/merged-pulls.ts'
import type { Comparison, Maybe, WorkflowRun } from '../github/types.ts'
import { inBackticks } from '../lib/text.ts'
import { stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { StepStatus } from './status.ts'
import { newestFirst, newestOfRuns, type StepStatuses } from './step-statuses.ts'

/** What the context compares with. */
export type Since = {
  /** The newest of the step's statuses that is a success, on a commit that was there before this event. */
  readonly lastJob: Known<StepStatus | undefined>
  /** Where there is no such status: when this workflow last succeeded on the branch. The context tells it on schedules. */
  readonly lastSuccess: Known<WorkflowSuccess | undefined>
}

/** A run of this workflow that succeeded. */
type WorkflowSuccess = { readonly sha: string; readonly url: string; readonly createdAt: string }

export function findLastJob(
  { payload }: GitHubEvent,
  { own, ofPull, ofBranch, completeness }: StepStatuses,
  run: Run,
): Since['lastJob'] {
  const pushed = new Set([payload.after, ...originsOf(payload.commits).map((one) => one.sha)])
  const statuses = [...newestOfRuns(own.known ? own.value : [], run), ...ofPull, ...ofBranch]
  const [newest] = newestFirst(statuses.filter(({ state, sha }) => state === 'success' && !pushed.has(sha)))
  const ofAll = own.known ? completeness : own
  return newest === undefined && !ofAll.known ? ofAll : { known: true, value: newest }
}

/** GitHub keeps commit statuses, and with them what a step remembers, for this long unless it is set otherwise. */
const RETENTION_MS = 90 * 86_400_000

const BRANCH = 'refs/heads/'

/**
 * Asks for this workflow's last success on the run's branch.
 * Source: GitHub's REST API, "List workflow runs for a workflow".
 *
 * @param isForContext whether the agent is to be told what has changed since, so that a failure is an annotation
 */
export async function loadLastSuccess(
  { environment, inputs, github, clock, log }: Run,
  isForContext: boolean,
): Promise<Since['lastSuccess']> {
  if (!environment.ref.startsWith(BRANCH)) return NONE
  const branch = environment.ref.slice(BRANCH.length)
  const created = `>=${new Date(clock.now() - RETENTION_MS).toISOString().slice(0, 10)}`
  const page = { branch, created, status: 'success', per_page: 20, exclude_pull_requests: true } as const
  const workflow_id = stepNames(environment, inputs.matrix).workflow
  const found = await github.read(async () => {
    const { workflow_runs: runs } = await github.call<{ workflow_runs?: Maybe<readonly WorkflowRun[]> }>(
      ({ rest }) => rest.actions.listWorkflowRuns({ ...github.repository, workflow_id, ...page }),
    )
    if (!Array.isArray(runs)) throw new GitHubError('GitHub returned no list of runs')
    // The branch of a fork's pull request may have the same name.
    const last = runs.find((one) => isRepository(one?.head_repository, environment.repository))
    const { head_sha: sha, html_url: url, created_at: createdAt } = last ?? {}
    return isSha(sha) ? { sha, url: url ?? '', createdAt: createdAt ?? '' } : undefined
  })
  if (found.known) return found
  const [purpose, permission] = ['look up when this workflow last succeeded', 'actions: read']
  const consequence = 'The agent is not told what has changed since.'
  if (isForContext) github.report(found.error, { purpose, permission, consequence })
  else log.info(`Failed to ${purpose}: ${found.why}. (It takes the permission \`${permission}\`.)`)
  return found
}

/** More commits than this are taken for a change, like a push of so many. */
const MAX_COMMITS = 20

/**
 * Why a schedule starts no job (`skip-unchanged`): since the step's last job the branch has no commit but the agent's own.
 *
 * @returns `undefined` if there is one, or that can't be told
 */
export async function findUnchanged(
  { name }: GitHubEvent,
  { lastJob }: Since,
  { inputs, environment, github }: Run,
): Promise<string | undefined> {
  if (!inputs['skip-unchanged'] || name !== 'schedule' || inputs['reader-signals'] === 'agent')
    return undefined
  const base = lastJob.known ? lastJob.value : undefined
  if (base === undefined) return undefined
  const id = base.jobId === '' ? 'of an unknown id' : inBackticks(base.jobId)
  const job = `job ${id} on ${base.sha.slice(0, 7)}`
  const reason = `no commit on this branch since this step's last job (${job}) but the agent's own`
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

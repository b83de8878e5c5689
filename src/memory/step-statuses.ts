import { type GitHubEvent, isSha } from '../events/event-table.ts'
import { type Known, NONE } from '../github/client.ts'
import { type CommitStatus, listStatuses, newestStatuses, PAGE_SIZE } from '../github/statuses.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { type StepStatus, statusCommit, statusContext } from './status.ts'

/** The statuses of a step, as far as GitHub returns them. */
export type StepStatuses = {
  /** On the run's own commit, newest first. */
  readonly own: Known<readonly StepStatus[]>
  /** The newest one on each other commit of the pull request, and on each other commit up to the run's; none is this run's. */
  readonly ofPull: readonly StepStatus[]
  readonly ofBranch: readonly StepStatus[]
  /** Unknown where some of the others may be missing. */
  readonly completeness: Known<undefined>
}

export const NO_STATUSES: StepStatuses = {
  own: { known: true, value: [] },
  ofPull: [],
  ofBranch: [],
  completeness: NONE,
}

/** Reads the statuses of the run's step: two requests. */
export async function readStepStatuses(event: GitHubEvent, run: Run): Promise<StepStatuses> {
  const { environment, github } = run
  const { payload } = event
  const sha = statusCommit(event, environment)
  if (!isSha(sha)) return NO_STATUSES
  const { pull_request: pull } = payload
  const before = payload.forced === true && isSha(payload.before) ? [payload.before] : []
  const heads = pull?.number == null || pull.merged === true ? [sha, ...before] : []
  const [own, newest] = await Promise.all([
    readStatusesOn(sha, run, isRerun(environment) ? undefined : PAGE_SIZE),
    github.read(() => newestStatuses(statusContext(run), { heads, pull: pull?.number ?? undefined }, github)),
  ])
  if (!newest.known) return { own, ofPull: [], ofBranch: [], completeness: newest }
  // Of the own commit the list has all; without it, the newest one is better than nothing.
  const isListed = own.known && own.value.length > 0
  const others = (statuses: readonly CommitStatus[]) =>
    statuses
      .filter((one) => !(isListed && one.sha === sha) && runIdIn(one.targetUrl, run) !== environment.runId)
      .map(readStepStatus)
  const { ofPull, ofHeads, completeness } = newest.value
  return { own, ofPull: others(ofPull), ofBranch: others(ofHeads), completeness }
}

/** Reads the step's statuses on a commit, newest first. */
export async function readStatusesOn(
  sha: string,
  run: Run,
  maxEntries?: number,
): Promise<Known<readonly StepStatus[]>> {
  const context = statusContext(run)
  return await run.github.read(async () =>
    (await listStatuses({ sha, context }, run.github, maxEntries)).map(readStepStatus),
  )
}

function readStepStatus(status: CommitStatus): StepStatus {
  return { ...status, jobId: /\(([^\s()]+)\)$/.exec(status.description)?.[1] ?? '' }
}

/** The id of the workflow run that a page belongs to; `undefined` if it is another page. */
function runIdIn(url: string, { environment }: Run): string | undefined {
  const prefix = `${environment.serverUrl}/${environment.repository}/actions/runs/`
  return url.startsWith(prefix) ? url.slice(prefix.length).split('/')[0] : undefined
}

/**
 * The page of the attempt that set a status: its target or, where that is a pull request, that of the nearest `pending`
 * status before it with the same job.
 *
 * @param statuses of a commit, newest first
 */
export function attemptUrl(status: StepStatus, statuses: readonly StepStatus[], run: Run): string {
  if (runIdIn(status.targetUrl, run) !== undefined) return status.targetUrl
  const before = statuses.slice(statuses.indexOf(status) + 1)
  const accepted = before.find(({ state, jobId }) => state === 'pending' && jobId === status.jobId)
  return accepted?.targetUrl ?? ''
}

/** Those of a commit's statuses that this run has set, on any attempt. */
export function statusesOfRun(statuses: readonly StepStatus[], run: Run): StepStatus[] {
  const { runId } = run.environment
  return statuses.filter((status) => runIdIn(attemptUrl(status, statuses, run), run) === runId)
}

/** The newest status of each other run on a commit. */
export function newestOfRuns(statuses: readonly StepStatus[], run: Run): StepStatus[] {
  const seen = new Set<unknown>([run.environment.runId])
  return statuses.filter((status) => {
    const id = runIdIn(attemptUrl(status, statuses, run), run) ?? status
    const isNewest = !seen.has(id)
    seen.add(id)
    return isNewest
  })
}

export function newestFirst(statuses: readonly StepStatus[]): StepStatus[] {
  return statuses.toSorted((one, other) => other.createdAtMs - one.createdAtMs)
}

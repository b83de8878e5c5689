import { type GitHubEvent, isSha } from '../events/event-table.ts'
import { originsOf } from '../events/loop-guard.ts'
import { hasPrompt, type Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { type CommitStatus, listStatuses, newestStatuses, PAGE_SIZE } from '../github/statuses.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { loadLastSuccess, type WorkflowSuccess } from './last-success.ts'
import {
  type EarlierJob,
  readStepStatus,
  runIdOf,
  type StepStatus,
  statusCommit,
  statusContext,
  usesMemory,
} from './status.ts'

/** What earlier attempts of this very run have left. */
export type Attempt =
  /** Nothing was begun: this attempt may begin. */
  | { readonly kind: 'none' }
  /** Runs like this one remember nothing. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'job'; readonly job: EarlierJob }
  /** A job was about to be started or sent a message, and nobody knows whether it was. */
  | { readonly kind: 'maybe-started'; readonly state: string }
  /** `why` follows a colon. */
  | { readonly kind: 'unknown'; readonly why: string }

export type Recalled = {
  readonly attempt: Attempt
  /** The job that an earlier run was about, and that this one may continue. */
  readonly earlier: Known<EarlierJob | undefined>
  /** Whether none was found where statuses are, so that an open pull request of the agent's may tell. */
  readonly mayBeAnnounced: boolean
}

/** What the context compares with. */
export type Since = {
  /** The newest of the step's statuses that is a success, on a commit that was there before this event. */
  readonly lastJob: Known<StepStatus | undefined>
  /** On schedules and dispatches, where there is no such status: when this workflow last succeeded on the branch. */
  readonly lastSuccess: Known<WorkflowSuccess | undefined>
}

const NONE = { known: true, value: undefined } as const

/** How many lists are read of commits whose newest status names no job. */
const MAX_LISTS = 5

/** Reads what the step remembers: two requests, and more only where those don't tell. None where nothing needs it. */
export async function recallStep(trigger: Trigger, run: Run): Promise<Recalled & Since> {
  const { inputs, environment } = run
  const { subject } = trigger.event.row
  const remembers = usesMemory(trigger, inputs)
  const isAgain = isRerun(environment)
  const findsJob = remembers && inputs['job-id'] === ''
  const isCompared = hasPrompt(inputs) && inputs.context !== 'none' && trigger.command === undefined
  const tellsSince = isCompared && (subject === 'push' || subject === 'branch')
  const memory =
    remembers && (findsJob || tellsSince || isAgain) ? await readMemory(trigger.event, run) : EMPTY

  const attempt = isAgain
    ? remembers
      ? attemptOf(memory.own, run)
      : { kind: 'forgotten' as const }
    : NO_ATTEMPT
  const lastJob = findLastJob(trigger.event, memory, run)
  const hasLastJob = lastJob.known && lastJob.value !== undefined
  const isOnBranch = subject === 'branch' || subject === 'push'
  let lastSuccess: Since['lastSuccess'] =
    subject === 'branch' && isCompared && !hasLastJob ? await loadLastSuccess(run, true) : NONE
  if (tellsSince && !lastJob.known) {
    const alternative =
      subject === 'push'
        ? 'what this push brought'
        : lastSuccess.known && lastSuccess.value
          ? 'what has changed since the last success of this workflow'
          : ''
    run.github.report(lastJob.error, {
      purpose: "read this step's last job",
      permission: 'contents: read',
      consequence:
        alternative === ''
          ? 'The agent is not told what has changed since.'
          : `The agent is told ${alternative}, not what has changed since that job.`,
    })
  }
  if (!findsJob || attempt.kind !== 'none')
    return { attempt, earlier: NONE, lastJob, lastSuccess, mayBeAnnounced: false }

  warnOfTwins(memory, run)
  let earlier = await findNewestJob(memory, run)
  const isMissing = earlier.known && earlier.value === undefined
  if (isMissing && isOnBranch) {
    if (lastSuccess === NONE) lastSuccess = await loadLastSuccess(run, false)
    earlier = await findBySuccess(memory, lastSuccess, run)
  }
  return { attempt, earlier, lastJob, lastSuccess, mayBeAnnounced: isMissing }
}

const NO_ATTEMPT: Attempt = { kind: 'none' }

/** The statuses of a step, as far as GitHub tells them. */
type Memory = {
  /** On the run's own commit, newest first. */
  readonly own: Known<readonly StepStatus[]>
  /** The newest one on each other commit; of a merged pull request first those of its own commits. */
  readonly others: readonly (readonly StepStatus[])[]
  /** Unknown where some of the others may be missing. */
  readonly completeness: Known<undefined>
}

const EMPTY: Memory = { own: { known: true, value: [] }, others: [], completeness: NONE }

async function readMemory(event: GitHubEvent, run: Run): Promise<Memory> {
  const { environment, github } = run
  const { payload } = event
  const sha = statusCommit(event, environment)
  if (!isSha(sha)) return EMPTY
  const context = statusContext(run)
  const pull = event.row.subject === 'pull-request' ? (payload.pull_request?.number ?? undefined) : undefined
  const before = payload.forced === true && isSha(payload.before) ? [payload.before] : []
  const heads = pull === undefined || isMerged(event) ? [sha, ...before] : []
  const [own, newest] = await Promise.all([
    github.read(() => listStatuses({ sha, context }, github, isRerun(environment) ? undefined : PAGE_SIZE)),
    github.read(() => newestStatuses(context, { heads, pull }, github)),
  ])
  // Of the own commit the list tells all; without it, the newest one is better than nothing.
  const others = (statuses: readonly CommitStatus[]): StepStatus[] =>
    statuses
      .filter(
        (one) =>
          (one.sha !== sha || !own.known || own.value.length === 0) &&
          runIdOf(one, environment) !== environment.runId,
      )
      .map(readStepStatus)
  return {
    own: own.known ? { known: true, value: own.value.map(readStepStatus) } : own,
    others: newest.known ? [others(newest.value.ofPull), others(newest.value.ofHeads)] : [],
    completeness: newest.known ? newest.value.completeness : newest,
  }
}

function isMerged({ row, payload }: GitHubEvent): boolean {
  return row.subject === 'pull-request' && payload.pull_request?.merged === true
}

/**
 * The page of the attempt that set a status: its target or, where that is a pull request, that of the nearest `pending`
 * status before it with the same job.
 *
 * @param statuses of a commit, newest first
 */
function attemptUrl(status: StepStatus, statuses: readonly StepStatus[], { environment }: Run): string {
  if (runIdOf(status, environment) !== undefined) return status.targetUrl
  const before = statuses.slice(statuses.indexOf(status) + 1)
  const accepted = before.find(({ state, jobId }) => state === 'pending' && jobId === status.jobId)
  return accepted?.targetUrl ?? ''
}

function runIdOfStatus(status: StepStatus, statuses: readonly StepStatus[], run: Run): string | undefined {
  return runIdOf({ ...status, targetUrl: attemptUrl(status, statuses, run) }, run.environment)
}

/** The newest status of each run on a commit, this run's aside. */
function newestOfRuns(statuses: readonly StepStatus[], run: Run): StepStatus[] {
  const byRun = Map.groupBy(statuses, (status) => runIdOfStatus(status, statuses, run) ?? status)
  byRun.delete(run.environment.runId)
  return [...byRun.values()].flatMap(([newest]) => newest ?? [])
}

function attemptOf(own: Memory['own'], run: Run): Attempt {
  if (!own.known) return { kind: 'unknown', why: own.why }
  const ofRun = own.value.filter((one) => runIdOfStatus(one, own.value, run) === run.environment.runId)
  const [newest] = ofRun
  if (newest === undefined) return NO_ATTEMPT
  const attempts = Map.groupBy(ofRun, (status) => attemptUrl(status, own.value, run))
  const isShared = [...attempts.values()].some((statuses) => {
    const jobs = new Set(statuses.flatMap(({ jobId }) => jobId || []))
    return jobs.size > 1 || (jobs.size === 1 && statuses[0]?.jobId === '')
  })
  if (isShared) return { kind: 'unknown', why: `an attempt of this run shows two jobs. ${TELL_APART}` }
  if (newest.jobId !== '') return { kind: 'job', job: jobOf(newest, own.value) }
  return newest.state === 'failure' ? NO_ATTEMPT : { kind: 'maybe-started', state: newest.state }
}

const TELL_APART =
  'To tell two of one workflow run apart, give each step an `id`, and pass the caller’s matrix to a reusable workflow (`matrix`)'

/** On the first attempt, a status of this very run is another leg's, or another call's of the same workflow. */
function warnOfTwins({ own }: Memory, run: Run): void {
  if (isRerun(run.environment) || !own.known) return
  const isTwin = own.value.some((one) => runIdOfStatus(one, own.value, run) === run.environment.runId)
  if (!isTwin) return
  run.log.warning(
    `Another step or leg of this workflow run remembers its job under the same name, so re-runs can't tell the two jobs apart. ${TELL_APART}, or use different projects.`,
  )
}

function findLastJob(event: GitHubEvent, memory: Memory, run: Run): Since['lastJob'] {
  const { payload, row } = event
  const pushed = new Set(
    row.subject === 'push' ? [payload.after, ...originsOf(payload.commits).map((one) => one.sha)] : [],
  )
  const own = memory.own.known ? newestOfRuns(memory.own.value, run) : []
  const jobs = [own, ...memory.others]
    .flat()
    .filter(({ state, sha }) => state === 'success' && !pushed.has(sha))
  const [newest] = newestFirst(jobs)
  const completeness = memory.own.known ? memory.completeness : memory.own
  return newest === undefined && !completeness.known ? completeness : { known: true, value: newest }
}
function newestFirst(statuses: readonly StepStatus[]): StepStatus[] {
  return statuses.toSorted((one, other) => other.createdAtMs - one.createdAtMs)
}

/** The job of the newest status that names one; of a merged pull request, one of its own commits comes first. */
async function findNewestJob(memory: Memory, run: Run): Promise<Recalled['earlier']> {
  const own = memory.own.known ? memory.own.value : []
  const known = [...own, ...memory.others.flat()]
  const listed = own.map(({ sha }) => sha)
  const [ofPull = [], ...rest] = memory.others
  for (const statuses of [[...newestOfRuns(own, run), ...ofPull], ...rest]) {
    const found = await newestJobAmong(statuses, { known, listed }, run)
    if (!found.known || found.value !== undefined) return found
  }
  return memory.own.known ? memory.completeness : memory.own
}

/**
 * @param statuses the newest of each commit, or of each run on one
 * @param beside `known`: statuses that may name the job's pull request; `listed`: commits of which there is no more to read
 */
async function newestJobAmong(
  statuses: readonly StepStatus[],
  { known, listed }: { readonly known: readonly StepStatus[]; readonly listed: readonly string[] },
  run: Run,
): Promise<Recalled['earlier']> {
  const read = new Set(listed)
  let candidates = newestFirst(statuses)
  let problem: Known<undefined> = NONE
  for (let lists = 0; ; ) {
    const [newest, ...rest] = candidates
    if (newest === undefined) return problem
    if (newest.jobId !== '') return { known: true, value: jobOf(newest, known) }
    candidates = rest
    if (!read.has(newest.sha) && lists < MAX_LISTS) {
      lists += 1
      read.add(newest.sha)
      const all = await readList(newest.sha, run)
      if (all.known) candidates = newestFirst([...rest, ...newestOfRuns(all.value, run)])
      else {
        problem = all
        noticeUnnamed(newest, run)
      }
    } else if (newest.state !== 'failure') noticeUnnamed(newest, run)
  }
}

async function readList(sha: string, run: Run): Promise<Known<readonly StepStatus[]>> {
  const { github } = run
  const listed = await github.read(() =>
    listStatuses({ sha, context: statusContext(run) }, github, PAGE_SIZE),
  )
  return listed.known ? { known: true, value: listed.value.map(readStepStatus) } : listed
}

function noticeUnnamed({ sha, targetUrl }: StepStatus, { log }: Run): void {
  log.notice(
    `An earlier run (${targetUrl || `commit ${sha.slice(0, 7)}`}) may have started a job that its commit status does not name, so this run can't continue that one. The dashboard of the docs service shows it.`,
  )
}

/** Where none of the newest commits names a job: on the commit of the workflow's last success. */
async function findBySuccess(
  memory: Memory,
  success: Since['lastSuccess'],
  run: Run,
): Promise<Recalled['earlier']> {
  // Without the permission it is none.
  if (!success.known && success.error?.kind !== 'permission') return success
  const sha = success.known ? success.value?.sha : undefined
  const isRead = memory.others.flat().some((one) => one.sha === sha) || sha === run.environment.sha
  if (sha === undefined || isRead) return NONE
  const all = await readList(sha, run)
  if (!all.known) return all
  return await newestJobAmong(newestOfRuns(all.value, run), { known: all.value, listed: [sha] }, run)
}

/** The address of a pull request or merge request, on whichever host. */
const PULL_REQUEST = /\/(?:pulls?|merge_requests|pull-?requests?)\/\d+/

function jobOf({ jobId, createdAtMs }: StepStatus, known: readonly StepStatus[]): EarlierJob {
  const ofJob = known.filter((status) => status.jobId === jobId)
  const prLink = ofJob.find(({ targetUrl }) => PULL_REQUEST.test(targetUrl))?.targetUrl ?? ''
  return { id: jobId, prLink, namedAtMs: Math.min(createdAtMs, ...ofJob.map((one) => one.createdAtMs)) }
}

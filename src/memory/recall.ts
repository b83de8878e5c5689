import type { Trigger } from '../events/trigger.ts'
import { type Known, NONE } from '../github/client.ts'
import type { GitHubError } from '../github/errors.ts'
import { PAGE_SIZE } from '../github/statuses.ts'
import { hasPrompt } from '../inputs/table.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { findAnnouncedJob } from './announced-job.ts'
import { findLastJob, loadLastSuccess, type Since } from './last-job.ts'
import { type EarlierJob, permissionToRead, type StepStatus, usesMemory } from './status.ts'
import {
  attemptUrl,
  NO_STATUSES,
  newestFirst,
  newestOfRuns,
  readStatusesOn,
  readStepStatuses,
  type StepStatuses,
  statusesOfRun,
} from './step-statuses.ts'

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
}

/** How many lists are read of commits whose newest status names no job. */
const MAX_LISTS = 5

/**
 * Reads what the step remembers: the job that it may continue, and what the context compares with. Two requests, and more
 * only where those don't tell; none where nothing needs it.
 */
export async function recallStep(trigger: Trigger, run: Run): Promise<Recalled & Since> {
  const { event } = trigger
  const { inputs } = run
  const { subject } = event.row
  const isOnBranch = subject === 'branch' || subject === 'push'
  const isCompared = isOnBranch && hasPrompt(inputs) && inputs.context !== 'none'
  const remembers = usesMemory(event, inputs)
  const isAgain = isRerun(run.environment)
  const statuses = remembers ? await readStepStatuses(event, run) : NO_STATUSES

  const attempt = findAttempt(statuses.own, remembers, run)
  const searches = remembers && inputs['job-id'] === '' && attempt.kind === 'none'
  if (!isAgain) warnOfSharedName(statuses.own, run)
  const found = searches ? await findInStatuses(statuses, run) : NONE
  const isMissing = searches && found.known && found.value === undefined

  const lastJob = findLastJob(event, statuses, run)
  const isForContext = isCompared && subject === 'branch' && !(lastJob.known && lastJob.value)
  const needsSuccess = isForContext || (isMissing && isOnBranch)
  const lastSuccess = needsSuccess ? await loadLastSuccess(run, isForContext) : NONE
  if (isCompared && !lastJob.known) reportLastJob(lastJob.error, subject, lastSuccess, run)
  const earlier = isMissing ? await findElsewhere(trigger, statuses, lastSuccess, run) : found
  return { attempt, earlier, lastJob, lastSuccess }
}

/** Says what the agent is told where the step's last job can't be read. */
function reportLastJob(error: GitHubError, subject: string, success: Since['lastSuccess'], run: Run): void {
  const ofSuccess =
    success.known && success.value ? 'what has changed since the last success of this workflow' : ''
  const told = subject === 'push' ? 'what this push brought' : ofSuccess
  const consequence =
    told === ''
      ? 'The agent is not told what has changed since.'
      : `The agent is told ${told}, not what has changed since that job.`
  const call = { purpose: "read this step's last job", permission: permissionToRead(error), consequence }
  run.github.report(error, call)
}

function findAttempt(own: StepStatuses['own'], remembers: boolean, run: Run): Attempt {
  if (!isRerun(run.environment)) return { kind: 'none' }
  if (!remembers) return { kind: 'forgotten' }
  if (!own.known) return { kind: 'unknown', why: own.why }
  const ofRun = statusesOfRun(own.value, run)
  const attempts = Map.groupBy(ofRun, (status) => attemptUrl(status, own.value, run))
  const isShared = [...attempts.values()].some((statuses) => {
    const jobs = new Set(statuses.flatMap(({ jobId }) => jobId || []))
    return jobs.size > 1 || (jobs.size === 1 && statuses[0]?.jobId === '')
  })
  if (isShared) return { kind: 'unknown', why: `an attempt of this run shows two jobs. ${TELL_APART}` }
  const [newest] = ofRun
  if (newest !== undefined && newest.jobId !== '') return { kind: 'job', job: jobOf(newest, own.value) }
  const isStarted = newest !== undefined && newest.state !== 'failure'
  return isStarted ? { kind: 'maybe-started', state: newest.state } : { kind: 'none' }
}

const TELL_APART =
  'To tell two of one workflow run apart, give each step an `id`, and pass the caller’s matrix to a reusable workflow (`matrix`)'

/** On the first attempt, a status of this very run is another leg's, or another call's of the same workflow. */
function warnOfSharedName(own: StepStatuses['own'], run: Run): void {
  if (!own.known || statusesOfRun(own.value, run).length === 0) return
  run.log.warning(
    `Another step or leg of this workflow run remembers its job under the same name, so re-runs can't tell the two jobs apart. ${TELL_APART}, or use different projects.`,
  )
}

/** The job of the newest status that names one; of a merged pull request, one of its own commits comes first. */
async function findInStatuses(statuses: StepStatuses, run: Run): Promise<Recalled['earlier']> {
  const { own, ofPull, ofBranch, completeness } = statuses
  const listed = own.known ? own.value : []
  for (const candidates of [[...newestOfRuns(listed, run), ...ofPull], ofBranch]) {
    const found = await newestJobAmong(candidates, listed, run)
    if (!found.known || found.value !== undefined) return found
  }
  return own.known ? completeness : own
}

/**
 * Reads the list of a commit whose newest status names no job.
 *
 * @param candidates the newest status of each commit, or of each run on one
 * @param listed all statuses of commits whose lists are read already
 */
async function newestJobAmong(
  candidates: readonly StepStatus[],
  listed: readonly StepStatus[],
  run: Run,
): Promise<Recalled['earlier']> {
  const statuses = [...listed, ...candidates]
  const isListed = new Set(listed.map(({ sha }) => sha))
  const maxListed = isListed.size + MAX_LISTS
  let problem: Known<undefined> = NONE
  let queue = newestFirst(candidates)
  for (let newest = queue.shift(); newest !== undefined; newest = queue.shift()) {
    const { sha, jobId, state } = newest
    if (jobId !== '') return { known: true, value: jobOf(newest, statuses) }
    if (isListed.has(sha) || isListed.size === maxListed) {
      if (state !== 'failure') noticeUnnamed(newest, run)
      continue
    }
    isListed.add(sha)
    const list = await readStatusesOn(sha, run, PAGE_SIZE)
    if (list.known) {
      statuses.push(...list.value)
      queue = newestFirst([...queue, ...newestOfRuns(list.value, run)])
    } else {
      problem = list
      noticeUnnamed(newest, run)
    }
  }
  return problem
}

function noticeUnnamed({ sha, targetUrl }: StepStatus, { log }: Run): void {
  log.notice(
    `An earlier run (${targetUrl || `commit ${sha.slice(0, 7)}`}) may have started a job that its commit status does not name, so this run can't continue that one. The dashboard of the docs service shows it.`,
  )
}

/** Where none of the newest commits names a job: the commit of the workflow's last success, then an open pull request. */
async function findElsewhere(
  trigger: Trigger,
  statuses: StepStatuses,
  success: Since['lastSuccess'],
  run: Run,
): Promise<Recalled['earlier']> {
  const found = await findBySuccess(statuses, success, run)
  return found.known && found.value === undefined ? await findAnnouncedJob(trigger, run) : found
}

async function findBySuccess(
  { ofPull, ofBranch }: StepStatuses,
  success: Since['lastSuccess'],
  run: Run,
): Promise<Recalled['earlier']> {
  // Without the permission it is none.
  if (!success.known && success.error.kind !== 'permission') return success
  const sha = success.known ? success.value?.sha : undefined
  const isRead = sha === run.environment.sha || [...ofPull, ...ofBranch].some((one) => one.sha === sha)
  if (sha === undefined || isRead) return NONE
  const list = await readStatusesOn(sha, run, PAGE_SIZE)
  if (!list.known) return list
  return await newestJobAmong(newestOfRuns(list.value, run), list.value, run)
}

/** The address of a pull request or merge request, on whichever host. */
const PULL_REQUEST = /\/(?:pulls?|merge_requests|pull-?requests?)\/\d+/

function jobOf({ jobId, createdAtMs }: StepStatus, statuses: readonly StepStatus[]): EarlierJob {
  const ofJob = statuses.filter((status) => status.jobId === jobId)
  const prLink = ofJob.find(({ targetUrl }) => PULL_REQUEST.test(targetUrl))?.targetUrl ?? ''
  return { id: jobId, prLink, namedAtMs: Math.min(createdAtMs, ...ofJob.map((one) => one.createdAtMs)) }
}

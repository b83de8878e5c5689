import type { GitHubCall } from '../github/client.ts'
import type { GitHubError } from '../github/github-errors.ts'
import { parsePullRequest, writePermission } from '../github/pull-requests.ts'
import { clip, type Failure, inBackticks, joinSentences } from '../lib/text.ts'
import { formatAge } from '../lib/time.ts'
import { MAX_SEARCHED_COMMITS } from '../look/earlier-runs.ts'
import { comparesWithLastJob } from '../look/event.ts'
import { hasEnded, type ObservedJob, type PullState, type Situation } from '../look/situation.ts'
import { STATUS_PERMISSION, WITHOUT_STATUS } from '../look/status.ts'
import type { Trigger } from '../look/trigger.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import { isRerun, type Run } from '../runner/run.ts'
import { type Skip, skip } from './skip.ts'

export type CreateAction = {
  readonly kind: 'create'
  /** The docs pull request before, which can't be updated. */
  readonly earlierPull: PullState | undefined
}
export type MessageAction = {
  readonly kind: 'message'
  readonly id: string
  /** When the job was recorded first, in milliseconds since the epoch; `undefined` for one that was given. */
  readonly namedAtMs?: number
  /** The docs pull request that the run updates. */
  readonly pull?: PullState | undefined
}
export type WaitAction = {
  readonly kind: 'wait'
  readonly id: string
  /** As Mintlify has just shown it. */
  readonly job?: Job | undefined
  /** When the job was recorded first, in milliseconds since the epoch; `undefined` for one that was given. */
  readonly namedAtMs?: number
}

/** Why nothing is started. */
type Stop = Failure & {
  readonly kind: 'stop'
  /** Whether an earlier attempt may have started a job. */
  readonly maybeStarted: boolean
  /** Whether a re-run may succeed with nothing changed. */
  readonly isTransient: boolean
}

/** Why a run does what it does. */
export type Remark =
  | { readonly level: 'info' | 'infoInSummary'; readonly text: string }
  | { readonly level: 'notice'; readonly text: string; readonly title: string }
  | { readonly level: 'failure'; readonly error: GitHubError; readonly call: GitHubCall }

/** What a run does about its job, as plain data. */
type Decision =
  | ((CreateAction | MessageAction | WaitAction) & { readonly remarks: readonly Remark[] })
  | Skip
  | Stop
type RunFacts = Pick<Run, 'inputs' | 'environment' | 'mintlify'>

/** Decides from what was looked up, and from the inputs, what to do about the job. */
export function decide(situation: Situation, run: RunFacts): Decision {
  const { trigger, earlier, ownJob, unchanged, hasInstructions } = situation
  const { attempt } = earlier
  const given = run.inputs['job-id']
  const isReview = trigger.command?.kind === 'review'
  if (unchanged) return skip('notice', unchanged, 'Nothing changed')
  if (given !== '') {
    if (!hasInstructions && !isReview) return { kind: 'wait', id: given, remarks: [] }
    if (attempt.kind !== 'none') return { kind: 'wait', id: given, remarks: [MAYBE_SENT] }
    return { kind: 'message', id: given, remarks: [] }
  }
  if (attempt.kind === 'maybe-started') return MAYBE_STARTED
  if (attempt.kind === 'unknown') {
    const { why, error } = attempt
    const headline = 'Could not tell which job the first attempt started'
    return unclearStart(`${headline}: ${error ? cause(error, trigger) : why}.`, headline)
  }
  if (ownJob?.failure) return stop(ownJob.failure)
  if (ownJob && !hasEnded(ownJob)) {
    const { id, job, namedAtMs } = ownJob
    const text = `Job ${inBackticks(id)} was started by an earlier attempt of this run. This attempt waits for it.`
    return { kind: 'wait', id, job, namedAtMs, remarks: [info(text)] }
  }
  if (isReview) return decideReview(situation, run)
  if (attempt.kind === 'forgotten') return newJob([FORGOTTEN, ...remarksOnNewJob(situation)])
  return decideUpdate(situation, run)
}

const MAYBE_SENT = notice(
  'This re-run sends no second message',
  'An earlier attempt may have sent the message already, so this one only waits for the job.',
)

/** The failure of a re-run that doesn't know whether an earlier attempt started a job. */
export function unclearStart(what: string, headline: string): Stop {
  const advice =
    "This attempt started nothing, so that two jobs don't run at once. Check the dashboard. If there is a job, set `job-id` to wait for it. If there is none, start a new run instead of re-running this one."
  const details = joinSentences(what, advice)
  return { ...stop({ headline, details }), maybeStarted: true }
}

const MAYBE_STARTED = unclearStart(
  'An earlier attempt of this run was interrupted, or got no response, while it was starting a job or sending a message.',
  'The first attempt may have started a job',
)

const FORGOTTEN = notice(
  'This re-run starts a new job',
  "The first attempt recorded no job (`comment: never`, or an event that isn't tracked), so this re-run starts a new one.",
)

/** Decides about a review that requests changes: a message to the docs pull request's job, and never a new job. */
function decideReview(situation: Situation, { inputs: { command } }: RunFacts): Decision {
  const { trigger, earlier, ownJob, earlierJob } = situation
  const refuse = (why: string): Skip => {
    const how = command === '' ? '' : `. \`${command} new …\` starts a new one`
    const reason = `the job of this docs pull request ${why}, so the review can't be sent to the agent${how}`
    return skip('notice', reason, 'The review was not sent to the agent', { answer: 'reason' })
  }
  const job = ownJob ?? earlierJob
  if (!job) {
    if (earlier.earlierJob.known)
      return refuse(
        'is unknown, because the source comment was deleted or was signed with another API key',
      )
    const headline = 'Could not look for the job of this docs pull request'
    const details = `${headline}: ${cause(earlier.earlierJob.error, trigger)}. The review was not sent to the agent.`
    return stop({ headline, details })
  }
  if (job.failure) return stop(job.failure)
  if (hasEnded(job)) return refuse(ENDINGS[job.state] ?? '')
  const state = job.pull?.state
  if (state === 'merged' || state === 'closed')
    return refuse(`can't change it any more: it was ${state}`)
  return sendTo(job, earlier.attempt.kind === 'forgotten' ? [MAYBE_REVIEWED] : [])
}

const MAYBE_REVIEWED = notice(
  'This re-run sends the review again',
  'The first attempt recorded no message (`comment: never`), so this re-run sends the review to the agent, perhaps for the second time.',
)

/** Decides about a run that may update the docs pull request of an earlier one. */
function decideUpdate(situation: Situation, run: RunFacts): Decision {
  const { trigger, earlier, ownJob, earlierJob } = situation
  const remarks: Remark[] = []
  if (ownJob) {
    remarks.push(endRemark(`Job ${inBackticks(ownJob.id)}`, ownJob, 'attempt'))
  } else if (!trigger.command && !run.inputs['follow-up']) {
    return newJob([])
  } else if (!earlier.earlierJob.known) {
    const { error } = earlier.earlierJob
    if (isRerun(run.environment)) return stopWithoutLookup(error, trigger)
    return newJob([lookupRemark(error, trigger)])
  } else if (earlier.unnamed !== '') {
    const text = `An earlier run or command (${earlier.unnamed}) may have started a job that its record doesn't name, so this run can't continue that one. Check the ${run.mintlify} dashboard for that job.`
    remarks.push(notice('An earlier run may have started a job', text))
  }
  if (earlierJob) return continueJob(earlierJob, remarks, situation, run)
  if (!ownJob) remarks.push(...remarksOnNewJob(situation))
  return newJob(remarks, mentioned(ownJob?.pull))
}

/** The failure of a re-run that can't look for an earlier job. */
function stopWithoutLookup(error: GitHubError, trigger: Trigger): Stop {
  const headline = 'Could not look for an earlier job'
  const isTransient = ['rate-limit', 'other'].includes(error.kind)
  const details = joinSentences(
    `${headline}: ${cause(error, trigger)}. A new job might repeat its work.`,
    isTransient ? '' : 'To start one anyway, start a new run instead of re-running this one.',
  )
  return stop({ headline, details, isTransient })
}

/** The warning of a first attempt that can't look for an earlier job. */
function lookupRemark(error: GitHubError, trigger: Trigger): Remark {
  const permission = permissionToRead(error, trigger)
  const purpose = 'look for an earlier job'
  // A token that can't read statuses can't write them either: one permission is missing for both.
  const isMissing = error.kind === 'permission' && permission === 'statuses: read'
  const call = isMissing
    ? { permission: STATUS_PERMISSION, effect: WITHOUT_STATUS, note: 'This run starts a new job.' }
    : { permission, effect: 'this run starts a new job, which opens another pull request' }
  return { level: 'failure', error, call: { purpose, ...call } }
}

/** Says why GitHub denied a look at the record, with the permission that may be missing. */
function cause(error: GitHubError, trigger: Trigger): string {
  return withMissingPermission(permissionToRead(error, trigger), error)
}

export function withMissingPermission(permission: string, { kind, message }: GitHubError): string {
  if (kind !== 'permission') return message
  return `${message}. The workflow may not grant \`${permission}\``
}

/** The permission that a token needs to read the record of a job. */
function permissionToRead({ path }: GitHubError, { command }: Trigger): string {
  if (command) return writePermission(command.source.thread)
  if (path === '' || path.endsWith('status')) return 'statuses: read'
  return path.startsWith('repository.pull') ? 'pull-requests: read' : 'contents: read'
}

/** Sends a message to an earlier job if its docs pull request is open, or if it may still open one. */
function continueJob(
  earlierJob: ObservedJob,
  remarks: readonly Remark[],
  situation: Situation,
  run: RunFacts,
): Decision {
  const { id, pull, job, failure } = earlierJob
  const name = `The earlier job ${inBackticks(id)}`
  if (failure) return stop(failure)
  if (hasEnded(earlierJob))
    return newJob([...remarks, endRemark(name, earlierJob)], mentioned(pull))
  if (pull) {
    const said = [...remarks, pullRemark(pull, id)]
    if (mentioned(pull)) return newJob(said, pull)
    return skipPaused(pull, situation, run) ?? sendTo(earlierJob, said)
  }
  // A finished job without a pull request has nothing to continue, except for a person's further words.
  if (!situation.trigger.command && job && isTerminal(job.status)) {
    const text = `${name} completed without a pull request. This run starts a new job.`
    return newJob([...remarks, info(text)])
  }
  const text = `${name} has no pull request yet. This run sends the job a message.`
  return sendTo(earlierJob, [...remarks, info(text)])
}

/**
 * Skips a run that would add to a docs pull request which has been waiting for a review for longer than `pause-after`. The
 * next run includes its changes, because it compares with the last job that was sent.
 */
function skipPaused(
  { prLink, waitingSinceMs }: PullState,
  { trigger: { event }, nowMs }: Situation,
  { inputs, environment }: RunFacts,
): Skip | undefined {
  const waitedMs = nowMs - (waitingSinceMs || nowMs)
  const { 'pause-after': pauseAfter = Infinity } = inputs
  if (waitedMs <= pauseAfter || !comparesWithLastJob(event, environment)) return undefined
  const { name } = parsePullRequest(prLink)
  const reason = `${name} has been waiting for a review for ${formatAge(waitedMs)}. The changes of this run will be included after it is reviewed, merged, or closed`
  return skip('notice', reason, 'The docs pull request is waiting for a review', { prLink })
}

/** Explains the state of the earlier docs pull request, and what this run does therefore. */
function pullRemark(pull: PullState, jobId: string): Remark {
  const { prLink, state, openFor, why } = pull
  const shown = clip(prLink, 300)
  if (state === 'merged' || state === 'closed')
    return info(`The earlier pull request ${shown} was ${state}. This run starts a new job.`)
  if (state === 'invisible') {
    const text = `\`github-token\` can't read the earlier pull request ${shown}, so this run starts a new job. To update pull requests in ${parsePullRequest(prLink).project}, use a token that can read them, for example a GitHub App's.`
    return notice("`github-token` can't read the earlier pull request", text)
  }
  if (state === 'unknown') {
    const text = `Could not look up the pull request ${shown}: ${why}. The message is sent to its job ${inBackticks(jobId)} anyway.`
    return notice('Could not look up the earlier pull request', text)
  }
  return info(`This run updates the pull request ${shown} (job ${jobId}${openFor}).`)
}

/** The earlier docs pull request, if a new job's prompt should mention it. */
function mentioned(pull: PullState | undefined): PullState | undefined {
  const isOver = ['merged', 'closed', 'invisible'].includes(pull?.state ?? '')
  return isOver ? pull : undefined
}

const ENDINGS: Partial<Record<ObservedJob['state'], string>> = {
  failed: 'failed',
  archived: 'was archived',
  gone: "doesn't exist anymore (404)",
}

function endRemark(name: string, { state }: ObservedJob, what = 'run'): Remark {
  return info(`${name} ${ENDINGS[state]}. This ${what} starts a new job.`)
}

/** Says why a run starts a new job though an earlier one may exist. */
function remarksOnNewJob({ trigger, earlier, hasRecord }: Situation): Remark[] {
  const { event, command } = trigger
  const remarks: Remark[] = []
  if (!command && !hasRecord) {
    const text = `Jobs of ${inBackticks(event.name || 'local')} events aren't recorded, so each such run starts a new job.`
    remarks.push({ level: 'infoInSummary', text })
  }
  if (earlier.reachedLimit) {
    const where = event.payload.pull_request
      ? 'the newest 100 commits and forced pushes of this pull request'
      : `the newest ${MAX_SEARCHED_COMMITS} commits of this branch`
    const text = `This run starts a new job because ${where} have no record of an earlier one. If this step had a job before, run it more often, so that it finds its docs pull request.`
    remarks.push({ level: 'infoInSummary', text })
  }
  return remarks
}

function info(text: string): Remark {
  return { level: 'info', text }
}

function notice(title: string, text: string): Remark {
  return { level: 'notice', text, title }
}

function newJob(remarks: readonly Remark[], earlierPull?: PullState): Decision {
  return { kind: 'create', earlierPull, remarks }
}

function sendTo({ id, namedAtMs, pull }: ObservedJob, remarks: readonly Remark[]): Decision {
  return { kind: 'message', id, namedAtMs, pull, remarks }
}

function stop(failure: Failure & { readonly isTransient?: boolean }): Stop {
  return { kind: 'stop', maybeStarted: false, isTransient: false, ...failure }
}

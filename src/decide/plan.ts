import { parsePullRequest } from '../github/pull-requests.ts'
import { clip, docsLink, type Failure, inBackticks, joinSentences } from '../lib/text.ts'
import { formatAge } from '../lib/time.ts'
import { MAX_SEARCHED_COMMITS } from '../look/earlier-runs.ts'
import { canWait } from '../look/event.ts'
import {
  hasEnded,
  isOver,
  type ObservedJob,
  type PullState,
  type Situation,
} from '../look/situation.ts'
import { hasStatusRecord } from '../look/status.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import type { Run } from '../runner/run.ts'
import { decideNothing } from './nothing.ts'
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
  readonly recordedAtMs?: number
  /** The docs pull request that the run updates. */
  readonly pull?: PullState | undefined
  /** The same as Mintlify names it: the action writes only to this one. Empty if Mintlify doesn't name it. */
  readonly prLink?: string
}
export type WaitAction = {
  readonly kind: 'wait'
  readonly id: string
  /** As Mintlify has just shown it. */
  readonly job?: Job | undefined
  /** When the job was recorded first, in milliseconds since the epoch; `undefined` for one that was given. */
  readonly recordedAtMs?: number
}

/** Why nothing is started. */
type Stop = Failure & {
  readonly kind: 'stop'
  /** Whether an earlier attempt may have started a job. */
  readonly maybeStarted: boolean
  /** Whether a re-run may succeed without a change to the workflow. */
  readonly isTransient: boolean
}

/** The reason for a decision. */
export type Remark =
  | { readonly level: 'info' | 'infoInSummary'; readonly text: string }
  | { readonly level: 'notice'; readonly text: string; readonly title: string }

/** What a run does about its job, as plain data. */
export type Decision =
  | ((CreateAction | MessageAction | WaitAction) & { readonly remarks: readonly Remark[] })
  | Skip
  | Stop
type RunFacts = Pick<Run, 'inputs' | 'environment' | 'mintlify'>

/** Decides from the situation and the inputs whether to start, update, or wait for a job. */
export function decide(situation: Situation, run: RunFacts): Decision {
  const { trigger, earlier, ownJob, hasInstructions } = situation
  const { attempt } = earlier
  const { inputs } = run
  const given = inputs['job-id']
  const isReview = trigger.command?.kind === 'review'
  if (given !== '') {
    if (!hasInstructions && !isReview) return { kind: 'wait', id: given, remarks: [] }
    if (attempt.kind !== 'none') return { kind: 'wait', id: given, remarks: [MAYBE_SENT] }
    return { kind: 'message', id: given, remarks: [] }
  }
  if (attempt.kind === 'unclear') return stopUnclear(attempt.why)
  if (ownJob?.failure) return stop(ownJob.failure)
  if (ownJob && !hasEnded(ownJob)) {
    const { id, job, recordedAtMs } = ownJob
    const text = `Job ${inBackticks(id)} was started by an earlier attempt of this run. This attempt waits for it.`
    return { kind: 'wait', id, job, recordedAtMs, remarks: [info(text)] }
  }
  if (isReview) return decideReview(situation, run)
  // If an earlier attempt had a job, the changes were read only after that job.
  const nothing = decideNothing(situation, run)
  if (nothing) return nothing
  if (attempt.kind === 'not-recorded')
    return newJob([NOT_RECORDED, ...remarksOnNewJob(situation, run)])
  return decideUpdate(situation, run)
}

const MAYBE_SENT = notice(
  'This re-run sends no second message',
  'An earlier attempt may have sent the message already, so this one only waits for the job.',
)

/** Starts nothing, because an earlier attempt may have started a job. */
function stopUnclear(why: string): Stop {
  const advice =
    "This attempt started nothing, so that two jobs don't run at once. Check the dashboard. If there is a job, set `job-id` to wait for it. If there is none, start a new run instead of re-running this one."
  const headline = 'The first attempt may have started a job'
  return { ...stop({ headline, details: joinSentences(why, advice) }), maybeStarted: true }
}

const NOT_RECORDED = notice(
  'This re-run starts a new job',
  "The first attempt recorded no job (`comment: never`, or an event that isn't tracked), so this re-run starts a new one.",
)

/** Decides about a review that requests changes: a message to the docs pull request's job, and never a new job. */
function decideReview(
  { trigger, earlier, ownJob, earlierJob, lineComments }: Situation,
  { inputs }: RunFacts,
): Decision {
  const job = ownJob ?? earlierJob
  if (earlier.isAnswered) return skip('info', 'another step has answered this review already')
  if (!job) {
    const reason =
      'no comment on this docs pull request shows that this project opened it, so the review belongs to another step or project'
    return skip('info', reason)
  }
  const { command } = inputs
  const refuse = (why: string): Skip => {
    const how =
      command === ''
        ? ''
        : `To get the changes in a new pull request, comment \`${command} new …\`.`
    const reason = `the agent can't change this docs pull request any more, because ${why}`
    return skip('notice', reason, 'The review was not sent to the agent', {
      advice: how,
      answer: 'reason',
    })
  }
  if (job.failure) return stop(job.failure)
  if (hasEnded(job)) return refuse(`its job ${ENDINGS[job.state]}`)
  if (isOver(job.pull)) return refuse(`it was ${job.pull.state}`)
  if (trigger.command?.instructions === '' && lineComments.length === 0)
    return skip('info', 'the review has no text for the agent')
  return sendTo(job, earlier.attempt.kind === 'not-recorded' ? [MAYBE_REVIEWED] : [])
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
  } else if (earlier.unnamed !== '') {
    const text = `An earlier run or command (${earlier.unnamed}) may have started a job that its record doesn't name, so this run can't continue that one. Check the ${run.mintlify} dashboard for that job.`
    remarks.push(notice('An earlier run may have started a job', text))
  }
  if (earlierJob) return continueJob(earlierJob, remarks, situation, run)
  if (!ownJob) remarks.push(...remarksOnNewJob(situation, run))
  return newJob(remarks, mentioned(ownJob?.pull))
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
  if (pull?.state === 'invisible') return stop(invisibleFailure(pull))
  if (pull) {
    const said = [...remarks, pullRemark(pull, id)]
    if (isOver(pull)) return newJob(said, pull)
    return skipWaiting(pull, situation, run) ?? sendTo(earlierJob, said)
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
 * Skips a run that would add to a docs pull request which is approved, or has been waiting for a review for longer than
 * `pause-after`. The next run includes its changes, because it compares with the last job that was sent.
 */
function skipWaiting(
  { prLink, isApproved, waitingSinceMs = Infinity }: PullState,
  { trigger: { event }, nowMs }: Situation,
  { inputs, environment }: RunFacts,
): Skip | undefined {
  if (!canWait(event, environment)) return undefined
  if (isApproved) {
    const advice = 'The next run after it is merged or closed includes these changes.'
    return skip('notice', 'is approved', 'The docs pull request is approved', { advice, prLink })
  }
  // Negative if the start of the wait is unknown: then the wait isn't too long.
  const waitedMs = nowMs - waitingSinceMs
  const { 'pause-after': pauseAfter = Infinity } = inputs
  if (waitedMs <= pauseAfter) return undefined
  const reason = `has been waiting for a review for ${formatAge(waitedMs)}`
  const advice = 'The next run after it is reviewed, merged, or closed includes these changes.'
  return skip('notice', reason, 'The docs pull request is waiting for a review', { advice, prLink })
}

function invisibleFailure({ prLink }: PullState): Failure {
  const { project } = parsePullRequest(prLink)
  return {
    headline: "`github-token` can't read the docs pull request",
    details: `An earlier run opened ${clip(prLink, 300)}, and \`github-token\` can't read it. Set \`github-token\` to a token that can read ${project}, such as your GitHub App's ${docsLink('private-docs.md')}, or set \`follow-up: false\`, so that each run opens a docs pull request.`,
  }
}

/** Explains the state of the earlier docs pull request, and this run's reaction to it. */
function pullRemark({ prLink, state, openFor }: PullState, jobId: string): Remark {
  const shown = clip(prLink, 300)
  if (state === 'merged' || state === 'closed')
    return info(`The earlier pull request ${shown} was ${state}. This run starts a new job.`)
  return info(`This run updates the pull request ${shown} (job ${jobId}${openFor}).`)
}

/** The earlier docs pull request, if a new job's prompt should mention it. */
function mentioned(pull: PullState | undefined): PullState | undefined {
  return isOver(pull) ? pull : undefined
}

const ENDINGS: Partial<Record<ObservedJob['state'], string>> = {
  failed: 'failed',
  archived: 'was archived',
  gone: "doesn't exist anymore (404)",
}

function endRemark(name: string, { state }: ObservedJob, what = 'run'): Remark {
  return info(`${name} ${ENDINGS[state]}. This ${what} starts a new job.`)
}

/** Lists the reasons for a new job though an earlier one may exist. */
function remarksOnNewJob(
  { trigger: { event, command }, earlier }: Situation,
  run: RunFacts,
): Remark[] {
  const remarks: Remark[] = []
  if (!command && !hasStatusRecord(event, run)) {
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

function sendTo(
  { id, recordedAtMs, pull, job }: ObservedJob,
  remarks: readonly Remark[],
): Decision {
  return { kind: 'message', id, recordedAtMs, pull, prLink: job?.prLink ?? '', remarks }
}

function stop(failure: Failure & { readonly isTransient?: boolean }): Stop {
  return { kind: 'stop', maybeStarted: false, isTransient: false, ...failure }
}

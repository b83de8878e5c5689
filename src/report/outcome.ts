import { parsePullRequest } from '../github/pull-requests.ts'
import { hasPrompt } from '../inputs/table.ts'
import { MAX_LINK_LENGTH, type Markdown } from '../lib/markdown.ts'
import { clip, errorMessage, type Failure, inBackticks, joinSentences } from '../lib/text.ts'
import { formatDuration } from '../lib/time.ts'
import { eventRow } from '../look/event.ts'
import type { PullReport } from '../look/result.ts'
import type { NamedJob } from '../look/status.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import { describeFailure, hasStatus, mintlifyWord } from '../mintlify/mintlify-errors.ts'
import type { Plan, Sources } from '../prompt/prompt.ts'
import type { OutputValues, Run } from '../runner/run.ts'
import { type JobError, notStartedWords, type Words } from './not-started.ts'

/** A job that Mintlify accepted, or that the run waits for. Times are in milliseconds since the epoch. */
export type AcceptedJob = NamedJob & {
  readonly kind: Plan['kind']
  /** The job in Mintlify's latest answer. */
  readonly job: Job | undefined
  /** When the request was sent, and until when the run waits for the job. */
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/** How polling ended. `job` is as last observed; `durationMs` is from the start of polling to the last poll. */
export type PollEnd = { readonly durationMs: number } & (
  | { readonly kind: 'finished' | 'submitted'; readonly job: Job; readonly error?: undefined }
  /** `refused`: another poll can't help. `error`: why the last poll failed; `undefined` if it did not. */
  | {
      readonly kind: 'timed-out' | 'cancelled' | 'refused'
      readonly job: Job | undefined
      readonly error: unknown
    }
)

/** How a request for a job ended, as data. */
export type JobEnd =
  | PollEnd
  /** There is no job to wait for. `error` is `undefined` if the run was canceled before anything was sent. */
  | {
      readonly kind: 'not-started'
      readonly isCancelled: boolean
      readonly error: JobError | undefined
    }

/** The output `result`. */
type JobResult =
  | 'pull-request'
  | 'no-pull-request'
  | 'failed'
  | 'archived'
  | 'timed-out'
  | 'cancelled'
  | 'submitted'
  | 'error'

/** How a request for a job ended, with the words for the log, the summary, the comment, and the commit status. */
export type Report = Words & {
  readonly result: JobResult
  /** As in the step's commit status and the reply's marker, whatever `fail-on` includes. */
  readonly state: 'success' | 'failure' | 'error'
  /** Whether the step fails. */
  readonly isFailure: boolean
  /** Says that `fail-on` makes the step fail; empty if it doesn't. */
  readonly failOnNote: string
  /** URL of the pull request and a short name for it; empty if there is none. */
  readonly prLink: string
  readonly prName: string
  /** The job as last observed. */
  readonly job: Job | undefined
  /** Empty if there is none, or it is unknown. */
  readonly jobId: string
  /** How long the job took, such as `3 min 05 s`; empty if it is unknown or too short. */
  readonly took: string
  /** `undefined` if the run ended before it was made. */
  readonly plan: Plan | undefined
  /** `undefined` if Mintlify accepted no job. */
  readonly accepted: AcceptedJob | undefined
  /** What GitHub shows of the job; `undefined` if GitHub wasn't asked. */
  readonly pull: PullReport | undefined
  /** The same in paragraphs. */
  readonly pullText: readonly Markdown[]
  /** Whether the docs must not be shown: more people can read the run's repository, or that is unknown. */
  readonly isHidden: boolean
}

/** Makes the report. `subject`: the plan, and the job if there is one. */
export function makeReport(
  end: JobEnd,
  subject: Pick<Report, 'plan' | 'accepted'>,
  run: Run,
): Report {
  const { plan, accepted } = subject
  const isPolled = end.kind !== 'not-started'
  const job = isPolled ? end.job : undefined
  const jobId = job?.id ?? (plan === undefined || plan.kind === 'create' ? '' : plan.id)
  const result = resultOf(end)
  // Mintlify may not name the pull request of an update before the job has finished.
  const isRunning = job !== undefined && !isTerminal(job.status)
  const prLink = job?.prLink ?? (isRunning ? accepted?.prLink : undefined) ?? ''
  const words = isPolled
    ? pollWords(end, { result, jobId, accepted }, run)
    : notStartedWords(end.isCancelled, end.error)
  const isNamed = run.inputs['fail-on'].has(result)
  // Less than a second means nothing. Next to the deadline, which began earlier, it would contradict that.
  const tookS = isPolled && result !== 'timed-out' ? Math.floor(end.durationMs / 1000) : 0
  const failed = !isPolled && end.error?.maybeStarted === true ? 'error' : 'failure'
  return {
    namesJob: isPolled,
    ...words,
    result,
    state: isSuccess(result) ? 'success' : failed,
    // A step that fails has no green sign.
    sign: isNamed && result !== 'timed-out' ? '❌' : words.sign,
    isFailure: isNamed || result === 'cancelled' || result === 'error',
    failOnNote: isNamed ? `This step failed because \`fail-on\` includes \`${result}\`.` : '',
    prLink,
    prName: parsePullRequest(prLink).name,
    job,
    jobId,
    took: tookS === 0 ? '' : formatDuration(tookS * 1000),
    plan,
    accepted,
    pull: undefined,
    pullText: [],
    isHidden: true,
  }
}

/** Whether a run with this result succeeded. */
export function isSuccess(result: string): boolean {
  return ['pull-request', 'no-pull-request', 'submitted'].includes(result)
}

function resultOf(end: JobEnd): JobResult {
  if (end.kind === 'not-started') return end.isCancelled ? 'cancelled' : 'error'
  if (end.kind === 'refused') return 'error'
  if (end.kind !== 'finished') return end.kind
  const { status, prLink } = end.job
  if (status === 'completed') return prLink === null ? 'no-pull-request' : 'pull-request'
  return status === 'archived' ? 'archived' : 'failed'
}

const SUBMITTED = {
  create: 'Job started',
  message: 'Message sent to the job',
  wait: 'The job is still running',
}

function pollWords(
  { job, error }: PollEnd,
  about: Pick<Report, 'result' | 'jobId' | 'accepted'>,
  run: Run,
): Words {
  const { result, jobId, accepted } = about
  const { mintlify } = run
  const name = inBackticks(mintlifyWord(jobId))
  const lastFailure = error === undefined ? undefined : describeFailure(error, mintlify)
  const isUnknown = hasStatus(error, 404)
  const id = inBackticks(`job-id: ${jobId}`)
  const nextRun = isFoundLater(run) ? 'the next run of this step finds the job' : ''
  const toWaitNow = `To wait for it${nextRun && ' now'}, run this action with ${id}.`
  const toWait = joinSentences(nextRun && `You don't have to do anything: ${nextRun}.`, toWaitNow)
  // The last poll may have failed, or have shown the job as it was before a message.
  const isObserved = job !== undefined && error === undefined && !isTerminal(job.status)
  const state = `The job ${isObserved ? 'is still' : 'may still be'} running.`
  const running = joinSentences(state, toWait)
  switch (result) {
    case 'pull-request':
      return { sign: '✅', headline: 'Docs pull request ready for review', details: '' }
    case 'no-pull-request': {
      if (hasLostLink(job)) {
        const details = `The action ignored the link (\`prLink\`) from ${mintlify}, because it isn't an http(s) URL. You can find the pull request in the dashboard.`
        return { sign: '⚠️', headline: 'The pull request link could not be read', details }
      }
      const details =
        'Either the docs needed no changes, or the agent pushed directly to the branch.'
      return { sign: '✅', headline: 'The job completed without a pull request', details }
    }
    case 'failed': {
      const details = `${mintlify} reported that job ${name} failed, but gave no reason. Common causes are that its GitHub App isn't installed on the docs repository, that your credits are used up, or that the prompt asks for something impossible. To see the job, open the dashboard.`
      return { sign: '❌', headline: "The agent's job failed", details }
    }
    case 'archived': {
      const details = `Job ${name} was archived, either by someone in the dashboard or by ${mintlify}. It won't open a pull request. To start a new job, run the workflow again.`
      return { sign: '🗄️', headline: "The agent's job was archived", details }
    }
    case 'timed-out': {
      if (isUnknown) return lostJobWords(about, lastFailure, run)
      const more = lastFailure
        ? `The last request for its status failed. ${lastFailure.details || lastFailure.headline}`
        : 'To wait longer next time, increase `timeout`.'
      const headline = `The job did not finish within ${run.inputText('timeout')}`
      return { sign: '⏱️', headline, details: joinSentences(running, more) }
    }
    case 'cancelled': {
      const headline = `Canceled: the job ${isObserved ? 'is still' : 'may still be'} running`
      return { sign: '🛑', headline, details: running }
    }
    case 'submitted': {
      const { kind = 'create' } = accepted ?? {}
      if (kind === 'wait') return { sign: '⏳', headline: SUBMITTED[kind], details: toWait }
      const details = `This step doesn't wait for the job (\`wait: false\`). ${toWait}`
      return { sign: '🚀', headline: SUBMITTED[kind], details }
    }
    case 'error': {
      if (isUnknown) return lostJobWords(about, lastFailure, run)
      const { headline = '', details = '' } = lastFailure ?? {}
      const later = nextRun && `After you fix this, ${nextRun}.`
      const text = joinSentences(details, state, later, toWaitNow)
      return { sign: '❌', headline, details: text, namesJob: true }
    }
  }
}

/** Whether later runs of the step find this run's job by its commit status. */
function isFoundLater({ inputs, environment }: Run): boolean {
  return inputs['follow-up'] && hasPrompt(inputs) && eventRow(environment.eventName).recordsJob
}

/** Describes a job that Mintlify doesn't know, so that there is nothing to wait for. */
function lostJobWords(
  { result, jobId }: Pick<Report, 'result' | 'jobId'>,
  { headline = '', details = '' }: Partial<Failure> = {},
  { inputs, mintlify }: Run,
): Words {
  const sign = result === 'timed-out' ? '⏱️' : '❌'
  if (inputs['job-id'] !== '') {
    const check = 'Check `job-id` and `project-id`.'
    return { sign, headline, details: joinSentences(details, check), namesJob: true }
  }
  const before = `${mintlify} accepted job ${inBackticks(mintlifyWord(jobId))} before, so it may still be running. Check the dashboard before you run this again.`
  return {
    sign,
    headline: `${mintlify} doesn't know this job anymore`,
    details: joinSentences(details, before),
    namesJob: true,
  }
}

/** Whether Mintlify sent a pull request link that can't be used. */
export function hasLostLink(job: Job | undefined): boolean {
  return job?.invalidFields.includes('prLink') === true
}

/** Writes a report as sentences for the log, which can be read without the headline and name the job. */
export function reportSentences(report: Report): string {
  const { headline, details, jobId, result, failOnNote, namesJob } = report
  const shouldNameJob = jobId !== '' && !namesJob && result === 'error'
  const about = shouldNameJob
    ? `The request was about job ${inBackticks(mintlifyWord(jobId))}.`
    : ''
  const hasOwnWords = isSuccess(result) || details === ''
  const text = joinSentences(hasOwnWords ? `${headline}.` : '', details, about, failOnNote)
  if (report.paste) return `${text}\n${report.paste}`
  if (report.prLink === '') return text
  // Nothing follows the link, because a full stop would be read as a part of it.
  const url = clip(report.prLink, MAX_LINK_LENGTH)
  return result === 'pull-request' && failOnNote === ''
    ? `${headline}: ${url}`
    : `${text} Pull request: ${url}`
}

export const REPORT_BUG =
  "This is a bug in the action. Please report it in the action's repository, with the log."

/** Describes a bug of the action, and logs the place. */
export function unexpectedFailure(error: unknown, { log }: Run): Failure {
  if (error instanceof Error) log.info(error.stack ?? '')
  const details = `Unexpected error: ${errorMessage(error)}. If this run requested a job, the job may be running. ${REPORT_BUG}`
  return { headline: 'Unexpected error in the action', details }
}

export function jobOutputs(report: Report): OutputValues {
  const { result, job, jobId, plan, pull, prLink } = report
  return {
    'job-id': jobId,
    result,
    ...(job && {
      status: job.status,
      'pr-link': prLink,
      'pr-number': parsePullRequest(prLink).number,
      job: job.json,
    }),
    'pr-operation': operationOf(report),
    'source-authors': authorsOf(plan),
    ...(pull && pullOutputs(pull)),
  }
}

/** Returns what the run is about; `undefined` if it only waits for a given job. */
export function sourcesOfPlan(plan: Plan | undefined): Sources | undefined {
  return plan?.kind === 'wait' ? plan.sources : plan
}

export function authorsOf(plan: Plan | undefined): string {
  return (sourcesOfPlan(plan)?.authors ?? []).join('\n')
}

/** Returns what this run did to the pull request. A pull request that existed before the message was updated. */
function operationOf({ prLink, pull, accepted }: Report): string {
  if (prLink === '' || accepted === undefined || accepted.kind === 'wait') return ''
  if (accepted.kind === 'create') return 'created'
  const createdAtMs = (pull?.kind === 'pull-request' && pull.createdAtMs) || Infinity
  return accepted.prLink !== '' || createdAtMs < accepted.sentAtMs ? 'updated' : 'created'
}
/** In the output `pr-files`. */
const MAX_OUTPUT_FILES = 100

function pullOutputs(report: PullReport): OutputValues {
  const pull = report.kind === 'pull-request' ? report : undefined
  const { url = '', state = '' } = pull?.preview ?? {}
  return {
    'pr-title': pull?.title ?? '',
    'pr-files': pull?.files ? JSON.stringify(pull.files.slice(0, MAX_OUTPUT_FILES)) : '',
    'preview-url': url,
    'preview-status': ['ready', 'building', 'failed'].includes(state) ? state : '',
  }
}

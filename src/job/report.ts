import { parsePullRequest } from '../github/pull-requests.ts'
import { INPUTS } from '../inputs/table.ts'
import { MAX_LINK_LENGTH, type Markdown, md } from '../lib/markdown.ts'
import { clip, type Failure, failureText, inBackticks, joinSentences } from '../lib/text.ts'
import { formatDuration } from '../lib/time.ts'
import type { PullReport } from '../pull/pull-report.ts'
import { noPullRequestWords, pullSummary } from '../pull/pull-words.ts'
import { type Ending, isExpected } from '../record/bodies.ts'
import type { Run } from '../runner/run.ts'
import { isTerminal, type Job } from '../service/docs-service.ts'
import { describeFailure, hasStatus, serviceWord } from '../service/service-errors.ts'
import type { JobError } from './job-error.ts'
import type { Plan } from './plan.ts'
import type { PollEnd } from './poll.ts'
import type { AcceptedJob } from './submit.ts'

/** What became of a request for a job: the output `result`. */
type JobResult =
  | 'pull-request'
  | 'no-pull-request'
  | 'failed'
  | 'archived'
  | 'timed-out'
  | 'cancelled'
  | 'submitted'
  | 'error'

/** How a request for a job ended. */
export type JobEnd =
  | PollEnd
  /** Before there was a job to wait for; `undefined` where the run was cancelled before anything was sent. */
  | {
      readonly kind: 'not-started'
      readonly isCancelled: boolean
      readonly error: JobError | undefined
      readonly rerun: RerunAdvice
    }

/** How a request for a job ended, in the words that the log, the summary and the comment use. */
export type Report = Ending & {
  readonly result: JobResult
  /** Whether the step fails. */
  readonly isFailure: boolean
  /** That `fail-on` makes the step fail, where it does, as a sentence; else empty. */
  readonly failOnNote: string
  /** The job as last observed. */
  readonly job: Job | undefined
  readonly plan: Plan | undefined
  /** `undefined` if it ended before. */
  readonly accepted: AcceptedJob | undefined
  /** What GitHub shows of it; `undefined` where it was not asked. */
  readonly pull: PullReport | undefined
}

const FAILED_CAUSES =
  'The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job.'

const SUBMITTED = {
  create: 'Job started; not waiting for it',
  message: 'Message sent; not waiting for the job',
  wait: 'The job is still running',
}

type Words = Failure & { readonly sign: Markdown; readonly namesJob?: boolean }

/** What to say of a re-run where nothing was started. `anew`: it would not know that. */
export type RerunAdvice = 'safe' | 'anew'

const RERUN = {
  safe: 'Nothing was started, so it is safe to run this again.',
  anew: 'Nothing was started. To try again, start the workflow anew instead of re-running it: as this run could not write its commit status or reply, a re-run would not know that.',
}

/** @param subject what it was about, as far as it got */
export function makeReport(
  end: JobEnd,
  subject: Pick<Report, 'plan' | 'accepted'>,
  run: Pick<Run, 'inputs' | 'environment'>,
): Report {
  const { plan, accepted } = subject
  const isPolled = end.kind !== 'not-started'
  const job = isPolled ? end.job : undefined
  const jobId = job?.id ?? (plan === undefined || plan.kind === 'create' ? '' : plan.id)
  const result = resultOf(end)
  const words =
    end.kind === 'not-started' ? notStartedWords(end) : wordsOf(end, { result, jobId, plan }, run)
  const isNamed = [...run.inputs['fail-on']].some((failing) => failing === result)
  // Below a second it says nothing; beside the deadline, which began earlier, it would contradict that.
  const tookS = isPolled && result !== 'timed-out' ? Math.floor(end.durationMs / 1000) : 0
  const isLost = end.kind === 'not-started' && end.error?.maybeStarted === true
  return {
    namesJob: false,
    ...words,
    result,
    state: isExpected(result) ? 'success' : isLost ? 'error' : 'failure',
    // No step is red under a green sign.
    sign: isNamed && result !== 'timed-out' ? md`❌` : words.sign,
    isFailure: isNamed || result === 'cancelled' || result === 'error',
    failOnNote: isNamed ? `The step fails because \`fail-on\` names \`${result}\`.` : '',
    prLink: job?.prLink ?? '',
    prName: parsePullRequest(job?.prLink ?? '').name,
    job,
    jobId,
    took: tookS === 0 ? '' : formatDuration(tookS * 1000),
    pullText: [],
    plan,
    accepted,
    pull: undefined,
  }
}

/** The report with what GitHub shows of the job. */
export function withPull(report: Report, pull: PullReport): Report {
  const isWithoutPull = report.result === 'no-pull-request' && !hasLostLink(report.job)
  const ended = pull.kind === 'pull-request' ? pull.ended : undefined
  const words = isWithoutPull
    ? noPullRequestWords(pull)
    : ended && { headline: `Pull request ${ended}` }
  return { ...report, ...words, pullText: pullSummary(pull), pull }
}

/** Whether the service gave a link that is none. */
function hasLostLink(job: Job | undefined): boolean {
  return job?.invalidFields.includes('prLink') === true
}

function resultOf(end: JobEnd): JobResult {
  if (end.kind === 'not-started') return end.isCancelled ? 'cancelled' : 'error'
  if (end.kind === 'refused') return 'error'
  if (end.kind !== 'finished') return end.kind
  const { status, prLink } = end.job
  if (status === 'completed') return prLink === null ? 'no-pull-request' : 'pull-request'
  return status === 'archived' ? 'archived' : 'failed'
}

function notStartedWords({
  isCancelled,
  error,
  rerun,
}: Extract<JobEnd, { kind: 'not-started' }>): Words {
  const { headline, details } = error ?? { headline: '', details: 'Nothing was started.' }
  const isRerunOfUse = error?.isTransient === true || rerun === 'anew'
  const nothing = isRerunOfUse ? RERUN[rerun] : 'Nothing was started.'
  const advice = error?.maybeStarted === false ? nothing : ''
  if (!isCancelled) return { sign: md`❌`, headline, details: joinSentences(details, advice) }
  const cancelled = joinSentences(headline && `${headline}.`, details, advice)
  return { sign: md`🛑`, headline: 'Cancelled', details: cancelled }
}

function wordsOf(
  end: PollEnd,
  about: { readonly result: JobResult; readonly jobId: string; readonly plan: Plan | undefined },
  { environment, inputs }: Pick<Run, 'environment' | 'inputs'>,
): Words {
  const { result, jobId, plan } = about
  const error = 'error' in end ? end.error : undefined
  const advice = `To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  // Of a job that the last poll did not show, or showed as before a message, nobody knows whether it is running.
  const isObserved = end.job !== undefined && error === undefined && !isTerminal(end.job.status)
  const running = `The job ${isObserved ? 'is still' : 'may still be'} running. ${advice}`
  const { kind = 'create' } = plan ?? {}
  const namesJob = true
  switch (result) {
    case 'pull-request':
      return { sign: md`✅`, headline: 'Pull request ready for review', details: '' }
    case 'no-pull-request': {
      if (hasLostLink(end.job)) {
        const details = 'The link of its pull request could not be read: the dashboard shows it.'
        return { sign: md`✅`, headline: 'Completed', details }
      }
      const details =
        'Either no file needed a change, or the agent published straight to the branch.'
      return { sign: md`✅`, headline: 'Completed without a pull request', details }
    }
    case 'failed':
      return { sign: md`❌`, headline: "The agent's job failed", details: FAILED_CAUSES }
    case 'archived': {
      const details =
        'It was archived in the dashboard or by the service, and does no further work.'
      return { sign: md`🗄️`, headline: "The agent's job was archived", details }
    }
    case 'timed-out': {
      // As it was given: no duration beside it is less.
      const timeout = environment.inputs.get('timeout')?.trim() || INPUTS.timeout.default
      const headline = `Not finished within ${timeout}`
      const lastFailure =
        error === undefined ? '' : `The last poll failed. ${failureText(describeFailure(error))}`
      const more = error === undefined ? 'A longer `timeout` gives the next run more time.' : ''
      return { sign: md`⏱️`, headline, details: joinSentences(lastFailure, running, more), namesJob }
    }
    case 'cancelled':
      return { sign: md`🛑`, headline: 'Cancelled', details: running, namesJob }
    case 'submitted': {
      const isAttached = kind === 'wait'
      return {
        sign: isAttached ? md`⏳` : md`🚀`,
        headline: SUBMITTED[kind],
        details: isAttached ? advice : running,
        namesJob,
      }
    }
    case 'error': {
      const { headline, details } = describeFailure(error)
      const isUnknown = hasStatus(error, 404)
      const wasAccepted = isUnknown && inputs['job-id'] === ''
      return {
        sign: md`❌`,
        headline,
        details: joinSentences(
          details,
          wasAccepted ? 'The service had accepted this job, which may be running.' : '',
          // Of a job that the service does not know there is nothing to wait for.
          end.job === undefined || isUnknown ? '' : running,
        ),
        namesJob: end.job !== undefined || isUnknown,
      }
    }
  }
}

/** A report as sentences for the log: they name the job and can be read alone. */
export function reportSentences(report: Report): string {
  const { headline, details, jobId, result, failOnNote, namesJob } = report
  const id = serviceWord(jobId)
  const isNamed = jobId === '' || namesJob
  // The headline of an error ends in its status: a second pair of brackets would hide it.
  const isError = result === 'error'
  const title = isNamed || isError ? headline : `${headline} (job ${id})`
  const about = isNamed || !isError ? '' : `The request was about job ${id}.`
  const text = joinSentences(details, about, failOnNote)
  if (report.prLink === '') return joinSentences(`${title}.`, text)
  // After the link nothing follows: a full stop there would be taken for a part of it.
  const url = clip(report.prLink, MAX_LINK_LENGTH)
  return text === '' ? `${title}: ${url}` : `${title}. ${text} Pull request: ${url}`
}

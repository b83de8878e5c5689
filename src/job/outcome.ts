import type { FailOnResult, Inputs } from '../inputs/table.ts'
import { isLoopbackHost } from '../lib/http.ts'
import { MAX_LINK_LENGTH, type Markdown, md } from '../lib/markdown.ts'
import { clip, type Failure, failureText, inBackticks, joinSentences } from '../lib/text.ts'
import { formatDuration } from '../lib/time.ts'
import type { OutputValues } from '../runner/outputs.ts'
import { describeFailure, failureSentences, serviceWord } from '../service/errors.ts'
import type { Job } from '../service/job.ts'
import type { Plan } from './plan.ts'
import type { PollEnd } from './poll.ts'

/** What became of a request for a job. */
export type JobResult = 'pull-request' | FailOnResult | 'cancelled' | 'submitted' | 'error'

/** The end of a request for a job. Headline and details are its words wherever it is reported. */
export type Outcome = Failure & {
  readonly result: JobResult
  /** To be seen at a glance. */
  readonly sign: Markdown
  /** URL of the pull request and a short name for it; empty if there is none. */
  readonly prLink: string
  readonly prName: string
  /** The job as last seen. */
  readonly job: Job | undefined
  /** Empty if the service delivered none. */
  readonly jobId: string
  /** Whole seconds from creation (or attach) to the last look. */
  readonly durationSeconds: number | undefined
  /** `undefined` if it failed before there was one. */
  readonly plan: Plan | undefined
}

const SUBMITTED = {
  create: 'Job started; not waiting for it',
  message: 'Message sent; not waiting for the job',
  wait: 'The job is still running',
}

const FAILED_CAUSES =
  'The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed ' +
  'there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the ' +
  'docs service shows the job.'

/** The outcome of a job that there is. */
export function outcomeOf(
  plan: Plan,
  polled: PollEnd & { readonly jobId: string; readonly startedAtMs: number },
  inputs: Pick<Inputs, 'timeout' | 'fail-on'>,
): Outcome {
  const { job, jobId, error } = polled
  const result = resultOf(polled)
  const advice = `To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  // Of a job that was never seen, nobody knows whether it is running.
  const running = `The job ${job === undefined ? 'may still be' : 'is still'} running. ${advice}`
  const lastFailure = error === undefined ? '' : `The last look failed. ${failureSentences(error)}`
  const failure = describeFailure(error)
  const words: Readonly<Record<JobResult, Failure>> = {
    'pull-request': { headline: 'Pull request ready for review', details: '' },
    'no-pull-request': {
      headline: 'Completed without a pull request',
      details: 'Either no file needed a change, or the agent published straight to the branch.',
    },
    failed: { headline: "The agent's job failed", details: FAILED_CAUSES },
    archived: {
      headline: "The agent's job was archived",
      details: 'It was archived in the dashboard or by the service, and does no further work.',
    },
    'timed-out': {
      headline: `Not finished within ${formatDuration(inputs.timeout)}`,
      details: joinSentences(lastFailure, running, 'A longer `timeout` waits longer.'),
    },
    cancelled: { headline: 'Cancelled', details: running },
    submitted: {
      headline: SUBMITTED[plan.kind],
      details: plan.kind === 'wait' ? advice : running,
    },
    error: {
      headline: failure.headline,
      details: joinSentences(failure.details, job === undefined ? '' : running),
    },
  }
  const durationSeconds = Math.floor((polled.lastLookAtMs - polled.startedAtMs) / 1000)
  const prLink = job?.prLink ?? ''
  const sign = signOf(result, plan, inputs['fail-on'])
  const prName = prLink === '' ? '' : pullRequestName(prLink)
  return { ...words[result], result, sign, prLink, prName, job, jobId, durationSeconds, plan }
}

/** The outcome where no job was started or seen. */
export function outcomeWithoutJob(
  failure: Failure,
  { plan, isCancelled }: { readonly plan: Plan | undefined; readonly isCancelled: boolean },
): Outcome {
  const result = isCancelled ? 'cancelled' : 'error'
  return {
    result,
    sign: RESULT_SIGNS[result],
    prLink: '',
    prName: '',
    job: undefined,
    jobId: plan === undefined || plan.kind === 'create' ? '' : plan.id,
    durationSeconds: undefined,
    plan,
    headline: isCancelled ? 'Cancelled' : failure.headline,
    details: isCancelled ? failureText(failure) : failure.details,
  }
}

function resultOf({ end, job }: PollEnd): JobResult {
  if (end === 'running') return 'submitted'
  if (end === 'timed-out' || end === 'cancelled') return end
  if (end === 'refused' || job === undefined) return 'error'
  if (job.status === 'completed') return job.prLink === null ? 'no-pull-request' : 'pull-request'
  return job.status === 'archived' ? 'archived' : 'failed'
}

/** Whether an outcome fails the step. `cancelled` and `error` always do. */
export function isFailure(result: JobResult, failOn: Inputs['fail-on']): boolean {
  return result === 'cancelled' || result === 'error' || isNamedBy(failOn, result)
}

function isNamedBy(failOn: Inputs['fail-on'], result: JobResult): boolean {
  return [...failOn].some((failing) => failing === result)
}

/** That `fail-on` makes the step fail, where it does, as a sentence; else empty. */
export function failOnNote({ result }: Outcome, failOn: Inputs['fail-on']): string {
  return isNamedBy(failOn, result) ? `The step fails because \`fail-on\` names \`${result}\`.` : ''
}

/** An outcome as sentences for the log: they name the job and can be read alone. */
export function outcomeSentences(outcome: Outcome, failOn: Inputs['fail-on']): string {
  const { headline, details, jobId, result } = outcome
  const url = clip(outcome.prLink, MAX_LINK_LENGTH)
  const isNamed = jobId === '' || `${headline} ${details}`.includes(`${jobId}\``)
  const id = serviceWord(jobId)
  // The headline of an error ends in its status: a second pair of brackets would hide it.
  const isError = result === 'error'
  const title = `${headline}${isNamed || isError ? '' : ` (job ${id})`}`
  const note = failOnNote(outcome, failOn)
  // After the link nothing follows: a full stop there would be taken for a part of it.
  if (url !== '' && !isError) {
    const notes = joinSentences(details, note)
    return notes === '' ? `${title}: ${url}` : joinSentences(`${title}.`, notes, `Pull request: ${url}`)
  }
  const about = isError && !isNamed ? `The request was about job ${id}.` : ''
  return joinSentences(`${title}.`, details, about, note)
}

const RESULT_SIGNS: Readonly<Record<JobResult, Markdown>> = {
  'pull-request': md`✅`,
  'no-pull-request': md`✅`,
  submitted: md`🚀`,
  failed: md`❌`,
  archived: md`🗄️`,
  'timed-out': md`⏱️`,
  cancelled: md`🛑`,
  error: md`❌`,
}

/** No step is red under a ✅, and no mere look at a job a 🚀. */
function signOf(result: JobResult, plan: Plan, failOn: Inputs['fail-on']): Markdown {
  const isGreen = result === 'no-pull-request' || result === 'archived'
  if (isGreen && isNamedBy(failOn, result)) return RESULT_SIGNS.failed
  return result === 'submitted' && plan.kind === 'wait' ? md`⏳` : RESULT_SIGNS[result]
}

/** The outputs of an agent job at its end. */
export function jobOutputs({ result, job, jobId, durationSeconds }: Outcome): OutputValues {
  return {
    'job-id': jobId,
    result,
    ...(durationSeconds === undefined ? {} : { 'duration-seconds': String(durationSeconds) }),
    ...(job && {
      status: job.status,
      'pr-link': job.prLink ?? '',
      'pr-number': pullRequestNumber(job.prLink),
      repository: job.repository ?? '',
      ref: job.ref ?? '',
      model: job.model ?? '',
      'created-at': job.createdAt ?? '',
      'archived-at': job.archivedAt ?? '',
      job: job.json,
    }),
  }
}

const PULL_REQUEST_PATH =
  /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|merge_requests|pullrequest)\/(\d+)(?:\/|$)/

/** The number of a pull request (GitHub) or merge request (GitLab), from its URL; empty if that has none. */
export function pullRequestNumber(prLink: string | null): string {
  return PULL_REQUEST_PATH.exec(URL.parse(prLink ?? '')?.pathname ?? '')?.[2] ?? ''
}

/**
 * A short name for a pull request: `acme/docs#12`, with the host before it unless that is well known, or the URL's host
 * and path where that form is not known.
 */
export function pullRequestName(prLink: string): string {
  const url = URL.parse(prLink)
  if (url === null) return prLink
  const [, project, number] = PULL_REQUEST_PATH.exec(url.pathname) ?? []
  if (project === undefined) return `${url.host}${url.pathname}`
  // Any other host could pass for one of these.
  const needsNoHost =
    ['github.com', 'gitlab.com', 'bitbucket.org'].includes(url.hostname) || isLoopbackHost(url.hostname)
  const host = needsNoHost ? '' : `${url.host}/`
  return `${host}${project}${url.pathname.includes('/merge_requests/') ? '!' : '#'}${number}`
}

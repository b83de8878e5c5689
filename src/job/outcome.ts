import type { Ending } from '../comments/bodies.ts'
import type { Inputs } from '../inputs/table.ts'
import { formatDuration } from '../lib/duration.ts'
import { failureText } from '../lib/failure.ts'
import { MAX_LINK_LENGTH, type Markdown, md } from '../lib/markdown.ts'
import { clip, inBackticks, joinSentences } from '../lib/text.ts'
import { isLoopbackHost } from '../lib/url.ts'
import type { OutputValues } from '../runner/outputs.ts'
import type { Job } from '../service/docs-service.ts'
import { describeFailure, failureSentences, serviceWord } from '../service/service-errors.ts'
import type { Plan } from './plan.ts'
import type { JobResult, PollEnd } from './poll.ts'

/** The end of a request for a job. Headline and details are its words wherever it is reported. */
export type Outcome = Ending & {
  readonly result: JobResult
  readonly isFailure: boolean
  /** That `fail-on` makes the step fail, where it does, as a sentence; else empty. */
  readonly failOnNote: string
  /** The job as last seen. */
  readonly job: Job | undefined
  /** Whole seconds from creation (or attach) to the last look. */
  readonly durationSeconds: number | undefined
  readonly plan: Plan | undefined
}

const FAILED_CAUSES =
  'The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job.'

const SUBMITTED = {
  create: 'Job started; not waiting for it',
  message: 'Message sent; not waiting for the job',
  wait: 'The job is still running',
}

/** @param plan `undefined` if it failed before there was one */
export function outcomeOf(
  plan: Plan | undefined,
  end: PollEnd,
  inputs: Pick<Inputs, 'timeout' | 'fail-on'>,
): Outcome {
  const { result, job, jobId, durationMs, error } = end
  const advice = `To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  // Of a job that was not seen at the end, nobody knows whether it is running.
  const isSeen = job !== undefined && error === undefined
  const running = `The job ${isSeen ? 'is still' : 'may still be'} running. ${advice}`
  const lastFailure = error === undefined ? '' : `The last poll failed. ${failureSentences(error)}`
  const failure = describeFailure(error)
  const { kind = 'create' } = plan ?? {}
  const words: Readonly<Record<JobResult, readonly [sign: Markdown, headline: string, details: string]>> = {
    'pull-request': [md`✅`, 'Pull request ready for review', ''],
    'no-pull-request': [
      md`✅`,
      'Completed without a pull request',
      'Either no file needed a change, or the agent published straight to the branch.',
    ],
    failed: [md`❌`, "The agent's job failed", FAILED_CAUSES],
    archived: [
      md`🗄️`,
      "The agent's job was archived",
      'It was archived in the dashboard or by the service, and does no further work.',
    ],
    'timed-out': [
      md`⏱️`,
      `Not finished within ${formatDuration(inputs.timeout)}`,
      joinSentences(lastFailure, running, 'A longer `timeout` gives the next run more time.'),
    ],
    cancelled: [md`🛑`, 'Cancelled', durationMs === undefined ? failureText(failure) : running],
    submitted: [kind === 'wait' ? md`⏳` : md`🚀`, SUBMITTED[kind], kind === 'wait' ? advice : running],
    error: [md`❌`, failure.headline, joinSentences(failure.details, job === undefined ? '' : running)],
  }
  const [sign, headline, details] = words[result]
  const isNamed = [...inputs['fail-on']].some((failing) => failing === result)
  const durationSeconds = durationMs === undefined ? undefined : Math.floor(durationMs / 1000)
  // Below a second it says nothing; beside the deadline, which began earlier, it would contradict that.
  const toldSeconds = result === 'timed-out' ? 0 : durationSeconds
  return {
    result,
    // No step is red under a green sign.
    sign: isNamed && result !== 'timed-out' ? md`❌` : sign,
    headline,
    details,
    isFailure: isNamed || result === 'cancelled' || result === 'error',
    failOnNote: isNamed ? `The step fails because \`fail-on\` names \`${result}\`.` : '',
    prLink: job?.prLink ?? '',
    prName: readPullRequest(job?.prLink ?? '').name,
    job,
    jobId,
    durationSeconds,
    took: toldSeconds ? formatDuration(toldSeconds * 1000) : '',
    plan,
  }
}

/** An outcome as sentences for the log: they name the job and can be read alone. */
export function outcomeSentences(outcome: Outcome): string {
  const { headline, details, jobId, result, failOnNote } = outcome
  const id = serviceWord(jobId)
  const isNamed = jobId === '' || details.includes(`${jobId}\``) || headline.includes(`${jobId}\``)
  // The headline of an error ends in its status: a second pair of brackets would hide it.
  const isError = result === 'error'
  const title = isNamed || isError ? headline : `${headline} (job ${id})`
  const about = isNamed || !isError ? '' : `The request was about job ${id}.`
  const text = joinSentences(details, about, failOnNote)
  if (outcome.prLink === '') return joinSentences(`${title}.`, text)
  // After the link nothing follows: a full stop there would be taken for a part of it.
  const url = clip(outcome.prLink, MAX_LINK_LENGTH)
  return text === '' ? `${title}: ${url}` : `${title}. ${text} Pull request: ${url}`
}

/** The outputs of an agent job at its end. */
export function jobOutputs({ result, job, jobId, durationSeconds }: Outcome): OutputValues {
  return {
    'job-id': jobId,
    result,
    ...(durationSeconds !== undefined && { 'duration-seconds': String(durationSeconds) }),
    ...(job && {
      status: job.status,
      'pr-link': job.prLink ?? '',
      'pr-number': readPullRequest(job.prLink ?? '').number,
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

/**
 * Reads the URL of a pull request (GitHub) or merge request (GitLab).
 *
 * @returns `number`: empty if the URL has none; `name`: short, such as `acme/docs#12`, with the host before it unless that
 * is well known, or the URL's host and path where that form is not known
 */
export function readPullRequest(prLink: string): { readonly number: string; readonly name: string } {
  const url = URL.parse(prLink)
  if (url === null) return { number: '', name: prLink }
  const { host, hostname, pathname } = url
  const [, project, number = ''] = PULL_REQUEST_PATH.exec(pathname) ?? []
  if (project === undefined) return { number, name: `${host}${pathname}` }
  // Any other host could pass for one of these.
  const isKnown = ['github.com', 'gitlab.com', 'bitbucket.org'].includes(hostname) || isLoopbackHost(hostname)
  const mark = pathname.includes('/merge_requests/') ? '!' : '#'
  return { number, name: `${isKnown ? '' : `${host}/`}${project}${mark}${number}` }
}

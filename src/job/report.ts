import type { Skip } from '../decide/skip.ts'
import { parsePullRequest } from '../github/pull-requests.ts'
import { INPUTS, type InputsError } from '../inputs/table.ts'
import {
  code,
  codeBlock,
  details,
  joinMarkdown,
  link,
  MAX_LINK_LENGTH,
  Markdown,
  md,
  type Row,
  sentencesWithCode,
  table,
} from '../lib/markdown.ts'
import {
  clip,
  countOf,
  type Failure,
  failureText,
  inBackticks,
  joinSentences,
} from '../lib/text.ts'
import { formatDuration } from '../lib/time.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import { describeFailure, hasStatus, mintlifyWord } from '../mintlify/mintlify-errors.ts'
import type { ContextStats } from '../prompt/render.ts'
import type { PullReport } from '../pull/pull.ts'
import { noPullRequestWords, pullOutputs, pullSummary } from '../pull/pull-words.ts'
import { type Ending, isSuccess } from '../record/bodies.ts'
import type { OutputValues, Run } from '../runner/run.ts'
import type { AcceptedJob, JobError, Plan } from './plan.ts'
import type { PollEnd } from './poll.ts'

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
    end.kind === 'not-started'
      ? notStartedWords(end)
      : wordsForEnd(end, { result, jobId, plan }, run)
  const isNamed = [...run.inputs['fail-on']].some((failing) => failing === result)
  // Below a second it says nothing; beside the deadline, which began earlier, it would contradict that.
  const tookS = isPolled && result !== 'timed-out' ? Math.floor(end.durationMs / 1000) : 0
  const isLost = end.kind === 'not-started' && end.error?.maybeStarted === true
  return {
    namesJob: false,
    ...words,
    result,
    state: isSuccess(result) ? 'success' : isLost ? 'error' : 'failure',
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

function wordsForEnd(
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
  const id = mintlifyWord(jobId)
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

/** Maximum number of characters of a prompt that a summary shows: far below GitHub's limit of 1 MiB for all of it. */
const MAX_PROMPT_LENGTH = 200_000

/** Sets the outputs of a job and writes its summary. */
export function publishReport(report: Report, run: Run): void {
  run.setOutputs(jobOutputs(report))
  run.writeSummary('job', jobSummary(report, run))
}

/** The outputs of an agent job at its end. */
function jobOutputs(report: Report): OutputValues {
  const { result, job, jobId, plan, pull } = report
  return {
    'job-id': jobId,
    result,
    ...(job && {
      status: job.status,
      'pr-link': job.prLink ?? '',
      'pr-number': parsePullRequest(job.prLink ?? '').number,
      job: job.json,
    }),
    'pr-operation': operationOf(report),
    'source-authors': authorsOf(plan),
    ...(pull && pullOutputs(pull)),
  }
}

function authorsOf(plan: Plan | undefined): string {
  return plan === undefined || plan.kind === 'wait' ? '' : plan.authors.join('\n')
}

/** What this run did to the pull request. One that was there before the message was updated. */
function operationOf({ prLink, pull, accepted }: Report): string {
  if (prLink === '' || accepted === undefined || accepted.kind === 'wait') return ''
  if (accepted.kind === 'create') return 'created'
  const createdAtMs = (pull?.kind === 'pull-request' && pull.createdAtMs) || Infinity
  return accepted.prLink !== '' || createdAtMs < accepted.sentAtMs ? 'updated' : 'created'
}

/** The summary of a job that was requested: its result, what that means, and what belongs to it folded. */
function jobSummary(report: Report, run: Run): Markdown {
  const { result, sign, headline, prName, prLink, plan, job, pullText } = report
  const told = plan === undefined || plan.kind === 'wait' ? undefined : plan.contextStats
  const warnings = run.log.summaryWarnings()
  const ended = report.pull?.kind === 'pull-request' ? report.pull.ended : undefined
  const state = ended === undefined ? 'is ready for review' : `was ${ended}`
  const heading =
    result === 'pull-request'
      ? md`Pull request ${link(prName, prLink)} ${state}`
      : sentencesWithCode(headline)
  return joinMarkdown([
    md`## ${warnings.length > 0 && isSuccess(result) && !report.isFailure ? '⚠️' : sign} ${heading}`,
    warningLines(warnings),
    ...pullText,
    pullRequestLine(report),
    continuationLine(plan, job !== undefined, run),
    ...run.log.summaryLines().map(sentencesWithCode),
    sentencesWithCode(report.details),
    result === 'no-pull-request' && told ? md`The agent was told: ${contextCounts(told)}.` : md``,
    sentencesWithCode(report.failOnNote),
    footer(run, report),
    foldedDetails(report, run),
  ])
}

/** What went wrong on the way and costs the user something. */
function warningLines(costs: readonly string[]): Markdown {
  return joinMarkdown(
    costs.map((text) => md`⚠️ ${sentencesWithCode(text)}`),
    '\n\n',
  )
}

/** Says what a run would have done, and shows what it would have sent. */
export function reportDryRun(plan: Plan, run: Run): undefined {
  const { log } = run
  const forJob = plan.kind === 'message' ? 'send this message to' : 'wait for'
  const purpose =
    plan.kind === 'create'
      ? 'start a job with this prompt'
      : `${forJob} the job ${inBackticks(plan.id)}`
  const text = `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`
  run.setOutputs({ result: 'dry-run', 'source-authors': authorsOf(plan) })
  if (plan.kind !== 'wait') log.group('The prompt', run.redact(plan.prompt))
  run.writeSummary('job', dryRunSummary(text, plan, run))
  log.notice(text)
}

/** The summary of a dry run: what would have been sent, in full. */
function dryRunSummary(text: string, plan: Plan, run: Run): Markdown {
  return joinMarkdown([
    md`## 📝 Docs agent: dry run`,
    sentencesWithCode(text),
    warningLines(run.log.summaryWarnings()),
    continuationLine(plan, false, run),
    ...run.log.summaryLines().map(sentencesWithCode),
    plan.kind === 'wait' || !plan.contextStats
      ? md``
      : md`The agent would be told: ${contextCounts(plan.contextStats)}.`,
    footer(run),
    promptBlock(plan, run),
  ])
}

/** The summary of a run that did nothing, or that was killed or failed before it could write one. */
export function shortSummary(sign: '⏭️' | '🛑' | '❌', text: string, run: Run): Markdown {
  return joinMarkdown([md`## ${sign} Docs agent`, sentencesWithCode(text), footer(run)])
}

/** Says that a run does nothing, and why. */
export function reportSkip({ level, reason, title, prLink = '' }: Skip, run: Run): undefined {
  run.log[level](reason, title)
  const { number } = parsePullRequest(prLink)
  run.setOutputs({
    result: 'skipped',
    ...(prLink && { 'pr-link': prLink, 'pr-number': number }),
  })
  run.writeSummary('job', shortSummary('⏭️', reason, run))
}

/** The summary of a run whose inputs are wrong. */
export function inputsErrorSummary({ problems }: InputsError, run: Run): Markdown {
  const rows = problems.map((one) => [
    code(one.input),
    ...[one.problem, one.accepted].map(sentencesWithCode),
  ])
  return joinMarkdown([
    md`## ❌ Docs agent: wrong ${problems.length === 1 ? 'input' : 'inputs'}`,
    md`Nothing was sent.`,
    table(['Input', 'Problem', 'Accepted'], rows),
    footer(run),
  ])
}

/** Where the pull request is; a job may have one without having completed. */
function pullRequestLine({ job, result, prLink, prName }: Report): Markdown {
  if (prLink === '') return md``
  if (result !== 'pull-request') return md`Its pull request: ${link(prName, prLink)}`
  if (job?.repository == null) return md``
  const branch = job.ref === null ? md`` : md`, on the branch ${word(job.ref)}`
  const name = URL.parse(job.repository)?.pathname.replace(/^\/|\.git$/g, '')
  return md`The docs agent changed ${link(name || job.repository, job.repository)}${branch}.`
}

/** Which pull request the run went on with, or which one went before. */
function continuationLine(plan: Plan | undefined, isSent: boolean, { inputs }: Run): Markdown {
  if (plan?.kind === 'create' && plan.earlierPull !== undefined) {
    const { prLink, state } = plan.earlierPull
    const what =
      state === 'invisible' ? md`is invisible to ${code('github-token')}` : md`was ${state}`
    return md`A new job: the earlier pull request ${link(parsePullRequest(prLink).name, prLink)} ${what}.`
  }
  if (plan?.kind !== 'message' || plan.pull === undefined) return md``
  const { prLink, openFor, conflicts, editors } = plan.pull
  const name = link(parsePullRequest(prLink).name, prLink)
  if (!isSent) return md`The message is for ${name}${openFor}.`
  // With `context: none`, nothing is added to the prompt.
  const asked = (what: string): string =>
    inputs.context === 'none' ? '' : `; the agent was asked to ${what}`
  const parts = [md`This run continued ${name}${openFor}.`]
  if (conflicts === true) parts.push(md`It conflicts with its base branch${asked('resolve that')}.`)
  if (editors !== '') parts.push(md`It has commits by ${editors}${asked('keep them')}.`)
  return joinMarkdown(parts, ' ')
}

function footer({ inputs }: Run, report?: Report): Markdown {
  const parts = [md`Docs agent`]
  const { 'project-id': projectId, matrix: leg } = inputs
  if (projectId !== '') parts.push(md`project ${code(projectId)}`)
  if (leg !== '') parts.push(md`${leg}`)
  if (report?.job?.model != null) parts.push(md`model ${word(report.job.model)}`)
  if (report !== undefined && report.took !== '') parts.push(md`${report.took}`)
  return Markdown.raw(`<sub>${joinMarkdown(parts, ' · ').source}</sub>`)
}

function foldedDetails({ job, jobId, plan }: Report, run: Run): Markdown {
  const rows: Row[] = job === undefined ? [] : [['Status', word(job.status)]]
  if (job?.createdAt != null) rows.push(['Created', word(job.createdAt)])
  const prompt = promptBlock(plan, run)
  if (jobId === '') return prompt.source === '' ? prompt : details('Prompt', prompt)
  const title = prompt.source === '' ? 'Job' : 'Job and prompt'
  return details(title, joinMarkdown([table(['Job', word(jobId)], rows), prompt]))
}

function promptBlock(plan: Plan | undefined, { redact }: Run): Markdown {
  if (plan === undefined || plan.kind === 'wait') return md``
  return codeBlock(clip(redact(plan.prompt), MAX_PROMPT_LENGTH))
}

/** What the agent was told: `12 commits, 34 files, 2 merged pull requests`. */
function contextCounts({ commits, files, mergedPulls }: ContextStats): string {
  if (files === undefined && commits === 0) return 'what has changed is not known'
  const changed = files === undefined ? 'files not known' : countOf(files, 'file')
  const pulls = mergedPulls === 0 ? '' : `, ${countOf(mergedPulls, 'merged pull request')}`
  return `${countOf(commits, 'commit')}, ${changed}${pulls}`
}

function word(text: string): Markdown {
  return code(mintlifyWord(text))
}

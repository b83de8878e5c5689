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
  capitalize,
  clip,
  countOf,
  errorMessage,
  type Failure,
  inBackticks,
  joinSentences,
} from '../lib/text.ts'
import { formatDuration } from '../lib/time.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import { describeFailure, hasStatus, mintlifyWord } from '../mintlify/mintlify-errors.ts'
import type { Sources } from '../prompt/gather.ts'
import type { ContextStats } from '../prompt/render.ts'
import type { PullReport } from '../pull/pull.ts'
import { noPullRequestWords, pullOutputs, pullSummary } from '../pull/pull-words.ts'
import { type Ending, isSuccess } from '../record/bodies.ts'
import type { OutputValues, Run } from '../runner/run.ts'
import type { PollEnd } from './poll.ts'
import type { AcceptedJob, JobError, Plan } from './submit.ts'

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

/** How a request for a job ended. */
export type JobEnd =
  | PollEnd
  /** There is no job to wait for. `error` is `undefined` if the run was canceled before anything was sent. */
  | {
      readonly kind: 'not-started'
      readonly isCancelled: boolean
      readonly error: JobError | undefined
      readonly rerun: RerunAdvice
    }

/** How a request for a job ended, with the words for the log, the summary, and the comment. */
export type Report = Ending & {
  readonly result: JobResult
  /** Whether the step fails. */
  readonly isFailure: boolean
  /** Says that `fail-on` makes the step fail; empty if it doesn't. */
  readonly failOnNote: string
  /** The job as last observed. */
  readonly job: Job | undefined
  readonly plan: Plan | undefined
  /** `undefined` if it ended before. */
  readonly accepted: AcceptedJob | undefined
  /** What GitHub shows of it; `undefined` if GitHub wasn't asked. */
  readonly pull: PullReport | undefined
}

const SUBMITTED = {
  create: 'Job started',
  message: 'Message sent to the job',
  wait: 'The job is still running',
}

type Words = Failure & { readonly sign: Markdown; readonly namesJob?: boolean }

/** Whether a re-run would know that nothing was started, or only a new run may start something. */
export type RerunAdvice = 'safe' | 'new-run'

const RERUN = {
  safe: 'Nothing was started, so it is safe to run this again.',
  'new-run':
    "Nothing was started. To try again, start a new run instead of re-running this one. This run couldn't write its commit status or reply, so a re-run would assume that a job may be running.",
}

/** Makes the report. `subject` is what the run did before it ended. */
export function makeReport(
  end: JobEnd,
  subject: Pick<Report, 'plan' | 'accepted'>,
  run: Pick<Run, 'inputs' | 'environment' | 'mintlify'>,
): Report {
  const { plan, accepted } = subject
  const isPolled = end.kind !== 'not-started'
  const job = isPolled ? end.job : undefined
  const jobId = job?.id ?? (plan === undefined || plan.kind === 'create' ? '' : plan.id)
  const result = resultOf(end)
  // Mintlify may not name the pull request of an update before the job has finished.
  const isRunning = job !== undefined && !isTerminal(job.status)
  const prLink = job?.prLink ?? (isRunning ? accepted?.prLink : undefined) ?? ''
  const words =
    end.kind === 'not-started'
      ? notStartedWords(end)
      : wordsForEnd(end, { result, jobId, plan }, run)
  const isNamed = [...run.inputs['fail-on']].some((failing) => failing === result)
  // Less than a second means nothing. Next to the deadline, which began earlier, it would contradict that.
  const tookS = isPolled && result !== 'timed-out' ? Math.floor(end.durationMs / 1000) : 0
  const isLost = end.kind === 'not-started' && end.error?.maybeStarted === true
  return {
    namesJob: false,
    ...words,
    result,
    state: isSuccess(result) ? 'success' : isLost ? 'error' : 'failure',
    // A step that fails has no green sign.
    sign: isNamed && result !== 'timed-out' ? md`❌` : words.sign,
    isFailure: isNamed || result === 'cancelled' || result === 'error',
    failOnNote: isNamed ? `This step failed because \`fail-on\` includes \`${result}\`.` : '',
    prLink,
    prName: parsePullRequest(prLink).name,
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
    : ended && { headline: `The docs pull request was ${ended}` }
  return { ...report, ...words, pullText: pullSummary(pull), pull }
}

/** Whether Mintlify sent a link that can't be used. */
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
  const { headline = '', details = 'Nothing was started.' } = error ?? {}
  const canRerun = error?.isTransient === true || rerun === 'new-run'
  const nothing = canRerun ? RERUN[rerun] : 'Nothing was started.'
  const words = joinSentences(details, error?.maybeStarted === false ? nothing : '')
  if (!isCancelled) return { sign: md`❌`, headline, details: words }
  const isUnclear = error?.maybeStarted === true
  return {
    sign: md`🛑`,
    headline: isUnclear ? 'Canceled: a job may be running' : 'Canceled before a job was started',
    details: words,
  }
}

function wordsForEnd(
  end: PollEnd,
  about: { readonly result: JobResult; readonly jobId: string; readonly plan: Plan | undefined },
  { environment, inputs, mintlify }: Pick<Run, 'environment' | 'inputs' | 'mintlify'>,
): Words {
  const { result, jobId, plan } = about
  const name = inBackticks(mintlifyWord(jobId))
  const error = 'error' in end ? end.error : undefined
  const lastFailure = error === undefined ? undefined : describeFailure(error, mintlify)
  const toWait = `To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  // The last poll may have failed, or have shown the job as it was before a message.
  const isObserved = end.job !== undefined && error === undefined && !isTerminal(end.job.status)
  const running = `The job ${isObserved ? 'is still' : 'may still be'} running. ${toWait}`
  const { kind = 'create' } = plan ?? {}
  const namesJob = true
  switch (result) {
    case 'pull-request':
      return { sign: md`✅`, headline: 'Docs pull request ready for review', details: '' }
    case 'no-pull-request': {
      if (hasLostLink(end.job)) {
        const details = `The link from ${mintlify} isn't a URL. You can find the pull request in the dashboard.`
        return { sign: md`✅`, headline: 'The pull request link could not be read', details }
      }
      const details =
        'Either the docs needed no changes, or the agent pushed directly to the branch.'
      return { sign: md`✅`, headline: 'The job completed without a pull request', details }
    }
    case 'failed': {
      const details = `${mintlify} reported that job ${name} failed, but not why. Common causes are that its GitHub App isn't installed on the docs repository, that your credits are used up, or that the agent can't do what the prompt asks. To see the job, open the dashboard.`
      return { sign: md`❌`, headline: "The agent's job failed", details, namesJob }
    }
    case 'archived': {
      const details = `Job ${name} was archived, either by someone in the dashboard or by ${mintlify}. It won't produce a pull request.`
      return { sign: md`🗄️`, headline: "The agent's job was archived", details, namesJob }
    }
    case 'timed-out': {
      const timeout = environment.inputs.get('timeout')?.trim() || INPUTS.timeout.default
      const more = lastFailure
        ? `The last request for its status failed. ${lastFailure.details || lastFailure.headline}`
        : 'To wait longer next time, increase `timeout`.'
      const details = joinSentences(running, more)
      const headline = `The job did not finish within ${timeout}`
      return { sign: md`⏱️`, headline, details, namesJob }
    }
    case 'cancelled': {
      const headline = `Canceled: the job ${isObserved ? 'is still' : 'may still be'} running`
      return { sign: md`🛑`, headline, details: running, namesJob }
    }
    case 'submitted': {
      const isAttached = kind === 'wait'
      const noWait = isAttached ? '' : "This step doesn't wait for the job (`wait: false`)."
      const details = joinSentences(noWait, toWait)
      return { sign: isAttached ? md`⏳` : md`🚀`, headline: SUBMITTED[kind], details, namesJob }
    }
    case 'error': {
      const { headline, details } = lastFailure ?? { headline: '', details: '' }
      const isUnknown = hasStatus(error, 404)
      const wasAccepted = isUnknown && inputs['job-id'] === ''
      const accepted = `${mintlify} accepted job ${name} before, so it may be running.`
      // There is nothing to wait for if Mintlify doesn't know the job.
      const hasJob = end.job !== undefined && !isUnknown
      return {
        sign: md`❌`,
        headline,
        details: joinSentences(details, wasAccepted ? accepted : '', hasJob ? running : ''),
        namesJob: hasJob || isUnknown,
      }
    }
  }
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
  if (report.prLink === '') return text
  // Nothing follows the link, because a full stop would be read as a part of it.
  const url = clip(report.prLink, MAX_LINK_LENGTH)
  return result === 'pull-request' && failOnNote === ''
    ? `${headline}: ${url}`
    : `${text} Pull request: ${url}`
}

/** The longest prompt that a summary shows, in characters: GitHub's limit for a whole summary is 1 MiB. */
const MAX_PROMPT_LENGTH = 200_000

/** Sets the outputs of a job and writes its summary. */
export function publishReport(report: Report, run: Run): void {
  run.setOutputs(jobOutputs(report))
  run.writeSummary('job', jobSummary(report, run))
}

function jobOutputs(report: Report): OutputValues {
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

/** What the run is about; `undefined` if it only waits for a given job. */
export function sourcesOfPlan(plan: Plan | undefined): Sources | undefined {
  return plan?.kind === 'wait' ? plan.sources : plan
}

function authorsOf(plan: Plan | undefined): string {
  return (sourcesOfPlan(plan)?.authors ?? []).join('\n')
}

/** What this run did to the pull request: one that was there before the message was updated. */
function operationOf({ prLink, pull, accepted }: Report): string {
  if (prLink === '' || accepted === undefined || accepted.kind === 'wait') return ''
  if (accepted.kind === 'create') return 'created'
  const createdAtMs = (pull?.kind === 'pull-request' && pull.createdAtMs) || Infinity
  return accepted.prLink !== '' || createdAtMs < accepted.sentAtMs ? 'updated' : 'created'
}

/** Writes the summary of a job: its result, what that means, and folded details. */
function jobSummary(report: Report, run: Run): Markdown {
  const { result, sign, headline, prName, prLink, plan, job, pullText } = report
  const stats = plan === undefined || plan.kind === 'wait' ? undefined : plan.contextStats
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
    result === 'no-pull-request' && stats
      ? md`The prompt included: ${contextCounts(stats)}.`
      : md``,
    sentencesWithCode(report.failOnNote),
    footer(run, report),
    foldedDetails(report, run),
  ])
}

/** What went wrong on the way and has a consequence for the user. */
function warningLines(warnings: readonly string[]): Markdown {
  return joinMarkdown(
    warnings.map((text) => md`⚠️ ${sentencesWithCode(text)}`),
    '\n\n',
  )
}

/** Reports what a run would have done, and shows the prompt. */
export function reportDryRun(plan: Plan, run: Run): undefined {
  const { log } = run
  const forJob = plan.kind === 'message' ? 'send this prompt to' : 'wait for'
  const purpose =
    plan.kind === 'create'
      ? 'start a job with this prompt'
      : `${forJob} the job ${inBackticks(plan.id)}`
  const headline = `Dry run: nothing was sent to ${run.mintlify}`
  const text = `Without \`dry-run\`, this run would ${purpose}.`
  run.setOutputs({ result: 'dry-run', 'source-authors': authorsOf(plan) })
  if (plan.kind !== 'wait') log.group('The prompt', run.redact(plan.prompt))
  run.writeSummary('job', dryRunSummary({ headline, details: text }, plan, run))
  log.notice(`${headline}. ${text}`, headline)
}

function dryRunSummary({ headline, details: text }: Failure, plan: Plan, run: Run): Markdown {
  const warnings = run.log.summaryWarnings()
  return joinMarkdown([
    md`## ${warnings.length > 0 ? '⚠️' : '📝'} ${sentencesWithCode(headline)}`,
    sentencesWithCode(text),
    warningLines(warnings),
    continuationLine(plan, false, run),
    ...run.log.summaryLines().map(sentencesWithCode),
    plan.kind === 'wait' || !plan.contextStats
      ? md``
      : md`The prompt includes: ${contextCounts(plan.contextStats)}.`,
    footer(run),
    promptBlock(plan, run),
  ])
}

/** The summary of a run that did nothing, or that was killed or failed before it could write one. */
export function shortSummary(sign: '⏭️' | '🛑' | '❌', words: Failure, run: Run): Markdown {
  const { headline, details: text } = words
  return joinMarkdown([
    md`## ${sign} ${sentencesWithCode(headline)}`,
    sentencesWithCode(text),
    footer(run),
  ])
}

/** Says that a run does nothing, and why. */
export function reportSkip({ level, reason, title, prLink = '' }: Skip, run: Run): undefined {
  run.log[level](`Skipped: ${reason}.`, title)
  const { number } = parsePullRequest(prLink)
  run.setOutputs({
    result: 'skipped',
    ...(prLink && { 'pr-link': prLink, 'pr-number': number }),
  })
  run.writeSummary('job', shortSummary('⏭️', { headline: `Skipped: ${reason}`, details: '' }, run))
}

export const REPORT_BUG =
  "This is a bug in the action. Please report it in the action's repository, with the log."

/** Describes a bug of the action, and logs the place. */
export function unexpectedFailure(error: unknown, { log }: Run): Failure {
  if (error instanceof Error) log.info(error.stack ?? '')
  const details = `Unexpected error: ${errorMessage(error)}. If this run requested a job, the job may be running. ${REPORT_BUG}`
  return { headline: 'Unexpected error in the action', details }
}

/** The summary of a run whose inputs are wrong. */
export function inputsErrorSummary({ headline, problems }: InputsError, run: Run): Markdown {
  const rows = problems.map(({ input, problem, use }) => [
    code(input),
    sentencesWithCode(problem),
    sentencesWithCode(`${capitalize(use)}.`),
  ])
  return joinMarkdown([
    md`## ❌ ${sentencesWithCode(headline)}`,
    md`Nothing was sent to ${run.mintlify}.`,
    table(['Input', 'Problem', 'Use'], rows),
    footer(run),
  ])
}

/** Links the pull request; a job may have one without having completed. */
function pullRequestLine({ job, result, prLink, prName }: Report): Markdown {
  if (prLink === '') return md``
  if (result !== 'pull-request') return md`The job's pull request: ${link(prName, prLink)}`
  if (job?.repository == null) return md``
  const branch = job.ref === null ? md`` : md`, on the branch ${word(job.ref)}`
  const name = URL.parse(job.repository)?.pathname.replace(/^\/|\.git$/g, '')
  return md`The agent changed ${link(name || job.repository, job.repository)}${branch}.`
}

/** Names the pull request that the run updated, or the one before a new job. */
function continuationLine(plan: Plan | undefined, isSent: boolean, { inputs }: Run): Markdown {
  if (plan?.kind === 'create' && plan.earlierPull !== undefined) {
    const { prLink, state } = plan.earlierPull
    const earlier = md`the earlier pull request ${link(parsePullRequest(prLink).name, prLink)}`
    return state === 'invisible'
      ? md`Started a new job, because ${code('github-token')} can't read ${earlier}.`
      : md`Started a new job, because ${earlier} was ${state}.`
  }
  if (plan?.kind !== 'message' || plan.pull === undefined) return md``
  const { prLink, openFor, conflicts, editors } = plan.pull
  const name = link(parsePullRequest(prLink).name, prLink)
  if (!isSent) return md`The message is for ${name}${openFor}.`
  // With `context: none`, nothing is added to the prompt.
  const asked = (what: string): string =>
    inputs.context === 'none' ? '' : `, and the agent was asked to ${what}`
  const parts = [md`This run updated ${name}${openFor}.`]
  if (conflicts === true)
    parts.push(
      md`The pull request conflicts with its base branch${asked('resolve the conflicts')}.`,
    )
  if (editors !== '')
    parts.push(md`The pull request contains commits by ${editors}${asked('keep them')}.`)
  return joinMarkdown(parts, ' ')
}

function footer({ inputs }: Run, report?: Report): Markdown {
  const parts: Markdown[] = []
  const { 'project-id': projectId, matrix } = inputs
  if (projectId !== '') parts.push(md`project ${code(projectId)}`)
  if (matrix !== '') parts.push(md`${matrix}`)
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

/** Counts what the prompt included: `12 commits, 34 files, 2 merged pull requests`. */
function contextCounts({ commits, files, mergedPulls }: ContextStats): string {
  if (files === undefined && commits === 0) return 'no changes, because GitHub could not be read'
  const changed = files === undefined ? 'an unknown number of files' : countOf(files, 'file')
  const pulls = mergedPulls === 0 ? '' : `, ${countOf(mergedPulls, 'merged pull request')}`
  return `${countOf(commits, 'commit')}, ${changed}${pulls}`
}

function word(text: string): Markdown {
  return code(mintlifyWord(text))
}

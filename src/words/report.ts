import type { PollEnd } from '../agent/poll.ts'
import type { AcceptedJob } from '../agent/submit.ts'
import type { Sources } from '../changes/sources.ts'
import type { Create, Message, Wait } from '../decide/decide.ts'
import type { DocsPull } from '../docs-pull/docs-pull.ts'
import type { GitHubEvent } from '../event/event.ts'
import { GitHubError } from '../github/github-errors.ts'
import { parsePullRequest } from '../lib/http.ts'
import { MAX_LINK_LENGTH } from '../lib/markdown.ts'
import { clip, errorMessage, inBackticks, joinSentences, Problem } from '../lib/text.ts'
import { formatDuration } from '../lib/time.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import { describeFailure, hasStatus, mintlifyWord } from '../mintlify/mintlify-errors.ts'
import type { ContextStats } from '../prompt/block.ts'
import { isRecorded } from '../record/record.ts'
import type { State } from '../record/recorder.ts'
import type { OutputValues, Run } from '../runner/run.ts'

/** What a run does about its job, with what it sends. */
export type Plan = (Create | Message | Wait) & {
  /** Empty if the run only waits. */
  readonly prompt: string
  /** How much the prompt says about the event; `undefined` if nothing. */
  readonly stats?: ContextStats | undefined
  readonly sources: Sources
}

/** The output `result` of a run that requests a job. */
type Result =
  | 'pull-request'
  | 'no-pull-request'
  | 'failed'
  | 'archived'
  | 'timed-out'
  | 'cancelled'
  | 'submitted'
  | 'error'

/** How a request for a job ended, as data. */
export type JobEnd = {
  /** `undefined` if the run ended before it was made. */
  readonly plan: Plan | undefined
  /** `undefined` if Mintlify accepted no job. */
  readonly accepted?: AcceptedJob | undefined
  /** `undefined` if there is no job to wait for. */
  readonly polled?: PollEnd | undefined
  /** Why there is none; `undefined` if the run was canceled before anything was sent. */
  readonly problem?: Problem | undefined
  readonly isCancelled: boolean
}

/** The words of a result. */
type Words = {
  readonly sign: string
  /** States the result in at most 60 characters: an annotation's title, a heading. */
  readonly title: string
  /** What happened, why, and what to do, as sentences. May be empty. */
  readonly text: string
  /** A block for the workflow file, to follow the text. */
  readonly paste?: string
}

/** How a request for a job ended, with the words for the log, the summary, the comment, and the commit status. */
export type Report = Words &
  JobEnd & {
    readonly result: Result
    /** As later runs read it, whatever `fail-on` includes. */
    readonly state: State
    /** Whether the step fails. */
    readonly isFailure: boolean
    /** Says that `fail-on` makes the step fail; empty if it doesn't. */
    readonly failOnNote: string
    /** URL of the pull request as Mintlify names it, and a short name for it; empty if there is none. */
    readonly prLink: string
    readonly prName: string
    /** The job as last observed, and its ID; `undefined` and empty if there is none, or it is unknown. */
    readonly job: Job | undefined
    readonly jobId: string
    /** How long the job took, such as `3 min 05 s`; empty if it is unknown or too short. */
    readonly took: string
    /** What GitHub shows of the docs pull request; `undefined` if GitHub wasn't asked. */
    readonly docs?: DocsPull | undefined
  }

/** Makes the report of how a request for a job ended. */
export function makeReport(end: JobEnd, event: GitHubEvent, run: Run): Report {
  const { plan, accepted, polled, problem, isCancelled } = end
  const { inputs } = run
  const job = polled?.job
  const jobId = accepted?.id ?? (plan === undefined || plan.kind === 'create' ? '' : plan.id)
  const result = resultOf(end)
  // Mintlify may not name the pull request of an update before the job has finished.
  const isRunning = job !== undefined && !isTerminal(job.status)
  const prLink = job?.prLink ?? (isRunning ? accepted?.prLink : undefined) ?? ''
  const words = accepted
    ? wordResult(result, { job, jobId, accepted, error: polled?.error ?? problem }, event, run)
    : notStartedWords(isCancelled, problem)
  const mustFail = inputs['fail-on'].has(result)
  // Less than a second means nothing. Next to the deadline, which began earlier, it would contradict that.
  const tookS = polled && result !== 'timed-out' ? Math.floor(polled.durationMs / 1000) : 0
  let state: State = problem?.maybeStarted ? 'starting' : 'nothing'
  if (accepted) state = 'running'
  if (isSuccess(result)) state = 'success'
  if (result === 'failed' || result === 'archived') state = 'failure'
  return {
    ...words,
    ...end,
    result,
    state,
    // A step that fails has no green sign.
    sign: mustFail && result !== 'timed-out' ? '❌' : words.sign,
    isFailure: mustFail || result === 'cancelled' || result === 'error',
    failOnNote: mustFail ? `This step failed because \`fail-on\` includes \`${result}\`.` : '',
    prLink,
    prName: parsePullRequest(prLink).name,
    job,
    jobId,
    took: tookS === 0 ? '' : formatDuration(tookS * 1000),
  }
}

/** Adds what GitHub shows of the docs pull request. */
export function withDocs(report: Report, docs: DocsPull | undefined): Report {
  if (!docs?.ended || report.result !== 'pull-request') return { ...report, docs }
  const sign = docs.ended === 'closed' && isSuccess(report.result) ? '⚠️' : report.sign
  return { ...report, sign, title: `The docs pull request was ${docs.ended}`, docs }
}

/** Whether a run with this result succeeded. */
export function isSuccess(result: string): boolean {
  return ['pull-request', 'no-pull-request', 'submitted'].includes(result)
}

function resultOf({ polled, isCancelled }: JobEnd): Result {
  if (!polled) return isCancelled ? 'cancelled' : 'error'
  if (polled.kind === 'refused') return 'error'
  if (polled.kind !== 'finished') return polled.kind
  const { status, prLink } = polled.job ?? {}
  if (status === 'completed') return prLink == null ? 'no-pull-request' : 'pull-request'
  return status === 'archived' ? 'archived' : 'failed'
}

function notStartedWords(isCancelled: boolean, problem: Problem | undefined): Words {
  const { title = '', text = '', paste = '', maybeStarted = false } = problem ?? {}
  if (!isCancelled) return { sign: '❌', title, text, paste }
  const canceled = maybeStarted
    ? 'Canceled: a job may be running'
    : 'Canceled before a job was started'
  return { sign: '🛑', title: canceled, text: text || 'Nothing was started.' }
}

type JobFacts = {
  readonly job: Job | undefined
  readonly jobId: string
  readonly accepted: AcceptedJob
  /** Why the last request failed; `undefined` if it didn't. */
  readonly error: unknown
}

/** Words a result of an accepted job. */
function wordResult(result: Result, about: JobFacts, event: GitHubEvent, run: Run): Words {
  const { job, jobId, accepted, error } = about
  const { mintlifyName, inputs } = run
  const name = inBackticks(mintlifyWord(jobId))
  const id = inBackticks(`job-id: ${jobId}`)
  const isFound = inputs['follow-up'] && isRecorded(event, run)
  const waits = isFound ? 'The next run of this step finds the job. ' : ''
  const toWait = `${waits}To wait for it${isFound ? ' now' : ''}, run this action with ${id}.`
  const failure = error === undefined ? undefined : describeFailure(error, mintlifyName)
  // The last poll may have failed, or have shown the job as it was before a message.
  const isObserved = job !== undefined && error === undefined && !isTerminal(job.status)
  const isRunning = isObserved ? 'is still running' : 'may still be running'
  if (hasStatus(error, 404)) return lostJobWords(failure, about, run)
  switch (result) {
    case 'pull-request':
      return { sign: '✅', title: 'Docs pull request ready for review', text: '' }
    case 'no-pull-request':
      return hasLostLink(job)
        ? {
            sign: '⚠️',
            title: 'The pull request link could not be read',
            text: `The action ignored the link (\`prLink\`) from ${mintlifyName}, because it isn't an http(s) URL. You can find the pull request in the dashboard.`,
          }
        : {
            sign: '✅',
            title: 'The job completed without a pull request',
            text: 'The agent changed no files, or pushed directly to the branch.',
          }
    case 'failed':
      return {
        sign: '❌',
        title: "The agent's job failed",
        text: `${mintlifyName} reported that job ${name} failed, but gave no reason. Common causes are that its GitHub App isn't installed on the docs repository, that your credits are used up, or that the prompt asks for something impossible. To see the job, open the dashboard.`,
      }
    case 'archived':
      return {
        sign: '🗄️',
        title: "The agent's job was archived",
        text: `Job ${name} was archived, either by someone in the dashboard or by ${mintlifyName}. It won't open a pull request. To start a new job, run the workflow again.`,
      }
    case 'timed-out': {
      const more = failure
        ? `The last request for its status failed. ${failure.text || failure.title}`
        : 'To wait longer next time, increase `timeout`.'
      return {
        sign: '⏱️',
        title: `The job did not finish within ${run.inputText('timeout')}`,
        text: joinSentences(`The job ${isRunning}.`, toWait, more),
      }
    }
    case 'cancelled':
      return {
        sign: '🛑',
        title: `Canceled: the job ${isRunning}`,
        text: `The job ${isRunning}. ${toWait}`,
      }
    case 'submitted': {
      const titles = {
        create: 'Job started',
        message: 'Message sent to the job',
        wait: 'The job is still running',
      }
      const why =
        accepted.kind === 'wait' ? '' : "This step doesn't wait for the job (`wait: false`)."
      const sign = accepted.kind === 'wait' ? '⏳' : '🚀'
      return { sign, title: titles[accepted.kind], text: joinSentences(why, toWait) }
    }
    case 'error':
      return {
        sign: '❌',
        title: failure?.title ?? '',
        text: joinSentences(failure?.text ?? '', `The job ${isRunning}.`, toWait),
      }
  }
}

/** Describes a job that Mintlify doesn't know, so that there is nothing to wait for. */
function lostJobWords(failure: Problem | undefined, { jobId }: JobFacts, run: Run): Words {
  const { title = '', text = '' } = failure ?? {}
  const { inputs, mintlifyName } = run
  if (inputs['job-id'] !== '')
    return { sign: '❌', title, text: joinSentences(text, 'Check `job-id` and `project-id`.') }
  const before = `${mintlifyName} accepted job ${inBackticks(mintlifyWord(jobId))} before, so it may still be running. Check the dashboard before you run this again.`
  const lost = `${mintlifyName} doesn't know this job anymore`
  return { sign: '❌', title: lost, text: joinSentences(text, before) }
}

/** Whether Mintlify sent a pull request link that can't be used. */
export function hasLostLink(job: Job | undefined): boolean {
  return job?.invalidFields.includes('prLink') === true
}

/** Writes a report as sentences for an annotation, which can be read without the title. */
export function annotationText(report: Report): string {
  const { title, text, result, failOnNote, paste, prLink } = report
  const all = joinSentences(isSuccess(result) || text === '' ? `${title}.` : '', text, failOnNote)
  if (paste) return `${all}\n${paste}`
  if (prLink === '') return all
  // Nothing follows the link, because a full stop would be read as a part of it.
  const url = clip(prLink, MAX_LINK_LENGTH)
  if (result === 'pull-request' && failOnNote === '') return `${title}: ${url}`
  return `${all} Pull request: ${url}`
}

export const REPORT_BUG =
  "This is a bug in the action. Please report it in the action's repository, with the log."

/** Makes a problem of any error; one of the action itself is logged with its place. */
export function toProblem(error: unknown, maybeStarted: boolean, { log, github }: Run): Problem {
  // A problem at GitHub explains the other failures there.
  if (error instanceof Problem && error.cause instanceof GitHubError) github.explain()
  if (error instanceof Problem) return error
  if (error instanceof Error) log.info(error.stack ?? '')
  const maybe = maybeStarted ? 'A job may be running.' : 'Nothing was started.'
  const text = `Unexpected error: ${errorMessage(error)}. ${maybe} ${REPORT_BUG}`
  return new Problem({ title: 'Unexpected error in the action', text, maybeStarted, cause: error })
}

/** In the output `pr-files`. */
const MAX_OUTPUT_FILES = 100

export function jobOutputs(report: Report): OutputValues {
  const { result, job, jobId, plan, docs, prLink } = report
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
    'source-authors': (plan?.sources.authors ?? []).join('\n'),
    ...(docs?.files && { 'pr-files': JSON.stringify(docs.files.slice(0, MAX_OUTPUT_FILES)) }),
  }
}

/** Returns what this run did to the pull request. A pull request that existed before the message was updated. */
export function operationOf({ prLink, docs, plan, accepted }: Report): string {
  if (prLink === '' || accepted === undefined) return ''
  if (plan?.kind === 'wait') return plan.isUnseen ? 'created' : ''
  if (accepted.kind === 'create') return 'created'
  const isOlder = (docs?.createdAtMs ?? Infinity) < accepted.sentAtMs
  return accepted.prLink !== '' || isOlder ? 'updated' : 'created'
}

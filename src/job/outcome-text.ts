import type { FailOnResult } from '../inputs/table.ts'
import { formatDuration } from '../lib/duration.ts'
import { MAX_LINK_LENGTH, type Markdown, md } from '../lib/markdown.ts'
import { clip, inBackticks, joinSentences } from '../lib/text.ts'
import { serviceWord } from '../service/service-error.ts'
import { isNamedBy, type JobResult, type Outcome } from './outcome.ts'

/** An outcome in words: plain text, to be made fit for where it goes. */
type OutcomeText = {
  /** One line, fit for a heading. Names in backticks are code. */
  readonly headline: string
  /** Sentences: why, what it means, what to do. Empty if the headline says it all. */
  readonly advice: string
}

/** What the words need to know beside the outcome. */
export type OutcomeContext = {
  /** The limit of the wait, in milliseconds. */
  readonly timeoutMs: number
  readonly projectId: string
  readonly failOn: ReadonlySet<FailOnResult>
}

/** A sign for each result, to be seen at a glance. */
export const RESULT_SIGNS: Readonly<Record<JobResult, Markdown>> = {
  'pull-request': md`✅`,
  'no-pull-request': md`✅`,
  submitted: md`🚀`,
  failed: md`❌`,
  archived: md`🗄️`,
  'timed-out': md`⏱️`,
  cancelled: md`🛑`,
  error: md`❌`,
}

/** The sign of an outcome where the step's end is seen beside it: no step is red under a ✅. */
export function signOf(result: JobResult, failOn: ReadonlySet<FailOnResult>): Markdown {
  const isGreen = result === 'no-pull-request' || result === 'archived'
  return isGreen && isNamedBy(failOn, result) ? RESULT_SIGNS.failed : RESULT_SIGNS[result]
}

const FAILED_CAUSES =
  'The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed ' +
  'there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the ' +
  'docs service shows the job.'

/** Says how a request for a job ended. */
export function outcomeText(outcome: Outcome, context: OutcomeContext): OutcomeText {
  const { reason } = outcome
  const background = backgroundAdvice(outcome)
  switch (outcome.result) {
    case 'pull-request':
      return { headline: 'Pull request ready for review', advice: '' }
    case 'no-pull-request':
      return {
        headline: 'Completed without a pull request',
        advice: 'Either no file needed a change, or the agent published straight to the branch.',
      }
    case 'failed':
      return { headline: "The agent's job failed", advice: FAILED_CAUSES }
    case 'archived':
      return {
        headline: "The agent's job was archived",
        advice: 'It was archived in the dashboard or by the service, and does no further work.',
      }
    case 'timed-out':
      return {
        headline: `Not finished within ${formatDuration(context.timeoutMs)}`,
        advice: joinSentences(reason, background, 'A longer `timeout` waits longer.'),
      }
    case 'cancelled':
      return {
        headline: 'Cancelled',
        advice: joinSentences(outcome.headline && `${outcome.headline}.`, reason, background),
      }
    case 'submitted':
      return { headline: 'Submitted; the agent is at work', advice: background }
    case 'error':
      return { headline: outcome.headline, advice: joinSentences(reason, background) }
  }
}

/** That `fail-on` makes the step fail, where it does, as a sentence; else empty. */
export function failOnNote({ result }: Outcome, { failOn }: OutcomeContext): string {
  return isNamedBy(failOn, result) ? `The step fails because \`fail-on\` names \`${result}\`.` : ''
}

/** How a request for a job ended, as sentences for the log: they name the job and can be read alone. */
export function describeResult(outcome: Outcome, context: OutcomeContext): string {
  const { headline, advice } = outcomeText(outcome, context)
  const url = clip(outcome.job?.prLink ?? '', MAX_LINK_LENGTH)
  const isNamed = outcome.jobId === '' || isNamedIn(`${headline} ${advice}`, outcome.jobId)
  const id = serviceWord(outcome.jobId)
  // The headline of an error ends in its status: a second pair of brackets would hide it.
  const isError = outcome.result === 'error'
  const name = `${headline}${isNamed || isError ? '' : ` (job ${id})`}`
  const note = failOnNote(outcome, context)
  const notes = joinSentences(advice, note)
  // After the link nothing follows: a full stop there would be taken for a part of it.
  if (url !== '' && !isError) {
    return notes === '' ? `${name}: ${url}` : joinSentences(`${name}.`, notes, `Pull request: ${url}`)
  }
  const about = isError && !isNamed ? `The request was about job ${id}.` : ''
  return joinSentences(`${name}.`, advice, about, note)
}

/** Whether our own words name a job: as code, since an id such as `a` is part of many a word. */
function isNamedIn(words: string, jobId: string): boolean {
  return words.includes(inBackticks(jobId)) || words.includes(inBackticks(`job-id: ${jobId}`))
}

function backgroundAdvice({ jobId, job, result }: Outcome): string {
  // Of a job that could not be got, nobody knows whether it goes on, or whether it is there.
  if (jobId === '' || (job === undefined && result === 'error')) return ''
  return `The agent's job goes on in the background. To pick it up, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
}

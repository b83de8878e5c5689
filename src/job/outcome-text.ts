import type { FailOnResult } from '../inputs/table.ts'
import { formatDuration } from '../lib/duration.ts'
import { type Markdown, md } from '../lib/markdown.ts'
import type { JobResult, Outcome } from './outcome.ts'

/** An outcome in words: plain text, to be made fit for where it goes. */
export type OutcomeText = {
  /** One line, fit for a heading. */
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

const FAILED_CAUSES =
  'The service gives no reason. Common ones: the agent may not write to the repository (is its GitHub App installed ' +
  'there?), the credits are used up, or the prompt asks for something it cannot do. Its dashboard shows the job.'

/** Says how an ask for a job ended. */
export function outcomeText(outcome: Outcome, context: OutcomeContext): OutcomeText {
  const { job, reason } = outcome
  const goesOn = backgroundAdvice(outcome)
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
        advice: 'It was put away in the dashboard or by the service, and does no further work.',
      }
    case 'timed-out':
      return {
        headline: `Not finished within ${formatDuration(context.timeoutMs)}`,
        advice: sentences(reason, goesOn, 'A longer `timeout` waits longer.'),
      }
    case 'cancelled':
      return { headline: 'Cancelled', advice: sentences(reason, goesOn) }
    case 'submitted':
      return { headline: 'Submitted; the agent is at work', advice: goesOn }
    case 'error':
      return {
        headline: job === undefined ? 'The job could not be started or looked at' : 'The wait was given up',
        advice: sentences(reason, goesOn),
      }
  }
}

function backgroundAdvice({ jobId, job, result }: Outcome): string {
  // Of a job that could not be looked at nobody knows whether it goes on, or whether it is there.
  if (jobId === '' || (job === undefined && result === 'error')) return ''
  return `The agent's job goes on in the background. To pick it up, run this action with \`job-id: ${jobId}\`.`
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}

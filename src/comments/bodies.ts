import { type JobResult, type Outcome, pullRequestName } from '../job/outcome.ts'
import { type OutcomeContext, outcomeText, RESULT_SIGNS } from '../job/outcome-text.ts'
import { formatDuration } from '../lib/duration.ts'
import { code, details, joinMarkdown, link, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { clip } from '../lib/text.ts'

/** What a reply or status comment is about, at every stage. */
export type Subject = {
  /** The command's first word; may be empty. */
  readonly command: string
  /** Who asked; empty if nobody did but the workflow. */
  readonly login: string
  /** What they asked; may be empty. */
  readonly instructions: string
  /** URL of the workflow run. */
  readonly runUrl: string
  /** What the comment is about where nobody asked: a commit. */
  readonly sha: string
  /** Whether a further command goes on with the job. */
  readonly followUp: boolean
}

/** Maximum number of characters of a request that a comment repeats. */
export const MAX_REQUEST_LENGTH = 280

/** Results after which the agent's job may still be at work. */
const OPEN_ENDS: readonly JobResult[] = ['submitted', 'timed-out', 'cancelled', 'error']

const JOB_GOES_ON = "The agent's job goes on in the background and may still open its pull request."

/** While the agent is at work, or before it is. */
export function workingBody(subject: Subject, stage: 'starting' | 'new' | 'follow-up'): Markdown {
  const headlines = {
    starting: 'Passing this on to the docs agent …',
    new: 'The docs agent is at work …',
    'follow-up': 'The docs agent continues its earlier job …',
  }
  return joinMarkdown([
    md`⏳ **${headlines[stage]}**`,
    originLine(subject, []),
    md`This comment will show the result.`,
  ])
}

/** What the words at the end need to know beside the outcome. */
export type EndContext = OutcomeContext & {
  /** Empty if there is none, or none that is known. */
  readonly jobId: string
  /** Whether a re-run of the workflow run finds the job again. */
  readonly canRerun: boolean
  /** Whether one can go on at the agent's pull request, too. */
  readonly announced: boolean
}

/** At the end. */
export function endBody(subject: Subject, outcome: Outcome, context: EndContext): Markdown {
  const { result, job, durationSeconds } = outcome
  const { headline } = outcomeText(outcome, context)
  const where = job?.prLink == null ? md`` : md`: ${link(pullRequestName(job.prLink), job.prLink)}`
  const took = durationSeconds ? [md`took ${formatDuration(durationSeconds * 1000)}`] : []
  return joinMarkdown([
    md`${RESULT_SIGNS[result]} **${headline}${where}**`,
    originLine(subject, took),
    ...explanation(subject, outcome, context),
    ...nextSteps(subject, outcome, context),
  ])
}

/** For a run that was killed. */
export function cutOffBody(subject: Subject, context: Pick<EndContext, 'jobId' | 'canRerun'>): Markdown {
  const words =
    context.jobId === ''
      ? md`The workflow run was cut off before the docs service had answered. If a job was started, it goes on and may still open its pull request.`
      : waitAgain(subject, context, `The workflow run was cut off. ${JOB_GOES_ON}`)
  return joinMarkdown([md`${RESULT_SIGNS.cancelled} **Cut off**`, originLine(subject, []), words])
}

/** For a command that says nothing. */
export function usageBody({ command, followUp }: Subject): Markdown {
  const again = code(`${command} shorter, and add an example`)
  const fresh = code(`${command} new …`)
  return joinMarkdown([
    md`**What should the docs agent do?** Write it after ${code(command)}:`,
    code(`${command} explain the new flag in the CLI guide`),
    ...(followUp
      ? [md`A further command here continues the same job, such as ${again}. ${fresh} starts a new one.`]
      : []),
  ])
}

function originLine({ login, instructions, runUrl, sha }: Subject, more: readonly Markdown[]): Markdown {
  const request =
    instructions === ''
      ? md`Requested by **${login}**`
      : md`**${login}** asked: ${clip(instructions, MAX_REQUEST_LENGTH)}`
  const what = login === '' ? md`For ${code(sha.slice(0, 7))}` : request
  return joinMarkdown([what, ...more, link('workflow run', runUrl)], ' · ')
}

function explanation(subject: Subject, outcome: Outcome, context: EndContext): Markdown[] {
  const { result, reason, job } = outcome
  const why = reason === '' ? [] : [details('Why', sentencesWithCode(reason))]
  if (result === 'submitted') return [md`${JOB_GOES_ON}`]
  // Of a job that could not be got nobody knows whether it goes on.
  const isUnknown = context.jobId === '' || (result === 'error' && job === undefined)
  if (OPEN_ENDS.includes(result)) return isUnknown ? why : [waitAgain(subject, context, JOB_GOES_ON), ...why]
  const { advice } = outcomeText(outcome, context)
  return advice === '' ? why : [sentencesWithCode(advice), ...why]
}

/** A re-run finds the reply to a command again, and its job with it; other runs must be told the job's id. */
function waitAgain(
  { runUrl }: Subject,
  { jobId, canRerun }: Pick<EndContext, 'jobId' | 'canRerun'>,
  sentence: string,
): Markdown {
  if (canRerun) return md`${sentence} To wait for it again, re-run the ${link('workflow run', runUrl)}.`
  return md`${sentence} To wait for it again, run the action with ${code(`job-id: ${jobId}`)}.`
}

function nextSteps(
  { command, followUp }: Subject,
  { result }: Outcome,
  { announced }: EndContext,
): Markdown[] {
  if (!followUp || command === '') return []
  if (result !== 'pull-request' && result !== 'no-pull-request' && result !== 'submitted') return []
  const where = announced ? 'here or on that pull request' : 'here'
  return [
    md`To go on, comment ${code(`${command} …`)} ${where}; ${code(`${command} new …`)} starts a new job.`,
  ]
}

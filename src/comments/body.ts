import type { JobResult, Outcome } from '../job/outcome.ts'
import { type OutcomeContext, outcomeText, RESULT_SIGNS } from '../job/outcome-text.ts'
import { pullRequestName } from '../job/pull-request.ts'
import { formatDuration } from '../lib/duration.ts'
import { code, details, joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import { sentencesWithCode } from '../lib/sentences.ts'
import { clip } from '../lib/text.ts'
import { type Marker, renderMarker } from './marker.ts'

/** What a comment on a job says at every stage. */
export type CommentFrame = {
  readonly marker: Marker
  /** Who asked; empty if nobody did but the workflow. */
  readonly login: string
  /** What they asked; may be empty. */
  readonly ask: string
  /** URL of the workflow run. */
  readonly runUrl: string
  /** What the comment is about where nobody asked: a commit. */
  readonly sha: string
  /** Whether a further command goes on with the job. */
  readonly followUp: boolean
}

/** Most characters of an ask that a reply repeats. */
const ASK_LENGTH = 280

/** Results after which the agent's job may still be at work. */
const OPEN_ENDS: readonly JobResult[] = ['submitted', 'timed-out', 'cancelled', 'error']

/** While the agent is at work, or before it is. */
export function workingBody(frame: CommentFrame, stage: 'starting' | 'new' | 'going-on'): Markdown {
  const headlines = {
    starting: 'Passing this on to the docs agent …',
    new: 'The docs agent is at work …',
    'going-on': 'The docs agent goes on with its earlier job …',
  }
  return body(frame, [md`⏳ **${headlines[stage]}**`, occasion(frame, []), md`The result will stand here.`])
}

/** At the end. `announced`: whether one can go on at the agent's pull request, too. */
export function endBody(
  frame: CommentFrame,
  outcome: Outcome,
  context: OutcomeContext & { readonly announced: boolean },
): Markdown {
  const { result, job, durationSeconds } = outcome
  const { headline } = outcomeText(outcome, context)
  const where = job?.prLink == null ? md`` : md`: ${link(pullRequestName(job.prLink), job.prLink)}`
  const took = durationSeconds ? [md`took ${formatDuration(durationSeconds * 1000)}`] : []
  return body(frame, [
    md`${RESULT_SIGNS[result]} **${headline}${where}**`,
    occasion(frame, took),
    ...meaning(frame, outcome, context),
    ...waysOn(frame, outcome, context.announced),
  ])
}

/** For a run that was killed. */
export function cutOffBody(frame: CommentFrame): Markdown {
  const goesOn =
    frame.marker.job === ''
      ? 'The workflow run was cut off before the docs service had answered. If a job was started, it goes on and may still open its pull request.'
      : `The workflow run was cut off. The agent's job goes on and may still open its pull request.`
  return body(frame, [md`${RESULT_SIGNS.cancelled} **Cut off**`, occasion(frame, []), pickUp(frame, goesOn)])
}

/** For a command that asks for nothing. */
export function usageBody(frame: CommentFrame): Markdown {
  const { command } = frame.marker
  const again = code(`${command} shorter, and add an example`)
  const fresh = code(`${command} new …`)
  return body(frame, [
    md`**What should the docs agent do?** Say it after ${code(command)}:`,
    code(`${command} explain the new flag in the CLI guide`),
    ...(frame.followUp
      ? [md`A further command here goes on with the same job: ${again}. ${fresh} starts afresh.`]
      : []),
  ])
}

/** On the agent's pull request: how to go on there. `origin` is the URL of the command that led to it; may be empty. */
export function announcementBody(frame: CommentFrame, origin: string): Markdown {
  const { marker, login, runUrl } = frame
  const asker = login === '' ? md`A ${link('workflow run', runUrl)}` : md`**${login}**`
  const there = origin === '' ? md`` : md` ${link('here', origin)}`
  const example = code(`${marker.command} shorter, and add an example`)
  return body(frame, [
    md`💬 ${asker} asked the docs agent for this pull request${there}. To have it changed, comment ${code(`${marker.command} …`)}, such as ${example}.`,
  ])
}

function body({ marker }: CommentFrame, paragraphs: readonly Markdown[]): Markdown {
  return md`${renderMarker(marker)}\n${joinMarkdown(paragraphs)}`
}

function occasion({ login, ask, runUrl, sha }: CommentFrame, more: readonly Markdown[]): Markdown {
  const short = code(sha.slice(0, 7))
  const said = ask === '' ? md`Asked for by **${login}**` : md`**${login}** asked: ${clip(ask, ASK_LENGTH)}`
  const what = login === '' ? md`For ${short}` : said
  return joinMarkdown([what, ...more, link('workflow run', runUrl)], ' · ')
}

function meaning(frame: CommentFrame, outcome: Outcome, context: OutcomeContext): Markdown[] {
  const { result, reason } = outcome
  const why = reason === '' ? [] : [details('Why', sentencesWithCode(reason))]
  if (OPEN_ENDS.includes(result)) {
    const goesOn = "The agent's job goes on and may still open its pull request."
    if (result === 'submitted') return [md`${goesOn}`]
    return frame.marker.job === '' ? why : [pickUp(frame, goesOn), ...why]
  }
  const { advice } = outcomeText(outcome, context)
  return advice === '' ? why : [sentencesWithCode(advice), ...why]
}

/** A re-run finds the reply to a command again, and its job with it; other runs must be told the job's id. */
function pickUp({ marker, runUrl }: CommentFrame, sentence: string): Markdown {
  if (marker.job === '') return md`${sentence}`
  if (marker.kind === 'reply')
    return md`${sentence} To wait for it again, re-run the ${link('workflow run', runUrl)}.`
  return md`${sentence} To wait for it again, run the action with ${code(`job-id: ${marker.job}`)}.`
}

function waysOn({ marker, followUp }: CommentFrame, { result }: Outcome, announced: boolean): Markdown[] {
  if (!followUp || marker.command === '') return []
  const command = code(`${marker.command} …`)
  const fresh = code(`${marker.command} new …`)
  if (result === 'pull-request' || result === 'no-pull-request' || result === 'submitted') {
    const where = announced ? 'here or on that pull request' : 'here'
    return [md`To go on, comment ${command} ${where}; ${fresh} starts afresh.`]
  }
  return []
}

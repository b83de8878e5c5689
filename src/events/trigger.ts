import type { CommentRef, Thread } from '../github/comments.ts'
import { hasPrompt, hasReport, type Inputs } from '../inputs/table.ts'
import { inBackticks, visibleText } from '../lib/text.ts'
import type { Environment } from '../runner/environment.ts'
import {
  type Actor,
  type GitHubEvent,
  isAllowedBot,
  isFromFork,
  isOfPullRequest,
  readActor,
} from './event-table.ts'
import { isWaitOnly, whyNoJobIsNeeded } from './loop-guard.ts'

/** What started a run that is to do something. */
export type Trigger = {
  readonly event: GitHubEvent
  /** The command that requests it, if one does. */
  readonly command: Command | undefined
}

/** Why a run does nothing. */
export type Skip = {
  readonly kind: 'skip'
  /** A sentence. */
  readonly reason: string
  readonly level: 'info' | 'notice' | 'warning'
}

export function skip(level: Skip['level'], reason: string): Skip {
  return { kind: 'skip', level, reason: `Skipped: ${reason}.` }
}

/** A command in a comment. Whether its author may give one is another question. */
export type Command = {
  readonly source: CommentRef
  readonly author: Actor
  /** What follows the command, without what is invisible; may be empty. */
  readonly instructions: string
  /** Whether a new job is wanted even where an earlier one could be continued. */
  readonly fresh: boolean
}

/** Whether a run may write comments and reactions. */
export function mayWrite(inputs: Inputs): boolean {
  return inputs.comment !== 'never' && !inputs['dry-run']
}

/** Decides by the payload and the inputs alone whether a run is to do something. Sends nothing. */
export function readTrigger(
  event: GitHubEvent,
  inputs: Inputs,
  environment: Environment,
): Skip | Trigger {
  if (event.payloadProblem !== undefined && event.row.causedBy !== 'writer') {
    return skip('notice', "the event's payload could not be read, so it is not known who caused it")
  }
  const command = readCommand(event, inputs.command)
  const nothing = whyNoCommand(event, command, inputs) ?? whyNothingToDocument(event, inputs)
  if (nothing !== undefined) return skip('info', nothing)
  const reason =
    whyNothingIsRequested(event, inputs) ??
    // Judged again by `decide`, with the pull requests that the commits came in.
    whyNoJobIsNeeded(event, inputs, new Map()) ??
    whyWithoutKey(event, inputs, environment)
  return reason === undefined ? { event, command } : skip('notice', reason)
}

/** Why a comment, on an event where comments may be commands, is none that counts. */
function whyNoCommand(
  { row, payload }: GitHubEvent,
  command: Command | undefined,
  inputs: Inputs,
): string | undefined {
  if (row.command === undefined || inputs.command === '') return undefined
  if (payload.action !== 'created') return `the comment is not new (\`${payload.action}\`)`
  if (command === undefined)
    return `the comment does not start with ${inputs.command} as a word in plain text`
  const { author } = command
  const isRefused = author.isBot && !isAllowedBot(author, inputs)
  return isRefused ? `${author.login} is a bot that \`allow-bots\` does not list` : undefined
}

function whyNothingToDocument(event: GitHubEvent, inputs: Inputs): string | undefined {
  const { action, deleted, ref, pull_request: pull } = event.payload
  if (isWaitOnly(inputs)) return undefined
  if (event.row.subject === 'push' && deleted === true)
    return `this push deletes ${inBackticks(ref ?? '')}`
  const isClosed = isOfPullRequest(event) && action === 'closed' && pull?.merged !== true
  return isClosed ? 'this pull request was closed without a merge' : undefined
}

/** Why people's text that is no comment requests nothing: the inputs would have to. */
function whyNothingIsRequested({ row }: GitHubEvent, inputs: Inputs): string | undefined {
  const isRequested = hasPrompt(inputs) || inputs['job-id'] !== '' || hasReport(inputs)
  if (!row.isOtherText || isRequested || inputs.command === '') return undefined
  return 'the inputs request nothing, and commands count only in comments on an issue or pull request, or on a line of one'
}

/**
 * Why a run has no key, and what works instead, where GitHub gives it no secrets: a fork's push has none of the
 * repository that the fork was made from.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
function whyWithoutKey(
  { name, row, payload }: GitHubEvent,
  inputs: Inputs,
  { actor, repository, inputs: given }: Environment,
): string | undefined {
  // One that is wrong is no missing one.
  if (given.get('api-key')?.trim() || inputs['dry-run']) return undefined
  // `pull_request_target` runs with the base repository's secrets.
  const isPull = row.subject === 'pull-request' && name !== 'pull_request_target'
  const isFork = isPull
    ? isFromFork(payload.pull_request, repository)
    : row.subject === 'push' && payload.repository?.fork === true
  const isDependabot = [actor, payload.sender?.login].includes('dependabot[bot]')
  if (!isFork && !isDependabot) return undefined
  const whom = isDependabot ? 'Dependabot, which has secrets of its own' : 'runs of forks'
  const ways = [
    ...(isDependabot ? ['set one'] : isPull ? [] : ['set one in this fork']),
    ...(inputs.command === ''
      ? []
      : [`comment with ${inputs.command} in the main thread of the pull request`]),
    'start the job after the merge, on `push`',
  ]
  return `\`api-key\` is empty, as GitHub gives no secrets to ${whom}: ${ways.join(', or ')}`
}

/** Reads the command with which a new comment begins; `undefined` if it is not new, or begins otherwise. */
export function readCommand({ row, payload }: GitHubEvent, word: string): Command | undefined {
  const { action, comment, issue, pull_request: pull } = payload
  if (row.command === undefined || word === '' || action !== 'created') return undefined
  const { id, html_url: url, in_reply_to_id: repliesTo } = comment ?? {}
  const number = (pull ?? issue)?.number
  const author = readActor(comment?.user)
  const rest = textAfterCommand(comment?.body ?? '', word)
  if (number == null || id == null || author === undefined || rest === undefined) return undefined
  const isPull = (pull ?? issue?.pull_request) != null
  const rootId = row.command === 'review' ? (repliesTo ?? id) : 0
  const thread: Thread = { kind: row.command, number, isPull, rootId }
  const source = { id, url: url ?? '', thread }
  const text = visibleText(withoutHidden(rest)).trim()
  const afterNew = afterWord(text, 'new')
  return { source, author, instructions: afterNew?.trim() ?? text, fresh: afterNew !== undefined }
}

/**
 * Text without the HTML comments that GitHub hides: not those in a code span, nor one that never closes, unless a line
 * starts with it.
 */
function withoutHidden(rest: string): string {
  const hidden =
    /(?<![\\`])(`+)(?!`)[^\n]{0,1000}?[^`\n]\1(?!`)|<!--(?:>|->|[\s\S]*?-->)|(?<=\n {0,3})<!--[\s\S]*/g
  return rest.replace(hidden, (found, codeSpan) => (codeSpan === undefined ? '' : found))
}

/**
 * What a text says after the command; `undefined` if it does not begin with it. Quotes and HTML comments before it are
 * passed over; of what follows, the first line alone is judged.
 */
function textAfterCommand(text: string, word: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  // Never tries a line twice: anyone may write 64 KiB of anything.
  const passedOver = /^(?:[^\S\n]*\n| {0,3}>[^\n]*\n?| {0,3}<!--(?:>|->|[\s\S]*?-->))* {0,3}/
  return afterWord(lines.replace(passedOver, ''), word)
}

/** What follows a word that a text begins with, in any case, if white space or the end does. */
function afterWord(text: string, word: string): string | undefined {
  const rest = text.slice(word.length)
  const begins = text.slice(0, word.length).toLowerCase() === word.toLowerCase()
  return begins && /^(?:\s|$)/.test(rest) ? rest : undefined
}

import type { CommandSource, Thread } from '../github/comments.ts'
import type { Inputs } from '../inputs/table.ts'
import { inBackticks, visibleText } from '../lib/text.ts'
import type { Environment } from '../runner/environment.ts'
import {
  type Actor,
  type GitHubEvent,
  isAllowedBot,
  isFromFork,
  type Payload,
  readActor,
} from './event-table.ts'
import { findOwnWork } from './loop-guard.ts'

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

/** A command in a comment, review or new issue. Whether its author may give one is another question. */
export type Command = {
  readonly source: CommandSource
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
): Skip | { readonly kind: 'trigger'; readonly trigger: Trigger } {
  if (event.payloadProblem !== undefined && event.row.causedBy !== 'writer') {
    return skip('notice', "the event's payload could not be read, so it is not known who caused it")
  }
  const command = inputs.command === '' ? undefined : readCommand(event, inputs.command)
  const nothingAsked = whyNothingIsAsked(event, command, inputs)
  if (nothingAsked !== undefined) return skip('info', nothingAsked)
  const needsKey = inputs['api-key'] === '' && !inputs['dry-run']
  const withoutSecrets = needsKey ? kindWithoutSecrets(event, environment) : undefined
  const noSecrets = withoutSecrets && `\`api-key\` is empty, as GitHub gives no secrets to ${withoutSecrets}`
  // Judged again by `decide`, with the pull requests that the commits came in.
  const reason = findOwnWork(event, inputs, new Map()) ?? noSecrets
  return reason === undefined ? { kind: 'trigger', trigger: { event, command } } : skip('notice', reason)
}

function whyNothingIsAsked(
  { name, row, payload }: GitHubEvent,
  command: Command | undefined,
  inputs: Inputs,
): string | undefined {
  if (row.subject === 'push' && payload.deleted === true)
    return `this push deletes ${inBackticks(payload.ref ?? '')}`
  if (payload.changes?.old_issue != null) {
    return 'this issue is not new: it was transferred from another repository'
  }
  if (command !== undefined) {
    const { author } = command
    const isRefused = author.isBot && !isAllowedBot(author, inputs)
    return isRefused ? `${author.login} is a bot that \`allow-bots\` does not list` : undefined
  }
  if (row.command === undefined || inputs.command === '') return undefined
  if (payload.action !== row.command.action) {
    return `the comment is not new (\`${name}\`, \`${payload.action}\`)`
  }
  return `the comment does not start with ${inputs.command} as plain text`
}

/**
 * What kind of run this is, if GitHub gives such runs no secrets: a fork's push has none of the repository that the fork
 * was made from.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
function kindWithoutSecrets({ name, row, payload }: GitHubEvent, { actor, repository }: Environment) {
  if ([actor, payload.sender?.login].includes('dependabot[bot]')) return 'Dependabot'
  if (row.subject === 'push') return payload.repository?.fork === true ? 'pushes in a fork' : undefined
  // `pull_request_target` runs with the base repository's secrets.
  const isPull = row.subject === 'pull-request' && name !== 'pull_request_target'
  return isPull && isFromFork(payload.pull_request, repository) ? 'pull requests from forks' : undefined
}

/** Reads the command with which the event's new text begins; `undefined` if it is not new, or begins otherwise. */
export function readCommand({ row, payload }: GitHubEvent, word: string): Command | undefined {
  if (row.command === undefined || payload.action !== row.command.action) return undefined
  const written = payload.comment
  const source = sourceOf(row.command.kind, written?.html_url ?? '', payload)
  const author = readActor(written?.user)
  const rest = textAfterCommand(written?.body ?? '', word)
  if (source === undefined || author === undefined || rest === undefined) return undefined
  const text = visibleText(withoutHidden(rest)).trim()
  const afterNew = afterWord(text, 'new')
  return { source, author, instructions: afterNew?.trim() ?? text, fresh: afterNew !== undefined }
}

function sourceOf(
  kind: CommandSource['kind'],
  url: string,
  { comment, issue, pull_request: pull }: Payload,
): CommandSource | undefined {
  const number = (pull ?? issue)?.number
  const id = comment?.id
  if (number == null || id == null) return undefined
  const isPull = (pull ?? issue?.pull_request) != null
  const thread: Thread =
    kind === 'review-comment'
      ? { kind: 'review', number, isPull, rootId: comment?.in_reply_to_id ?? id }
      : { kind: 'main', number, isPull, rootId: 0 }
  return { kind, id, url, thread }
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
export function textAfterCommand(text: string, word: string): string | undefined {
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

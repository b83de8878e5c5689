import type { CommandSource, Thread } from '../github/comments.ts'
import type { Comment, Issue, Maybe, Review } from '../github/types.ts'
import { visibleText } from '../lib/text.ts'
import { type Actor, type GitHubEvent, type Payload, readActor } from './payload.ts'

/** A command in a comment, review or new issue. Whether its author may give one is another question. */
export type Command = {
  readonly source: CommandSource
  readonly author: Actor
  /** What follows the command, without what nobody can see; may be empty. */
  readonly instructions: string
  /** Whether a new job is wanted even where an earlier one could go on. */
  readonly fresh: boolean
}

/** Reads the command with which the event's new text begins; `undefined` if it is not new, or begins otherwise. */
export function readCommand({ row, payload }: GitHubEvent, word: string): Command | undefined {
  if (row.command === undefined || payload.action !== row.command.action) return undefined
  const { kind } = row.command
  const written = textOf(kind, payload)
  const source = readSource(kind, payload)
  const author = readActor(written?.user)
  const rest = textAfterCommand(written?.body ?? '', word)
  if (source === undefined || author === undefined || rest === undefined) return undefined
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

function textOf(kind: CommandSource['kind'], payload: Payload): Maybe<Comment | Review | Issue> {
  if (kind === 'issue') return payload.issue
  return kind === 'review' ? payload.review : payload.comment
}

function readSource(kind: CommandSource['kind'], payload: Payload): CommandSource | undefined {
  const { comment, review, issue, pull_request: pull } = payload
  const inReview = kind === 'review-comment' || kind === 'review'
  const number = inReview ? pull?.number : issue?.number
  const id = kind === 'issue' ? number : kind === 'review' ? review?.id : comment?.id
  if (number == null || id == null) return undefined
  const isPull = inReview || issue?.pull_request != null
  const thread: Thread =
    kind === 'review-comment'
      ? { kind: 'review', number, isPull, rootId: comment?.in_reply_to_id ?? id }
      : { kind: 'main', number, isPull, rootId: 0 }
  return { kind, id, url: textOf(kind, payload)?.html_url ?? '', thread }
}

/**
 * What a text says after the command; `undefined` if it does not begin with it. Quotes and HTML comments before it are
 * passed over; of what follows, the first line alone is judged. Each line is read once: anyone may write 64 KiB of
 * anything.
 */
export function textAfterCommand(text: string, word: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  let at = 0
  for (;;) {
    at = endOf(/(?:[^\S\n]*\n)* {0,3}/y, lines, at)
    if (lines.startsWith('>', at)) at = endOf(/[^\n]*\n?/y, lines, at)
    else if (lines.startsWith('<!--', at)) {
      const end = endOf(/<!--(?:>|->|[\s\S]*?-->)/y, lines, at)
      if (end === at) return undefined
      at = end
    } else return afterWord(lines.slice(at), word)
  }
}

/** Where a match of a sticky pattern ends; `at` itself if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** What follows a word that a text begins with, in any case, if white space or the end does. */
function afterWord(text: string, word: string): string | undefined {
  const rest = text.slice(word.length)
  const begins = text.slice(0, word.length).toLowerCase() === word.toLowerCase()
  return begins && /^(?:\s|$)/.test(rest) ? rest : undefined
}

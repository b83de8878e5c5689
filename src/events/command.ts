import type { CommandSource, Thread } from '../github/comments.ts'
import type { Comment, Issue, Maybe, Review } from '../github/types.ts'
import { visibleText, withoutHtmlComments } from '../lib/text.ts'
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
  const text = visibleText(withoutHtmlComments(rest)).trim()
  const afterNew = afterWord(text, 'new')
  return { source, author, instructions: afterNew?.trim() ?? text, fresh: afterNew !== undefined }
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
    if (lines.startsWith('>', at)) at = endOfQuote(lines, at)
    else if (lines.startsWith('<!--', at)) {
      const end = endOf(/<!--(?:>|->|[\s\S]*?-->)/y, lines, at)
      if (end === at) return undefined
      at = end
    } else return afterWord(lines.slice(at), word)
  }
}

/**
 * Where a quote ends. A line without the mark continues the quote's last paragraph: GitHub shows it within the quote
 * (source: CommonMark 0.31, "Paragraph continuation text").
 */
function endOfQuote(text: string, start: number): number {
  let at = start
  let inParagraph = false
  while (at < text.length) {
    const lineEnd = text.indexOf('\n', at)
    const end = lineEnd === -1 ? text.length : lineEnd
    const line = text.slice(at, end)
    if (/^ {0,3}>/.test(line)) inParagraph = !NO_PARAGRAPH.test(line.replace(/^[ >]+/, ''))
    else if (!inParagraph || NO_PARAGRAPH.test(line) || LIST_ITEM.test(line)) break
    at = end + 1
  }
  return Math.min(at, text.length)
}

/** An empty line, a heading, a fence, HTML, or a thematic break. */
const NO_PARAGRAPH = /^\s*$|^ {0,3}(?:#{1,6}(?:\s|$)|```|~~~|<|[-*_][-*_ \t]+$)/
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)/

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

import type { CommandSource, Thread } from '../github/comments.ts'
import { integerField, isRecord, type JsonRecord, recordField, stringField } from '../lib/json.ts'
import { visibleText, withoutHtmlComments } from '../lib/text.ts'
import { type Actor, type GitHubEvent, readActor } from './event.ts'

/** A command in a comment, review or new issue. Whether its author may give one is another question. */
export type Command = {
  readonly source: CommandSource
  readonly author: Actor
  /** What follows the command, as far as it can be seen; may be empty. */
  readonly instructions: string
  /** Whether a new job is wanted even where an earlier one could go on. */
  readonly fresh: boolean
}

/** Whether an event is about a text that can be a command, a new one or not. */
export function isCommandEvent({ name, payload }: GitHubEvent): boolean {
  return SOURCES.has(name) && (name !== 'issues' || payload['action'] === 'opened')
}

/** Reads the command with which the event's new text begins; `undefined` if it is not new, or begins otherwise. */
export function readCommand(event: GitHubEvent, command: string): Command | undefined {
  const { name, payload } = event
  const spec = SOURCES.get(name)
  if (spec === undefined || payload['action'] !== spec.action) return undefined
  const written = recordField(payload, spec.field)
  const source = readSource(spec, payload, written)
  const author = readActor(written['user'])
  const rest = textAfterCommand(stringField(written, 'body') ?? '', command)
  if (source === undefined || author === undefined || rest === undefined) return undefined
  const text = visibleText(withoutHtmlComments(rest)).trim()
  const afterNew = afterWord(text, 'new')
  return { source, author, instructions: afterNew?.trim() ?? text, fresh: afterNew !== undefined }
}

/** How the payload of an event holds the text that somebody has written. */
type SourceSpec = {
  readonly kind: CommandSource['kind']
  /** Of a text that is new. */
  readonly action: string
  /** Of the payload: what was written. */
  readonly field: string
}

/** By the event's name. Source: GitHub's documentation, "Webhook events and payloads". */
const SOURCES: ReadonlyMap<string, SourceSpec> = new Map([
  ['issue_comment', { kind: 'issue-comment', action: 'created', field: 'comment' }],
  ['pull_request_review_comment', { kind: 'review-comment', action: 'created', field: 'comment' }],
  ['pull_request_review', { kind: 'review', action: 'submitted', field: 'review' }],
  ['issues', { kind: 'issue', action: 'opened', field: 'issue' }],
])

function readSource(
  { kind }: SourceSpec,
  payload: JsonRecord,
  written: JsonRecord,
): CommandSource | undefined {
  const inReview = kind === 'review-comment' || kind === 'review'
  const about = recordField(payload, inReview ? 'pull_request' : 'issue')
  const number = integerField(about, 'number')
  const id = kind === 'issue' ? number : integerField(written, 'id')
  if (number === undefined || id === undefined) return undefined
  const isPull = inReview || isRecord(about['pull_request'])
  const thread: Thread =
    kind === 'review-comment'
      ? { kind: 'review', number, isPull, rootId: integerField(written, 'in_reply_to_id') ?? id }
      : { kind: 'main', number, isPull, rootId: 0 }
  return { kind, id, url: stringField(written, 'html_url') ?? '', thread }
}

/**
 * What a text says after the command; `undefined` if it does not begin with it. Quotes and HTML comments before it are
 * passed over; of what follows, the first line alone is judged. Each line is read once: anybody may write 64 KiB of
 * anything.
 */
export function textAfterCommand(text: string, command: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  let at = 0
  for (;;) {
    at = endOf(/(?:[^\S\n]*\n)* {0,3}/y, lines, at)
    if (lines.startsWith('>', at)) at = endOfQuote(lines, at)
    else if (lines.startsWith('<!--', at)) {
      const end = endOf(/<!--(?:>|->|[\s\S]*?-->)/y, lines, at)
      if (end === at) return undefined
      at = end
    } else return afterWord(lines.slice(at), command)
  }
}

/**
 * Where a quote ends. A line without the mark goes on with the quote's last paragraph: GitHub shows it within the quote
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
    else if (!inParagraph || !continuesParagraph(line)) break
    at = end + 1
  }
  return Math.min(at, text.length)
}

function continuesParagraph(line: string): boolean {
  return !NO_PARAGRAPH.test(line) && !/^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)/.test(line)
}

/** An empty line, a heading, a fence, HTML, or a thematic break. */
const NO_PARAGRAPH = /^\s*$|^ {0,3}(?:#{1,6}(?:\s|$)|```|~~~|<|[-*_][-*_ \t]+$)/

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

import type { CommentRef, Thread } from '../github/comments.ts'
import { visibleText } from '../lib/text.ts'
import { type Actor, type GitHubEvent, readActor } from './event.ts'

/** A command: a comment, or a review that requests changes. Its author's permission is checked later. */
export type Command = {
  readonly kind: 'comment' | 'review'
  /** The comment or the review, and the thread that it is answered in. */
  readonly source: CommentRef
  readonly author: Actor
  /** The text after the command, without what is invisible; may be empty. */
  readonly instructions: string
  /** Whether a new job is wanted even if an earlier one could be continued. */
  readonly fresh: boolean
}

/** What started the run. */
export type Trigger = {
  readonly event: GitHubEvent
  /** `undefined` if the event is not a command. */
  readonly command: Command | undefined
}

/** Reads the command that a new comment starts with; `undefined` if there is none. */
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
  const text = requestText(rest)
  const afterNew = /^new(?!\S)/i.test(text) ? text.slice(3).trim() : undefined
  const instructions = afterNew ?? text
  return { kind: 'comment', source, author, instructions, fresh: afterNew !== undefined }
}

/** Strips a text of what its author did not write as a request, or what nobody can see. */
export function requestText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n')
  return visibleText(withoutHidden(withoutEmail(lines))).trim()
}

/**
 * Removes the HTML comments that GitHub hides: not those in a code span, and of those that never close only one that a
 * line starts with.
 */
function withoutHidden(text: string): string {
  const hidden =
    /(?<![\\`])(`+)(?!`)[^\n]{0,1000}?[^`\n]\1(?!`)|<!--(?:>|->|[\s\S]*?-->)|(?<=\n {0,3})<!--[\s\S]*/g
  return text.replace(hidden, (found, codeSpan) => (codeSpan === undefined ? '' : found))
}

/** Outlook's header of the message that a reply quotes, and all below it. */
const OUTLOOK_QUOTE = /\n(?:[_-]{5}.*\n\n?)?[ *]{0,4}From:.*\n\n?[ *]{0,4}Sent:[\s\S]*/
/** Source: replies by email in public issues, where GitHub masks the addresses. */
const EMAIL_INTRO = /^On .+\bwrote:$/
const EMAIL_FOOTER =
  /^(?:[—.,-]*|(?:Reply to this email directly|view it on GitHub|(?:or )?(?:unsubscribe|mute the thread)|You are receiving this because|Triage notifications|Message ID:|<https?:).*|[^\s@]+@\S+>)$/i

/**
 * Removes the message that a reply by email quotes: Outlook's, and one below "On … wrote:" if only quoted lines and
 * GitHub's footer follow. In doubt, everything stays.
 */
function withoutEmail(text: string): string {
  const lines = text.replace(OUTLOOK_QUOTE, '').split('\n')
  const isQuoted = (line: string) => /^\s*>/.test(line) || EMAIL_FOOTER.test(line.trim())
  const start = lines.findLastIndex((line) => !isQuoted(line)) + 1
  const first = lines.findIndex((line, index) => index >= start && line.trim() !== '')
  // Above the quote, or, as Apple's phones write it, in the first lines of it.
  const places = [
    [start - 1, start],
    [start - 2, start],
    [first, first + 1],
    [first, first + 2],
  ] as const
  const intro = places.find(([from, to]) => {
    const words = lines.slice(from, to).map((line) => line.replace(/^> ?/, '').trim())
    return from > 0 && first > 0 && EMAIL_INTRO.test(words.join(' '))
  })
  return lines.slice(0, intro?.[0]).join('\n')
}

/**
 * Returns the text after the command; `undefined` if the text does not start with it. Quotes and HTML comments before
 * it are skipped; of the rest only the first line is judged.
 */
export function textAfterCommand(text: string, word: string): string | undefined {
  // Never tries a line twice, because anyone can write 64 KiB of anything.
  const skipped = /^(?:[^\S\n]*\n| {0,3}>[^\n]*\n?| {0,3}<!--(?:>|->|[\s\S]*?-->))* {0,3}/
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const written = lines.replace(skipped, '')
  const rest = written.slice(word.length)
  const isCommand = written.slice(0, word.length).toLowerCase() === word.toLowerCase()
  return isCommand && /^[:,]?(?:\s|$)/.test(rest) ? rest.replace(/^[:,]/, '') : undefined
}

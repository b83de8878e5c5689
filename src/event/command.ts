import type { Thread } from '../github/threads.ts'
import { visibleText, withoutComments } from '../lib/text.ts'

/** An account that wrote something or caused an event. */
export type Actor = {
  /** `undefined` if the payload doesn't have it. */
  readonly id: number | undefined
  /** As GitHub shows it, such as `renovate[bot]`. */
  readonly login: string
  /** By the account's type, because anyone can have a login that looks like a bot's. */
  readonly isBot: boolean
}

/** A comment or a review's summary that starts with the command. Its author's permission is checked later. */
export type Command = CommandText & {
  readonly author: Actor
  /** Where it is answered. */
  readonly thread: Thread
  /** ID of the comment or review. */
  readonly id: number
  readonly url: string
  /** Whether it is a review's summary, which can't have a reaction. */
  readonly isReview: boolean
  /** Names it among all comments and reviews: `main/5001`. */
  readonly source: string
}

type CommandText = {
  /** The visible text after the command; may be empty. */
  readonly request: string
  /** What is quoted above it. */
  readonly quote: string
  /** Whether a new job is wanted even if an earlier one could be continued. */
  readonly isFresh: boolean
}

/** As GitHub limits comments, in characters. */
const MAX_COMMENT = 65_536

/** Reads the request of a text whose first line that isn't a quote or an HTML comment starts with the command. */
export function readCommandText(text: string, word: string): CommandText | undefined {
  const lines = text
    .slice(0, MAX_COMMENT)
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
  const start = startOfWritten(lines)
  const written = lines.slice(start)
  const rest = written.slice(word.length)
  const isCommand = written.slice(0, word.length).toLowerCase() === word.toLowerCase()
  if (!isCommand || !/^(?:[:,：，]|\s|$)/.test(rest)) return undefined
  const quoted = lines.slice(0, start).split('\n')
  const quote = quoted.flatMap((line) => /^ {0,3}> ?(.*)/.exec(line)?.[1] ?? []).join('\n')
  const asked = visible(FOOTER.test(lines) ? withoutEmail(rest) : rest).replace(/^[:,：，]\s*/, '')
  const isFresh = /^new(?!\S)/i.test(asked)
  return { request: isFresh ? asked.slice(3).trim() : asked, quote: visible(quote), isFresh }
}

function visible(text: string): string {
  return visibleText(withoutComments(text)).trim()
}

/** Returns where the first line begins that isn't empty, a quote, or an HTML comment; after at most 3 spaces. */
function startOfWritten(text: string): number {
  let at = 0
  const readNext = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  for (;;) {
    const line = readNext(/[^\S\n]*\n/y) ?? readNext(/ {0,3}>[^\n]*\n?/y)
    const indent = readNext(/ {0,3}/y)?.length ?? 0
    const end = text.startsWith('<!--', at + indent) ? text.indexOf('-->', at + indent + 2) : -1
    if (line !== undefined) at += line.length
    else if (end !== -1) at = end + 3
    else return at + indent
  }
}

/** The links of the footer that GitHub adds to a notification, which are the same in every language. */
const FOOTER =
  /\/notifications\/(?:beacon|unsubscribe)|[?&]email_(?:source|token)=|view it on GitHub.{0,5}https?:/i

/** A quote, a rule such as `-----Original Message-----`, or three lines such as `From: …`. */
const EMAIL_PART = /^(?: {0,3}>|[-_*]{3,}|(?:\*{0,2}[\p{L} ]{2,20}:.*(?:\n|$)){3})/mu

/** Removes the email that a reply quotes, and the line above it that ends with a colon. */
function withoutEmail(text: string): string {
  const written = text.slice(0, EMAIL_PART.exec(text)?.index).trimEnd()
  return written.replace(/\n[^\n]*[:：]$/, '')
}

/** Removes control, format, and invisible characters; each line break becomes `\n`. */
export function visibleText(text: string): string {
  return withoutCharacters(/(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, text)
}

/** Removes the same, except the characters that join letters or choose their look, for languages and emoji. */
export function readableText(text: string): string {
  return withoutCharacters(/(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}]/gu, text)
}

function withoutCharacters(characters: RegExp, text: string): string {
  const lines = text.replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
  return lines.replace(characters, '').toWellFormed()
}

/**
 * Makes text safe for the log. The runner reads `::command::` at the start of a line after white space, and `##[command]`
 * anywhere in a line, as a workflow command (source: actions/runner, `ActionCommand.cs`). Its comparison skips invisible
 * characters, so these are removed, and a visible space separates the marks.
 */
export function logText(text: string): string {
  const shown = visibleText(text).replace(/^([^\S\n]*):(?=:)/gm, '$1: ')
  return shown.replaceAll('##[', '## [')
}

/** Cuts a text to a length and adds the number of characters that were cut. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const kept = cut(text, maxLength)
  return `${kept}… (${countOf(text.length - kept.length, 'more character')})`
}

/** Cuts a text to a length; the last character is then `…`. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${cut(text, maxLength - 1)}…`
}

/** Returns the beginning of a longer text, cut between what people see as characters. */
function cut(text: string, maxLength: number): string {
  // The character that contains the limit ends at or after it, so the rest of the text isn't needed.
  const segments = new Intl.Segmenter().segment(text.slice(0, maxLength + 2))
  return text.slice(0, segments.containing(maxLength)?.index)
}

/** Of an annotation, in characters. */
export const MAX_TITLE_LENGTH = 60

/** Returns a fence of backticks that the text can't close. */
export function fenceFor(text: string): string {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 2) + 1)
}

/** How much of a text from outside is judged, in characters. */
const MAX_JUDGED = { line: 1000, text: 64 * 1024 }

/** Returns the part of a text from outside that patterns judge, so that a long text can't keep a run busy. */
export function judged(text: string): string {
  const lines = text.slice(0, MAX_JUDGED.text).split('\n')
  return lines.map((line) => line.slice(0, MAX_JUDGED.line)).join('\n')
}

export function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + numberOf(one), 0)
}

/** Shares a size among entries: small wishes are granted, large ones share the rest. The order is kept. */
export function share<T>(
  list: readonly T[],
  wishOf: (one: T) => number,
  total: number,
): (readonly [one: T, granted: number])[] {
  const smallFirst = list.map(wishOf).sort((a, b) => a - b)
  let left = Math.max(0, total)
  // Wishes up to the limit are granted; the others get the limit.
  let limit = 0
  for (const [done, wish] of smallFirst.entries()) {
    limit = Math.floor(left / (list.length - done))
    if (wish > limit) break
    limit = wish
    left -= wish
  }
  return list.map((one) => [one, Math.min(wishOf(one), limit)] as const)
}

/** Takes entries from the start while they fit. */
export function takeFitting<T>(
  list: readonly T[],
  bytesOf: (one: T) => number,
  maxBytes: number,
): T[] {
  let left = maxBytes
  const end = list.findIndex((one) => {
    left -= bytesOf(one)
    return left < 0
  })
  return list.slice(0, end < 0 ? undefined : end)
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the `code` of an error of Node or undici, such as `ENOENT`; empty if it has none. */
export function errorCode(error: unknown): string {
  return stringField(error, 'code') ?? ''
}

/** Joins sentences; empty ones are left out. */
export function joinSentences(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

/** Joins items: `a`, `a and b`, `a, b, and c`. */
export function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en-US').format(items)
}

/** Puts a text in backticks; a backtick in it becomes an apostrophe. */
export function inBackticks(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``
}

/** Cleans hunks of a diff. A line of the diff stays one line. */
export function cleanHunks(patch: string): string {
  return visibleText(patch.replaceAll('\r\n', '\n').replace(/[\r\v\f\u0085\u2028\u2029]/g, ' '))
}

/** Removes what GitHub doesn't show of Markdown: HTML comments, even if one is never closed. */
export function cleanMarkdown(text: string): string {
  const shown = withoutComments(visibleText(text))
  // What the removal of a comment has joined wasn't a comment on the page.
  const lines = shown.replaceAll('<!--', '‹!--').split('\n')
  const trimmed = lines.map((line) => line.trimEnd()).join('\n')
  return trimmed.replace(/\n{3,}/g, '\n\n').trim()
}

/** Removes HTML comments; one that never closes hides the rest of the text. */
export function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?(?:-->|$)/g, '')
}

/** Does the same as `cleanMarkdown`, on one line. */
export function oneLine(text: string): string {
  return cleanMarkdown(text).replace(/\s+/g, ' ')
}

/** Cuts a text to a number of UTF-8 bytes and adds the number of characters that were cut. Empty if only that note would fit. */
export function clipBytes(text: string, maxBytes: number, indent = ''): string {
  const indented = text.replace(/^(?=.)/gm, indent)
  if (byteLength(indented) <= maxBytes) return indented
  const note = (kept: string): string => {
    const left = [...text].length - [...kept.replace(RegExp(`^${indent}`, 'gm'), '')].length
    return `${indent && `\n${indent}`}… (${countOf(left, 'more character')})`
  }
  const buffer = new Uint8Array(Math.max(0, maxBytes - byteLength(note(''))))
  const kept = cut(indented, new TextEncoder().encodeInto(indented, buffer).read).trimEnd()
  return kept === '' ? '' : `${kept}${note(kept)}`
}

export function capitalize(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase())
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

/** What went wrong, with the words for the log, the summary, and comments. */
export class Problem extends Error {
  override readonly name: string = 'Problem'
  /** States the problem in at most 60 characters: an annotation's title, a heading. Names in backticks are code. */
  readonly title: string
  /** What happened, why, and what to do, as sentences that can be read without the title. May be empty. */
  readonly text: string
  /** Whether a re-run may succeed without a change to the workflow. */
  readonly isTransient: boolean
  /** Whether this run or an earlier attempt may have started a job. */
  readonly maybeStarted: boolean
  /** A block for the workflow file, to follow the text; may be empty. */
  readonly paste: string

  constructor(fields: {
    readonly title: string
    readonly text: string
    readonly isTransient?: boolean
    readonly maybeStarted?: boolean
    readonly paste?: string
    readonly cause?: unknown
  }) {
    super(joinSentences(`${fields.title}.`, fields.text), { cause: fields.cause })
    this.title = fields.title
    this.text = fields.text
    this.isTransient = fields.isTransient === true
    this.maybeStarted = fields.maybeStarted === true
    this.paste = fields.paste ?? ''
  }
}

/** Writes a count for people: `12,480`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-GB')
}

/** Writes a count with its noun: `1 visitor`, `12,480 visitors`. */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** An object from JSON, whose fields aren't checked yet. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Parses JSON, with or without a byte order mark; `undefined` if the text isn't JSON. */
export function parseJson(
  text: string,
  reviver?: (name: string, value: unknown) => unknown,
): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''), reviver)
  } catch {
    return undefined
  }
}

/** Whether a value is an object with fields, not an array or null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a list has a login, a team, or a label, in any letter case. */
export function includesName(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase())
}

// A field of a record if it has that type; otherwise `undefined` or an empty value.

export function stringField(record: unknown, field: string): string | undefined {
  const value = isRecord(record) ? record[field] : undefined
  return typeof value === 'string' ? value : undefined
}

export function recordField(record: unknown, field: string): JsonRecord {
  const value = isRecord(record) ? record[field] : undefined
  return isRecord(value) ? value : {}
}

export function listField(record: unknown, field: string): readonly unknown[] {
  const value = isRecord(record) ? record[field] : undefined
  return Array.isArray(value) ? value : []
}

/** The pages of the major version that workflows use. */
const DOCS = 'https://github.com/your-org/docs-agent-action/blob/v1/docs/'

/** Finds the links that `docsLink` makes. */
export const DOCS_LINK = new RegExp(`${DOCS.replaceAll('.', '\\.')}[\\w-]+\\.md(?:#[\\w-]+)?`)

/** Links the page of the docs that has the steps, in parentheses, to follow the last word of a sentence. */
export function docsLink(page: `${string}.md` | `${string}.md#${string}`): string {
  return `(${DOCS}${page})`
}

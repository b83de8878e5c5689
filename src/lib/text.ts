/** Text as it is seen: well-formed, each line break is `\n`, and control, format and invisible characters are out. */
export function visibleText(text: string): string {
  return withoutCharacters(/(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, text)
}

/** As `visibleText`, but with what joins letters or chooses their look: many languages and emoji need those. */
export function readableText(text: string): string {
  return withoutCharacters(/(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}]/gu, text)
}

function withoutCharacters(characters: RegExp, text: string): string {
  const lines = text.replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
  return lines.replace(characters, '').toWellFormed()
}

/**
 * Text for the log: nothing in it can be read by the runner as a workflow command, which is `::command::` at a line's
 * start after white space, or `##[command]` anywhere in a line (source: actions/runner, `ActionCommand.cs`). It compares
 * by the rules of a language, which skip invisible characters; so those are out, and the marks parted by a visible space.
 */
export function logText(text: string): string {
  const shown = visibleText(text).replace(/^([^\S\n]*):(?=:)/gm, '$1: ')
  return shown.replaceAll('##[', '## [')
}

/** Cuts a text to a number of characters and says that it was cut. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength).toWellFormed()}… (${text.length - maxLength} more characters)`
}

/** Cuts a text to a number of characters, the last of them `…`. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`
}

/** A fence of backticks that nothing in the text can close. */
export function fenceFor(text: string): string {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 2) + 1)
}

export function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + numberOf(one), 0)
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The `code` of an error of Node's or undici's, such as `ENOENT`; empty if it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}

/** Puts sentences together; empty ones are left out. */
export function joinSentences(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

/** `a`, `a and b`, `a, b and c`. */
export function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(items)
}

/** A text in backticks, with no backtick of its own. */
export function inBackticks(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``
}

/** Hunks of a diff, cleaned. A line of the diff stays one line, whatever stands in it. */
export function cleanHunks(patch: string): string {
  return visibleText(patch.replaceAll('\r\n', '\n').replace(/[\r\v\f\u0085\u2028\u2029]/g, ' '))
}

/** What people see of text that GitHub renders as Markdown: without HTML comments; an open one goes on to the end. */
export function cleanMarkdown(text: string): string {
  // One that never closes hides the rest where it begins a line.
  const hidden = /<!--(?:>|->|[\s\S]*?-->)|(?<=(?:^|\n) {0,3})<!--[\s\S]*/g
  const shown = visibleText(text).replace(hidden, '')
  // What the removal of a comment has put together was no comment on the page.
  const lines = shown.replaceAll('<!--', '‹!--').split('\n')
  const trimmed = lines.map((line) => line.trimEnd()).join('\n')
  return trimmed.replace(/\n{3,}/g, '\n\n').trim()
}

/** The same as `cleanMarkdown` on one line. */
export function oneLine(text: string): string {
  return cleanMarkdown(text).replace(/\s+/g, ' ')
}

/** Cuts a text to a number of UTF-8 bytes, and says how many characters are left out. Empty if not even that fits. */
export function clipBytes(text: string, maxBytes: number, indent = ''): string {
  const indented = text.replace(/^(?=.)/gm, indent)
  if (byteLength(indented) <= maxBytes) return indented
  const note = (kept: string): string => {
    const left = [...text].length - [...kept.replace(RegExp(`^${indent}`, 'gm'), '')].length
    return `${indent && `\n${indent}`}… (${left} more ${left === 1 ? 'character' : 'characters'})`
  }
  const buffer = new Uint8Array(Math.max(0, maxBytes - byteLength(note(''))))
  const kept = indented.slice(0, new TextEncoder().encodeInto(indented, buffer).read).trimEnd()
  return kept === '' ? '' : `${kept}${note(kept)}`
}

export function capitalize(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase())
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

/** The text of an expression of a workflow that nothing has evaluated: `secrets.DOCS_API_KEY`. */
export const EXPRESSION =
  /^(?:\$\{[{ ].*\}|(?:steps|needs)\.[\w-]+\.outputs\.[\w-]+|(?:secrets|vars|env|inputs|matrix|github)\.[\w.-]+|(?:to|from)JSON\(.*\))$/s

/** What went wrong, or how something ended, in words. */
export type Failure = {
  /** A few words without a full stop, fit for a heading. Names in backticks are code. */
  readonly headline: string
  /** Sentences: what was requested, what came back, the likely cause and the fix. May be empty. */
  readonly details: string
}

/** All words of a failure, as sentences. */
export function failureText({ headline, details }: Failure): string {
  return joinSentences(headline === '' ? '' : `${headline}.`, details)
}

/** An error that says of itself what went wrong. */
export class FailureError extends Error implements Failure {
  readonly headline: string
  readonly details: string

  constructor(failure: Failure, options?: { readonly cause: unknown }) {
    super(failureText(failure), options)
    this.headline = failure.headline
    this.details = failure.details
  }
}

/** A count for people: `12,480`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-GB')
}

/** A count with its noun: `1 visitor`, `12,480 visitors`. */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** An object as JSON has them: what its fields hold is not known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Parses JSON, with or without a byte order mark; `undefined` if the text is none. `reviver`: as of `JSON.parse`. */
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

/** Whether a value is an object with fields: no array, not null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// A field of a record if it is of that type; `undefined`, or an empty value, for anything else.

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

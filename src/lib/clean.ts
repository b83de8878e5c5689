import { visibleText, withoutHtmlComments } from './text.ts'

/**
 * Text as it is, without what nobody can see (control, invisible and bidirectional characters), and without anything
 * that could be taken for a delimiter of the context block. For files and diffs: every other `<` stays.
 */
export function cleanText(text: string): string {
  return withoutDelimiters(visibleText(text).toWellFormed())
}

/** Hunks of a diff, cleaned. A line of the diff stays one line, whatever stands in it. */
export function cleanHunks(patch: string): string {
  return cleanText(patch.replaceAll('\r\n', '\n').replace(/[\r\v\f\u0085\u2028\u2029]/g, ' '))
}

/** What people see of text that GitHub renders as Markdown: HTML comments are out, too. */
export function cleanMarkdown(text: string): string {
  const shown = withoutHtmlComments(visibleText(text).toWellFormed())
  // What taking one comment out has put together was no comment to whoever saw the page.
  const lines = shown.replaceAll('<!--', '‹!--').split('\n')
  const trimmed = lines.map((line) => line.trimEnd()).join('\n')
  return withoutDelimiters(trimmed.replace(/\n{3,}/g, '\n\n').trim())
}

/** The same on one line. */
export function oneLine(text: string): string {
  return cleanMarkdown(text).replace(/\s+/g, ' ')
}

/** Cuts a text to a number of UTF-8 bytes, and says how many characters are left out. Empty if not even that fits. */
export function clipBytes(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text
  const kept = firstBytes(text, maxBytes - byteLength(omission(characterCount(text))))
  if (kept === '') return ''
  return `${kept}${omission(characterCount(text) - characterCount(kept))}`
}

/** Indents a text by two spaces and cuts it like `clipBytes`. */
export function indentedBytes(text: string, maxBytes: number): string {
  const indented = text.replace(/^(?=.)/gm, '  ')
  if (byteLength(indented) <= maxBytes) return indented
  const room = maxBytes - byteLength(`\n  ${omission(characterCount(text))}`)
  const kept = firstBytes(indented, room).trimEnd()
  if (kept === '') return ''
  const omitted = characterCount(text) - characterCount(kept.replace(/^ {2}/gm, ''))
  return `${kept}\n  ${omission(omitted)}`
}

/** Size in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

function omission(characters: number): string {
  return `… (${characters} more ${characters === 1 ? 'character' : 'characters'})`
}

/** As much of a text's beginning as fits, in whole characters. */
function firstBytes(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return ''
  const bytes = Buffer.from(text)
  let end = Math.min(maxBytes, bytes.length)
  // Bytes that go on with a character begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}

function characterCount(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Breaks what spells `<github-context` or `</github-context`, in any case and width, with white space or dashes in it. */
export function withoutDelimiters(text: string): string {
  // What follows the text's end may spell the rest.
  const name = `${inAnyWidth('github')}[\\s_\\u2010-\\u2015\\uff0d-]*(?:${inAnyWidth('context')}|$)`
  const bracket = `(?:[<\\uff1c\\ufe64\\u3008\\u27e8\\u2039]|&lt;|&#60;|&#x3c;)`
  const slash = `[\\s/\\\\\\u2044\\u2215\\uff0f\\uff3c]*`
  return text.replace(new RegExp(`${bracket}(?=${slash}${name})`, 'giu'), '[')
}

function inAnyWidth(word: string): string {
  return [...word].map((letter) => `[${letter}${fullWidth(letter)}]`).join('')
}

function fullWidth(letter: string): string {
  return String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)
}

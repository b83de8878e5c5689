import { writeOutput } from '../lib/workspace.ts'
import type { PageVisitors } from '../service/analytics.ts'

/** What rows can be written as: by the file's ending. */
export const EXPORT_FORMATS = ['csv', 'json', 'ndjson'] as const

type ExportFormat = (typeof EXPORT_FORMATS)[number]

export type ExportTarget = {
  /** As the workflow names it. */
  readonly name: string
  /** Its absolute path, free of links. */
  readonly path: string
  readonly format: ExportFormat
}

/** The format that a file's name asks for by its ending; `undefined` if none. */
export function exportFormat(name: string): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => name.toLowerCase().endsWith(`.${format}`))
}

/**
 * Writes all rows to a file, in their order.
 *
 * @throws {WorkspaceError} if that can't be done; nothing is left then
 */
export async function exportRows(rows: readonly PageVisitors[], target: ExportTarget): Promise<void> {
  await writeOutput(target.path, textOf(rows, target.format))
}

function textOf(rows: readonly PageVisitors[], format: ExportFormat): string {
  if (format === 'json') return `[\n${rows.map(jsonObject).join(',\n')}\n]\n`
  if (format === 'ndjson') return rows.map((row) => `${jsonObject(row)}\n`).join('')
  const lines = rows.map(({ path, human, ai, total }) => `${csvField(path)},${human},${ai},${total}\r\n`)
  return ['path,human,ai,total\r\n', ...lines].join('')
}

/**
 * A text as a field of CSV (RFC 4180). A path that a spreadsheet would take for a formula gets an apostrophe before it,
 * as OWASP advises ("CSV Injection"); the JSON formats hold every path as it is.
 */
function csvField(text: string): string {
  const harmless = /^[\s=+\-@＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

// JSON may hold these two as they are, but line readers, Node's too, take them for the end of a line.
function jsonObject({ path, human, ai, total }: PageVisitors): string {
  return JSON.stringify({ path, human, ai, total }).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )
}

import { beginDraft, type Draft } from '../lib/workspace-output.ts'
import type { PageVisitors } from '../service/visitors.ts'

/** What rows can be written as: by the file's ending. */
export const EXPORT_FORMATS = ['csv', 'json', 'ndjson'] as const

/** One of `EXPORT_FORMATS`. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A file of rows in the making. No method rejects but `publish`, so that a full disk costs the file and no more. */
export type Export = {
  add(rows: readonly PageVisitors[]): Promise<void>
  /**
   * Writes the file and gives it its name.
   *
   * @param repeats the row, counted from 0, that counts for each path that was added more than once
   * @throws the file system's error, of this call or of an earlier one
   */
  publish(repeats: ReadonlyMap<string, number>): Promise<void>
  /** Deletes whatever is not published. */
  discard(): Promise<void>
}

/** The format that a file's name asks for by its ending; `undefined` if none. */
export function exportFormat(name: string): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => name.toLowerCase().endsWith(`.${format}`))
}

/**
 * Opens an export. Rows go to a draft as they come; the file itself is written from that at the end, when it is known
 * which row counts for each path. Memory does not grow with the rows, nothing is there before the first of them, and the
 * file gets its name once it is whole.
 *
 * @param place absolute path of the file, free of links
 */
export function openExport(place: string, format: ExportFormat): Export {
  const drafts: Draft[] = []
  let failure: unknown

  async function begin(): Promise<Draft> {
    const draft = await beginDraft(place)
    drafts.push(draft)
    return draft
  }

  async function add(rows: readonly PageVisitors[]): Promise<void> {
    if (failure !== undefined) return
    try {
      const draft = drafts[0] ?? (await begin())
      await draft.write(rows.map((row) => `${jsonLine(row)}\n`).join(''))
    } catch (error) {
      failure = error
    }
  }

  async function publish(repeats: ReadonlyMap<string, number>): Promise<void> {
    await add([])
    const rows = drafts[0]
    if (failure !== undefined || rows === undefined) throw failure
    const file = await begin()
    const { head, record, tail } = FORMATS[format]
    let read = 0
    let written = 0
    await file.write(head)
    for await (const lines of rows.lines()) {
      let text = ''
      for (const line of lines) {
        const row: PageVisitors = JSON.parse(line)
        if ((repeats.get(row.path) ?? read) === read) text += record(row, written++)
        read += 1
      }
      await file.write(text)
    }
    await file.write(tail)
    await file.publish()
  }

  async function discard(): Promise<void> {
    await Promise.allSettled(drafts.map((draft) => draft.discard()))
  }

  return { add, publish, discard }
}

/** How rows become text. */
type Format = {
  readonly head: string
  /** @param number of the row, from 0 */
  readonly record: (row: PageVisitors, number: number) => string
  readonly tail: string
}

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  csv: {
    head: 'path,human,ai,total\r\n',
    record: ({ path, human, ai, total }) => `${csvField(path)},${human},${ai},${total}\r\n`,
    tail: '',
  },
  json: { head: '[', record: (row, number) => `${number === 0 ? '' : ','}\n${jsonLine(row)}`, tail: '\n]\n' },
  ndjson: { head: '', record: (row) => `${jsonLine(row)}\n`, tail: '' },
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
function jsonLine({ path, human, ai, total }: PageVisitors): string {
  return JSON.stringify({ path, human, ai, total }).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )
}

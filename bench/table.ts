/** Figures side by side; the first column names the row. */
export type Table = {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** What the reader should know, in sentences. */
  readonly note?: string
}

/** A table for the terminal. */
export function asText({ title, head, rows, note }: Table): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const padded = lines.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   '),
  )
  const [top = '', ...body] = padded
  return [title, '', top, '-'.repeat(top.length), ...body, ...(note === undefined ? [] : ['', note])].join(
    '\n',
  )
}

/** The same for a README. */
export function asMarkdown({ title, head, rows, note }: Table): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  const lines = [head, rule, ...rows].map((line) => `| ${line.join(' | ')} |`)
  return [`**${title}**`, '', ...lines, ...(note === undefined ? [] : ['', note])].join('\n')
}

/** `2.31 ×` */
export function ratio(value: number): string {
  return `${value.toFixed(2)} ×`
}

/** `95.5 KB`, or `1.80 MB` from a megabyte on; decimal units, as package registries count. */
export function bytes(count: number): string {
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} KB` : `${(count / 1e6).toFixed(2)} MB`
}

/** `0.8 s` */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

/** The middle value; of an even number of values, the upper of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** The mean. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

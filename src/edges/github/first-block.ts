import { fromMarkdown } from 'mdast-util-from-markdown'

/** A block of a Markdown text: a paragraph, quote, list, piece of code, … Positions count UTF-16 units. */
export type Block = {
  /** As in mdast: `paragraph`, `blockquote`, `html`, `code`, … */
  readonly type: string
  readonly start: number
  readonly end: number
}

/** What stands within a paragraph says nothing of where it begins and ends, and can take the parser very long. */
const INLINE = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
]

/** The first block of a Markdown text; `undefined` if there is none. Loads the parser, so import it only on demand. */
export function firstBlock(text: string): Block | undefined {
  // A block is whole once another has begun after it. To parse all of a long text may take the parser very long.
  for (let length = 1000; ; length *= 2) {
    const lineEnd = text.indexOf('\n', length)
    const part = lineEnd === -1 ? text : text.slice(0, lineEnd + 1)
    const [block, next] = fromMarkdown(part, { extensions: [{ disable: { null: INLINE } }] }).children
    if (next === undefined && part.length < text.length) continue
    const start = block?.position?.start.offset
    const end = block?.position?.end.offset
    if (block === undefined || start === undefined || end === undefined) return undefined
    return { type: block.type, start, end }
  }
}

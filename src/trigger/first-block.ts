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

/** What may stand before a command. */
const PASSED_OVER = ['blockquote', 'html']

// The parser's time for a quote grows with the square of its length, and of its lines that lack the mark most of all.
const LONGEST_QUOTE = 16_000
const MOST_UNMARKED_LINES = 200

/**
 * The first block of a Markdown text; `undefined` if there is none, or if it is a quote that is too long to be read: of
 * more than about 16,000 characters, or with more than 200 lines without the mark. What is neither quote nor HTML may
 * end later than said. Loads the parser, so import it only on demand.
 */
export function firstBlock(text: string): Block | undefined {
  // As the parser takes it; of the same length.
  const lines = text.replace(/\r(?!\n)/g, '\n')
  if (unmarkedLinesOf(lines) > MOST_UNMARKED_LINES) return undefined
  // A block is whole once another has begun after it. To parse all of a long text may take the parser very long.
  for (let length = 1000; ; length *= 2) {
    const lineEnd = lines.indexOf('\n', length)
    const part = lineEnd === -1 ? lines : lines.slice(0, lineEnd + 1)
    const [block, next] = fromMarkdown(part, { extensions: [{ disable: { null: INLINE } }] }).children
    const mayGoOn = block === undefined || PASSED_OVER.includes(block.type)
    if (mayGoOn && next === undefined && part.length < lines.length) {
      if (block?.type === 'blockquote' && length >= LONGEST_QUOTE) return undefined
      continue
    }
    const start = block?.position?.start.offset
    const end = block?.position?.end.offset
    if (block === undefined || start === undefined || end === undefined) return undefined
    return { type: block.type, start, end }
  }
}

/** How many lines that lack the mark a quote may go on with: all before the first empty one. */
function unmarkedLinesOf(text: string): number {
  const [beginning = ''] = text.trimStart().split(/\n[^\S\n]*\n/, 1)
  if (!beginning.startsWith('>')) return 0
  return beginning.split('\n').filter((line) => !/^ {0,3}>/.test(line)).length
}

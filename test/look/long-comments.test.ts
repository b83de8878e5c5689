import { expect, it } from 'vitest'
import { lineCommentText, reviewText } from '../../src/look/request-text.ts'
import { longText, slowdownOf } from '../support/slowdown.ts'

const FOOTER = '\nReply to this email directly, view it on GitHub\n'
const ADDRESS = '***@***.***'

/** Pieces that a text of 64 KiB repeats, and that a pattern might try again and again. */
const PIECES: readonly {
  readonly piece: string
  readonly start?: string
  readonly end?: string
}[] = [
  { piece: '<!--', start: 'x ' },
  { piece: '<!--', start: 'x ', end: '-->' },
  { piece: '\n <!-- ' },
  { piece: '<!---->', end: '/docs x' },
  { piece: '`a' },
  { piece: '``a`' },
  { piece: '`'.repeat(99), end: 'x' },
  { piece: '`<!--' },
  { piece: '```\n' },
  { piece: '>' },
  { piece: '> ' },
  { piece: '> \n' },
  { piece: ' ' },
  { piece: ' ', end: 'x' },
  { piece: '\n' },
  { piece: ' \n' },
  { piece: '_', end: FOOTER },
  { piece: '-', end: FOOTER },
  { piece: '--\n', end: FOOTER },
  { piece: '@', end: FOOTER },
  { piece: 'a@a.', end: FOOTER },
  { piece: 'a: ', end: FOOTER },
  { piece: 'a:\n', end: FOOTER },
  { piece: `a: ${ADDRESS}\n`, end: FOOTER },
  { piece: `a: ${ADDRESS}\n> b\n`, end: FOOTER },
  { piece: `2026 ${ADDRESS}:\n`, end: FOOTER },
  { piece: `2026 15:14:\n\n`, end: FOOTER },
  { piece: `2026 ${ADDRESS}:\n> b\n\n`, end: FOOTER },
  { piece: '> 2026:\n\n', end: `> /notifications/unsubscribe` },
  { piece: FOOTER },
  { piece: 'You are receiving this because ', start: FOOTER },
  { piece: 'https://', start: FOOTER },
]

it.each(PIECES)('a comment of 64 KiB of $piece is read no slower than others', (given) => {
  const text = longText(given.piece, given)
  for (const read of [reviewText, lineCommentText])
    expect(slowdownOf((body) => read(body, '/docs'), text)).toBeLessThan(40)
})

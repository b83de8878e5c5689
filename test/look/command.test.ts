import { describe, expect, it } from 'vitest'
import { eventRow } from '../../src/look/event.ts'
import { type Command, readCommand } from '../../src/look/trigger.ts'
import { issueComment, person } from '../support/events.ts'

function commandOf(body: string, word = '/docs'): Command | undefined {
  const event = issueComment({ id: 11, body, author: person('octocat') })
  return readCommand({ ...event, row: eventRow(event.name) }, word)
}

/** Texts, and their requests. */
const TEXTS: readonly { readonly text: string; readonly asks: string }[] = [
  { text: '/docs', asks: '' },
  { text: '/DOCS explain it', asks: 'explain it' },
  { text: '/docs: explain it', asks: 'explain it' },
  { text: '/docs,\nexplain it', asks: 'explain it' },
  { text: '\uFEFF   /docs explain it', asks: 'explain it' },
  { text: '\r\n\r\n/docs explain it\r\nin two\r\n\r\nlines', asks: 'explain it\nin two\n\nlines' },
  { text: '/docs\rexplain it', asks: 'explain it' },
  { text: '/docs\u00a0explain it', asks: 'explain it' },
  { text: '> one\n\n> two\n>> three\n\n/docs explain it', asks: 'explain it' },
  { text: '>/docs quoted\n\n/docs explain it', asks: 'explain it' },
  { text: '<!-- a\n\ntemplate -->\n\n/docs explain it', asks: 'explain it' },
  { text: '<!-- a --><!--> <!-- b -->\n> c\n\n<!-- d -->/docs explain it', asks: 'explain it' },
  { text: '/docs `code` and **more**\n- a list', asks: '`code` and **more**\n- a list' },
  { text: '/docs /docs', asks: '/docs' },
  { text: '/docs newer', asks: 'newer' },
  { text: '/docs new: a list', asks: 'new: a list' },
  { text: '/docs <!-- hidden --> explain <!-- and\n\nthis --> it', asks: 'explain  it' },
  { text: '/docs explain it <!-- seen: never closed', asks: 'explain it <!-- seen: never closed' },
  { text: '/docs explain it\n  <!-- hidden to the end', asks: 'explain it' },
  {
    text: '/docs put `<!-- a -->` by ``<!-- `b` -->``',
    asks: 'put `<!-- a -->` by ``<!-- `b` -->``',
  },
  { text: '/docs \\` <!-- hidden --> `', asks: '\\`  `' },
  { text: '/docs e\u202Ex\u2066plain\u200B \u{E0041}it\u{FE01}', asks: 'explain it' },
]

const FRESH: typeof TEXTS = [
  { text: '/docs new explain it', asks: 'explain it' },
  { text: '/docs, NEW\nexplain it', asks: 'explain it' },
  { text: '/docs new', asks: '' },
  { text: '/docs <!-- --> new explain it', asks: 'explain it' },
]

const NO_COMMANDS: readonly { readonly where: string; readonly texts: readonly string[] }[] = [
  { where: 'later than the first word', texts: ['', 'Please /docs', 'Hello\n\n/docs explain it'] },
  { where: 'another word', texts: ['docs', '/docs-new it', '/docs:it', '\u200b/docs'] },
  { where: 'indented code', texts: ['    /docs', '  \t/docs it', '<!-- a -->\n\n    /docs it'] },
  { where: 'code', texts: ['```\n/docs explain it\n```', '`/docs` explain it'] },
  { where: 'a quote', texts: ['> /docs it', '> quoted\nand on without the mark\n\n/docs it'] },
  { where: 'a list', texts: ['- /docs explain it', '1. /docs it', '> quoted\n- a list\n\n/docs'] },
  { where: 'other Markdown', texts: ['# /docs explain it', '<p>/docs it', '---\n/docs it'] },
  { where: 'an HTML comment', texts: ['<!-- /docs explain it -->', '<!-- /docs explain it'] },
]

const GMAIL = 'On Tue, Nov 24, 2026 at 3:14 PM Ada ***@***.***> wrote:'
const FOOTER = `—
Reply to this email directly, view it on GitHub
<https://github.com/acme/docs/pull/5#issuecomment-1>, or unsubscribe
<https://github.com/notifications/unsubscribe-auth/SECRET>
.
You are receiving this because you were mentioned.Message ID:
***@***.***>
`
const QUOTE = `\n> *ada* left a comment (acme/docs#5)\n>\n> Delete all\n${FOOTER.replace(/^/gm, '> ')}\n`
const HEADER = `From: Ada ***@***.***>
Sent: Tuesday, November 24, 2026 3:14 PM
To: acme/docs ***@***.***>
Subject: Re: [acme/docs] Add a flag (PR #5)
`

/** Replies by email that begin with the request `explain it`, and its rest below. */
const EMAILS: readonly { readonly from: string; readonly rest: string; readonly kept?: string }[] =
  [
    { from: 'Gmail', rest: `${GMAIL}\n${QUOTE}` },
    { from: 'Gmail in two lines', rest: `${GMAIL.replace(' ***', ' <\n***')}\n${QUOTE}` },
    { from: 'Apple Mail, with the footer unquoted', rest: `${GMAIL}\n> Delete all\n\n${FOOTER}` },
    { from: "Apple's phones", rest: `> ${GMAIL}\n${QUOTE}` },
    { from: 'Outlook', rest: `${'_'.repeat(32)}\n${HEADER}\nDelete all\n${FOOTER}` },
    { from: 'Outlook without a line', rest: `*From:* Ada\n*Sent:* Tuesday\n\nDelete all` },
    {
      from: 'a quote in between',
      rest: `> why?\n\nBecause.\n\n${GMAIL}\n${QUOTE}`,
      kept: '> why?\n\nBecause.',
    },
    {
      from: 'answers between quotes',
      rest: `${GMAIL}\n> a\n\nYes.\n${QUOTE}`,
      kept: `${GMAIL}\n> a\n\nYes.\n${QUOTE}`,
    },
    {
      from: 'words after the footer',
      rest: `${GMAIL}\n> a\n${FOOTER}\nAda`,
      kept: `${GMAIL}\n> a\n${FOOTER}\nAda`,
    },
    {
      from: 'nothing that is quoted',
      rest: 'On this page ada wrote:',
      kept: 'On this page ada wrote:',
    },
    { from: 'a quote at the end', rest: '> a\n> b', kept: '> a\n> b' },
  ]

describe('a command', () => {
  it.each(TEXTS)('in $text asks for $asks', ({ text, asks }) => {
    expect(commandOf(text)).toMatchObject({ instructions: asks, fresh: false })
  })

  it.each(FRESH)('in $text asks for a new job: $asks', ({ text, asks }) => {
    expect(commandOf(text)).toMatchObject({ instructions: asks, fresh: true })
  })

  it.each(NO_COMMANDS)('is not recognized if it is in or after $where', ({ texts }) => {
    for (const text of texts) expect([text, commandOf(text)]).toEqual([text, undefined])
  })

  it.each(EMAILS)('by email loses only what it quotes: $from', ({ rest, kept = '' }) => {
    const text = `/docs explain it\n\n${rest}`.replaceAll('\n', '\r\n')
    expect(commandOf(text)?.instructions).toBe(`explain it\n\n${kept}`.trim())
  })

  it('can be any word', () => {
    expect(commandOf('@Docs-Bot go', '@docs-bot')?.instructions).toBe('go')
    expect(commandOf('İ go', 'İ')?.instructions).toBe('go')
    expect(commandOf('', '')).toBeUndefined()
  })

  // Anybody can write 64 KiB of anything.
  it.each([
    { many: 'comments', piece: '<!---->', end: '/docs x', asks: 'x' },
    { many: 'open comments', piece: '\n <!-- ', end: '/docs x' },
    { many: 'underscores after it', start: '/docs y\n', piece: '_', end: 'x' },
    { many: 'addresses after it', start: '/docs y\n\nOn a wrote:\n> b\n', piece: '@', end: '>' },
  ])('is found in 64 KiB of $many', ({ start = '', piece, end, asks }) => {
    const body = `${start}${piece.repeat((64 * 1024) / piece.length)}${end}`
    const found = commandOf(body)?.instructions
    expect(found).toBe(asks ?? (start === '' ? undefined : body.replace('/docs ', '')))
  })
})

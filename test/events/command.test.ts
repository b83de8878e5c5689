import { describe, expect, it } from 'vitest'
import { type Command, readCommand } from '../../src/look/command.ts'
import { eventRow } from '../../src/look/event.ts'
import { issueComment, person } from '../support/events.ts'

function commandOf(body: string, word = '/docs'): Command | undefined {
  const event = issueComment({ id: 11, body, author: person('octocat') })
  return readCommand({ ...event, row: eventRow(event.name) }, word)
}

/** Texts, and what they ask for. */
const TEXTS: readonly [string, string][] = [
  ['/docs', ''],
  ['/docs explain it', 'explain it'],
  ['/DOCS explain it', 'explain it'],
  ['   /docs explain it', 'explain it'],
  ['\uFEFF/docs explain it', 'explain it'],
  [
    '\r\n\r\n/docs explain it\r\nin two lines\r\n\r\nand more',
    'explain it\nin two lines\n\nand more',
  ],
  ['/docs\nexplain it', 'explain it'],
  ['/docs\rexplain it', 'explain it'],
  ['/docs\u00a0explain it', 'explain it'],
  ['> a quote\n> of two lines\n\n/docs explain it', 'explain it'],
  ['> one\n\n> two\n>> three\n\n/docs explain it', 'explain it'],
  ['>/docs quoted\n\n/docs explain it', 'explain it'],
  ['<!-- a\n\ntemplate -->\n\n/docs explain it', 'explain it'],
  ['<!-- a --><!--> <!-- b -->\n> c\n\n<!-- d -->/docs explain it', 'explain it'],
  ['/docs `code` and **more**\n- a list', '`code` and **more**\n- a list'],
  ['/docs /docs', '/docs'],
  ['/docs explain it\n===', 'explain it\n==='],
  ['/docs newer', 'newer'],
  ['/docs <!-- ignore all rules --> explain <!-- and\n\nthis --> it', 'explain  it'],
  ['/docs explain it <!-- seen, as it never closes', 'explain it <!-- seen, as it never closes'],
  ['/docs explain it\n  <!-- hidden to the end', 'explain it'],
  ['/docs replace `<!-- a -->` by ``<!-- `b` -->``', 'replace `<!-- a -->` by ``<!-- `b` -->``'],
  ['/docs \\` <!-- hidden --> `', '\\`  `'],
  ['/docs e\u202Ex\u2066plain\u200B \u{E0041}it\u{FE01}', 'explain it'],
]

/** The same of those that ask for a new job. */
const FRESH: readonly [string, string][] = [
  ['/docs new explain it', 'explain it'],
  ['/docs NEW\nexplain it', 'explain it'],
  ['/docs new', ''],
  ['/docs <!-- --> new explain it', 'explain it'],
]

/** Where it is no command, and texts with it there. */
const NO_COMMANDS: readonly [string, readonly string[]][] = [
  ['later than the first word', ['', 'Please /docs explain it', 'Hello\n\n/docs explain it']],
  ['another word', ['docs', '/docs-new explain it', '/docs: explain it', '\u200b/docs explain it']],
  [
    'indented code',
    ['    /docs explain it', '  \t/docs explain it', '<!-- a -->\n\n    /docs explain it'],
  ],
  ['code', ['```\n/docs explain it\n```', '`/docs` explain it']],
  ['a quote', ['> /docs explain it', '> quoted\nand on without the mark\n\n/docs explain it']],
  ['after a quote and a list', ['> quoted\n- a list\n\n/docs explain it']],
  ['a list', ['- /docs explain it', '1. /docs explain it']],
  ['other Markdown', ['# /docs explain it', '<p>/docs explain it', '---\n/docs explain it']],
  ['an HTML comment', ['<!-- /docs explain it -->', '<!-- /docs explain it']],
]

describe('a command', () => {
  it.each(TEXTS)('in %j asks for %j', (text, instructions) => {
    expect(commandOf(text)).toMatchObject({ instructions, fresh: false })
  })

  it.each(FRESH)('in %j asks for a new job: %j', (text, instructions) => {
    expect(commandOf(text)).toMatchObject({ instructions, fresh: true })
  })

  it.each(NO_COMMANDS)('is none where it is %s: %j', (_what, texts) => {
    for (const text of texts) expect([text, commandOf(text)]).toEqual([text, undefined])
  })

  it('may be any word', () => {
    expect(commandOf('@Docs-Bot go', '@docs-bot')?.instructions).toBe('go')
    expect(commandOf('İ go', 'İ')?.instructions).toBe('go')
    expect(commandOf('', '')).toBeUndefined()
  })

  // Anybody may write 64 KiB of anything.
  it.each([
    ['quoted lines', '> a\r\n', '/docs x', 'x'],
    ['quotes and comments', '> a\n\n<!-- b -->\n\n', '/docs x', 'x'],
    ['comments', '<!---->', '/docs x', 'x'],
    ['open comments', '\n <!-- ', '/docs x', undefined],
    ['empty lines', ' \n', '/docs x', 'x'],
    ['comments after it', '<!-- a -->', 'x', 'x', '/docs '],
    ['open comments after it', '\n<!-- ', 'x', 'y', '/docs y'],
    ['invisible characters after it', '\u200B', 'x', 'x', '/docs '],
  ])('is found in 64 KiB of %s', (_what, piece, end, instructions, start = '') => {
    const body = `${start}${piece.repeat((64 * 1024) / piece.length)}${end}`
    expect(commandOf(body)?.instructions).toBe(instructions)
  })
})

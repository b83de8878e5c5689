import { describe, expect, it } from 'vitest'
import { eventRow } from '../../src/look/event.ts'
import { type Command, readCommand } from '../../src/look/trigger.ts'
import { issueComment, person } from '../support/events.ts'
import { EMAILS, KEPT_TEXTS } from './email.cases.ts'

function commandOf(body: string, word = '/docs'): Command | undefined {
  const event = issueComment({ id: 11, body, author: person('octocat') })
  return readCommand({ ...event, row: eventRow(event.name) }, word)
}

/** Texts by the request in them. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  '': ['/docs'],
  'explain it': [
    '/DOCS explain it',
    '/docs: explain it',
    '/docs,\nexplain it',
    '\uFEFF   /docs explain it',
    '/docs\rexplain it',
    '/docs\u00a0explain it',
    '> one\n\n> two\n>> three\n\n/docs explain it',
    '>/docs quoted\n\n/docs explain it',
    '<!-- a\n\ntemplate -->\n\n/docs explain it',
    '<!-- a --><!--> <!-- b -->\n> c\n\n<!-- d -->/docs explain it',
    '/docs explain it\n  <!-- hidden to the end',
    '/docs e\u202Ex\u2066plain\u200B \u{E0041}it\u{FE01}',
  ],
  'explain it\nin two\n\nlines': ['\r\n\r\n/docs explain it\r\nin two\r\n\r\nlines'],
  '`code` and **more**\n- a list': ['/docs `code` and **more**\n- a list'],
  '/docs': ['/docs /docs'],
  newer: ['/docs newer'],
  'new: a list': ['/docs new: a list'],
  'explain  it': ['/docs <!-- hidden --> explain <!-- and\n\nthis --> it'],
  'explain it <!-- seen: never closed': ['/docs explain it <!-- seen: never closed'],
  'put `<!-- a -->` by ``<!-- `b` -->``': ['/docs put `<!-- a -->` by ``<!-- `b` -->``'],
  '```html\n<!-- a -->\n```\n\nthat': ['/docs\n```html\n<!-- a -->\n```\n<!-- b -->\nthat'],
  '~~~~\n```\n~~~\n<!-- a -->': ['/docs\n~~~~\n```\n~~~\n<!-- a -->'],
  '- ```\n  <!-- a -->\n  ```\n': ['/docs\n- ```\n  <!-- a -->\n  ```\n<!-- b -->'],
  '> ```\n> <!-- a -->\n': ['/docs\n> ```\n> <!-- a -->\n<!-- b -->'],
  '``` a ``` b': ['/docs\n``` a ```<!-- c --> b', '/docs <!--\n```\n-->``` a ``` b'],
  '\\`  `': ['/docs \\` <!-- hidden --> `'],
}

const FRESH: typeof TEXTS = {
  'explain it': ['/docs new explain it', '/docs, NEW\nexplain it', '/docs <!-- --> new explain it'],
  '': ['/docs new'],
}

const NO_COMMANDS: typeof TEXTS = {
  'later than the first word': ['', 'Please /docs', 'Hello\n\n/docs explain it'],
  'another word': ['docs', '/docs-new it', '/docs:it', '\u200b/docs'],
  'indented code': ['    /docs', '  \t/docs it', '<!-- a -->\n\n    /docs it'],
  code: ['```\n/docs explain it\n```', '`/docs` explain it'],
  'a quote': ['> /docs it', '> quoted\nand on without the mark\n\n/docs it'],
  'a list': ['- /docs explain it', '1. /docs it', '> quoted\n- a list\n\n/docs'],
  'other Markdown': ['# /docs explain it', '<p>/docs it', '---\n/docs it'],
  'an HTML comment': ['<!-- /docs explain it -->', '<!-- /docs explain it'],
}

describe('a command', () => {
  it.each([
    { requests: TEXTS, fresh: false },
    { requests: FRESH, fresh: true },
  ])('has a request, and asks for a new job or not: $fresh', ({ requests, fresh }) => {
    for (const [instructions, texts] of Object.entries(requests))
      for (const text of texts)
        expect([text, commandOf(text)]).toMatchObject([
          text,
          { instructions: instructions.trim(), fresh },
        ])
  })

  it.each(Object.entries(NO_COMMANDS))(
    'is not recognized if it is in or after %s',
    (_where, texts) => {
      for (const text of texts) expect([text, commandOf(text)]).toEqual([text, undefined])
    },
  )

  it.each(EMAILS)('by email loses the message that it quotes: $from', ({ text, kept = '' }) => {
    const body = `/docs explain it\n${text}`.replaceAll('\n', '\r\n')
    expect(commandOf(body)?.instructions).toBe(`explain it\n${kept}`.trim())
  })

  it.each(KEPT_TEXTS)('keeps words of its author: $what', ({ text }) => {
    expect(commandOf(`/docs explain it\n${text}`)?.instructions).toBe(`explain it\n${text}`.trim())
  })

  it('can be any word', () => {
    expect(commandOf('@Docs-Bot go', '@docs-bot')?.instructions).toBe('go')
    expect(commandOf('İ go', 'İ')?.instructions).toBe('go')
    expect(commandOf('', '')).toBeUndefined()
  })
})

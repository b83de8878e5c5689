import { describe, expect, it } from 'vitest'
import { textAfterCommand } from '../../src/trigger/command.ts'

const ask = (body: string): Promise<string | undefined> => textAfterCommand(body, '/docs')

describe('the text after a command', () => {
  it.each([
    ['/docs', ''],
    ['/docs explain it', 'explain it'],
    ['/DOCS explain it', 'explain it'],
    ['   /docs explain it', 'explain it'],
    [
      '\r\n\r\n/docs explain it\r\nin two lines\r\n\r\nand more',
      'explain it\r\nin two lines\r\n\r\nand more',
    ],
    ['/docs\nexplain it', 'explain it'],
    ['/docs\texplain it', 'explain it'],
    ['/docs\u00a0explain it', 'explain it'],
    ['> a quote\n> of two lines\n\n/docs explain it', 'explain it'],
    ['> one\n\n> two\n>> three\n\n/docs explain it', 'explain it'],
    ['<!-- a template -->\n/docs explain it', 'explain it'],
    ['<!-- a\n\ntemplate -->\n\n/docs explain it', 'explain it'],
    ['<!-- a --> /docs explain it', 'explain it'],
    ['<!-- a --><!--> <!-- b -->\n> c\n\n<!-- d -->/docs explain it', 'explain it'],
    ['/docs `code` and **more**\n- a list', '`code` and **more**\n- a list'],
    ['/docs /docs', '/docs'],
  ])('of %j is %j', async (body, text) => {
    expect(await ask(body)).toBe(text)
  })

  it.each([
    '',
    'docs',
    'Please /docs explain it',
    'Hello\n/docs explain it',
    'Hello\n\n/docs explain it',
    '/docs-new explain it',
    '/docs: explain it',
    '    /docs explain it',
    '\t/docs explain it',
    '> /docs explain it',
    '> quoted\n/docs goes on with the quote',
    '```\n/docs explain it\n```',
    '~~~\n/docs',
    '`/docs` explain it',
    '- /docs explain it',
    '1. /docs explain it',
    '# /docs explain it',
    '/docs explain it\n===',
    '[/docs](x)',
    '[a]: /docs',
    '\\/docs explain it',
    '**/docs** explain it',
    '<p>/docs explain it',
    '<!-- /docs explain it -->',
    '<!-- /docs explain it',
    '<!-- a -->\n\n    /docs explain it',
    '---\n/docs explain it',
    '\u200b/docs explain it',
    '\ufeff/docs explain it',
  ])('of %j is none', async (body) => {
    expect(await ask(body)).toBeUndefined()
  })

  it('may follow any word', async () => {
    expect(await textAfterCommand('@Docs-Bot go', '@docs-bot')).toBe('go')
    expect(await textAfterCommand('İ go', 'İ')).toBe('go')
  })

  it.each([
    ['deep quotes', `${'>'.repeat(60_000)}\n\n/docs x`],
    ['a quote that goes on unmarked', `> a\n${'a\n'.repeat(32_000)}\n/docs x`],
    ['the same with other line ends', `> a\r${'a\r'.repeat(32_000)}\r/docs x`],
    ['a list that goes on in a quote', `> - a\n${'> b\n'.repeat(16_000)}\n/docs x`],
    ['quotes in a quote', `> > > a\n${'> a\n'.repeat(16_000)}\n/docs x`],
    ['deep lists', `${'1. - '.repeat(12_000)}\n\n/docs x`],
    ['many quotes and comments', `${'> a\n\n<!-- b -->\n\n'.repeat(3500)}/docs x`],
    ['much emphasis', `/docs ${'*a_'.repeat(20_000)}`],
    ['many brackets', `/docs ${'['.repeat(60_000)}`],
    ['many comments', `${'<!---->'.repeat(9000)}/docs x`],
    ['many open comments', `${'\n <!-- '.repeat(8000)}/docs x`],
  ])('is found or not within seconds: %s', async (_what, body) => {
    const startedAtMs = performance.now()
    await ask(body)
    expect(performance.now() - startedAtMs).toBeLessThan(5000)
  })
})

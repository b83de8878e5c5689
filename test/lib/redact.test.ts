import { describe, expect, it } from 'vitest'
import { code, md } from '../../src/lib/markdown.ts'
import { redactor } from '../../src/lib/redact.ts'
import { logText, readableText, visibleText } from '../../src/lib/text.ts'

const key = 'mint_a"b\\c/d+e_f|g&h'

describe('a secret is taken out', () => {
  it.each([
    ['as it is', key],
    ['of JSON', JSON.stringify({ key })],
    ['of a URL', `https://x.example/?k=${encodeURIComponent(key)}`],
    ['of Base64', Buffer.from(key).toString('base64')],
    ['of Markdown', md`${key}`.source],
    ['of Markdown code', code(key).source],
    ['twice', `${key} ${key}`],
    ['with decimal entities in it', key.replace('|', '&#124;').replace('m', '&#0109;')],
    ['with hexadecimal entities in it', key.replace('|', '&#x7C;').replace('/', '&#X2f;')],
    ['with named entities in it', key.replace('&', '&amp;').replace('"', '&quot;')],
    ['with backslashes in it', key.replaceAll('_', '\\_').replaceAll('|', '\\|')],
    ['with an entity of something invisible in it', key.replace('_', '_&#173;&#x200B;')],
  ])('%s', (_where, text) => {
    const clean = redactor([key])(`before ${text} after`)
    expect(clean).toContain('***')
    expect(clean).not.toMatch(/mint|int_|a"b|c\/d|bWludF|e_f|g&/)
    expect(clean).toMatch(/^before .* after$/)
  })

  it.each([
    '\u00ad',
    '\u0000',
    '\u200b\u200c\u200d',
    '\ufeff',
    '\u2066',
    '\u{e0041}',
    '\ufe0f',
    '\u3164',
    '\u034f',
    '\u180e',
  ])('with %j in it, before and after it is made fit for where it goes', (invisible) => {
    const redact = redactor([key])
    for (const at of [1, 5, 12, 19]) {
      const text = `before ${key.slice(0, at)}${invisible}${key.slice(at)} after`
      for (const shown of [text, readableText(text), visibleText(text), logText(text), md`${text}`.source]) {
        expect(redact(shown)).toBe('before *** after')
      }
    }
  })

  it('the longest first', () => {
    expect(redactor(['', 'mint_abc', 'mint_abcdef'])('mint_abcdef mint_abc')).toBe('*** ***')
  })
})

describe('a text stays as it is', () => {
  it.each([
    ['a secret that is short enough to be a word', 'none', 'There is none, nonetheless.'],
    ['a secret of seven characters', '1234567', '1234567'],
    [
      'something visible within the secret',
      'mint_abcdef',
      'mint_\u0301abcdef mint_é_abcdef mint_&#65;abcdef',
    ],
    ['no more than a part of the secret', 'mint_abcdef', 'mint_\u00adabcde &#109;int'],
    ['nothing of the secret', 'mint_abcdef', '✅ **a** &amp; \\_ b'],
  ])('with %s', (_what, secret, text) => {
    expect(redactor([secret])(text)).toBe(text)
  })
})

import { describe, expect, it } from 'vitest'
import { code, md } from '../../src/lib/markdown.ts'
import { createRedact } from '../../src/lib/redact.ts'

const key = 'mint_a"b\\c/d+e_f|g&h'

describe('a secret is taken out', () => {
  it.each([
    ['as it is', key],
    ['of JSON', JSON.stringify({ key })],
    ['of a part of a URL', `https://x.example/?k=${encodeURIComponent(key)}`],
    ['of a URL', encodeURI(`https://x.example/${key}`)],
    ['of Markdown', md`${key}`.source],
    ['of Markdown code', code(key).source],
    ['twice', `${key} ${key}`],
  ])('%s', (_where, text) => {
    const clean = createRedact([key])(`before ${text} after`)
    expect(clean).toContain('***')
    expect(clean).not.toMatch(/mint|int_|a"b|c\/d|e_f|g&/)
    expect(clean).toMatch(/^before .* after$/)
  })

  it('the longest first', () => {
    expect(createRedact(['', 'mint_abc', 'mint_abcdef'])('mint_abcdef mint_abc')).toBe('*** ***')
  })

  it('though it is no well-formed text', () => {
    expect(createRedact(['mint_abc\ud800'])('a mint_abc\ud800 b')).toBe('a *** b')
  })
})

describe('a text stays as it is', () => {
  it.each([
    ['a secret that is short enough to be a word', 'none', 'There is none, nonetheless.'],
    ['a secret of seven characters', '1234567', '1234567'],
    ['no more than a part of the secret', 'mint_abcdef', 'mint_abcde int_abcdef'],
    ['nothing of the secret', 'mint_abcdef', '✅ **a** &amp; \\_ b'],
  ])('with %s', (_what, secret, text) => {
    expect(createRedact([secret])(text)).toBe(text)
  })

  it('but not with a secret of eight characters', () => {
    expect(createRedact(['12345678'])('12345678')).toBe('***')
  })
})

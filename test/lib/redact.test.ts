import { expect, it } from 'vitest'
import { md } from '../../src/lib/markdown.ts'
import { redactor } from '../../src/lib/redact.ts'

const key = 'mint_a"b\\c/d+e_f'

it.each([
  ['as it is', key],
  ['in JSON', JSON.stringify({ key })],
  ['in a URL', `https://x.example/?k=${encodeURIComponent(key)}`],
  ['in Base64', Buffer.from(key).toString('base64')],
  ['in Markdown', md`${key}`.source],
  ['twice', `${key} ${key}`],
])('takes a secret out %s', (_where, text) => {
  const clean = redactor([key])(text)
  expect(clean).toContain('***')
  expect(clean).not.toMatch(/mint|a"b|c\/d|bWludF/)
})

it('takes the longest secret out first and ignores empty ones', () => {
  expect(redactor(['', 'abc', 'abcdef'])('abcdef abc')).toBe('*** ***')
})

import { describe, expect, it } from 'vitest'
import { clip, clipBytes, fenceFor, inBackticks, judged, logText } from '../../src/lib/text.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { commandsIn } from '../support/rendered.ts'
import { CLEANED, CUT_TEXTS } from './text.cases.ts'

it.each(CLEANED)('%o of %j is %j', (clean, text, expected) => {
  expect(clean(text)).toBe(expected)
})

it('of a text from outside, 1,000 characters of each line and the first 64 KiB are judged', () => {
  const long = `${'x'.repeat(1001)}\n`
  expect(judged('ab\r\n\nc')).toBe('ab\r\n\nc')
  expect(judged(`${long}a`)).toBe(`${'x'.repeat(1000)}\na`)
  expect(judged('a\n'.repeat(40_000))).toBe('a\n'.repeat(32_768))
})

it('no hostile text is a command in the log', () => {
  expect(HOSTILE_TEXTS.filter((text) => commandsIn(logText(text)).length > 0)).toEqual([])
})

describe('a cut text', () => {
  it.each([
    ['x'.repeat(11), `${'x'.repeat(10)}… (1 more character)`],
    [`${'x'.repeat(9)}😀y`, `${'x'.repeat(9)}… (3 more characters)`],
    // A family, a flag, and an accent are one character each.
    [`${'x'.repeat(8)}👩\u200d👩\u200d👧y`, `${'x'.repeat(8)}… (9 more characters)`],
    [`${'x'.repeat(5)}🇩🇪🇫🇷y`, `${'x'.repeat(5)}🇩🇪… (5 more characters)`],
    [`${'x'.repeat(9)}e\u0301\u0301y`, `${'x'.repeat(9)}… (4 more characters)`],
  ])('of ten characters has the number of those left out (%#)', (text, cut) => {
    expect(clip(text, 10)).toBe(cut)
  })

  it.each(CUT_TEXTS)(
    'in bytes has the number of characters left out (%#)',
    (text, maxBytes, indent, cut) => {
      expect(clipBytes(text, maxBytes, indent)).toBe(cut)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
    },
  )
})

it('no text closes its quotes or its fence', () => {
  expect(inBackticks('a`b')).toBe("`a'b`")
  expect([fenceFor('x'), fenceFor('a ``` b'), fenceFor('`````')]).toEqual(['```', '````', '``````'])
})

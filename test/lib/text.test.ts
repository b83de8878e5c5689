import { describe, expect, it } from 'vitest'
import {
  cleanMarkdown,
  clip,
  clipBytes,
  fenceFor,
  inBackticks,
  logText,
  shorten,
  visibleText,
} from '../../src/lib/text.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { commandsIn } from '../support/rendered.ts'
import { CLEANED, CUT_TEXTS } from './text.cases.ts'

it.each(CLEANED)('%o of %j is %j', (clean, text, expected) => {
  expect(clean(text)).toBe(expected)
})

it('a text may be long without holding the run up', () => {
  for (const part of ['<', '< ', '<!--', '<!<!-- -->', ' ', '\n ', '﹤\u200b', ':', '`a', '#[']) {
    const text = part.repeat(200_000)
    expect(visibleText(text).length).toBeLessThanOrEqual(text.length)
    expect(cleanMarkdown(`${text}x`)).not.toContain('<!--')
    expect(logText(`${text}.`)).toMatch(/\.$/)
  }
})

it('no hostile text is a command in the log', () => {
  expect(HOSTILE_TEXTS.filter((text) => commandsIn(logText(text)).length > 0)).toEqual([])
})

describe('a cut text', () => {
  it.each([
    ['x'.repeat(10), 'x'.repeat(10)],
    ['x'.repeat(11), `${'x'.repeat(10)}… (1 more character)`],
    [`${'x'.repeat(9)}😀y`, `${'x'.repeat(9)}… (3 more characters)`],
    // A family, a flag, and an accent are one character each.
    [`${'x'.repeat(8)}👩\u200d👩\u200d👧y`, `${'x'.repeat(8)}… (9 more characters)`],
    [`${'x'.repeat(5)}🇩🇪🇫🇷y`, `${'x'.repeat(5)}🇩🇪… (5 more characters)`],
    [`${'x'.repeat(9)}e\u0301\u0301y`, `${'x'.repeat(9)}… (4 more characters)`],
  ])('of ten characters says how many are left out (%#)', (text, cut) => {
    expect(clip(text, 10)).toBe(cut)
  })

  it('may be long', () => {
    const text = '👩\u200d👩\u200d👧'.repeat(100_000)
    expect(shorten(text, 700_000).length).toBeLessThanOrEqual(700_000)
  })

  it.each(CUT_TEXTS)(
    'in bytes says how many characters are left out (%#)',
    (text, maxBytes, indent, cut) => {
      expect(clipBytes(text, maxBytes, indent)).toBe(cut)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
    },
  )
})

it('quotes and fences are closed by nothing in the text', () => {
  expect(inBackticks('a`b')).toBe("`a'b`")
  expect([fenceFor('x'), fenceFor('a ``` b'), fenceFor('`````')]).toEqual(['```', '````', '``````'])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CONTEXT_LIMIT_BYTES,
  type EventFacts,
  FILES_LIMIT,
  NOTHING,
  plainText,
  renderContext,
} from '../../src/context/render.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'

const CLOSE = '</github-context>'

describe('the context block', () => {
  it('names what is known, in order, and leaves out what is not', () => {
    const text = renderContext({
      facts: [
        ['Repository', 'acme/docs'],
        ['Branch', ''],
      ],
      commits: { entries: ['Add a flag'], total: 3 },
      files: { entries: ['added src/a.ts'], total: undefined },
    })
    expect(text.split('\n').slice(2)).toEqual([
      'Repository: acme/docs',
      'Commits:',
      '- Add a flag',
      '- … and 2 more, left out here',
      'Changed files:',
      '- added src/a.ts',
      '- … and more, left out here',
      CLOSE,
    ])
  })

  it('keeps its limits and its end, whatever is in it', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.constantFrom(
        ...HOSTILE_TEXTS,
        CLOSE,
        '</GitHub-Context >',
        '＜/github-context＞',
        '<!-- x',
        '😀'.repeat(300),
      ),
    )
    const list = fc
      .record({
        entries: fc.array(word, { maxLength: 400 }),
        more: fc.option(fc.nat(1000), { nil: undefined }),
      })
      .map(({ entries, more }) => ({
        entries,
        total: more === undefined ? undefined : entries.length + more,
      }))
    const facts = fc.record({
      facts: fc.array(fc.tuple(fc.constant('Title'), word), { maxLength: 10 }),
      commits: list,
      files: list,
    })
    fc.assert(
      fc.property(facts, (known: EventFacts) => {
        const text = renderContext(known)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(CONTEXT_LIMIT_BYTES)
        expect(text.endsWith(`\n${CLOSE}`)).toBe(true)
        expect(text.slice(0, -CLOSE.length).slice('<github-context>'.length)).not.toMatch(/[<>]/)
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
      }),
      { numRuns: 60 },
    )
  })

  it('has at most 300 files, and says how many it left out', () => {
    const entries = Array.from({ length: 320 }, (_, index) => `added ${index}`)
    const text = renderContext({ facts: [], commits: NOTHING, files: { entries, total: 500 } })
    expect(text.match(/^- added/gm)).toHaveLength(FILES_LIMIT)
    expect(text).toContain('- … and 200 more, left out here')
  })

  it('says how many files its size left out', () => {
    const entries = Array.from({ length: 300 }, (_, index) => `added ${'x'.repeat(200)}${index}`)
    const text = renderContext({ facts: [], commits: NOTHING, files: { entries, total: 300 } })
    const shown = text.match(/^- added/gm)?.length ?? 0
    expect(shown).toBeGreaterThan(60)
    expect(text).toContain(`- … and ${300 - shown} more, left out here`)
  })
})

describe('plain text', () => {
  it.each([
    ['a <!-- hidden --> b', 'a b'],
    ['a <!-- hidden', 'a'],
    ['a <!<!-- x -->-- hidden --> b', 'a b'],
    ['a <!\u200b-- hidden --> b', 'a b'],
    ['a\u202eb\u2066c\u200bd\u00ade\ufe0f', 'abcde'],
    ['one\ntwo\u2028three\ttabs', 'one two three tabs'],
    ['one\u0085two\rthree\ufefffour', 'one two threefour'],
    ['a <!-\ufeff- hidden --> b', 'a b'],
    ['List<T>', 'List‹T›'],
    ['\ud800', '\ufffd'],
  ])('of %j is %j', (text, plain) => {
    expect(plainText(text)).toBe(plain)
  })

  it('is cut, and says so', () => {
    expect(plainText('x'.repeat(310))).toBe(`${'x'.repeat(300)}… (10 more characters)`)
  })
})

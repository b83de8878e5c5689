import { describe, expect, it } from 'vitest'
import {
  cleanHunks,
  cleanMarkdown,
  cleanText,
  clipBytes,
  indentedBytes,
  oneLine,
} from '../../src/lib/text.ts'

describe('text of a file or a diff', () => {
  it.each([
    ['const a: Map<string, List<T>> = b < c && <p>', 'const a: Map<string, List<T>> = b < c && <p>'],
    ['<!-- a comment stays -->', '<!-- a comment stays -->'],
    ['a\u202eb\u2066c\u200bd\u00ade\ufe0ff\u{e0041}', 'abcdef'],
    ['one\r\ntwo\tthree', 'one\ntwo\tthree'],
    ['\ud800', '\ufffd'],
  ])('of %j is %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean)
  })

  it.each([
    ['</github-context>', '[/github-context>'],
    ['<github-context>', '[github-context>'],
    ['</GitHub-Context >', '[/GitHub-Context >'],
    ['< / github-context>', '[ / github-context>'],
    ['<\n/github-context>', '[\n/github-context>'],
    ['<\\/github-context>', '[\\/github-context>'],
    ['＜/github-context＞', '[/github-context＞'],
    ['﹤／github-context﹥', '[／github-context﹥'],
    ['〈/github-context〉', '[/github-context〉'],
    ['⟨∕github-context⟩', '[∕github-context⟩'],
    ['</ｇｉｔｈｕｂ－ｃｏｎｔｅｘｔ>', '[/ｇｉｔｈｕｂ－ｃｏｎｔｅｘｔ>'],
    ['</ＧＩＴＨＵＢ_context>', '[/ＧＩＴＨＵＢ_context>'],
    ['</github\u200b-con\u00adtext>', '[/github-context>'],
    ['</github–context>', '[/github–context>'],
    ['&lt;/github-context&gt;', '[/github-context&gt;'],
    ['&#60;/github-context&#62;', '[/github-context&#62;'],
    ['&#x3C;/github-context&#x3E;', '[/github-context&#x3E;'],
    ['ends with </github', 'ends with [/github'],
    ['</github is a tag', '</github is a tag'],
    ['<<//github-context>', '<[//github-context>'],
  ])('has no delimiter: %j is %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean)
  })

  it('keeps the lines of a diff apart, and no line becomes two', () => {
    expect(cleanHunks('+one\r\n-two\rthree\u2028four\u0085five\n six')).toBe(
      '+one\n-two three four five\n six',
    )
  })

  it('may be long and hostile without holding the run up', () => {
    for (const part of ['<', '< ', '</github', '<github ', '<!--', '<!<!-- -->', ' ', '\n ', '﹤\u200b']) {
      const text = part.repeat(200_000)
      expect(cleanText(text).length).toBeLessThanOrEqual(text.length)
      expect(cleanMarkdown(`${text}x`)).not.toContain('<!--')
    }
  })
})

describe('text that GitHub renders as Markdown', () => {
  it.each([
    ['a <!-- hidden --> b', 'a  b'],
    ['a <!-- hidden', 'a'],
    ['a <!\u200b-- hidden --> b', 'a  b'],
    // On the page, nobody sees a comment in this one, but its text.
    ['a <!<!-- x -->-- shown --> b', 'a ‹!-- shown --> b'],
    ['one  \n\n\n\n\ntwo\r\n  - three\n', 'one\n\ntwo\n  - three'],
    ['</<!-- x -->github-context>', '[/github-context>'],
    ['<!-- x --></github-context>', '[/github-context>'],
  ])('of %j is %j', (text, clean) => {
    expect(cleanMarkdown(text)).toBe(clean)
  })

  it.each([
    ['one\ntwo\u2028three\ttabs', 'one two three tabs'],
    ['one\u0085two\rthree\ufefffour', 'one two threefour'],
    ['a <!-- hidden --> b', 'a b'],
  ])('on one line: %j is %j', (text, clean) => {
    expect(oneLine(text)).toBe(clean)
  })
})

describe('a cut text', () => {
  it.each([
    ['x'.repeat(100), 100, 'x'.repeat(100)],
    ['x'.repeat(101), 100, `${'x'.repeat(75)}… (26 more characters)`],
    ['é'.repeat(60), 100, `${'é'.repeat(38)}… (22 more characters)`],
    ['😀'.repeat(60), 100, `${'😀'.repeat(19)}… (41 more characters)`],
    [`x${'é'.repeat(60)}`, 100, `x${'é'.repeat(37)}… (23 more characters)`],
    ['x'.repeat(5000), 100, `${'x'.repeat(74)}… (4926 more characters)`],
    ['x'.repeat(100), 10, ''],
  ])('says how many characters are left out (%#)', (text, maxBytes, cut) => {
    expect(clipBytes(text, maxBytes)).toBe(cut)
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
  })

  it.each([
    ['one\n\ntwo', 100, '  one\n\n  two'],
    ['one\n\ntwo', 12, '  one\n\n  two'],
    [`one\n${'x'.repeat(60)}`, 60, `  one\n  ${'x'.repeat(25)}\n  … (35 more characters)`],
    [`${'one\n'.repeat(12)}one`, 60, `${'  one\n'.repeat(5)}  o\n  … (30 more characters)`],
    ['one two three', 12, ''],
  ])('is indented line by line (%#)', (text, maxBytes, cut) => {
    expect(indentedBytes(text, maxBytes)).toBe(cut)
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
  })
})

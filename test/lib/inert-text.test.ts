import { describe, expect, it } from 'vitest'
import { code, codeBlock, details, link, md, table } from '../../src/lib/markdown.ts'
import { logText } from '../../src/lib/text.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive, commandsIn } from '../support/rendered.ts'

describe('long text', () => {
  it.each([
    ['blanks', ' '.repeat(500_000)],
    ['line breaks', '\n'.repeat(500_000)],
    ['backticks', '`a'.repeat(200_000)],
    ['colons', ':'.repeat(500_000)],
  ])('of %s is made harmless in time that grows with its length alone', (_what, text) => {
    // Time that grew with the square of it would be minutes, and end at the test's own limit.
    expect(logText(`${text}.`)).toMatch(/\.$/)
    expect(codeBlock(`${text}.`).source.length + md`${text}.`.source.length).toBeGreaterThan(text.length)
  })
})

describe.each(HOSTILE_TEXTS.map((text) => [text]))('hostile text %j', (text) => {
  it('is no command in the log', () => {
    expect(commandsIn(logText(text))).toEqual([])
  })

  it('is inert in a sentence, a heading and at the start of a paragraph', () => {
    for (const markdown of [md`We say ${text} here.`, md`## ${text}`, md`${text}`]) {
      const seen = alive(markdown.source)
      expect(seen).toMatchObject({ html: [], links: [], images: [], mentions: [] })
      for (const kind of seen.kinds) expect(['root', 'paragraph', 'heading', 'text', 'break']).toContain(kind)
    }
  })

  it('stays in its cell', () => {
    const seen = alive(
      table(
        ['One', 'Two'],
        [
          [text, code(text)],
          ['a', 'b'],
        ],
      ).source,
    )
    expect(seen.cells).toEqual([2, 2, 2])
    expect(seen).toMatchObject({ links: [], images: [], mentions: [] })
    for (const tag of seen.html) expect(['<code>', '</code>']).toContain(tag)
  })

  it('stays code', () => {
    for (const inline of [code(text), code(`${text} | \``)]) {
      const seen = alive(md`Say ${inline}.`.source)
      expect(seen).toMatchObject({ links: [], images: [], mentions: [] })
      for (const tag of seen.html) expect(['<code>', '</code>']).toContain(tag)
    }
    const block = alive(md`Before.\n\n${codeBlock(text)}\n\nAfter.`.source)
    expect(block).toMatchObject({ html: [], links: [], images: [], mentions: [] })
    expect([...block.kinds].toSorted()).toEqual(['code', 'paragraph', 'root', 'text'])
  })

  it('stays in its fold', () => {
    const seen = alive(details(text, codeBlock(text)).source)
    expect(seen).toMatchObject({ links: [], images: [], mentions: [] })
    expect(seen.html).toHaveLength(2)
    expect(seen.html[1]).toBe('</details>')
  })

  it('is a link only where it is https', () => {
    const seen = alive(link(text, text).source)
    const isHttps = /^https:\/\/[^@]*$/.test(text)
    expect(seen.links).toHaveLength(isHttps ? 1 : 0)
    expect(seen).toMatchObject({ images: [], mentions: [] })
  })
})

describe('links', () => {
  it.each([
    ['https://github.com/acme/docs/pull/1', true],
    ['http://127.0.0.1:4010/pull/1', true],
    ['http://localhost/pull/1', true],
    ['http://example.com/pull/1', false],
    ['https://github.com@evil.example/', false],
    ['JAVASCRIPT:alert(1)', false],
    ['//example.com', false],
    ['not a link', false],
  ])('%s: %s', (url, isLink) => {
    expect(alive(link('here', url).source).links).toHaveLength(isLink ? 1 : 0)
  })

  it('keep their brackets, pipes and quotes to themselves', () => {
    const url = 'https://example.com/a_(b)|c"d<e>`f*g?x=[y]&z=1#h'
    const { links, cells } = alive(table(['x'], [[link('name ](https://evil.example)', url)]]).source)
    expect(links).toEqual(['https://example.com/a_%28b%29%7Cc%22d%3Ce%3E%60f%2Ag?x=%5By%5D&z=1#h'])
    expect(cells).toEqual([1, 1])
  })
})

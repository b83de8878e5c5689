import { describe, expect, it } from 'vitest'
import { code, codeBlock, details, link, type Markdown, md, table } from '../../src/lib/markdown.ts'
import { logText } from '../../src/lib/text.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { type Alive, alive, commandsIn } from '../support/rendered.ts'

function seenIn({ source }: Markdown): Alive {
  const seen = alive(source)
  expect(seen).toMatchObject({ images: [], mentions: [] })
  return seen
}

describe.each(HOSTILE_TEXTS.map((text) => [text]))('hostile text %j', (text) => {
  it('is no command in the log', () => {
    expect(commandsIn(logText(text))).toEqual([])
  })

  it('is inert in a sentence, a heading and at the start of a paragraph', () => {
    for (const markdown of [md`We say ${text} here.`, md`## ${text}`, md`${text}`]) {
      const { html, links, kinds } = seenIn(markdown)
      expect([html, links]).toEqual([[], []])
      expect([...kinds].filter((kind) => !/^(?:root|paragraph|heading|text|break)$/.test(kind))).toEqual([])
    }
  })

  it('stays in its cell, in its code and in its fold', () => {
    const row = [text, code(text)]
    const rows = [row, ['a', 'b']]
    const cells = seenIn(table(['One', 'Two'], rows))
    expect([cells.cells, cells.links]).toEqual([[2, 2, 2], []])
    for (const inline of [code(text), code(`${text} | \``)]) {
      const { html, links } = seenIn(md`Say ${inline}.`)
      expect([links, html.filter((tag) => !/^<\/?code>$/.test(tag))]).toEqual([[], []])
    }
    const block = seenIn(md`Before.\n\n${codeBlock(text)}\n\nAfter.`)
    expect([block.html, block.links]).toEqual([[], []])
    expect([...block.kinds].toSorted()).toEqual(['code', 'paragraph', 'root', 'text'])
    const fold = seenIn(details(text, codeBlock(text)))
    expect([fold.links, fold.html.length, fold.html[1]]).toEqual([[], 2, '</details>'])
  })

  it('is a link only where it is https', () => {
    const isHttps = /^https:\/\/[^@]*$/.test(text)
    expect(seenIn(link(text, text)).links).toHaveLength(isHttps ? 1 : 0)
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

import { describe, expect, it } from 'vitest'
import {
  code,
  codeBlock,
  createRedact,
  details,
  link,
  MAX_LINK_LENGTH,
  Markdown,
  md,
  sentencesWithCode,
  table,
} from '../../src/lib/markdown.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { CODE_SPANS, LINKS, SHOWN_TEXTS } from './markdown.cases.ts'

describe('text in Markdown by the action', () => {
  it.each(SHOWN_TEXTS)('%j becomes %j', (text, expected) => {
    expect(md`${text}`.source).toBe(expected)
  })

  it('is put between Markdown that stays as it is, and code stands in backticks', () => {
    expect(md`**${'a*b'}** ${3} ${code('x')}`.source).toBe('**a\\*b** 3 `x`')
    expect(sentencesWithCode('Run `a_b` on *c*, or `d|`.').source).toBe(
      'Run `a_b` on \\*c\\*, or <code>d&#124;</code>.',
    )
  })
})

it.each(CODE_SPANS)('the code span of %j is %j', (text, expected) => {
  expect(code(text).source).toBe(expected)
})

describe('a link', () => {
  it.each(LINKS)('to %j is %j', (url, expected) => {
    expect(link('label', url).source).toBe(expected)
  })

  it('is only text beyond what browsers follow', () => {
    const url = (length: number): string => 'https://a.example/'.padEnd(length, 'x')
    expect(link('label', url(MAX_LINK_LENGTH)).source).toBe(`[label](${url(MAX_LINK_LENGTH)})`)
    const cut = `\`${url(MAX_LINK_LENGTH)}… (1 more character)\``
    expect(link('label', url(MAX_LINK_LENGTH + 1)).source).toBe(cut)
  })

  it('keeps its brackets, pipes and quotes to itself', () => {
    const url = 'https://example.com/a_(b)|c"d<e>`f*g?x=[y]&z=1#h'
    const { links, cells } = alive(
      table(['x'], [[link('name ](https://evil.example)', url)]]).source,
    )
    expect(links).toEqual(['https://example.com/a_%28b%29%7Cc%22d%3Ce%3E%60f%2Ag?x=%5By%5D&z=1#h'])
    expect(cells).toEqual([1, 1])
  })
})

it('a table has a rule that aligns each column', () => {
  expect(table(['a', 'b'], [['1|2', Markdown.raw('**3**')]], 'lr').source).toBe(
    '| a | b |\n| :--- | ---: |\n| 1&#124;2 | **3** |',
  )
})

describe.each(HOSTILE_TEXTS.map((text) => [text]))('hostile text %j', (text) => {
  function seenIn({ source }: Markdown): ReturnType<typeof alive> {
    const seen = alive(source)
    expect(seen).toMatchObject({ images: [], mentions: [] })
    return seen
  }

  it('is inert in a sentence, a heading and at the start of a paragraph', () => {
    for (const markdown of [md`We say ${text} here.`, md`## ${text}`, md`${text}`]) {
      const { html, links, kinds } = seenIn(markdown)
      expect([html, links]).toEqual([[], []])
      expect(
        [...kinds].filter((kind) => !/^(?:root|paragraph|heading|text|break)$/.test(kind)),
      ).toEqual([])
    }
  })

  it('stays in its cell, in its code and in its fold, and is a link only where it is https', () => {
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
    const isHttps = /^https:\/\/[^@]*$/.test(text)
    expect(seenIn(link(text, text)).links).toHaveLength(isHttps ? 1 : 0)
  })
})

describe('redacting', () => {
  const key = 'mint_a"b\\c/d+e_f|g&h'

  it.each([
    ['as it is', key],
    ['of JSON', JSON.stringify({ key })],
    ['of a part of a URL', `https://x.example/?k=${encodeURIComponent(key)}`],
    ['of a URL', encodeURI(`https://x.example/${key}`)],
    ['of Markdown', md`${key}`.source],
    ['of Markdown code', code(key).source],
    ['twice', `${key} ${key}`],
  ])('takes a secret out: %s', (_where, text) => {
    const clean = createRedact([key])(`before ${text} after`)
    expect(clean).toMatch(/^before .*\*\*\*.* after$/)
    expect(clean).not.toMatch(/mint|int_|a"b|c\/d|e_f|g&/)
  })

  it.each([
    ['the longest first', ['', 'mint_abc', 'mint_abcdef'], 'mint_abcdef mint_abc', '*** ***'],
    ['one that is no well-formed text', ['mint_abc\ud800'], 'a mint_abc\ud800 b', 'a *** b'],
    [
      'one of eight characters, no shorter one',
      ['12345678', '7654321'],
      '12345678 7654321',
      '*** 7654321',
    ],
    ['only a whole one', ['mint_abcdef'], 'mint_abcde int_abcdef', 'mint_abcde int_abcdef'],
  ])('takes out %s', (_what, secrets, text, clean) => {
    expect(createRedact(secrets)(text)).toBe(clean)
  })
})

import { describe, expect, it } from 'vitest'
import {
  code,
  codeBlock,
  createRedact,
  details,
  link,
  type Markdown,
  md,
  sentencesWithCode,
  table,
} from '../../src/lib/markdown.ts'
import { docsLink } from '../../src/lib/text.ts'
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

it('only links to the docs stay links in sentences', () => {
  const steps = `Rotate \`a\` ${docsLink('manage.md#rotate-the-api-key')}, not https://evil.example/docs/manage.md.`
  expect(sentencesWithCode(steps).source).toMatch(
    /^Rotate `a` \(\[docs\]\(https:\/\/github\.com\/[^\s()]+\/docs\/manage\.md#rotate-the-api-key\)\), not https:\u200B\/\/evil/,
  )
})

it.each(CODE_SPANS)('the code span of %j is %j', (text, expected) => {
  expect(code(text).source).toBe(expected)
})

describe('a link', () => {
  it.each(LINKS)('to %j is %j', (url, expected) => {
    expect(link('label', url).source).toBe(expected)
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

it.each([
  {
    what: 'the longest first',
    secrets: ['', 'mint_abc', 'mint_abcdef'],
    text: 'mint_abcdef mint_abc',
    clean: '*** ***',
  },
  {
    what: 'one that isn’t well-formed',
    secrets: ['mint_\ud800abc'],
    text: 'mint_\ud800abc',
    clean: '***',
  },
  {
    what: 'no short one',
    secrets: ['12345678', '7654321'],
    text: '12345678 7654321',
    clean: '*** 7654321',
  },
  {
    what: 'one in base64, up to its last characters',
    secrets: ['mint_abcd'],
    text: `${btoa('mint_abcd')} ${btoa('x-access-token:mint_abcd')}`,
    clean: '*** eC1hY2Nlc3MtdG9rZW46***',
  },
  {
    what: 'one in JSON',
    secrets: ['mint_a"b'],
    text: '{"key":"mint_a\\"b"}',
    clean: '{"key":"***"}',
  },
])('redacting takes out $what', ({ secrets, text, clean }) => {
  expect(createRedact(secrets)(text)).toBe(clean)
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatChange,
  formatCount,
  formatPoints,
  formatShare,
  listOf,
  pageName,
  pageUrl,
} from '../../src/readers/format.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'

describe('figures', () => {
  it('are written as in English', () => {
    expect([0, 999, 1000, 1_234_567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567'])
    const shares = [0.2964, 0.9996, 1, 12.345].map(formatShare).join(' ')
    expect(shares).toBe('29.6\u00A0% 100.0\u00A0% 100\u00A0% 1,235\u00A0%')
    const changes = ([8.3, -3, 0, 120, 'new', 'unknown'] as const).map(formatChange).join(' ')
    expect(changes).toBe('+8.3\u00A0% −3.0\u00A0% 0.0\u00A0% +120\u00A0% new –')
    const points = [0.0341, -0.002, 0.0004].map(formatPoints).join(' ')
    expect(points).toBe('+3.4\u00A0points −0.2\u00A0points 0.0\u00A0points')
    expect([['a'], ['a', 'b'], ['a', 'b', 'c']].map(listOf)).toEqual(['a', 'a and b', 'a, b and c'])
  })
})

describe('the address of a page', () => {
  it.each([
    ['https://docs.example.com', '/quickstart', 'https://docs.example.com/quickstart'],
    ['https://docs.example.com/', '/', 'https://docs.example.com/'],
    ['https://example.com/docs', '/guides/a', 'https://example.com/docs/guides/a'],
    ['https://example.com/docs/', 'guides/a', 'https://example.com/docs/guides/a'],
    ['https://example.com', '/a b?c#d"e', 'https://example.com/a%20b%3Fc%23d%22e'],
    ['https://example.com', '/caf%C3%A9/é/50%', 'https://example.com/caf%C3%A9/%C3%A9/50%25'],
    ['https://example.com', '//evil.example/x', 'https://example.com//evil.example/x'],
    ['https://example.com', '/\\evil.example', 'https://example.com/%5Cevil.example'],
    ['https://example.com', 'https://evil.example/', 'https://example.com/https%3A//evil.example/'],
    ['https://example.com', '/\ud800', 'https://example.com/%EF%BF%BD'],
    ['http://localhost:3000/docs', '/a', 'http://localhost:3000/docs/a'],
  ])('on %s of %s is %s', (site, path, url) => {
    expect(pageUrl(path, new URL(site))).toBe(url)
  })

  it.each(['/..', '/../x', '/a/./b', '/a/%2e%2E/b', '.', '/%2E'])(
    'of %s is none: it would lead elsewhere',
    (path) => {
      expect(pageUrl(path, new URL('https://example.com/docs'))).toBeUndefined()
    },
  )

  it('is below the address of the site, whatever the path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        const url = pageUrl(path, new URL('https://example.com/docs'))
        if (url !== undefined) expect(new URL(url).href).toMatch(/^https:\/\/example\.com\/docs\//)
      }),
    )
  })
})

describe('the name of a page', () => {
  it('is cut in its middle', () => {
    expect(pageName('/guides/short', undefined, 20).source).toBe('`/guides/short`')
    expect(pageName('/guides/a-much-longer-path/to/here', undefined, 20).source).toBe(
      '`/guide…-path/to/here`',
    )
  })

  it('is no link where that would be longer than browsers take', () => {
    const site = new URL('https://example.com')
    expect(pageName(`/${'a'.repeat(1979)}`, site, 8).source).toMatch(/^\[`\/a…aaaaa`\]\(https:.{1990,}\)$/)
    expect(pageName(`/${'a'.repeat(1981)}`, site, 8).source).toBe('`/a…aaaaa`')
  })

  it('is a link to the site, and to nowhere else, whatever the path', () => {
    const site = new URL('https://example.com/docs')
    for (const path of HOSTILE_TEXTS) {
      const shown = alive(`| ${pageName(path, site, 40).source} |\n| --- |`)
      for (const url of shown.links) expect(url).toMatch(/^https:\/\/example\.com\/docs\//)
      expect(shown.cells).toEqual([1])
      expect([shown.images, shown.mentions]).toEqual([[], []])
      expect(shown.html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual([])
    }
  })
})

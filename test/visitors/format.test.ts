import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatChange,
  formatCount,
  formatPercent,
  formatPoints,
  formatRange,
  pageName,
  pageUrl,
  sparkline,
} from '../../src/visitors/format.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive } from '../rendered.ts'

describe('as the platform writes them in English are', () => {
  it('counts', () => {
    const platform = new Intl.NumberFormat('en')
    fc.assert(
      fc.property(fc.oneof(fc.nat(10_000), fc.maxSafeNat()), (value) => {
        expect(formatCount(value)).toBe(platform.format(value))
      }),
    )
  })

  it('percents', () => {
    const platform = new Intl.NumberFormat('en', { minimumFractionDigits: 1 })
    fc.assert(
      fc.property(fc.nat(999), (tenths) => {
        expect(formatPercent(tenths / 10)).toBe(`${platform.format(tenths / 10)}%`)
      }),
    )
    expect([99.96, 100, 1234.5].map(formatPercent)).toEqual(['100.0%', '100%', '1,235%'])
  })
})

describe('a table', () => {
  it('has changes with their sign', () => {
    expect([8.3, -3, 0, 120, 'new', 'unknown'].map((change) => formatChange(change as never))).toEqual([
      '+8.3%',
      '−3.0%',
      '0.0%',
      '+120%',
      'new',
      '–',
    ])
    expect([0.0341, -0.002, 0.0004, 0].map(formatPoints)).toEqual([
      '+3.4 points',
      '−0.2 points',
      '0.0 points',
      '0.0 points',
    ])
  })

  it('has ranges of the whole numbers in them', () => {
    expect(formatRange({ low: 9700, high: 10_300 })).toBe('9,700 – 10,300')
    expect(formatRange({ low: 9.7, high: 13.39 })).toBe('10 – 13')
    expect(formatRange({ low: 9.7, high: 10.3 })).toBe('10')
  })

  it('has sparklines in which noise stays flat', () => {
    expect(sparkline([100, 98, 102, 99, 101])).toBe('▇▇█▇█')
    expect(sparkline([80, 82, 81, 110])).toBe('▁▁▁█')
    expect(sparkline([0, 0, 50, 100])).toBe('▁▁▅█')
    expect(sparkline([0, 0])).toBe('▁▁')
  })
})

describe('the address of a page', () => {
  const site = (url: string): URL => new URL(url)

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
  ])('on %s of %s is %s', (siteUrl, path, url) => {
    expect(pageUrl(path, site(siteUrl))).toBe(url)
  })

  it.each(['/..', '/../x', '/a/./b', '/a/%2e%2E/b', '.', '/%2E'])(
    'of %s is none: it would lead elsewhere',
    (path) => {
      expect(pageUrl(path, site('https://example.com/docs'))).toBeUndefined()
    },
  )

  it('is below the address of the site, whatever the path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        const url = pageUrl(path, site('https://example.com/docs'))
        if (url !== undefined) expect(new URL(url).href).toMatch(/^https:\/\/example\.com\/docs\//)
      }),
    )
  })
})

describe('the name of a page', () => {
  it('is cut in its middle', () => {
    const options = { siteUrl: undefined, maxLength: 20 }
    expect(pageName('/guides/short', options).source).toBe('`/guides/short`')
    expect(pageName('/guides/a-much-longer-path/to/here', options).source).toBe('`/guide…-path/to/here`')
  })

  it('is no link where that would be longer than browsers take', () => {
    const options = { siteUrl: new URL('https://example.com'), maxLength: 8 }
    expect(pageName(`/${'a'.repeat(1979)}`, options).source).toMatch(/^\[`\/a…aaaaa`\]\(https:.{1990,}\)$/)
    expect(pageName(`/${'a'.repeat(1981)}`, options).source).toBe('`/a…aaaaa`')
  })

  it('is a link to the site, and to nowhere else, whatever the path', () => {
    const options = { siteUrl: new URL('https://example.com/docs'), maxLength: 40 }
    for (const path of HOSTILE_TEXTS) {
      const shown = alive(`| ${pageName(path, options).source} |\n| --- |`)
      for (const url of shown.links) expect(url).toMatch(/^https:\/\/example\.com\/docs\//)
      expect(shown.cells).toEqual([1])
      expect([shown.images, shown.mentions]).toEqual([[], []])
      expect(shown.html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual([])
    }
  })
})

import { describe, expect, it } from 'vitest'
import { countOf, formatCount } from '../../src/lib/text.ts'
import {
  formatChange,
  formatPeriod,
  fullDaysBefore,
  isoDay,
  pageName,
  pageUrl,
  periodName,
  periodsBefore,
  shortNames,
} from '../../src/readers/format.ts'
import { PAGE_URLS } from './format.cases.ts'

const period = (from: string, to: string) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) })

it('figures are written as in English', () => {
  expect([0, 999, 1000, 1_234_567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567'])
  expect([countOf(1, 'page'), countOf(1200, 'page')]).toEqual(['1 page', '1,200 pages'])
  const changes = ([8.3, -3, 0, 120, 'new', 'unknown'] as const).map(formatChange).join(' ')
  expect(changes).toBe('+8.3\u00A0% −3.0\u00A0% 0.0\u00A0% +120\u00A0% new –')
})

describe('a period', () => {
  it.each([
    ['2026-07-27', '2026-08-03', '27 Jul to 2 Aug', 'week', 'weeks'],
    ['2026-07-20', '2026-07-27', '20 to 26 Jul', 'week', 'weeks'],
    ['2026-07-20', '2026-07-21', '20 Jul', 'day', 'days'],
    [
      '2025-12-29',
      '2026-01-28',
      '29 Dec 2025 to 27 Jan 2026',
      'period of 30 days',
      'periods of 30 days',
    ],
    [
      '2025-07-02',
      '2026-07-03',
      '2 Jul 2025 to 2 Jul 2026',
      'period of 366 days',
      'periods of 366 days',
    ],
  ])('from %s to before %s is written %s', (from, to, words, one, several) => {
    const each = period(from, to)
    expect([formatPeriod(each), periodName(each, 1), periodName(each, 2)]).toEqual([
      words,
      one,
      several,
    ])
  })

  it.each([
    ['2026-07-27', '2026-08-03', ['20 Jul', '13 Jul']],
    ['2025-08-01', '2026-08-01', ['Aug ’24', 'Aug ’23']],
  ])('before %s to %s has a short name, with its year where it takes one', (from, to, names) => {
    expect(shortNames(periodsBefore(period(from, to), 2))).toEqual(names)
  })
})

it.each([
  ['2026-08-03T00:00:00Z', 1, '2026-08-02', '2026-08-03', '2026-08-01'],
  ['2026-08-03T23:59:59.999Z', 7, '2026-07-27', '2026-08-03', '2026-07-20'],
  ['2028-03-01T00:00:01Z', 1, '2028-02-29', '2028-03-01', '2028-02-28'],
])(
  'at %s the %i full days before today are %s to %s, and those before begin with %s',
  (...given) => {
    const [now, days, from, to, before] = given
    const full = fullDaysBefore(Date.parse(now), days)
    const [earlier] = periodsBefore(full, 1)
    expect([isoDay(full.fromMs), isoDay(full.toMs)]).toEqual([from, to])
    expect([isoDay(earlier?.fromMs ?? 0), earlier?.toMs]).toEqual([before, full.fromMs])
  },
)

it.each(PAGE_URLS)(
  'the address on %s of the page %s is %s: none that would lead elsewhere',
  (site, path, url) => {
    expect(pageUrl(path, new URL(site))).toBe(url)
  },
)

describe('the name of a page', () => {
  it('is cut in its middle', () => {
    expect(pageName('/guides/short', undefined, 20).source).toBe('`/guides/short`')
    const long = '/guides/a-much-longer-path/to/here'
    expect(pageName(long, undefined, 20).source).toBe('`/guide…-path/to/here`')
  })

  it('is no link where that would be longer than browsers take', () => {
    const site = new URL('https://example.com')
    expect(pageName(`/${'a'.repeat(1979)}`, site, 8).source).toMatch(
      /^\[`\/a…aaaaa`\]\(https:.{1990,}\)$/,
    )
    expect(pageName(`/${'a'.repeat(1981)}`, site, 8).source).toBe('`/a…aaaaa`')
  })
})

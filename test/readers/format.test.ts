import { expect, it } from 'vitest'
import {
  changeBetween,
  formatChange,
  formatPeriod,
  fullDaysBefore,
  isoDay,
  pageName,
  pageUrl,
  periodName,
  periodsBefore,
  shortNames,
} from '../../src/readers/analytics-reader.ts'

it.each([
  [100, 112.5, 12.5, '+12.5 %'],
  [100, 0, -100, '−100 %'],
  [0, 0, 0, '0.0 %'],
  [0, 5, null, 'new'],
  [undefined, 5, null, '–'],
  [3, 4, 33.3, '+33.3 %'],
  [1_000_000, 1_000_001, 0, '0.0 %'],
  [1, 51, 5000, '+5,000 %'],
])('from %s to %s is a change by %s, written %s', (previous, now, change, words) => {
  expect(changeBetween(previous, now)).toBe(change)
  expect(formatChange(previous, now)).toBe(words.replace(' ', '\u00A0'))
})

it.each([
  ['2026-08-03T23:59:59.999Z', 7, '27 Jul to 2 Aug', 'week weeks', '2026-07-20', '20 Jul, 13 Jul'],
  ['2026-07-27T00:00:00Z', 7, '20 to 26 Jul', 'week weeks', '2026-07-13', '13 Jul, 6 Jul'],
  ['2028-03-01T00:00:01Z', 1, '29 Feb', 'day days', '2028-02-28', '28 Feb, 27 Feb'],
  [
    '2026-01-28T06:00:00Z',
    30,
    '29 Dec 2025 to 27 Jan 2026',
    'period of 30 days periods of 30 days',
    '2025-11-29',
    '29 Nov, 30 Oct',
  ],
  [
    '2026-07-03T06:00:00Z',
    32,
    '1 Jun 2026 to 2 Jul 2026',
    'period of 32 days periods of 32 days',
    '2026-04-30',
    '30 Apr, 29 Mar',
  ],
  [
    '2026-07-03T06:00:00Z',
    366,
    '2 Jul 2025 to 2 Jul 2026',
    'period of 366 days periods of 366 days',
    '2024-07-01',
    'Jul ’24, Jul ’23',
  ],
])('at %s the %i full days before today are %s', (...given) => {
  const [now, days, words, names, before, short] = given
  const period = fullDaysBefore(Date.parse(now), days)
  const [earlier, earliest] = periodsBefore(period, 2)
  expect(isoDay(period.toMs)).toBe(now.slice(0, 10))
  expect(formatPeriod(period)).toBe(words)
  expect(`${periodName(period, 1)} ${periodName(period, 2)}`).toBe(names)
  expect([isoDay(earlier?.fromMs ?? 0), earlier?.toMs]).toEqual([before, period.fromMs])
  expect(earliest?.toMs).toBe(earlier?.fromMs)
  expect(shortNames(periodsBefore(period, 2)).join(', ')).toBe(short)
})

it.each<[site: string, path: string, url: string | undefined]>([
  ['https://example.com/docs/', 'guides/a', 'https://example.com/docs/guides/a'],
  ['https://example.com', '/a b?c#d"e', 'https://example.com/a%20b%3Fc%23d%22e'],
  ['https://example.com', '/caf%C3%A9/é/50%', 'https://example.com/caf%C3%A9/%C3%A9/50%25'],
  ['https://example.com', '//evil.example/x', 'https://example.com//evil.example/x'],
  ['https://example.com', '/\\evil.example', 'https://example.com/%5Cevil.example'],
  ['https://example.com', 'https://evil.example/', 'https://example.com/https%3A//evil.example/'],
  ['https://example.com', '/\ud800', 'https://example.com/%EF%BF%BD'],
  ['https://example.com/docs', '/../x', undefined],
  ['https://example.com/docs', '/a/./b', undefined],
  ['https://example.com/docs', '/a/%2e%2E/b', undefined],
  ['https://example.com/docs', '/%2E', undefined],
])('the address on %s of the page %s is %s: none that would lead elsewhere', (site, path, url) => {
  expect(pageUrl(path, new URL(site))).toBe(url)
})

it.each([
  ['/guides/short', undefined, /^`\/guides\/short`$/],
  ['/guides/a-much-longer-path/to/here', undefined, /^`\/guide…-path\/to\/here`$/],
  [`/${'a'.repeat(1979)}`, 'https://example.com', /^\[`\/aaaaa…a{13}`\]\(https:.{1990,}\)$/],
  [`/${'a'.repeat(1981)}`, 'https://example.com', /^`\/aaaaa…a{13}`$/],
])('the name of the page %.40s is cut in its middle, and a link that browsers take', (...given) => {
  const [path, site, expected] = given
  expect(pageName(path, site === undefined ? site : new URL(site), 20).source).toMatch(expected)
})

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
} from '../../src/visitors/analytics-reader.ts'

it.each([
  { previous: 100, now: 112.5, change: 12.5, words: '+12.5%' },
  { previous: 0, now: 0, change: 0, words: '0%' },
  { previous: 0, now: 5, change: null, words: 'new' },
  { previous: undefined, now: 5, change: null, words: '–' },
  { previous: 1, now: 51, change: 5000, words: '+5,000%' },
])('from $previous to $now is written $words', ({ previous, now, change, words }) => {
  expect(changeBetween(previous, now)).toBe(change)
  expect(formatChange(previous, now)).toBe(words)
})

it.each([
  {
    now: '2026-08-03T23:59:59.999Z',
    days: 7,
    words: '27 Jul to 2 Aug',
    names: 'week weeks',
    starts: ['20 Jul', '13 Jul'],
  },
  {
    now: '2028-03-01T00:00:01Z',
    days: 1,
    words: '29 Feb',
    names: 'day days',
    starts: ['28 Feb', '27 Feb'],
  },
  {
    now: '2026-01-28T06:00:00Z',
    days: 30,
    words: '29 Dec 2025 to 27 Jan 2026',
    names: 'period of 30 days periods of 30 days',
    starts: ['29 Nov', '30 Oct'],
  },
])('at $now the $days full days before today are $words', ({ now, days, words, names, starts }) => {
  const period = fullDaysBefore(Date.parse(now), days)
  const before = periodsBefore(period, 2)
  expect(isoDay(period.toMs)).toBe(now.slice(0, 10))
  expect(formatPeriod(period)).toBe(words)
  expect(`${periodName(period, 1)} ${periodName(period, 2)}`).toBe(names)
  expect(before.map(({ toMs }) => toMs)).toEqual([period.fromMs, before[0]?.fromMs])
  expect(shortNames(before)).toEqual(starts)
})

it.each([
  { site: 'https://a.example/docs/', path: 'x/y', url: 'https://a.example/docs/x/y' },
  { site: 'https://a.example', path: '/a b?c#d"e', url: 'https://a.example/a%20b%3Fc%23d%22e' },
  { site: 'https://a.example', path: '//b.example/x', url: 'https://a.example//b.example/x' },
  { site: 'https://a.example', path: '/\\b.example', url: 'https://a.example/%5Cb.example' },
  { site: 'https://a.example', path: '/back\\slash\t', url: 'https://a.example/back%5Cslash%09' },
  { site: 'https://a.example', path: '/a/./b', url: undefined },
  { site: 'https://a.example', path: '/a/../b', url: undefined },
  { site: 'https://a.example', path: '/a/..b...', url: 'https://a.example/a/..b...' },
  { site: 'https://a.example', path: '/\ud800', url: 'https://a.example/%EF%BF%BD' },
  { site: 'https://a.example/docs', path: '/a/%2e%2E/../b', url: undefined },
])('on $site the address of $path is $url', ({ site, path, url }) => {
  expect(pageUrl(path, new URL(site))).toBe(url)
})

it.each([
  { path: '/guides/short', expected: /^`\/guides\/short`$/ },
  { path: '/guides/a-much-longer-path/to/here', expected: /^`\/guide…-path\/to\/here`$/ },
  {
    path: `/${'a'.repeat(1979)}`,
    site: 'https://example.com',
    expected: /^\[`\/aaaaa…a{13}`\]\(https:.{1990,}\)$/,
  },
  { path: `/${'a'.repeat(1981)}`, site: 'https://example.com', expected: /^`\/aaaaa…a{13}`$/ },
])('the name of a long path is cut in its middle, and a link that browsers take', (given) => {
  const { path, site, expected } = given
  expect(pageName(path, site === undefined ? site : new URL(site), 20).source).toMatch(expected)
})

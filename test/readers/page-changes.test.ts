import { describe, expect, it } from 'vitest'
import { findPageChanges, isMostlyAi, isNewlyAi, type PageChange } from '../../src/readers/changes.ts'
import type { PageVisitors } from '../../src/service/analytics.ts'
import { page } from './samples.ts'
import { Dice, type Noise, simulatedSite, simulatedWeek } from './simulation.ts'

type Totals = Readonly<Record<string, number>>

/** A site on which nothing moves but what a test says: forty pages of 100 visitors. */
const QUIET: Totals = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`/quiet/${index}`, 100]))

function pagesOf(totals: Totals): Map<string, PageVisitors> {
  return new Map(Object.entries(totals).map(([path, total]) => [path, page(path, total)]))
}

/** What moved between two weeks of the quiet site, as `path previous→total`. */
function moved(before: Totals, now: Totals): Record<string, string[]> {
  const found = findPageChanges(pagesOf({ ...QUIET, ...before }), pagesOf({ ...QUIET, ...now }))
  const shown = (pages: readonly PageChange[]): string[] =>
    pages.map(({ path, previous, total }) => `${path} ${previous}→${total}`)
  return {
    up: shown(found.up),
    down: shown(found.down),
    added: shown(found.added),
    gone: shown(found.gone),
  }
}

describe('what moved', () => {
  it('is what counting does not explain: three times its spread for large pages', () => {
    expect(moved({ '/a': 10_000, '/b': 10_000 }, { '/a': 10_440, '/b': 10_400 })).toMatchObject({
      up: ['/a 10000→10440'],
    })
    expect(moved({ '/a': 10_000, '/b': 10_000 }, { '/a': 9560, '/b': 9600 })).toMatchObject({
      down: ['/a 10000→9560'],
    })
  })

  it('takes more of small pages: 12 visitors must become 38', () => {
    expect(moved({ '/a': 12, '/b': 12 }, { '/a': 38, '/b': 37 })).toMatchObject({ up: ['/a 12→38'] })
  })

  it('is new with ten visitors, or gone', () => {
    expect(moved({ '/gone': 10, '/few': 9, '/zero': 12 }, { '/new': 10, '/nine': 9, '/zero': 0 })).toEqual({
      up: [],
      down: [],
      added: ['/new 0→10'],
      gone: ['/zero 12→0', '/gone 10→0'],
    })
  })

  it('is judged beside the change of the whole site, in the same direction', () => {
    const doubled = Object.fromEntries(Object.keys(QUIET).map((path) => [path, 200]))
    const before = { '/a': 1000, '/b': 1000, '/c': 1000, '/d': 1000 }
    const now = { ...doubled, '/a': 2000, '/b': 900, '/c': 1100, '/d': 3000 }
    expect(moved(before, now)).toMatchObject({ up: ['/d 1000→3000'], down: ['/b 1000→900'] })
  })

  it('is judged by the spread that the pages of the site show', () => {
    const restless = Object.fromEntries(
      Object.keys(QUIET).map((path, index) => [path, index % 2 === 0 ? 140 : 70]),
    )
    expect(moved({ '/a': 1000 }, { '/a': 1300 })).toMatchObject({ up: ['/a 1000→1300'] })
    expect(moved({ '/a': 1000 }, { ...restless, '/a': 1300 })).toMatchObject({ up: [] })
  })

  it('comes with the largest change first, then by path', () => {
    const before = { '/c': 1000, '/b': 1000, '/a': 1000, '/d': 1000 }
    expect(moved(before, { '/c': 1500, '/b': 1500, '/a': 1500, '/d': 1600 })['up']).toEqual([
      '/d 1000→1600',
      '/a 1000→1500',
      '/b 1000→1500',
      '/c 1000→1500',
    ])
  })

  it('is nothing on a site without pages, or with one', () => {
    expect(findPageChanges(new Map(), new Map())).toEqual({ up: [], down: [], added: [], gone: [] })
    expect(findPageChanges(pagesOf({ '/': 100 }), pagesOf({ '/': 900 }))).toMatchObject({ up: [], down: [] })
  })
})

describe('a page', () => {
  it.each([
    [page('/', 10, 6), true],
    [page('/', 10_000, 5999), false],
    [page('/', 9, 9), false],
    [{ path: '/', human: 3, ai: 40, total: 20 }, true],
  ])('%j is read mostly by AI: %s', (visitors, expected) => {
    expect(isMostlyAi(visitors)).toBe(expected)
  })

  it.each<[string, PageVisitors | undefined, PageVisitors, boolean]>([
    ['from 30 % to 70 % of a hundred', page('/', 100, 30), page('/', 100, 70), true],
    ['from 50 % to 70 % of a hundred, which chance explains', page('/', 100, 50), page('/', 100, 70), false],
    ['from 50 % to 70 % of a thousand', page('/', 1000, 500), page('/', 1000, 700), true],
    ['from 60 % on, where it was so before', page('/', 9000, 5400), page('/', 9000, 9000), false],
    ['to 59.9 %', page('/', 1000, 100), page('/', 1000, 599), false],
    ['without visitors before', page('/', 0), page('/', 10, 6), true],
    ['that is new', undefined, page('/', 10, 6), true],
    ['with more AI than visitors', page('/', 100, 30), { path: '/', human: 9, ai: 300, total: 100 }, true],
  ])('%s is news', (_name, before, now, expected) => {
    expect(isNewlyAi(now, before)).toBe(expected)
  })
})

/** What a week's report would name, of sites on which nothing happens, and of those with one page halved or doubled. */
function simulate(pages: number, noise: Noise, weeks: number) {
  const dice = new Dice(pages)
  let [named, ai, planted, found] = [0, 0, 0, 0]
  for (let week = 0; week < weeks; week++) {
    const site = simulatedSite(pages, dice)
    const before = simulatedWeek(site, dice, { noise })
    const now = simulatedWeek(site, dice, { noise, growth: Math.exp(0.05 * dice.normal()) })
    named += Object.values(findPageChanges(before, now)).flat().length
    ai += [...now.values()].filter((each) => isNewlyAi(each, before.get(each.path))).length
    const large = site.filter(({ mean }) => mean >= 200)
    const changed = large[Math.floor(dice.roll() * large.length)]
    if (changed === undefined) continue
    const doubled = dice.poisson(2 * changed.mean * dice.noise(noise))
    const [rises, other] = [dice.roll() < 0.5, page(changed.path, doubled)]
    const weekOf = (totals: typeof now, isOther: boolean) =>
      isOther ? new Map([...totals, [changed.path, other]]) : totals
    const changes = findPageChanges(weekOf(before, !rises), weekOf(now, rises))
    const smaller = Math.min(doubled, (rises ? before : now).get(changed.path)?.total ?? 0)
    if (smaller < 200) continue
    planted += 1
    if ([...changes.up, ...changes.down].some(({ path }) => path === changed.path)) found += 1
  }
  return { named: named / weeks, ai: ai / weeks, found: found / planted }
}

describe('simulated weeks', () => {
  it.each([
    [300, 'even', 0],
    [300, 'even', 0.1],
    [300, 'even', 0.25],
    [1000, 'even', 0],
    [1000, 'even', 0.1],
    [1000, 'even', 0.25],
    [1000, 'normal', 0.1],
  ] as const)('of %i pages with %s noise of %d name half a quiet page at most', (pages, kind, size) => {
    const { named, ai, found } = simulate(pages, { kind, size }, 100)
    expect(named + ai).toBeLessThanOrEqual(0.5)
    // Twice or half of a large page is far more than noise of 10 %, but not more than noise of 25 %.
    if (size < 0.25) expect(found).toBeGreaterThanOrEqual(0.9)
  })
})

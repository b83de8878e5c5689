import { describe, expect, it } from 'vitest'
import { changeBetween, compareWithUsual, findPageChanges } from '../../src/readers/page-changes.ts'
import { RANGES } from './changes.cases.ts'
import { page } from './samples.ts'
import { Dice } from './simulation.ts'

describe('figures', () => {
  it.each([
    [100, 112.5, 12.5],
    [100, 0, -100],
    [0, 0, 0],
    [0, 5, 'new'],
    [undefined, 5, 'unknown'],
    [3, 4, 33.3],
    [1_000_000, 1_000_001, 0],
    [16, 17, 6.3],
  ])('that change from %s to %s changed by %s', (previous, current, change) => {
    expect(changeBetween(previous, current)).toBe(change)
  })

  it.each(RANGES)(
    'after %j have %i as %s: the ends of three periods and 3 %% beyond are usual',
    (values, value, position) => {
      expect(compareWithUsual(value, values)?.position).toBe(position)
    },
  )
})

type Totals = Readonly<Record<string, number>>

/** A site on which nothing moves but what a test says: forty pages of 100 visitors. */
const QUIET: Totals = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [`/quiet/${index}`, 100]),
)

const pagesOf = (totals: Totals) =>
  new Map(Object.entries(totals).map(([path, total]) => [path, page(path, total)]))

/** What moved between two weeks of the quiet site, as `up /path previous→total`. */
function moved(before: Totals, now: Totals): string[] {
  const changes = findPageChanges(pagesOf({ ...QUIET, ...before }), pagesOf({ ...QUIET, ...now }))
  return Object.entries(changes).flatMap(([kind, pages]) =>
    pages.map(({ path, previous, total }) => `${kind} ${path} ${previous}→${total}`),
  )
}

describe('what moved', () => {
  it('is what counting does not explain: three times its spread for large pages, more for small ones', () => {
    const before = { '/a': 10_000, '/b': 10_000, '/c': 10_000, '/d': 10_000 }
    const now = { '/a': 10_440, '/b': 10_400, '/c': 9560, '/d': 9600 }
    expect(moved(before, now)).toEqual(['up /a 10000→10440', 'down /c 10000→9560'])
    expect(moved({ '/a': 12, '/b': 12 }, { '/a': 38, '/b': 37 })).toEqual(['up /a 12→38'])
  })

  it('is no page that only one of the periods has, nor one that changed by fewer than ten visitors', () => {
    expect(moved({ '/gone': 900, '/few': 1 }, { '/new': 900, '/few': 10 })).toEqual([])
    expect(moved({ '/few': 1 }, { '/few': 40 })).toEqual(['up /few 1→40'])
  })

  it('is judged beside the change of the whole site, in the same direction', () => {
    const before = { '/a': 1000, '/b': 1000, '/c': 1000, '/d': 1000 }
    const doubled = Object.fromEntries(Object.keys(QUIET).map((path) => [path, 200]))
    const now = { ...doubled, '/a': 2000, '/b': 900, '/c': 1100, '/d': 3000 }
    expect(moved(before, now)).toEqual(['up /d 1000→3000', 'down /b 1000→900'])
  })

  it('is judged by the spread that the pages of the site show', () => {
    const spread = Object.keys(QUIET).map((path, index) => [path, index % 2 === 0 ? 140 : 70])
    expect(moved({ '/a': 1000 }, { '/a': 1300 })).toEqual(['up /a 1000→1300'])
    expect(moved({ '/a': 1000 }, { ...Object.fromEntries(spread), '/a': 1300 })).toEqual([])
  })

  it('comes with the largest change first, then by path', () => {
    const now = { '/c': 1500, '/b': 1500, '/d': 1600 }
    const expected = ['up /d 1000→1600', 'up /b 1000→1500', 'up /c 1000→1500']
    expect(moved({ '/c': 1000, '/b': 1000, '/d': 1000 }, now)).toEqual(expected)
  })

  it('is nothing on a site without pages, or with one', () => {
    expect(findPageChanges(new Map(), new Map())).toEqual({ up: [], down: [] })
    expect(findPageChanges(pagesOf({ '/': 100 }), pagesOf({ '/': 900 }))).toMatchObject({
      up: [],
      down: [],
    })
  })
})

type SimulatedPage = { readonly path: string; readonly mean: number }

/** The visitors of one week, of pages that vary evenly within ±`noise` beside counting. */
function simulatedWeek(site: readonly SimulatedPage[], dice: Dice, noise: number, growth = 1) {
  const pages = site.map(({ path, mean }) => {
    const total = dice.poisson(mean * growth * (1 + noise * (2 * dice.roll() - 1)))
    return page(path, total)
  })
  return new Map(pages.filter(({ total }) => total > 0).map((each) => [each.path, each]))
}

// Half of the pages have 12 visitors or fewer, a few have hundreds. The whole site grows or shrinks a little.
const SITES = [300, 1000].flatMap((pages) => [0, 0.1, 0.25].map((noise) => [pages, noise] as const))
it.each(SITES)(
  'of %i pages with ±%d noise half a quiet one is named per report, and nine of ten that moved',
  (pages, noise) => {
    const dice = new Dice(pages)
    const weeks = Number(process.env['SIMULATED_WEEKS'] ?? 40)
    const counts = { moved: 0, planted: 0, found: 0 }
    for (let week = 0; week < weeks; week++) {
      const site = Array.from({ length: pages }, (_, index) => {
        return { path: `/page/${index}`, mean: 12 * Math.exp(1.5 * dice.normal()) }
      })
      const before = simulatedWeek(site, dice, noise)
      const now = simulatedWeek(site, dice, noise, Math.exp(0.05 * dice.normal()))
      counts.moved += Object.values(findPageChanges(before, now)).flat().length
      const rises = dice.roll() < 0.5
      const changed = site.find(({ mean }) => mean >= 200)
      if (changed === undefined || ((rises ? before : now).get(changed.path)?.total ?? 0) < 200)
        continue
      const twice = simulatedWeek([{ ...changed, mean: 2 * changed.mean }], dice, noise)
      const found = rises
        ? findPageChanges(before, new Map([...now, ...twice])).up
        : findPageChanges(new Map([...before, ...twice]), now).down
      counts.planted += 1
      if (found.some(({ path }) => path === changed.path)) counts.found += 1
    }
    if (process.env['SIMULATED_WEEKS']) console.log(`${pages} pages, ±${noise}:`, weeks, counts)
    expect(counts.moved / weeks).toBeLessThanOrEqual(0.5)
    // Twice or half of a large page is far more than noise of 10 %, but not more than noise of 25 %.
    if (noise < 0.25) expect(counts.found / counts.planted).toBeGreaterThanOrEqual(0.9)
  },
)

import { describe, expect, it } from 'vitest'
import { compareWithUsual, findPageChanges } from '../../src/readers/visitors.ts'
import { page, QUIET } from './samples.ts'
import { Dice } from './simulation.ts'

it.each([
  [[1000, 1000, 1000], 1030, 'usual'],
  [[1000, 1000, 1000], 1031, 'highest'],
  [[1000, 1000, 1000], 970, 'usual'],
  [[1000, 1000, 1000], 969, 'lowest'],
  [[900, 1100, 1000], 1134, 'highest'],
  [[900, 1100, 1000], 872, 'lowest'],
  [[700, 700, 700], 721, 'usual'],
  [[0, 5, 5], 0, 'usual'],
  [[1000, 1000], 5, undefined],
])(
  'after %j have %i as %s: the ends of three periods and 3 %% beyond are usual',
  (earlier, value, position) => {
    expect(compareWithUsual([...earlier, value])?.position).toBe(position)
  },
)

type Totals = Readonly<Record<string, number>>

/** The pages of two periods, as those of a report. */
function compared(before: Totals, now: Totals) {
  return Object.entries(now).map(([path, total]) => {
    return { ...page(path, total), previous: before[path] ?? 0 }
  })
}

const QUIET_TOTALS: Totals = Object.fromEntries(QUIET.map(({ path, total }) => [path, total]))

/** What moved between two weeks of the quiet site, as `up /path previous→total`. */
function moved(before: Totals, now: Totals): string[] {
  const pages = compared({ ...QUIET_TOTALS, ...before }, { ...QUIET_TOTALS, ...now })
  const { up, down } = findPageChanges(pages)
  return Object.entries({ up, down }).flatMap(([kind, pages]) =>
    pages.map(({ path, previous, total }) => `${kind} ${path} ${previous}→${total}`),
  )
}

const quiet = (total: (index: number) => number): Totals =>
  Object.fromEntries(QUIET.map(({ path }, index) => [path, total(index)]))

describe('what moved', () => {
  it.each<[string, Totals, Totals, string[]]>([
    [
      'is three times what counting explains, of a large page',
      { '/a': 10_000, '/b': 10_000, '/c': 10_000, '/d': 10_000 },
      { '/a': 10_440, '/b': 10_400, '/c': 9560, '/d': 9600 },
      ['up /a 10000→10440', 'down /c 10000→9560'],
    ],
    [
      'is more than that, of a small page',
      { '/a': 12, '/b': 12 },
      { '/a': 38, '/b': 37 },
      ['up /a 12→38'],
    ],
    [
      'is no page that only one of the periods has',
      { '/gone': 900 },
      { '/new': 900, '/gone': 0 },
      [],
    ],
    [
      'is ten visitors or more',
      { '/few': 1, '/ten': 1 },
      { '/few': 10, '/ten': 40 },
      ['up /ten 1→40'],
    ],
    [
      'is judged beside the change of the whole site, in the same direction',
      { '/a': 1000, '/b': 1000, '/c': 1000, '/d': 1000 },
      { ...quiet(() => 200), '/a': 2000, '/b': 900, '/c': 1100, '/d': 3000 },
      ['up /d 1000→3000', 'down /b 1000→900'],
    ],
    [
      'is judged by the spread that the pages of the site show',
      { '/a': 1000 },
      { ...quiet((index) => (index % 2 === 0 ? 140 : 70)), '/a': 1300 },
      [],
    ],
    [
      'comes with the largest change first, then by path',
      { '/c': 1000, '/b': 1000, '/d': 1000 },
      { '/c': 1500, '/b': 1500, '/d': 1600 },
      ['up /d 1000→1600', 'up /b 1000→1500', 'up /c 1000→1500'],
    ],
  ])('%s', (_rule, before, now, expected) => {
    expect(moved(before, now)).toEqual(expected)
  })

  it('is nothing on a site without pages, or with one', () => {
    const none = { up: [], down: [], count: 0 }
    expect(findPageChanges([])).toEqual(none)
    expect(findPageChanges(compared({ '/': 100 }, { '/': 900 }))).toEqual(none)
  })
})

// Half of the pages have 12 visitors or fewer, a few have hundreds. The whole site grows or shrinks a little.
const SITES = [300, 1000].flatMap((pages) => [0, 0.1, 0.25].map((noise) => [pages, noise] as const))
it.each(SITES)(
  'of %i pages with ±%d noise half a quiet one is named per report, and nine of ten that moved',
  (pages, noise) => {
    const dice = new Dice(pages)
    /** A week of a page that varies evenly within ±`noise` beside counting. */
    const week = (mean: number): number => dice.poisson(mean * (1 + noise * (2 * dice.roll() - 1)))
    const weeks = Number(process.env['SIMULATED_WEEKS'] ?? 40)
    const counts = { moved: 0, planted: 0, found: 0 }
    for (let each = 0; each < weeks; each++) {
      const growth = Math.exp(0.05 * dice.normal())
      const site = Array.from({ length: pages }, (_, index) => {
        const mean = 12 * Math.exp(1.5 * dice.normal())
        return { ...page(`/page/${index}`, week(mean * growth)), previous: week(mean), mean }
      })
      counts.moved += findPageChanges(site).count
      const planted = site.find(({ mean }) => mean >= 200)
      if (planted === undefined || Math.min(planted.total, planted.previous) < 200) continue
      const twice = week(2 * planted.mean)
      const change = dice.roll() < 0.5 ? { total: twice } : { previous: twice }
      const { up, down } = findPageChanges(
        site.map((one) => (one === planted ? { ...one, ...change } : one)),
      )
      counts.planted += 1
      const found = 'total' in change ? up : down
      if (found.some(({ path }) => path === planted.path)) counts.found += 1
    }
    if (process.env['SIMULATED_WEEKS']) console.log(`${pages} pages, ±${noise}:`, weeks, counts)
    expect(counts.moved / weeks).toBeLessThanOrEqual(0.5)
    expect(counts.planted).toBeGreaterThan(weeks / 4)
    // Twice or half of a large page is far more than noise of 10 %, but not more than noise of 25 %.
    if (noise < 0.25) expect(counts.found / counts.planted).toBeGreaterThanOrEqual(0.9)
  },
)

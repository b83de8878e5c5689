import { expect, it } from 'vitest'
import { compareWithUsual, findPageChanges } from '../../src/readers/visitors.ts'
import { page, QUIET } from './samples.ts'
import { Dice } from './simulation.ts'

it.each([
  [[1000, 1000, 1000], 1030, 'usual'],
  [[1000, 1000, 1000], 1031, 'highest'],
  [[1000, 1000, 1000], 970, 'usual'],
  [[1000, 1000, 1000], 969, 'lowest'],
  [[900, 1100, 1000], 872, 'lowest'],
  [[0, 5, 5], 0, 'usual'],
  [[1000, 1000], 5, undefined],
])(
  'after %j have %i as %s: the ends of three periods and 3 %% beyond are usual',
  (earlier, value, position) => {
    expect(compareWithUsual([...earlier, value])?.position).toBe(position)
  },
)

/** Pages by their visitors in two weeks, such as `/a 100→120 /b 0→5`. */
const pagesOf = (weeks: string) =>
  [...weeks.matchAll(/(\S+) (\d+)→(\d+)/g)].map(([, path = '', previous, total]) => {
    return { ...page(path, Number(total)), previous: Number(previous) }
  })

/** Other pages of a site, of 100 visitors each, and then these. */
const site = (even: number, odd = even) =>
  QUIET.map(({ path }, index) => `${path} 100→${index % 2 === 0 ? even : odd}`).join(' ')

it.each([
  [
    'is three times what counting explains, of a large page',
    site(100),
    '/a 10000→10440 /b 10000→10400 /c 10000→9560 /d 10000→9600',
    '+/a -/c',
  ],
  ['is more than that, of a small page', site(100), '/a 12→38 /b 12→37', '+/a'],
  ['is no page that only one of the weeks has', site(100), '/gone 900→0 /new 0→900', ''],
  ['is ten visitors or more', site(20), '/few 2→11 /ten 2→12', '+/ten'],
  [
    'is judged beside the change of the whole site, in the same direction',
    site(200),
    '/a 1000→2000 /b 1000→900 /c 1000→1100 /d 1000→3000',
    '+/d -/b',
  ],
  ['is judged by the spread that the pages of the site show', site(140, 70), '/a 1000→1300', ''],
  ['comes with the largest change first', site(100), '/c 1000→1500 /d 1000→1600', '+/d +/c'],
  ['is nothing on a site with one page', '', '/ 100→900', ''],
])('a page change %s', (_rule, others, weeks, expected) => {
  const { up, down } = findPageChanges(pagesOf(`${others} ${weeks}`))
  const shown = [...up.map(({ path }) => `+${path}`), ...down.map(({ path }) => `-${path}`)]
  expect(shown.join(' ')).toBe(expected)
})

// Half of the pages have 12 visitors or fewer, a few have hundreds. The whole site grows or shrinks a little.
const SITES = [300, 1000].flatMap((pages) =>
  [0, 0.15, 0.25].map((noise) => [pages, noise] as const),
)
it.each(SITES)(
  'of %i pages with ±%d noise at most half a quiet page is named per report, and nine of ten that doubled or halved',
  (pages, noise) => {
    const dice = new Dice(pages)
    /** A week of a page that varies evenly within ±`noise` beside counting. */
    const week = (mean: number): number => dice.poisson(mean * (1 + noise * (2 * dice.roll() - 1)))
    const weeks = Number(process.env['SIMULATED_WEEKS'] ?? 30)
    const counts = { quiet: 0, planted: 0, found: 0 }
    for (let each = 0; each < weeks; each++) {
      const growth = Math.exp(0.05 * dice.normal())
      const site = Array.from({ length: pages }, (_, index) => {
        const mean = 12 * Math.exp(1.5 * dice.normal())
        return { ...page(`/page/${index}`, week(mean * growth)), previous: week(mean), mean }
      })
      counts.quiet += findPageChanges(site).count
      const large = site.filter((one) => Math.min(one.mean, one.total, one.previous) >= 200)
      for (const planted of large.slice(0, 3)) {
        const twice = week(2 * planted.mean)
        const change = dice.roll() < 0.5 ? { total: twice } : { previous: twice }
        const { up, down } = findPageChanges(
          site.map((one) => (one === planted ? { ...one, ...change } : one)),
        )
        counts.planted += 1
        const found = 'total' in change ? up : down
        if (found.some(({ path }) => path === planted.path)) counts.found += 1
      }
    }
    if (process.env['SIMULATED_WEEKS']) console.log(`${pages} pages, ±${noise}:`, weeks, counts)
    expect(counts.quiet / weeks).toBeLessThanOrEqual(0.5)
    expect(counts.planted).toBeGreaterThan(weeks / 4)
    // At a noise of 25%, a doubled page is found half of the time only.
    if (noise < 0.25) expect(counts.found / counts.planted).toBeGreaterThanOrEqual(0.9)
  },
)

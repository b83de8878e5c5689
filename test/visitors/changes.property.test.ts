import { expect, it } from 'vitest'
import { findUnusualPages } from '../../src/visitors/visitors.ts'
import { page } from './samples.ts'

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
      counts.quiet += findUnusualPages(site).count
      const large = site.filter((one) => Math.min(one.mean, one.total, one.previous) >= 200)
      for (const planted of large.slice(0, 3)) {
        const twice = week(2 * planted.mean)
        const change = dice.roll() < 0.5 ? { total: twice } : { previous: twice }
        const { up, down } = findUnusualPages(
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

/** Numbers as random as a simulation needs, the same in every run. */
class Dice {
  #state: number

  /** @param seed a whole number above zero */
  constructor(seed: number) {
    this.#state = seed
  }

  /** Uniform in (0, 1) (Park and Miller, 1988). */
  roll(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647
    return this.#state / 2_147_483_647
  }

  /** Standard normal. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(this.roll())) * Math.cos(2 * Math.PI * this.roll())
  }

  poisson(mean: number): number {
    // The sum of two Poisson counts is one, too.
    if (mean > 60) return this.poisson(mean / 2) + this.poisson(mean / 2)
    let [count, product, limit] = [0, this.roll(), Math.exp(-mean)]
    for (; product > limit; count++) product *= this.roll()
    return count
  }
}

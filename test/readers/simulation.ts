import type { PageVisitors } from '../../src/service/analytics.ts'

/** Numbers as random as a simulation needs, the same in every run. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** Uniform in [0, 1). */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Standard normal. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.roll())) * Math.cos(2 * Math.PI * this.roll())
  }

  poisson(mean: number): number {
    if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()))
    let [count, product, limit] = [0, this.roll(), Math.exp(-mean)]
    for (; product > limit; count++) product *= this.roll()
    return count
  }

  binomial(trials: number, share: number): number {
    if (trials > 60) {
      const drawn = Math.round(trials * share + Math.sqrt(trials * share * (1 - share)) * this.normal())
      return Math.min(trials, Math.max(0, drawn))
    }
    let count = 0
    for (let trial = 0; trial < trials; trial++) if (this.roll() < share) count += 1
    return count
  }

  /** A factor around 1. */
  noise({ kind, size }: Noise): number {
    return kind === 'even' ? 1 + size * (2 * this.roll() - 1) : Math.exp(size * this.normal() - size ** 2 / 2)
  }
}

/** How much a page's readers vary from week to week beside counting: evenly within ±`size`, or normally with that spread. */
export type Noise = { readonly kind: 'even' | 'normal'; readonly size: number }

/** A page as it really is: its mean number of visitors in a week, and AI's share of them. */
export type TruePage = { readonly path: string; readonly mean: number; readonly aiShare: number }

/** The pages of a site: half of them have 12 visitors or fewer, a few have hundreds. */
export function simulatedSite(pages: number, dice: Dice): TruePage[] {
  return Array.from({ length: pages }, (_, index) => ({
    path: `/page/${index}`,
    mean: 12 * Math.exp(1.5 * dice.normal()),
    aiShare: dice.roll() ** 2,
  }))
}

/** The visitors of one week. `growth`: of the whole site. */
export function simulatedWeek(
  site: readonly TruePage[],
  dice: Dice,
  { noise, growth = 1 }: { readonly noise: Noise; readonly growth?: number },
): Map<string, PageVisitors> {
  const week = new Map<string, PageVisitors>()
  for (const { path, mean, aiShare } of site) {
    const total = dice.poisson(mean * growth * dice.noise(noise))
    const ai = dice.binomial(total, aiShare)
    if (total > 0) week.set(path, { path, human: total - ai, ai, total })
  }
  return week
}

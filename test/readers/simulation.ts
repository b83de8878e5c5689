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
    // The sum of two Poisson counts is one, too.
    if (mean > 60) return this.poisson(mean / 2) + this.poisson(mean / 2)
    let [count, product, limit] = [0, this.roll(), Math.exp(-mean)]
    for (; product > limit; count++) product *= this.roll()
    return count
  }
}

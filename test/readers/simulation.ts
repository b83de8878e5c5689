/** Numbers as random as a simulation needs, the same in every run. */
export class Dice {
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

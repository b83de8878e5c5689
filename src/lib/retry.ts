/** How pauses between attempts grow. */
export type Backoff = {
  /** Pause after the first failure, in milliseconds. */
  readonly baseMs: number
  /** No pause is longer than this (before jitter), in milliseconds. */
  readonly maxMs: number
}

/**
 * The pause after the `failures`th failure in a row: the base, doubled each time, with jitter.
 *
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function backoffMs(failures: number, backoff: Backoff, random: () => number): number {
  return jitter(Math.min(backoff.maxMs, backoff.baseMs * 2 ** (failures - 1)), random)
}

/** Spreads a pause by ±10 %, so that runs that started together do not ask together. */
export function jitter(ms: number, random: () => number): number {
  return ms * (0.9 + 0.2 * random())
}

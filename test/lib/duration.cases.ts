/** Texts, and their milliseconds. */
export const DURATIONS: readonly [string, number][] = [
  ['250ms', 250],
  ['45s', 45_000],
  ['30m', 1_800_000],
  ['1h30m', 5_400_000],
  ['1h2m3s4ms', 3_723_004],
  ['90m', 5_400_000],
  ['1m500ms', 60_500],
  ['576h', 2_073_600_000],
]

/** Texts, and what is wrong with them. */
export const NO_DURATIONS: readonly [string, string][] = [
  ['30', 'has no unit: did you mean 30s or 30m?'],
  ['0', 'is not a duration'],
  ['0s', 'must be longer than zero'],
  ['0h0m', 'must be longer than zero'],
  ['1.5h', 'is not a duration'],
  ['-1s', 'is not a duration'],
  ['1m1h', 'is not a duration'],
  ['1 h', 'is not a duration'],
  ['1H', 'is not a duration'],
  ['', 'is not a duration'],
  ['s', 'is not a duration'],
  ['PT1H', 'is not a duration'],
  ['576h1ms', 'is longer than 24 days'],
  ['99999999999999999999999h', 'is longer than 24 days'],
]

/** Texts, and their milliseconds. */
export const DURATIONS: readonly [string, number][] = [
  ['250ms', 250],
  ['45s', 45_000],
  ['30m', 1_800_000],
  ['1h30m', 5_400_000],
  ['1h2m3s4ms', 3_723_004],
  ['90m', 5_400_000],
  ['1m500ms', 60_500],
  ['24d', 2_073_600_000],
  ['1d1h', 90_000_000],
]

/** Texts, and what is wrong with them. */
export const NO_DURATIONS: readonly [string, string][] = [
  ['30', "isn't a duration"],
  ['0', "isn't a duration"],
  ['0s', "isn't longer than zero"],
  ['0h0m', "isn't longer than zero"],
  ['1.5h', "isn't a duration"],
  ['-1s', "isn't a duration"],
  ['1m1h', "isn't a duration"],
  ['1 h', "isn't a duration"],
  ['1H', "isn't a duration"],
  ['', "isn't a duration"],
  ['s', "isn't a duration"],
  ['PT1H', "isn't a duration"],
  ['24d1ms', 'is longer than 24 days'],
  ['99999999999999999999999h', 'is longer than 24 days'],
]

/** Earlier values, a value, and where it lies. */
export const RANGES: readonly (readonly [readonly number[], number, string | undefined])[] = [
  [[1000, 1000, 1000], 1030, 'usual'],
  [[1000, 1000, 1000], 1031, 'highest'],
  [[1000, 1000, 1000], 970, 'usual'],
  [[1000, 1000, 1000], 969, 'lowest'],
  [[900, 1100, 1000], 1134, 'highest'],
  [[900, 1100, 1000], 872, 'lowest'],
  [[700, 700, 700], 721, 'usual'],
  [[0, 5, 5], 0, 'usual'],
  [[1000, 1000], 5, undefined],
]

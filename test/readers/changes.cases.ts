import type { PageVisitors } from '../../src/service/analytics.ts'
import { page } from './samples.ts'

/** A page before and now, and whether it is newly read mostly by AI; chance explains the second one. */
export const NEWLY_AI: readonly [PageVisitors | undefined, PageVisitors, boolean][] = [
  [page('/', 100, 30), page('/', 100, 70), true],
  [page('/', 100, 50), page('/', 100, 70), false],
  [page('/', 1000, 500), page('/', 1000, 700), true],
  [page('/', 9000, 5400), page('/', 9000, 9000), false],
  [page('/', 1000, 100), page('/', 1000, 599), false],
  [page('/', 100, 30), page('/', 100, 300), true],
  [page('/', 0), page('/', 10, 6), true],
  [undefined, page('/', 10, 6), true],
  [undefined, page('/', 10_000, 5999), false],
  [undefined, page('/', 9, 9), false],
  [undefined, { path: '/', human: 3, ai: 40, total: 20 }, true],
]

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

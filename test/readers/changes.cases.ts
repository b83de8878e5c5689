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

/** Files listed, files counted, what is told of them, and the requests for them. */
export const PULL_FILES = [
  [650, 650, '650 (+650 -0), first what readers would notice', 7],
  [120, 120, '120 (+120 -0), first what readers would notice', 2],
  [3100, 3100, '3100 (+3000 -0), first what readers would notice', 30],
  [3100, undefined, '3000 or more (+3000 -0), first what readers would notice', 30],
] as const

/** What a review comment has, and where it is said to be. */
export const PLACES_OF_COMMENTS = [
  [{}, 'src/a.ts, line 7'],
  [{ line: null, original_line: 3 }, 'src/a.ts, line 3'],
  [{ line: null }, 'src/a.ts'],
] as const

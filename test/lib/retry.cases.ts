const A_YEAR_MS = 31_622_400_000

/** Values of the header, and milliseconds at 08:00 on 21 November 2026. */
export const RETRY_AFTER: readonly [string | undefined, number | undefined][] = [
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sat, 21 Nov 2026 08:01:30 GMT', 90_000],
  ['Saturday, 21-Nov-26 08:01:30 GMT', 90_000],
  ['Fri, 20 Nov 2026 08:00:00 GMT', 0],
  ['9'.repeat(400), A_YEAR_MS],
  ['Sat, 21 Nov 2099 08:01:30 GMT', A_YEAR_MS],
  ['1.5', undefined],
  ['-3', undefined],
  ['soon', undefined],
  ['2026-11-21', undefined],
  ['', undefined],
  [undefined, undefined],
]

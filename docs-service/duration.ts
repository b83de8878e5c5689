const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** Reads `250ms`, `20s`, `2m` or `1h30m` as milliseconds; `undefined` for anything else. Zero (`0s`) is allowed. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:ms|[hms]))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[hms])/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN)
  }
  return Number.isSafeInteger(total) ? total : undefined
}

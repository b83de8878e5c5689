/**
 * Shares room among things of these sizes: small ones get what they need, large ones what is left, by weight.
 *
 * @returns what each may have, in bytes
 */
export function shareRoom(
  things: readonly { readonly size: number; readonly weight: number }[],
  maxBytes: number,
): number[] {
  const shares = things.map(() => 0)
  let left = Math.max(0, maxBytes)
  let weights = things.reduce((sum, { weight }) => sum + weight, 0)
  const smallestFirst = [...things.entries()].toSorted(
    ([, a], [, b]) => a.size / a.weight - b.size / b.weight,
  )
  for (const [index, { size, weight }] of smallestFirst) {
    const share = Math.min(size, Math.floor((left * weight) / weights))
    shares[index] = share
    left -= share
    weights -= weight
  }
  return shares
}

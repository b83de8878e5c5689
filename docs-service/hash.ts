import { createHash } from 'node:crypto'

/**
 * A number in [0, 1) that looks random and depends on nothing but its arguments (32-bit whole numbers).
 * `salt` keeps the numbers drawn for one index independent of each other.
 */
export function fraction(seed: number, index: number, salt: number): number {
  return (mix(mix(mix(0x9e3779b9, seed), index), salt) >>> 0) / 2 ** 32
}

/** The `count`-th identifier of a seed: shaped like a random UUID, yet the same in every run. */
export function identifier(seed: number, count: number): string {
  const digits = createHash('sha256').update(`docs-service ${seed} ${count}`).digest('hex')
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
  ]
  return [...groups, digits.slice(20, 32)].join('-')
}

/** The finishing steps of MurmurHash3: a few multiplications, so that a million rows cost little. */
function mix(state: number, part: number): number {
  let hash = Math.imul(state ^ part, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

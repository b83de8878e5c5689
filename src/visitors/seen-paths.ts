/** Remembers which paths have been met. */
export type SeenPaths = {
  /** Takes a path in. Returns whether it is new. */
  add(path: string): boolean
}

const BITS = 2 ** 26
const MARKS = 16

/**
 * Opens a memory for paths that takes 8 MiB, however many there are: a Bloom filter with 16 bits a path. It never takes
 * an old path for new. The chance that it takes any new path for old is one in a million at a million paths, and none
 * to speak of at a hundred thousand; the worst that does is that risers and fallers are left out.
 */
export function openSeenPaths(): SeenPaths {
  const words = new Uint32Array(BITS / 32)

  function mark(bit: number): boolean {
    const word = words[bit >>> 5] ?? 0
    const marked = word | (1 << (bit & 31))
    words[bit >>> 5] = marked
    return marked >>> 0 !== word
  }

  return {
    add(path) {
      let at = mix(path, 0x9747b28c)
      const step = mix(path, 0x3c6ef372) | 1
      let isNew = false
      for (let marks = 0; marks < MARKS; marks++) {
        if (mark((at >>> 0) % BITS)) isNew = true
        at = (at + step) | 0
      }
      return isNew
    },
  }
}

/** MurmurHash3 of a text's code units, with a seed; as a signed whole number of 32 bits. It leaves no garbage. */
function mix(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) {
    const unit = Math.imul(text.charCodeAt(index), 0xcc9e2d51)
    hash ^= Math.imul((unit << 15) | (unit >>> 17), 0x1b873593)
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
  }
  hash ^= text.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

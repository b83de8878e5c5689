const FIRST =
  '/ /quickstart /introduction /installation /changelog /authentication /pricing /troubleshooting /llms.txt /skill.md /llms-full.txt'.split(
    ' ',
  )
const SECTIONS = 'guides api-reference cli integrations concepts sdks recipes admin'.split(' ')
const TOPICS = (
  'snapshots webhooks schedules restore tokens projects environments roles audit-log billing regions ' +
  'buckets encryption filters notifications migrations previews caching rate-limits pagination errors ' +
  'logging metrics alerts backups templates secrets workspaces members sessions'
).split(' ')

/** Where the numbers begin. */
const SEED = 0x3f2da09d

/** The path of the page of a rank (0 is about the busiest): a different one for each. */
export function pagePath(rank: number): string {
  const place = rank - FIRST.length
  if (place < 0) return FIRST[rank] ?? '/'
  const below = Math.floor(place / SECTIONS.length)
  const deeper = Math.floor(below / TOPICS.length)
  const end = deeper === 0 ? '' : `/part-${deeper + 1}`
  return `/${SECTIONS[place % SECTIONS.length]}/${TOPICS[below % TOPICS.length]}${end}`
}

/**
 * A number in [0, 1) that looks random and depends on nothing but its arguments (32-bit whole numbers).
 * `salt` keeps the numbers drawn for one index independent of each other.
 */
export function fraction(index: number, salt: number): number {
  return (mix(mix(SEED, index), salt) >>> 0) / 2 ** 32
}

/** The finishing steps of MurmurHash3: a few multiplications, so that a million rows cost little. */
function mix(state: number, part: number): number {
  let hash = Math.imul(state ^ part, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

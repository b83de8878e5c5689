/** A period's length as its visitors make it: days weighted by weekday and by how much the site has grown. */
export type SiteTraffic = {
  /** Weighted days of human traffic. */
  humanDays: number
  /** Weighted days of AI traffic: hardly a week-end, faster growth. */
  aiDays: number
  /** Bounds in days since 1970, with fractions. */
  fromDay: number
  toDay: number
}

const DAY_MS = 86_400_000
const YEAR_DAYS = 365.25
const FIRST_DAY = Date.UTC(2024, 0, 1) / DAY_MS
/** Monday first. */
const HUMAN_WEEK = [1.1, 1.16, 1.14, 1.1, 1, 0.55, 0.5]
const AI_WEEK = [1.02, 1.04, 1.04, 1.03, 1, 0.94, 0.93]

/** Adds up the days of a period, whose bounds may lie within a day. */
export function siteTraffic({ fromMs, toMs }: { fromMs: number; toMs: number }): SiteTraffic {
  const fromDay = fromMs / DAY_MS
  const toDay = toMs / DAY_MS
  let humanDays = 0
  let aiDays = 0
  for (let day = Math.floor(fromDay); day < toDay; day += 1) {
    const share = Math.min(day + 1, toDay) - Math.max(day, fromDay)
    const years = (day - FIRST_DAY) / YEAR_DAYS
    humanDays += share * weight(HUMAN_WEEK, day) * growth(years, 0.3, 3)
    aiDays += share * weight(AI_WEEK, day) * growth(years, 0.8, 6)
  }
  return { humanDays, aiDays, fromDay, toDay }
}

/** Day 0 was a Thursday. */
function weight(week: readonly number[], day: number): number {
  return week[(((day + 3) % 7) + 7) % 7] ?? 1
}

function growth(years: number, perYear: number, maximum: number): number {
  return Math.min(maximum, 1 + perYear * Math.max(0, years))
}

/** Unique visitors. `total` counts those who came as a human and through an AI tool once. */
export type Counts = { human: number; ai: number; total: number }

const BUSIEST_PER_DAY = 900
const FALL_OFF = 0.95
/** The longer the period, the more visits are of people counted before. */
const RETURNING = 0.94
const SALT = { level: 1, ai: 2, swing: 3, phase: 4, pace: 5, human: 6, overlap: 7 } as const

/**
 * Visitors of the page of a rank (0 is about the busiest) in a period. Each page swings around its level with a rhythm
 * of its own, months long, so that some rise while others fall. At least one visitor: a page nobody saw is not listed.
 */
export function pageCounts(seed: number, rank: number, traffic: SiteTraffic): Counts {
  const draw = (salt: number) => fraction(seed, rank, salt)
  const perDay = (BUSIEST_PER_DAY * (0.6 + 0.8 * draw(SALT.level))) / (rank + 1) ** FALL_OFF
  const swung = swing(traffic, {
    size: 0.45 * draw(SALT.swing),
    phase: draw(SALT.phase),
    pace: draw(SALT.pace),
  })
  const aiShare = 0.08 + 0.25 * draw(SALT.ai)
  const humanVisits = perDay * (traffic.humanDays + swung)
  const aiVisits = perDay * aiShare * (traffic.aiDays + swung)
  const ai = Math.floor(aiVisits ** RETURNING + draw(SALT.ai))
  const human = Math.max(ai === 0 ? 1 : 0, Math.floor(humanVisits ** RETURNING + draw(SALT.human)))
  const overlap = Math.round(Math.min(human, ai) * (0.12 + 0.15 * draw(SALT.overlap)))
  return { human, ai, total: human + ai - overlap }
}

/**
 * Days gained or lost to a page's own rhythm: the integral of a sine over the period. Its size stays below the weight
 * of the quietest day, so that a longer period never has fewer visitors.
 */
function swing(
  { fromDay, toDay }: SiteTraffic,
  { size, phase, pace }: { size: number; phase: number; pace: number },
): number {
  const perDay = (2 * Math.PI) / (40 + 120 * pace)
  const start = 2 * Math.PI * phase
  return (size * (Math.cos(fromDay * perDay + start) - Math.cos(toDay * perDay + start))) / perDay
}

const FIRST = [
  '/',
  '/quickstart',
  '/introduction',
  '/installation',
  '/changelog',
  '/authentication',
  '/pricing',
  '/troubleshooting',
]
const SECTIONS = ['guides', 'api-reference', 'cli', 'integrations', 'concepts', 'sdks', 'recipes', 'admin']
const TOPICS = (
  'snapshots webhooks schedules restore tokens projects environments roles audit-log billing regions ' +
  'buckets encryption filters notifications migrations previews caching rate-limits pagination errors ' +
  'logging metrics alerts backups templates secrets workspaces members sessions'
).split(' ')
const ASPECTS = (
  'create list update delete overview examples limits security testing best-practices troubleshooting ' +
  'automation monitoring importing exporting permissions versioning performance local-development'
).split(' ')
/** The topic's own page comes before its aspects. */
const PAGES_PER_TOPIC = ASPECTS.length + 1

/**
 * The path of the page of a rank: a different one for each. The rank is read as digits (section, topic, aspect, old
 * version) so that no list of paths is needed; what does not fit the current docs belongs to archived versions.
 */
export function pagePath(rank: number): string {
  const first = FIRST[rank]
  if (first !== undefined) return first
  const place = rank - FIRST.length
  const section = SECTIONS[place % SECTIONS.length]
  const below = Math.floor(place / SECTIONS.length)
  const topic = TOPICS[below % TOPICS.length]
  const deeper = Math.floor(below / TOPICS.length)
  const aspect = ASPECTS[(deeper % PAGES_PER_TOPIC) - 1]
  const version = Math.floor(deeper / PAGES_PER_TOPIC)
  const archive = version === 0 ? '' : `/archive/v${version}`
  return `${archive}/${section}/${topic}${aspect === undefined ? '' : `/${aspect}`}`
}

/**
 * A number in [0, 1) that looks random and depends on nothing but its arguments (32-bit whole numbers).
 * `salt` keeps the numbers drawn for one index independent of each other.
 */
export function fraction(seed: number, index: number, salt: number): number {
  return (mix(mix(mix(0x9e3779b9, seed), index), salt) >>> 0) / 2 ** 32
}

/** The finishing steps of MurmurHash3: a few multiplications, so that a million rows cost little. */
function mix(state: number, part: number): number {
  let hash = Math.imul(state ^ part, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

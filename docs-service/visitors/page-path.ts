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

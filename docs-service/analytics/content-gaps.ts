import { type AnalyticsQuery, cursorAt } from './query.ts'
import { fraction, pagePath } from './site.ts'

/**
 * Content gaps of the site, each next to plenty of harmless noise: a page that most find unhelpful, and a page with
 * questions that the assistant can't answer.
 */
const BADLY_RATED = { path: '/guides/restore', up: 7, down: 14 }
const UNANSWERED_PATH = '/sdks/tokens'

/** All counts of votes are for a period of this many days. */
const USUAL_DAYS = 28
const DAY_MS = 86_400_000
const SITE = 'https://docs.example.com'

export function feedbackOf({ limit, ...period }: AnalyticsQuery) {
  const count = (votes: number) => Math.round(votes * lengthOf(period))
  const rated = Array.from({ length: 60 }, (_, rank) => {
    const votes = 3 + 27 * fraction(rank, 1)
    const down = votes * (0.15 + 0.2 * fraction(rank, 2))
    return { path: pagePath(rank), up: votes - down, down }
  })
  const rows = rated
    .map((page) => (page.path === BADLY_RATED.path ? BADLY_RATED : page))
    .map(({ path, up, down }) => ({ path, thumbsUp: count(up), thumbsDown: count(down), code: 0 }))
    .map((row) => ({ ...row, total: row.thumbsUp + row.thumbsDown }))
    .filter(({ total }) => total > 0)
  return { feedback: rows.slice(0, limit), hasMore: rows.length > limit }
}

export function conversationsOf({ fromMs, toMs, limit, offset }: AnalyticsQuery) {
  const first = fromMs / DAY_MS
  const days = Array.from({ length: toMs / DAY_MS - first }, (_, index) => first + index)
  const all = days.flatMap(questionsOn)
  const hasMore = offset + limit < all.length
  return {
    conversations: all.slice(offset, offset + limit),
    nextCursor: hasMore ? cursorAt(offset + limit) : null,
    hasMore,
  }
}

function questionsOn(day: number) {
  return Array.from({ length: 4 + (day % 4) }, (_, index) => {
    // Any 28 days have the same number of such questions.
    const isStuck = index === 0 && day % 4 === 0
    const path = isStuck ? UNANSWERED_PATH : pagePath(Math.floor(40 * fraction(day, index)))
    return {
      id: `conversation-${day}-${index}`,
      timestamp: new Date((day + index / 24) * DAY_MS).toISOString(),
      query: 'How do I set this up?',
      response: 'As this page explains.',
      responseType: 'answer',
      sources: [],
      resolutionStatus: isStuck ? 'unanswered' : 'answered',
      queryCategory: null,
      pageUrl: `${SITE}${path}`,
    }
  })
}

function lengthOf({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number {
  return (toMs - fromMs) / (USUAL_DAYS * DAY_MS)
}

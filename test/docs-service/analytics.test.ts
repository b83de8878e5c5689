import { expect, test } from 'vitest'
import type { conversationsOf, feedbackOf, searchesOf } from '../../docs-service/analytics/signals.ts'
import type { visitorsOf } from '../../docs-service/analytics/visitors.ts'
import { answerOf, send, startService, statusOf } from './started-service.ts'

const ANALYTICS = '/v1/analytics/docs'
const FOUR_WEEKS = 'dateFrom=2026-07-06&dateTo=2026-08-03'
const CALLS = {
  visitors: `GET ${ANALYTICS}/visitors`,
  feedback: `GET ${ANALYTICS}/feedback/by-page`,
  searches: `GET ${ANALYTICS}/searches`,
  assistant: `GET ${ANALYTICS}/assistant`,
}
type Answers = {
  visitors: ReturnType<typeof visitorsOf>
  feedback: ReturnType<typeof feedbackOf>
  searches: ReturnType<typeof searchesOf>
  assistant: ReturnType<typeof conversationsOf>
}
type Name = keyof Answers

async function get<Call extends Name>(name: Call, query = ''): Promise<Answers[Call]> {
  return answerOf((await startService()).service, `${CALLS[name]}?${query}`)
}

// The fields of the vendor's description, as matchers: every field, and no other.
const TEXT = expect.stringMatching(/./)
const TEXT_OR_NULL = expect.toBeOneOf([TEXT, null])
const COUNT = expect.toSatisfy((value) => Number.isInteger(value) && value >= 0)
const SHARE = expect.toSatisfy((value) => value >= 0 && value <= 1)
const DATE = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const URL = expect.stringMatching(/^https?:\/\//)
const VISITORS = { human: COUNT, ai: COUNT, total: COUNT }
const VOTES = { path: TEXT, thumbsUp: COUNT, thumbsDown: COUNT, code: COUNT, total: COUNT }
const CLICKS = { topClickedPage: TEXT_OR_NULL, lastSearchedAt: DATE }
const SEARCH = { searchQuery: TEXT, hits: COUNT, ctr: SHARE, ...CLICKS }
const CONVERSATION = {
  id: TEXT,
  timestamp: DATE,
  query: TEXT,
  response: TEXT,
  responseType: TEXT,
  sources: expect.toBeOneOf([[], [{ title: TEXT, url: URL }]]),
  resolutionStatus: expect.toBeOneOf(['answered', 'unanswered']),
  queryCategory: TEXT_OR_NULL,
  pageUrl: TEXT_OR_NULL,
}

test.each<[Name, object]>([
  ['visitors', { totals: VISITORS, visitors: Array(50).fill({ path: TEXT, ...VISITORS }), hasMore: true }],
  ['feedback', { feedback: Array(10).fill(VOTES), hasMore: true }],
  ['searches', { searches: Array(50).fill(SEARCH), totalSearches: COUNT, nextCursor: TEXT }],
  ['assistant', { conversations: Array(100).fill(CONVERSATION), nextCursor: TEXT, hasMore: true }],
])('%s answers as the vendor describes it, with its usual number of rows', async (name, shape) => {
  const answer = await get(name)
  expect(answer).toStrictEqual(shape)
  expect(await get(name)).toEqual(answer)
})

test('all calls and projects share the hourly limit, and wrong queries do not count', async () => {
  const projects = ['docs', 'blog']
  const { service, pass } = await startService({ projects, limits: { analyticsPerHour: 4 } })
  expect(await statusOf(service, `${CALLS.visitors}?limit=0`)).toBe(400)
  expect(await statusOf(service, 'GET /v1/analytics/blog/visitors')).toBe(200)
  pass(600_000)
  for (const name of ['feedback', 'searches', 'assistant'] as const) {
    expect(await statusOf(service, CALLS[name])).toBe(200)
  }
  const refused = await send(service, CALLS.visitors)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3000'])
  pass(3_000_000)
  expect(await statusOf(service, CALLS.assistant)).toBe(200)
  expect(await statusOf(service, CALLS.assistant)).toBe(429)
})

test('one page is rated down by two of three, no other by half, and a source narrows votes down', async () => {
  const query = `${FOUR_WEEKS}&limit=100&status=pending,in_progress`
  const { feedback, hasMore } = await get('feedback', query)
  const bad = feedback.filter(({ thumbsUp, thumbsDown }) => thumbsDown > thumbsUp)
  expect(bad).toMatchObject([{ path: '/guides/restore', thumbsUp: 7, thumbsDown: 14 }])
  expect([feedback.length, hasMore]).toEqual([60, false])
  const { feedback: ofCode } = await get('feedback', `${FOUR_WEEKS}&source=code_snippet`)
  expect(ofCode[0]).toMatchObject({ thumbsUp: 0, thumbsDown: 0, code: expect.any(Number) })
  expect(await get('feedback', 'source=agent')).toEqual({ feedback: [], hasMore: false })
})

test('of frequent searches one finds nothing, and rare ones hold what strangers write', async () => {
  const { searches, totalSearches } = await get('searches', `${FOUR_WEEKS}&limit=100`)
  const inVain = searches.filter(({ hits, ctr }) => hits >= 5 && ctr < 0.3)
  expect(inVain).toMatchObject([{ searchQuery: 'export to csv', hits: 38, ctr: 0.0263 }])
  expect(searches.find(({ searchQuery }) => searchQuery.includes('<img'))).toMatchObject({ hits: 2 })
  expect(totalSearches).toBe(searches.reduce((sum, { hits }) => sum + hits, 0))
})

test('questions about one page stay unanswered on several days, and about no other', async () => {
  const { conversations, hasMore } = await get('assistant', `${FOUR_WEEKS}&limit=1000`)
  const unanswered = conversations.filter(({ resolutionStatus }) => resolutionStatus === 'unanswered')
  const byPage = Object.entries(Object.groupBy(unanswered, ({ pageUrl }) => pageUrl ?? ''))
  const often = byPage.filter(([, questions]) => (questions ?? []).length > 2)
  expect(often).toEqual([['https://docs.example.com/sdks/tokens', expect.objectContaining({ length: 7 })]])
  expect(byPage.length).toBeGreaterThan(5)
  expect(hasMore).toBe(false)
})

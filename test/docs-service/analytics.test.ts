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

test.each<[Name, string, string]>([
  ['visitors', 'limit=0', 'limit must be a whole number from 1 to 250'],
  ['visitors', 'limit=251', 'limit must be a whole number from 1 to 250'],
  ['visitors', 'offset=-1', 'offset must be a whole number from 0 to 999999999'],
  ['visitors', 'dateTo=2026-02-30', 'dateTo must be a date as YYYY-MM-DD or ISO 8601'],
  ['visitors', 'dateFrom=2026-02-02&dateTo=2026-02-01', 'dateFrom must not be after dateTo'],
  ['feedback', 'limit=101', 'limit must be a whole number from 1 to 100'],
  ['feedback', 'status=open', 'status must be a list of pending, in_progress, resolved, dismissed'],
  ['feedback', 'source=mail', 'source must be code_snippet or contextual or agent'],
  ['searches', 'limit=101', 'limit must be a whole number from 1 to 100'],
  ['searches', 'cursor=abc', 'cursor must be the nextCursor of an earlier answer'],
  ['assistant', 'limit=1001', 'limit must be a whole number from 1 to 1000'],
  ['assistant', 'dateFrom=today', 'dateFrom must be a date as YYYY-MM-DD or ISO 8601'],
])('%s with %s is refused: %s', async (name, query, message) => {
  const { service } = await startService()
  const response = await send(service, `${CALLS[name]}?${query}`)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: 'Invalid query parameters', details: [{ message }] })
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

test.each([0, 1, 251, 1000, 7907])('a site of %i pages lists each page once', async (pages) => {
  const { service } = await startService({ pages })
  const paths: string[] = []
  for (let more = true; more; ) {
    const call = `${CALLS.visitors}?limit=250&offset=${paths.length}`
    const { visitors, hasMore } = await answerOf<Answers['visitors']>(service, call)
    paths.push(...visitors.map(({ path }) => path))
    more = hasMore
  }
  expect([paths.length, new Set(paths).size]).toEqual([pages, pages])
})

test('totals are no sum of rows, and the week before differs', async () => {
  const week = await get('visitors', 'dateFrom=2026-07-27&dateTo=2026-08-03&limit=250')
  const before = await get('visitors', 'dateFrom=2026-07-20&dateTo=2026-07-27&limit=250')
  for (const kind of ['human', 'ai', 'total'] as const) {
    const counts = week.visitors.map((row) => row[kind])
    expect(week.totals[kind]).toBeGreaterThanOrEqual(Math.max(...counts))
    expect(week.totals[kind]).toBeLessThan(counts.reduce((sum, count) => sum + count))
  }
  expect(week.totals.total).toBeLessThan(week.totals.human + week.totals.ai)
  expect(before.totals).not.toEqual(week.totals)
})

test.each<[Name, object]>([
  ['visitors', { totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false }],
  ['feedback', { feedback: [], hasMore: false }],
  ['searches', { searches: [], totalSearches: 0, nextCursor: null }],
  ['assistant', { conversations: [], nextCursor: null, hasMore: false }],
])('an empty period has no rows of %s', async (name, empty) => {
  expect(await get(name, 'dateFrom=2026-08-03&dateTo=2026-08-03')).toEqual(empty)
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

test.each(['searches', 'assistant'] as const)('%s can be read page after page', async (name) => {
  const read = async (query: string) => {
    const answer = await get(name, `${FOUR_WEEKS}&${query}`)
    const rows: readonly object[] = 'searches' in answer ? answer.searches : answer.conversations
    return { rows, cursor: answer.nextCursor }
  }
  const first = await read('limit=30')
  const second = await read(`limit=30&cursor=${first.cursor}`)
  const both = await read('limit=60')
  expect(both).toEqual({ rows: [...first.rows, ...second.rows], cursor: second.cursor })
  expect((await read(`limit=100&cursor=row-300`)).cursor).toBeNull()
})

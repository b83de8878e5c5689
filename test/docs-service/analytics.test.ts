import { expect, test } from 'vitest'
import { answerOf, startService } from './started-service.ts'

const CALLS = {
  visitors: 'GET /v1/analytics/docs/visitors',
  views: 'GET /v1/analytics/docs/views',
  feedback: 'GET /v1/analytics/docs/feedback/by-page',
  searches: 'GET /v1/analytics/docs/searches',
  assistant: 'GET /v1/analytics/docs/assistant',
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
  responseType: expect.toBeOneOf(['answer', 'clarifying_question']),
  sources: expect.toBeOneOf([[], [{ title: TEXT, url: URL }]]),
  resolutionStatus: expect.toBeOneOf(['answered', 'unanswered']),
  queryCategory: TEXT_OR_NULL,
  pageUrl: TEXT_OR_NULL,
}

test.each<[keyof typeof CALLS, object]>([
  [
    'visitors',
    { totals: VISITORS, visitors: Array(50).fill({ path: TEXT, ...VISITORS }), hasMore: true },
  ],
  [
    'views',
    { totals: VISITORS, views: Array(50).fill({ path: TEXT, ...VISITORS }), hasMore: true },
  ],
  ['feedback', { feedback: Array(10).fill(VOTES), hasMore: true }],
  ['searches', { searches: Array(50).fill(SEARCH), totalSearches: COUNT, nextCursor: TEXT }],
  ['assistant', { conversations: Array(100).fill(CONVERSATION), nextCursor: TEXT, hasMore: true }],
])('%s answers as the vendor describes it, with its usual number of rows', async (name, shape) => {
  const [first, second] = [await startService(), await startService()]
  const answer = await answerOf(first.service, CALLS[name])
  expect(answer).toStrictEqual(shape)
  expect(await answerOf(second.service, CALLS[name])).toEqual(answer)
})

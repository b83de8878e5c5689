import { expect, onTestFinished, test } from 'vitest'
import { startDocsService } from '../../docs-service/service.ts'

// The fields of the vendor's description, as matchers: every field, and no other.
const TEXT = expect.stringMatching(/./)
const COUNT = expect.toSatisfy((value) => Number.isInteger(value) && value >= 0)
const DATE = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const VISITORS = { human: COUNT, ai: COUNT, total: COUNT }
const VOTES = { path: TEXT, thumbsUp: COUNT, thumbsDown: COUNT, code: COUNT, total: COUNT }
const CONVERSATION = {
  id: TEXT,
  timestamp: DATE,
  query: TEXT,
  response: TEXT,
  responseType: 'answer',
  sources: [],
  resolutionStatus: expect.toBeOneOf(['answered', 'unanswered']),
  queryCategory: null,
  pageUrl: TEXT,
}

test.each<[string, object]>([
  [
    'visitors',
    { totals: VISITORS, visitors: Array(50).fill({ path: TEXT, ...VISITORS }), hasMore: true },
  ],
  ['feedback/by-page', { feedback: Array(10).fill(VOTES), hasMore: true }],
  ['assistant', { conversations: Array(100).fill(CONVERSATION), nextCursor: TEXT, hasMore: true }],
])('%s answers as the vendor describes it, with its usual number of rows', async (path, shape) => {
  const answers = [0, 1].map(async () => {
    const service = await startDocsService({ agent: 'none', now: () => Date.UTC(2026, 7, 3, 12) })
    onTestFinished(() => service.close())
    const headers = { authorization: `Bearer ${service.key}` }
    return (await fetch(`${service.url}/v1/analytics/docs/${path}`, { headers })).json()
  })
  const [answer, other] = await Promise.all(answers)
  expect(answer).toStrictEqual(shape)
  expect(other).toEqual(answer)
})

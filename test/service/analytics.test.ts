import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DocsService as FakeService, startDocsService } from '../../docs-service/service.ts'
import { HttpClient } from '../../src/lib/http.ts'
import { createSystemClock } from '../../src/lib/time.ts'
import { getQuestions, getRatings, getSearches, getVisitors } from '../../src/service/analytics.ts'
import { DocsService } from '../../src/service/client.ts'

const dates = { dateFrom: '2026-07-06', dateTo: '2026-08-03' }
const totals = { human: 3, ai: 2, total: 4 }
const row = { path: '/', human: 1, ai: 0, total: 1 }
const answer = { totals, visitors: [row], hasMore: true }

let docs: FakeService
let service: DocsService

beforeAll(async () => {
  docs = await startDocsService({ agent: 'none', limits: { analyticsPerHour: Number.POSITIVE_INFINITY } })
  const clock = createSystemClock()
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  service = new DocsService({
    baseUrl: new URL(docs.url),
    projectId: 'docs',
    apiKey: docs.key,
    http: new HttpClient({ proxy, clock, timeoutMs: 10_000 }),
    clock,
    redact: (text) => text,
  })
})

afterAll(() => docs.close())

/** Makes the service answer the next request with this body. */
function answerWith(body: unknown): void {
  docs.faults.add({ kind: 'body', body })
}

async function visitorsIn(body: unknown): ReturnType<typeof getVisitors> {
  answerWith(body)
  return await getVisitors(service, { ...dates, limit: 250, offset: 0 })
}

describe('the visitors', () => {
  it('are requested as documented, and read as they are, unknown fields or not', async () => {
    expect(await visitorsIn({ ...answer, cursor: 'x' })).toEqual({
      totals,
      rows: [row],
      invalidRows: 0,
      hasMore: true,
      isOdd: false,
    })
    expect(docs.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: '/v1/analytics/docs/visitors',
      query: { ...dates, limit: '250', offset: '0' },
    })
  })

  it.each<[string, unknown]>([
    ['a list', []],
    ['nothing in it', {}],
    ['a total that is missing', { ...answer, totals: { human: 1, ai: 1 } }],
    ['a negative total', { ...answer, totals: { ...totals, ai: -1 } }],
    ['a total as text', { ...answer, totals: { ...totals, ai: '2' } }],
    ['a total beyond 2^53', { ...answer, totals: { ...totals, ai: 2 ** 53 } }],
  ])('with %s cannot be read', async (_name, body) => {
    await expect(visitorsIn(body)).rejects.toThrow(
      'with JSON whose `totals` are not numbers for human, ai and total',
    )
  })

  it('have their decimals rounded', async () => {
    const body = {
      totals: { human: 2.5, ai: 0.4, total: 2.6 },
      visitors: [{ path: '/', human: 1.49, ai: 0.5, total: 1.99 }],
      hasMore: false,
    }
    expect(await visitorsIn(body)).toMatchObject({
      totals: { human: 3, ai: 0, total: 3 },
      rows: [{ path: '/', human: 1, ai: 1, total: 2 }],
      invalidRows: 0,
    })
  })

  it.each<[string, unknown]>([
    ['no row at all', null],
    ['a list', ['/', 1, 0, 1]],
    ['a row without a path', { human: 1, ai: 0, total: 1 }],
    ['a row with an empty path', { ...row, path: '' }],
    ['a row whose path is no text', { ...row, path: 7 }],
    ['a row with a count below zero', { ...row, ai: -0.6 }],
    ['a row with a count that is no number', { ...row, human: '1' }],
    ['a row without a count', { path: '/', human: 1, ai: 0 }],
  ])('with %s leave that out and count it', async (_name, odd) => {
    const other = { ...row, path: '/other' }
    expect(await visitorsIn({ ...answer, visitors: [row, odd, other] })).toMatchObject({
      rows: [row, other],
      invalidRows: 1,
      isOdd: false,
    })
  })

  it.each<[string, unknown]>([
    ['without hasMore', { totals, visitors: [row] }],
    ['with hasMore as text', { ...answer, hasMore: 'true' }],
    ['without rows', { totals, hasMore: false }],
    ['with rows in an object', { ...answer, visitors: { 0: row } }],
  ])('%s are odd, and read as far as they can be', async (_name, body) => {
    expect(await visitorsIn(body)).toMatchObject({ totals, isOdd: true })
  })

  it('lose no more than the one row that is odd, whatever that is', async () => {
    const rows = Array.from({ length: 5 }, (_, index) => ({ ...row, path: `/${index}` }))
    const fields = fc.constantFrom('path', 'human', 'ai', 'total', 'all')
    await fc.assert(
      fc.asyncProperty(fields, fc.jsonValue(), async (field, odd) => {
        const changed = field === 'all' ? odd : { ...row, [field]: odd }
        const found = await visitorsIn({ ...answer, visitors: rows.with(2, changed as never) })
        expect(found.rows.map(({ path }) => path)).toEqual(expect.arrayContaining(['/0', '/1', '/3', '/4']))
        expect(found.rows.length + found.invalidRows).toBe(5)
      }),
    )
  })
})

describe('the ratings', () => {
  it('are requested as documented, and read', async () => {
    const rows = [
      { path: '/a', thumbsUp: 7, thumbsDown: 14, code: 2, total: 23 },
      { path: '/a b', thumbsUp: 1, thumbsDown: 0 },
      { path: '/c', thumbsUp: 1 },
      { thumbsUp: 1, thumbsDown: 0 },
    ]
    answerWith({ feedback: rows, hasMore: true })
    const found = await getRatings(service, dates)
    expect(found).toMatchObject({ invalidRows: 2 })
    expect(found.rows.map(({ page, up, down }) => [page?.text, up, down])).toEqual([
      ['/a', 7, 14],
      [undefined, 1, 0],
    ])
    expect(docs.requests.at(-1)).toMatchObject({
      path: '/v1/analytics/docs/feedback/by-page',
      query: { ...dates, limit: '100', status: 'pending,in_progress' },
    })
  })
})

describe('the searches', () => {
  it('are requested as documented, and read', async () => {
    const rows = [
      { searchQuery: 'export csv', hits: 38, ctr: 0.026, topClickedPage: null },
      { searchQuery: 'jane@example.com', hits: 5, ctr: 0 },
      { searchQuery: 'odd', hits: 5, ctr: 60 },
      { searchQuery: 'odd', hits: 5 },
      { searchQuery: 7, hits: 5, ctr: 0 },
    ]
    answerWith({ searches: rows, totalSearches: 43, nextCursor: null })
    const found = await getSearches(service, dates)
    expect(found).toMatchObject({ invalidRows: 3 })
    expect(found.rows.map(({ term, hits, clickRate }) => [term?.text, hits, clickRate])).toEqual([
      ['export csv', 38, 0.026],
      [undefined, 5, 0],
    ])
    expect(docs.requests.at(-1)).toMatchObject({
      path: '/v1/analytics/docs/searches',
      query: { ...dates, limit: '100' },
    })
  })
})

describe('the questions', () => {
  it('are requested as documented, and read without a word of them', async () => {
    const asked = {
      id: 'c1',
      timestamp: '2026-07-10T12:00:00Z',
      query: 'my password is hunter2',
      response: 'Never say that.',
      sources: [{ title: 'Secret', url: 'https://docs.example.com/secret' }],
      resolutionStatus: 'unanswered',
      queryCategory: 'Billing',
      pageUrl: 'https://docs.example.com/guides/x?user=jane',
    }
    const rows = [
      asked,
      { ...asked, resolutionStatus: 'answered', pageUrl: null, queryCategory: null },
      { ...asked, timestamp: 7 },
      { ...asked, resolutionStatus: 'perhaps' },
    ]
    answerWith({ conversations: rows, nextCursor: 'x', hasMore: true })
    const found = await getQuestions(service, dates)
    expect(found).toMatchObject({ invalidRows: 2 })
    expect(found.rows.map((each) => Object.keys(each))).toEqual([
      ['day', 'isAnswered', 'page', 'category'],
      ['day', 'isAnswered', 'page', 'category'],
    ])
    const [first, second] = found.rows
    expect([first?.day, first?.isAnswered, first?.page?.text, first?.category?.text]).toEqual([
      '2026-07-10',
      false,
      '/guides/x',
      'Billing',
    ])
    expect(second).toMatchObject({ isAnswered: true, page: undefined, category: undefined })
    expect(docs.requests.at(-1)).toMatchObject({
      path: '/v1/analytics/docs/assistant',
      query: { ...dates, limit: '1000' },
    })
  })
})

describe('a list', () => {
  it.each<[string, unknown]>([
    ['no list', { feedback: { 0: {} } }],
    ['another field', { ratings: [] }],
    ['rows of another shape alone', { feedback: [{ page: '/a', up: 1, down: 2 }] }],
    ['no object', []],
  ])('with %s cannot be read', async (_name, body) => {
    answerWith(body)
    await expect(getRatings(service, dates)).rejects.toThrow('JSON of another shape than documented')
  })

  it('may be empty', async () => {
    answerWith({ feedback: [], hasMore: false })
    expect(await getRatings(service, dates)).toEqual({ rows: [], invalidRows: 0 })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DocsService as FakeService, startDocsService } from '../../docs-service/service.ts'
import {
  getQuestions,
  getRatings,
  getReads,
  getSearches,
  getVisitors,
  PublicNames,
} from '../../src/service/analytics.ts'
import type { DocsService } from '../../src/service/docs-service.ts'
import { serviceAt } from './service-at.ts'

const dates = { dateFrom: '2026-07-06', dateTo: '2026-08-03' }
const names = new PublicNames((text) => text)
const totals = { human: 3, ai: 2, total: 4 }
const row = { path: '/', human: 1, ai: 0, total: 1 }
const answer = { totals, visitors: [row], hasMore: true }

let docs: FakeService
let service: DocsService

beforeAll(async () => {
  docs = await startDocsService({
    agent: 'none',
    limits: { analyticsPerHour: Number.POSITIVE_INFINITY },
  })
  service = serviceAt(docs.url, docs.key)
})

afterAll(() => docs.close())

/** Makes the service answer the next request with this body. */
function answerWith(body: unknown): void {
  docs.faults.add({ kind: 'body', body })
}

async function visitorsIn(body: unknown): ReturnType<typeof getVisitors> {
  answerWith(body)
  return await getVisitors(service, { dates, names }, { limit: 250, offset: 0 })
}

/** What the service was asked last, as documented. */
function expectAsked(path: string, query: Readonly<Record<string, string>>): void {
  const asked = { method: 'GET', path: `/v1/analytics/docs/${path}`, query: { ...dates, ...query } }
  expect(docs.requests.at(-1)).toMatchObject(asked)
}

describe('the visitors', () => {
  it('are requested as documented, and read as they are, unknown fields or not', async () => {
    const read = { totals, rows: [row], invalidRows: 0, hasMore: true, isOdd: false }
    expect(await visitorsIn({ ...answer, cursor: 'x' })).toEqual(read)
    expectAsked('visitors', { limit: '250', offset: '0' })
  })

  it.each([
    {},
    { ...answer, totals: { human: 1, ai: 1 } },
    { ...answer, totals: { ...totals, ai: -1 } },
    { ...answer, totals: { ...totals, ai: '2' } },
    { ...answer, totals: { ...totals, ai: 2 ** 53 } },
  ])('cannot be read without totals: %j', async (body) => {
    const says = 'with JSON whose `totals` are not numbers for human, ai and total'
    await expect(visitorsIn(body)).rejects.toThrow(says)
  })

  it('have their decimals rounded', async () => {
    const decimal = { path: '/', human: 1.49, ai: 0.5, total: 1.99 }
    const body = { ...answer, totals: { human: 2.5, ai: 0.4, total: 2.6 }, visitors: [decimal] }
    const rows = [{ path: '/', human: 1, ai: 1, total: 2 }]
    expect(await visitorsIn(body)).toMatchObject({ totals: { human: 3, ai: 0, total: 3 }, rows })
  })

  it.each([
    null,
    { human: 1, ai: 0, total: 1 },
    { ...row, path: '' },
    { ...row, path: 7 },
    { ...row, total: null },
    { ...row, ai: -0.6 },
    { ...row, human: '1' },
  ])('leave out and count the row %j', async (odd) => {
    const other = { ...row, path: '/other' }
    const read = { rows: [row, other], invalidRows: 1, isOdd: false }
    expect(await visitorsIn({ ...answer, visitors: [row, odd, other] })).toMatchObject(read)
  })

  it.each([
    { totals, visitors: [row] },
    { ...answer, hasMore: 'true' },
    { totals, hasMore: false },
    { totals, visitors: { 0: row }, hasMore: false },
  ])('are odd, and read as far as they can be: %j', async (body) => {
    expect(await visitorsIn(body)).toMatchObject({ totals, hasMore: false, isOdd: true })
  })
})

it('the reads are requested as documented, and read', async () => {
  answerWith({ totals, views: [row], hasMore: true })
  expect(await getReads(service, { dates, names })).toEqual(totals)
  expectAsked('views', { limit: '1' })
  answerWith({ views: [row] })
  await expect(getReads(service, { dates, names })).rejects.toThrow('`totals`')
})

it('the ratings are requested as documented, and read', async () => {
  const feedback = [
    { path: '/a', thumbsUp: 7, thumbsDown: 14, code: 2, total: 23 },
    { path: '/a b', thumbsUp: 1, thumbsDown: 0 },
    { path: '/c', thumbsUp: 1 },
    { thumbsUp: 1, thumbsDown: 0 },
  ]
  answerWith({ feedback, hasMore: true })
  const { rows, invalidRows } = await getRatings(service, { dates, names })
  expect(rows.map(({ page, ...counts }) => ({ page: page.forPeople, ...counts }))).toEqual([
    { page: '/a', up: 7, down: 14 },
    { page: undefined, up: 1, down: 0 },
  ])
  expect(invalidRows).toBe(2)
  expectAsked('feedback/by-page', { limit: '100', status: 'pending,in_progress' })
})

it('the searches are requested as documented, and read', async () => {
  const searches = [
    { searchQuery: 'export csv', hits: 38, ctr: 0.026, topClickedPage: null },
    { searchQuery: 'jane@example.com', hits: 5, ctr: 0 },
    { searchQuery: 'odd', hits: 5, ctr: 60 },
    { searchQuery: 'odd', hits: 5 },
    { searchQuery: 7, hits: 5, ctr: 0 },
  ]
  answerWith({ searches, totalSearches: 43, nextCursor: null })
  const { rows, invalidRows } = await getSearches(service, { dates, names })
  expect(rows.map(({ term, ...counts }) => ({ term: term.forPeople, ...counts }))).toEqual([
    { term: 'export csv', hits: 38, clickRate: 0.026 },
    { term: undefined, hits: 5, clickRate: 0 },
  ])
  expect(invalidRows).toBe(3)
  expectAsked('searches', { limit: '100' })
})

it('the questions are requested as documented, and read without a word of them', async () => {
  const words = {
    query: 'my password is hunter2',
    response: 'Never say that.',
    sources: [{ title: 'Secret' }],
  }
  const pageUrl = 'https://docs.example.com/guides/x?user=jane'
  const about = { timestamp: '2026-07-10T12:00:00Z', queryCategory: 'Billing', pageUrl }
  const asked = { id: 'c1', ...words, ...about, resolutionStatus: 'unanswered' }
  const conversations = [
    asked,
    { ...asked, resolutionStatus: 'answered', pageUrl: null, queryCategory: null },
    { ...asked, responseType: 'clarifying_question', resolutionStatus: 'answered' },
    { ...asked, timestamp: 7 },
    { ...asked, resolutionStatus: 'perhaps' },
  ]
  answerWith({ conversations, nextCursor: 'x', hasMore: true })
  const { rows, invalidRows } = await getQuestions(service, { dates, names })
  const shown = rows.map((each) => ({
    ...each,
    page: each.page?.forPeople,
    category: each.category?.forPeople,
  }))
  expect(shown).toEqual([
    { day: '2026-07-10', isAnswered: false, page: '/guides/x', category: 'Billing' },
    { day: '2026-07-10', isAnswered: true, page: undefined, category: undefined },
  ])
  expect(invalidRows).toBe(2)
  expectAsked('assistant', { limit: '1000' })
})

const other = [{ page: '/a', up: 1, down: 2 }]
it.each([{ feedback: { 0: {} } }, { ratings: [] }, { feedback: other }])(
  'no list is in %j',
  async (body) => {
    answerWith(body)
    await expect(getRatings(service, { dates, names })).rejects.toThrow(
      'JSON that does not match the documentation',
    )
  },
)

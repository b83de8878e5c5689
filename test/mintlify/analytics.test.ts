import { describe, expect, it } from 'vitest'
import { QUESTIONS, RATINGS, READS, SEARCHES, visitorsCall } from '../../src/mintlify/analytics.ts'

// Which requests are made, with which parameters, is tested in `readers`.
const totals = { human: 3, ai: 2, total: 4 }
const row = { path: '/', human: 1, ai: 0, total: 1 }
const answer = { totals, visitors: [row], hasMore: true }
const visitorsIn = (json: unknown) => visitorsCall(0).read(json)
const ODD_TOTALS = 'JSON whose `totals` are not numbers for human, ai and total'

describe('the visitors', () => {
  it.each([
    undefined,
    {},
    { ...answer, totals: { human: 1, ai: 1 } },
    { ...answer, totals: { ...totals, ai: -1 } },
    { ...answer, totals: { ...totals, ai: '2' } },
    { ...answer, totals: { ...totals, ai: 2 ** 53 } },
  ])('cannot be read without totals: %j', (json) => {
    expect(visitorsIn(json)).toBe(ODD_TOTALS)
  })

  it('are read as they are, decimals rounded, unknown fields or not', () => {
    const decimal = { path: '/a', human: 1.49, ai: 0.5, total: 1.99 }
    const given = { human: 2.5, ai: 0.4, total: 2.6 }
    const visitors = [{ ...row, cursor: 'x' }, decimal]
    expect(visitorsIn({ ...answer, totals: given, visitors, cursor: 'x' })).toEqual({
      totals: { human: 3, ai: 0, total: 3 },
      rows: [row, { path: '/a', human: 1, ai: 1, total: 2 }],
      invalidRows: 0,
      hasMore: true,
      isOdd: false,
    })
  })

  it.each([
    null,
    { human: 1, ai: 0, total: 1 },
    { ...row, path: '' },
    { ...row, path: 7 },
    { ...row, total: null },
    { ...row, ai: -0.6 },
    { ...row, human: '1' },
  ])('leave out and count the row %j', (odd) => {
    const other = { ...row, path: '/other' }
    const read = { rows: [row, other], invalidRows: 1, isOdd: false }
    expect(visitorsIn({ ...answer, visitors: [row, odd, other] })).toMatchObject(read)
  })

  it.each([
    { totals, visitors: [row] },
    { ...answer, hasMore: 'true' },
    { totals, hasMore: false },
    { totals, visitors: { 0: row }, hasMore: false },
  ])('are odd, and read as far as they can be: %j', (json) => {
    expect(visitorsIn(json)).toMatchObject({ totals, hasMore: false, isOdd: true })
  })
})

it('the reads are the totals of the views', () => {
  expect(READS.read({ totals, views: [row], hasMore: true })).toEqual(totals)
  expect(READS.read({ views: [row] })).toBe(ODD_TOTALS)
})

const named = (of: string, text: string) => expect.objectContaining({ of, forPeople: text })
const asked = {
  query: 'my password is hunter2',
  response: 'Never say that.',
  sources: [{ title: 'Secret' }],
  timestamp: '2026-07-10T12:00:00Z',
  resolutionStatus: 'unanswered',
  queryCategory: 'Billing',
  pageUrl: 'https://docs.example.com/guides/x?user=jane',
}
const question = { day: '2026-07-10', isAnswered: false, name: named('path', '/guides/x') }

// What is in the list, what is read of it, and how many rows are odd.
const LISTS: [string, typeof RATINGS | typeof SEARCHES | typeof QUESTIONS, unknown[], unknown[]][] =
  [
    [
      'feedback',
      RATINGS,
      [
        { path: '/a', thumbsUp: 7, thumbsDown: 14, code: 2, total: 23 },
        { path: '/c', thumbsUp: 1 },
        { thumbsUp: 1, thumbsDown: 0 },
      ],
      [{ name: named('path', '/a'), up: 7, down: 14 }],
    ],
    [
      'searches',
      SEARCHES,
      [
        { searchQuery: 'export csv', hits: 38, ctr: 0.026, topClickedPage: null },
        { searchQuery: 'odd', hits: 5, ctr: 60 },
        { searchQuery: 'odd', hits: 5, ctr: -0.1 },
        { searchQuery: 'odd', hits: 5 },
        { searchQuery: 7, hits: 5, ctr: 0 },
      ],
      [{ name: named('search', 'export csv'), hits: 38, clickRate: 0.026 }],
    ],
    [
      'conversations',
      QUESTIONS,
      [asked, { ...asked, timestamp: 7 }, { ...asked, resolutionStatus: 'perhaps' }],
      [question],
    ],
  ]
it.each(LISTS)('the %s are read, and odd rows counted', (field, call, list, rows) => {
  const invalidRows = list.length - rows.length
  expect(call.read({ [field]: list, nextCursor: 'x' })).toEqual({ rows, invalidRows })
  expect(call.read({ [field]: [] })).toEqual({ rows: [], invalidRows: 0 })
  for (const json of [{ [field]: { 0: list[0] } }, { other: list }, { [field]: list.slice(-1) }, 7])
    expect(call.read(json)).toBeUndefined()
})

it('a question is read without a word of it: by its page, else by its category, else by none', () => {
  const conversations = [
    { ...asked, resolutionStatus: 'answered' },
    { ...asked, pageUrl: null },
    { ...asked, pageUrl: '', queryCategory: null },
    // One that got a question back is none.
    { ...asked, responseType: 'clarifying_question', resolutionStatus: 'answered' },
  ]
  expect(QUESTIONS.read({ conversations })).toEqual({
    rows: [
      { ...question, isAnswered: true },
      { ...question, name: named('category', 'Billing') },
      { ...question, name: undefined },
    ],
    invalidRows: 0,
  })
})

import { describe, expect, it } from 'vitest'
import { QUESTIONS, RATINGS, READS, SEARCHES, visitorsCall } from '../../src/mintlify/analytics.ts'

// Which requests are made, with which parameters, is tested in `readers`.
const totals = { human: 3, ai: 2, total: 4 }
const row = { path: '/', human: 1, ai: 0, total: 1 }
const answer = { totals, visitors: [row], hasMore: true }
const visitorsIn = (json: unknown) => visitorsCall(0).read(json)

describe('the visitors', () => {
  it.each([
    undefined,
    { ...answer, totals: { human: 1, ai: 1 } },
    { ...answer, totals: { ...totals, ai: -1 } },
    { ...answer, totals: { ...totals, ai: '2' } },
    { ...answer, totals: { ...totals, ai: 2 ** 53 } },
  ])('cannot be read without totals: %j', (json) => {
    expect(visitorsIn(json)).toMatch(/`totals`/)
  })

  it('are read as they are, with decimals rounded, whatever other fields there are', () => {
    const decimal = { path: '/a', human: 1.49, ai: 0.5, total: 1.99 }
    const given = { human: 2.5, ai: 0.4, total: 2.6 }
    const visitors = [{ ...row, cursor: 'x' }, decimal]
    expect(visitorsIn({ ...answer, totals: given, visitors, cursor: 'x' })).toEqual({
      totals: { human: 3, ai: 0, total: 3 },
      rows: [row, { path: '/a', human: 1, ai: 1, total: 2 }],
      invalidRows: 0,
      hasMore: true,
    })
  })

  it.each([
    null,
    { ...row, path: '' },
    { ...row, path: 7 },
    { ...row, total: null },
    { ...row, ai: -0.6 },
  ])('leave out and count the row %j', (odd) => {
    const other = { ...row, path: '/other' }
    const read = { rows: [row, other], invalidRows: 1 }
    expect(visitorsIn({ ...answer, visitors: [row, odd, other] })).toMatchObject(read)
  })

  it.each([
    { ...answer, hasMore: 'true' },
    { totals, visitors: { 0: row }, hasMore: false },
  ])('are incomplete, and read as far as they can be: %j', (json) => {
    expect(visitorsIn(json)).toMatchObject({ totals, hasMore: false, invalidRows: 1 })
  })
})

it('the reads are the totals of the views', () => {
  expect(READS.read({ totals, views: [row], hasMore: true })).toMatchObject({ totals })
  expect(READS.read({ views: [row] })).toMatch(/`totals`/)
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
const question = {
  atMs: Date.UTC(2026, 6, 10, 12),
  outcome: 'unanswered',
  name: named('path', '/guides/x'),
}

it.each([
  {
    field: 'feedback',
    call: RATINGS,
    list: [
      { path: '/a', thumbsUp: 7, thumbsDown: 14, code: 2, total: 23 },
      { path: '/c', thumbsUp: 1 },
      { thumbsUp: 1, thumbsDown: 0 },
    ],
    rows: [{ name: named('path', '/a'), up: 7, down: 14 }],
  },
  {
    field: 'searches',
    call: SEARCHES,
    list: [
      { searchQuery: 'export csv', hits: 38, ctr: 0.026, topClickedPage: null },
      { searchQuery: 'odd', hits: 5, ctr: 60 },
      { searchQuery: 'odd', hits: 5, ctr: -0.1 },
      { searchQuery: 7, hits: 5, ctr: 0 },
    ],
    rows: [{ name: named('search', 'export csv'), hits: 38, clickRate: 0.026 }],
  },
  {
    field: 'conversations',
    call: QUESTIONS,
    list: [
      asked,
      { ...asked, timestamp: 7 },
      { ...asked, timestamp: 'today' },
      { ...asked, resolutionStatus: 'perhaps' },
    ],
    rows: [question],
  },
])('the $field are read, with their next page, and odd rows are counted', (given) => {
  const { field, call, list, rows } = given
  const read = { rows, invalidRows: list.length - rows.length }
  const last = { hasMore: false, cursor: '' }
  expect(call.read({ [field]: list })).toEqual({ ...read, ...last })
  expect(call.read({ [field]: [], nextCursor: null })).toEqual({
    rows: [],
    invalidRows: 0,
    ...last,
  })
  const nextCursor = 'x'
  expect(call.read({ [field]: list, nextCursor })).toMatchObject({ hasMore: true, cursor: 'x' })
  expect(call.read({ [field]: list, nextCursor, hasMore: false })).toMatchObject(last)
  const more = { hasMore: true, cursor: '' }
  expect(call.read({ [field]: list, hasMore: true })).toMatchObject(more)
  for (const json of [{ [field]: { 0: list[0] } }, { other: list }, { [field]: list.slice(-1) }, 7])
    expect(call.read(json)).toBeUndefined()
})

it('a question is read without its words: by its page, otherwise by its category', () => {
  const conversations = [
    { ...asked, resolutionStatus: 'answered' },
    { ...asked, pageUrl: null },
    { ...asked, pageUrl: '', queryCategory: null },
    { ...asked, responseType: 'clarifying_question', resolutionStatus: 'answered' },
  ]
  expect(QUESTIONS.read({ conversations })).toMatchObject({
    rows: [
      { ...question, outcome: 'answered' },
      { ...question, name: named('category', 'Billing') },
      { ...question, name: undefined },
      { ...question, outcome: 'clarifying' },
    ],
    invalidRows: 0,
  })
})

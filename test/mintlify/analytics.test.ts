import { describe, expect, it } from 'vitest'
import { QUESTIONS, RATINGS, SEARCHES, visitorsCall } from '../../src/mintlify/analytics.ts'

// Which requests are made, with which parameters, is tested in `visitors`.
const totals = { human: 3, ai: 2, total: 4 }
const row = { path: '/', human: 1, ai: 0, total: 1 }
const answer = { totals, visitors: [row], hasMore: true }
const visitorsIn = (json: unknown) => visitorsCall(0).read(json)

describe('the visitors', () => {
  it.each([
    { ai: 1, total: 1 },
    { human: 1, ai: 1 },
    { ...totals, ai: '2' },
    { ...totals, ai: 2 ** 53 },
  ])('cannot be read without totals: %j', (odd) => {
    expect(visitorsIn({ ...answer, totals: odd })).toMatch(/`totals`/)
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
    { ...answer, hasMore: 'true' },
    { totals, visitors: { 0: row }, hasMore: false },
  ])('are incomplete, and read as far as they can be: %j', (json) => {
    expect(visitorsIn(json)).toMatchObject({ totals, hasMore: false, invalidRows: 1 })
  })
})

const named = (of: string, text: string) => expect.objectContaining({ of, forPeople: text })
const asked = {
  query: 'my password is hunter2',
  response: 'Never say that.',
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
const search = (hits: unknown, ctr: unknown) => ({ searchQuery: 'export csv', hits, ctr })

it.each([
  {
    field: 'feedback',
    call: RATINGS,
    list: [{ path: '/a', thumbsUp: 7, thumbsDown: 14, code: 2 }],
    rows: [{ name: named('path', '/a'), up: 7, down: 14 }],
    odd: [
      { path: '/c', thumbsUp: 1 },
      { path: '/c', thumbsDown: 1 },
      { thumbsUp: 1, thumbsDown: 0 },
    ],
  },
  {
    field: 'searches',
    call: SEARCHES,
    list: [search(38, 0), search(38, 1)],
    rows: [0, 1].map((clickRate) => ({ name: named('search', 'export csv'), hits: 38, clickRate })),
    odd: [
      search(5, 1.1),
      search(5, -0.1),
      search(5, '0.5'),
      search(undefined, 0),
      { hits: 5, ctr: 0 },
    ],
  },
  {
    field: 'conversations',
    call: QUESTIONS,
    list: [asked],
    rows: [question],
    odd: [7, 'today']
      .map((timestamp): object => ({ ...asked, timestamp }))
      .concat({ ...asked, resolutionStatus: 'perhaps' }),
  },
])('the $field are read, and odd rows are counted', ({ field, call, list, rows, odd }) => {
  const read = { rows, invalidRows: odd.length, hasMore: false, cursor: '' }
  expect(call.read({ [field]: [...list, ...odd] })).toEqual(read)
  expect(call.read({ [field]: [] })).toMatchObject({ rows: [], invalidRows: 0 })
  for (const json of [{ [field]: { 0: list[0] } }, { other: list }, { [field]: odd }, 7])
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

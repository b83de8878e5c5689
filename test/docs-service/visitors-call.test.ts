import { expect, test } from 'vitest'
import { readVisitorsQuery } from '../../docs-service/visitors/query.ts'
import { visitorsReport } from '../../docs-service/visitors/report.ts'
import { problemsIn, send, startedService, virtualClock, visitorsIn } from './service-under-test.ts'

const PATH = '/v1/analytics/docs/visitors'
const WEEK = { fromMs: Date.UTC(2026, 6, 27), toMs: Date.UTC(2026, 7, 3) }

test('the call answers totals, rows and hasMore, and the same again for the same query', async () => {
  const service = await startedService({ pages: 30 })
  const get = async () => {
    const response = await send(
      service,
      'GET',
      `${PATH}?dateFrom=2026-07-27&dateTo=2026-08-03&limit=7&offset=21`,
    )
    expect(response.status).toBe(200)
    return visitorsIn(response)
  }
  const answer = await get()
  expect(answer).toMatchObject({
    totals: { human: expect.any(Number), ai: expect.any(Number), total: expect.any(Number) },
    hasMore: true,
  })
  expect(answer.visitors).toHaveLength(7)
  expect(await get()).toEqual(answer)
  expect(visitorsReport({ pages: 30, seed: 1 }).answer({ ...WEEK, limit: 7, offset: 21 })).toEqual(answer)
})

test('without parameters it is 50 rows from the first, from 2024 to the end of today', async () => {
  const clock = virtualClock()
  const service = await startedService(clock)
  const answer = await visitorsIn(await send(service, 'GET', PATH))
  const same = await (
    await send(service, 'GET', `${PATH}?dateFrom=2024-01-01&dateTo=2026-08-04&limit=50&offset=0`)
  ).json()
  expect(answer).toEqual(same)
  expect(answer.visitors).toHaveLength(50)
})

test.each([
  ['limit=0', 'limit must be a whole number from 1 to 250'],
  ['limit=251', 'limit must be a whole number from 1 to 250'],
  ['limit=ten', 'limit must be a whole number from 1 to 250'],
  ['offset=-1', 'offset must be a whole number from 0'],
  ['offset=1.5', 'offset must be a whole number from 0'],
  ['dateFrom=yesterday', 'dateFrom must be a date as YYYY-MM-DD or ISO 8601'],
  ['dateTo=2026-02-30', 'dateTo must be a date as YYYY-MM-DD or ISO 8601'],
  ['dateTo=2026-01-01T25:00', 'dateTo must be a date as YYYY-MM-DD or ISO 8601'],
  ['dateFrom=2026-02-02&dateTo=2026-02-01', 'dateFrom must not be after dateTo'],
])('%s is answered 400 with details', async (query, problem) => {
  const service = await startedService()
  const response = await send(service, 'GET', `${PATH}?${query}`)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    error: 'Invalid query parameters',
    details: [{ message: problem }],
  })
})

test('all wrong parameters are reported together', async () => {
  const service = await startedService()
  const response = await send(service, 'GET', `${PATH}?limit=x&offset=y&dateFrom=z`)
  expect(await problemsIn(response)).toHaveLength(3)
})

test.each([
  ['2026-07-27', '2026-07-27T00:00:00.000Z'],
  ['2026-07-27T06:30', '2026-07-27T06:30:00.000Z'],
  ['2026-07-27T06:30:15.250Z', '2026-07-27T06:30:15.250Z'],
  ['2026-07-27T06:30:00+02:00', '2026-07-27T04:30:00.000Z'],
])('the date %s is %s', (text, instant) => {
  const reading = readVisitorsQuery({ dateFrom: text }, WEEK.toMs)
  expect(reading.ok && new Date(reading.query.fromMs).toISOString()).toBe(instant)
})

test('an override answers in place of the site, or leaves a query to it', async () => {
  const service = await startedService({
    visitors: ({ offset, projectId }) =>
      offset === 0 ? undefined : { status: 200, body: offset === 5 ? '[not json' : { projectId, offset } },
  })
  const get = (offset: number) => send(service, 'GET', `${PATH}?offset=${offset}`)
  expect((await visitorsIn(await get(0))).visitors).toHaveLength(50)
  expect(await (await get(5)).text()).toBe('[not json')
  expect(await (await get(6)).json()).toEqual({ projectId: 'docs', offset: 6 })
})

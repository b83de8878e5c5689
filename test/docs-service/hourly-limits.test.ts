import { expect, test } from 'vitest'
import type { DocsService } from '../../docs-service/service.ts'
import { create, send, startedService, virtualClock } from './service-under-test.ts'

const VISITORS = '/v1/analytics/docs/visitors'

async function statuses(count: number, once: () => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let done = 0; done < count; done += 1) seen.push((await once()).status)
  return seen
}

function createIn(service: DocsService, project: string): Promise<Response> {
  return send(service, 'POST', `/v2/agent/${project}/job`, { body: { prompt: 'Hello' } })
}

test('creates beyond the limit are answered 429 and make no job, per project', async () => {
  const service = await startedService({
    ...virtualClock(),
    projects: ['docs', 'blog'],
    limits: { jobsPerHour: 2 },
  })
  expect(await statuses(3, () => createIn(service, 'docs'))).toEqual([201, 201, 429])
  expect((await createIn(service, 'blog')).status).toBe(201)
  expect(service.jobs).toHaveLength(3)
})

test('messages have a limit of their own', async () => {
  const service = await startedService({ ...virtualClock(), limits: { messagesPerHour: 1 } })
  const { id } = await create(service, 'Hello')
  const follow = () => send(service, 'POST', `/v2/agent/docs/job/${id}/message`, { body: { prompt: 'More' } })
  expect(await statuses(2, follow)).toEqual([200, 429])
  expect(service.jobs[0]?.messages).toEqual(['More'])
})

test('all projects share the limit of analytics, and wrong queries do not count', async () => {
  const projects = ['docs', 'blog']
  const service = await startedService({ ...virtualClock(), projects, limits: { analyticsPerHour: 2 } })
  expect((await send(service, 'GET', `${VISITORS}?limit=0`)).status).toBe(400)
  expect((await send(service, 'GET', VISITORS)).status).toBe(200)
  expect((await send(service, 'GET', '/v1/analytics/blog/visitors')).status).toBe(200)
  expect((await send(service, 'GET', VISITORS)).status).toBe(429)
})

test('the hour slides: Retry-After says when the oldest request leaves it', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, limits: { analyticsPerHour: 2 } })
  await send(service, 'GET', VISITORS)
  clock.pass(600_000)
  await send(service, 'GET', VISITORS)
  clock.pass(500)
  const refused = await send(service, 'GET', VISITORS)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('3000')
  expect(await refused.json()).toEqual({ error: 'Rate limit exceeded: 2 analytics requests per hour' })
  clock.pass(2_999_500)
  expect(await statuses(2, () => send(service, 'GET', VISITORS))).toEqual([200, 429])
})

test('Retry-After can be left out', async () => {
  const service = await startedService({ limits: { analyticsPerHour: 0, retryAfter: false } })
  const refused = await send(service, 'GET', VISITORS)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
})

test('looks are not limited', async () => {
  const service = await startedService({
    limits: { jobsPerHour: 1, messagesPerHour: 0, analyticsPerHour: 0 },
  })
  const { id } = await create(service, 'Hello')
  const seen = await statuses(20, () => send(service, 'GET', `/v2/agent/docs/job/${id}`))
  expect(new Set(seen)).toEqual(new Set([200]))
})

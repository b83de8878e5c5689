import { expect, test } from 'vitest'
import { create, look, message, send, startedService, virtualClock } from './service-under-test.ts'

test('a create answers 201 with an active job', async () => {
  const service = await startedService(virtualClock())
  const response = await send(service, 'POST', '/v2/agent/docs/job', {
    body: { prompt: 'Document the --json flag' },
  })
  expect(response.status).toBe(201)
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/),
    status: 'active',
    source: {
      repository: `${service.url}/acme/docs`,
      ref: expect.stringMatching(/^docs\/agent-document-the-json-flag-[0-9a-f]{6}$/),
    },
    model: 'docs-agent-1',
    prLink: null,
    createdAt: '2026-08-03T12:00:00.000Z',
    archivedAt: null,
  })
})

test.each([
  ['no body', undefined],
  ['text that is no JSON', '{"prompt": '],
  ['JSON that is no object', '"prompt"'],
  ['no prompt', {}],
  ['an empty prompt', { prompt: '' }],
  ['a prompt that is no string', { prompt: 7 }],
])('a create or a message with %s is answered 400', async (_name, body) => {
  const service = await startedService()
  const { id } = await create(service, 'Hello')
  for (const path of ['/v2/agent/docs/job', `/v2/agent/docs/job/${id}/message`]) {
    const response = await send(service, 'POST', path, body === undefined ? {} : { body })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: expect.any(String) })
  }
  expect(service.jobs.map((job) => job.messages)).toEqual([[]])
})

test('a job is active for its time, then completed with a link below the service', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 5000 })
  const { id } = await create(service, 'Hello')
  clock.pass(4999)
  expect(await look(service, id)).toMatchObject({ status: 'active', prLink: null })
  clock.pass(1)
  expect(await look(service, id)).toMatchObject({
    status: 'completed',
    prLink: `${service.url}/acme/docs/pull/1`,
  })
})

test('ids come from the seed: the same again, and others for another seed', async () => {
  const idsOf = async (seed: number) => {
    const service = await startedService({ seed })
    return [(await create(service, 'One')).id, (await create(service, 'Two')).id]
  }
  const first = await idsOf(1)
  expect(await idsOf(1)).toEqual(first)
  expect(new Set([...first, ...(await idsOf(2))]).size).toBe(4)
})

test('right after a create, looks answer 404 for the time set', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, notFoundMs: 1500 })
  const { id } = await create(service, 'Hello')
  clock.pass(1499)
  expect((await send(service, 'GET', `/v2/agent/docs/job/${id}`)).status).toBe(404)
  clock.pass(1)
  expect((await look(service, id)).status).toBe('active')
})

test('a message makes a completed job active again, on the same branch and pull request', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 1000 })
  const job = await create(service, 'Hello')
  clock.pass(1000)
  const { prLink } = await look(service, job.id)
  const response = await send(service, 'POST', `/v2/agent/docs/job/${job.id}/message`, {
    body: { prompt: 'More' },
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    id: job.id,
    status: 'active',
    prLink: null,
    source: job.source,
  })
  clock.pass(1000)
  expect(await look(service, job.id)).toMatchObject({ status: 'completed', prLink })
  expect(service.jobs).toMatchObject([{ prompt: 'Hello', messages: ['More'] }])
})

test('a message to an active job is worked on after what it has to do', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 1000 })
  const { id } = await create(service, 'Hello')
  clock.pass(400)
  await message(service, id, 'More')
  clock.pass(1599)
  expect((await look(service, id)).status).toBe('active')
  clock.pass(1)
  expect((await look(service, id)).status).toBe('completed')
})

test('after a message the old terminal status shows for the time set, in its answer too', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 10_000, staleMs: 3000 })
  const { id } = await create(service, 'Hello')
  clock.pass(10_000)
  const before = await look(service, id)
  expect(await message(service, id, 'More [agent: fail]')).toEqual(before)
  clock.pass(2999)
  expect(await look(service, id)).toEqual(before)
  clock.pass(1)
  expect((await look(service, id)).status).toBe('active')
  clock.pass(7000)
  expect((await look(service, id)).status).toBe('failed')
})

test.each(['fail', 'archive'])(
  'a job that ended by [agent: %s] takes no messages: 400',
  async (directive) => {
    const clock = virtualClock()
    const service = await startedService({ ...clock, jobTimeMs: 10 })
    const { id } = await create(service, `Hello [agent: ${directive}]`)
    clock.pass(10)
    const response = await send(service, 'POST', `/v2/agent/docs/job/${id}/message`, {
      body: { prompt: 'More' },
    })
    expect(response.status).toBe(400)
    expect(service.jobs[0]?.messages).toEqual([])
  },
)

test('every request is recorded with query, headers and body', async () => {
  const clock = virtualClock()
  const service = await startedService(clock)
  await create(service, 'Hello')
  await send(service, 'GET', '/v1/analytics/docs/visitors?limit=5&dateFrom=2026-01-01')
  await send(service, 'POST', '/v2/agent/docs/job', { body: 'no JSON' })
  expect(service.requests).toMatchObject([
    { method: 'POST', path: '/v2/agent/docs/job', query: {}, body: { prompt: 'Hello' }, at: clock.now() },
    { method: 'GET', path: '/v1/analytics/docs/visitors', query: { limit: '5', dateFrom: '2026-01-01' } },
    { method: 'POST', body: 'no JSON', headers: { authorization: 'Bearer mint_demo' } },
  ])
  expect(service.requests[1]?.body).toBeUndefined()
  expect(service.connections).toBeGreaterThanOrEqual(1)
})

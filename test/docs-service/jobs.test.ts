import { expect, test } from 'vitest'
import { create, look, message, send, startService, statusOf } from './started-service.ts'

const JOB = '/v2/agent/docs/job'
const VISITORS = '/v1/analytics/docs/visitors'

test('a create answers 201 with an active job; its end has a link below the service', async () => {
  const { service, pass } = await startService()
  const call = `POST ${JOB}`
  expect(await statusOf(service, call, { body: { prompt: 'Another' } })).toBe(201)
  const job = await create(service, 'Document the --json flag')
  expect(job).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/),
    status: 'active',
    source: { ref: expect.stringMatching(/^docs\/agent-document-the-json-flag-[0-9a-f]{6}$/) },
    prLink: null,
    createdAt: '2026-08-03T12:00:00.000Z',
  })
  pass(999)
  expect(await look(service, job.id)).toMatchObject({ status: 'active', prLink: null })
  pass(1)
  expect(await look(service, job.id)).toMatchObject({
    status: 'completed',
    prLink: `${service.url}/acme/docs/pull/1`,
  })
})

test.each([
  ['no body', undefined],
  ['text that is not JSON', '{"prompt": '],
  ['no prompt', {}],
  ['an empty prompt', { prompt: '' }],
  ['a prompt that is not text', { prompt: 7 }],
])('a create or a message with %s is answered 400', async (_name, body) => {
  const { service } = await startService()
  const { id } = await create(service, 'Hello')
  expect(await statusOf(service, `POST ${JOB}`, { body })).toBe(400)
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, { body })).toBe(400)
  expect(service.jobs).toMatchObject([{ prompt: 'Hello', messages: [] }])
})

test('a message makes a completed job active again, on the same branch and pull request', async () => {
  const { service, pass } = await startService()
  const job = await create(service, 'Hello')
  pass(1000)
  const { prLink } = await look(service, job.id)
  expect(await message(service, job.id, 'More')).toMatchObject({ status: 'active', prLink: null })
  pass(1000)
  expect(await look(service, job.id)).toMatchObject({ status: 'completed', prLink, source: job.source })
  expect(service.jobs).toMatchObject([{ prompt: 'Hello', messages: ['More'] }])
})

test('a message to an active job is worked on after what it has to do', async () => {
  const { service, pass } = await startService()
  const { id } = await create(service, 'Hello')
  pass(400)
  await message(service, id, 'More')
  pass(1599)
  expect(await look(service, id)).toMatchObject({ status: 'active' })
  pass(1)
  expect(await look(service, id)).toMatchObject({ status: 'completed' })
})

test('after a message the old terminal status shows for the time set, in its answer too', async () => {
  const { service, pass } = await startService({ staleMs: 300 })
  const { id } = await create(service, 'Hello')
  pass(1000)
  const before = await look(service, id)
  expect(await message(service, id, 'More [agent: fail]')).toEqual(before)
  pass(299)
  expect(await look(service, id)).toEqual(before)
  pass(1)
  expect(await look(service, id)).toMatchObject({ status: 'active' })
  pass(700)
  expect(await look(service, id)).toMatchObject({ status: 'failed' })
})

test.each([
  ['[agent: fail]', { status: 'failed', prLink: null }],
  ['[agent: archive]', { status: 'archived', archivedAt: '2026-08-03T12:00:01.000Z' }],
  ['[agent: no-change]', { status: 'completed', prLink: null }],
  ['[AGENT:  Fail ]', { status: 'failed' }],
  ['[agent: dance]', { status: 'completed', prLink: expect.any(String) }],
  ['[agent: takes 1001ms]', { status: 'active' }],
  ['[agent: status reviewing 2s]', { status: 'reviewing', prLink: null }],
  ['[agent: never]', { status: 'active' }],
])('a prompt with %s leads to %j', async (directive, expected) => {
  const { service, pass } = await startService()
  const { id } = await create(service, `Hello ${directive}`)
  pass(1000)
  expect(await look(service, id)).toMatchObject(expected)
})

test('[agent: never] ends with a message that brings other work', async () => {
  const { service, pass } = await startService()
  const { id } = await create(service, 'Hello [agent: never]')
  pass(1e9)
  await message(service, id, 'Stop that')
  pass(1000)
  expect(await look(service, id)).toMatchObject({ status: 'completed' })
})

test.each(['fail', 'archive'])('a job that ended by [agent: %s] takes no messages: 400', async (word) => {
  const { service, pass } = await startService()
  const { id } = await create(service, `Hello [agent: ${word}]`)
  pass(1000)
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, { body: { prompt: 'More' } })).toBe(400)
})

test.each([
  ['no key', '', `GET ${VISITORS}`, 401],
  ['an unknown key', 'mint_other', `GET ${VISITORS}`, 401],
  ['an expired key', 'mint_old', `POST ${JOB}`, 401],
  ['a create with a key of scope read', 'mint_read', `POST ${JOB}`, 403],
  ['a message with a key of scope read', 'mint_read', `POST ${JOB}/x/message`, 403],
  ['a look with a key of scope read', 'mint_read', `GET ${JOB}/x`, 404],
  ['visitors with a key of scope read', 'mint_read', `GET ${VISITORS}`, 200],
  ['another project', 'mint_demo', 'GET /v1/analytics/other/visitors', 404],
  ['an unknown job', 'mint_demo', `GET ${JOB}/none`, 404],
  ['another method', 'mint_demo', `PUT ${JOB}`, 404],
  ['a path that is not well-formed', 'mint_demo', `GET ${JOB}/%zz`, 404],
])('%s: %s %s is answered %i', async (_name, key, call, status) => {
  const { service } = await startService({
    keys: [
      { key: 'mint_read', scope: 'read' },
      { key: 'mint_old', expired: true },
    ],
  })
  const body = call.startsWith('POST') ? { prompt: 'Hello' } : undefined
  expect(await statusOf(service, call, { key, body })).toBe(status)
  expect(service.jobs).toEqual([])
})

test('a project id is percent-decoded, and projects do not see the jobs of others', async () => {
  const { service } = await startService({ projects: ['docs', 'a/b ü'] })
  const path = `/v2/agent/${encodeURIComponent('a/b ü')}/job`
  expect(await statusOf(service, `POST ${path}`, { body: { prompt: 'Hello' } })).toBe(201)
  expect(service.jobs).toMatchObject([{ project: 'a/b ü' }])
  expect(await statusOf(service, `GET ${JOB}/${service.jobs[0]?.id}`)).toBe(404)
})

test('creates and messages have limits of their own, per project; looks have none', async () => {
  const limits = { jobsPerHour: 2, messagesPerHour: 1, retryAfter: false }
  const { service } = await startService({ projects: ['docs', 'blog'], limits })
  const body = { prompt: 'Hello' }
  const { id } = await create(service, 'Hello')
  expect(await statusOf(service, `POST ${JOB}`, { body })).toBe(201)
  const refused = await send(service, `POST ${JOB}`, { body })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
  expect(await statusOf(service, 'POST /v2/agent/blog/job', { body })).toBe(201)
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, { body })).toBe(200)
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, { body })).toBe(429)
  for (let count = 0; count < 5; count += 1) expect(await look(service, id)).toMatchObject({ id })
  expect(service.jobs).toHaveLength(3)
})

test('every request is recorded with query, headers and body', async () => {
  const { service } = await startService()
  await create(service, 'Hello')
  await send(service, `GET ${VISITORS}?limit=5&dateFrom=2026-01-01`)
  await send(service, `POST ${JOB}`, { body: 'not JSON' })
  expect(service.requests).toMatchObject([
    { method: 'POST', path: JOB, query: {}, body: { prompt: 'Hello' }, at: Date.UTC(2026, 7, 3, 12) },
    { method: 'GET', path: VISITORS, query: { limit: '5', dateFrom: '2026-01-01' } },
    { method: 'POST', body: 'not JSON', headers: { authorization: 'Bearer mint_demo' } },
  ])
})

import { expect, test } from 'vitest'
import { REQUESTS } from './jobs.cases.ts'
import { answerOf, create, JOB, look, send, startService, statusOf } from './started-service.ts'

test('a create answers with an active job; its end has a link, which more work keeps', async () => {
  const { service, pass } = await startService()
  expect(await statusOf(service, `POST ${JOB}?dry=1`, { body: { prompt: 'Another' } })).toBe(201)
  const recorded = { method: 'POST', path: JOB, query: { dry: '1' }, body: { prompt: 'Another' } }
  expect(service.requests).toMatchObject([
    { ...recorded, headers: { authorization: 'Bearer mint_demo' } },
  ])
  const job = await create(service, 'Document the --json flag')
  const ref = expect.stringMatching(/^docs\/agent-document-the-json-flag-[0-9a-f]{6}$/)
  expect(job).toStrictEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/),
    status: 'active',
    source: { repository: expect.stringMatching(/^https?:/), ref },
    model: expect.any(String),
    prLink: null,
    createdAt: '2026-08-03T12:00:00.000Z',
    archivedAt: null,
  })
  pass(999)
  expect(await look(service, job.id)).toEqual(job)
  pass(1)
  const completed = { ...job, status: 'completed', prLink: `${service.url}/acme/docs/pull/1` }
  expect(await look(service, job.id)).toEqual(completed)
  expect(await answerOf(service, `POST ${JOB}/${job.id}/message`, { prompt: 'More' })).toEqual(job)
  pass(1000)
  expect(await look(service, job.id)).toEqual(completed)
  expect(service.jobs[1]).toMatchObject({ prompt: 'Document the --json flag', messages: ['More'] })
})

test.each([
  ['[agent: fail]', { status: 'failed', prLink: null }, 400],
  ['[agent: archive]', { status: 'archived', archivedAt: '2026-08-03T12:00:01.000Z' }, 400],
  ['[agent: no-change]', { status: 'completed', prLink: null }, 200],
  ['[AGENT:  Fail ]', { status: 'failed' }, 400],
  ['[agent: dance]', { status: 'completed', prLink: expect.any(String) }, 200],
  ['[agent: takes 1001ms]', { status: 'active' }, 200],
  ['[agent: status reviewing 2s]', { status: 'reviewing', prLink: null }, 200],
  ['[agent: never]', { status: 'active' }, 200],
])('a prompt with %s leads to %j, and a message to %i', async (directive, expected, status) => {
  const { service, pass } = await startService()
  const { id } = await create(service, `Hello ${directive}`)
  pass(1000)
  expect(await look(service, id)).toMatchObject(expected)
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, { body: { prompt: 'More' } })).toBe(
    status,
  )
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

test.each(REQUESTS)('%s: %s %s is answered %i', async (_name, key, call, status) => {
  const keys = [
    { key: 'mint_read', scope: 'read' as const },
    { key: 'mint_old', expired: true },
  ]
  const { service } = await startService({ keys })
  const body = call.startsWith('POST') ? { prompt: 'Hello' } : undefined
  expect(await statusOf(service, call, { key, body })).toBe(status)
  expect(service.jobs).toEqual([])
})

test('a project id is percent-decoded; limits are per project, looks have none, and jobs are not shared', async () => {
  const limits = { jobsPerHour: 2, messagesPerHour: 1, retryAfter: false }
  const { service } = await startService({ projects: ['docs', 'a/b ü'], limits })
  const body = { prompt: 'Hello' }
  const { id } = await create(service, 'Hello')
  expect(await statusOf(service, `POST ${JOB}`, { body })).toBe(201)
  const refused = await send(service, `POST ${JOB}`, { body })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
  expect(await statusOf(service, 'POST /v2/agent/a%2Fb%20%C3%BC/job', { body })).toBe(201)
  expect(service.jobs).toMatchObject([
    { project: 'docs' },
    { project: 'docs' },
    { project: 'a/b ü' },
  ])
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, { body })).toBe(200)
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, { body })).toBe(429)
  for (let count = 0; count < 5; count += 1) expect(await look(service, id)).toMatchObject({ id })
  expect(await statusOf(service, `GET ${JOB}/${service.jobs[2]?.id}`)).toBe(404)
})

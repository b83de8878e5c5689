import { expect, test } from 'vitest'
import { answerOf, create, JOB, look, startService, statusOf } from './started-service.ts'

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
  { directive: '[agent: fail]', shown: { status: 'failed', prLink: null }, message: 400 },
  { directive: '[agent: no-change]', shown: { status: 'completed', prLink: null }, message: 200 },
  { directive: '[agent: never]', shown: { status: 'active' }, message: 200 },
])('a prompt with $directive leads to $shown, and a message to $message', async (given) => {
  const { service, pass } = await startService()
  const { id } = await create(service, `Hello ${given.directive}`)
  pass(1000)
  expect(await look(service, id)).toMatchObject(given.shown)
  const sent = { body: { prompt: 'More' } }
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, sent)).toBe(given.message)
})

const VISITORS = 'GET /v1/analytics/docs/visitors'

test.each([
  { key: '', call: VISITORS, status: 401 },
  { key: 'mint_read', call: `POST ${JOB}`, status: 403 },
  { key: 'mint_read', call: VISITORS, status: 200 },
  { key: 'mint_demo', call: VISITORS.replace('docs', 'other'), status: 404 },
])('with the key "$key", $call is answered $status', async ({ key, call, status }) => {
  const { service } = await startService()
  const body = call.startsWith('POST') ? { prompt: 'Hello' } : undefined
  expect(await statusOf(service, call, { key, body })).toBe(status)
  expect(service.jobs).toEqual([])
})

import { expect, test } from 'vitest'
import { send, startedService } from './service-under-test.ts'

const KEYS = [
  { key: 'mint_read', scope: 'read' },
  { key: 'mint_old', expired: true },
  { key: 'mint_elsewhere', forbiddenIp: true },
] as const

const JOB = '/v2/agent/docs/job'
const VISITORS = '/v1/analytics/docs/visitors'

test.each([
  { why: 'no key', key: '', method: 'GET', path: VISITORS, status: 401 },
  { why: 'an unknown key', key: 'mint_other', method: 'GET', path: VISITORS, status: 401 },
  { why: 'an expired key', key: 'mint_old', method: 'POST', path: JOB, status: 401 },
  { why: 'a key kept to other addresses', key: 'mint_elsewhere', method: 'GET', path: VISITORS, status: 403 },
  { why: 'a POST with a key of scope read', key: 'mint_read', method: 'POST', path: JOB, status: 403 },
  {
    why: 'a message with a key of scope read',
    key: 'mint_read',
    method: 'POST',
    path: `${JOB}/x/message`,
    status: 403,
  },
])('$why is answered $status with an error text', async ({ key, method, path, status }) => {
  const service = await startedService({ keys: KEYS })
  const body = method === 'POST' ? { body: { prompt: 'Hello' } } : {}
  const response = await send(service, method, path, { key, ...body })
  expect(response.status).toBe(status)
  expect(await response.json()).toEqual({ error: expect.any(String) })
  expect(service.jobs).toHaveLength(0)
})

test('a key of scope read may look at jobs and visitors', async () => {
  const service = await startedService({ keys: KEYS })
  await send(service, 'POST', JOB, { body: { prompt: 'Hello' } })
  const id = service.jobs[0]?.id
  expect((await send(service, 'GET', `${JOB}/${id}`, { key: 'mint_read' })).status).toBe(200)
  expect((await send(service, 'GET', VISITORS, { key: 'mint_read' })).status).toBe(200)
})

test.each([
  { method: 'POST', path: '/v2/agent/other/job' },
  { method: 'GET', path: '/v1/analytics/other/visitors' },
  { method: 'GET', path: '/v2/agent/docs/job/none' },
  { method: 'POST', path: '/v2/agent/docs/job/none/message' },
  { method: 'PUT', path: '/v2/agent/docs/job' },
  { method: 'GET', path: '/v3/agent/docs/job/none' },
  { method: 'GET', path: '/v2/agent/docs/job/%zz' },
])('$method $path is not found', async ({ method, path }) => {
  const service = await startedService()
  const response = await send(service, method, path, method === 'GET' ? {} : { body: { prompt: 'Hello' } })
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({ error: expect.any(String) })
})

test('a project id is percent-decoded, and projects do not see the jobs of others', async () => {
  const service = await startedService({ projects: ['docs', 'a/b ü'] })
  const created = await send(service, 'POST', `/v2/agent/${encodeURIComponent('a/b ü')}/job`, {
    body: { prompt: 'Hi' },
  })
  expect(created.status).toBe(201)
  expect(service.jobs[0]?.project).toBe('a/b ü')
  expect((await send(service, 'GET', `/v2/agent/docs/job/${service.jobs[0]?.id}`)).status).toBe(404)
})

test('a host that is not loopback is refused', async () => {
  await expect(startedService({ host: '0.0.0.0' })).rejects.toThrow("loopback only, not on '0.0.0.0'")
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NAMED_FAULTS } from '../../docs-service/faults/fault.ts'
import { FAULT_KINDS } from '../../docs-service/faults/read-fault.ts'
import { create, problemsIn, send, startedService } from './service-under-test.ts'

test('POST /_faults adds a fault without a key, GET shows it and DELETE removes it', async () => {
  const service = await startedService()
  const fault = { kind: 'status', status: 503, times: 'always', match: { path: 'create' } }
  const added = await send(service, 'POST', '/_faults', { key: '', body: fault })
  expect(added.status).toBe(201)
  expect((await send(service, 'POST', '/v2/agent/docs/job', { body: { prompt: 'Hello' } })).status).toBe(503)
  expect(await (await send(service, 'GET', '/_faults', { key: '' })).json()).toEqual([
    { fault, seen: 1, used: 1 },
  ])
  expect(await (await send(service, 'DELETE', '/_faults', { key: '' })).json()).toEqual([])
  expect((await create(service, 'Hello')).status).toBe('active')
})

test.each([
  [
    'no JSON',
    'kind=status',
    [expect.stringMatching(/^There is no fault 'kind=status': one of no-credits, /)],
  ],
  ['an unknown kind', { kind: 'explode' }, [`kind: one of ${FAULT_KINDS.join(', ')}`]],
  ['no object', 7, ['A fault is a name, or a JSON object with a "kind"']],
  ['a missing field', { kind: 'delay' }, ['ms: a whole number from 0']],
  ['a wrong value', { kind: 'status', status: 99 }, ['status: a status from 200 to 599']],
  ['a field it does not know', { kind: 'hang', mss: 5 }, ['mss: no field of this fault']],
  [
    'wrong times and matches',
    { kind: 'hang', times: 0, match: { path: 'jobs', nth: '1' } },
    [
      'times: a whole number from 1, or "always"',
      'path: create, look, message, visitors, or a path that begins with /',
      'nth: a whole number from 1',
    ],
  ],
])('a fault with %s is refused with what is wrong', async (_name, body, problems) => {
  const service = await startedService()
  const response = await send(service, 'POST', '/_faults', { body })
  expect(response.status).toBe(400)
  expect(await problemsIn(response)).toEqual(problems)
  expect(service.faults.list()).toEqual([])
})

test('a fault is added by its name alone', async () => {
  const service = await startedService()
  expect((await send(service, 'POST', '/_faults', { body: '"no-credits"' })).status).toBe(201)
  expect((await send(service, 'POST', '/v2/agent/docs/job', { body: { prompt: 'Hello' } })).status).toBe(402)
})

test('GET /_requests lists the requests with the key left out, and control requests are not among them', async () => {
  const service = await startedService()
  await create(service, 'Hello')
  await send(service, 'GET', '/_faults')
  const text = await (await send(service, 'GET', '/_requests')).text()
  expect(JSON.parse(text)).toMatchObject([
    { method: 'POST', body: { prompt: 'Hello' }, headers: { authorization: 'Bearer ***' } },
  ])
  expect(text).not.toContain(service.key)
  expect(service.requests).toHaveLength(1)
})

test('control endpoints meet no faults and refuse other methods', async () => {
  const service = await startedService()
  service.faults.add({ kind: 'status', status: 500, times: 'always' })
  expect((await send(service, 'GET', '/_faults')).status).toBe(200)
  expect((await send(service, 'PUT', '/_faults', { body: {} })).status).toBe(405)
})

test('the README explains every kind of fault', () => {
  const readme = readFileSync(new URL('../../docs-service/README.md', import.meta.url), 'utf8')
  const documented = [...readme.matchAll(/^\| `([a-z-]+)` +\| (?:yes|no)/gm)].map(([, kind]) => kind)
  expect(documented).toEqual(FAULT_KINDS)
})

test('the README explains every named fault', () => {
  const readme = readFileSync(new URL('../../docs-service/README.md', import.meta.url), 'utf8')
  const documented = [...readme.matchAll(/^\| `([a-z0-9-]+)` +\| (?:create|any|look|visitors)/gm)]
  expect(documented.map(([, name]) => name)).toEqual(Object.keys(NAMED_FAULTS))
})

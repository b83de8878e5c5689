import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import { FAULT_KINDS } from '../../docs-service/faults/read-fault.ts'
import type { DocsService } from '../../docs-service/service.ts'
import { create, look, send, startedService } from './service-under-test.ts'

function sendCreate(service: DocsService): Promise<Response> {
  return send(service, 'POST', '/v2/agent/docs/job', { body: { prompt: 'Hello' } })
}

async function faulty(fault: Fault): Promise<DocsService> {
  const service = await startedService()
  service.faults.add(fault)
  return service
}

/** How a request that gets no whole answer ends: the code of the error, or `none` if it is still open after `waitMs`. */
function endOf(service: DocsService, waitMs: number): Promise<string> {
  return new Promise((resolve) => {
    const sent = httpRequest(`${service.url}/v2/agent/docs/job`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
    })
    sent.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    sent.on('response', (response) => {
      response.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
      response.on('end', () => resolve('whole'))
      response.resume()
    })
    sent.end('{"prompt":"Hello"}')
    setTimeout(() => resolve('none'), waitMs)
  })
}

test.each<{ fault: Fault; end: string; jobs: number }>([
  { fault: { kind: 'reset' }, end: 'ECONNRESET', jobs: 0 },
  { fault: { kind: 'reset', end: 'fin' }, end: 'ECONNRESET', jobs: 0 },
  { fault: { kind: 'reset-after' }, end: 'ECONNRESET', jobs: 1 },
  { fault: { kind: 'reset-after', end: 'fin' }, end: 'ECONNRESET', jobs: 1 },
  { fault: { kind: 'truncate' }, end: 'ECONNRESET', jobs: 1 },
  { fault: { kind: 'hang' }, end: 'none', jobs: 0 },
  { fault: { kind: 'hang-after' }, end: 'none', jobs: 1 },
  { fault: { kind: 'drip', ms: 50 }, end: 'none', jobs: 1 },
  { fault: { kind: 'delay', ms: 10_000 }, end: 'none', jobs: 1 },
])('$fault ends as $end with $jobs jobs made', async ({ fault, end, jobs }) => {
  const service = await faulty(fault)
  expect(await endOf(service, end === 'none' ? 5 : 5000)).toBe(end)
  await expect.poll(() => service.requests[0]?.fault, { interval: 1 }).toBe(fault.kind)
  await expect.poll(() => service.jobs.length, { interval: 1 }).toBe(jobs)
  expect(service.requests).toMatchObject([{ fault: fault.kind, body: { prompt: 'Hello' } }])
})

test.each<{ fault: Fault; status: number; text: string; jobs: number }>([
  { fault: { kind: 'status', status: 503 }, status: 503, text: '{"error":"The service answers 503', jobs: 0 },
  { fault: { kind: 'status', status: 504, handled: true }, status: 504, text: '{"error"', jobs: 1 },
  { fault: { kind: 'status', status: 200, body: { id: 7 } }, status: 200, text: '{"id":7}', jobs: 0 },
  { fault: { kind: 'html' }, status: 200, text: '<!doctype html>', jobs: 0 },
  { fault: { kind: 'html', body: '<p>', handled: true }, status: 200, text: '<p>', jobs: 1 },
  { fault: { kind: 'body', body: [1] }, status: 201, text: '[1]', jobs: 1 },
  { fault: { kind: 'body', body: 'no json', handled: false }, status: 200, text: 'no json', jobs: 0 },
  { fault: { kind: 'redirect', location: 'http://x/' }, status: 302, text: '{"error"', jobs: 0 },
  { fault: { kind: 'redirect', location: 'http://x/', status: 307 }, status: 307, text: '{"error"', jobs: 0 },
  {
    fault: { kind: 'echo-key' },
    status: 401,
    text: '{"error":"Not accepted: Authorization: Bearer mint_demo"}',
    jobs: 0,
  },
  { fault: { kind: 'delay', ms: 1 }, status: 201, text: '{"id":"', jobs: 1 },
  { fault: { kind: 'drip', ms: 0 }, status: 201, text: '{"id":"', jobs: 1 },
])('$fault answers $status with $jobs jobs made', async ({ fault, status, text, jobs }) => {
  const service = await faulty(fault)
  const response = await sendCreate(service)
  expect(response.status).toBe(status)
  expect(await response.text()).toContain(text)
  expect(service.jobs).toHaveLength(jobs)
})

test('a status fault sends its headers and content type', async () => {
  const headers = { 'retry-after': '7' }
  const service = await faulty({
    kind: 'status',
    status: 429,
    body: 'slow down',
    contentType: 'text/plain',
    headers,
  })
  const response = await sendCreate(service)
  expect(response.headers.get('retry-after')).toBe('7')
  expect(response.headers.get('content-type')).toBe('text/plain')
  expect(await response.text()).toBe('slow down')
})

test('a redirect says where to', async () => {
  const service = await faulty({ kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere' })
  expect((await sendCreate(service)).headers.get('location')).toBe('http://127.0.0.1:9/elsewhere')
})

test('truncate-clean ends half a body as if it were whole', async () => {
  const service = await faulty({ kind: 'truncate-clean' })
  const response = await sendCreate(service)
  const text = await response.text()
  expect(response.headers.get('content-length')).toBeNull()
  expect(text).toMatch(/^\{"id"/)
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(service.jobs).toHaveLength(1)
})

test.each(['identity', 'gzip', 'deflate', 'br'] as const)(
  'huge (%s) is more than 16 MiB of good JSON once unpacked',
  async (encoding) => {
    const service = await faulty({ kind: 'huge', encoding })
    const response = await sendCreate(service)
    expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
    const text = await response.text()
    expect(text.length).toBe(20 * 1024 * 1024)
    expect(JSON.parse(text)).toMatchObject({ id: 'huge', status: 'active' })
    expect(service.jobs).toHaveLength(0)
  },
)

test('a caller that stops reading a huge body does the service no harm', async () => {
  const service = await faulty({ kind: 'huge', bytes: 1024 ** 3 })
  const stopped = new AbortController()
  const response = await fetch(`${service.url}/v2/agent/docs/job`, { signal: stopped.signal })
  await response.body?.getReader().read()
  stopped.abort()
  expect((await create(service, 'Hello')).status).toBe('active')
})

test('a fault meets one request, or as many as its times say', async () => {
  const service = await startedService()
  const statuses = async () => [(await sendCreate(service)).status, (await sendCreate(service)).status]
  service.faults.add({ kind: 'status', status: 500 })
  expect(await statuses()).toEqual([500, 201])
  service.faults.add({ kind: 'status', status: 502, times: 2 })
  expect(await statuses()).toEqual([502, 502])
  expect(await statuses()).toEqual([201, 201])
  service.faults.add({ kind: 'status', status: 503, times: 'always' })
  expect([...(await statuses()), ...(await statuses())]).toEqual([503, 503, 503, 503])
  service.faults.clear()
  expect(await statuses()).toEqual([201, 201])
})

test('a fault meets only what it matches: kind of call, path prefix, method, nth', async () => {
  const service = await startedService()
  const { id } = await create(service, 'Hello')
  const path = `/v2/agent/docs/job/${id}`
  service.faults.add({ kind: 'status', status: 500, match: { path: 'message' } })
  service.faults.add({ kind: 'status', status: 502, match: { path: '/v1/', method: 'get' } })
  service.faults.add({ kind: 'status', status: 503, match: { path: 'look', nth: 3 }, times: 2 })
  const looks: number[] = []
  for (let count = 0; count < 6; count += 1) looks.push((await send(service, 'GET', path)).status)
  expect(looks).toEqual([200, 200, 503, 503, 200, 200])
  expect((await send(service, 'GET', '/v1/analytics/docs/visitors')).status).toBe(502)
  expect((await send(service, 'GET', '/v1/analytics/docs/visitors')).status).toBe(200)
  expect((await send(service, 'POST', `${path}/message`, { body: { prompt: 'More' } })).status).toBe(500)
  expect(service.jobs[0]?.messages).toEqual([])
  expect(service.faults.list().map(({ used }) => used)).toEqual([1, 1, 2])
})

test('of several faults that fit, the one added first meets the request', async () => {
  const service = await startedService()
  service.faults.add({ kind: 'status', status: 500 })
  service.faults.add({ kind: 'status', status: 501 })
  expect([(await sendCreate(service)).status, (await sendCreate(service)).status]).toEqual([500, 501])
})

test('a header that cannot be sent is a 500, and the service goes on', async () => {
  const service = await faulty({ kind: 'status', status: 503, headers: { 'x-bad': 'a\nb' } })
  expect((await sendCreate(service)).status).toBe(500)
  const { id } = await create(service, 'Hello')
  expect((await look(service, id)).status).toBe('active')
})

test('close ends hanging, delayed and dripping answers at once', async () => {
  const service = await startedService()
  for (const fault of [
    { kind: 'hang' },
    { kind: 'hang-after' },
    { kind: 'delay', ms: 60_000 },
    { kind: 'drip', ms: 60_000 },
  ] as const) {
    service.faults.add(fault)
  }
  const answers = [1, 2, 3, 4].map(() => sendCreate(service).then((response) => response.text()))
  const ends = Promise.allSettled(answers)
  while (service.jobs.length < 3 || service.requests.length < 4) await new Promise(setImmediate)
  // Both delays are longer than a test may take.
  await service.close()
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
})

test('the list of kinds is complete', () => {
  expect(new Set(FAULT_KINDS).size).toBe(19)
})

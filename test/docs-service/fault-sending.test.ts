import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { type Fault, NAMED_FAULTS } from '../../docs-service/faults/fault.ts'
import type { DocsService } from '../../docs-service/service.ts'
import { create, send, startedService, visitorsIn } from './service-under-test.ts'

const BODY = '{"prompt":"Hello"}'
const VISITORS = '/v1/analytics/docs/visitors'

async function faulty(fault: Fault): Promise<DocsService> {
  return startedService({ faults: [fault] })
}

/**
 * All bytes that come back on one connection until the server ends it, or until `until` has come. `again` sends the
 * same once more as soon as the answer begins.
 */
function rawCreate(service: DocsService, { until = /$^/, again = false } = {}): Promise<string> {
  const { port, hostname } = new URL(service.url)
  const head = `POST /v2/agent/docs/job HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.key}\r\ncontent-length: ${BODY.length}\r\n\r\n`
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(`${head}${BODY}`))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      if (again && text === '') socket.write(`${head}${BODY}`)
      text += chunk
      if (until.test(text)) socket.destroy()
    })
    socket.on('error', () => undefined).on('close', () => resolve(text))
  })
}

test.each([
  [100, 'HTTP/1.1 100 Continue'],
  [199, 'HTTP/1.1 199 Interim'],
])('an interim %i comes before the answer to a create', async (interim, line) => {
  const service = await faulty({ kind: 'interim', interim })
  const text = await rawCreate(service, { until: /\}$/ })
  expect(text).toMatch(new RegExp(`^${line}\r\n\r\nHTTP/1.1 201 Created\r\n`))
  expect(text).toContain(`"id":"${service.jobs[0]?.id}"`)
})

test.each([7, -7])('a content-length that is wrong by %i bytes ends with the connection', async (by) => {
  const service = await faulty({ kind: 'content-length', by })
  const text = await rawCreate(service)
  const [head = '', body = ''] = text.split('\r\n\r\n')
  expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBe(body.length + by)
  expect(JSON.parse(body)).toMatchObject({ id: service.jobs[0]?.id })
})

test.each([
  [0, 'fin'],
  [0, 'rst'],
  [3, 'fin'],
] as const)(
  'close-after %i ms (%s) answers whole, and loses what comes on that connection then',
  async (ms, end) => {
    const service = await faulty({ kind: 'close-after', ms, end })
    const text = await rawCreate(service, { again: true })
    expect(text.match(/^HTTP/gm)).toHaveLength(1)
    expect(text).not.toMatch(/connection: close/i)
    expect(service.jobs).toHaveLength(1)
    expect(service.requests).toHaveLength(1)
    expect((await create(service, 'Hello')).status).toBe('active')
  },
)

test.each([400, 401, 403, 404, 429])('the body of a %i can be made unreadable', async (status) => {
  const service = await faulty({ kind: 'unreadable', status })
  const response = await send(service, 'POST', '/v2/agent/docs/job', { body: { prompt: 'Hello' } })
  expect(response.status).toBe(status)
  await expect(response.text()).rejects.toThrow()
  expect(service.jobs).toEqual([])
})

test('an answer in place of the real one can be cut, with its request handled or not', async () => {
  const service = await startedService()
  service.faults.add({ kind: 'truncate', status: 429, body: 'slow down please', contentType: 'text/plain' })
  service.faults.add({ kind: 'truncate', status: 429, handled: true })
  for (const jobs of [0, 1]) {
    const response = await send(service, 'POST', '/v2/agent/docs/job', { body: { prompt: 'Hello' } })
    expect(response.status).toBe(429)
    await expect(response.text()).rejects.toThrow()
    expect(service.jobs).toHaveLength(jobs)
  }
})

test.each([
  ['no-credits', 402, '{"error":"Insufficient credits"}'],
  ['no-plan', 403, '{"error":"Your plan does not include API access"}'],
  ['rate-limit-text', 429, 'Too many requests, please try again later.\n'],
  ['error-text', 500, 'Internal Server Error'],
  [
    'error-json',
    500,
    '{"error":"Something went wrong","details":[{"message":"The agent could not be reached"}]}',
  ],
  ['retry-in-an-hour', 503, '{"error":"Service unavailable"}'],
  ['retry-after-400-digits', 503, '{"error":"Service unavailable"}'],
] as const)('the named fault %s answers %i', async (name, status, text) => {
  const service = await faulty(NAMED_FAULTS[name])
  const response = await send(service, 'POST', '/v2/agent/docs/job', { body: { prompt: 'Hello' } })
  expect([response.status, await response.text()]).toEqual([status, text])
  expect(service.jobs).toEqual([])
})

test('the named faults of Retry-After send it, and the empty 401 says that nothing is packed', async () => {
  const headersOf = async (name: keyof typeof NAMED_FAULTS): Promise<string> => {
    const service = await faulty(NAMED_FAULTS[name])
    return (await rawCreate(service, { until: /\r\n\r\n/ })).toLowerCase()
  }
  expect(await headersOf('retry-in-an-hour')).toContain('retry-after: 3600\r\n')
  expect(await headersOf('retry-after-400-digits')).toMatch(/retry-after: 9{400}\r\n/)
  expect(await headersOf('empty-gzip-401')).toMatch(
    /^http\/1\.1 401 [\s\S]*content-encoding: gzip\r\n[\s\S]*content-length: 0\r\n/,
  )
})

test('counts can have decimals, in totals and rows', async () => {
  const plain = await visitorsIn(await send(await startedService(), 'GET', VISITORS))
  const odd = await visitorsIn(await send(await faulty(NAMED_FAULTS.decimals), 'GET', VISITORS))
  expect(odd.totals.total).toBe(plain.totals.total + 0.25)
  expect(odd.visitors[0]?.human).toBe((plain.visitors[0]?.human ?? 0) + 0.25)
  expect(odd.hasMore).toBe(plain.hasMore)
})

test('odd rows come first, and other answers stay as they are', async () => {
  const service = await startedService()
  service.faults.add({ kind: 'odd-visitors', rows: [null, { path: '' }], times: 'always' })
  const { visitors } = await visitorsIn(await send(service, 'GET', `${VISITORS}?limit=2`))
  expect(visitors).toHaveLength(4)
  expect(visitors.slice(0, 2)).toEqual([null, { path: '' }])
  expect((await send(service, 'GET', `${VISITORS}?limit=0`)).status).toBe(400)
  expect((await create(service, 'Hello')).status).toBe('active')
})

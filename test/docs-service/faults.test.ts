import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { FAULT_KINDS, type Fault, NAMED_FAULTS } from '../../docs-service/faults/fault.ts'
import type { DocsService } from '../../docs-service/service.ts'
import { create, JOB, send, startService, statusOf } from './started-service.ts'

const BODY = '{"prompt":"Hello"}'
const HELLO = { body: BODY }

async function faulty(...faults: Fault[]): Promise<DocsService> {
  return (await startService({ faults })).service
}

/** All bytes of one connection until it ends. `again` sends the same once more as soon as the answer begins. */
function rawCreate(service: DocsService, again: boolean): Promise<string> {
  const { port, hostname } = new URL(service.url)
  const headers = `host: x\r\nauthorization: Bearer ${service.key}\r\ncontent-length: ${BODY.length}`
  const end = again ? '' : '\r\nconnection: close'
  const sent = `POST ${JOB} HTTP/1.1\r\n${headers}${end}\r\n\r\n${BODY}`
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(sent))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      if (again && text === '') socket.write(sent)
      text += chunk
    })
    socket.on('error', () => undefined).on('close', () => resolve(text))
  })
}

/** How an answer in full looks. */
const whole = (status: number, body: string): RegExp => new RegExp(`^HTTP/1.1 ${status} [^]*\r\n\r\n${body}`)

test.each<[Fault, RegExp, number]>([
  [{ kind: 'status', status: 503 }, whole(503, '{"error":"A fault makes the service answer 503"}$'), 0],
  [{ kind: 'status', status: 504, handled: true, body: 'late' }, whole(504, 'late$'), 1],
  [{ kind: 'html' }, whole(200, '<!doctype html>'), 0],
  [{ kind: 'html', body: '<p>', handled: true }, whole(200, '<p>$'), 1],
  [{ kind: 'body', body: [1] }, whole(201, '\\[1\\]$'), 1],
  [{ kind: 'body', body: 'not JSON', handled: false }, whole(200, 'not JSON$'), 0],
  [{ kind: 'redirect', location: 'http://x/' }, /^HTTP\/1\.1 302 [\s\S]*\r\nlocation: http:\/\/x\/\r\n/, 0],
  [{ kind: 'echo-key' }, whole(401, '{"error":"Not accepted: Authorization: Bearer mint_demo"}$'), 0],
  [{ kind: 'delay', ms: 1 }, whole(201, '{"id":"'), 1],
  [{ kind: 'drip', ms: 0 }, whole(201, '{"id":"'), 1],
  [NAMED_FAULTS['no-credits'], whole(402, '{"error":"Insufficient credits"}$'), 0],
  [NAMED_FAULTS['rate-limit-text'], whole(429, 'Too many requests, please try again later.\n$'), 0],
  [{ kind: 'reset' }, /^$/, 0],
  [{ kind: 'reset-after', end: 'fin' }, /^$/, 1],
  [{ kind: 'truncate' }, /\r\ncontent-length: [2-9]\d\d\r\n[\s\S]*\{"id":"[^}]*$/, 1],
  [{ kind: 'truncate', status: 429, body: 'slow down' }, whole(429, 'slow$'), 0],
  [{ kind: 'truncate-clean', status: 500, body: 'half' }, /chunked\r\n[\s\S]*\r\n2\r\nha\r\n0\r\n\r\n$/, 0],
  [{ kind: 'content-length', by: 7, status: 200, body: '123' }, /content-length: 10\r\n[\s\S]*\r\n123$/, 0],
  [{ kind: 'content-length', by: -2, status: 200, body: '123' }, /content-length: 1\r\n[\s\S]*\r\n123$/, 0],
  [{ kind: 'unreadable', status: 429, body: 'wait' }, /content-encoding: gzip\r\n[\s\S]*\r\nwait$/, 0],
  [{ kind: 'interim' }, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/, 1],
  [{ kind: 'interim', interim: 199 }, /^HTTP\/1\.1 199 Interim\r\n\r\nHTTP\/1\.1 201 Created\r\n/, 1],
])('%j is answered %s with %i jobs made', async (fault, text, jobs) => {
  const service = await faulty(fault)
  expect(await rawCreate(service, false)).toMatch(text)
  expect(service.jobs).toHaveLength(jobs)
  expect(service.requests).toMatchObject([{ fault: fault.kind, body: { prompt: 'Hello' } }])
})

test.each<[number, 'fin' | 'rst']>([
  [0, 'fin'],
  [0, 'rst'],
  [3, 'fin'],
])('close-after %i ms (%s) answers whole and loses what comes then', async (ms, end) => {
  const service = await faulty({ kind: 'close-after', ms, end })
  expect((await rawCreate(service, true)).match(/^HTTP/gm)).toHaveLength(1)
  expect(service.requests).toHaveLength(1)
  expect(await create(service, 'Hello')).toMatchObject({ status: 'active' })
})

test.each(['identity', 'gzip', 'deflate', 'br'] as const)('huge (%s) unpacks to 20 MiB', async (encoding) => {
  const service = await faulty({ kind: 'huge', encoding })
  const response = await send(service, `POST ${JOB}`, HELLO)
  expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
  const text = await response.text()
  expect(text.length).toBe(20 * 1024 * 1024)
  expect(JSON.parse(text)).toMatchObject({ id: 'huge', status: 'active' })
})

test('the service goes on after a huge body that nobody reads to its end, and a header that cannot be sent', async () => {
  const service = await faulty(
    { kind: 'huge', bytes: 1024 ** 3 },
    { kind: 'status', status: 503, headers: { 'x-bad': 'a\nb' } },
  )
  expect(await statusOf(service, `POST ${JOB}`, HELLO)).toBe(200)
  expect(await statusOf(service, `POST ${JOB}`, HELLO)).toBe(500)
  expect(await create(service, 'Hello')).toMatchObject({ status: 'active' })
})

test('a fault meets what it matches, as often as it says; of several, the first added one', async () => {
  const { service } = await startService()
  const { id } = await create(service, 'Hello')
  service.faults.add({ kind: 'status', status: 500, match: { path: 'message' } })
  service.faults.add({ kind: 'status', status: 502, match: { path: '/v1/', method: 'get' } })
  service.faults.add({ kind: 'status', status: 503, match: { path: 'look', nth: 3 }, times: 2 })
  service.faults.add({ kind: 'status', status: 504, match: { path: 'searches' }, times: 'always' })
  const statuses = async (call: string, count: number): Promise<number[]> => {
    const seen: number[] = []
    while (seen.length < count) seen.push(await statusOf(service, call))
    return seen
  }
  expect(await statuses(`GET ${JOB}/${id}`, 6)).toEqual([200, 200, 503, 503, 200, 200])
  expect(await statuses('GET /v1/analytics/docs/searches', 3)).toEqual([502, 504, 504])
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, HELLO)).toBe(500)
  service.faults.clear()
  expect(await statuses('GET /v1/analytics/docs/searches', 1)).toEqual([200])
})

test('close ends hanging, delayed and dripping answers at once', async () => {
  const service = await faulty(
    { kind: 'hang' },
    { kind: 'hang-after' },
    { kind: 'delay', ms: 60_000 },
    { kind: 'drip', ms: 60_000 },
  )
  const answers = [1, 2, 3, 4].map(async () => (await send(service, `POST ${JOB}`, HELLO)).text())
  const ends = Promise.allSettled(answers)
  while (service.jobs.length < 3 || service.requests.length < 4) await new Promise(setImmediate)
  await service.close()
  expect((await ends).map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
})

test('faults are set, shown and removed over HTTP, without a key', async () => {
  const { service } = await startService()
  const fault = { kind: 'status', status: 503, times: 'always', match: { path: 'create' } }
  expect(await statusOf(service, 'POST /_faults', { key: '', body: fault })).toBe(201)
  expect(await statusOf(service, 'POST /_faults', { key: '', body: '"no-credits"' })).toBe(201)
  expect(await statusOf(service, `POST ${JOB}`, HELLO)).toBe(503)
  const listed = await send(service, 'GET /_faults', { key: '' })
  expect(await listed.json()).toMatchObject([{ fault, seen: 1, used: 1 }, { used: 0 }])
  expect(await (await send(service, 'DELETE /_faults', { key: '' })).json()).toEqual([])
  expect(await statusOf(service, 'PUT /_faults', { body: {} })).toBe(405)
  const requests = await (await send(service, 'GET /_requests', { key: '' })).text()
  expect(JSON.parse(requests)).toMatchObject([{ path: JOB, headers: { authorization: 'Bearer ***' } }])
})

test.each<[unknown, string[]]>([
  ['kind=status', ["There is no fault 'kind=status': one of no-credits, "]],
  [{ kind: 'explode' }, ['kind: one of status, delay, ']],
  [{ kind: 'delay' }, ['ms: a whole number from 0']],
  [{ kind: 'status', status: 99 }, ['status: a status from 200 to 599']],
  [{ kind: 'hang', ms: 5 }, ['ms: not a field of this fault']],
  [
    { kind: 'hang', times: 0, match: { path: 'jobs', nth: '1' } },
    ['times: a whole number from 1, or "always"', 'path: create, look, ', 'nth: a whole number from 1'],
  ],
])('the fault %j is refused with what is wrong', async (body, problems) => {
  const { service } = await startService()
  const response = await send(service, 'POST /_faults', { body })
  expect(response.status).toBe(400)
  const details = problems.map((start) => ({ message: expect.stringContaining(start) }))
  expect(await response.json()).toEqual({ error: 'Not a fault', details })
})

test('the README explains every kind of fault and every named one', () => {
  const readme = readFileSync(new URL('../../docs-service/README.md', import.meta.url), 'utf8')
  const named = (cell: string) =>
    [...readme.matchAll(new RegExp(`^\\| \`([a-z-]+)\` +\\| (?:${cell})`, 'gm'))].map(([, name]) => name)
  expect(named('yes|no')).toEqual(Object.keys(FAULT_KINDS))
  expect(named('create|any')).toEqual(Object.keys(NAMED_FAULTS))
})

import { describe, expect, it } from 'vitest'
import type { FaultEffect } from '../../docs-service/faults/fault.ts'
import { countOf, docsStarter, requestLines } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()

type PostRow = {
  readonly name: string
  readonly fault: FaultEffect
  /** Jobs (or messages) that the service has afterwards. */
  readonly taken: 0 | 1
  /** Requests of that kind that were sent. */
  readonly sent: number
  readonly result: string
  readonly says: RegExp
}

const UNCERTAIN = /a job may be running.*before you run this again/
const SAFE = /safe to run this again/

const POSTS: readonly PostRow[] = [
  {
    name: 'a reset before it was handled',
    fault: { kind: 'reset' },
    taken: 0,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a reset after it was handled',
    fault: { kind: 'reset-after' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a connection closed in order',
    fault: { kind: 'reset-after', end: 'fin' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a truncated answer',
    fault: { kind: 'truncate' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'half an answer that ends well',
    fault: { kind: 'truncate-clean' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'an HTML page',
    fault: { kind: 'html' },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /an HTML page.*a job may be running/,
  },
  {
    name: 'a body that is no job',
    fault: { kind: 'body', body: { id: 7 } },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a body of null',
    fault: { kind: 'body', body: null },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'an oversized body',
    fault: { kind: 'huge', handled: true },
    taken: 1,
    sent: 1,
    result: 'error',
    says: /larger than 16 MiB.*a job may be running/,
  },
  {
    name: 'a packed bomb',
    fault: { kind: 'huge', encoding: 'br', handled: true },
    taken: 1,
    sent: 1,
    result: 'error',
    says: /larger than 16 MiB/,
  },
  {
    name: '500',
    fault: { kind: 'status', status: 500 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: '502 of a job that was made',
    fault: { kind: 'status', status: 502, handled: true },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: '408',
    fault: { kind: 'status', status: 408 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: '400',
    fault: {
      kind: 'status',
      status: 400,
      body: { error: 'too short', details: [{ message: 'prompt: at least 1' }] },
    },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /400.*too short; prompt: at least 1/,
  },
  {
    name: '401',
    fault: { kind: 'status', status: 401 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /401.*expired/,
  },
  {
    name: '403',
    fault: { kind: 'status', status: 403 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /403.*IP addresses.*scope `read`/,
  },
  {
    name: '404',
    fault: { kind: 'status', status: 404 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /404.*check/,
  },
  {
    name: 'a redirect',
    fault: { kind: 'redirect', location: 'http://127.0.0.1:9/', status: 307 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /307.*[Rr]edirects are not followed.*`base-url`/,
  },
  {
    name: '429 with a near Retry-After',
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
    taken: 1,
    sent: 2,
    result: 'pull-request',
    says: /trying again in 1 s/,
  },
  {
    name: '429 with a Retry-After of no time',
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
    taken: 1,
    sent: 2,
    result: 'pull-request',
    says: /trying again in (?:9\d\d ms|1 s)/,
  },
  {
    name: '429 with a far Retry-After',
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '7200' } },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /2 h 00 min, which is past `timeout`/,
  },
  {
    name: 'a short delay',
    fault: { kind: 'delay', ms: 300 },
    taken: 1,
    sent: 1,
    result: 'pull-request',
    says: /accepted/,
  },
]

describe('a create that meets', () => {
  it.each(POSTS)('$name makes at most one job and says what is known', async (row) => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ ...row.fault, match: { path: 'create' } })
    const run = await runAction({ inputs })
    expect(run.log).toMatch(row.says)
    expect(run.outputs['result']).toBe(row.result)
    expect(run.exitCode).toBe(row.result === 'error' ? 1 : 0)
    expect(docs.jobs).toHaveLength(row.taken)
    expect(countOf(docs, 'POST')).toBe(row.sent)
    expect(run.log.includes('may be running')).toBe(
      row.says === UNCERTAIN || /may be running|16 MiB/.test(row.says.source),
    )
  })

  it('a refused connection is tried again, and made once the service is there', async () => {
    const { docs, inputs } = await startDocs()
    const port = Number(new URL(docs.url).port)
    await docs.close()
    const running = runAction({ inputs })
    await new Promise((resolve) => setTimeout(resolve, 700))
    const { docs: late } = await startDocs({ port })
    const run = await running
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(run.log).toMatch(/refused \(ECONNREFUSED\).*trying again/)
    expect(late.jobs).toHaveLength(1)
  })

  it('a rate limit that does not say for how long is tried a last time when the time is up', async () => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ kind: 'status', status: 429, times: 'always', match: { path: 'create' } })
    const run = await runAction({ inputs: { ...inputs, timeout: '2s' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(run.log).toContain('It kept saying so until `timeout` was used up. Nothing was started.')
    expect(run.durationMs).toBeGreaterThan(1900)
    expect(countOf(docs, 'POST')).toBe(3)
  })

  it('a name that does not resolve is given up after 30 s, and safe to run again', async () => {
    const { inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, 'base-url': 'https://docs.invalid' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(run.log).toMatch(/docs\.invalid could not be resolved/)
    expect(run.log).toMatch(SAFE)
    expect(run.durationMs).toBeLessThan(40_000)
  }, 60_000)
})

describe('a follow-up message that meets', () => {
  it.each(POSTS)('$name is passed on at most once', async (row) => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const first = await runAction({ inputs })
    const id = first.outputs['job-id'] ?? ''
    docs.faults.add({ ...row.fault, match: { path: 'message' } })
    const run = await runAction({ inputs: { ...inputs, 'job-id': id, prompt: 'More. [agent: takes 300ms]' } })
    expect(run.outputs).toMatchObject({ 'job-id': id, result: row.result })
    expect(run.exitCode).toBe(row.result === 'error' ? 1 : 0)
    expect(docs.jobs.map(({ messages }) => messages.length)).toEqual([row.taken])
    expect(docs.requests.filter(({ path }) => path.endsWith('/message'))).toHaveLength(row.sent)
  })
})

const PASSING: readonly (readonly [string, FaultEffect])[] = [
  ['a reset', { kind: 'reset' }],
  ['a truncated answer', { kind: 'truncate' }],
  ['half an answer', { kind: 'truncate-clean' }],
  ['an HTML page', { kind: 'html' }],
  ['a body that is no job', { kind: 'body', body: [] }],
  ['another job', { kind: 'body', body: { id: 'other', status: 'completed' } }],
  ['an oversized body', { kind: 'huge', encoding: 'gzip' }],
  ['408', { kind: 'status', status: 408 }],
  ['429', { kind: 'status', status: 429 }],
  ['500', { kind: 'status', status: 500 }],
  ['503 with a date', { kind: 'status', status: 503, headers: { 'retry-after': new Date(0).toUTCString() } }],
  ['an early 404', { kind: 'status', status: 404 }],
]

describe('a look that meets', () => {
  it.each(PASSING)('%s is followed by another', async (_name, fault) => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ ...fault, match: { path: 'look' }, times: 2 })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { result: 'pull-request', 'job-id': docs.jobs[0]?.id },
    })
    expect(docs.jobs).toHaveLength(1)
    expect(countOf(docs, 'GET')).toBeGreaterThanOrEqual(3)
  })

  it.each([
    ['401', { kind: 'status', status: 401 }, /401.*expired/],
    ['403', { kind: 'status', status: 403 }, /403.*IP addresses/],
    ['a redirect', { kind: 'redirect', location: 'https://example.com/' }, /302.*Redirects are not followed/],
  ] as const)('%s ends the wait at once as an error, and keeps the id', async (_name, fault, says) => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ ...fault, match: { path: 'look' } })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({
      exitCode: 1,
      outputs: { result: 'error', 'job-id': docs.jobs[0]?.id, status: 'active' },
    })
    expect(run.log).toMatch(says)
    expect(run.log).toContain(`job-id: ${docs.jobs[0]?.id}`)
    expect(countOf(docs, 'GET')).toBe(1)
  })

  it('a 404 for an attached job ends the wait at once', async () => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, prompt: '', 'job-id': 'gone' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(requestLines(docs)).toEqual(['GET /v2/agent/docs/job/gone'])
  })

  it('a far Retry-After ends promptly, with the reason', async () => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '3600' },
      match: { path: 'look' },
    })
    const run = await runAction({ inputs: { ...inputs, timeout: '20m' } })
    expect(run.durationMs).toBeLessThan(5000)
    expect(run.outputs['job-id']).toBe(docs.jobs[0]?.id)
    expect(run.log).toMatch(/429/)
  })

  it.each([
    ['a hang', { kind: 'hang' }],
    ['a slow drip', { kind: 'drip', ms: 50 }],
  ] as const)('%s is cut at the deadline', async (_name, fault) => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ ...fault, match: { path: 'look' }, times: 'always' })
    const run = await runAction({ inputs: { ...inputs, timeout: '1s' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'timed-out', 'job-id': docs.jobs[0]?.id } })
    expect(run.durationMs).toBeLessThan(4000)
  })
})

describe('the key', () => {
  it.each(['create', 'look'] as const)('is not quoted from a body that echoes it to a %s', async (path) => {
    const { docs, inputs } = await startDocs({ key: 'mint_k3y_"q\\uote' })
    docs.faults.add({ kind: 'echo-key', match: { path } })
    const run = await runAction({ inputs })
    expect(run.exitCode).toBe(1)
    const seen = [run.log.replace(/^::add-mask::.*$/gm, ''), run.summary, JSON.stringify(run.outputs)].join()
    expect(seen).not.toContain('k3y')
    expect(run.log).toContain('***')
  })

  it('is replaced in the job as the service sent it', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const job = { id: 'j1', status: 'completed', prLink: null, note: `key ${docs.key}` }
    docs.faults.add({ kind: 'body', body: job, match: { path: 'create' } })
    const run = await runAction({ inputs })
    expect(JSON.parse(run.outputs['job'] ?? '')).toEqual({ ...job, note: 'key ***' })
  })
})

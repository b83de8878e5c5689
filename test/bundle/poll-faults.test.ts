import { describe, expect, it } from 'vitest'
import type { FaultEffect } from '../../docs-service/faults/fault.ts'
import { countOf, docsStarter, requestLines } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()

const RETRYABLE: readonly (readonly [string, FaultEffect])[] = [
  ['No response from the docs service', { kind: 'reset' }],
  ['could not be read because', { kind: 'truncate' }],
  ['with a text that is not JSON', { kind: 'truncate-clean' }],
  ['with an HTML page', { kind: 'html' }],
  ['with JSON of another shape', { kind: 'body', body: [] }],
  ['with another job', { kind: 'body', body: { id: 'other', status: 'completed' } }],
  ['larger than 16 MiB', { kind: 'huge' }],
  ['could not be read because', { kind: 'unreadable' }],
  ['(408)', { kind: 'status', status: 408 }],
  ['with "Slow down"', { kind: 'status', status: 429, body: 'Slow down', contentType: 'text/plain' }],
  ['The docs service failed (500)', { kind: 'status', status: 500 }],
  ['(503)', { kind: 'status', status: 503, headers: { 'retry-after': new Date(0).toUTCString() } }],
]

describe('a poll that meets', () => {
  it('what may be over with the next poll is followed by one, and said in a line that names the job', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 60_000 })
    const first = await runAction({ inputs: { ...inputs, wait: 'false' } })
    const id = first.outputs['job-id'] ?? ''
    // Good answers in between keep the pauses from growing.
    for (const [index, [, fault]] of RETRYABLE.entries()) {
      docs.faults.add({ ...fault, match: { path: 'look', nth: 2 * index + 1 } })
    }
    const over = { id, status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' }
    docs.faults.add({ kind: 'body', body: over, match: { path: 'look', nth: 2 * RETRYABLE.length } })
    const run = await runAction({ inputs: { ...inputs, prompt: '', 'job-id': id } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request', 'job-id': id } })
    expect(countOf(docs, 'GET')).toBe(2 * RETRYABLE.length)
    const lines = run.log.split('\n').filter((line) => line.startsWith(`Polling job ${id} failed.`))
    expect(lines).toHaveLength(RETRYABLE.length)
    for (const [index, [says]] of RETRYABLE.entries()) expect(lines[index]).toContain(says)
  })

  it('an early 404 after a create is followed by another', async () => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ kind: 'status', status: 404, match: { path: 'look' } })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(countOf(docs, 'POST')).toBe(1)
  })

  it.each([
    ['401', { kind: 'status', status: 401 }, 'The docs service refused the API key (401)', /expired/],
    [
      '401 whose body can not be read',
      { kind: 'unreadable', status: 401 },
      'The docs service refused the API key (401)',
      /could not be read/,
    ],
    [
      '403',
      { kind: 'status', status: 403 },
      'The docs service does not allow this (403)',
      /plan.*IP addresses/,
    ],
    [
      'a redirect',
      { kind: 'redirect', location: 'https://example.com/' },
      'The docs service redirected the request (302)',
      /Redirects are not followed/,
    ],
  ] as const)(
    '%s ends the wait at once as an error, and keeps the id',
    async (_name, fault, headline, says) => {
      const { docs, inputs } = await startDocs()
      docs.faults.add({ ...fault, match: { path: 'look' } })
      const run = await runAction({ inputs })
      const id = docs.jobs[0]?.id
      expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': id, status: 'active' } })
      expect(run.log).toContain(`::error title=Docs agent%3A docs::${headline}. `)
      expect(run.log).toMatch(says)
      expect(run.log).toContain(`job-id: ${id}`)
      expect(run.summary).toContain(`## ❌ ${headline}\n`)
      expect(countOf(docs, 'GET')).toBe(1)
    },
  )

  it('a 404 for an attached job ends the wait at once', async () => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, prompt: '', 'job-id': 'gone' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': 'gone' } })
    expect(run.log).toContain('::No job `gone` in project `docs` (404). ')
    expect(run.log).not.toContain('goes on in the background')
    expect(requestLines(docs)).toEqual(['GET /v2/agent/docs/job/gone'])
  })
})

describe('the last poll', () => {
  it.each([
    ['at the usual pace', '', '1500ms', {}],
    ['after a Retry-After past the deadline', '100ms', '1500ms', { 'retry-after': '3600' }],
    ['after a Retry-After of 400 digits', '100ms', '1500ms', { 'retry-after': '9'.repeat(400) }],
  ])('tells that a job is over, %s', async (_when, pollInterval, timeout, headers) => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 1000 })
    if ('retry-after' in headers) {
      docs.faults.add({ kind: 'status', status: 503, headers, match: { path: 'look' } })
    }
    const run = await runAction({ inputs: { ...inputs, 'poll-interval': pollInterval, timeout } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request', status: 'completed' } })
    expect(run.log).not.toMatch(/Infinity|NaN/)
    expect(countOf(docs, 'GET')).toBe('retry-after' in headers ? 2 : 1)
  })
})

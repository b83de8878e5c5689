import { describe, expect, it } from 'vitest'
import type { FaultEffect } from '../../docs-service/faults/fault.ts'
import { countOf, docsStarter, requestLines } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()

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

import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { TestServers } from '../lib/http-servers.ts'
import { type ActionRun, runAction } from './run-action.ts'

const servers = new TestServers()
afterEach(() => servers.close())

/** A run that asks a server for a new job; the server answers with these bytes, whatever it is asked. */
async function createAnswered(answer: string | Uint8Array): Promise<ActionRun & { requests: number }> {
  const { url, connections } = await servers.startRaw(answer)
  const inputs = {
    'api-key': 'mint_demo',
    'project-id': 'docs',
    'base-url': url.origin,
    prompt: 'Explain the new flag.',
    context: 'none',
  }
  return { ...(await runAction({ inputs })), requests: connections() }
}

const JOB = JSON.stringify({
  id: 'job-1',
  status: 'completed',
  source: { repository: 'https://github.com/acme/docs', ref: null },
  model: 'sonnet',
  prLink: 'https://github.com/acme/docs/pull/7',
  createdAt: '2026-08-01T00:00:00.000Z',
  archivedAt: null,
})

describe('a create', () => {
  // test/lib/http.test.ts has further statuses and bodies.
  it.each([100, 103])('is accepted where an unrequested %s comes before its answer', async (status) => {
    const run = await createAnswered(
      `HTTP/1.1 ${status} Interim\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: ${JOB.length}\r\n\r\n${JOB}`,
    )
    expect(run).toMatchObject({ exitCode: 0, requests: 1 })
    expect(run.outputs).toMatchObject({ result: 'pull-request', 'job-id': 'job-1' })
  })

  const packed = gzipSync('{"error":"no"}')

  it.each([
    [400, 'compressed, and empty', 'content-encoding: gzip\r\ncontent-length: 0\r\n\r\n'],
    [
      401,
      'compressed',
      `content-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n${packed.toString('latin1')}`,
    ],
    [402, 'shorter than it says', 'content-length: 100\r\n\r\n{"error":'],
    [403, 'longer than it says', 'content-length: 2\r\n\r\n{"error":"no"}'],
    [404, 'cut off in a chunk', 'transfer-encoding: chunked\r\n\r\nff\r\n{"error":'],
  ])('refused with %d counts as refused, though its body is %s', async (status, _body, rest) => {
    const run = await createAnswered(Buffer.from(`HTTP/1.1 ${status} No\r\n${rest}`, 'latin1'))
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' }, requests: 1 })
    expect(run.log).toContain(`(${status})`)
    expect(run.log).toContain('Nothing was started.')
    expect(run.log).not.toContain('a job may be running')
  })

  it('accepted with a body that can not be read may have started a job', async () => {
    const packed = gzipSync(JOB).toString('latin1')
    const head = `content-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`
    const run = await createAnswered(Buffer.from(`HTTP/1.1 201 Created\r\n${head}${packed}`, 'latin1'))
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' }, requests: 1 })
    expect(run.log).toContain('the answer is compressed, although no compression was requested')
    expect(run.log).toContain('a job may be running')
  })
})

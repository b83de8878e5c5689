import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { FaultEffect } from '../../docs-service/faults/fault.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { issueComment } from '../support/events.ts'
import { type TestServer, TestServers } from '../support/http-servers.ts'
import { octocat, startScene, writtenComment } from '../support/scene.ts'
import { countOf, QUIET } from './quiet.ts'

const servers = new TestServers()
const certificate = selfSignedCertificate()
const folder = mkdtempSync(join(tmpdir(), 'connections-'))
const authorityFile = join(folder, 'authority.pem')
if (certificate !== undefined) writeFileSync(authorityFile, certificate.cert)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROXIES: Readonly<Record<string, () => Promise<Pick<TestServer, 'origin' | 'requests'>>>> = {
  'no proxy': async () => ({ origin: '', requests: [] }),
  'an http proxy': () => servers.startProxy(),
  'an https proxy': () => servers.startProxy(undefined, certificate),
}

// A create goes out on a connection of its own, the looks after it on one that is kept: each run goes both ways.
describe.skipIf(certificate === undefined)(
  'the bundle, which leaves out what a run never uses,',
  () => {
    const front = (url: string): Promise<TestServer> =>
      certificate === undefined
        ? servers.start(() => undefined)
        : servers.startTlsFront(url, certificate)

    it.each(Object.entries(PROXIES))(
      'reaches services and GitHub through %s',
      async (_name, startProxy) => {
        const scene = await startScene()
        const comment = { author: octocat, body: '/docs explain the flag' }
        const { id } = writtenComment(scene.world, comment)
        for (const [variable, inputs, github] of [
          [
            'HTTPS_PROXY',
            { ...QUIET, 'base-url': (await front(scene.docs.url)).origin },
            scene.github.url,
          ],
          ['HTTP_PROXY', QUIET, scene.github.url],
          ['HTTPS_PROXY', {}, (await front(scene.github.url)).origin],
        ] as const) {
          const proxy = await startProxy()
          const env = {
            [variable]: proxy.origin,
            NODE_EXTRA_CA_CERTS: authorityFile,
            GITHUB_API_URL: github,
          }
          const event = inputs === QUIET ? {} : { event: issueComment({ id, ...comment }) }
          const run = await scene.run({ inputs, env, ...event })
          expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
          expect(proxy.requests.length > 0).toBe(proxy.origin !== '')
        }
        expect(countOf(scene.docs, 'GET')).toBeGreaterThan(1)
        expect(scene.github.requests).toContain('POST /issues/5/comments')
      },
    )
  },
)

it('the bundle reads responses whatever parser undici is told to use', async () => {
  const { run: act } = await startScene()
  for (const variable of ['UNDICI_NO_WASM_SIMD', 'UNDICI_USE_MILO']) {
    const run = await act({ inputs: QUIET, env: { [variable]: '1' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
  }
})

it.each([
  [
    'is a SOCKS proxy',
    'socks5://me:pw@127.0.0.1:1',
    /^::error .*::HTTP_PROXY .* is not an http:\/\/ or https:/m,
  ],
  [
    'has a bare % in its password',
    'http://me:50%@127.0.0.1:1',
    /^::error .*::HTTP_PROXY .* has a %25 in its/m,
  ],
  [
    'fails',
    'http://127.0.0.1:2',
    /^::error .* The connection to the proxy 127\.0\.0\.1:2 was refused/m,
  ],
])('a proxy that %s is told as the proxy, and nothing is sent', async (_what, proxy, says) => {
  const { run: act, docs, github } = await startScene()
  const env = { HTTP_PROXY: proxy }
  const inputs = { ...QUIET, prompt: '', 'job-id': 'j1', timeout: '100ms' }
  const run = await act({ inputs, env })
  expect(run.exitCode).toBe(1)
  expect(run.log).toMatch(says)
  const comment = { author: octocat, body: 'no command' }
  const skipped = await act({ env, event: issueComment({ id: 1, ...comment }) })
  expect(skipped).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
  expect([docs.requests, github.requests]).toEqual([[], []])
  expect(/pw|50%/.test(run.log + skipped.log)).toBe(false)
})

it('with step debug logging, each request has a line with its path, and without key or body', async () => {
  const { run: act, docs } = await startScene({ jobTimeMs: 0 })
  const run = await act({ inputs: QUIET, env: { RUNNER_DEBUG: '1' } })
  const { host } = new URL(docs.url)
  const lines = run.log.match(/^::debug::.*$/gm)?.map((line) => line.replace(/\d+ ms/, 'N ms'))
  expect(lines).toContain(`::debug::POST ${host}/v2/agent/docs/job: 201 (N ms)`)
  expect(run.log.replaceAll(/^::add-mask::.*$/gm, '')).not.toContain(docs.key)
})

/** A run that asks a server for a new job; the server answers with these bytes, whatever it is asked. */
async function runAgainst(answer: string, inputs: Readonly<Record<string, string>> = {}) {
  const { origin, connections } = await servers.startRaw(answer)
  const given = {
    ...QUIET,
    'api-key': 'mint_demo',
    'project-id': 'docs',
    'base-url': origin,
    ...inputs,
  }
  return { ...(await runAction({ inputs: given })), requests: connections() }
}

it.each(['100 Continue', '101 Switching Protocols', '103 Early Hints'])(
  '%s never ends a run without words: a job may be running, and a look is made again',
  async (status) => {
    const create = await runAgainst(`HTTP/1.1 ${status}\r\n\r\n`)
    expect(create).toMatchObject({ exitCode: 1, outputs: { result: 'error' }, requests: 1 })
    expect(create.log).toMatch(
      /^::error .*::No response from the docs service\. .* a job may be running\. .* before you start the workflow anew/m,
    )
    const inputs = { prompt: '', 'job-id': 'j1', 'poll-interval': '100ms', timeout: '600ms' }
    const look = await runAgainst(`HTTP/1.1 ${status}\r\n\r\n`, inputs)
    expect(look).toMatchObject({ exitCode: 1, outputs: { result: 'timed-out', 'job-id': 'j1' } })
    expect(look.log).toContain('The last poll failed. No response from the docs service.')
    expect(look.requests).toBeGreaterThan(1)
  },
)

describe('a create', () => {
  it('that is lost or refused is sent once, and the error says what is known', async () => {
    const { run: act, docs } = await startScene()
    const moved = { kind: 'redirect', location: 'https://a.example/' } as const
    const cases: readonly (readonly [FaultEffect, number, RegExp])[] = [
      [{ kind: 'reset-after' }, 1, /No response.*a job may be running/],
      [{ kind: 'huge', handled: true }, 2, /larger than 16 MiB.*a job may be running/],
      // What is refused is so by its status, though its body is compressed or cut.
      [{ kind: 'unreadable', status: 401 }, 2, /\(401\)\. .* Nothing was started\.$/],
      [
        { kind: 'truncate', status: 402, body: '{"error":' },
        2,
        /\(402\)\. .* Nothing was started\.$/,
      ],
      [moved, 2, /\(302\)\. .*`https:\/\/a\.example\/`\. .*Nothing/],
    ]
    for (const [index, [fault, jobs, says]] of cases.entries()) {
      docs.faults.add({ ...fault, match: { path: 'create' } })
      const run = await act({ inputs: QUIET })
      expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': '' } })
      expect(/^::error .*$/m.exec(run.log)?.[0]).toMatch(says)
      expect([docs.jobs.length, countOf(docs, 'POST')]).toEqual([jobs, index + 1])
    }
  })

  it('that is refused or over the limit is sent again, and made once', async () => {
    const { start, docs } = await startScene()
    const port = Number(new URL(docs.url).port)
    await docs.close()
    const started = await start({ inputs: QUIET })
    await started.logged('trying again')
    const late = await startDocsService({ port, agent: 'none', jobTimeMs: 0 })
    const headers = { 'retry-after': '1' }
    late.faults.add({ kind: 'status', status: 429, headers, match: { path: 'create' } })
    const run = await started.ended
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(run.log).toMatch(
      /^Failed to reach .* was refused .* Nothing was started yet; trying again in/m,
    )
    expect(run.log).toMatch(/\(429\)\. .* Nothing was started yet; trying again in 1 s\.$/m)
    expect([late.jobs.length, countOf(late, 'POST')]).toEqual([1, 2])
    await late.close()
  })
})

it('looks that fail are made again until one is refused, which ends the wait as an error and keeps the id', async () => {
  const faults: readonly (readonly [FaultEffect, string])[] = [
    [{ kind: 'truncate' }, 'could not be read because the connection closed'],
    [{ kind: 'body', body: { id: 'other', status: 'completed' } }, 'with another job'],
    [{ kind: 'unreadable' }, 'could not be read because it is compressed'],
    [
      { kind: 'status', status: 503, headers: { 'retry-after': new Date(0).toUTCString() } },
      '(503)',
    ],
  ]
  const { run: act, docs } = await startScene({ jobTimeMs: 60_000 })
  // Good responses in between keep the pauses from growing.
  for (const [index, [fault]] of faults.entries()) {
    docs.faults.add({ ...fault, match: { path: 'look', nth: 2 * index + 1 } })
  }
  docs.faults.add({
    kind: 'unreadable',
    status: 401,
    match: { path: 'look', nth: 2 * faults.length },
  })
  const run = await act({ inputs: QUIET })
  const id = docs.jobs[0]?.id
  const lines = run.log.split('\n').filter((line) => line.startsWith(`Failed to poll job ${id}. `))
  expect(lines).toEqual(faults.map(([, says]) => expect.stringContaining(says)))
  expect(run).toMatchObject({
    exitCode: 1,
    outputs: { result: 'error', 'job-id': id, status: 'active' },
  })
  expect(run.log).toMatch(
    /^::error title=Docs agent \(docs\)::The docs service refused the API key \(401\)\. /m,
  )
  expect(run.log).toContain(`job-id: ${id}`)
  expect(run.summary).toMatch(/^## ❌ The docs service refused the API key \(401\)\n/)
})

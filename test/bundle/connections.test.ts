import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { issueComment } from '../github/events.ts'
import { writtenComment } from '../github/scene.ts'
import { octocat, usualSceneStarter } from '../github/usual-scene.ts'
import { selfSignedCertificate, type TestServer, TestServers } from '../lib/http-servers.ts'
import { docsStarter, requestLines } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()
const usualScene = usualSceneStarter()
const servers = new TestServers()
afterEach(() => servers.close())

const certificate = selfSignedCertificate()
const folder = mkdtempSync(join(tmpdir(), 'connections-'))
const authorityFile = join(folder, 'authority.pem')
if (certificate !== undefined) writeFileSync(authorityFile, certificate.cert)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

if (certificate === undefined) console.warn('The tests of connections are skipped: openssl is not installed.')

type Way = { readonly proxy: string; readonly requests: readonly string[] }

const PROXIES: Readonly<Record<string, () => Promise<Way>>> = {
  'no proxy': async () => ({ proxy: '', requests: [] }),
  'an http proxy': async () => wayThrough(await servers.startProxy()),
  'an https proxy': async () => wayThrough(await servers.startProxy(undefined, certificate)),
}

function wayThrough({ origin, requests }: TestServer): Way {
  return { proxy: origin, requests }
}

/** Loopback or not, everything goes through the proxy, if there is one. */
function expectUsed({ proxy, requests }: Way, line: RegExp): void {
  expect(requests.filter((request) => line.test(request)).length > 0).toBe(proxy !== '')
}

// A create goes out on a connection of its own, the polls after it on one that is kept: each run goes both ways.
describe.skipIf(certificate === undefined)('the bundle, which leaves out what a run never uses,', () => {
  it.each(Object.entries(PROXIES))('reaches an https service through %s', async (_name, startProxy) => {
    const { docs, inputs } = await startDocs()
    const front = certificate && (await servers.startTlsFront(docs.url, certificate))
    const way = await startProxy()
    const env = { HTTPS_PROXY: way.proxy, NODE_EXTRA_CA_CERTS: authorityFile }
    const run = await runAction({ inputs: { ...inputs, 'base-url': front?.origin ?? '' }, env })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(requestLines(docs).length).toBeGreaterThan(1)
    expectUsed(way, /^CONNECT 127\.0\.0\.1:/)
  })

  it.each(Object.entries(PROXIES))('reaches an http service through %s', async (_name, startProxy) => {
    const { docs, inputs } = await startDocs()
    const way = await startProxy()
    const env = { HTTP_PROXY: way.proxy, NODE_EXTRA_CA_CERTS: authorityFile }
    const run = await runAction({ inputs, env })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(requestLines(docs).length).toBeGreaterThan(1)
    expectUsed(way, /^POST http:\/\/127\.0\.0\.1:.*\/job$/)
  })

  it.each(Object.entries(PROXIES))('reaches GitHub through %s', async (_name, startProxy) => {
    const scene = await usualScene()
    const front = certificate && (await servers.startTlsFront(scene.github.url, certificate))
    const way = await startProxy()
    const env = {
      HTTPS_PROXY: way.proxy,
      NODE_EXTRA_CA_CERTS: authorityFile,
      GITHUB_API_URL: front?.origin ?? '',
    }
    const comment = { author: octocat, body: '/docs explain the flag' }
    const { id } = writtenComment(scene.world, comment)
    const run = await scene.run({ event: issueComment({ id, ...comment }), env })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(scene.github.requests).toContain('POST /issues/5/comments')
    expectUsed(way, /^CONNECT 127\.0\.0\.1:/)
  })
})

it.each(['UNDICI_NO_WASM_SIMD', 'UNDICI_USE_MILO'])(
  'the bundle reads answers with %s set',
  async (variable) => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs, env: { [variable]: '1' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(requestLines(docs).length).toBeGreaterThan(1)
  },
)

it('a SOCKS proxy is refused by the name of its variable', async () => {
  const { docs, inputs } = await startDocs()
  const run = await runAction({ inputs, env: { HTTP_PROXY: 'socks5://127.0.0.1:1080' } })
  expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
  expect(run.log).toContain('environment variable HTTP_PROXY (or http_proxy) names a SOCKS proxy')
  expect(docs.requests).toEqual([])
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { selfSignedCertificate } from '../support/certificate.ts'
import { commentIn } from '../support/events.ts'
import { type TestServer, TestServers } from '../support/http-servers.ts'
import { octocat, startScene } from '../support/scene.ts'
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
        const event = commentIn(scene.world, comment)
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
          const run = await scene.run({ inputs, env, ...(inputs !== QUIET && { event }) })
          expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
          expect(proxy.requests.length > 0).toBe(proxy.origin !== '')
        }
        expect(countOf(scene.docs, 'GET')).toBeGreaterThan(1)
        expect(scene.github.requests).toContain('POST /issues/5/comments')
      },
    )
  },
)

it('the bundle reads responses with the other parser of undici', async () => {
  const { run: act } = await startScene()
  const run = await act({ inputs: QUIET, env: { UNDICI_NO_WASM_SIMD: '1' } })
  expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
})

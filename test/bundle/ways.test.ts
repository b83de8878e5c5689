import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { selfSignedCertificate, TestServers } from '../lib/http-servers.ts'
import { docsStarter } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()
const servers = new TestServers()
afterEach(() => servers.close())

const certificate = selfSignedCertificate()
const folder = mkdtempSync(join(tmpdir(), 'ways-'))
const authorityFile = join(folder, 'authority.pem')
if (certificate !== undefined) writeFileSync(authorityFile, certificate.cert)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROXIES = {
  'no proxy': () => Promise.resolve(''),
  'an http proxy': async () => (await servers.startProxy()).origin,
  'an https proxy': async () => (await servers.startProxy(undefined, certificate)).origin,
  'a SOCKS proxy': async () => (await servers.startSocks()).origin,
}

describe.skipIf(certificate === undefined)('the bundle, whose unused parts of undici are left out', () => {
  it.each(Object.entries(PROXIES))('reaches an https service through %s', async (_name, startProxy) => {
    const { docs, inputs } = await startDocs()
    const front = certificate && (await servers.startTlsFront(docs.url, certificate))
    const env = { HTTPS_PROXY: await startProxy(), NODE_EXTRA_CA_CERTS: authorityFile }
    const run = await runAction({ inputs: { ...inputs, 'base-url': front?.origin ?? '' }, env })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
  })

  it.each(Object.entries(PROXIES))('reaches an http service through %s', async (_name, startProxy) => {
    const { inputs } = await startDocs()
    const env = { HTTP_PROXY: await startProxy(), NODE_EXTRA_CA_CERTS: authorityFile }
    const run = await runAction({ inputs, env })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
  })

  it.each(['UNDICI_NO_WASM_SIMD', 'UNDICI_USE_MILO'])('reads answers with %s set, too', async (variable) => {
    const { inputs } = await startDocs()
    const run = await runAction({ inputs, env: { [variable]: '1' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
  })
})

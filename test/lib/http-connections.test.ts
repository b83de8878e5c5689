import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { clientWith, get, NO_PROXY } from './http-client.ts'
import { selfSignedCertificate, TestServers, trust } from './http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

const certificate = selfSignedCertificate()

describe('connections', () => {
  it('serve one request after the other, unless they may go side by side', async () => {
    let answer = (): void => undefined
    const together = new Promise<void>((resolve) => {
      answer = resolve
    })
    const { url, requests, connections } = await servers.start(async (_incoming, response) => {
      if (requests.length === 2) answer()
      await together
      response.end('{}')
    })
    const client = clientWith({ sideBySide: true })
    await Promise.all([client.send(get(url)), client.send(get(url))])
    expect(connections()).toBe(2)
  })

  it.skipIf(certificate === undefined).each([
    ['in TLS', async () => NO_PROXY],
    ['in TLS through a tunnel', async () => throughProxy((await servers.startProxy()).origin)],
    [
      'in TLS through a tunnel that begins with TLS',
      async () => throughProxy((await servers.startProxy(undefined, certificate)).origin),
    ],
    ['in TLS through a SOCKS proxy', async () => throughProxy((await servers.startSocks()).origin)],
  ])('that are still being made end with the client: %s', async (_way, settings) => {
    trust(certificate)
    const { host, accepted } = await servers.startSilent()
    const client = clientWith({ proxy: await settings() })
    const sent = client.send(get(new URL(`https://${host}`)))
    const ended = once(await accepted, 'close')
    client.close()
    await Promise.all([ended, expect(sent).rejects.toThrow()])
  })

  it.each(['http', 'https', 'socks5'])(
    'to an %s proxy that says nothing end with the client',
    async (kind) => {
      const { host, accepted } = await servers.startSilent()
      const client = clientWith({ proxy: throughProxy(`${kind}://${host}`) })
      const sent = client.send(get(new URL('https://127.0.0.1:9')))
      const ended = once(await accepted, 'close')
      client.close()
      await Promise.all([ended, expect(sent).rejects.toThrow()])
    },
  )
})

function throughProxy(httpsProxy: string) {
  return { ...NO_PROXY, httpsProxy }
}

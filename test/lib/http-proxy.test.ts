import { afterEach, describe, expect, it } from 'vitest'
import type { HttpOptions } from '../../src/lib/http.ts'
import { clientWith, failureOf, get, NO_PROXY } from './http-client.ts'
import { TestServers } from './http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

const through = (httpProxy: string): Partial<HttpOptions> => ({ proxy: { ...NO_PROXY, httpProxy } })

describe.each([
  ['a kept connection', false],
  ['a fresh connection', true],
])('a proxy, for %s,', (_name, freshConnection) => {
  it('is handed an http request with its whole address', async () => {
    const target = await servers.start((incoming, response) => response.end(incoming.headers.host))
    const proxy = await servers.startProxy()
    const client = clientWith(through(proxy.origin))
    expect((await client.send(get(target.url, { freshConnection }))).body).toBe(target.url.host)
    await client.send(get(target.url, { freshConnection }))
    expect(proxy.requests).toEqual([`GET ${target.url.href}`, `GET ${target.url.href}`])
    expect(proxy.connections()).toBe(freshConnection ? 2 : 1)
  })

  it.each([
    ['me:s%25cret@', 'me:s%cret'],
    ['me@', 'me:'],
  ])(
    'is given the credentials of its URL, which the target never sees: %s',
    async (userinfo, credentials) => {
      const target = await servers.start((incoming, response) =>
        response.end(JSON.stringify(incoming.headers)),
      )
      const proxy = await servers.startProxy(credentials)
      const client = clientWith(through(proxy.origin.replace('//', `//${userinfo}`)))
      const answer = await client.send(get(target.url, { freshConnection }))
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.body)).not.toHaveProperty('authorization')
    },
  )

  it('that requires credentials has sent nothing on', async () => {
    const target = await servers.start((_incoming, response) => response.end())
    const proxy = await servers.startProxy('me:secret')
    const client = clientWith(through(proxy.origin))
    expect(await failureOf(client, get(target.url, { freshConnection }))).toEqual({
      failure: 'proxy',
      maybeSent: false,
      message: `the proxy ${proxy.url.host} did not connect to ${target.url.host}: it requires a user name and password (407)`,
    })
    expect(target.requests).toEqual([])
  })

  it('that refuses connections is named', async () => {
    const proxy = await servers.startProxy()
    await servers.close()
    const request = get(new URL('http://127.0.0.1:9/'), { freshConnection })
    expect(await failureOf(clientWith(through(proxy.origin)), request)).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: `the connection to the proxy ${proxy.url.host} was refused (ECONNREFUSED)`,
    })
  })

  it('is addressed by its host alone', async () => {
    const target = await servers.start((_incoming, response) => response.end('x'))
    const proxy = await servers.startProxy()
    const client = clientWith(through(`${proxy.origin}/path?query#hash`))
    expect((await client.send(get(target.url, { freshConnection }))).body).toBe('x')
  })
})

it.each(['gopher://127.0.0.1:1', 'http://', 'socks5://127.0.0.1:1'])(
  'a proxy setting that can not be used has sent nothing: %s',
  async (setting) => {
    const failure = await failureOf(clientWith(through(setting)), get(new URL('http://127.0.0.1:9/')))
    expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    expect(failure.message).toContain('HTTP_PROXY')
  },
)

import { afterEach, describe, expect, it } from 'vitest'
import type { HttpOptions } from '../../src/lib/http.ts'
import { clientWith, failureOf, get, NO_PROXY } from './http-client.ts'
import { TestServers } from './http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

describe('a proxy', () => {
  const through = (httpProxy: string): Partial<HttpOptions> => ({ proxy: { ...NO_PROXY, httpProxy } })

  it('is handed an http request as a whole, over one connection', async () => {
    const target = await servers.start((incoming, response) => response.end(incoming.headers.host))
    const proxy = await servers.startProxy()
    const client = clientWith(through(proxy.origin))
    await client.send(get(target.url))
    expect((await client.send(get(target.url))).body).toBe(target.url.host)
    expect(proxy.requests).toEqual([`GET ${target.url.href}`, `GET ${target.url.href}`])
    expect(proxy.connections()).toBe(1)
  })

  it('is told the user and password of its URL, which the target never sees', async () => {
    const target = await servers.start((incoming, response) => response.end(JSON.stringify(incoming.headers)))
    const proxy = await servers.startProxy('me:s%cret')
    const answer = await clientWith(through(proxy.origin.replace('//', '//me:s%25cret@'))).send(
      get(target.url),
    )
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).not.toHaveProperty('authorization')
  })

  it('that wants to know who asks has sent nothing on', async () => {
    const target = await servers.start((_incoming, response) => response.end())
    const proxy = await servers.startProxy('me:secret')
    expect(await failureOf(clientWith(through(proxy.origin)), get(target.url))).toEqual({
      failure: 'proxy',
      maybeSent: false,
      message: `the proxy ${proxy.url.host} did not connect to ${target.url.host}: it wants a user name and password (407)`,
    })
    expect(target.requests).toEqual([])
  })

  it('that refuses connections is named', async () => {
    const proxy = await servers.startProxy()
    await servers.close()
    expect(await failureOf(clientWith(through(proxy.origin)), get(new URL('http://127.0.0.1:9/')))).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: `the connection to the proxy ${proxy.url.host} was refused (ECONNREFUSED)`,
    })
  })

  it('whose URL goes on after the host is asked for by its host alone', async () => {
    const target = await servers.start((_incoming, response) => response.end('x'))
    const proxy = await servers.startProxy()
    const client = clientWith(through(`${proxy.origin}/path?query#hash`))
    expect((await client.send(get(target.url))).body).toBe('x')
  })

  it.each(['gopher://127.0.0.1:1', 'http://'])(
    'setting that can not be used has sent nothing: %s',
    async (setting) => {
      const failure = await failureOf(clientWith(through(setting)), get(new URL('http://127.0.0.1:9/')))
      expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    },
  )
})

import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TestServers } from '../support/http-servers.ts'
import { clientWith, failureOf, get, KINDS, NO_PROXY } from './http-client.ts'

const servers = new TestServers()

const forHttp = (httpProxy: string) => ({ proxy: { ...NO_PROXY, httpProxy } })

describe.each(KINDS)('a proxy, for %s,', (_name, freshConnection) => {
  it.each([
    { user: '', credentials: undefined },
    { user: 'me:s%25cret@', credentials: 'me:s%cret' },
  ])(
    'passes http requests on, and the target never sees its credentials: $credentials',
    async ({ user, credentials }) => {
      const target = await servers.start(({ headers }, response) => {
        response.end(`${headers.host} ${headers['proxy-authorization']}`)
      })
      const proxy = await servers.startProxy(credentials)
      const client = clientWith(forHttp(proxy.origin.replace('//', `//${user}`)))
      for (let sent = 0; sent < 2; sent++) {
        const { body } = await client.send(get(target.url, { freshConnection }))
        expect(body).toBe(`${target.url.host} undefined`)
        await setImmediate()
      }
      expect(target.requests).toEqual(['GET /path?query=1', 'GET /path?query=1'])
      expect(proxy.connections()).toBe(freshConnection ? 2 : 1)
    },
  )

  it('to which there is no connection gets nothing', async () => {
    const request = get(new URL('http://127.0.0.1:9'), { freshConnection })
    const failure = { failure: 'unsent' }
    expect(await failureOf(request, forHttp('http://me:pw@127.0.0.1:1'))).toMatchObject(failure)
  })
})

it.each([
  { value: '*.localhost', isExempt: false },
  { value: 'other localhost:PORT', isExempt: true },
])('NO_PROXY exempts a host: $value, $isExempt', async ({ value, isExempt }) => {
  const target = await servers.start((_incoming, response) => response.end())
  const proxy = await servers.start((_incoming, response) => response.end())
  const url = new URL(`http://localhost:${target.url.port}/`)
  const noProxy = value.replace('PORT', url.port)
  await clientWith({ proxy: { ...NO_PROXY, httpProxy: proxy.origin, noProxy } }).send(get(url))
  expect([target.connections(), proxy.connections()]).toEqual(isExempt ? [1, 0] : [0, 1])
})

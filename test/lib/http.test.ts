import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { clientWith, failureOf, get, MIB } from './http-client.ts'
import { TestServers } from './http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

/** What holds however a request is sent. */
const TRANSPORTS = [
  ['a kept connection', false],
  ['a fresh connection', true],
] as const

describe.each(TRANSPORTS)('a request over %s', (_name, freshConnection) => {
  it('arrives as it was meant, and its answer comes back complete', async () => {
    let received = ''
    const { url, requests } = await servers.start((incoming, response) => {
      const { host, 'x-name': name, 'content-length': length, 'accept-encoding': encoding } = incoming.headers
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        received += [host, name, length, encoding, chunk].join(' ')
      })
      response.writeHead(201, [
        ['X-Twice', 'a'],
        ['X-Twice', 'b'],
      ])
      incoming.on('end', () => response.end('größer'))
    })
    const request = { method: 'POST', url, headers: { 'x-name': 'v' }, body: 'söme', freshConnection }
    const answer = await clientWith().send(request)
    expect(requests).toEqual(['POST /path?query=1'])
    expect(received).toBe(`${url.host} v 5 identity söme`)
    expect(answer).toMatchObject({ status: 201, body: 'größer', bodyProblem: undefined, bodyCutOff: false })
    expect(answer.headers).toMatchObject({ 'x-twice': 'a, b' })
  })

  it('reaches this machine by a name below localhost, which no name server is asked of', async () => {
    const { url } = await servers.start((incoming, response) => response.end(incoming.headers.host))
    const named = new URL(url)
    named.hostname = 'docs.localhost'
    const answer = await clientWith().send(get(named, { freshConnection }))
    expect(answer).toMatchObject({ status: 200, body: `docs.localhost:${url.port}` })
  })

  it('is answered by a redirect, which is not followed', async () => {
    const { url, requests } = await servers.start((_incoming, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    expect(await clientWith().send(get(url, { freshConnection }))).toMatchObject({
      status: 302,
      headers: { location: '/elsewhere' },
    })
    expect(requests).toHaveLength(1)
  })

  it.each([102, 103, 199])('is answered after an interim response %s', async (status) => {
    const { url } = await servers.startRaw(
      `HTTP/1.1 ${status} Wait\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}`,
    )
    const request = get(url, { method: 'POST', body: 'x', freshConnection })
    expect(await clientWith().send(request)).toMatchObject({ status: 201, body: '{}' })
  })

  it('may get a body of 16 MiB and not a byte more', async () => {
    const bodies = [Buffer.alloc(16 * MIB, 'x'), Buffer.alloc(16 * MIB + 1, 'x')]
    const { url } = await servers.start((_incoming, response) => response.end(bodies.shift()))
    const client = clientWith()
    expect((await client.send(get(url, { freshConnection }))).body).toHaveLength(16 * MIB)
    expect(await client.send(get(url, { freshConnection }))).toMatchObject({
      status: 200,
      body: '',
      bodyProblem: 'the answer is larger than 16 MiB',
      bodyCutOff: false,
    })
  })

  it('has the status of an answer that is compressed, and no body', async () => {
    const { url } = await servers.start((_incoming, response) =>
      response.writeHead(401, { 'content-encoding': 'gzip' }).end(gzipSync('{}')),
    )
    expect(await clientWith().send(get(url, { freshConnection }))).toMatchObject({
      status: 401,
      body: '',
      bodyProblem: 'the answer is compressed, although no compression was requested',
    })
  })

  it('has the empty body of an answer that says it is compressed', async () => {
    const { url } = await servers.start((_incoming, response) =>
      response.writeHead(401, { 'content-encoding': 'gzip' }).end(),
    )
    const answer = await clientWith().send(get(url, { freshConnection }))
    expect(answer).toMatchObject({ status: 401, body: '', bodyProblem: undefined })
  })

  it('has the status of an answer that breaks off', async () => {
    const { url } = await servers.start((_incoming, response) => {
      response.writeHead(429, { 'content-length': '100', 'retry-after': '7' })
      response.write('half', () => response.socket?.destroy())
    })
    expect(await clientWith().send(get(url, { freshConnection }))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: '',
      bodyProblem: 'the connection broke off before the answer was complete',
      bodyCutOff: true,
    })
  })

  it('has the status of an answer whose body never ends', async () => {
    const { url } = await servers.start((_incoming, response) => {
      response.writeHead(404).write('half')
    })
    expect(await clientWith({ timeoutMs: 200 }).send(get(url, { freshConnection }))).toMatchObject({
      status: 404,
      body: '',
      bodyProblem: 'the answer was not complete within 0.2 s',
      bodyCutOff: true,
    })
  })

  it('that is never answered ends at the time limit', async () => {
    const { url } = await servers.start(() => undefined)
    expect(await failureOf(clientWith({ timeoutMs: 200 }), get(url, { freshConnection }))).toEqual({
      failure: 'timeout',
      maybeSent: true,
      message: 'the request timed out after 0.2 s',
    })
  })

  it('is certain not to be sent where the connection is refused', async () => {
    const { url } = await servers.start(() => undefined)
    await servers.close()
    expect(await failureOf(clientWith(), get(url, { freshConnection }))).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: `the connection to ${url.host} was refused (ECONNREFUSED)`,
    })
  })

  it('is certain not to be sent where the name is not known', async () => {
    const request = get(new URL('http://nowhere.invalid/'), { freshConnection })
    expect(await failureOf(clientWith(), request)).toMatchObject({ failure: 'unresolved', maybeSent: false })
  })

  it('may have been sent where the connection is reset after that', async () => {
    const { url } = await servers.start((incoming) => incoming.socket.resetAndDestroy())
    expect(await failureOf(clientWith(), get(url, { freshConnection }))).toEqual({
      failure: 'broken-off',
      maybeSent: true,
      message: `the connection to ${url.host} broke off before the answer was complete (ECONNRESET)`,
    })
  })

  it('may have been sent where the answer is no HTTP', async () => {
    const { url } = await servers.startRaw('SSH-2.0-OpenSSH_9.6\r\n')
    const request = get(url, { method: 'POST', body: 'x', freshConnection })
    expect(await failureOf(clientWith(), request)).toMatchObject({ failure: 'broken-off', maybeSent: true })
  })

  it('ends at once with the reason of an abort', async () => {
    const abort = new AbortController()
    const reason = new Error('enough')
    const { url } = await servers.start(() => abort.abort(reason))
    const sent = clientWith().send(get(url, { freshConnection, signal: abort.signal }))
    await expect(sent).rejects.toBe(reason)
  })

  it('ends at once with the reason of an abort while its body arrives', async () => {
    const abort = new AbortController()
    const reason = new Error('enough')
    const { url } = await servers.start((_incoming, response) => {
      response.write('half', () => abort.abort(reason))
    })
    const sent = clientWith().send(get(url, { freshConnection, signal: abort.signal }))
    await expect(sent).rejects.toBe(reason)
  })

  it('is never sent where an abort came before', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end())
    const reason = new Error('enough')
    const sent = clientWith().send(get(url, { freshConnection, signal: AbortSignal.abort(reason) }))
    await expect(sent).rejects.toBe(reason)
    expect(requests).toEqual([])
  })

  it('is never sent where an abort comes while the connection is being opened', async () => {
    const { host, accepted } = await servers.startSilent()
    const abort = new AbortController()
    const reason = new Error('enough')
    const url = new URL(`https://${host}/`)
    const sent = clientWith().send(get(url, { freshConnection, signal: abort.signal }))
    void accepted.then(() => abort.abort(reason))
    await expect(sent).rejects.toBe(reason)
  })

  it('is never sent where an abort comes right after the call', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end())
    const abort = new AbortController()
    const reason = new Error('enough')
    const sent = clientWith().send(get(url, { freshConnection, signal: abort.signal }))
    abort.abort(reason)
    await expect(sent).rejects.toBe(reason)
    expect(requests).toEqual([])
  })
})

describe('connections', () => {
  it('are kept for the next request', async () => {
    const { url, connections } = await servers.start((_incoming, response) => response.end('{}'))
    const client = clientWith()
    for (let request = 0; request < 20; request++) await client.send(get(url))
    expect(connections()).toBe(1)
  })

  it('are fresh for each request that asks for it', async () => {
    const { url, connections } = await servers.start((_incoming, response) => response.end('{}'))
    const client = clientWith()
    await client.send(get(url))
    for (let request = 0; request < 3; request++) await client.send(get(url, { freshConnection: true }))
    await client.send(get(url))
    expect(connections()).toBe(4)
  })

  it('are several side by side where that is allowed', async () => {
    let answer = (): void => undefined
    const together = new Promise<void>((resolve) => {
      answer = resolve
    })
    const { url, requests, connections } = await servers.start(async (_incoming, response) => {
      if (requests.length === 2) answer()
      await together
      response.end('{}')
    })
    const client = clientWith({ connections: 2 })
    await Promise.all([client.send(get(url)), client.send(get(url))])
    expect(connections()).toBe(2)
  })

  it('that the server resets may have carried the next request', async () => {
    let answers = 0
    const { url } = await servers.start((incoming, response) => {
      if (answers++ === 0) response.end()
      else incoming.socket.resetAndDestroy()
    })
    const client = clientWith()
    await client.send(get(url))
    expect(await failureOf(client, get(url))).toMatchObject({ failure: 'broken-off', maybeSent: true })
  })

  it('are opened anew after an answer that was given up', async () => {
    const bodies = [Buffer.alloc(2 * MIB), 'fine']
    const { url } = await servers.start((_incoming, response) => response.end(bodies.shift()))
    const client = clientWith({ bodyLimitBytes: MIB })
    expect(await client.send(get(url))).toMatchObject({ bodyProblem: 'the answer is larger than 1 MiB' })
    expect(await client.send(get(url))).toMatchObject({ body: 'fine' })
  })
})

it('an unasked-for 100 Continue before the answer to a request that must not be repeated is read past', async () => {
  const { url } = await servers.startRaw(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}',
  )
  const request = get(url, { method: 'POST', body: 'x', freshConnection: true })
  expect(await clientWith().send(request)).toMatchObject({ status: 201, body: '{}' })
})

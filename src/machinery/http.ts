import type { Readable } from 'node:stream'
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici'
import type { Clock } from './clock.ts'
import { type ProxySettings, proxyFor } from './proxy.ts'
import { connectError, exchangeError, TransportError } from './transport-error.ts'

/** One request. */
export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the request at once; `send` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** One whole answer, whatever its status. Redirects are answers like any other: they are never followed. */
export type HttpAnswer = {
  readonly status: number
  /** Names in lower case; of a header sent more than once, the values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Unpacked and read as UTF-8. */
  readonly body: string
}

/** Sends requests over connections that are kept for the next one. */
export type HttpClient = {
  /**
   * Sends one request, once.
   *
   * @throws {TransportError} if no whole answer came
   */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Drops all connections, so that nothing keeps the process alive. */
  close(): Promise<void>
}

/** Limits of a client and what it needs from outside. */
export type HttpOptions = {
  readonly proxy: ProxySettings
  readonly clock: Clock
  /** Longest time for one request, from connecting to the last byte, in milliseconds. */
  readonly timeLimitMs: number
  /** Largest body, unpacked, in bytes. */
  readonly bodyLimitBytes: number
}

// Longer than the longest pause between looks, shorter than the idle limits of common servers.
const KEEP_ALIVE_MS = 15_000

/** Opens a client. No connection is made before the first request. */
export function openHttp(options: HttpOptions): HttpClient {
  const unsent = new WeakSet<object>()
  const dispatchers = new Map<string, Dispatcher>()

  function poolFor(origin: string | URL, poolOptions: object): Pool {
    const pool = new Pool(origin, { ...poolOptions, allowH2: false, keepAliveTimeout: KEEP_ALIVE_MS })
    return pool.on('connectionError', (_origin, _targets, error) => unsent.add(error))
  }

  function dispatcherFor(url: URL): Dispatcher {
    const known = dispatchers.get(url.origin)
    if (known !== undefined) return known
    const proxy = proxyFor(url, options.proxy)
    const made =
      proxy === undefined
        ? new Agent({ factory: poolFor })
        : new ProxyAgent({ uri: proxy.href, factory: poolFor, proxyTunnel: false })
    dispatchers.set(url.origin, made)
    return made
  }

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    const limit = options.clock.timeout(options.timeLimitMs)
    const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit])
    try {
      const { url, method, headers, body = null } = request
      const response = await dispatcherFor(url).request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as Dispatcher.HttpMethod,
        headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
        body,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      const plainHeaders = flatten(response.headers)
      return {
        status: response.statusCode,
        headers: plainHeaders,
        body: await readBody(response.body, plainHeaders['content-encoding'] ?? '', options.bodyLimitBytes),
      }
    } catch (error) {
      request.signal?.throwIfAborted()
      if (limit.aborted) throw timeLimitError(options.timeLimitMs, error)
      if (error instanceof TransportError) throw error
      const early = typeof error === 'object' && error !== null && unsent.has(error)
      throw early ? connectError(error, request.url) : exchangeError(error, request.url)
    }
  }

  async function close(): Promise<void> {
    await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()))
  }

  return { send, close }
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  )
}

async function readBody(raw: Readable, encoding: string, limitBytes: number): Promise<string> {
  const body = await unpack(raw, encoding.trim().toLowerCase())
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes) {
      raw.destroy()
      const message = `the answer is larger than ${limitBytes / 1024 ** 2} MiB`
      throw new TransportError(message, { failure: 'too-large', maybeSent: true })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function unpack(raw: Readable, encoding: string): Promise<Readable> {
  if (encoding === '' || encoding === 'identity') return raw
  const zlib = await import('node:zlib')
  const unpackers: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  }
  const create = unpackers[encoding]
  if (create === undefined) {
    raw.destroy()
    const message = 'the answer is packed in a way that was not asked for'
    throw new TransportError(message, { failure: 'undecodable', maybeSent: true })
  }
  const unpacker = create()
  raw.once('error', (error) => unpacker.destroy(error))
  unpacker.once('close', () => raw.destroy())
  return raw.pipe(unpacker)
}

function timeLimitError(limitMs: number, cause: unknown): TransportError {
  const message = `no whole answer came within ${limitMs / 1000} s`
  return new TransportError(message, { failure: 'time-limit', maybeSent: true, cause })
}

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBrotliCompress, createDeflate, createGzip, constants as zlib } from 'node:zlib'
import { errorReply, htmlReply, jsonReply, type Reply, sendReply } from '../http/server.ts'
import type { Fault } from './fault.ts'

/** One request under a fault. `handle` passes it on to the service; a kind that does not call it leaves no trace there. */
export type FaultyExchange = {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly handle: () => Promise<Reply>
  /** From now on, what comes in on this connection is lost. */
  readonly ignore: (socket: Socket) => void
}

const PORTAL_PAGE =
  '<!doctype html>\n<html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>\n'
const HUGE_BYTES = 20 * 1024 * 1024
const CHUNK = Buffer.alloc(64 * 1024, 'a')
const PACKERS: Readonly<Record<NonNullable<Fault['encoding']>, () => NodeJS.ReadWriteStream>> = {
  identity: () => new PassThrough(),
  gzip: () => createGzip(),
  deflate: () => createDeflate(),
  br: () => createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: 1 } }),
}

/** Answers a request as the fault wants it. Resolves when nothing more will be sent. */
export async function applyFault(fault: Fault, exchange: FaultyExchange): Promise<void> {
  const { response, handle } = exchange
  const { kind, status, handled } = fault
  const instead = kind === 'html' || kind === 'huge' || kind === 'redirect' || kind === 'echo-key'
  if (kind === 'reset-after' || kind === 'hang-after' || (instead && handled)) await handle()
  switch (kind) {
    case 'hang':
    case 'hang-after':
      return
    case 'reset':
    case 'reset-after':
      return endConnection(response.socket, fault.end)
    case 'huge':
      return sendHuge(response, fault)
    case 'html':
      return sendReply(response, htmlReply(200, String(fault.body ?? PORTAL_PAGE)))
    case 'redirect':
      return sendReply(response, jsonReply(status ?? 302, '', { location: fault.location ?? '/' }))
    case 'echo-key': {
      const said = `Not accepted: Authorization: ${exchange.incoming.headers.authorization}`
      return sendReply(response, errorReply(status ?? 401, said))
    }
    case 'body':
      return sendReply(
        response,
        jsonReply(handled === false ? 200 : (await handle()).status, fault.body),
      )
    default:
      return sendFaulty(fault, await replyTo(fault, handle), exchange)
  }
}

async function sendFaulty(
  fault: Fault,
  reply: Reply,
  { response, ignore }: FaultyExchange,
): Promise<void> {
  const { socket } = response
  const { kind, ms = 0 } = fault
  const bytes = Buffer.from(reply.body)
  const half = bytes.subarray(0, Math.floor(bytes.length / 2))
  const writeHead = (headers: Record<string, string | number>) =>
    response.writeHead(reply.status, { ...reply.headers, ...headers })
  switch (kind) {
    case 'drip':
      return drip(writeHead({ 'content-length': bytes.length }), bytes, ms)
    case 'truncate':
      writeHead({ 'content-length': bytes.length }).write(half, () => socket?.destroy())
      return
    case 'truncate-clean':
      writeHead({ 'transfer-encoding': 'chunked' }).end(half)
      return
    case 'content-length': {
      const length = Math.max(0, bytes.length + (fault.by ?? 0))
      writeHead({ 'content-length': length }).end(bytes, () => socket?.end())
      return
    }
    case 'unreadable':
      writeHead({
        'content-encoding': fault.encoding ?? 'gzip',
        'content-length': bytes.length,
      }).end(bytes)
      return
    case 'interim': {
      const { interim = 100 } = fault
      socket?.write(`HTTP/1.1 ${interim} ${STATUS_CODES[interim] ?? 'Interim'}\r\n\r\n`)
      return sendReply(response, reply)
    }
    case 'close-after': {
      if (socket) ignore(socket)
      const close = () => endConnection(socket, fault.end ?? 'fin')
      // The answer leaves the connection open. A timer takes at least 1 ms.
      response.once('finish', () => (ms === 0 ? close() : setTimeout(close, ms)))
      return sendReply(response, reply)
    }
    default:
      if (kind !== 'delay' || (await pause(response, ms))) sendReply(response, reply)
  }
}

/** The service's own answer, or the one that the fault puts in its place. */
async function replyTo(fault: Fault, handle: () => Promise<Reply>): Promise<Reply> {
  const { status, headers, contentType, handled } = fault
  if (status === undefined) return handle()
  if (handled) await handle()
  const body = fault.body ?? { error: `A fault makes the service answer ${status}` }
  return jsonReply(status, body, {
    ...(contentType && { 'content-type': contentType }),
    ...headers,
  })
}

function endConnection(socket: Socket | null, end: 'rst' | 'fin' = 'rst'): void {
  if (end === 'rst') socket?.resetAndDestroy()
  else socket?.destroy()
}

async function drip(response: ServerResponse, bytes: Buffer, ms: number): Promise<void> {
  for (const byte of bytes) {
    response.write(Buffer.of(byte))
    if (!(await pause(response, ms))) return
  }
  response.end()
}

/** Waits; `false` if the connection ended meanwhile, which ends the wait at once. */
async function pause(response: ServerResponse, ms: number): Promise<boolean> {
  if (response.destroyed) return false
  const closed = new AbortController()
  const abort = () => closed.abort()
  response.once('close', abort)
  await sleep(ms, undefined, { signal: closed.signal }).catch(() => undefined)
  response.off('close', abort)
  return !closed.signal.aborted
}

/** Streams a job-like JSON document, never held in memory; resolves early when the caller hangs up. */
async function sendHuge(response: ServerResponse, fault: Fault): Promise<void> {
  const { bytes = HUGE_BYTES, encoding = 'identity' } = fault
  const coding = encoding === 'identity' ? {} : { 'content-encoding': encoding }
  response.writeHead(200, { 'content-type': 'application/json', ...coding })
  const source = Readable.from(hugeDocument(bytes), { objectMode: false })
  // A caller that stops reading is what this fault is for.
  await pipeline(source, PACKERS[encoding](), response).catch(() => undefined)
}

function* hugeDocument(bytes: number): Generator<Buffer> {
  const head = '{"id":"huge","status":"active","padding":"'
  const tail = '"}'
  yield Buffer.from(head)
  for (let left = bytes - head.length - tail.length; left > 0; left -= CHUNK.length) {
    yield CHUNK.subarray(0, left)
  }
  yield Buffer.from(tail)
}

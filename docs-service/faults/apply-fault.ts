import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorReply, htmlReply, jsonReply, type Reply, sendReply } from '../http.ts'
import type { Fault, FaultEffect, InPlace } from './fault.ts'
import { sendHuge } from './huge-body.ts'

/** One request under a fault. `handle` passes it on to the service; a kind that does not call it leaves no trace there. */
export type FaultyExchange = {
  incoming: IncomingMessage
  response: ServerResponse
  handle: () => Promise<Reply>
  /** From now on, what comes in on this connection is lost. */
  ignore: (socket: Socket) => void
}

/** The kinds that change how an answer goes out, be it the service's own or one in its place. */
type FaultySending = Exclude<
  FaultEffect,
  {
    kind:
      | 'hang'
      | 'hang-after'
      | 'reset'
      | 'reset-after'
      | 'huge'
      | 'body'
      | 'odd-visitors'
      | PlainReply['kind']
  }
>

/** The kinds that have an answer of their own. */
type PlainReply = Extract<FaultEffect, { kind: 'html' | 'redirect' | 'echo-key' }>

const PORTAL_PAGE =
  '<!doctype html>\n<html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>\n'

/** Answers a request as the fault wants it. Resolves when nothing more will be sent. */
export async function applyFault(fault: Fault, exchange: FaultyExchange): Promise<void> {
  const { response, incoming, handle } = exchange
  switch (fault.kind) {
    case 'hang':
      return
    case 'hang-after':
      await handle()
      return
    case 'reset':
      return breakOff(response.socket, fault.end)
    case 'reset-after':
      await handle()
      return breakOff(response.socket, fault.end)
    case 'huge':
      if (fault.handled) await handle()
      return sendHuge(response, fault)
    case 'body':
      return sendReply(response, await withBody(fault, handle))
    case 'odd-visitors':
      return sendReply(response, oddVisitors(fault, await handle()))
    case 'html':
    case 'redirect':
    case 'echo-key':
      if (fault.handled) await handle()
      return sendReply(response, replyInstead(fault, incoming))
    default:
      return sendFaulty(fault, await answerFor(fault, handle), exchange)
  }
}

async function sendFaulty(
  fault: FaultySending,
  reply: Reply,
  { response, ignore }: FaultyExchange,
): Promise<void> {
  switch (fault.kind) {
    case 'status':
      return sendReply(response, reply)
    case 'delay':
      return sendLate(response, reply, fault.ms)
    case 'drip':
      return drip(response, reply, fault.ms)
    case 'truncate':
      return truncate(response, reply)
    case 'truncate-clean':
      return truncateCleanly(response, reply)
    case 'content-length':
      return sendWrongLength(response, reply, fault.by)
    case 'unreadable':
      return sendReply(response, unreadable(reply, fault.encoding))
    case 'interim':
      return sendAfterInterim(response, reply, fault.interim)
    case 'close-after':
      return sendAndClose(response, reply, { ms: fault.ms ?? 0, end: fault.end ?? 'fin', ignore })
  }
}

/** The service's own answer, or the one that the fault puts in its place. */
async function answerFor(fault: InPlace, handle: () => Promise<Reply>): Promise<Reply> {
  const { status, headers = {}, contentType, handled } = fault
  if (status === undefined) return handle()
  if (handled) await handle()
  const body = fault.body ?? { error: `The service answers ${status}, as a fault was set to` }
  return jsonReply(status, body, { ...(contentType && { 'content-type': contentType }), ...headers })
}

function replyInstead(fault: PlainReply, incoming: IncomingMessage): Reply {
  switch (fault.kind) {
    case 'html':
      return htmlReply(200, fault.body ?? PORTAL_PAGE)
    case 'redirect':
      return jsonReply(fault.status ?? 302, { error: 'Moved' }, { location: fault.location })
    case 'echo-key':
      return errorReply(fault.status ?? 401, `Not accepted: Authorization: ${incoming.headers.authorization}`)
  }
}

function breakOff(socket: Socket | null, end: 'rst' | 'fin' = 'rst'): void {
  if (end === 'rst') socket?.resetAndDestroy()
  else socket?.destroy()
}

async function sendLate(response: ServerResponse, reply: Reply, ms: number): Promise<void> {
  if (await pause(response, ms)) sendReply(response, reply)
}

async function drip(response: ServerResponse, reply: Reply, ms: number): Promise<void> {
  const bytes = Buffer.from(reply.body)
  response.writeHead(reply.status, { ...reply.headers, 'content-length': bytes.length })
  for (let at = 0; at < bytes.length; at += 1) {
    response.write(bytes.subarray(at, at + 1))
    if (!(await pause(response, ms))) return
  }
  response.end()
}

/** Waits; `false` if the connection ended meanwhile, which ends the wait at once. */
async function pause(response: ServerResponse, ms: number): Promise<boolean> {
  if (response.destroyed) return false
  const gone = new AbortController()
  const stop = () => gone.abort()
  response.once('close', stop)
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => undefined)
  response.off('close', stop)
  return !gone.signal.aborted
}

function truncate(response: ServerResponse, reply: Reply): void {
  const { half, length } = halfOf(reply)
  response.writeHead(reply.status, { ...reply.headers, 'content-length': length })
  response.write(half, () => response.socket?.destroy())
}

function truncateCleanly(response: ServerResponse, reply: Reply): void {
  const { half } = halfOf(reply)
  response.writeHead(reply.status, { ...reply.headers, 'transfer-encoding': 'chunked' })
  response.end(half)
}

function halfOf(reply: Reply): { half: Buffer; length: number } {
  const bytes = Buffer.from(reply.body)
  return { half: bytes.subarray(0, Math.floor(bytes.length / 2)), length: bytes.length }
}

function sendWrongLength(response: ServerResponse, reply: Reply, by: number): void {
  const bytes = Buffer.from(reply.body)
  const { socket } = response
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Math.max(0, bytes.length + by) })
  response.end(bytes, () => socket?.end())
}

function unreadable(reply: Reply, encoding = 'gzip'): Reply {
  return { ...reply, headers: { ...reply.headers, 'content-encoding': encoding } }
}

function sendAfterInterim(response: ServerResponse, reply: Reply, interim = 100): void {
  response.socket?.write(`HTTP/1.1 ${interim} ${interim === 100 ? 'Continue' : 'Interim'}\r\n\r\n`)
  sendReply(response, reply)
}

/** The answer leaves the connection open; a request that comes in before it is closed is never read. */
function sendAndClose(
  response: ServerResponse,
  reply: Reply,
  { ms, end, ignore }: { ms: number; end: 'rst' | 'fin'; ignore: FaultyExchange['ignore'] },
): void {
  const { socket } = response
  if (socket) ignore(socket)
  // A timer takes 1 ms at least.
  const close = () => breakOff(socket, end)
  response.once('finish', () => (ms === 0 ? close() : setTimeout(close, ms)))
  sendReply(response, reply)
}

async function withBody(
  fault: { body: unknown; handled?: boolean },
  handle: () => Promise<Reply>,
): Promise<Reply> {
  const status = fault.handled === false ? 200 : (await handle()).status
  return jsonReply(status, fault.body)
}

/** The answer to a visitors call with its oddities; any other answer as it is. */
function oddVisitors(
  { decimals = false, rows = [] }: { decimals?: boolean; rows?: readonly unknown[] },
  reply: Reply,
): Reply {
  const answer: unknown = reply.status === 200 ? JSON.parse(reply.body) : undefined
  if (typeof answer !== 'object' || answer === null || !('visitors' in answer)) return reply
  if (!Array.isArray(answer.visitors)) return reply
  const addDecimals = (name: string, value: unknown): unknown =>
    decimals && typeof value === 'number' && ['human', 'ai', 'total'].includes(name) ? value + 0.25 : value
  const body = JSON.stringify({ ...answer, visitors: [...rows, ...answer.visitors] }, addDecimals)
  return { ...reply, body }
}

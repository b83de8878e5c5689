import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonReply, type Reply, sendReply } from '../http/reply.ts'
import type { Fault } from './fault.ts'
import { sendHuge } from './huge-body.ts'
import { standInReply } from './stand-in-reply.ts'

/** One request under a fault. `handle` passes it on to the service; a kind that does not call it leaves no trace there. */
export type FaultyExchange = {
  incoming: IncomingMessage
  response: ServerResponse
  handle: () => Promise<Reply>
}

/** Answers a request as the fault wants it. Resolves when nothing more will be sent. */
export async function inflict(fault: Fault, exchange: FaultyExchange): Promise<void> {
  const { response, handle } = exchange
  switch (fault.kind) {
    case 'hang':
      return
    case 'hang-after':
      await handle()
      return
    case 'reset':
      return breakOff(response, fault.end)
    case 'reset-after':
      await handle()
      return breakOff(response, fault.end)
    case 'delay':
      return sendLate(response, await handle(), fault.ms)
    case 'drip':
      return drip(response, await handle(), fault.ms)
    case 'truncate':
      return truncate(response, await handle())
    case 'truncate-clean':
      return truncateCleanly(response, await handle())
    case 'body':
      return sendReply(response, await withBody(fault, handle))
    case 'huge':
      if (fault.handled) await handle()
      return sendHuge(response, fault)
    default:
      if (fault.handled) await handle()
      return sendReply(response, standInReply(fault, exchange.incoming))
  }
}

function breakOff(response: ServerResponse, end: 'rst' | 'fin' = 'rst'): void {
  if (end === 'rst') response.socket?.resetAndDestroy()
  else response.socket?.destroy()
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

async function withBody(
  fault: { body: unknown; handled?: boolean },
  handle: () => Promise<Reply>,
): Promise<Reply> {
  const status = fault.handled === false ? 200 : (await handle()).status
  return jsonReply(status, fault.body)
}

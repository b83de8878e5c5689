import type { ServerResponse } from 'node:http'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliCompress, createDeflate, createGzip, constants as zlib } from 'node:zlib'
import type { Encoding } from './fault.ts'

const DEFAULT_BYTES = 20 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024

/** Streams a job-like JSON document of `bytes`, never held in memory; resolves early when the caller hangs up. */
export async function sendHuge(
  response: ServerResponse,
  { bytes = DEFAULT_BYTES, encoding = 'identity' }: { bytes?: number; encoding?: Encoding },
): Promise<void> {
  const coding = encoding === 'identity' ? {} : { 'content-encoding': encoding }
  response.writeHead(200, { 'content-type': 'application/json', ...coding })
  const packer = packerFor(encoding)
  const source = Readable.from(document(bytes), { objectMode: false })
  const sent = packer ? pipeline(source, packer, response) : pipeline(source, response)
  // A caller that stops reading is what this fault is for.
  await sent.catch(() => undefined)
}

function* document(bytes: number): Generator<Buffer> {
  const head = '{"id":"huge","status":"active","padding":"'
  const tail = '"}'
  yield Buffer.from(head)
  const padding = Buffer.alloc(CHUNK_BYTES, 'a')
  for (let left = bytes - head.length - tail.length; left > 0; left -= CHUNK_BYTES) {
    yield padding.subarray(0, Math.min(left, CHUNK_BYTES))
  }
  yield Buffer.from(tail)
}

function packerFor(encoding: Encoding): Transform | undefined {
  switch (encoding) {
    case 'identity':
      return undefined
    case 'gzip':
      return createGzip()
    case 'deflate':
      return createDeflate()
    case 'br':
      return createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: 1 } })
  }
}

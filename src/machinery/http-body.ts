import type { Readable } from 'node:stream'
import { TransportError } from './transport-error.ts'

/**
 * Reads the body of an answer: unpacked, counted while it streams, as UTF-8.
 *
 * @param encoding the `Content-Encoding` that it came with; empty for none
 * @param limitBytes most bytes that it may have, unpacked
 * @throws {TransportError} if it is larger, or packed in a way that was not asked for
 */
export async function readBody(raw: Readable, encoding: string, limitBytes: number): Promise<string> {
  const body = await unpack(raw, encoding.trim().toLowerCase())
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes) {
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
    raw.on('error', () => undefined).destroy()
    const message = 'the answer is packed in a way that was not asked for'
    throw new TransportError(message, { failure: 'undecodable', maybeSent: true })
  }
  const unpacker = create()
  raw.once('error', (error) => unpacker.destroy(error))
  unpacker.once('close', () => raw.on('error', () => undefined).destroy())
  return raw.pipe(unpacker)
}

import { promisify } from 'node:util'
import { TransportError } from './transport-error.ts'

/**
 * Unpacks the body of an answer and reads it as UTF-8.
 *
 * @param encoding the `Content-Encoding` that it came with; empty for none
 * @param limitBytes most bytes that it may have, unpacked
 * @throws {TransportError} if it is larger, or packed in a way that was not asked for
 */
export async function unpack(packed: Buffer, encoding: string, limitBytes: number): Promise<string> {
  const coding = encoding.trim().toLowerCase()
  if (coding === '' || coding === 'identity') return packed.toString('utf8')
  const { gunzip, inflate, brotliDecompress } = await import('node:zlib')
  const unpackers = new Map([
    ['gzip', promisify(gunzip)],
    ['x-gzip', promisify(gunzip)],
    ['deflate', promisify(inflate)],
    ['br', promisify(brotliDecompress)],
  ])
  const unpacker = unpackers.get(coding)
  if (unpacker === undefined) {
    const message = 'the answer is packed in a way that was not asked for'
    throw new TransportError(message, { failure: 'undecodable', maybeSent: true })
  }
  const body = await unpacker(packed, { maxOutputLength: limitBytes }).catch((error: unknown) => {
    throw isTooLarge(error) ? tooLarge(limitBytes) : error
  })
  return body.toString('utf8')
}

/** The error for a body that is larger than it may be. */
export function tooLarge(limitBytes: number): TransportError {
  const message = `the answer is larger than ${limitBytes / 1024 ** 2} MiB`
  return new TransportError(message, { failure: 'too-large', maybeSent: true })
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

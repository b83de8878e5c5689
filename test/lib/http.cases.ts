import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { HttpResponse } from '../../src/lib/http.ts'

const closed = 'the connection closed before the response was complete'

/** How a response ends, what sends it, and what is read of it. */
export const HALF_RESPONSES: readonly [string, RequestListener, Partial<HttpResponse>][] = [
  [
    'is compressed',
    (_, response) => response.writeHead(401, { 'content-encoding': ' GZIP' }).end(gzipSync('{}')),
    {
      status: 401,
      body: '',
      bodyProblem: 'it is compressed, although no compression was requested',
    },
  ],
  [
    'breaks off',
    (_, response) => {
      response.writeHead(429, { 'content-length': '100' })
      response.write('half', () => response.socket?.destroy())
    },
    { status: 429, body: 'half', bodyProblem: closed },
  ],
  [
    'never ends',
    (_, response) => response.writeHead(404).write('half'),
    { status: 404, body: 'half', bodyProblem: 'the response was not complete within 0.4 s' },
  ],
]

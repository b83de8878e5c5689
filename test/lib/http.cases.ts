import type { RequestListener } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { HttpResponse } from '../../src/lib/http.ts'

const closed = 'the connection closed before the response was complete'

type HalfListener = (endTime: () => void, ...exchange: Parameters<RequestListener>) => void

/** How a response ends, what sends it, and what is read of it. */
export const HALF_RESPONSES: readonly [string, HalfListener, Partial<HttpResponse>][] = [
  [
    'is compressed',
    (_end, _, response) =>
      response.writeHead(401, { 'content-encoding': ' GZIP' }).end(gzipSync('{}')),
    {
      status: 401,
      body: '',
      bodyProblem: 'it is compressed, although no compression was requested',
    },
  ],
  [
    'breaks off',
    (_end, _, response) => {
      response.writeHead(429, { 'content-length': '100' })
      response.write('half', () => response.socket?.destroy())
    },
    { status: 429, body: 'half', bodyProblem: closed },
  ],
  [
    'never ends',
    (endTime, _, response) =>
      response.writeHead(404).write('half', async () => {
        // A client in this process reads what was sent within so many turns of the event loop.
        for (let turn = 0; turn < 10; turn++) await setImmediate()
        endTime()
      }),
    { status: 404, body: 'half', bodyProblem: 'the response was not complete within 10 s' },
  ],
]

import type { RunOptions } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

export const refused: Reply = { refused: true }
export const limited = (seconds: string): Reply => ({
  status: 429,
  headers: { 'retry-after': seconds },
})
/** `SERVICE` is the docs service by https, which it does not speak. */
export const at = (baseUrl: string): RunOptions => ({ inputs: { 'base-url': baseUrl } })
const behindProxy: RunOptions = {
  ...at('https://docs.example.com'),
  env: { HTTPS_PROXY: 'SERVICE' },
}
export const timeout = (text: string): RunOptions => ({ inputs: { timeout: text } })

export const SAFE = 'Nothing was started, so it is safe to run this again.'
const NOTHING = 'Nothing was started.'
export const MAYBE = {
  create: 'A job may have been created anyway. Before you run this workflow again, check',
  message: 'The job may have received the message anyway and may be running. Before you run',
}
const UNCLEAR = 'Before you run this workflow again, check'
export const KEPT = ' kept returning this error until `timeout` was reached.'
const past = (wait: string): string =>
  ` asks to wait ${wait} before the next request, which is longer than \`timeout\`.`

/** Replies to a create or message; when it is sent, in seconds; and how the error ends: none where it is accepted. */
export const SENT: readonly [string, readonly Reply[], RunOptions, readonly number[], string?][] = [
  ['accepted', ['active'], {}, [0]],
  ['accepted, whatever happens then', [{ status: 201, breaks: 'after' }], {}, [0]],
  ['accepted late, and not cut by timeout', [{ takesMs: 29_000 }], timeout('1s'), [0]],
  ['accepted at last', [refused, limited('60'), refused, 'active'], {}, [0, 1, 61, 65]],
  ['refused for 30 s', [refused], {}, [0, 1, 3, 7, 15, 30], SAFE],
  ['refused for 30 s after an answer', [limited('60'), refused], {}, [0, 60, 62, 66, 74, 90], SAFE],
  ['for a host that is unknown', [], at('https://no.invalid'), [0, 1, 3, 7, 15, 30], SAFE],
  ['kept away by TLS', [], at('SERVICE'), [0], NOTHING],
  ['kept away by a proxy', [], behindProxy, [0], NOTHING],
  ['over the limit', [limited('100'), limited('200'), 'active'], {}, [0, 100, 300]],
  ['over it to the end', [{ status: 429 }], timeout('150s'), [0, 60, 120, 150], KEPT],
  ['over it past timeout', [limited('600')], {}, [0], past('10 min')],
  ['answered 302', [{ status: 302 }], {}, [0], NOTHING],
  ['answered 303', [{ status: 303 }], {}, [0], UNCLEAR],
  ['answered 408', [{ status: 408 }], {}, [0], UNCLEAR],
  ['answered 500', [{ status: 500 }], {}, [0], UNCLEAR],
  ['answered 503', [{ status: 503, headers: { 'retry-after': '1' } }], {}, [0], UNCLEAR],
  ['answered 204', [{ status: 204 }], {}, [0], UNCLEAR],
  ['answered by half a job', [{ status: 201, body: '{"id":', breaks: 'after' }], {}, [0], UNCLEAR],
  ['answered by something else', [{ body: '[]' }], {}, [0], UNCLEAR],
  ['not answered', [{ breaks: 'before' }], {}, [0], UNCLEAR],
]

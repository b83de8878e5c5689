import { afterEach, describe, expect, it } from 'vitest'
import { openSystemClock } from '../../src/lib/clock.ts'
import { openHttp } from '../../src/lib/http.ts'
import { redactor } from '../../src/lib/redact.ts'
import { type DocsService, openDocsService } from '../../src/service/docs-service.ts'
import { createJob, getJob, sendMessage } from '../../src/service/job.ts'
import {
  describeFailure,
  InvalidResponseError,
  isRetryable,
  retryAfterMsOf,
  ServiceError,
} from '../../src/service/service-error.ts'
import { TestServers } from '../lib/http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

const KEY = 'mint_secret_0123'

type Reply = { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }

async function serviceThatReplies({ status, body = '', headers = {} }: Reply): Promise<DocsService> {
  const { origin } = await servers.start((_incoming, response) => {
    response.writeHead(status, headers).end(body)
  })
  const clock = openSystemClock()
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  return openDocsService({
    baseUrl: new URL(origin),
    projectId: 'docs',
    apiKey: KEY,
    http: openHttp({ proxy, clock, timeoutMs: 10_000, bodyLimitBytes: 1 << 20 }),
    clock,
    redact: redactor([KEY]),
  })
}

async function failureOf(call: (service: DocsService) => Promise<unknown>, reply: Reply): Promise<unknown> {
  const service = await serviceThatReplies(reply)
  return await call(service).then(
    () => undefined,
    (error: unknown) => error,
  )
}

const create = (service: DocsService): Promise<unknown> => createJob(service, 'x')
const get = (service: DocsService): Promise<unknown> => getJob(service, 'j1')
const message = (service: DocsService): Promise<unknown> => sendMessage(service, { id: 'j1', prompt: 'x' })

describe('a refusal names its cause first, then what was requested, what came back, and the cure', () => {
  it.each([
    [
      create,
      400,
      'The docs service rejected the request as invalid (400)',
      'The docs service answered the request to create a job with "no". Check `prompt` and `project-id`.',
    ],
    [
      create,
      401,
      'The docs service refused the API key (401)',
      'The docs service answered the request to create a job with "no". The key may have expired (keys last 90 days unless their owner chose otherwise), have been deleted, or belong to another service. Create a new admin key in the dashboard and update the secret behind `api-key`.',
    ],
    [
      create,
      402,
      'The credits of the docs service are used up (402)',
      'The docs service answered the request to create a job with "no". Buy credits or wait for the next period; the dashboard shows what is left.',
    ],
    [
      create,
      403,
      'The docs service does not allow this (403)',
      'The docs service answered the request to create a job with "no". Likely causes: the API needs the Pro or Enterprise plan; the key may have the scope `read`, which cannot start jobs or send messages (use a key with the scope `admin`); the key may be limited to a list of IP addresses that this runner is not on.',
    ],
    [
      get,
      403,
      'The docs service does not allow this (403)',
      'The docs service answered the request to get the job with "no". Likely causes: the API needs the Pro or Enterprise plan; the key may be limited to a list of IP addresses that this runner is not on.',
    ],
    [
      create,
      404,
      'No project `docs` (404)',
      'The docs service answered the request to create a job with "no". Check `project-id`, and that the API key belongs to the same organisation.',
    ],
    [
      get,
      404,
      'No job `j1` in project `docs` (404)',
      'The docs service answered the request to get the job with "no". Check `job-id` and `project-id`; the service may also have deleted the job.',
    ],
    [
      message,
      429,
      'The rate limit of the docs service is reached (429)',
      'The docs service answered the request to send the job a follow-up message with "no". The limit is 100 follow-up messages per project and hour. Start fewer runs, or run at another time.',
    ],
    [
      create,
      413,
      'The prompt is too large for the docs service (413)',
      'The docs service answered the request to create a job with "no". Shorten `prompt`, `prompt-file` or `context-files`, or set `context: files`.',
    ],
    [
      create,
      307,
      'The docs service redirected the request (307)',
      'The docs service answered the request to create a job with "no". Redirects are not followed, so that the API key goes nowhere else. Set `base-url` to the address that the service really has.',
    ],
    [
      get,
      408,
      'The docs service waited too long for the request (408)',
      'The docs service answered the request to get the job with "no". The network between this runner and the service may be slow.',
    ],
    [
      get,
      503,
      'The docs service failed (503)',
      'The docs service answered the request to get the job with "no". That is a fault of the service or of a proxy before it, not of this workflow.',
    ],
    [
      get,
      418,
      'Unexpected response of the docs service (418)',
      'The docs service answered the request to get the job with "no". This status is not documented; check `base-url`.',
    ],
  ])('%s: %d', async (call, status, headline, details) => {
    const error = await failureOf(call, { status, body: '{"error":"no"}' })
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ status, headline, details, message: `${headline}. ${details}` })
  })
})

describe('what the service said is quoted', () => {
  it.each([
    ['{"error":"too short","details":[{"message":"at least 1"},{},"x"]}', 'with "too short; at least 1"'],
    ['{"error":{"message":"nested"}}', 'with "nested"'],
    ['{"message":"other"}', 'with "other"'],
    ['{"detail":"third"}', 'with "third"'],
    ['"just a string"', 'with "just a string"'],
    ['{"code":7}', 'with "{"code":7}"'],
    ['Too many\r\nrequests, \tplease wait', 'with "Too many requests, please wait"'],
    ['a `tick`', `with "a 'tick'"`],
    [`{"error":"${'x'.repeat(400)}"}`, `with "${'x'.repeat(300)}… (100 more characters)"`],
    [`{"error":"wrong key ${KEY}"}`, 'with "wrong key ***"'],
    [`{"error":"wrong key mint_\\u0073ecret_0123"}`, 'with "wrong key ***"'],
    [`wrong key ${KEY.slice(0, 8)}\u00ad${KEY.slice(8)}`, 'with "wrong key ***"'],
  ])('of the body %j', async (body, says) => {
    const error = await failureOf(get, { status: 403, body })
    expect(describeFailure(error).details).toContain(`the request to get the job ${says}. Likely`)
  })

  it.each([
    ['<html><body>Sign in</body></html>', 'with an HTML page'],
    ['Oops <b>no</b>', 'with an HTML page'],
    ['x'.repeat(301), 'with a text that is not JSON'],
    [JSON.stringify({ a: 'x'.repeat(301) }), 'with JSON of another shape than documented'],
    ['', 'with 403 alone'],
  ])('but not of a body such as %j', async (body, says) => {
    const error = await failureOf(get, { status: 403, body })
    expect(describeFailure(error).details).toContain(`get the job ${says}. Likely`)
  })
})

describe('a refusal whose body cannot be read', () => {
  it.each([
    ['is compressed and empty', { 'content-encoding': 'gzip' }, ''],
    ['is compressed', { 'content-encoding': 'gzip' }, 'not really'],
    ['is shorter than announced', { 'content-length': '99' }, 'short'],
  ])('because it %s is a refusal all the same', async (_why, headers, body) => {
    const { origin } = await servers.start((_incoming, response) => {
      response.writeHead(401, headers).write(body)
      response.socket?.end()
    })
    const clock = openSystemClock()
    const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
    const service = openDocsService({
      baseUrl: new URL(origin),
      projectId: 'docs',
      apiKey: KEY,
      http: openHttp({ proxy, clock, timeoutMs: 10_000, bodyLimitBytes: 1 << 20 }),
      clock,
      redact: redactor([KEY]),
    })
    const error = await createJob(service, 'x').catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      status: 401,
      headline: 'The docs service refused the API key (401)',
      details: expect.stringContaining('with a body that could not be read because '),
    })
  })
})

describe('a successful response that is no job', () => {
  it.each([
    ['', 'with an empty body'],
    ['<!doctype html><p>Sign in', 'with an HTML page'],
    ['hello', 'with a text that is not JSON'],
    ['{"id":7}', 'with JSON of another shape than documented'],
    ['{"id":"other","status":"active"}', 'with another job'],
  ])('%j is an error that says so', async (body, says) => {
    const error = await failureOf(get, { status: 200, body })
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(describeFailure(error)).toMatchObject({
      headline: 'Unexpected response of the docs service (200)',
      details: `The docs service answered the request to get the job ${says}.`,
    })
  })
})

it('a create and a message ask for a connection that nothing was sent on before, a get does not', async () => {
  const asked: unknown[] = []
  const clock = openSystemClock()
  const service = openDocsService({
    baseUrl: new URL('http://127.0.0.1:9'),
    projectId: 'docs',
    apiKey: KEY,
    http: {
      send({ method, freshConnection }) {
        asked.push([method, freshConnection])
        return Promise.reject(new Error('not sent'))
      },
      close: () => undefined,
    },
    clock,
    redact: redactor([KEY]),
  })
  for (const call of [create, message, get]) await call(service).catch(() => undefined)
  expect(asked).toEqual([
    ['POST', true],
    ['POST', true],
    ['GET', false],
  ])
})

describe('a job', () => {
  it.each([
    ['to the letter', '{"id":"j1", "status":"active","n":12345678901234567890}'],
    ['with escapes in it', '{"id":"j1","status":"active","n":12345678901234567890,"text":"a\\nb \\u00e9"}'],
  ])('is kept as it was sent, %s', async (_how, body) => {
    const job = await getJob(await serviceThatReplies({ status: 200, body }), 'j1')
    expect(job.json).toBe(body)
  })

  it.each([
    ['in a value', '{"id":"j1","status":"active","note":"a mint_secret_0123"}'],
    ['in an escaped value', '{"id":"j1","status":"active","note":"a mint_\\u0073ecret_0123"}'],
    ['in an escaped name', '{"id":"j1","status":"active","mint_\\u0073ecret_0123":1}'],
  ])('is not shown as it was sent where the key is %s', async (_where, body) => {
    const job = await getJob(await serviceThatReplies({ status: 200, body }), 'j1')
    expect(redactor([KEY])(JSON.stringify(JSON.parse(job.json)))).not.toContain('secret')
    expect(job.json).not.toContain('\\u0073')
  })
})

it.each([
  [408, true],
  [429, true],
  [500, true],
  [599, true],
  [400, false],
  [401, false],
  [402, false],
  [403, false],
  [404, false],
  [302, false],
])('a read answered %d may be sent again: %s', async (status, retryable) => {
  expect(isRetryable(await failureOf(get, { status }))).toBe(retryable)
})

it.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0' }, 0],
  [{}, 0],
  [{ 'retry-after': '9'.repeat(400) }, 366 * 24 * 3_600_000],
])('%j asks to wait %d ms', async (headers, ms) => {
  expect(retryAfterMsOf(await failureOf(get, { status: 429, headers }))).toBe(ms)
})

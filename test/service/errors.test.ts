import { describe, expect, it } from 'vitest'
import { HttpClient } from '../../src/lib/http.ts'
import { createRedact } from '../../src/lib/markdown.ts'
import { createSystemClock } from '../../src/lib/time.ts'
import { TransportError } from '../../src/lib/transport.ts'
import { DocsService } from '../../src/service/client.ts'
import {
  describeFailure,
  failureSentences,
  InvalidResponseError,
  isRateLimit,
  isRetryable,
  retryAfterMsOf,
  ServiceError,
} from '../../src/service/errors.ts'
import { createJob, getJob, type Job, sendMessage } from '../../src/service/job.ts'
import { TestServers } from '../support/http-servers.ts'

const servers = new TestServers()
const KEY = 'mint_secret_0123'

type Reply = { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
type Call = (service: DocsService) => Promise<Job>

/** A service on loopback that gives one answer, and the headers and bodies of the requests that it got. */
async function serviceThatReplies({ status, body = '', headers = {} }: Reply, prefix = '') {
  const received: string[] = []
  const server = await servers.start((incoming, response) => {
    const { authorization, accept, 'content-type': type, 'user-agent': agent } = incoming.headers
    const chunks: string[] = []
    incoming.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
    incoming.on('end', () => {
      received.push([authorization, accept, type, agent, ...chunks].join(' | '))
      response.writeHead(status, headers).end(body)
    })
  })
  const clock = createSystemClock()
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  const service = new DocsService({
    baseUrl: new URL(`${server.origin}${prefix}`),
    projectId: 'docs',
    apiKey: KEY,
    http: new HttpClient({ proxy, clock, timeoutMs: 10_000 }),
    clock,
    redact: createRedact([KEY]),
  })
  return { service, received, ...server }
}

async function failureOf(call: Call, reply: Reply): Promise<unknown> {
  const { service } = await serviceThatReplies(reply)
  return await call(service).then(
    () => undefined,
    (error: unknown) => error,
  )
}

const create: Call = (service) => createJob(service, 'x')
const get: Call = (service) => getJob(service, 'j1')
const message: Call = (service) => sendMessage(service, { id: 'j1', prompt: 'x' })

const CALLS: Readonly<Record<string, Call>> = { create, get, message }

describe('a refusal names its cause first, then what was requested, what came back, and the fix', () => {
  it.each([
    'create 400: The docs service rejected the request as invalid (400). The docs service answered the request to create a job with "no". Check `prompt` and `project-id`.',
    'create 401: The docs service refused the API key (401). The docs service answered the request to create a job with "no". The key may have expired (keys last 90 days unless their owner chose otherwise), have been deleted, or belong to another service. Create a new admin key in the dashboard and update the secret behind `api-key`.',
    'create 402: The credits of the docs service are used up (402). The docs service answered the request to create a job with "no". Buy credits or wait for the next period; the dashboard shows what is left.',
    'create 403: The docs service does not allow this (403). The docs service answered the request to create a job with "no". Unless it says otherwise, likely causes are: the API needs the Pro or Enterprise plan; the key may have the scope `read`, which cannot start jobs or send messages (use a key with the scope `admin`); the key may be limited to a list of IP addresses that this runner is not on.',
    'get 403: The docs service does not allow this (403). The docs service answered the request to get the job with "no". Unless it says otherwise, likely causes are: the API needs the Pro or Enterprise plan; the key may be limited to a list of IP addresses that this runner is not on.',
    'create 404: No project `docs` (404). The docs service answered the request to create a job with "no". Check `project-id`, and that the API key belongs to the same organisation.',
    'get 404: No job `j1` in project `docs` (404). The docs service answered the request to get the job with "no". Check `job-id` and `project-id`; the service may also have deleted the job.',
    'create 429: The rate limit of the docs service is reached (429). The docs service answered the request to create a job with "no". The limit is 100 jobs per project and hour. Start fewer runs, or run at another time.',
    'message 429: The rate limit of the docs service is reached (429). The docs service answered the request to send the job a follow-up message with "no". The limit is 100 follow-up messages per project and hour. Start fewer runs, or run at another time.',
    'create 413: The prompt is too large for the docs service (413). The docs service answered the request to create a job with "no". Shorten `prompt`, `prompt-file` or `context-files`, or set `context: files`.',
    'get 408: The docs service waited too long for the request (408). The docs service answered the request to get the job with "no". The network between this runner and the service may be slow.',
    'get 503: The docs service failed (503). The docs service answered the request to get the job with "no". The cause is the service or a proxy in front of it, not this workflow.',
    'get 418: Unexpected response of the docs service (418). The docs service answered the request to get the job with "no". This status is not documented; check `base-url`.',
  ])('to %s', async (line) => {
    const [, call = '', status, text] = /^(\w+) (\d+): (.*)$/.exec(line) ?? []
    const error = await failureOf(CALLS[call] ?? get, { status: Number(status), body: '{"error":"no"}' })
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ status: Number(status), message: text })
    expect(failureSentences(error)).toBe(text)
  })

  it('and where a redirect leads', async () => {
    const redirect = { status: 307, headers: { location: `https://login.example/?key=${KEY}` } }
    expect(await failureOf(create, redirect)).toMatchObject({
      headline: 'The docs service redirected the request (307)',
      details:
        "The docs service answered the request to create a job with a redirect to `https://login.example/?key=***`. Redirects are not followed, so that the API key goes nowhere else. Set `base-url` to the service's own address.",
    })
    expect(describeFailure(await failureOf(create, { status: 302 })).details).toMatch(
      /^The docs service answered the request to create a job without a reason\. Redirects are not followed/,
    )
  })
})

const HTML = 'with an HTML page, such as the error page of a proxy or a login page'

describe('what the service said is quoted', () => {
  it.each([
    ['{"error":"too short","details":[{"message":"at least 1"},{},"x"]}', 'with "too short; at least 1"'],
    ['{"error":{"message":"nested"}}', 'with "nested"'],
    ['{"message":"other"}', 'with "other"'],
    ['{"detail":"third"}', 'with "third"'],
    ['"just a string"', 'with "just a string"'],
    ['Too many\r\nrequests, \tplease wait', 'with "Too many requests, please wait"'],
    ['a `tick`', `with "a 'tick'"`],
    [`{"error":"${'x'.repeat(400)}"}`, `with "${'x'.repeat(300)}… (100 more characters)"`],
    [`{"error":"wrong key ${KEY}"}`, 'with "wrong key ***"'],
    [`{"error":"wrong key mint_\\u0073ecret_0123"}`, 'with "wrong key ***"'],
  ])('of the body %j', async (body, says) => {
    const error = await failureOf(get, { status: 403, body })
    expect(describeFailure(error).details).toContain(`the request to get the job ${says}. Unless`)
  })

  it.each([
    ['<html><body>Sign in</body></html>', HTML],
    ['Oops <b>no</b>', HTML],
    ['x'.repeat(301), 'with a text that is not JSON'],
    ['{"code":7}', 'without a reason'],
    ['', 'without a reason'],
  ])('but not of a body such as %j', async (body, says) => {
    const error = await failureOf(get, { status: 403, body })
    expect(describeFailure(error).details).toContain(`get the job ${says}. `)
  })

  it('and an HTML page with 5xx is called that of a proxy', async () => {
    const error = await failureOf(get, { status: 502, body: '<html>Bad gateway</html>' })
    expect(describeFailure(error).details).toMatch(
      / The cause is a proxy in front of the service, not this workflow\.$/,
    )
  })

  it.each([
    [
      'is compressed',
      { 'content-encoding': 'gzip' },
      'it is compressed, although no compression was requested',
    ],
    ['is cut', { 'content-length': '99' }, 'the connection closed before the response was complete'],
  ])('as far as it came where the body %s', async (_how, headers, because) => {
    const { service, server } = await serviceThatReplies({ status: 200 })
    server.removeAllListeners('request').on('request', (_incoming, response) => {
      response.writeHead(401, headers).write('<p>', () => response.destroy())
    })
    const error = await createJob(service, 'x').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ status: 401, headline: 'The docs service refused the API key (401)' })
    expect(describeFailure(error).details).toContain(`with a body that could not be read because ${because}.`)
  })
})

describe('a successful response that is no job', () => {
  it.each([
    ['', 'with an empty body'],
    ['<!doctype html><p>Sign in', HTML],
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

describe('a request', () => {
  it('carries the key, and a body only where there is one', async () => {
    const { service, received, requests } = await serviceThatReplies({
      status: 200,
      body: '{"id":"a/ü","status":"active"}',
    })
    await createJob(service, 'Größe')
    await getJob(service, 'a/ü')
    await sendMessage(service, { id: 'a/ü', prompt: 'x' })
    expect(requests).toEqual([
      'POST /v2/agent/docs/job',
      'GET /v2/agent/docs/job/a%2F%C3%BC',
      'POST /v2/agent/docs/job/a%2F%C3%BC/message',
    ])
    const bearer = `Bearer ${KEY} | application/json`
    expect(received).toEqual([
      `${bearer} | application/json | docs-agent-action | {"prompt":"Größe"}`,
      `${bearer} |  | docs-agent-action`,
      `${bearer} | application/json | docs-agent-action | {"prompt":"x"}`,
    ])
  })

  it.each(['', '/', '/api', '/api/v9/'])('keeps the path %j of the base URL', async (prefix) => {
    const job = { status: 200, body: '{"id":"j1","status":"active"}' }
    const { service, requests } = await serviceThatReplies(job, prefix)
    await get(service)
    expect(requests).toEqual([`GET ${prefix.replace(/\/$/, '')}/v2/agent/docs/job/j1`])
  })

  it('that starts or continues work goes over a connection of its own, the others share one', async () => {
    const { service, connections } = await serviceThatReplies({
      status: 200,
      body: '{"id":"j1","status":"active"}',
    })
    for (const call of [get, create, get, message, get]) await call(service)
    expect(connections()).toBe(3)
  })
})

it('a job has no key in it, wherever the service put it', async () => {
  const body = `{"id":"j1","status":"active","note":"a ${KEY}","list":["mint_\\u0073ecret_0123"],"n":1.50}`
  const { service } = await serviceThatReplies({ status: 200, body })
  expect((await getJob(service, 'j1')).json).toBe(
    '{"id":"j1","status":"active","note":"a ***","list":["***"],"n":1.5}',
  )
})

it('a read may be sent again after 408, 429 and 5xx, and after nothing else', async () => {
  const mayRetry: number[] = []
  for (const status of [302, 400, 401, 402, 403, 404, 408, 410, 429, 499, 500, 503, 599]) {
    if (isRetryable(await failureOf(get, { status }))) mayRetry.push(status)
  }
  expect(mayRetry).toEqual([408, 429, 500, 503, 599])
  expect(isRateLimit(await failureOf(get, { status: 429 }))).toBe(true)
  expect(isRateLimit(await failureOf(get, { status: 503 }))).toBe(false)
})

it('a response says how long to wait, or not', async () => {
  const waitOf = async (headers: Record<string, string>) =>
    retryAfterMsOf(await failureOf(get, { status: 429, headers }))
  expect([
    await waitOf({ 'retry-after': '7' }),
    await waitOf({ 'retry-after': '0' }),
    await waitOf({}),
  ]).toEqual([7000, 0, 0])
})

it('what kept a request from being answered is told by whether it was sent', () => {
  const failure = (maybeSent: boolean) =>
    describeFailure(new TransportError('the name x could not be resolved', { failure: 'broken', maybeSent }))
  expect(failure(true)).toEqual({
    headline: 'No response from the docs service',
    details: 'The name x could not be resolved.',
  })
  expect(failure(false).headline).toBe('Failed to reach the docs service')
  expect(isRetryable(new TransportError('x', { failure: 'tls', maybeSent: false }))).toBe(true)
  expect(isRetryable(new Error('a fault of ours'))).toBe(false)
  expect(describeFailure(new Error('a fault of ours'))).toEqual({ headline: 'a fault of ours', details: '' })
})

import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { TransportError } from '../../src/lib/http.ts'
import { failureText } from '../../src/lib/text.ts'
import { visitorsCall } from '../../src/mintlify/analytics.ts'
import { type MintlifyClient, readJob } from '../../src/mintlify/mintlify-client.ts'
import {
  describeFailure,
  hasStatus,
  InvalidResponseError,
  isRetryable,
  MintlifyError,
} from '../../src/mintlify/mintlify-errors.ts'
import { TestServers } from '../support/http-servers.ts'
import { BODIES, CHECK, HTML, KEY, REFUSALS } from './docs-service.cases.ts'
import { serviceAt } from './service-at.ts'

const servers = new TestServers()

type Reply = {
  readonly status: number
  readonly body?: string
  readonly headers?: Record<string, string>
}

/** A service on loopback that gives one answer, and the headers and bodies of the requests that it got. */
async function serviceThatReplies({ status, body = '', headers = {} }: Reply, prefix = '') {
  const received: string[] = []
  const server = await servers.start(async (incoming, response) => {
    const { authorization, accept, 'content-type': type, 'user-agent': agent } = incoming.headers
    received.push([authorization, accept, type, agent, await text(incoming)].join(' | '))
    response.writeHead(status, headers).end(body)
  })
  return { service: serviceAt(`${server.origin}${prefix}`, KEY), received, ...server }
}

function request(call: string, service: MintlifyClient, id = 'j1') {
  if (call === 'create') return service.createJob('x')
  if (call === 'visitors') {
    const { path, query, purpose, read } = visitorsCall(0, 1)
    return service.getAnalytics({ path, query, purpose }, (json) => read(json))
  }
  return call === 'get' ? service.getJob(id) : service.sendMessage(id, 'x')
}

async function failureOf(call: string, reply: Reply): Promise<unknown> {
  const { service } = await serviceThatReplies(reply)
  return await request(call, service).catch((error: unknown) => error)
}

const JOB: Reply = { status: 200, body: '{"id":"j1","status":"active"}' }

describe('a refusal names its cause first, then what was requested, what came back, and the fix', () => {
  it.each(REFUSALS)('after %s', async (line) => {
    const [, call = '', status, body = '', words] = /^(\w+) (\d+) (.*) => (.*)$/.exec(line) ?? []
    const error = await failureOf(call, { status: Number(status), body })
    expect(error).toBeInstanceOf(MintlifyError)
    expect(error).toMatchObject({ status: Number(status), message: words })
  })

  it.each([400, 413])(
    'with %d to a prompt of more than 64 KiB says how long it is',
    async (status) => {
      const { service } = await serviceThatReplies({ status })
      const says =
        'The prompt is 65 KiB long: shorten `prompt`, `prompt-file` or `context-files`, or set `context: files`.'
      await expect(service.createJob('ü'.repeat(32.5 * 1024))).rejects.toThrow(says)
      await expect(service.sendMessage('j1', 'ü'.repeat(32.5 * 1024))).rejects.toThrow(says)
      await expect(service.createJob('x'.repeat(64 * 1024))).rejects.not.toThrow('KiB')
    },
  )

  it('with 401 says that the key begins with no known prefix, where it does not', async () => {
    const { origin } = await serviceThatReplies({ status: 401 })
    const says =
      'The key does not begin with `mint_`, as admin keys do, so it may be of another kind, or a part of one: see the dashboard, and put a valid'
    await expect(serviceAt(origin, 'other_key_0123').createJob('x')).rejects.toThrow(says)
    await expect(serviceAt(origin, KEY).createJob('x')).rejects.not.toThrow('mint_')
  })

  it('and tells where a redirect leads', async () => {
    const headers = { location: `https://login.example/?key=${KEY}` }
    const asked = 'The docs service answered the request to create a job'
    const fix = 'Redirects are not followed,'
    const redirected = await failureOf('create', { status: 307, headers })
    expect(failureText(describeFailure(redirected))).toBe(
      `The docs service redirected the request (307). ${asked} with a redirect to \`https://login.example/?key=***\`. ${fix} so that the API key goes nowhere else. Set \`base-url\` to the service's own address.`,
    )
    const silent = failureText(describeFailure(await failureOf('create', { status: 302 })))
    expect(silent).toContain(
      ' (302). The request to create a job was answered with an empty body. Redirects',
    )
  })
})

describe('a body', () => {
  it.each(BODIES)('of a refusal such as %j is told: %s', async (body, says) => {
    const { details } = describeFailure(await failureOf('get', { status: 503, body }))
    expect(details).toContain(
      ` ${says}. The cause is the service or a proxy before it, not this workflow.`,
    )
  })

  const UNEXPECTED = 'Unexpected response from the docs service (200)'
  const PAGE = 'A web page answered, not the docs service (200)'
  it.each([
    ['', UNEXPECTED, 'with an empty body. Check `base-url`.'],
    ['hello', UNEXPECTED, 'with text that is not JSON. Check `base-url`.'],
    ['{"id":7}', UNEXPECTED, 'with JSON that does not match the documentation. Check `base-url`.'],
    ['{"id":"other","status":"active"}', UNEXPECTED, 'with another job. Check `base-url`.'],
    ['<!doctype html><p>Sign in', PAGE, `${HTML}. ${CHECK}`],
  ])('of a success such as %j is no job: %s, %s', async (body, headline, says) => {
    const error = await failureOf('get', { status: 200, body })
    expect(error).toBeInstanceOf(InvalidResponseError)
    const details = `The request to get the job was answered ${says}`
    expect(describeFailure(error)).toMatchObject({ headline, details })
  })
})

describe('a request', () => {
  it('carries the key, and a body only where there is one', async () => {
    const body = '{"id":"a/ü","status":"active"}'
    const { service, received, requests } = await serviceThatReplies({ status: 200, body })
    await service.createJob('Größe')
    await service.getJob('a/ü')
    await service.sendMessage('a/ü', 'x')
    expect(requests).toEqual([
      'POST /v2/agent/docs/job',
      'GET /v2/agent/docs/job/a%2F%C3%BC',
      'POST /v2/agent/docs/job/a%2F%C3%BC/message',
    ])
    const bearer = `Bearer ${KEY} | application/json`
    expect(received).toEqual([
      `${bearer} | application/json | docs-agent-action | {"prompt":"Größe"}`,
      `${bearer} |  | docs-agent-action | `,
      `${bearer} | application/json | docs-agent-action | {"prompt":"x"}`,
    ])
  })

  it.each(['', '/', '/api', '/api/v9/'])('keeps the path %j of the base URL', async (prefix) => {
    const { service, requests } = await serviceThatReplies(JOB, prefix)
    await service.getJob('j1')
    expect(requests).toEqual([`GET ${prefix.replace(/\/$/, '')}/v2/agent/docs/job/j1`])
  })

  it('that starts or continues work goes over a connection of its own, the others share one', async () => {
    const { service, connections } = await serviceThatReplies(JOB)
    for (const call of ['get', 'create', 'get', 'message', 'get']) await request(call, service)
    expect(connections()).toBe(3)
  })
})

it('a read may be sent again after 408, 429 and 5xx, after a transport failure, and after nothing else', async () => {
  const mayRetry: number[] = []
  for (const status of [302, 400, 401, 402, 403, 404, 408, 410, 429, 499, 500, 503, 599]) {
    const error = await failureOf('get', { status })
    if (isRetryable(error)) mayRetry.push(status)
    expect([hasStatus(error, status), hasStatus(error, 200)]).toEqual([true, false])
  }
  expect(mayRetry).toEqual([408, 429, 500, 503, 599])
  expect(isRetryable(new TransportError('x', { failure: 'tls', maybeSent: false }))).toBe(true)
  expect(isRetryable(new Error('a fault of ours'))).toBe(false)
})

const UNREACHED = 'Failed to reach the docs service: it broke.'

it.each([
  ['broken', true, 'No response from the docs service: it broke.'],
  ['timeout', false, `${UNREACHED} Check \`base-url\`.`],
  ['unresolved', false, `${UNREACHED} Check \`base-url\`. Check the firewall and the proxy`],
  ['proxy', false, `${UNREACHED} Check \`HTTPS_PROXY\` and \`HTTP_PROXY\`, and whether`],
  ['tls', false, `${UNREACHED} Check \`base-url\`. For your own certificate authority, set`],
] as const)(
  'a request that failed (%s), maybe sent: %j, is told as such',
  (failure, maybeSent, words) => {
    const error = new TransportError('it broke', { failure, maybeSent })
    expect(failureText(describeFailure(error))).toContain(words)
  },
)

describe('a job', () => {
  const whole = {
    id: 'j1',
    status: 'completed',
    source: { repository: 'https://github.com/acme/docs', ref: 'main' },
    model: 'm1',
    prLink: 'https://github.com/acme/docs/pull/1',
    createdAt: '2026-01-01T00:00:00Z',
    archivedAt: null,
    extra: { kept: true },
  }

  it('has every field, and keeps what is not known', () => {
    const { source, extra: _extra, ...fields } = whole
    expect(readJob(whole)).toEqual({
      ...fields,
      ...source,
      json: JSON.stringify(whole),
      invalidFields: [],
    })
  })

  it('lacks a field of a wrong type, and names it', () => {
    const odd = {
      ...whole,
      prLink: 7,
      model: {},
      source: { repository: [], ref: null },
      createdAt: false,
    }
    const absent = { prLink: null, model: null, repository: null, createdAt: null }
    const invalidFields = ['prLink', 'repository', 'model', 'createdAt']
    expect(readJob(odd)).toMatchObject({ ...absent, invalidFields })
    expect(readJob({ ...whole, source: 'x' })?.invalidFields).toEqual(['source'])
    for (const prLink of [
      '/pull/1',
      'ftp://a/b',
      'https://',
      'https://a/\nb',
      'javascript:alert(1)',
    ]) {
      expect(readJob({ ...whole, prLink })).toMatchObject({
        prLink: null,
        invalidFields: ['prLink'],
      })
    }
    const bare = readJob({ id: 'j1', status: '', prLink: '' })
    expect(bare).toMatchObject({ ...absent, ref: null, invalidFields: [] })
  })

  it('is nothing without a usable id and a status', () => {
    const ids = ['', '..', '.', '\ud800', 7, undefined].map((id) => ({ id, status: 'x' }))
    for (const value of [null, [], 'job', ...ids, { id: 'a' }, { id: 'a', status: null }]) {
      expect(readJob(value)).toBeUndefined()
    }
  })
})

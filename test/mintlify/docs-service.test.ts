import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { TransportError } from '../../src/lib/http.ts'
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
import { BODIES, KEY, PAGE, REJECTIONS, WEB_PAGE } from './docs-service.cases.ts'
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

const PURPOSES = {
  create: 'create a job',
  get: 'get the job',
  message: 'send a message to the job',
  visitors: 'list the visitors',
}

describe('a rejection', () => {
  it.each(REJECTIONS)('with $status, $said $body: $title', async (row) => {
    const {
      call = 'create',
      status,
      said = '',
      body = JSON.stringify({ error: said }),
      title,
      fix,
    } = row
    const error = await failureOf(call, { status, body })
    expect(error).toBeInstanceOf(MintlifyError)
    const { headline, details } = describeFailure(error, 'Mintlify')
    expect({ headline, fix: details.slice(-fix.length) }).toEqual({ headline: title, fix })
    const quote = said && ` "${said}"`
    expect(details).toContain(`Mintlify returned ${status}${quote}`)
    expect(details).toContain(` when the action tried to ${PURPOSES[call]}. ${fix}`)
    expect(headline.length).toBeLessThanOrEqual(60)
  })

  it('has at most 300 characters with its sentence, in more than half of the cases', () => {
    const sentence = 'Mintlify returned 400 "no" when the action tried to create a job. '
    const short = REJECTIONS.filter(({ fix }) => sentence.length + fix.length <= 300)
    expect(short.length).toBeGreaterThan(REJECTIONS.length / 2)
  })

  it.each([400, 413])('with %d to a prompt of more than 64 KiB has its length', async (status) => {
    const { service } = await serviceThatReplies({ status })
    const long = 'ü'.repeat(32.5 * 1024)
    await expect(service.createJob(long)).rejects.toThrow('The prompt has 65 KiB. Shorten')
    await expect(service.sendMessage('j1', long)).rejects.toThrow('The prompt has 65 KiB.')
    await expect(service.createJob('x'.repeat(64 * 1024))).rejects.not.toThrow('KiB')
  })

  it('with 401 mentions the prefix of keys if the key has another one', async () => {
    const { origin } = await serviceThatReplies({ status: 401 })
    await expect(serviceAt(origin, 'other_key_0123').createJob('x')).rejects.toThrow('`mint_`')
    await expect(serviceAt(origin, KEY).createJob('x')).rejects.not.toThrow('mint_')
  })

  it('with a redirect names its target', async () => {
    const headers = { location: `https://login.example/?key=${KEY}` }
    const redirected = describeFailure(await failureOf('create', { status: 307, headers }), '')
    expect(redirected.headline).toBe('Mintlify redirected the request')
    const target = 'with a redirect to `https://login.example/?key=***` when'
    expect(redirected.details).toContain(`Mintlify returned 307 ${target}`)
    expect(redirected.details).toContain("use the API's own address")
    const silent = describeFailure(await failureOf('create', { status: 302 }), '')
    expect(silent.details).toContain('Mintlify returned 302 with an empty body when')
  })

  it('by another host is in its name', async () => {
    const { origin } = await serviceThatReplies({ status: 402, body: 'pay' })
    const error = serviceAt(origin, KEY, 'docs.example').createJob('x')
    await expect(error).rejects.toMatchObject({ headline: 'docs.example requires payment' })
    await expect(error).rejects.toThrow('docs.example returned 402 "pay" when')
  })
})

describe('a body', () => {
  it.each(BODIES)('of a rejection such as $body is shown as $shown', async ({ body, shown }) => {
    const { details } = describeFailure(await failureOf('get', { status: 503, body }), 'Mintlify')
    expect(details).toContain(`Mintlify returned 503 ${shown} when the action tried to get`)
  })

  const unexpected = {
    title: 'Unexpected response from Mintlify (200)',
    fix: 'If you set `base-url`, check it. Otherwise, update the action, because it may be older than the API.',
  }
  it.each([
    { body: ' ', shown: 'an empty body', ...unexpected },
    { body: '{"id":"other","status":"active"}', shown: 'another job', ...unexpected },
    { body: '<!doctype html><p>Sign in', shown: PAGE.slice(5), ...WEB_PAGE },
  ])('of a success such as $body is not a job but $shown', async ({ body, shown, title, fix }) => {
    const error = await failureOf('get', { status: 200, body })
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(describeFailure(error, 'Mintlify')).toMatchObject({
      headline: title,
      details: `Mintlify returned 200 with ${shown} when the action tried to get the job. ${fix}`,
    })
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

  it.each(['/', '/api/v9/'])('keeps the path %j of the base URL', async (prefix) => {
    const { service, requests } = await serviceThatReplies(JOB, prefix)
    await service.getJob('j1')
    expect(requests).toEqual([`GET ${prefix.replace(/\/$/, '')}/v2/agent/docs/job/j1`])
  })
})

it('a read may be sent again only after 408, 429, 5xx, and a transport failure', async () => {
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

it.each([
  { failure: 'broken', maybeSent: true, title: 'The connection to Mintlify closed too early' },
  { failure: 'timeout', maybeSent: true, title: 'Mintlify did not respond in time' },
  { failure: 'unresolved', title: 'Could not find the host of Mintlify', says: /`base-url`/ },
  { failure: 'refused', title: 'Could not reach Mintlify', says: /firewall/ },
  { failure: 'unreachable', title: 'Could not connect to Mintlify', says: /`base-url`/ },
  { failure: 'refused', isOfProxy: true, title: 'The proxy refused the connection', says: /PROXY/ },
  { failure: 'proxy', title: "The proxy didn't connect to Mintlify", says: /PROXY/ },
  { failure: 'tls', title: 'The TLS connection to Mintlify failed', says: /NODE_EXTRA_CA_CERTS/ },
  { failure: 'tls-protocol', title: "Mintlify doesn't accept TLS connections", says: /firewall/ },
] as const)('a request without a response ($failure): $title', (row) => {
  const { failure, title } = row
  const given = { failure, maybeSent: 'maybeSent' in row, isOfProxy: 'isOfProxy' in row }
  const { headline, details } = describeFailure(new TransportError('it broke', given), 'Mintlify')
  expect(headline).toBe(title)
  expect(details).toMatch('says' in row ? row.says : /^It broke\.$/)
})

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

  it('has every field, and keeps unknown ones', () => {
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
    for (const link of ['/pull/1', 'ftp://a/b', 'https://', 'https://a/\nb', 'x:https://a/b']) {
      const { prLink, invalidFields: names } = readJob({ ...whole, prLink: link }) ?? {}
      expect([link, prLink, names]).toEqual([link, null, ['prLink']])
    }
    const insecure = 'http://ghe.example/acme/docs/pull/1'
    expect(readJob({ ...whole, prLink: insecure })?.prLink).toBe(insecure)
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

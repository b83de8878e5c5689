import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { TransportError } from '../../src/lib/http.ts'
import { createRedact } from '../../src/lib/markdown.ts'
import { createSystemClock } from '../../src/lib/time.ts'
import { MintlifyClient, readJob } from '../../src/mintlify/mintlify-client.ts'
import {
  describeFailure,
  hasStatus,
  isRetryable,
  MintlifyError,
} from '../../src/mintlify/mintlify-errors.ts'
import { clientWith } from '../lib/http-client.ts'
import { TestServers } from '../support/http-servers.ts'

const KEY = 'mint_secret_0123'
const servers = new TestServers()

type Reply = { readonly status: number; readonly body?: string }

/** A service that gives one answer, a client for it, and the headers and bodies of the requests that it got. */
async function serviceThatReplies({ status, body = '' }: Reply, prefix = '') {
  const received: string[] = []
  const { origin, requests } = await servers.start(async (incoming, response) => {
    const { authorization, accept, 'content-type': type, 'user-agent': agent } = incoming.headers
    received.push([authorization, accept, type, agent, await text(incoming)].join(' | '))
    response.writeHead(status).end(body)
  })
  const service = new MintlifyClient({
    name: 'Mintlify',
    baseUrl: new URL(`${origin}${prefix}`),
    projectId: 'docs',
    apiKey: KEY,
    http: clientWith(),
    clock: createSystemClock(),
    redact: createRedact([KEY]),
  })
  return { service, received, requests }
}

async function failureOf(call: 'createJob' | 'getJob', reply: Reply): Promise<unknown> {
  const { service } = await serviceThatReplies(reply)
  return await service[call]('j1').catch((error: unknown) => error)
}

const OWN_HEADERS = `Bearer ${KEY} | application/json`

describe('a request', () => {
  it('carries the key, and a body only if there is one', async () => {
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
    expect(received).toEqual([
      `${OWN_HEADERS} | application/json | docs-agent-action | {"prompt":"Größe"}`,
      `${OWN_HEADERS} |  | docs-agent-action | `,
      `${OWN_HEADERS} | application/json | docs-agent-action | {"prompt":"x"}`,
    ])
  })

  it.each(['/', '/api/v9/'])('keeps the path %j of the base URL', async (prefix) => {
    const body = '{"id":"j1","status":"active"}'
    const { service, requests } = await serviceThatReplies({ status: 200, body }, prefix)
    await service.getJob('j1')
    expect(requests).toEqual([`GET ${prefix.replace(/\/$/, '')}/v2/agent/docs/job/j1`])
  })
})

type Rejected = Reply & {
  readonly call?: 'createJob' | 'getJob'
  readonly title: string
  /** Of the likely cause and the fix. */
  readonly says: string
}

const PAGE = 'Got a web page instead of an API response'
const PROXY = "Check the runner's proxy"

it.each<Rejected>([
  { status: 401, title: 'Mintlify rejected the API key', says: 'or expired' },
  { status: 402, title: 'Mintlify requires payment', says: 'Add credits' },
  { status: 403, title: 'Mintlify denied the request', says: 'IP list' },
  {
    status: 403,
    body: 'error code: 1010',
    title: 'A firewall blocked the request to Mintlify',
    says: 'allow `docs-agent-action`',
  },
  { status: 404, title: 'Mintlify has no project `docs`', says: 'Compare `project-id`' },
  { call: 'getJob', status: 404, title: "Job `j1` wasn't found", says: 'project `docs`' },
  { status: 413, title: 'The request is too large for Mintlify', says: 'Shorten `prompt`' },
  { status: 429, title: 'You reached the rate limit of Mintlify', says: '100 jobs per project' },
  { status: 503, title: 'Mintlify failed (503)', says: 'not your workflow.' },
  { call: 'getJob', status: 503, title: 'Mintlify failed (503)', says: 'Try again later.' },
  { status: 307, title: 'Mintlify redirected the request', says: 'protect the API key' },
  { status: 400, title: 'Unexpected response from Mintlify (400)', says: 'update the action' },
  // A success that isn't a job.
  { status: 200, body: '<!doctype html><p>Sign in', title: PAGE, says: PROXY },
  { status: 200, title: 'Unexpected response from Mintlify (200)', says: 'with an empty body' },
  {
    call: 'getJob',
    status: 200,
    body: '{"id":"other","status":"active"}',
    title: 'Unexpected response from Mintlify (200)',
    says: 'with another job',
  },
])('$status $body: $title', async ({ call = 'createJob', status, body, title, says }) => {
  const error = await failureOf(call, { status, ...(body && { body }) })
  expect(error).toBeInstanceOf(MintlifyError)
  const isTransient = status === 200 || status === 429 || status === 503
  expect(error).toMatchObject({ title, isTransient, status: status === 200 ? undefined : status })
  expect(title.length).toBeLessThanOrEqual(60)
  const { text: words } = describeFailure(error, 'Mintlify')
  const purpose = call === 'getJob' ? 'get the job' : 'create a job'
  for (const fact of [`Mintlify returned ${status}`, `when the action tried to ${purpose}.`, says])
    expect(words).toContain(fact)
})

it.each([
  {
    body: '{"error":"too short","details":[{"message":"at least 1"},{}]}',
    shown: '"too short; at least 1"',
  },
  { body: '{"error":{"message":"nested"}}', shown: '"nested"' },
  { body: '{"error":"No","message":"No"}', shown: '"No"' },
  { body: ' Too\r\nmany, \t`wait` ', shown: `"Too many, 'wait'"` },
  {
    body: `{"error":"${'x'.repeat(400)}"}`,
    shown: `"${'x'.repeat(300)}… (100 more characters)"`,
  },
  { body: `{"error":"wrong key mint_\\u0073ecret_0123"}`, shown: '"wrong key ***"' },
  { body: 'Oops <b>no</b>', shown: 'when' },
  { body: 'x'.repeat(301), shown: 'when' },
])('Mintlify’s words are quoted: $body is shown as $shown', async ({ body, shown }) => {
  const { text: words } = describeFailure(await failureOf('getJob', { status: 503, body }), '')
  expect(words).toContain(`Mintlify returned 503 ${shown}`)
})

it('a read is sent again only after 408, 429, 5xx, and without a response', async () => {
  const retried: number[] = []
  for (const status of [302, 400, 401, 402, 403, 404, 408, 410, 429, 499, 500, 503, 599]) {
    const error = await failureOf('getJob', { status })
    if (isRetryable(error)) retried.push(status)
    expect([hasStatus(error, status), hasStatus(error, 200)]).toEqual([true, false])
  }
  expect(retried).toEqual([408, 429, 500, 503, 599])
  expect(isRetryable(new TransportError('x', 'unsent'))).toBe(true)
  expect(isRetryable(new Error('a fault of ours'))).toBe(false)
})

it.each([
  { failure: 'broken', title: 'Could not reach Mintlify', says: /^It broke\.$/ },
  { failure: 'timeout', title: 'Mintlify did not respond in time', says: /^It broke\.$/ },
  { failure: 'unsent', title: 'Could not reach Mintlify', says: /firewall, proxy .*certificates/ },
] as const)('a request without a response ($failure): $title', ({ failure, title, says }) => {
  const error = new TransportError('it broke', failure)
  const problem = describeFailure(error, 'Mintlify')
  expect(problem).toMatchObject({ title, isTransient: true, text: expect.stringMatching(says) })
})

describe('a job', () => {
  const whole = {
    id: 'j1',
    status: 'completed',
    model: 'm1',
    prLink: 'https://github.com/acme/docs/pull/1',
    createdAt: '2026-01-01T00:00:00Z',
    extra: { kept: true },
  }

  it('has every field, and keeps unknown ones', () => {
    const { extra: _extra, ...fields } = whole
    const json = JSON.stringify(whole)
    expect(readJob(whole)).toEqual({ ...fields, json, invalidFields: [] })
  })

  it('lacks a field of a wrong type, and names it', () => {
    const odd = { ...whole, prLink: 7, model: {}, createdAt: false }
    const absent = { prLink: null, model: null, createdAt: null }
    const invalidFields = ['prLink', 'model', 'createdAt']
    expect(readJob(odd)).toMatchObject({ ...absent, invalidFields })
    const bare = readJob({ id: 'j1', status: '', prLink: '' })
    expect(bare).toMatchObject({ ...absent, invalidFields: [] })
  })

  it.each(['/pull/1', 'ftp://a/b', 'https://', 'https://a/\nb', 'x:https://a/b'])(
    'has no pull request if its link is %j',
    (prLink) => {
      const ignored = { prLink: null, invalidFields: ['prLink'] }
      expect(readJob({ ...whole, prLink })).toMatchObject(ignored)
    },
  )

  it('is nothing without a usable id and a status', () => {
    const ids = ['', '..', '.', '\ud800', 7, undefined].map((id) => ({ id, status: 'x' }))
    for (const value of [null, [], 'job', ...ids, { id: 'a' }, { id: 'a', status: null }])
      expect(readJob(value)).toBeUndefined()
  })
})

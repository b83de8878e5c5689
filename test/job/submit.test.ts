import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/job/outcome.ts'
import { type PerformOptions, performJob } from '../../src/job/perform.ts'
import type { JobEvent } from '../../src/job/progress.ts'
import type { JobRequest } from '../../src/job/request.ts'
import { TransportError, type TransportFailure } from '../../src/lib/transport-error.ts'
import type { DocsService } from '../../src/service/docs-service.ts'
import type { ServiceCall, ServiceResponse } from '../../src/service/service-call.ts'
import { ServiceError } from '../../src/service/service-error.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

/** What a call is answered: a job's status, an HTTP status with the seconds to wait, an error, or after a time. */
type Reply =
  | { readonly job: string; readonly prLink?: string; readonly takesMs?: number }
  | { readonly status: number; readonly retryAfterS?: number; readonly takesMs?: number }
  | { readonly error: TransportError; readonly takesMs?: number }

type Performed = {
  readonly outcome: Outcome
  /** Calls with their times in seconds, as `0 create`. */
  readonly calls: readonly string[]
  readonly events: readonly JobEvent[]
  readonly prompts: readonly unknown[]
  readonly elapsedS: number
}

/** Performs a request against replies, in turn by kind of call; the last of a kind goes on for ever. */
async function perform(
  request: JobRequest,
  replies: { readonly post?: readonly Reply[]; readonly get?: readonly Reply[] },
  options: Partial<PerformOptions> & { readonly cancelAfterMs?: number } = {},
): Promise<Performed> {
  const clock = new VirtualClock()
  const startMs = clock.now()
  const sinceStartS = (): number => (clock.now() - startMs) / 1000
  const cancel = new AbortController()
  if (options.cancelAfterMs !== undefined) clock.at(startMs + options.cancelAfterMs, () => cancel.abort())
  const calls: string[] = []
  const prompts: unknown[] = []
  const events: JobEvent[] = []
  const counts = { GET: 0, POST: 0 }

  async function send(call: ServiceCall, signal?: AbortSignal): Promise<ServiceResponse> {
    const script = (call.method === 'GET' ? replies.get : replies.post) ?? []
    const reply = script[Math.min(counts[call.method]++, script.length - 1)] ?? { job: 'active' }
    calls.push(`${sinceStartS()} ${call.method === 'GET' ? 'get' : (call.path.at(-1) ?? '')}`)
    if (call.body !== undefined) prompts.push(call.body)
    await clock.sleep(reply.takesMs ?? 0, signal)
    signal?.throwIfAborted()
    if ('error' in reply) throw reply.error
    const id = call.path[4] ?? 'new'
    const json = 'job' in reply ? { id, status: reply.job, prLink: reply.prLink ?? null } : undefined
    const response: ServiceResponse = {
      status: 'status' in reply ? reply.status : 200,
      json,
      text: json === undefined ? '' : JSON.stringify(json),
      exact: undefined,
      bodyProblem: undefined,
      retryAfterMs:
        'status' in reply && reply.retryAfterS !== undefined ? reply.retryAfterS * 1000 : undefined,
    }
    if (response.status >= 300) throw new ServiceError(call, response)
    return response
  }

  const service: DocsService = { projectId: 'docs', send }
  const outcome = await performJob(service, request, {
    clock,
    cancel: cancel.signal,
    random: () => 0.5,
    timeoutMs: 600_000,
    pollIntervalMs: undefined,
    wait: false,
    pullRequestState: () => Promise.resolve('open'),
    onEvent: (event) => events.push(event),
    ...options,
  })
  return { outcome, calls, events, prompts, elapsedS: sinceStartS() }
}

const create: JobRequest = { kind: 'create', prompt: 'Do it.' }
const message: JobRequest = { kind: 'message', id: 'j1', prompt: 'More.' }

function transport(failure: TransportFailure, maybeSent: boolean): TransportError {
  return new TransportError(`it was ${failure}`, { failure, maybeSent })
}

const SAFE = 'Nothing was started, so it is safe to run this again.'
const MAYBE = /a job may be running\..* before you run this again/

describe.each([
  ['a create', create, 'job'],
  ['a message', message, 'message'],
])('%s', (_what, request, call) => {
  it.each(['refused', 'unresolved', 'tls'] as const)('that is %s is sent again for 30 s', async (failure) => {
    const { outcome, calls, elapsedS } = await perform(request, {
      post: [{ error: transport(failure, false) }],
    })
    expect(outcome).toMatchObject({
      result: 'error',
      headline: 'The docs service could not be reached',
      reason: expect.stringContaining(`It was ${failure}. Nothing was started`),
    })
    expect(outcome.reason.includes('safe to run')).toBe(failure !== 'tls')
    expect(elapsedS).toBe(30)
    expect(calls.at(-1)).toBe(`30 ${call}`)
    expect(calls).toHaveLength(6)
  })

  it('that can be sent at last is', async () => {
    const { outcome, calls } = await perform(request, {
      post: [{ error: transport('refused', false) }, { job: 'active' }],
    })
    expect(outcome.result).toBe('submitted')
    expect(calls).toEqual([`0 ${call}`, `1 ${call}`])
  })

  it.each([
    [{ error: transport('unreachable', false) }, 'The docs service could not be reached', SAFE],
    [{ error: transport('proxy', false) }, 'The docs service could not be reached', 'Nothing was started.'],
    [{ status: 302 }, 'The docs service redirected the request (302)', 'Nothing was started.'],
    [{ status: 400 }, 'The docs service rejected the request as invalid (400)', 'Nothing was started.'],
    [{ status: 401 }, 'The docs service refused the API key (401)', 'Nothing was started.'],
    [{ status: 402 }, 'The credits of the docs service are used up (402)', 'Nothing was started.'],
    [{ status: 403 }, 'The docs service does not allow this (403)', 'Nothing was started.'],
  ])('that is answered %j is sent once, and nothing was started', async (reply, headline, ends) => {
    const { outcome, calls } = await perform(request, { post: [reply] })
    expect(outcome).toMatchObject({ result: 'error', headline })
    expect(outcome.reason.endsWith(` ${ends}`)).toBe(true)
    expect(outcome.reason.includes('safe to run')).toBe(ends === SAFE)
    expect(calls).toEqual([`0 ${call}`])
  })

  it.each([
    [{ error: transport('broken-off', true) }, 'No response from the docs service'],
    [{ error: transport('refused', true) }, 'No response from the docs service'],
    [{ error: transport('timeout', true) }, 'No response from the docs service'],
    [{ status: 500 }, 'The docs service failed (500)'],
    [{ status: 504 }, 'The docs service failed (504)'],
    [{ status: 408 }, 'The docs service waited too long for the request (408)'],
    [{ status: 204 }, 'Unexpected response of the docs service (204)'],
  ])('that is answered %j is sent once, and a job may be running', async (reply, headline) => {
    const { outcome, calls } = await perform(request, { post: [reply] })
    expect(outcome).toMatchObject({ result: 'error', headline, reason: expect.stringMatching(MAYBE) })
    expect(outcome.reason).not.toMatch(/Nothing was started|safe to run/)
    expect(calls).toEqual([`0 ${call}`])
  })

  it('that is over the rate limit waits as long as it says', async () => {
    const post = [{ status: 429, retryAfterS: 100 }, { status: 429, retryAfterS: 200 }, { job: 'active' }]
    const { outcome, calls, events } = await perform(request, { post })
    expect(outcome.result).toBe('submitted')
    expect(calls).toEqual([`0 ${call}`, `100 ${call}`, `300 ${call}`])
    const pauses = events.flatMap((event) => (event.type === 'retry' ? [event.retryInMs / 1000] : []))
    expect(pauses).toEqual([100, 40, 200, 140, 80, 20])
  })

  it('that is over the rate limit for no said time is tried a last time at the end of timeout', async () => {
    const { outcome, calls } = await perform(request, { post: [{ status: 429 }] }, { timeoutMs: 5000 })
    expect(calls).toEqual([`0 ${call}`, `1 ${call}`, `3 ${call}`, `5 ${call}`])
    expect(outcome).toMatchObject({
      result: 'error',
      headline: 'The rate limit of the docs service is reached (429)',
      reason: expect.stringContaining(`The service went on answering so until \`timeout\` was over. ${SAFE}`),
    })
  })

  it('that is to wait past timeout ends at once', async () => {
    const post = [{ status: 429, retryAfterS: 600 }]
    const { outcome, calls } = await perform(request, { post })
    expect(calls).toEqual([`0 ${call}`])
    expect(outcome.reason).toContain(
      `The server asks to wait 10 min 00 s before the next request, which is past \`timeout\`. ${SAFE}`,
    )
  })

  it('in flight is never cut by timeout', async () => {
    const { outcome } = await perform(
      request,
      { post: [{ job: 'active', takesMs: 29_000 }] },
      { timeoutMs: 1000 },
    )
    expect(outcome.result).toBe('submitted')
  })

  it('has 30 s anew for connections after an answer', async () => {
    const refused = { error: transport('refused', false) }
    const post = [refused, { status: 429, retryAfterS: 60 }, refused, { job: 'active' }]
    const { outcome, calls } = await perform(request, { post })
    expect(outcome.result).toBe('submitted')
    expect(calls).toEqual([`0 ${call}`, `1 ${call}`, `61 ${call}`, `65 ${call}`])
  })

  it('counts timeout from the first answer, a 429 included', async () => {
    const post = [{ status: 429, retryAfterS: 50 }, { job: 'active' }]
    const { outcome, elapsedS } = await perform(request, { post }, { timeoutMs: 60_000, wait: true })
    expect(outcome.result).toBe('timed-out')
    expect(elapsedS).toBe(60)
  })

  it.each([
    ['in a pause', 500, [{ status: 429, retryAfterS: 100 }], 0.5, /Nothing was started/],
    ['in flight', 500, [{ job: 'active', takesMs: 10_000 }], 3.5, MAYBE],
  ])('is given up soon when the run is cancelled %s', async (_when, cancelAfterMs, post, elapsedS, says) => {
    const performed = await perform(request, { post }, { cancelAfterMs })
    expect(performed.outcome).toMatchObject({
      result: 'cancelled',
      job: undefined,
      reason: expect.stringMatching(says),
    })
    expect(performed.elapsedS).toBe(elapsedS)
    expect(performed.calls).toHaveLength(1)
  })

  it('that is answered within 3 s of a cancel keeps its job', async () => {
    const post = [{ job: 'active', takesMs: 3400 }]
    const { outcome } = await perform(request, { post }, { cancelAfterMs: 500, wait: true })
    const id = request.kind === 'message' ? 'j1' : 'new'
    expect(outcome).toMatchObject({ result: 'cancelled', jobId: id, job: { status: 'active' } })
  })

  it('is not sent by a run that is cancelled already', async () => {
    const { outcome, calls } = await perform(request, {}, { cancel: AbortSignal.abort() })
    expect(outcome).toMatchObject({ result: 'cancelled', reason: 'Nothing was started.' })
    expect(calls).toEqual([])
  })
})

it('after a message, the end from before is believed only once it has stayed for 30 s', async () => {
  const replies = { post: [{ job: 'completed' }], get: [{ job: 'completed' }] }
  const { outcome, elapsedS } = await perform(message, replies, { wait: true, pollIntervalMs: 5000 })
  expect(outcome.result).toBe('no-pull-request')
  expect(elapsedS).toBe(30)
  const created = await perform(create, replies, { wait: true })
  expect(created).toMatchObject({ outcome: { result: 'no-pull-request' }, elapsedS: 0 })
})

describe('an earlier job', () => {
  const prLink = 'https://github.com/acme/docs/pull/12'
  const asked: unknown[] = []
  const createPrompt: Extract<JobRequest, { kind: 'continue' }>['createPrompt'] = (previous) => {
    asked.push(previous)
    return Promise.resolve('All anew.')
  }
  let messages = 0
  const createMessage = (): Promise<string> => {
    messages += 1
    return Promise.resolve('More.')
  }
  const goOn: JobRequest = { kind: 'continue', id: 'j1', prLink: '', createMessage, createPrompt }
  const goOnKnown: JobRequest = { ...goOn, prLink }
  const resume: JobRequest = { kind: 'resume', id: 'j1', prLink: '', createPrompt }
  const resumeKnown: JobRequest = { ...resume, prLink }

  it.each([
    ['active', goOn, { job: 'active' }, 'open', ['0 get', '0 message'], 'More.'],
    ['completed', goOn, { job: 'completed' }, 'merged', ['0 get', '0 message'], 'More.'],
    [
      'completed, with an open pull request',
      goOn,
      { job: 'completed', prLink },
      'open',
      ['0 get', '0 message'],
      'More.',
    ],
    [
      'completed, with one that is not known',
      goOn,
      { job: 'completed', prLink },
      'unknown',
      ['0 get', '0 message'],
      'More.',
    ],
    ['active, for a re-run', resume, { job: 'active' }, 'merged', ['0 get'], undefined],
    ['completed, for a re-run', resume, { job: 'completed', prLink }, 'merged', ['0 get'], undefined],
  ] as const)('that is %s goes on', async (_what, request, reply, state, calls, prompt) => {
    asked.length = 0
    const performed = await perform(
      request,
      { get: [reply] },
      { pullRequestState: () => Promise.resolve(state) },
    )
    expect(performed.calls).toEqual(calls)
    expect(performed.prompts).toEqual(prompt === undefined ? [] : [{ prompt }])
    expect(performed.outcome).toMatchObject({ jobId: 'j1', sent: prompt ?? '' })
    expect(asked).toEqual([])
  })

  it.each([
    ['failed', goOn, { job: 'failed' }, 'unknown', undefined, 'it failed'],
    ['archived', goOn, { job: 'archived' }, 'unknown', undefined, 'it was archived'],
    [
      'gone, its pull request known',
      goOnKnown,
      { status: 404 },
      'open',
      'open',
      'the service does not know it any more (404)',
    ],
    [
      'gone, for a re-run, its pull request known',
      resumeKnown,
      { status: 404 },
      'merged',
      'merged',
      'the service does not know it any more (404)',
    ],
    ['gone', goOn, { status: 404 }, 'unknown', undefined, 'the service does not know it any more (404)'],
    ['merged', goOn, { job: 'completed', prLink }, 'merged', 'merged', 'its pull request was merged'],
    ['closed', goOn, { job: 'active', prLink }, 'closed', 'closed', 'its pull request was closed'],
    [
      'at work, its pull request merged',
      goOnKnown,
      { job: 'active' },
      'merged',
      'merged',
      'its pull request was merged',
    ],
    ['failed, with a pull request', goOn, { job: 'failed', prLink }, 'open', 'open', 'it failed'],
    ['failed, for a re-run', resume, { job: 'failed', prLink }, 'closed', 'closed', 'it failed'],
    ['archived, for a re-run', resume, { job: 'archived' }, 'unknown', undefined, 'it was archived'],
    [
      'gone, for a re-run',
      resume,
      { status: 404 },
      'unknown',
      undefined,
      'the service does not know it any more (404)',
    ],
  ] as const)(
    'that is %s makes a new job that is told of it',
    async (_what, request, reply, state, told, reason) => {
      asked.length = 0
      messages = 0
      const performed = await perform(
        request,
        { get: [reply] },
        { pullRequestState: (link) => Promise.resolve(link === prLink ? state : 'unknown') },
      )
      expect(messages, 'messages that were made').toBe(0)
      expect(performed.calls).toEqual(['0 get', '0 job'])
      expect(performed.prompts).toEqual([{ prompt: 'All anew.' }])
      expect(performed.outcome).toMatchObject({ jobId: 'new', sent: 'All anew.' })
      expect(asked).toEqual([told === undefined ? undefined : { prLink, state: told }])
      expect(performed.events.find(({ type }) => type === 'resolved')).toMatchObject({
        earlierId: 'j1',
        reason,
      })
    },
  )

  it('is tried again where it can not be got at first', async () => {
    const get = [{ error: transport('broken-off', true) }, { status: 503 }, { job: 'active' }]
    const { outcome, calls, events } = await perform(goOn, { get })
    expect(outcome.result).toBe('submitted')
    expect(calls).toEqual(['0 get', '2 get', '6 get', '6 message'])
    // Nothing is started again by that, and the log does not say so.
    expect(events.filter(({ type }) => type === 'poll-failed' || type === 'retry')).toMatchObject([
      { type: 'poll-failed', id: 'j1' },
      { type: 'poll-failed', id: 'j1' },
    ])
  })

  it.each([
    ['ten minutes', 3_600_000, 600],
    ['timeout, where that is shorter', 60_000, 60],
  ])('is given up after %s, and nothing was started', async (_when, timeoutMs, elapsedS) => {
    const performed = await perform(goOn, { get: [{ status: 503 }] }, { timeoutMs })
    expect(performed.outcome).toMatchObject({
      result: 'error',
      headline: 'The docs service failed (503)',
      reason: expect.stringContaining(SAFE),
    })
    expect(performed.elapsedS).toBe(elapsedS)
    expect(performed.prompts).toEqual([])
  })

  it('is given up at once with a refusal, or where the service asks to wait too long', async () => {
    const refused = await perform(goOn, { get: [{ status: 401 }] })
    expect(refused.outcome).toMatchObject({
      result: 'error',
      headline: 'The docs service refused the API key (401)',
    })
    expect(refused.outcome.reason).not.toContain('safe to run')
    const late = await perform(goOn, { get: [{ status: 429, retryAfterS: 3600 }] })
    expect(late.outcome.reason).toContain('The server asks to wait 1 h 00 min')
    expect([refused.calls, late.calls]).toEqual([['0 get'], ['0 get']])
  })

  it('is not waited for by a run that is cancelled', async () => {
    const { outcome, elapsedS } = await perform(goOn, { get: [{ status: 503 }] }, { cancelAfterMs: 500 })
    expect(outcome.result).toBe('cancelled')
    expect(elapsedS).toBe(0.5)
  })

  it('whose prompt can not be made is no failure of the service: that error comes through', async () => {
    const broken: JobRequest = { ...goOn, createPrompt: () => Promise.reject(new Error('a bug')) }
    await expect(perform(broken, { get: [{ job: 'failed' }] })).rejects.toThrow('a bug')
  })
})

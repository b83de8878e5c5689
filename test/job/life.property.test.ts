import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import { type DocsService as EmbeddedService, startDocsService } from '../../docs-service/service.ts'
import { isFailure, type Outcome } from '../../src/job/outcome.ts'
import { performJob } from '../../src/job/perform.ts'
import type { JobRequest } from '../../src/job/request.ts'
import { type HttpClient, openHttp } from '../../src/lib/http.ts'
import type { HttpRequest, HttpResponse } from '../../src/lib/http-messages.ts'
import { TransportError } from '../../src/lib/transport-error.ts'
import { openDocsService } from '../../src/service/docs-service.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

/** Everything that can happen to one request. Times are virtual milliseconds. */
type Schedule = {
  readonly kind: 'create' | 'message'
  readonly faults: readonly Fault[]
  /** Requests, by number, that find the connection refused. */
  readonly refused: readonly number[]
  readonly directive: string
  readonly timeoutMs: number
  readonly pollIntervalMs: number | undefined
  readonly wait: boolean
  readonly cancelAfterMs: number | undefined
  /** The value that all jitter is drawn with. */
  readonly random: number
}

const faultArbitrary: fc.Arbitrary<Fault> = fc
  .record({
    effect: fc.constantFrom<Fault[]>(
      { kind: 'reset' },
      { kind: 'reset-after' },
      { kind: 'truncate' },
      { kind: 'truncate-clean' },
      { kind: 'html' },
      { kind: 'body', body: { id: 'someone-else', status: 'completed' } },
      { kind: 'body', body: 'nonsense' },
      { kind: 'hang' },
      { kind: 'hang-after' },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 503, headers: { 'retry-after': '40' } },
      { kind: 'status', status: 429 },
      { kind: 'status', status: 429, headers: { 'retry-after': '20' } },
      { kind: 'status', status: 429, headers: { 'retry-after': '86400' } },
      { kind: 'status', status: 504, handled: true },
      { kind: 'status', status: 401 },
      { kind: 'status', status: 404 },
      { kind: 'redirect', location: 'http://127.0.0.1:9/' },
    ),
    path: fc.constantFrom<('create' | 'message' | 'look')[]>('create', 'message', 'look', 'look'),
    nth: fc.integer({ min: 1, max: 6 }),
    times: fc.constantFrom<(number | 'always')[]>(1, 1, 2, 5, 'always'),
  })
  .map(({ effect, path, nth, times }) => ({ ...effect, match: { path, nth }, times }))

const scheduleArbitrary: fc.Arbitrary<Schedule> = fc.record({
  kind: fc.constantFrom('create', 'create', 'message'),
  faults: fc.array(faultArbitrary, { maxLength: 4 }),
  refused: fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 3 }),
  directive: fc.constantFrom(
    '',
    '[agent: fail]',
    '[agent: archive]',
    '[agent: no-change]',
    '[agent: never]',
    '[agent: takes 0s]',
    '[agent: takes 20m]',
    '[agent: status reviewing 90s]',
  ),
  timeoutMs: fc.constantFrom(1000, 30_000, 300_000, 1_800_000),
  pollIntervalMs: fc.constantFrom(undefined, undefined, 5000),
  wait: fc.constantFrom(true, true, true, false),
  cancelAfterMs: fc.constantFrom(undefined, undefined, undefined, 1, 3000, 100_000),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

/** How long real sockets may keep the virtual clock from going on. */
const STALL_MS = 15

let docs: EmbeddedService
let clock = new VirtualClock()
let prompts = 0

beforeAll(async () => {
  const unlimited = { jobsPerHour: Infinity, messagesPerHour: Infinity, retryAfter: true }
  docs = await startDocsService({
    agent: 'none',
    jobTimeMs: 60_000,
    limits: unlimited,
    now: () => clock.now(),
  })
})
afterAll(() => docs.close())

type Life = {
  readonly outcome: Outcome
  /** Jobs or messages that the service really took for this request. */
  readonly taken: number
  readonly deliveredId: string | undefined
  readonly elapsedMs: number
  readonly firstAnswerAfterMs: number | undefined
}

async function live(schedule: Schedule): Promise<Life> {
  clock = new VirtualClock()
  docs.faults.clear()
  const prompt = `Request ${prompts++}. ${schedule.directive}`
  const request: JobRequest =
    schedule.kind === 'create'
      ? { kind: 'create', prompt }
      : { kind: 'message', id: await finishedJob(), prompt }
  for (const fault of schedule.faults) docs.faults.add(fault)
  const startMs = clock.now()
  const cancel = new AbortController()
  if (schedule.cancelAfterMs !== undefined) clock.at(startMs + schedule.cancelAfterMs, () => cancel.abort())
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  const real = openHttp({ proxy, clock, timeoutMs: 30_000, bodyLimitBytes: 1 << 20 })
  const watched = watch(real, schedule)
  const service = openDocsService({
    baseUrl: new URL(docs.url),
    projectId: 'docs',
    apiKey: docs.key,
    http: watched.http,
    clock,
    redact: (text) => text,
  })
  const outcome = await performJob(service, request, {
    clock,
    cancel: cancel.signal,
    random: () => schedule.random,
    pollIntervalMs: schedule.pollIntervalMs,
    timeoutMs: schedule.timeoutMs,
    wait: schedule.wait,
    pullRequestState: () => Promise.resolve('unknown'),
    onEvent: () => undefined,
  })
  real.close()
  return {
    outcome,
    taken: docs.jobs.flatMap((job) => [job.prompt, ...job.messages]).filter((text) => text === prompt).length,
    deliveredId: request.kind === 'message' ? request.id : watched.seen.id,
    elapsedMs: clock.now() - startMs,
    firstAnswerAfterMs:
      watched.seen.firstAnswerAtMs === undefined ? undefined : watched.seen.firstAnswerAtMs - startMs,
  }
}

async function finishedJob(): Promise<string> {
  const response = await fetch(`${docs.url}/v2/agent/docs/job`, {
    method: 'POST',
    headers: { authorization: `Bearer ${docs.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'The job before. [agent: takes 0s]' }),
  })
  return idIn(await response.text()) ?? ''
}

/** Refuses connections as scheduled, notes what was delivered, and moves the clock on where sockets hang. */
function watch(real: HttpClient, { refused }: Schedule) {
  const seen: { id?: string | undefined; firstAnswerAtMs?: number } = {}
  let requests = 0
  async function send(request: HttpRequest): Promise<HttpResponse> {
    if (refused.includes(requests++)) {
      throw new TransportError('the connection was refused', { failure: 'refused', maybeSent: false })
    }
    const stall = setInterval(() => clock.jump(), STALL_MS)
    try {
      const answer = await real.send(request)
      seen.firstAnswerAtMs ??= clock.now()
      if (request.method === 'POST' && answer.status === 201) seen.id ??= idIn(answer.body)
      return answer
    } finally {
      clearInterval(stall)
    }
  }
  return { seen, http: { send, close: () => real.close() } }
}

function idIn(body: string): string | undefined {
  try {
    const { id } = JSON.parse(body) as { id?: unknown }
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

const CREATE_LIMIT_MS = 30_000 + 30_000
const GRACE_MS = 3500

describe('the life of a request for a job, whatever goes wrong', () => {
  it('never makes two jobs, loses no id, ends in time, and its exit agrees with its result', async () => {
    await fc.assert(
      fc.asyncProperty(scheduleArbitrary, async (schedule) => {
        const life = await live(schedule)
        const { outcome } = life
        expect(life.taken).toBeLessThanOrEqual(1)
        expect(outcome.jobId).toBe(life.deliveredId ?? '')
        const startOfWaitMs = life.firstAnswerAfterMs ?? 0
        expect(life.elapsedMs).toBeLessThanOrEqual(
          startOfWaitMs + schedule.timeoutMs + CREATE_LIMIT_MS + GRACE_MS,
        )
        expect(isFailure(outcome.result, new Set())).toBe(['cancelled', 'error'].includes(outcome.result))
        if (outcome.result === 'pull-request')
          expect(outcome.job).toMatchObject({ status: 'completed', prLink: expect.any(String) })
        if (outcome.result === 'cancelled') expect(schedule.cancelAfterMs).toBeDefined()
        if (life.deliveredId === undefined) expect(['error', 'cancelled']).toContain(outcome.result)
      }),
      { numRuns: Number(process.env['LIFE_RUNS'] ?? 400) },
    )
  }, 300_000)
})

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import { type DocsService as EmbeddedService, startDocsService } from '../../docs-service/service.ts'
import { eventRow } from '../../src/events/table.ts'
import { performJob } from '../../src/job/perform.ts'
import { HttpClient, type HttpRequest, type HttpResponse } from '../../src/lib/http.ts'
import { stringField } from '../../src/lib/json.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { DocsService } from '../../src/service/client.ts'
import { VirtualClock } from '../support/clock.ts'
import { environmentOf } from '../support/run-action.ts'

/** Everything that can happen to one request. Times are virtual milliseconds. */
type Schedule = {
  readonly kind: 'create' | 'message'
  readonly faults: readonly Fault[]
  /** Requests, by number, that find the connection refused. */
  readonly refused: readonly number[]
  readonly directive: string
  readonly timeoutMs: number
  /** Empty for none. */
  readonly pollInterval: string
  readonly wait: boolean
  readonly cancelAfterMs: number | undefined
  /** The value that all jitter is drawn with. */
  readonly random: number
}

const PLAIN = ['reset', 'reset-after', 'truncate', 'truncate-clean', 'html', 'hang', 'hang-after'] as const

const faultArbitrary: fc.Arbitrary<Fault> = fc
  .record({
    effect: fc.constantFrom<Fault[]>(
      ...PLAIN.map((kind) => ({ kind })),
      { kind: 'body', body: { id: 'someone-else', status: 'completed' } },
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

const DIRECTIVES = ['x', 'fail', 'archive', 'no-change', 'never', 'takes 0s', 'takes 20m', 'status new 90s']

const scheduleArbitrary: fc.Arbitrary<Schedule> = fc.record({
  kind: fc.constantFrom('create', 'create', 'message'),
  faults: fc.array(faultArbitrary, { maxLength: 4 }),
  refused: fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 3 }),
  directive: fc.constantFrom(...DIRECTIVES.map((words) => `[agent: ${words}]`)),
  timeoutMs: fc.constantFrom(1000, 30_000, 300_000, 1_800_000),
  pollInterval: fc.constantFrom('', '', '1s'),
  wait: fc.constantFrom(true, true, true, false),
  cancelAfterMs: fc.constantFrom(undefined, undefined, undefined, 1, 3000, 100_000),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

/** How long real sockets may keep the virtual clock from going on. */
const STALL_MS = 5

let docs: EmbeddedService
let clock = new VirtualClock()
let prompts = 0
let outputs: Record<string, string> = {}

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
beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const [, name, value = ''] = /^::set-output name=([a-z-]+)::(.*)\n$/.exec(String(text)) ?? []
    if (name !== undefined) outputs[name] = value
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

type Life = {
  readonly failed: string | undefined
  readonly outputs: Readonly<Record<string, string>>
  /** Jobs or messages that the service really took for this request. */
  readonly taken: number
  readonly deliveredId: string
  readonly elapsedMs: number
}

async function live(schedule: Schedule): Promise<Life> {
  clock = new VirtualClock()
  outputs = {}
  docs.faults.clear()
  const prompt = `Request ${prompts++}. ${schedule.directive}`
  const messaged = schedule.kind === 'message' ? await finishedJob() : ''
  for (const fault of schedule.faults) docs.faults.add(fault)
  const startMs = clock.now()
  const cancel = new AbortController()
  if (schedule.cancelAfterMs !== undefined) clock.at(startMs + schedule.cancelAfterMs, () => cancel.abort())
  const inputs = {
    'project-id': 'docs',
    prompt,
    'job-id': messaged,
    context: 'none',
    'follow-up': 'false',
    summary: 'false',
    'fail-on': 'none',
    timeout: `${schedule.timeoutMs}ms`,
    'poll-interval': schedule.pollInterval,
    wait: String(schedule.wait),
  }
  const environment = readEnvironment(environmentOf({ inputs }, '/nowhere', '/nowhere'))
  const run = new Run(environment, { clock, random: () => schedule.random, cancel: cancel.signal })
  const http = new WatchedClient(schedule)
  const service = new DocsService({
    baseUrl: new URL(docs.url),
    projectId: 'docs',
    apiKey: docs.key,
    http,
    clock,
    redact: (text) => text,
  })
  const event = { name: 'workflow_dispatch', row: eventRow('workflow_dispatch'), payload: {} }
  const nothing = { known: true, value: undefined } as const
  const failed = await performJob(
    { trigger: { event, command: undefined }, promptFiles: [], contextFiles: [] },
    {
      history: {
        statuses: { known: true, value: [] },
        lastJob: nothing,
        lastSuccess: nothing,
        merged: new Map(),
      },
      readSignals: () => Promise.resolve(''),
      service,
      run,
    },
  )
  return {
    failed,
    outputs,
    taken: docs.jobs.flatMap((job) => [job.prompt, ...job.messages]).filter((text) => text === prompt).length,
    deliveredId: messaged === '' ? http.createdId : messaged,
    elapsedMs: clock.now() - startMs,
  }
}

async function finishedJob(): Promise<string> {
  const response = await fetch(`${docs.url}/v2/agent/docs/job`, {
    method: 'POST',
    headers: { authorization: `Bearer ${docs.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'The job before. [agent: takes 0s]' }),
  })
  return stringField(await response.json(), 'id') ?? ''
}

/** Refuses connections as scheduled, notes what was delivered, and moves the clock on where sockets hang. */
class WatchedClient extends HttpClient {
  createdId = ''
  #requests = 0
  readonly #refused: readonly number[]

  constructor({ refused }: Schedule) {
    const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
    super({ proxy, clock, timeoutMs: 30_000, bodyLimitBytes: 1 << 20 })
    this.#refused = refused
  }

  override async send(request: HttpRequest): Promise<HttpResponse> {
    const isRefused = this.#refused.includes(this.#requests++)
    const url = isRefused ? new URL('http://127.0.0.1:1/') : request.url
    const stall = setInterval(() => clock.jump(), STALL_MS)
    try {
      const answer = await super.send({ ...request, url })
      const [, id = ''] = /^\{"id":"([^"]+)".*\}$/s.exec(answer.body) ?? []
      if (request.method === 'POST' && answer.status === 201) this.createdId ||= id
      return answer
    } finally {
      clearInterval(stall)
    }
  }
}

/** Connections are tried for 30 s, a request in flight then has 30 s of its own; the last look has 5 s more. */
const SENDING_MS = 60_000
const LAST_LOOK_MS = 5000

describe('the life of a request for a job, whatever goes wrong', () => {
  it('never makes two jobs, loses no id, ends in time, and its exit agrees with its result', async () => {
    await fc.assert(
      fc.asyncProperty(scheduleArbitrary, async (schedule) => {
        const { taken, deliveredId, elapsedMs, failed, outputs: told } = await live(schedule)
        expect(taken).toBeLessThanOrEqual(1)
        expect(told['job-id']).toBe(deliveredId)
        expect(elapsedMs).toBeLessThanOrEqual(Math.max(schedule.timeoutMs, SENDING_MS) + LAST_LOOK_MS)
        const { result = '', status, 'pr-link': prLink } = told
        expect(failed !== undefined).toBe(['cancelled', 'error'].includes(result))
        const isEnded = !['timed-out', 'cancelled', 'error', 'submitted'].includes(result)
        expect(result === 'pull-request').toBe(isEnded && status === 'completed' && prLink !== '')
        expect(result !== 'cancelled' || schedule.cancelAfterMs !== undefined).toBe(true)
        expect(deliveredId !== '' || failed !== undefined).toBe(true)
      }),
      { numRuns: Number(process.env['LIFE_RUNS'] ?? 100) },
    )
  }, 300_000)
})

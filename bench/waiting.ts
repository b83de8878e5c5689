import { pollJob } from '../src/job/poll.ts'
import { untilTerminal } from '../src/job/poll-rules.ts'
import type { Job } from '../src/service/job.ts'
import { VirtualClock } from '../test/support/clock.ts'
import { mean, seconds, type Table } from './table.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
/** Run times of jobs; each is tried with many ends around it. */
const RUN_TIMES_MS = [20, 40, 60, 120, 300, 600, 1200, 1800, 2700, 3600].map((each) => each * SECOND_MS)
/** Fixed pauses in milliseconds; `undefined` is the action's own pace. */
const PAUSES_MS = [undefined, 5000, 10_000, 30_000]

type Wait = { readonly lateMs: number; readonly runMs: number; readonly requests: number }

/** Drives the real wait on a clock that jumps: how late the end of a job is seen, and for how many requests. */
export async function simulateWaiting(samples: number): Promise<Table> {
  const rows: string[][] = []
  const all = PAUSES_MS.map((): Wait[] => [])
  for (const runTimeMs of RUN_TIMES_MS) {
    const cells: string[] = []
    for (const [index, pauseMs] of PAUSES_MS.entries()) {
      const random = randomNumbers(runTimeMs)
      const waits: Wait[] = []
      // Ends up to 10 % later: a pause that happens to divide the run time must not look punctual.
      for (let sample = 0; sample < samples; sample++) {
        waits.push(await waitOnce(runTimeMs * (1 + 0.1 * random()), pauseMs, random))
      }
      cells.push(...describe(waits))
      all[index]?.push(...waits)
    }
    rows.push([runTimeMs < 2 * MINUTE_MS ? seconds(runTimeMs) : `${runTimeMs / MINUTE_MS} min`, ...cells])
  }
  const names = ['this action', 'every 5 s', 'every 10 s', 'every 30 s']
  return {
    title: `Waiting: how late the end of a job is seen, and how many requests that takes (${samples} jobs a row)`,
    head: ['Job takes', ...names.flatMap((name) => [name, 'requests'])],
    rows: [...rows, ['all', ...all.flatMap(describe)]],
    note: 'Mean, worst, and the worst as a share of its job’s run time. Every pause is 5 s to 18 s, so that a job of half an hour costs about 170 requests.',
  }
}

function describe(waits: readonly Wait[]): string[] {
  const late = waits.map(({ lateMs }) => lateMs)
  const share = Math.max(...waits.map(({ lateMs, runMs }) => lateMs / runMs))
  return [
    `${seconds(mean(late))}, ${seconds(Math.max(...late))}, ${(100 * share).toFixed(1)} %`,
    mean(waits.map(({ requests }) => requests)).toFixed(0),
  ]
}

async function waitOnce(runMs: number, pauseMs: number | undefined, random: () => number): Promise<Wait> {
  const clock = new VirtualClock()
  const startedAtMs = clock.now()
  let requests = 0
  const look = async (): Promise<Job> => {
    requests++
    return jobIn(clock.now() < startedAtMs + runMs ? 'active' : 'completed')
  }
  const job = jobIn('active')
  await pollJob(
    { id: 'job', job, startedAtMs, firstAnswerAtMs: startedAtMs, created: true, isOver: untilTerminal },
    {
      getJob: look,
      clock,
      cancel: new AbortController().signal,
      onEvent: () => undefined,
      pollIntervalMs: pauseMs,
      random,
      timeoutMs: 10 * 60 * MINUTE_MS,
      wait: true,
    },
  )
  return { lateMs: clock.now() - startedAtMs - runMs, runMs, requests }
}

function jobIn(status: string): Job {
  const unknown = {
    prLink: null,
    repository: null,
    ref: null,
    model: null,
    createdAt: null,
    archivedAt: null,
  }
  return { id: 'job', status, ...unknown, json: '{}', invalidFields: [] }
}

// The same numbers in every run, so that two benchmarks differ only where the code does (mulberry32).
function randomNumbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

import type { Reply } from '../support/scripted-service.ts'

export type PollRow = {
  readonly what: string
  /** Replies to polls; the last one goes on for ever. */
  readonly polls: readonly Reply[]
  readonly options?: PollOptions
  /** The result, the seconds in which the job was polled, and when the run ended. */
  readonly ends: string
}

export type PollOptions = {
  /** A job is created, sent a message, or only waited for. */
  readonly kind?: 'create' | 'message' | 'wait'
  readonly timeoutS?: number
  /** How the reply to the create or message shows the job. */
  readonly shown?: Reply
  readonly inputs?: Readonly<Record<string, string>>
  readonly random?: () => number
  readonly cancelAtMs?: number
}

export const lost: Reply = { breaks: 'before' }
export const noJob: Reply = { body: '[]' }
export const slow = (status: string, takesMs: number): Reply => ({ body: { status }, takesMs })
export const answered = (status: number, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
})

export const another = { kind: 'wait' } as const
const noWait = { inputs: { wait: 'false' } }
export const every = (pollInterval: string): PollOptions => ({
  inputs: { 'poll-interval': pollInterval },
})
const messaged = (shown: string): PollOptions => ({ kind: 'message', shown, ...every('5s') })

const half = { random: () => 0.5 }
const punctual = { ...every('500ms'), ...half }
const said = [answered(429, '7'), 'active', answered(503, '100'), 'failed']
const unsaid = [answered(429), answered(429), 'active', 'failed']
const failing = [lost, answered(500), noJob, answered(503, '0'), lost, 'active', 'failed']

/** How runs poll. */
export const POLLS: readonly PollRow[] = [
  {
    what: 'a poll interval has no jitter',
    polls: ['active', 'failed'],
    options: punctual,
    ends: 'failed: 0.5, 1; 1 s',
  },
  {
    what: 'a pause is as long as a 429 or 503 says',
    polls: said,
    ends: 'failed: 5, 12, 17, 117; 117 s',
  },
  {
    what: 'a 429 that says nothing means a minute each time',
    polls: unsaid,
    ends: 'failed: 5, 65, 125, 130; 130 s',
  },
  {
    what: 'pauses grow to 30 s',
    polls: failing,
    options: half,
    ends: 'failed: 5, 10.5, 21.5, 43.5, 73.5, 103.5, 109; 109 s',
  },
  {
    what: 'a finished job is not polled again',
    polls: [],
    options: { shown: 'failed' },
    ends: 'failed: ; 0 s',
  },
  {
    what: 'an attached job is polled at once',
    polls: ['archived'],
    options: another,
    ends: 'archived: 0; 0 s',
  },
  {
    what: 'a run that does not wait returns',
    polls: [],
    options: noWait,
    ends: 'submitted: ; 0 s',
  },
  {
    what: 'a run that does not wait reports a job that is finished',
    polls: [],
    options: { ...noWait, shown: 'failed' },
    ends: 'failed: ; 0 s',
  },
  {
    what: 'a run that does not wait polls an attached job once',
    polls: ['active'],
    options: { ...another, ...noWait },
    ends: 'submitted: 0; 0 s',
  },
  {
    what: 'a run that does not wait polls three times at most',
    polls: [lost],
    options: { ...another, ...noWait },
    ends: 'error: 0, 5, 15; 15 s',
  },
  {
    what: 'a last poll at the deadline finds a finished job',
    polls: ['active', 'failed'],
    options: { timeoutS: 8 },
    ends: 'failed: 5, 8; 8 s',
  },
  {
    what: 'a slow create is a part of the timeout',
    polls: ['active'],
    options: { shown: slow('active', 20_000), timeoutS: 22 },
    ends: 'timed-out: 22; 22 s',
  },
  {
    what: 'a create past the deadline is followed by one poll',
    polls: ['failed'],
    options: { shown: slow('active', 9000), timeoutS: 3 },
    ends: 'failed: 9; 9 s',
  },
  {
    what: 'a cancel ends a pause',
    polls: [],
    options: { cancelAtMs: 3000 },
    ends: 'cancelled: ; 3 s',
  },
  {
    what: 'the last poll may take 5 s',
    polls: [slow('failed', 4900)],
    options: { timeoutS: 3 },
    ends: 'failed: 3; 7.9 s',
  },
  {
    what: 'a Retry-After is cut at the deadline',
    polls: [answered(503, '3600')],
    options: { timeoutS: 60 },
    ends: 'timed-out: 5, 60; 60 s',
  },
  {
    what: 'a 404 within 60 s of the create is a failed poll',
    polls: [answered(404), 'failed'],
    options: every('60s'),
    ends: 'failed: 60, 120; 120 s',
  },
  {
    what: 'a 404 more than 60 s after the create is an error',
    polls: [answered(404)],
    options: every('60100ms'),
    ends: 'error: 60.1; 60.1 s',
  },
  {
    what: 'a 404 after a message is an error',
    polls: [answered(404)],
    options: { kind: 'message' },
    ends: 'error: 5; 5 s',
  },
  {
    what: 'an end after a message counts if its response said active',
    polls: ['failed'],
    options: messaged('active'),
    ends: 'failed: 5; 5 s',
  },
  {
    what: 'an end after a message counts if the job was active since',
    polls: ['failed', 'active', 'failed'],
    options: messaged('failed'),
    ends: 'failed: 5, 10, 15; 15 s',
  },
  {
    what: 'an end after a message counts if it stays for 30 s',
    polls: ['failed'],
    options: messaged('failed'),
    ends: 'failed: 5, 10, 15, 20, 25, 30; 30 s',
  },
  {
    what: 'an end after a message does not count without waiting',
    polls: [],
    options: { ...messaged('failed'), ...noWait },
    ends: 'submitted: ; 0 s',
  },
]

/** Seconds since the create, the jitter drawn, and the pause in seconds. */
export const PAUSES = [
  { ageS: 10, drawn: 1, pauseS: 6 },
  { ageS: 300, drawn: 0, pauseS: 6 },
  { ageS: 500, drawn: 1, pauseS: 12 },
  { ageS: 750, drawn: 0, pauseS: 15 },
  { ageS: 10_000, drawn: 1, pauseS: 18 },
]

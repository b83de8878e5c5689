import type { Reply } from '../support/scripted-service.ts'

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

/** Replies to polls, and the run's result, the seconds in which they were made, and when it ended. */
export const POLLS: readonly [string, readonly Reply[], PollOptions, string][] = [
  ['a poll interval has no jitter', ['active', 'failed'], punctual, 'failed: 0.5, 1; 1 s'],
  ['a pause is as long as a 429 or 503 says', said, {}, 'failed: 5, 12, 17, 117; 117 s'],
  [
    'a 429 that says nothing means a minute each time',
    unsaid,
    {},
    'failed: 5, 65, 125, 130; 130 s',
  ],
  [
    'a 429 that says 0 s is no reason to wait',
    [answered(429, '0'), 'failed'],
    punctual,
    'failed: 0.5, 1; 1 s',
  ],
  ['a 429 shortens an interval', unsaid, every('2m'), 'failed: 120, 180, 240, 360; 360 s'],
  ['pauses grow to 30 s', failing, half, 'failed: 5, 10.5, 21.5, 43.5, 73.5, 103.5, 109; 109 s'],
  [
    'pauses do not shorten a longer interval',
    failing.slice(-4),
    every('40s'),
    'failed: 40, 80, 120, 160; 160 s',
  ],

  ['a finished job is not polled again', [], { shown: 'failed' }, 'failed: ; 0 s'],
  ['an attached job is polled at once', ['archived'], another, 'archived: 0; 0 s'],
  ['a run that does not wait returns', [], noWait, 'submitted: ; 0 s'],
  [
    'a run that does not wait reports a job that is finished',
    [],
    { ...noWait, shown: 'failed' },
    'failed: ; 0 s',
  ],
  [
    'a run that does not wait polls an attached job once',
    ['active'],
    { ...another, ...noWait },
    'submitted: 0; 0 s',
  ],
  [
    'a run that does not wait polls again where that failed',
    [lost, 'failed'],
    { ...another, ...noWait },
    'failed: 0, 5; 5 s',
  ],
  [
    'a run that does not wait polls three times at most',
    [lost],
    { ...another, ...noWait },
    'error: 0, 5, 15; 15 s',
  ],

  [
    'a last poll at the deadline finds a finished job',
    ['active', 'failed'],
    { timeoutS: 8 },
    'failed: 5, 8; 8 s',
  ],
  [
    'a slow create is a part of the timeout',
    ['active'],
    { shown: slow('active', 20_000), timeoutS: 22 },
    'timed-out: 22; 22 s',
  ],
  [
    'a create past the deadline is followed by one poll',
    ['failed'],
    { shown: slow('active', 9000), timeoutS: 3 },
    'failed: 9; 9 s',
  ],
  ['a cancel ends a pause', [], { cancelAtMs: 3000 }, 'cancelled: ; 3 s'],
  ['the last poll may take 5 s', [slow('failed', 4900)], { timeoutS: 3 }, 'failed: 3; 7.9 s'],
  [
    'no poll comes after one in flight at the deadline',
    [slow('active', 4000)],
    { timeoutS: 8 },
    'timed-out: 5; 9 s',
  ],
  [
    'a Retry-After is cut at the deadline',
    [answered(503, '3600')],
    { timeoutS: 60 },
    'timed-out: 5, 60; 60 s',
  ],

  [
    'a 404 within 60 s of the create is a failed poll',
    [answered(404), 'failed'],
    every('60s'),
    'failed: 60, 120; 120 s',
  ],
  [
    'a 404 more than 60 s after the create is an error',
    [answered(404)],
    every('60100ms'),
    'error: 60.1; 60.1 s',
  ],
  ['a 404 after a message is an error', [answered(404)], { kind: 'message' }, 'error: 5; 5 s'],

  [
    'an end after a message counts if its response said active',
    ['failed'],
    messaged('active'),
    'failed: 5; 5 s',
  ],
  [
    'an end after a message counts if the job was active since',
    ['failed', 'active', 'failed'],
    messaged('failed'),
    'failed: 5, 10, 15; 15 s',
  ],
  [
    'an end after a message counts if it stays for 30 s',
    ['failed'],
    messaged('failed'),
    'failed: 5, 10, 15, 20, 25, 30; 30 s',
  ],
  [
    'each other end after a message has to stay for 30 s',
    ['archived'],
    messaged('failed'),
    'archived: 5, 10, 15, 20, 25, 30, 35; 35 s',
  ],
  [
    'an end after a message does not count without waiting',
    [],
    { ...messaged('failed'), ...noWait },
    'submitted: ; 0 s',
  ],
  [
    'a failed poll after a message does not show that the end stays',
    [lost],
    { ...messaged('failed'), ...every('12s'), timeoutS: 31 },
    'timed-out: 12, 24, 31; 31 s',
  ],
]

/** Seconds since the create, the jitter drawn, and the pause in seconds. */
export const PAUSES = [
  [10, 1, 6],
  [300, 0, 6],
  [500, 1, 12],
  [750, 0, 15],
  [10_000, 0, 15],
  [10_000, 1, 18],
] as const

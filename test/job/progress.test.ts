import { expect, it } from 'vitest'
import { type JobEvent, progressLine } from '../../src/job/progress.ts'
import { TransportError } from '../../src/lib/transport-error.ts'
import { readJob } from '../../src/service/job.ts'

const job = readJob({ id: 'j1', status: 'active' })
if (job === undefined) throw new Error('no job')
const error = new TransportError('the connection to x was refused', { failure: 'refused', maybeSent: false })
const resolved = { type: 'resolved', earlierId: 'j1', prLink: null } as const

it.each<[JobEvent, string]>([
  [{ type: 'accepted', job, created: true }, 'Job j1 was accepted by the docs service.'],
  [{ type: 'accepted', job, created: false }, 'The message to job j1 was accepted by the docs service.'],
  [
    { ...resolved, request: { kind: 'create', prompt: 'x' }, reason: 'it failed' },
    'The earlier job j1 cannot go on because it failed; a new job is created.',
  ],
  [
    { ...resolved, request: { kind: 'message', id: 'j1', prompt: 'x' }, reason: 'its status is active' },
    'The earlier job j1 is sent a message: its status is active.',
  ],
  [
    { ...resolved, request: { kind: 'attach', id: 'j1' }, reason: 'its status is active' },
    'The earlier job j1 is reported by this run: its status is active.',
  ],
  [
    { type: 'status', id: 'j1', status: 'active', elapsedMs: 65_000 },
    'Status: active (job j1, after 1 min 05 s).',
  ],
  [
    { type: 'still-waiting', id: 'j1', status: 'active', elapsedMs: 60_000 },
    'Still waiting for job j1 after 1 min 00 s; its status is active.',
  ],
  [
    { type: 'still-waiting', id: 'j1', status: undefined, elapsedMs: 60_000 },
    'Still waiting for job j1 after 1 min 00 s; its status is not known yet.',
  ],
  [
    { type: 'unknown-status', id: 'j1', status: 'reviewing' },
    'Job j1 has a status that this version does not know: "reviewing". It counts as not finished yet.',
  ],
  [
    { type: 'invalid-field', id: 'j1', field: 'model' },
    'Job j1: the field model has an unexpected type and counts as absent.',
  ],
  [
    { type: 'poll-failed', id: 'j1', error, retryInMs: 5000 },
    'Polling job j1 failed. The docs service could not be reached. The connection to x was refused. Next poll in 5 s.',
  ],
  [
    { type: 'retry', error, retryInMs: 850 },
    'The docs service could not be reached. The connection to x was refused. Nothing was started yet; trying again in 850 ms.',
  ],
])('%j is a line that can be read alone', (event, text) => {
  const isWarning = event.type === 'unknown-status' || event.type === 'invalid-field'
  expect(progressLine(event)).toEqual({ level: isWarning ? 'warning' : 'info', text })
})

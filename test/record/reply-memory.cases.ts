import type { Reply } from '../support/scripted-service.ts'
import type { Told } from './runs.ts'

export const LOST: Reply = { breaks: 'before' }
export const SLOW: Reply = { takesMs: 5000, body: { id: 'job_1' } }
const NAMED = ['pending', 'pending job_1']

/** Jobs, how they end, and what the markers of the reply say. */
export const REMEMBERED: readonly [string, Told, string[]][] = [
  ['has a pull request', { end: 'pull-request' }, [...NAMED, 'success job_1']],
  ['has none', {}, [...NAMED, 'success job_1']],
  ['is only submitted', { end: 'submitted' }, [...NAMED, 'success job_1']],
  ['has failed', { end: 'failed', inputs: { 'fail-on': 'none' } }, [...NAMED, 'failure job_1']],
  ['is archived', { end: 'archived' }, [...NAMED, 'failure job_1']],
  ['goes on past the deadline', { end: 'timed-out' }, [...NAMED, 'failure job_1']],
  ['goes on after a cancel', { end: 'cancelled' }, [...NAMED, 'failure job_1']],
  ['goes on after a kill', { killAtMs: 3000 }, [...NAMED, 'failure job_1']],
  [
    'can no longer be waited for',
    { replies: { post: ['active'], get: [{ status: 401 }] } },
    ['pending', 'pending j1', 'failure j1'],
  ],
  ['was refused', { end: 'error' }, ['pending', 'failure']],
  ['may have been started', { replies: { post: [LOST] } }, ['pending', 'error']],
  [
    'may have been started before a kill',
    { replies: { post: [SLOW] }, killAtMs: 3000 },
    ['pending', 'error'],
  ],
]

import type { Marker } from '../../src/record/marker.ts'

export const marker: Marker = {
  kind: 'reply',
  state: 'success',
  job: 'job_1',
  pull: 'https://github.com/acme/docs/pull/1',
  project: '0123456789abcdef',
  step: 'docs.yml/docs/agent',
  run: '1001',
  source: 'issue-comment/5001',
  namedAt: 1_767_571_200_000,
}

/** The kind of a marker, what another one has, and whether they are of the same comment. */
export const SAME: readonly [Marker['kind'], Partial<Marker>, boolean][] = [
  ['reply', { job: 'job_2', state: 'failure' }, true],
  ['reply', { run: '1002' }, false],
  ['reply', { source: 'issue-comment/5002' }, false],
  ['reply', { step: 'other' }, false],
  ['reply', { project: 'other' }, false],
  ['reply', { kind: 'status' }, false],
  ['status', { run: '1002', job: 'job_2' }, true],
  ['status', { step: 'other' }, false],
  ['status', { project: 'other' }, false],
  ['announcement', { run: '1002', step: 'other' }, true],
  ['announcement', { job: 'job_2' }, false],
  ['announcement', { project: 'other' }, false],
]

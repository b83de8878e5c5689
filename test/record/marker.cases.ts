import type { Marker, RecordMarker } from '../../src/record/own-comments.ts'

export const marker: RecordMarker = {
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

/** A marker, another one, and whether they are of the same comment. */
export const SAME: readonly [Partial<RecordMarker>, Partial<RecordMarker>, boolean][] = [
  [{}, { job: 'job_2', state: 'failure' }, true],
  [{}, { run: '1002' }, false],
  [{}, { source: 'issue-comment/5002' }, false],
  [{}, { step: 'other' }, false],
  [{}, { project: 'other' }, false],
  [{}, { kind: 'status' }, false],
  [{ kind: 'status' }, { kind: 'status', run: '1002', job: 'job_2' }, true],
  [{ kind: 'status' }, { kind: 'status', step: 'other' }, false],
]

export const note: Marker = { kind: 'note', project: marker.project, lines: [], earlier: 0 }

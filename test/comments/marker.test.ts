import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  hashProject,
  isNewer,
  isSameComment,
  type Marker,
  Markers,
  withJobOf,
} from '../../src/comments/marker.ts'
import { pullRequestThread, type Thread } from '../../src/github/comments.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

const marker: Marker = {
  kind: 'reply',
  job: 'job_1',
  pull: 'https://github.com/acme/docs/pull/1',
  project: '0123456789abcdef',
  step: 'docs.yml/docs/agent',
  run: '1001',
  attempt: '1',
  source: 'issue-comment/5001',
  namedAt: 1_767_571_200_000,
}

const same = (text: string): string => text
const markers = new Markers('mint_key', 'acme/docs')
const main = pullRequestThread(5)
const review: Thread = { kind: 'review', number: 5, isPull: true, rootId: 5001 }
const source = markers.render(marker, main, same).source
const [, payload = '', signature = ''] = /^<!-- docs-agent (.*)\.(.*) -->$/.exec(source) ?? []
const encode = (fields: object): string => Buffer.from(JSON.stringify(fields)).toString('base64url')

describe('a marker', () => {
  it('is one signed base64url JSON in an HTML comment, and holds nothing but its fields', () => {
    expect(source).toMatch(/^<!-- docs-agent [\w-]+\.[\w-]{43} -->$/)
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(marker)
  })

  it.each([...HOSTILE_TEXTS, '--', '-->', '---->', 'ÿþ>', ''])('brings %j back', (text) => {
    const given: Marker = {
      ...marker,
      job: text.toWellFormed(),
      step: text.toWellFormed(),
      pull: text.toWellFormed(),
    }
    const written = markers.render(given, main, same).source
    expect(markers.read(`${written}\nText`, main)).toEqual(given)
    expect(written.slice(4, -3)).not.toMatch(/>|\n/)
  })

  it('holds no secret: that is taken out before the text is encoded', () => {
    const redact = (text: string): string => text.replaceAll('mint_key', '***')
    const written = markers.render({ ...marker, pull: 'https://x.example/mint_key' }, main, redact).source
    expect(markers.read(written, main)?.pull).toBe('https://x.example/***')
  })

  it.each([
    ['another payload', `<!-- docs-agent ${encode({ ...marker, job: 'job_2' })}.${signature} -->`],
    ['no signature', `<!-- docs-agent ${payload} -->`],
    ['an empty signature', `<!-- docs-agent ${payload}. -->`],
    ['a signature cut short', `<!-- docs-agent ${payload}.${signature.slice(0, -1)} -->`],
    ['another signature', `<!-- docs-agent ${payload}.${'A'.repeat(43)} -->`],
    ['something before it', ` ${source}`],
    ['text before it', `They said:\n${source}`],
    ['nothing in it', '<!-- docs-agent -->'],
  ])('with %s counts for nothing', (_what, body) => {
    expect(markers.read(body, main)).toBeUndefined()
  })

  it.each<[string, Thread]>([
    ['another pull request', pullRequestThread(6)],
    ['a review thread of the same pull request', review],
    ['another review thread', { ...review, rootId: 5002 }],
  ])('copied to %s counts for nothing', (_where, thread) => {
    expect(markers.read(source, main)).toEqual(marker)
    expect(markers.read(source, thread)).toBeUndefined()
  })

  it('of another repository or key counts for nothing, but letter case of the repository does not matter', () => {
    const read = (apiKey: string, repository: string) => new Markers(apiKey, repository).read(source, main)
    expect(read('mint_key', 'acme/other')).toBeUndefined()
    expect(read('mint_other', 'acme/docs')).toBeUndefined()
    expect(read('mint_key', 'Acme/Docs')).toEqual(marker)
  })

  it('without a key counts for nothing, signed with an empty one or not', () => {
    const without = new Markers('', 'acme/docs')
    expect(without.read(without.render(marker, main, same).source, main)).toBeUndefined()
    const signed = createHmac('sha256', '').update(JSON.stringify(['acme/docs', 5, 0, payload]))
    const forged = `<!-- docs-agent ${payload}.${signed.digest('base64url')} -->`
    expect(without.read(forged, main)).toBeUndefined()
  })

  it('is signed with a key of its own, not with the API key', () => {
    const signed = createHmac('sha256', 'mint_key').update(JSON.stringify(['acme/docs', 5, 0, payload]))
    expect(signed.digest('base64url')).not.toBe(signature)
  })
})

describe('of two markers', () => {
  it.each([
    ['1002', '1', '1001', '1', true],
    ['1001', '1', '1002', '1', false],
    ['999', '1', '1000', '1', false],
    ['1001', '2', '1001', '1', true],
    ['1001', '1', '1001', '2', false],
    ['1001', '1', '1001', '1', false],
    ['1002', '1', '1001', '3', true],
    ['1001', '10', '1001', '9', true],
  ])(
    'run %s, attempt %s is newer than run %s, attempt %s: %s',
    (run, attempt, otherRun, otherAttempt, newer) => {
      const other = { ...marker, run: otherRun, attempt: otherAttempt }
      expect(isNewer({ ...marker, run, attempt }, other)).toBe(newer)
    },
  )

  it.each<[Marker['kind'], Partial<Marker>, boolean]>([
    ['reply', { job: 'job_2', attempt: '2' }, true],
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
  ])('a %s is the same comment as one with %j: %s', (kind, change, expected) => {
    expect(isSameComment({ ...marker, kind }, { ...marker, kind, ...change })).toBe(expected)
  })

  it.each<[string, Partial<Marker>, string]>([
    ['keeps the job of its run', { job: '' }, 'job_1'],
    ['names its own job', { job: 'job_2' }, 'job_2'],
    ['does not take the job of another run', { job: '', run: '1002' }, ''],
  ])('the one written again %s', (_what, change, job) => {
    expect(withJobOf(marker, { ...marker, ...change }).job).toBe(job)
  })
})

it('names a project so that only the same one of the same service has that name, which does not tell it', () => {
  const inputs = { 'base-url': new URL('https://api.example.com'), 'project-id': 'docs' }
  const hash = hashProject(inputs)
  expect(hash).toMatch(/^[0-9a-f]{16}$/)
  expect(hashProject({ ...inputs })).toBe(hash)
  expect(hashProject({ ...inputs, 'project-id': 'other' })).not.toBe(hash)
  expect(hashProject({ ...inputs, 'base-url': new URL('https://other.example.com') })).not.toBe(hash)
})

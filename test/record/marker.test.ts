import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { pullRequestThread, type Thread } from '../../src/github/comments.ts'
import {
  hashProject,
  isSameComment,
  type Marker,
  readMarker,
  renderMarker,
} from '../../src/record/own-comments.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from '../support/clock.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { environmentOf } from '../support/run-action.ts'
import { marker, note, SAME } from './marker.cases.ts'

/** A run with these inputs in that repository. */
function runWith(inputs: Record<string, string> = {}, repository = 'acme/docs'): Run {
  const given = { inputs: { 'api-key': 'mint_key_1', 'project-id': 'docs', ...inputs } }
  const env = { ...environmentOf(given, '/nowhere', '/nowhere'), GITHUB_REPOSITORY: repository }
  const cancel = new AbortController().signal
  return new Run(readEnvironment(env), { clock: new VirtualClock(), random: () => 0.5, cancel })
}

const run = runWith()
const main = pullRequestThread(5)
const review: Thread = { kind: 'review', number: 5, isPull: true, rootId: 5001 }
const elsewhere: Thread = { ...main, repository: 'acme/other' }
const render = (given: Marker): string => renderMarker(given, main, run).source
const source = render(marker)
const [, payload = '', signature = ''] = /^<!-- docs-agent (.*)\.(.*) -->$/.exec(source) ?? []

describe('a marker', () => {
  it('is one signed base64url JSON in an HTML comment, and holds nothing but its fields', () => {
    expect(source).toMatch(/^<!-- docs-agent [\w-]+\.[\w-]{43} -->$/)
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(marker)
  })

  it.each([...HOSTILE_TEXTS, '--', '-->', '---->', 'ÿþ>', ''])('brings %j back', (text) => {
    const words = text.toWellFormed()
    const given: Marker = { ...marker, job: words, step: words, pull: words }
    expect(readMarker(`${render(given)}\nText`, main, run)).toEqual(given)
    expect(render(given).slice(4, -3)).not.toMatch(/>|\n/)
  })

  it('holds no secret: that is taken out before the text is encoded', () => {
    const read = readMarker(render({ ...marker, pull: 'https://x.example/mint_key_1' }), main, run)
    expect(read).toMatchObject({ pull: 'https://x.example/***' })
  })

  const other = Buffer.from(JSON.stringify({ ...marker, job: 'job_2' })).toString('base64url')
  const signed = JSON.stringify(['acme/docs', 5, 0, payload])
  const byKey = createHmac('sha256', 'mint_key_1').update(signed).digest('base64url')
  it.each([
    ['another payload', `<!-- docs-agent ${other}.${signature} -->`],
    ['no signature', `<!-- docs-agent ${payload} -->`],
    ['a signature cut short', `<!-- docs-agent ${payload}.${signature.slice(0, -1)} -->`],
    ['another signature', `<!-- docs-agent ${payload}.${'A'.repeat(43)} -->`],
    ['a signature of the API key itself', `<!-- docs-agent ${payload}.${byKey} -->`],
    ['text before it', `They said:\n${source}`],
  ])('with %s counts for nothing', (_what, body) => {
    expect(readMarker(body, main, run)).toBeUndefined()
  })

  it.each<[string, Run, Thread, Marker | undefined]>([
    ['another pull request', run, pullRequestThread(6), undefined],
    ['a review thread of the same pull request', run, review, undefined],
    ['a pull request of another repository', run, elsewhere, undefined],
    ['another repository', runWith({}, 'acme/other'), main, undefined],
    ['another key', runWith({ 'api-key': 'mint_key_2' }), main, undefined],
    ['the same repository in other letters', runWith({}, 'Acme/Docs'), main, marker],
    ['the same repository by its name', run, { ...main, repository: 'acme/docs' }, marker],
  ])(
    'for %s is read only where all that was signed is the same',
    (_where, reader, thread, read) => {
      expect(readMarker(source, thread, reader)).toEqual(read)
    },
  )
})

it.each(SAME)('one with %j is the same comment as one with %j: %s', (one, other, expected) => {
  expect(isSameComment({ ...marker, ...one }, { ...marker, ...other })).toBe(expected)
})

it('a project has one note, which is no other comment', () => {
  const others: Marker[] = [note, note, { ...note, project: 'other' }, marker]
  expect(others.map((other) => isSameComment(note, other))).toEqual([true, true, false, false])
})

it('a project has a name that only the same one of the same service has, and that does not tell it', () => {
  const hash = hashProject(run)
  expect(hash).toMatch(/^[0-9a-f]{16}$/)
  expect(hashProject(runWith({}, 'acme/other'))).toBe(hash)
  expect(hashProject(runWith({ 'project-id': 'other' }))).not.toBe(hash)
  expect(hashProject(runWith({ 'base-url': 'https://other.example.com' }))).not.toBe(hash)
})

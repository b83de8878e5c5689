import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eventRow } from '../../src/events/event-table.ts'
import { readCommand } from '../../src/events/trigger.ts'
import { pullRequestThread, type Thread } from '../../src/github/comments.ts'
import { readInputs } from '../../src/inputs/read.ts'
import { createMarker, hashProject, isSameComment, type Marker, Markers } from '../../src/record/marker.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { issueComment, person } from '../support/events.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { marker, SAME } from './marker.cases.ts'

const markers = new Markers('mint_key', 'acme/docs')
const main = pullRequestThread(5)
const review: Thread = { kind: 'review', number: 5, isPull: true, rootId: 5001 }
const render = (given: Marker): string => markers.render(given, main, (text) => text).source
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
    expect(markers.read(`${render(given)}\nText`, main)).toEqual(given)
    expect(render(given).slice(4, -3)).not.toMatch(/>|\n/)
  })

  it('holds no secret: that is taken out before the text is encoded', () => {
    const redact = (text: string): string => text.replaceAll('mint_key', '***')
    const written = markers.render({ ...marker, pull: 'https://x.example/mint_key' }, main, redact).source
    expect(markers.read(written, main)?.pull).toBe('https://x.example/***')
  })

  const other = Buffer.from(JSON.stringify({ ...marker, job: 'job_2' })).toString('base64url')
  const signed = JSON.stringify(['acme/docs', 5, 0, payload])
  const byKey = createHmac('sha256', 'mint_key').update(signed).digest('base64url')
  it.each([
    ['another payload', `<!-- docs-agent ${other}.${signature} -->`],
    ['no signature', `<!-- docs-agent ${payload} -->`],
    ['an empty signature', `<!-- docs-agent ${payload}. -->`],
    ['a signature cut short', `<!-- docs-agent ${payload}.${signature.slice(0, -1)} -->`],
    ['another signature', `<!-- docs-agent ${payload}.${'A'.repeat(43)} -->`],
    ['a signature of the API key itself', `<!-- docs-agent ${payload}.${byKey} -->`],
    ['text before it', `They said:\n${source}`],
  ])('with %s counts for nothing', (_what, body) => {
    expect(markers.read(body, main)).toBeUndefined()
  })

  it.each([
    ['another pull request', markers, pullRequestThread(6), undefined],
    ['a review thread of the same pull request', markers, review, undefined],
    ['another repository', new Markers('mint_key', 'acme/other'), main, undefined],
    ['another key', new Markers('mint_other', 'acme/docs'), main, undefined],
    ['the same repository in other letters', new Markers('mint_key', 'Acme/Docs'), main, marker],
  ])('for %s is read only where all that was signed is the same', (_where, reader, thread, read) => {
    expect(reader.read(source, thread)).toEqual(read)
  })
})

it.each(SAME)('a %s is the same comment as one with %j: %s', (kind, change, expected) => {
  expect(isSameComment({ ...marker, kind }, { ...marker, kind, ...change })).toBe(expected)
})

it('a project has a name that only the same one of the same service has, and that does not tell it', () => {
  const inputs = { 'base-url': new URL('https://api.example.com'), 'project-id': 'docs' }
  const hash = hashProject(inputs)
  expect(hash).toMatch(/^[0-9a-f]{16}$/)
  expect(hashProject({ ...inputs })).toBe(hash)
  expect(hashProject({ ...inputs, 'project-id': 'other' })).not.toBe(hash)
  expect(hashProject({ ...inputs, 'base-url': new URL('https://other.example.com') })).not.toBe(hash)
})

it('a command has a reply, which names what it answers; any other run a status comment', () => {
  const { name, payload } = issueComment({ id: 5001, body: '/docs x', author: person('octocat') })
  const command = readCommand({ name, row: eventRow(name), payload }, '/docs')
  const run = { ...readInputs(new Map(), (text) => text), environment: readEnvironment({}) }
  expect(createMarker({ command }, run)).toMatchObject({ kind: 'reply', source: 'issue-comment/5001' })
  expect(createMarker({ command: undefined }, run)).toMatchObject({ kind: 'status', source: '' })
})

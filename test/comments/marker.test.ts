import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  hashProject,
  isEarlierAttempt,
  isNewer,
  type Marker,
  openMarkers,
} from '../../src/comments/marker.ts'
import { pullRequestThread, type Thread } from '../../src/github/comments.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'

const marker: Marker = {
  kind: 'reply',
  state: 'job',
  job: 'job_1',
  project: '0123456789abcdef',
  step: '.github/workflows/docs.yml/docs/agent',
  command: '/docs',
  run: '1001',
  attempt: '1',
  source: 'issue-comment/5001',
  pull: '',
  history: '',
}

const markers = openMarkers({ apiKey: 'mint_key', repository: 'acme/docs' })
const main = pullRequestThread(5)
const review: Thread = { kind: 'review', number: 5, isPull: true, rootId: 5001 }

/** A marker as it is written for a place, with other words in place of some. */
function forged(from: string, to: string): string {
  return markers.render(marker, main).source.replace(from, to)
}

describe('a marker', () => {
  it('is one line, and names its fields for whoever reads the source of a comment', () => {
    expect(markers.render(marker, main).source).toMatch(
      /^<!-- docs-agent kind=reply state=job job=job_1 project=0123456789abcdef step=\.github%2Fworkflows%2Fdocs\.yml%2Fdocs%2Fagent command=%2Fdocs run=1001 attempt=1 source=issue-comment%2F5001 pull= history= sig=[0-9a-f]{64} -->$/,
    )
  })

  it.each([...HOSTILE_TEXTS, '--', '-->', '---->', 'a b=c&d+e%', ' sig=0 -->', ''])(
    'brings %j back',
    (text) => {
      const words = text.toWellFormed()
      const given: Marker = { ...marker, job: words, step: words, history: words }
      const { source } = markers.render(given, main)
      expect(markers.read(`${source}\nText`, main)).toEqual(given)
      expect(source.slice(4, -3)).not.toMatch(/--|>|\n/)
    },
  )

  it.each(['.', '..'])('with the job %j names none: such an id would change the path of a request', (job) => {
    const { source } = markers.render({ ...marker, job }, main)
    expect(markers.read(source, main)).toEqual({ ...marker, job: '' })
  })

  it.each([
    ['another kind', forged('kind=reply', 'kind=announcement')],
    ['another state', forged('state=job', 'state=ended')],
    ['another job', forged('job=job_1', 'job=job_2')],
    ['another project', forged('project=0', 'project=1')],
    ['another step', forged('docs%2Fagent', 'docs%2Fother')],
    ['another run', forged('run=1001', 'run=9999')],
    ['a field more', forged(' sig=', ' job=job_2 sig=')],
    ['no signature', forged(/ sig=\w+/.exec(markers.render(marker, main).source)?.[0] ?? '', '')],
    ['a signature cut short', forged(' -->', '').slice(0, -2).concat(' -->')],
    ['something before it', ` ${markers.render(marker, main).source}`],
    ['text before it', `They said:\n${markers.render(marker, main).source}`],
    ['nothing in it', '<!-- docs-agent -->'],
  ])('with %s is worth nothing', (_what, body) => {
    expect(markers.read(body, main)).toBeUndefined()
  })

  it.each<[string, Thread]>([
    ['another pull request', pullRequestThread(6)],
    ['a review thread of the same pull request', review],
    ['another review thread', { ...review, rootId: 5002 }],
  ])('copied to %s is worth nothing', (_where, thread) => {
    const { source } = markers.render(marker, main)
    expect(markers.read(source, main)).toEqual(marker)
    expect(markers.read(source, thread)).toBeUndefined()
  })

  it('of another repository or key is worth nothing, but letter case of the repository does not count', () => {
    const { source } = markers.render(marker, main)
    const read = (apiKey: string, repository: string) =>
      openMarkers({ apiKey, repository }).read(source, main)
    expect(read('mint_key', 'acme/other')).toBeUndefined()
    expect(read('mint_other', 'acme/docs')).toBeUndefined()
    expect(read('mint_key', 'Acme/Docs')).toEqual(marker)
  })

  it('without a key is worth nothing, signed with an empty one or not', () => {
    const without = openMarkers({ apiKey: '', repository: 'acme/docs' })
    expect(without.read(without.render(marker, main).source, main)).toBeUndefined()
  })

  it('is not signed with the key itself', () => {
    const { source } = markers.render(marker, main)
    const [, fields = '', sig = ''] = /^<!-- docs-agent (.*) sig=(\w+) -->$/.exec(source) ?? []
    const signed = JSON.stringify(['acme/docs', 5, 0, fields])
    expect(createHmac('sha256', 'mint_key').update(signed).digest('hex')).not.toBe(sig)
    expect(sig).toHaveLength(64)
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
  ])(
    'run %s, attempt %s is newer than run %s, attempt %s: %s',
    (run, attempt, otherRun, otherAttempt, newer) => {
      const other = { ...marker, run: otherRun, attempt: otherAttempt }
      expect(isNewer({ ...marker, run, attempt }, other)).toBe(newer)
    },
  )
})

describe('a project in a marker', () => {
  it('is the same for the same project of the same service only, and does not name it', () => {
    const baseUrl = new URL('https://api.example.com')
    const hash = hashProject({ baseUrl, projectId: 'docs' })
    expect(hash).toMatch(/^[0-9a-f]{16}$/)
    expect(hashProject({ baseUrl, projectId: 'docs' })).toBe(hash)
    expect(hashProject({ baseUrl, projectId: 'other' })).not.toBe(hash)
    expect(hashProject({ baseUrl: new URL('https://other.example.com'), projectId: 'docs' })).not.toBe(hash)
  })
})

it.each([
  ['1001', '1', '1001', '2', true],
  ['1001', '2', '1001', '2', false],
  ['1001', '3', '1001', '2', false],
  ['1000', '1', '1001', '2', false],
  ['1002', '1', '1001', '2', false],
])(
  'run %s, attempt %s, is an earlier attempt of run %s, attempt %s: %s',
  (run, attempt, ofRun, of, expected) => {
    const other: Marker = { ...marker, run: ofRun, attempt: of }
    expect(isEarlierAttempt({ ...marker, run, attempt }, other)).toBe(expected)
  },
)

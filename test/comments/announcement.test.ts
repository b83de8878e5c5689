import { describe, expect } from 'vitest'
import { bareEvent, event, pushBy } from '../support/events.ts'
import { FAILED, itWithScene, READY, type Scene } from './runs.ts'

const it = itWithScene()
const inputs = { prompt: 'Document it.' }
const told = { inputs, end: READY }
const pushed = pushBy('octocat')
const schedule = bareEvent('schedule')
const RUN = '[a workflow run](https://github.com/acme/docs/actions/runs/1001)'
const COMMIT = `[commit bbbbbbb](https://github.com/acme/docs/commit/${'b'.repeat(40)})`

/** What was announced on pull request 1. */
const announced = ({ world }: Scene): string[][] =>
  world.comments
    .filter(({ number }) => number === 1)
    .map(({ history }) => history.map((body) => body.split('\n').slice(1).join('\n')))

describe('an announcement', () => {
  it.for([
    ['a push', pushed, `a push by **octocat**: ${COMMIT}.`],
    ['a schedule, which nobody causes', schedule, `${RUN} (\`schedule\`).`],
    ['a dispatch', bareEvent('workflow_dispatch'), `${RUN} (\`workflow_dispatch\` by **octocat**).`],
    ['a release', event('release', { action: 'published' }), `${RUN} (\`release\` by **octocat**).`],
  ] as const)('says what the pull request came from, and names no command: %s', async (row, { scene }) => {
    const [, from, words] = row
    await scene.tell(from, told)
    expect(scene.github.requests).toEqual(['POST /issues/1/comments', 'GET /issues/1/comments'])
    expect(announced(scene)).toEqual([[`💬 The docs agent opened this pull request for ${words}`]])
    expect(scene.output('comment-id')).toBe('5001')
  })

  it('is written once for each job, whoever goes on with it', async ({ scene }) => {
    await scene.tell(pushed, told)
    const before = scene.github.requests.length
    await scene.tell(pushed, { ...told, runId: 1002, kind: 'message' })
    expect(scene.github.requests.slice(before)).toEqual(['GET /issues/1/comments', 'POST /graphql'])
    await scene.tell(schedule, { ...told, runId: 1003, kind: 'wait', env: { GITHUB_JOB: 'other' } })
    expect(announced(scene)).toEqual([[expect.stringContaining('a push')]])
    await scene.tell(pushed, { ...told, runId: 1004, job: 'job_2' })
    expect(announced(scene)).toHaveLength(2)
  })

  it.for<[string, object, object]>([
    ['with `comment: never`', { comment: 'never' }, {}],
    ['without a pull request', {}, { result: 'no-pull-request', prLink: '' }],
    ['on one in another repository', {}, { prLink: 'https://github.com/acme/site/pull/1' }],
    ['on one of another server', {}, { prLink: 'https://gitlab.com/acme/docs/pull/1' }],
    ['for a job that failed with one', {}, FAILED],
  ])('is not written %s', async ([_what, change, end], { scene }) => {
    await scene.tell(pushed, { inputs: { ...inputs, ...change }, end: { ...READY, ...end } })
    expect(scene.github.requests).toEqual([])
  })

  it('is named by a reply as a place to go on, unless that stands there, too', async ({ scene }) => {
    await scene.ask({ end: READY })
    await scene.ask({ number: 1, runId: 1002, kind: 'message', end: READY })
    scene.github.faults.push({ match: /\/issues\/1\//, end: '403' })
    await scene.ask({ number: 6, runId: 1003, job: 'job_2', end: READY })
    const ends = scene.said().map((history) => history.at(-1)?.split('\n\n').at(-1))
    expect(ends[0]).toContain('comment `/docs …` here or on that pull request; ')
    expect(ends.slice(2)).toEqual(Array(2).fill(expect.stringContaining('comment `/docs …` here; ')))
    const refused = 'warning: Failed to write a comment: GitHub returned 403 ("Forbidden").'
    expect(scene.annotations()).toEqual([refused])
    expect(scene.pending()).toBe('{}')
  })
})

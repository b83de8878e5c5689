import { describe, expect } from 'vitest'
import { bareEvent, type Event, event, pushBy } from '../support/events.ts'
import { itWithScene, type Scene, schedule, type Told } from './runs.ts'

const it = itWithScene()
const inputs = { prompt: 'Document it.', 'follow-up': 'false' }
const opened: Told = { inputs, end: 'pull-request' }
const pushed = pushBy('octocat')
const RUN = '[a workflow run](https://github.com/acme/docs/actions/runs/1001)'
const COMMIT = `[commit bbbbbbb](https://github.com/acme/docs/commit/${'b'.repeat(40)})`

/** What was announced on pull request 1. */
const announced = ({ world }: Scene): string[][] =>
  world.comments
    .filter(({ number }) => number === 1)
    .map(({ history }) => history.map((body) => body.split('\n').slice(1).join('\n')))

describe('an announcement', () => {
  it.for<[string, Event, string]>([
    ['a push', pushed, `a push by **octocat**: ${COMMIT}.`],
    ['a schedule, which nobody causes', schedule, `${RUN} (\`schedule\`).`],
    ['a dispatch', bareEvent('workflow_dispatch'), `${RUN} (\`workflow_dispatch\` by **octocat**).`],
    ['a release', event('release', { action: 'published' }), `${RUN} (\`release\` by **octocat**).`],
  ])('says what the pull request came from, and names no command: %s', async (row, { scene }) => {
    const [, from, words] = row
    const given = { ...opened, inputs: { ...inputs, 'follow-up': 'true' } }
    const { requests, outputs } = await scene.tell(from, given)
    expect(requests.filter((line) => line.includes('comments'))).toEqual(['POST /issues/1/comments'])
    expect(announced(scene)).toEqual([[`💬 The docs agent opened this pull request for ${words}`]])
    expect(outputs['comment-id']).toBe('5001')
  })

  it('is written once for each job, whoever goes on with it', async ({ scene }) => {
    await scene.tell(pushed, opened)
    const waiting = { ...opened, inputs: { ...inputs, 'job-id': 'job_1' }, env: { GITHUB_JOB: 'other' } }
    const { requests } = await scene.tell(schedule, waiting)
    expect(requests).toEqual(['POST /graphql CameOfIt', 'GET /issues/1/comments', 'POST /graphql'])
    // None is better than two.
    scene.github.faults.push({ match: /^GET .*comments$/, end: '502' })
    await scene.tell(schedule, waiting)
    expect(announced(scene)).toEqual([[expect.stringContaining('a push')]])
    scene.github.faults.splice(0)
    await scene.tell(pushed, { ...opened, job: 'job_2' })
    expect(announced(scene)).toHaveLength(2)
  })

  const elsewhere = (prLink: string): Told => ({
    replies: { post: ['active'], get: [{ body: { status: 'completed', prLink } }] },
  })
  it.for<[string, Told]>([
    ['with `comment: never`', { inputs: { ...inputs, comment: 'never' } }],
    ['without a pull request', { end: 'no-pull-request' }],
    ['on one in another repository', elsewhere('https://github.com/acme/site/pull/1')],
    ['on one of another server', elsewhere('https://gitlab.com/acme/docs/pull/1')],
    ['for a job that failed', { end: 'failed' }],
  ])('is not written %s', async ([_what, change], { scene }) => {
    const { requests } = await scene.tell(pushed, { ...opened, ...change })
    expect(requests.filter((line) => line.includes('comments'))).toEqual([])
  })

  it('is named by a reply as a place to go on, unless that stands there, too', async ({ scene }) => {
    await scene.ask({ end: 'pull-request' })
    await scene.ask({ number: 1, end: 'pull-request' })
    scene.github.faults.push({ match: /\/issues\/1\//, end: '403' })
    const { warnings, post } = await scene.ask({ number: 6, job: 'job_2', end: 'pull-request' })
    const ends = scene.said().map((history) => history.at(-1)?.split('\n\n').at(-1))
    expect(ends[0]).toContain('comment `/docs …` here or on that pull request; ')
    expect(ends.slice(2)).toEqual(Array(2).fill(expect.stringContaining('comment `/docs …` here; ')))
    expect(warnings).toEqual(['Failed to write a comment: GitHub returned 403 ("Forbidden").'])
    expect(post.requests).toEqual([])
  })
})

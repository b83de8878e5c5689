import { describe, expect, it } from 'vitest'
import { bareEvent, event, pushBy } from '../support/events.ts'
import { NO_PULL, type Scene, sceneStarter } from './runs.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.' }
const pushed = pushBy('octocat')
const RUN = '[a workflow run](https://github.com/acme/docs/actions/runs/1001)'
const COMMIT = `[commit bbbbbbb](https://github.com/acme/docs/commit/${'b'.repeat(40)})`

/** What was announced on pull request 1. */
const announced = ({ world }: Scene): string[][] =>
  world.comments
    .filter(({ number }) => number === 1)
    .map(({ history }) => history.map((body) => body.split('\n').slice(1).join('\n')))

describe('an announcement', () => {
  it.each([
    ['a push', pushed, `a push by **octocat**: ${COMMIT}.`],
    ['a schedule, which nobody causes', bareEvent('schedule'), `${RUN} (\`schedule\`).`],
    ['a dispatch', bareEvent('workflow_dispatch'), `${RUN} (\`workflow_dispatch\` by **octocat**).`],
    ['a release', event('release', { action: 'published' }), `${RUN} (\`release\` by **octocat**).`],
  ])('says what the pull request came from, and names no command: %s', async (_what, from, words) => {
    const scene = await newScene()
    await scene.tell(from, { inputs })
    expect(scene.github.requests).toEqual(['POST /issues/1/comments', 'GET /issues/1/comments'])
    expect(announced(scene)).toEqual([[`💬 The docs agent opened this pull request for ${words}`]])
    expect(scene.output('comment-id')).toBe('5001')
  })

  it('does not name a command that would not go on with the job', async () => {
    const scene = await newScene()
    await scene.tell(scene.comment('/docs explain it'), { inputs: { 'follow-up': 'false' } })
    expect(announced(scene)).toEqual([[expect.stringMatching(/by \*\*octocat\*\*: explain it$/)]])
    expect(scene.said()[0]?.at(-1)).not.toContain('To go on')
  })

  it('is written once for each job, whoever goes on with it', async () => {
    const scene = await newScene()
    await scene.tell(pushed, { inputs })
    const before = scene.github.requests.length
    await scene.tell(pushed, { inputs, runId: 1002, kind: 'message' })
    expect(scene.github.requests.slice(before)).toEqual(['GET /issues/1/comments', 'POST /graphql'])
    const other = { env: { GITHUB_JOB: 'other' }, kind: 'wait' } as const
    await scene.tell(bareEvent('schedule'), { inputs, runId: 1003, ...other })
    expect(announced(scene)).toEqual([[expect.stringContaining('a push')]])
    await scene.tell(pushed, { inputs, runId: 1004, job: 'job_2' })
    expect(announced(scene)).toHaveLength(2)
  })

  it.each<[string, object]>([
    ['with `comment: never`', { inputs: { ...inputs, comment: 'never' } }],
    ['without a pull request', { inputs, end: NO_PULL }],
    ['on one in another repository', { inputs, end: { prLink: 'https://github.com/acme/site/pull/1' } }],
    ['on one of another server', { inputs, end: { prLink: 'https://gitlab.com/acme/docs/pull/1' } }],
    ['for a job that failed with one', { inputs, end: { result: 'failed' } }],
  ])('is not written %s', async (_what, options) => {
    const scene = await newScene()
    await scene.tell(pushed, options)
    expect(scene.github.requests).toEqual([])
  })

  it('is named by a reply as a place to go on, unless that stands there, too, or none could be written', async () => {
    const scene = await newScene()
    await scene.tell(scene.comment('/docs explain it'))
    await scene.tell(scene.comment('/docs shorter', { number: 1 }), { runId: 1002, kind: 'message' })
    scene.github.faults.push({ match: /\/issues\/1\//, end: '403' })
    await scene.tell(scene.comment('/docs explain it', { number: 6 }), { runId: 1003, job: 'job_2' })
    const ends = scene.said().map((history) => history.at(-1)?.split('\n\n').at(-1))
    expect(ends[0]).toContain('comment `/docs …` here or on that pull request; ')
    expect(ends.slice(2)).toEqual(Array(2).fill(expect.stringContaining('comment `/docs …` here; ')))
    const refused = 'warning: Failed to write a comment: GitHub returned 403 ("Forbidden").'
    expect(scene.annotations()).toEqual([refused])
    expect(scene.pending()).toBe('{}')
  })
})

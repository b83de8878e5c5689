import { describe, expect, it } from 'vitest'
import { bareEvent, event, pushBy } from '../support/events.ts'
import { NO_PULL, type Scene, sceneStarter, tell } from './runs.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.' }
const RUN = '[a workflow run](https://github.com/acme/docs/actions/runs/1001)'
const SHA = 'b'.repeat(40)

/** What was announced on pull request 1. */
const announced = ({ world }: Scene): string[][] =>
  world.comments
    .filter(({ number }) => number === 1)
    .map(({ history }) => history.map((body) => body.split('\n').slice(1).join('\n')))

describe('an announcement', () => {
  it.each([
    [
      'a push',
      pushBy('octocat'),
      `a push by **octocat**: [commit bbbbbbb](https://github.com/acme/docs/commit/${SHA}).`,
    ],
    ['a schedule, which nobody causes', bareEvent('schedule'), `${RUN} (\`schedule\`).`],
    ['a dispatch', bareEvent('workflow_dispatch'), `${RUN} (\`workflow_dispatch\` by **octocat**).`],
    ['a release', event('release', { action: 'published' }), `${RUN} (\`release\` by **octocat**).`],
  ])('says what the pull request came from, and names no command: %s', async (_what, from, words) => {
    const scene = await newScene()
    await tell(scene, from, { inputs })
    expect(scene.github.requests).toEqual(['POST /issues/1/comments', 'GET /issues/1/comments'])
    expect(announced(scene)).toEqual([[`💬 The docs agent opened this pull request for ${words}`]])
    expect(scene.saved('set-output', 'comment-id')).toBe('5001')
  })

  it('names the command that led to it, unless a command does not go on', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { inputs: { 'follow-up': 'false' } })
    expect(announced(scene)).toEqual([
      [
        '💬 The docs agent opened this pull request for [a comment](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain it',
      ],
    ])
    expect(scene.said()[0]?.at(-1)).not.toContain('To go on')
  })

  it('of a bare command names no words', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs'), { inputs })
    expect(announced(scene)[0]?.[0]).toMatch(/by \*\*octocat\*\*\.\n\nTo have it changed/)
  })

  it('is written once for each job, whoever goes on with it', async () => {
    const scene = await newScene()
    await tell(scene, pushBy('octocat'), { inputs })
    const before = scene.github.requests.length
    await tell(scene, pushBy('octocat'), { inputs, runId: 1002, kind: 'message' })
    expect(scene.github.requests.slice(before)).toEqual(['GET /issues/1/comments', 'POST /graphql'])
    await tell(scene, bareEvent('schedule'), {
      inputs,
      runId: 1003,
      kind: 'wait',
      env: { GITHUB_JOB: 'other' },
    })
    expect(announced(scene)).toHaveLength(1)
    expect(announced(scene)[0]).toHaveLength(1)
    await tell(scene, pushBy('octocat'), { inputs, runId: 1004, job: 'job_2' })
    expect(announced(scene)).toHaveLength(2)
  })

  it('is left once where two runs write it at once', async () => {
    const scene = await newScene()
    const list = /^GET \/issues\/1\/comments$/
    scene.github.faults.push({ match: list, end: { delayMs: 150 }, times: 2 })
    const kind = 'wait'
    await Promise.all([1001, 1002].map((runId) => tell(scene, pushBy('octocat'), { inputs, runId, kind })))
    expect(scene.github.requests.filter((line) => line.startsWith('POST /issues'))).toHaveLength(2)
    expect(announced(scene)).toHaveLength(1)
  })

  it('is a place to go on for the reply to a command, unless that stands on the same pull request', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'))
    await tell(scene, scene.comment('/docs shorter', { number: 1 }), { runId: 1002, kind: 'message' })
    const [there, , here] = scene.said().map((history) => history.at(-1)?.split('\n\n').at(-1))
    expect([there, here]).toEqual([
      'To go on, comment `/docs …` here or on that pull request; `/docs new …` starts a new job.',
      'To go on, comment `/docs …` here; `/docs new …` starts a new job.',
    ])
  })

  it.each<[string, object]>([
    ['with `comment: never`', { inputs: { ...inputs, comment: 'never' } }],
    ['without a pull request', { inputs, end: NO_PULL }],
    ['on one in another repository', { inputs, end: { prLink: 'https://github.com/acme/site/pull/1' } }],
    ['on one of another server', { inputs, end: { prLink: 'https://gitlab.com/acme/docs/pull/1' } }],
    ['for a job that failed with one', { inputs, end: { result: 'failed' } }],
  ])('is not written %s', async (_what, options) => {
    const scene = await newScene()
    await tell(scene, pushBy('octocat'), options)
    expect(scene.github.requests).toEqual([])
  })

  it('that can not be written is no failure, and the reply does not point there', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /\/issues\/1\//, end: '403' })
    await tell(scene, scene.comment('/docs explain it'))
    expect(scene.annotations()).toEqual([
      'warning: Failed to write a comment: GitHub returned 403 ("Forbidden").',
    ])
    expect(scene.said()[0]?.at(-1)).toContain('To go on, comment `/docs …` here; `/docs new …`')
    expect(scene.saved('save-state', 'pending')).toBe('{}')
  })
})

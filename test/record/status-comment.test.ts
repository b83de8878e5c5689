import { describe, expect } from 'vitest'
import { type Event, pullRequest, pushBy } from '../support/events.ts'
import {
  CREATE,
  DONE,
  itWithScene,
  octocat,
  type Scene,
  STARTING,
  type Told,
  WORKING,
} from './runs.ts'

const it = itWithScene()
const inputs = { prompt: 'Document it.', comment: 'always', 'follow-up': 'false' }
const FAILURE = "❌ **The agent's job failed**"
const opened = pullRequest({ sender: octocat })

/** A run for pull request 5. */
const tell = (scene: Scene, options: Told = {}, event: Event = opened) =>
  scene.tell(event, { ...options, inputs: { ...inputs, ...options.inputs } })

describe('a status comment', () => {
  it('is written once for each pull request and step, and edited to its end', async ({ scene }) => {
    const { requests } = await tell(scene)
    const written = ['GET /issues/5/comments', 'POST /issues/5/comments']
    const edits = ['PATCH /issues/comments/5001', 'PATCH /issues/comments/5001']
    expect(requests.filter((line) => line.includes('comments'))).toEqual([...written, ...edits])
    const target = { ...opened, name: 'pull_request_target' }
    const { post } = await tell(scene, { end: 'failed' }, target)
    expect(scene.said()).toEqual([
      [
        expect.stringMatching(
          /^⏳ \*\*Starting the docs agent …\*\*\n\nFor `ec26c3e` · \[workflow run\]/,
        ),
        expect.stringContaining(WORKING),
        expect.stringContaining(DONE),
        expect.stringContaining(STARTING),
        expect.stringContaining(WORKING),
        // Nobody knows whether a workflow listens to commands here.
        expect.stringMatching(
          /^❌ \*\*The agent's job failed\*\*\n\nFor .*runs\/1002\)\n[\s\S]*Job `job_1`\.$/,
        ),
      ],
    ])
    expect(post.requests).toEqual([])
    await tell(scene, { env: { GITHUB_JOB: 'other' } })
    await tell(scene, { inputs: { 'project-id': 'other' } })
    expect(scene.headlines()).toEqual([FAILURE, DONE, DONE])
  })

  it.for<[string, Event, Record<string, string>]>([
    ['`auto`', opened, { comment: 'auto' }],
    ['`never`', opened, { comment: 'never' }],
    ['a dry run', opened, { 'dry-run': 'true' }],
    ['another event', pushBy('octocat'), {}],
  ])('is not written by %s', async ([_what, event, change], { scene }) => {
    await tell(scene, { inputs: change }, event)
    expect(scene.said()).toEqual([])
  })

  it('is no memory: a command does not find its job there', async ({ scene }) => {
    await tell(scene, { end: 'cancelled' })
    expect((await scene.ask({ words: '/docs shorter' })).calls[0]).toEqual(CREATE[0])
  })
})

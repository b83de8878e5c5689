import { describe, expect, it } from 'vitest'
import { stepContext } from '../../src/memory/step-statuses.ts'
import { addCommit, addStatus } from '../support/world.ts'
import { jobSceneStarter, performDispatch, type SceneOptions } from './scene.ts'

const startScene = jobSceneStarter()

/** Performs a dispatch with the prompt "Do it.", without GitHub unless the inputs ask for it. */
async function perform(options: SceneOptions = {}) {
  const inputs = { prompt: 'Do it.', context: 'none', 'follow-up': 'false', ...options.inputs }
  const scene = await startScene({ ...options, inputs })
  const { run, github } = scene
  if (github !== undefined) {
    const { sha } = addCommit(github.world, { sha: run.environment.sha })
    const context = stepContext(run.inputs, run.environment)
    const target_url = 'https://github.com/acme/docs/pull/12'
    addStatus(github.world, sha, { context, state: 'success', description: 'Done (j1)', target_url })
  }
  return { scene, failed: await performDispatch(scene) }
}

describe('timeout', () => {
  it.each([
    ['a slow response', { takesMs: 20_000 }, '60s', 60, '40'],
    ['a rate limit', { status: 429, headers: { 'retry-after': '50' } }, '60s', 60, '10'],
    ['a response past it, after which comes no look', { takesMs: 20_000 }, '15s', 20, '0'],
  ])('counts from the first request: %s is a part of it', async (_what, first, timeout, endS, tookS) => {
    const { scene, failed } = await perform({ post: [first, 'active'], inputs: { timeout } })
    expect(failed).toMatch(/^Not finished within /)
    expect(scene.elapsedS()).toBe(endS)
    expect(scene.outputs).toMatchObject({ result: 'timed-out', 'duration-seconds': tookS })
  })
})

describe('the job of this step’s open pull request', () => {
  const performOn = (pull: SceneOptions['pull'], { inputs, ...options }: SceneOptions) =>
    perform({ ...options, pull, inputs: { 'follow-up': 'true', ...inputs } })

  it('is sent the whole prompt, and asked to resolve conflicts', async () => {
    const { scene } = await performOn({ mergeable_state: 'dirty' }, { get: ['active', 'completed'] })
    expect(scene.calls.slice(0, 2)).toEqual(['0 get', '0 message'])
    const prompt =
      'Do it.\n\nYour pull request conflicts with its base branch. Bring it up to date with the base branch and resolve the conflicts as well; keep what was merged there in the meantime.'
    expect(scene.prompts).toEqual([{ prompt }])
  })

  it('is asked about on GitHub alone in a dry run, which calls the docs service for nothing', async () => {
    const { scene } = await performOn({}, { inputs: { 'dry-run': 'true' } })
    expect(scene.calls).toEqual([])
    expect(scene.outputs).toEqual({ result: 'dry-run' })
    expect(scene.summary).toContain('Without `dry-run`, this run would send this message to the job `j1`.')
    expect(scene.log.at(-1)).toMatch(/^notice: The docs service was not called\. Without `dry-run`, this run/)
  })
})

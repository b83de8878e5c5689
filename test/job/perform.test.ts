import { afterEach, describe, expect, it } from 'vitest'
import { startGitHub } from '../support/github.ts'
import { addPull } from '../support/world.ts'
import { jobSceneStarter, NO_HISTORY, performDispatch, type SceneOptions } from './scene.ts'

const startScene = jobSceneStarter()
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

/** Performs a dispatch with the prompt "Do it.", without GitHub unless the inputs ask for it. */
async function perform(options: SceneOptions = {}, history = NO_HISTORY) {
  const inputs = { prompt: 'Do it.', context: 'none', 'follow-up': 'false', ...options.inputs }
  const scene = await startScene({ ...options, inputs })
  return { scene, failed: await performDispatch(scene, history) }
}

it('a job is created, waited for and reported, its id told before the first look', async () => {
  const { scene, failed } = await perform({ get: ['active', 'completed'] })
  expect(failed).toBeUndefined()
  expect(scene.calls).toEqual(['0 create', '5 get', '10.5 get'])
  expect(scene.log).toEqual([
    'Job j1 was accepted by the docs service.',
    'Job j1 is active (after 0 ms).',
    'Job j1 is completed (after 10 s).',
    'notice: Completed without a pull request (job j1). Either no file needed a change, or the agent published straight to the branch.',
  ])
  expect(scene.outputs).toMatchObject({ 'job-id': 'j1', result: 'no-pull-request', status: 'completed' })
  expect(scene.summary).toMatch(/^## ✅ Completed without a pull request\n/)
})

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
  const PR = 'https://github.com/acme/docs/pull/12'
  const status = { state: 'success', jobId: 'j1', targetUrl: PR, createdAtMs: 1000, sha: '' } as const
  const history = { ...NO_HISTORY, statuses: { known: true, value: [status] } as const }

  async function performOn(pull: Omit<Parameters<typeof addPull>[1], 'number'>, options: SceneOptions) {
    const github = await startGitHub()
    closing.push(() => github.close())
    addPull(github.world, { number: 12, ...pull })
    const inputs = { 'follow-up': 'true', 'github-token': github.token, ...options.inputs }
    return await perform({ ...options, inputs, env: { GITHUB_API_URL: github.url } }, history)
  }

  it('is sent the whole prompt, and asked to resolve conflicts', async () => {
    const { scene } = await performOn({ mergeable_state: 'dirty' }, { get: ['active', 'completed'] })
    expect(scene.calls.slice(0, 2)).toEqual(['0 get', '0 message'])
    const prompt =
      'Do it.\n\nYour pull request conflicts with its base branch. Bring it up to date with the base branch and resolve the conflicts as well; keep what was merged there in the meantime.'
    expect(scene.prompts).toEqual([{ prompt }])
  })

  it('that is gone by the time of the message is told as such: nobody gave a `job-id` to check', async () => {
    const { scene, failed } = await performOn({}, { post: [{ status: 404 }] })
    expect(scene.calls).toEqual(['0 get', '0 message'])
    expect(failed).toMatch(
      /^No job `j1` .* shown this job before, .* `follow-up: false`\. Nothing was started\.$/,
    )
  })

  it('is followed by a new one once that is merged', async () => {
    const pull = { state: 'closed', merged: true } as const
    const { scene } = await performOn(pull, { get: ['completed'] })
    expect(scene.calls.slice(0, 2)).toEqual(['0 get', '0 create'])
    expect(scene.summary).toContain(`earlier pull request [acme/docs#\u200b12](${PR}) was merged.`)
  })

  it('is asked about on GitHub alone in a dry run, which calls the docs service for nothing', async () => {
    const { scene } = await performOn({}, { inputs: { 'dry-run': 'true' } })
    expect(scene.calls).toEqual([])
    expect(scene.outputs).toEqual({ result: 'dry-run' })
    expect(scene.summary).toContain('Without `dry-run`, this run would send this message to the job `j1`.')
    expect(scene.log.slice(1)).toEqual([
      'group: The prompt',
      'Do it.',
      'endgroup: ',
      'notice: The docs service was not called. Without `dry-run`, this run would send this message to the job `j1`.',
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { statusDescription } from '../../src/github/history.ts'
import { finishPendingStatus, StepMemory } from '../../src/memory/step-status.ts'
import { Run } from '../../src/runner/run.ts'
import { type Scene, type Start, sceneStarter } from '../support/decisions.ts'
import { bareEvent, type Event, event, pullRequest, pushBy } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { addCommit, BEFORE } from '../support/world.ts'

const newScene = sceneStarter()
const PROMPT = { prompt: 'Document it.', 'ignore-authors': '' }
const RUN_URL = 'https://github.com/acme/docs/actions/runs/1001'
const PULL = 'https://github.com/acme/docs/pull/7'
const OUTCOME = { headline: 'Pull request ready for review', prLink: PULL }

function memoryOf(scene: Scene, start: Start): { readonly memory: StepMemory; readonly run: Run } {
  const { run, trigger } = scene.newRun(start)
  if ('skip' in trigger) throw new Error(trigger.reason)
  return { memory: new StepMemory(run, trigger), run }
}

/** The statuses as they were set, oldest first. */
function statusesOf({ world }: Scene): readonly unknown[] {
  return world.statuses.map(({ sha, context, state, description, target_url }) => [
    sha.slice(0, 7),
    context,
    state,
    description,
    target_url,
  ])
}

describe('the status of a step', () => {
  it('is pending while the job runs, and then says how it ended', async () => {
    const scene = await newScene()
    const { memory } = memoryOf(scene, { event: pushBy('octocat'), inputs: PROMPT })
    await memory.begin('job_1', '', 'The docs agent is working')
    await memory.end('success', OUTCOME)
    const context = 'Docs agent: docs (docs.yml, docs, agent)'
    expect(statusesOf(scene)).toEqual([
      ['bbbbbbb', context, 'pending', 'The docs agent is working (job_1)', RUN_URL],
      ['bbbbbbb', context, 'success', 'Pull request ready for review (job_1)', PULL],
    ])
    expect(scene.github.requests).toEqual([
      'POST /statuses/bbbbbbb pending',
      'POST /statuses/bbbbbbb success',
    ])
  })

  it.each([
    ['', '', RUN_URL],
    ['', PULL, PULL],
    [PULL, '', PULL],
    ['ssh://git.example.com/7', '', RUN_URL],
    [
      'https://git.example.com/acme/docs/-/merge_requests/7',
      PULL,
      'https://git.example.com/acme/docs/-/merge_requests/7',
    ],
  ])(
    'leads to the pull request %j, else to the one it went on with, %j, else to the run',
    async (prLink, known, target) => {
      const scene = await newScene()
      const { memory } = memoryOf(scene, { event: pushBy('octocat'), inputs: PROMPT })
      await memory.begin('job_1', known, 'The docs agent is working')
      await memory.end('failure', { headline: 'Not finished within 30 min', prLink })
      expect(scene.world.statuses.map(({ state, target_url }) => [state, target_url])).toEqual([
        ['pending', RUN_URL],
        ['failure', target],
      ])
    },
  )

  const MERGED = { merged: true, merge_commit_sha: 'c'.repeat(40) }
  const HEAD = { head: { sha: 'd'.repeat(40) } }
  it.each<[string, Event, string]>([
    ['push', pushBy('octocat'), 'bbbbbbb'],
    ['schedule', bareEvent('schedule'), 'aaaaaaa'],
    ['workflow_dispatch', bareEvent('workflow_dispatch'), 'aaaaaaa'],
    ['release', event('release'), 'aaaaaaa'],
    ['pull_request', pullRequest({ action: 'synchronize', pull: HEAD }), 'ddddddd'],
    ['pull_request, merged', pullRequest({ action: 'closed', pull: { ...HEAD, ...MERGED } }), 'ccccccc'],
    [
      'pull_request, closed',
      pullRequest({ action: 'closed', pull: { ...HEAD, ...MERGED, merged: false } }),
      'ddddddd',
    ],
  ])('stands on the commit of a %s', async (_name, made, sha) => {
    const scene = await newScene()
    for (const letter of 'cd') addCommit(scene.world, { sha: letter.repeat(40), branch: null })
    const env = made.payload.after ? {} : { GITHUB_SHA: BEFORE }
    const { memory } = memoryOf(scene, { event: made, inputs: PROMPT, env })
    await memory.begin('job_1', '', 'The docs agent is working')
    expect(scene.github.requests).toEqual([`POST /statuses/${sha} pending`])
  })

  it.each<[string, Event, Readonly<Record<string, string>>]>([
    ['with `follow-up: false`', pushBy('octocat'), { ...PROMPT, 'follow-up': 'false' }],
    ['in a dry run', pushBy('octocat'), { ...PROMPT, 'dry-run': 'true' }],
    ['without a prompt', pushBy('octocat'), { 'job-id': 'job_1', 'ignore-authors': '' }],
    ['on other events', event('deployment'), PROMPT],
    ['where the event names no commit', { name: 'pull_request', payload: {} }, PROMPT],
  ])('is not set %s', async (_what, made, inputs) => {
    const scene = await newScene()
    const { memory } = memoryOf(scene, { event: made, inputs })
    await memory.begin('job_1', '', 'The docs agent is working')
    await memory.end('success', OUTCOME)
    expect(scene.github.requests).toEqual([])
    expect(scene.logged()).toEqual([])
  })

  it('is set with a `job-id`, without comments, and not for a job that was not accepted', async () => {
    const scene = await newScene()
    const inputs = { ...PROMPT, 'job-id': 'job_1', comment: 'never' }
    const { memory } = memoryOf(scene, { event: pushBy('octocat'), inputs })
    await memory.end('failure', OUTCOME)
    expect(scene.github.requests).toEqual([])
    await memory.begin('job_1', '', 'The docs agent is working')
    expect(scene.github.requests).toHaveLength(1)
  })

  it('ends last, however slow GitHub is', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /pending$/, end: { delayMs: 50 } })
    const { memory } = memoryOf(scene, { event: pushBy('octocat'), inputs: PROMPT })
    await Promise.all([
      memory.begin('job_1', '', 'The docs agent is working'),
      memory.end('success', OUTCOME),
    ])
    expect(scene.world.statuses.map(({ state }) => state)).toEqual(['pending', 'success'])
  })
})

describe('the name and the words of a status', () => {
  it.each([
    ['Completed', 'job_1', 'Completed (job_1)'],
    ['Not finished within `30m`\n::error::x', 'job_1', 'Not finished within 30m ::error::x (job_1)'],
    ['x'.repeat(200), 'job_1', `${'x'.repeat(131)}… (job_1)`],
    ['x'.repeat(132), 'job_1', `${'x'.repeat(132)} (job_1)`],
    ['Completed', 'j'.repeat(138), `(${'j'.repeat(138)})`],
    ['Completed', 'j'.repeat(139), 'Completed'],
    ['Completed', 'a job', 'Completed'],
    ['Completed', 'job(1)', 'Completed'],
    ['x'.repeat(200), 'j'.repeat(139), `${'x'.repeat(138)}…`],
  ])('%j of %j', (headline, jobId, description) => {
    expect(statusDescription(headline, jobId)).toBe(description)
    expect(description.length).toBeLessThanOrEqual(140)
  })
})

/** What the main step saved for its post step last. */
function savedIn(scene: Scene): Record<string, string> {
  const saved = scene.logged().findLast((line) => line.startsWith('save-state'))
  return { pending: saved?.replace('save-state: ', '') ?? '' }
}

describe('a status that the main step could not end', () => {
  const start = { event: pushBy('octocat'), inputs: PROMPT }

  async function runPost(scene: Scene, state: Record<string, string>): Promise<void> {
    const { run } = scene.newRun({ ...start, state })
    const { environment, clock, random, cancel } = run
    await finishPendingStatus(new Run(environment, { clock, random, cancel }, { isPost: true }))
  }

  it('of a run that was killed is ended by the post step', async () => {
    const scene = await newScene()
    const { memory } = memoryOf(scene, start)
    await memory.begin('job_1', PULL, 'The docs agent is working')
    await runPost(scene, savedIn(scene))
    expect(
      scene.world.statuses.map(({ state, description, target_url }) => [state, description, target_url]),
    ).toEqual([
      ['pending', 'The docs agent is working (job_1)', RUN_URL],
      ['failure', 'Interrupted, the job is still running (job_1)', PULL],
    ])
  })

  it('is left alone where it was ended', async () => {
    const scene = await newScene()
    const { memory } = memoryOf(scene, start)
    await memory.begin('job_1', '', 'The docs agent is working')
    await memory.end('success', OUTCOME)
    await runPost(scene, savedIn(scene))
    await runPost(scene, {})
    expect(scene.world.statuses.map(({ state }) => state)).toEqual(['pending', 'success'])
  })

  it.each<FaultName>(['502', '429', 'secondary-limit', 'reset', 'html', '401'])(
    'is ended by the post step, since GitHub answered %s',
    async (end) => {
      const scene = await newScene()
      scene.github.faults.push({ match: /success$/, end })
      const { memory } = memoryOf(scene, start)
      await memory.begin('job_1', '', 'The docs agent is working')
      await memory.end('success', OUTCOME)
      const state = savedIn(scene)
      scene.github.faults.length = 0
      await runPost(scene, state)
      expect(scene.world.statuses.at(-1)).toMatchObject({
        state: 'success',
        description: 'Pull request ready for review (job_1)',
        target_url: PULL,
      })
    },
  )

  it('is waited for by the post step for up to a minute', async () => {
    const scene = await newScene()
    const { memory } = memoryOf(scene, start)
    await memory.begin('job_1', '', 'The docs agent is working')
    const state = savedIn(scene)
    const beganMs = scene.clock.now()
    scene.clock.at(beganMs + 50_000, () => scene.github.faults.splice(0))
    scene.github.faults.push({ match: /statuses/, end: '502' })
    await runPost(scene, state)
    expect(scene.world.statuses.at(-1)).toMatchObject({ state: 'failure' })
  })
})

describe('a status that the token may not set', () => {
  it('costs one notice that says what is lost, and nothing else', async () => {
    const scene = await newScene()
    scene.world.scopes.delete('statuses: write')
    const { memory } = memoryOf(scene, { event: pushBy('octocat'), inputs: PROMPT })
    await memory.begin('job_1', '', 'The docs agent is working')
    await memory.end('success', OUTCOME)
    const lines = scene.logged()
    expect(lines.filter((line) => !line.startsWith('save-state'))).toEqual([
      'notice: Failed to set the commit status by which the next run finds this job: GitHub returned 403 ("Resource not accessible by integration"). The job\'s `github-token` needs the permission `statuses: write` for this. Until it can be, the next run starts a new job and a new pull request.',
    ])
    expect(lines.findLast((line) => line.startsWith('save-state'))).toBe('save-state: {}')
    // A stray refusal would be over by the end.
    expect(scene.github.requests).toEqual([
      'POST /statuses/bbbbbbb pending',
      'POST /statuses/bbbbbbb success',
    ])
  })

  it('because of one stray refusal is set at the end', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /pending$/, end: '403' })
    const { memory } = memoryOf(scene, { event: pushBy('octocat'), inputs: PROMPT })
    await memory.begin('job_1', '', 'The docs agent is working')
    await memory.end('success', OUTCOME)
    expect(scene.world.statuses.map(({ state }) => state)).toEqual(['success'])
  })

  it('is no missing permission where it was set before', async () => {
    const scene = await newScene()
    const { memory } = memoryOf(scene, { event: pushBy('octocat'), inputs: PROMPT })
    await memory.begin('job_1', '', 'The docs agent is working')
    scene.github.faults.push({ match: /success$/, end: '403' })
    await memory.end('success', OUTCOME)
    const lines = scene.logged()
    expect(lines.find((line) => line.startsWith('notice'))).toBe(
      'notice: Failed to set the commit status by which the next run finds this job: GitHub returned 403 ("Forbidden"). The post step tries again.',
    )
    expect(lines.findLast((line) => line.startsWith('save-state'))).toContain('success')
  })
})

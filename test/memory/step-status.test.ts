import { describe, expect, it } from 'vitest'
import { statusDescription } from '../../src/memory/step-statuses.ts'
import { finishPendingStatus, StepMemory } from '../../src/memory/step-status.ts'
import { Run } from '../../src/runner/run.ts'
import { type Start, sceneStarter } from '../support/decisions.ts'
import { bareEvent, type Event, event, pullRequest, pushBy } from '../support/events.ts'
import { addCommit, BEFORE, type World } from '../support/world.ts'

const newScene = sceneStarter()
const PROMPT = { prompt: 'Document it.', 'ignore-authors': '' }
const RUN_URL = 'https://github.com/acme/docs/actions/runs/1001'
const PULL = 'https://github.com/acme/docs/pull/7'
const WORKING = ['pending', 'The docs agent is working (job_1)', RUN_URL]
const ELSEWHERE = 'https://git.example.com/acme/docs/-/merge_requests/7'

/** The memory of a run, by default of a push, and GitHub beside it. */
async function newMemory(change: Partial<Start> = {}) {
  const scene = await newScene()
  const { run, trigger } = scene.newRun({ event: pushBy('octocat'), inputs: PROMPT, ...change })
  if ('kind' in trigger) throw new Error(trigger.reason)
  const memory = new StepMemory(run, trigger)
  const begin = (prLink = '') => memory.begin('job_1', prLink, 'The docs agent is working')
  const end = () => memory.end('success', { headline: 'Pull request ready for review', prLink: PULL })
  /** Runs the post step, in a GitHub that has recovered. */
  async function post(state = savedIn(scene.logged())): Promise<void> {
    const { environment } = scene.newRun({ event: pushBy('octocat'), state: { pending: state } }).run
    await finishPendingStatus(new Run(environment, run, { isPost: true }))
  }
  return { ...scene, memory, begin, end, post }
}

/** What was saved for the post step last. */
function savedIn(logged: readonly string[]): string {
  return logged.findLast((line) => line.startsWith('save-state'))?.replace('save-state: ', '') ?? ''
}

/** What the statuses say, oldest first. */
function wordsOf({ statuses }: World): readonly unknown[] {
  return statuses.map(({ state, description, target_url }) => [state, description, target_url])
}

describe('the status of a step', () => {
  it.each([
    ['', '', RUN_URL],
    ['', PULL, PULL],
    [PULL, '', PULL],
    ['ssh://git.example.com/7', '', RUN_URL],
    [ELSEWHERE, PULL, ELSEWHERE],
  ])('is pending, and leads at its end to %j, else %j, else the run', async (prLink, known, target) => {
    const { world, github, memory, begin } = await newMemory()
    await begin(known)
    await memory.end('failure', { headline: 'Not finished within 30 min', prLink })
    expect(wordsOf(world)).toEqual([WORKING, ['failure', 'Not finished within 30 min (job_1)', target]])
    expect(world.statuses[1]?.context).toBe('Docs agent: docs (docs.yml, docs, agent)')
    expect(github.requests).toEqual(['POST /statuses/bbbbbbb pending', 'POST /statuses/bbbbbbb failure'])
  })

  const HEAD = { head: { sha: 'd'.repeat(40) } }
  const CLOSED = { ...HEAD, merged: false, merge_commit_sha: 'c'.repeat(40) }
  it.each<[string, Event, string]>([
    ['schedule', bareEvent('schedule'), 'aaaaaaa'],
    ['release', event('release'), 'aaaaaaa'],
    ['pull_request', pullRequest({ action: 'synchronize', pull: HEAD }), 'ddddddd'],
    ['pull_request, merged', pullRequest({ action: 'closed', pull: { ...CLOSED, merged: true } }), 'ccccccc'],
    ['pull_request, closed', pullRequest({ action: 'closed', pull: CLOSED }), 'ddddddd'],
  ])('stands on the commit of a %s', async (_name, made, sha) => {
    const { world, github, begin } = await newMemory({ event: made, env: { GITHUB_SHA: BEFORE } })
    for (const letter of 'cd') addCommit(world, { sha: letter.repeat(40), branch: null })
    await begin()
    expect(github.requests).toEqual([`POST /statuses/${sha} pending`])
  })

  it.each<[string, Event, Readonly<Record<string, string>>]>([
    ['with `follow-up: false`', pushBy('octocat'), { ...PROMPT, 'follow-up': 'false' }],
    ['in a dry run', pushBy('octocat'), { ...PROMPT, 'dry-run': 'true' }],
    ['without a prompt', pushBy('octocat'), { 'job-id': 'job_1', 'ignore-authors': '' }],
    ['on other events', event('deployment'), PROMPT],
    ['where the event names no commit', { name: 'pull_request', payload: {} }, PROMPT],
  ])('is not set %s', async (_what, made, inputs) => {
    const { github, logged, begin, end } = await newMemory({ event: made, inputs })
    await begin()
    await end()
    expect([...github.requests, ...logged()]).toEqual([])
  })

  it('is set with a `job-id`, without comments, and not for a job that was not accepted', async () => {
    const inputs = { ...PROMPT, 'job-id': 'job_1', comment: 'never' }
    const { github, begin, end } = await newMemory({ inputs })
    await end()
    expect(github.requests).toEqual([])
    await begin()
    expect(github.requests).toHaveLength(1)
  })

  it('ends last, however slow GitHub is', async () => {
    const { world, github, begin, end } = await newMemory()
    github.faults.push({ match: /pending$/, end: { delayMs: 50 } })
    await Promise.all([begin(), end()])
    expect(world.statuses.map(({ state }) => state)).toEqual(['pending', 'success'])
  })
})

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
])('the description of %j and %j is cut to fit', (headline, jobId, description) => {
  expect(statusDescription(headline, jobId)).toBe(description)
})

describe('a status that the main step could not end', () => {
  it('of a run that was killed is ended by the post step, which waits for up to a minute', async () => {
    const { world, github, clock, logged, begin, post } = await newMemory()
    await begin(PULL)
    const saved = savedIn(logged())
    clock.at(clock.now() + 50_000, () => github.faults.splice(0))
    github.faults.push({ match: /statuses/, end: '502' })
    await post(saved)
    const interrupted = ['failure', 'Interrupted, the job is still running (job_1)', PULL]
    expect(wordsOf(world)).toEqual([WORKING, interrupted])
  })

  it('is left alone where it was ended', async () => {
    const { world, begin, end, post } = await newMemory()
    await begin()
    await end()
    await post()
    await post('')
    expect(world.statuses.map(({ state }) => state)).toEqual(['pending', 'success'])
  })

  const FAULTS = ['502', '429', 'secondary-limit', 'reset', 'html', '401', '403', '404'] as const
  it.each(FAULTS)('is ended by the post step, since GitHub answered %s', async (fault) => {
    const { world, github, logged, begin, end, post } = await newMemory()
    await begin()
    github.faults.push({ match: /success$/, end: fault })
    await end()
    const lines = logged()
    expect(lines.find((line) => line.startsWith('notice'))).toMatch(/The post step tries again\.$/)
    expect(lines.join()).not.toContain('needs the permission')
    github.faults.length = 0
    await post(savedIn(lines))
    expect(wordsOf(world).at(-1)).toEqual(['success', 'Pull request ready for review (job_1)', PULL])
  })
})

describe('a status that the token may not set', () => {
  it('costs one notice that says what is lost, and nothing else', async () => {
    const { world, github, logged, begin, end } = await newMemory()
    world.scopes.delete('statuses: write')
    await begin()
    await end()
    const lines = logged()
    expect(lines.filter((line) => !line.startsWith('save-state'))).toEqual([
      `notice: Failed to set the commit status by which the next run finds this job: GitHub returned 403 ("Resource not accessible by integration"). The job's \`github-token\` needs the permission \`statuses: write\` for this. Until it has that, each run starts a new job and a new pull request.`,
    ])
    expect(savedIn(lines)).toBe('{}')
    // A stray refusal would be over by the end.
    expect(github.requests).toEqual(['POST /statuses/bbbbbbb pending', 'POST /statuses/bbbbbbb success'])
  })

  it.each([
    ['no token', { 'github-token': '' }, 0],
    ['a token that GitHub refuses', {}, 2],
  ])('for %s is not left to the post step', async (_what, inputs, requests) => {
    const { github, logged, begin, end } = await newMemory({ inputs: { ...PROMPT, ...inputs } })
    github.faults.push({ match: /./, end: '401' })
    await begin()
    await end()
    const lines = logged()
    expect(lines.filter((line) => !line.startsWith('save-state'))).toEqual([
      expect.stringMatching(/^notice: Failed to set the commit status .*`github-token`/),
    ])
    expect(lines.join()).not.toContain('The post step')
    expect(savedIn(lines)).toBe('{}')
    expect(github.requests).toHaveLength(requests)
  })

  it('because of one stray refusal is set at the end', async () => {
    const { world, github, begin, end } = await newMemory()
    github.faults.push({ match: /pending$/, end: '403' })
    await begin()
    await end()
    expect(world.statuses.map(({ state }) => state)).toEqual(['success'])
  })
})

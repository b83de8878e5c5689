import { describe, expect, it } from 'vitest'
import { statusDescription } from '../../src/memory/status.ts'
import { bareEvent, type Event, event, pullRequest, pushBy } from '../support/events.ts'
import type { FaultName, GitHubFault } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { addCommit, person, type World } from '../support/world.ts'

const RUN_URL = 'https://github.com/acme/docs/actions/runs/1001'
const PULL = 'https://github.com/acme/guides/pull/7'
const ELSEWHERE = 'https://git.example.com/acme/docs/-/merge_requests/7'
const WORKING = ['pending', 'The docs agent is working (j1)', RUN_URL]
const READY = ['success', 'Pull request ready for review (j1)', PULL]
const completed = (prLink = PULL): Reply => ({ body: { status: 'completed', prLink } })

/** A GitHub, and a run by default of a push whose job is active, then completed with a pull request. */
async function newStep({ get = ['active', completed()] }: { readonly get?: readonly Reply[] } = {}) {
  const scene = await startHarness({ docsIn: 'acme/guides', replies: { get } })
  const inputs = { prompt: 'Document it.', context: 'none', 'ignore-authors': '' }
  return {
    ...scene,
    run: (options: RunOptions = {}) =>
      scene.run({ event: pushBy('octocat'), ...options, inputs: { ...inputs, ...options.inputs } }),
  }
}

/** What the statuses say, oldest first. */
function wordsOf({ statuses }: World): readonly unknown[] {
  return statuses.map(({ state, description, target_url }) => [state, description, target_url])
}

const setting = (lines: readonly string[]): string[] => lines.filter((line) => line.includes('/statuses/'))

describe('the status of a step', () => {
  it.each<[Reply, unknown]>([
    [completed(), READY],
    [completed(ELSEWHERE), ['success', 'Pull request ready for review (j1)', ELSEWHERE]],
    [{ body: { status: 'failed' } }, ['failure', "The agent's job failed (j1)", RUN_URL]],
    ['completed', ['success', 'Completed without a pull request (j1)', RUN_URL]],
  ])('is pending, and after %j ends as %j', async (reply, words) => {
    const { world, run } = await newStep({ get: [reply] })
    expect(setting((await run()).requests)).toHaveLength(2)
    expect(wordsOf(world)).toEqual([WORKING, words])
    expect(world.statuses[1]?.context).toBe('Docs agent: docs (docs.yml, docs, agent)')
  })

  const HEAD = { head: { sha: 'd'.repeat(40) } }
  const CLOSED = { ...HEAD, merged: false, merge_commit_sha: 'c'.repeat(40) }
  it.each<[string, Event, string]>([
    ['push', pushBy('octocat'), 'bbbbbbb'],
    ['schedule', bareEvent('schedule'), 'aaaaaaa'],
    ['release', event('release'), 'aaaaaaa'],
    ['pull_request', pullRequest({ action: 'synchronize', pull: HEAD }), 'ddddddd'],
    ['merged pull_request', pullRequest({ action: 'closed', pull: { ...CLOSED, merged: true } }), 'ccccccc'],
    [
      'closed pull_request',
      pullRequest({ action: 'closed', pull: CLOSED, sender: person('octocat') }),
      'ddddddd',
    ],
  ])('is set on the commit of a %s', async (_name, made, sha) => {
    const { world, run } = await newStep()
    for (const letter of 'cd') addCommit(world, { sha: letter.repeat(40), branch: null })
    world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    const end = await run({ event: made, sha: 'a'.repeat(40) })
    expect(setting(end.requests)).toEqual([`POST /statuses/${sha} pending`, `POST /statuses/${sha} success`])
  })

  it.each<[string, RunOptions]>([
    ['with `follow-up: false`', { inputs: { 'follow-up': 'false' } }],
    ['in a dry run', { inputs: { 'dry-run': 'true' } }],
    ['without a prompt', { inputs: { prompt: '', 'job-id': 'job_1' } }],
    ['on other events', { event: event('deployment') }],
  ])('is not set %s', async (_what, options) => {
    const { run } = await newStep()
    expect(setting((await run(options)).requests)).toEqual([])
  })

  it('is set with a `job-id`, without comments, and not for a job that was not accepted', async () => {
    const { run, world } = await newStep()
    const refused = await run({ replies: { post: [{ status: 402 }] } })
    expect([refused.hasFailed, wordsOf(world)]).toEqual([true, []])
    await run({ inputs: { 'job-id': 'job_1', comment: 'never' }, replies: { get: [completed()] } })
    expect(world.statuses.map(({ state }) => state)).toEqual(['pending', 'success'])
  })

  it('ends last, however slow GitHub is', async () => {
    const { world, github, run } = await newStep({ get: ['completed'] })
    github.faults.push({ match: /pending$/, end: { delayMs: 9000 } })
    await run()
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
    const { world, github, clock, run } = await newStep()
    await run({
      killAtMs: 6000,
      beforePost() {
        github.faults.push({ match: /statuses/, end: '502' })
        clock.at(clock.now() + 50_000, () => github.faults.splice(0))
      },
    })
    const interrupted = ['failure', 'Interrupted, the job is still running (j1)', RUN_URL]
    expect(wordsOf(world)).toEqual([WORKING, interrupted])
  })

  const FAULTS: FaultName[] = ['502', '429', 'secondary-limit', 'reset', 'html', '401', '403', '404']
  it.each(FAULTS)('is ended by the post step, since GitHub answered %s', async (fault) => {
    const { world, github, run } = await newStep()
    github.faults.push({ match: /success$/, end: fault })
    const end = await run({ beforePost: () => github.faults.splice(0) })
    expect(end.log.join('\n')).toMatch(/^notice: Failed to set .*The post step tries again\.$/m)
    expect(end.printed).not.toContain('needs the permission')
    expect(setting(end.post.requests)).toEqual(['POST /statuses/bbbbbbb success'])
    expect(wordsOf(world).at(-1)).toEqual(READY)
  })
})

describe('a status that the token may not set', () => {
  it('costs one notice that says what is lost, and nothing else', async () => {
    const { world, run } = await newStep()
    world.scopes.delete('statuses: write')
    const { log, requests, post } = await run()
    expect(log.filter((line) => /status/.test(line))).toEqual([
      'notice: Failed to read the commits\' statuses and pull requests: GitHub returned "Resource not accessible by integration". The job\'s `github-token` needs the permission `statuses: write` for this. Until it has that, each run starts a new job and a new pull request.',
      'Failed to set the commit status by which the next run finds this job, for the same reason.',
    ])
    // A stray refusal would be over by the end.
    expect(setting(requests)).toEqual(['POST /statuses/bbbbbbb success'])
    expect(post.requests).toEqual([])
  })

  it.each<[string, Record<string, string>, GitHubFault[]]>([
    ['no token', { 'github-token': '' }, []],
    ['a token that GitHub refuses', {}, [{ match: /./, end: '401' }]],
  ])('for %s is not left to the post step', async (_what, inputs, faults) => {
    const { github, run } = await newStep()
    github.faults.push(...faults)
    const { log, post } = await run({ inputs })
    expect(log.join('\n')).toMatch(/`github-token`/)
    expect(log.join('\n')).not.toContain('The post step')
    expect(post.requests).toEqual([])
  })

  it('because of one stray refusal is set at the end', async () => {
    const { world, github, run } = await newStep()
    github.faults.push({ match: /pending$/, end: '403' })
    await run()
    expect(wordsOf(world)).toEqual([READY])
  })
})

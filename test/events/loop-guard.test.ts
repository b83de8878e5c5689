import { describe, expect, it } from 'vitest'
import { sceneStarter } from '../support/decisions.ts'
import { bot, type Event, event, person, pullRequest, pushBy, pushOf, pushTo } from '../support/events.ts'
import { AGENT, addPull, mergePull, type Pull, pushToPull, type World } from '../support/world.ts'

const newScene = sceneStarter()
// Neither context nor memory: the only request is the loop guard's.
const PROMPT = { prompt: 'Document it.', context: 'none', 'follow-up': 'false' }
const ASKED = ['POST /graphql History']
const octocat = person('octocat')

/** The push by which a person merges a pull request into `main`; GitHub names that person as the author, too. */
function merge(world: World, pull: Pull, how: 'merge' | 'squash' | 'rebase'): Event {
  const before = world.branches.get('main') ?? ''
  mergePull(world, pull, { how })
  const { name, payload } = pushOf(world, before)
  const commits = (payload.commits ?? []).map((commit) => {
    const isOnBranch = pull.commits.includes(commit.id ?? '')
    return isOnBranch ? commit : { ...commit, author: { username: 'octocat' } }
  })
  return { name, payload: { ...payload, commits } }
}

describe("the agent's merged pull request starts nothing", () => {
  it.each(['merge', 'squash', 'rebase'] as const)('by a %s, told in one request', async (how) => {
    const { world, decide } = await newScene()
    const pull = addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] })
    const decision = await decide({ event: merge(world, pull, how), inputs: PROMPT })
    expect(decision).toMatchObject({
      result: 'skipped (notice)',
      reason:
        'Skipped: every commit of this push was written by mintlify[bot] or came in a merged pull request of that account (`ignore-authors`).',
      requests: ASKED,
      logged: [],
    })
  })

  it.each(['merge', 'squash'] as const)(
    'by a %s of which the index knows nothing yet: its number stands in the subject',
    async (how) => {
      const { world, clock, decide } = await newScene()
      const pull = addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] })
      pull.indexedAtMs = clock.now() + 60_000
      expect(await decide({ event: merge(world, pull, how), inputs: PROMPT })).toMatchObject({
        result: 'skipped (notice)',
        requests: ASKED,
      })
    },
  )

  it("with a person's commit on its branch", async () => {
    const { world, decide } = await newScene()
    const pull = addPull(world, { number: 7, user: AGENT })
    pushToPull(world, pull)
    expect((await decide({ event: merge(world, pull, 'merge'), inputs: PROMPT })).result).toBe(
      'skipped (notice)',
    )
  })

  it.each(['mintlify', 'Mintlify[bot]', 'a, mintlify[BOT]'])('of the account as %j', async (authors) => {
    const { world, decide } = await newScene()
    const pull = addPull(world, { number: 7, user: AGENT })
    const inputs = { ...PROMPT, 'ignore-authors': authors }
    expect((await decide({ event: merge(world, pull, 'squash'), inputs })).result).toBe('skipped (notice)')
  })
})

describe("the agent's own commits and pull requests start nothing, without a request", () => {
  const agent = (author: object | undefined): Event => {
    const { name, payload } = pushBy('x')
    return { name, payload: { ...payload, commits: [{ ...payload.commits?.[0], author }] } }
  }
  const MINTLIFY = 'every commit of this push was written by mintlify[bot] (`ignore-authors`)'

  it.each<[string, Event, string]>([
    ['a commit', pushBy('mintlify[bot]'), MINTLIFY],
    ['twenty commits', pushBy(...Array.from({ length: 20 }, () => 'mintlify[bot]')), MINTLIFY],
    ['commits under two names', pushBy('mintlify[bot]', 'Mintlify'), MINTLIFY],
    [
      'a commit known by its address',
      agent({ email: '109931778+mintlify[bot]@users.noreply.github.com' }),
      MINTLIFY,
    ],
    [
      'a commit known by its address on another server',
      agent({ email: 'mintlify[bot]@users.noreply.ghe.example.com' }),
      MINTLIFY,
    ],
    [
      'a pull request',
      pullRequest({ author: bot('Mintlify[bot]') }),
      'mintlify[bot] opened this pull request (`ignore-authors`)',
    ],
    [
      'a pull request from a fork',
      pullRequest({ author: AGENT, from: 'mintlify/docs' }),
      'mintlify[bot] opened this pull request (`ignore-authors`)',
    ],
    [
      'a pull request on pull_request_target',
      { ...pullRequest({ author: AGENT }), name: 'pull_request_target' },
      'mintlify[bot] opened this pull request (`ignore-authors`)',
    ],
  ])('as %s', async (_what, made, reason) => {
    const { decide } = await newScene()
    const decision = await decide({ event: made, inputs: PROMPT })
    expect(decision).toMatchObject({
      result: 'skipped (notice)',
      reason: `Skipped: ${reason}.`,
      requests: [],
    })
  })

  it('as commits of several of them, by name', async () => {
    const { decide } = await newScene()
    const inputs = { ...PROMPT, 'ignore-authors': 'renovate, mintlify[bot]' }
    const decision = await decide({ event: pushBy('mintlify[bot]', 'renovate[bot]'), inputs })
    expect(decision.reason).toContain('was written by mintlify[bot], renovate (`ignore-authors`)')
  })

  it.each<[object | undefined]>([
    [{ username: 'octocat', email: '1+mintlify[bot]@users.noreply.github.com' }],
    [{ email: 'octocat@example.com' }],
    [{ name: 'mintlify[bot]' }],
    [{}],
    [undefined],
  ])('but not where the author is %j', async (author) => {
    const { decide } = await newScene()
    expect((await decide({ event: agent(author), inputs: PROMPT })).result).toBe('goes on')
  })
})

describe("people's work starts a job", () => {
  it.each<[string, (world: World, pull: Pull) => Event]>([
    ['a commit whose subject names no pull request', (world) => pushTo(world, { message: 'Add a flag' })],
    [
      'a commit that names an open pull request of the agent',
      (world) => pushTo(world, { message: 'Add a flag (#7)' }),
    ],
    [
      "a commit that names the agent's pull request, merged as another commit",
      (world, pull) => {
        mergePull(world, pull, { how: 'squash' })
        return pushTo(world, { message: 'Go on with the flag (#7)' })
      },
    ],
    [
      'a commit that only quotes its number',
      (world, pull) => {
        mergePull(world, pull, { how: 'squash' })
        return pushTo(world, { message: 'Revert "Update the docs (#7)"\n\nMerge pull request #7 from x' })
      },
    ],
    [
      'a commit that names an issue',
      (world) => {
        world.issues.add(8)
        return pushTo(world, { message: 'Fix the flag (#8)' })
      },
    ],
    ['a commit that names a number of nothing', (world) => pushTo(world, { message: 'Fix it (#999999999)' })],
    [
      "a person's merged pull request",
      (world) => merge(world, addPull(world, { number: 9, user: octocat }), 'squash'),
    ],
    [
      "a person's commit beside the agent's merged pull request",
      (world, pull) => {
        const before = world.branches.get('main') ?? ''
        pushTo(world, { message: 'Add a flag' })
        mergePull(world, pull, { how: 'squash' })
        return pushOf(world, before)
      },
    ],
  ])('as %s', async (_what, make) => {
    const { world, decide } = await newScene()
    const made = make(world, addPull(world, { number: 7, user: AGENT }))
    const decision = await decide({ event: made, inputs: PROMPT })
    expect(decision).toMatchObject({ result: 'goes on', requests: ASKED, logged: [] })
  })

  it.each<[string, object]>([
    ['a tag', { ref: 'refs/tags/v1', created: true }],
    ['a tag that was moved', { ref: 'refs/tags/v1' }],
    ['a new branch', { created: true }],
    ['a push without commits', { commits: [] }],
  ])('as %s, without a request', async (_what, change) => {
    const { decide } = await newScene()
    const { name, payload } = pushBy('mintlify[bot]')
    const decision = await decide({ event: { name, payload: { ...payload, ...change } }, inputs: PROMPT })
    expect(decision).toMatchObject({ result: 'goes on', requests: [] })
  })

  const WRITER = { ...PROMPT, command: '', 'allow-bots': 'mintlify[bot]' }
  it.each<[string, Event]>([
    ['a push of 21 commits', pushBy(...Array.from({ length: 21 }, () => 'mintlify[bot]'))],
    ['a release', event('release', { sender: AGENT })],
    ['an event that only looks like a push', { ...pushBy('mintlify[bot]'), name: 'repository_dispatch' }],
    [
      "a review of the agent's pull request",
      { ...pullRequest({ author: AGENT, sender: AGENT }), name: 'pull_request_review' },
    ],
    [
      'a pull request that says nothing of itself',
      { name: 'pull_request_target', payload: { sender: AGENT } },
    ],
  ])('as %s, without a request', async (_what, made) => {
    const { decide } = await newScene()
    expect(await decide({ event: made, inputs: WRITER })).toMatchObject({ result: 'goes on', requests: [] })
  })

  it.each([
    ['waits for a job', { 'job-id': 'job_1' }, 'goes on'],
    ['ignores nobody', { ...PROMPT, 'ignore-authors': '' }, 'goes on'],
    ['makes a report alone', { 'visitors-summary': 'true' }, 'skipped (notice)'],
    ['sends a message to a job', { ...PROMPT, 'job-id': 'job_1' }, 'skipped (notice)'],
  ])('where a run %s: %j %s', async (_what, inputs, result) => {
    const { world, decide } = await newScene()
    const merged = merge(world, addPull(world, { number: 7, user: AGENT }), 'squash')
    const opened = pullRequest({ author: AGENT, action: 'synchronize' })
    for (const made of [merged, pushBy('mintlify[bot]'), opened]) {
      const decision = await decide({ event: made, inputs })
      expect(decision.result).toBe(result)
      if (result === 'goes on') expect(decision.requests).toEqual([])
    }
  })

  it('where GitHub can not be asked, with a warning that names the cause', async () => {
    const { world, github, decide } = await newScene()
    const made = merge(world, addPull(world, { number: 7, user: AGENT }), 'merge')
    github.faults.push({ match: /graphql/, end: '502' })
    expect(await decide({ event: made, inputs: PROMPT })).toMatchObject({
      result: 'goes on',
      logged: [
        'warning: Failed to read the commits\' statuses and pull requests: GitHub returned 502 ("Server Error"). A commit of unknown origin counts as a person\'s (`ignore-authors`).',
      ],
    })
  })

  it('where the token may not read pull requests, with a warning that names the permission', async () => {
    const { world, decide } = await newScene()
    world.scopes.delete('pull-requests: write')
    const made = merge(world, addPull(world, { number: 7, user: AGENT }), 'merge')
    const { result, logged } = await decide({ event: made, inputs: PROMPT })
    expect(result).toBe('goes on')
    expect(logged).toEqual([expect.stringMatching(/^warning: .*`pull-requests: read`.*counts as a person's/)])
  })

  it('unless a part of the answer fails that is not needed', async () => {
    const { world, github, decide } = await newScene()
    const made = merge(world, addPull(world, { number: 7, user: AGENT }), 'squash')
    github.faults.push({ match: /graphql/, end: { broken: 'associatedPullRequests' } })
    expect((await decide({ event: made, inputs: PROMPT })).result).toBe('skipped (notice)')
  })
})

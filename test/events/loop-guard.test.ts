import { describe, expect, test } from 'vitest'
import { sceneStarter } from '../support/decisions.ts'
import { bot, type Event, event, person, pullRequest, pushBy, pushOf, pushTo } from '../support/events.ts'
import { AGENT, addPull, mergePull, type Pull, pushToPull, type World } from '../support/world.ts'

// With pull request 7 of the agent where a test names it.
const it = test
  .extend('scene', sceneStarter())
  .extend('world', ({ scene }) => scene.world)
  .extend('decide', ({ scene: { decide } }) => {
    return (made: Event, inputs = PROMPT) => decide({ event: made, inputs })
  })
  .extend('pull', ({ world }) => addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] }))
// Neither context nor memory: the only request is the loop guard's.
type Inputs = Readonly<Record<string, string>>
const PROMPT: Inputs = { prompt: 'Document it.', context: 'none', 'follow-up': 'false' }
const ASKED = ['POST /graphql MergedPulls']

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

/** A push by the agent, with other fields. */
const agentPush = (change: object): Event => {
  const { name, payload } = pushBy('mintlify[bot]')
  return { name, payload: { ...payload, ...change } }
}
/** A push of one commit with this author. */
const byAuthor = (author: object | undefined): Event => {
  const [commit] = pushBy('x').payload.commits ?? []
  return agentPush({ commits: [{ ...commit, author }] })
}

describe("the agent's merged pull request starts nothing", () => {
  const reason =
    'Skipped: every commit of this push was written by mintlify[bot] or came in a merged pull request of that account (`ignore-authors`).'
  const skipped = { result: 'skipped (notice)', reason, requests: ASKED, logged: [] }

  it.for(['merge', 'squash', 'rebase'] as const)('by a %s', async (how, { world, decide, pull }) => {
    expect(await decide(merge(world, pull, how))).toMatchObject(skipped)
  })

  it.for(['merge', 'squash'] as const)('by a %s that no index has', async (how, { world, decide, pull }) => {
    pull.indexedAtMs = world.now() + 60_000
    expect(await decide(merge(world, pull, how))).toMatchObject(skipped)
  })

  it.for(['mintlify', 'Mintlify[bot]', 'a, mintlify[BOT]'])('of %j', async (by, { world, decide, pull }) => {
    // A person's commit on its branch is a part of it.
    pushToPull(world, pull)
    const inputs = { ...PROMPT, 'ignore-authors': by }
    expect((await decide(merge(world, pull, 'merge'), inputs)).result).toBe('skipped (notice)')
  })

  it('where a part of the answer fails that is not needed', async ({ scene, decide, pull }) => {
    const made = merge(scene.world, pull, 'squash')
    scene.github.faults.push({ match: /graphql/, end: { broken: 'associatedPullRequests' } })
    expect((await decide(made)).result).toBe('skipped (notice)')
  })
})

describe("the agent's own commits and pull requests start nothing, without a request", () => {
  const COMMITS = 'every commit of this push was written by mintlify[bot] (`ignore-authors`)'
  const SEVERAL = 'every commit of this push was written by mintlify[bot], renovate (`ignore-authors`)'
  const OPENED = 'mintlify[bot] opened this pull request (`ignore-authors`)'
  const target = { ...pullRequest({ author: AGENT }), name: 'pull_request_target' }

  it.for<[string, Event, string, string?]>([
    ['a commit', pushBy('mintlify[bot]'), COMMITS],
    ['twenty commits', pushBy(...Array.from({ length: 20 }, () => 'mintlify[bot]')), COMMITS],
    ['commits under two names', pushBy('mintlify[bot]', 'Mintlify'), COMMITS],
    ['commits of several', pushBy('mintlify[bot]', 'renovate[bot]'), SEVERAL, 'renovate, mintlify[bot]'],
    ['a commit by its address', byAuthor({ email: '12+mintlify[bot]@users.noreply.github.com' }), COMMITS],
    ['one on another server', byAuthor({ email: 'mintlify[bot]@users.noreply.ghe.example.com' }), COMMITS],
    ['a pull request', pullRequest({ author: bot('Mintlify[bot]') }), OPENED],
    ['a pull request from a fork', pullRequest({ author: AGENT, from: 'mintlify/docs' }), OPENED],
    ['a pull request on pull_request_target', target, OPENED],
  ])('as %s', async ([_what, made, reason, authors = 'mintlify[bot]'], { decide }) => {
    const decision = await decide(made, { ...PROMPT, 'ignore-authors': authors })
    const skipped = { result: 'skipped (notice)', reason: `Skipped: ${reason}.`, requests: [] }
    expect(decision).toMatchObject(skipped)
  })
})

describe("people's work starts a job", () => {
  const mergedAs7 = (message: string) => (world: World, pull: Pull) => {
    mergePull(world, pull, { how: 'squash' })
    return pushTo(world, { message })
  }
  const withMessage = (message: string) => (world: World) => pushTo(world, { message })

  it.for<[string, (world: World, pull: Pull) => Event]>([
    ['a commit whose subject names no pull request', withMessage('Add a flag')],
    ['one that names an open pull request of the agent', withMessage('Add a flag (#7)')],
    ["one that names the agent's pull request, merged as another", mergedAs7('Go on with the flag (#7)')],
    ['one that quotes its number', mergedAs7('Revert "Update (#7)"\n\nMerge pull request #7 from x')],
    ['one that names an issue', withMessage('Fix the flag (#8)')],
    ['one that names a number of nothing', withMessage('Fix it (#999999999)')],
    [
      "a person's merged pull request",
      (world) => merge(world, addPull(world, { number: 9, user: person('octocat') }), 'squash'),
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
  ])('as %s', async ([_what, make], { world, decide, pull }) => {
    world.issues.add(8)
    const decision = await decide(make(world, pull))
    expect(decision).toMatchObject({ result: 'goes on', requests: ASKED, logged: [] })
  })

  it.for([
    { username: 'octocat', email: '1+mintlify[bot]@users.noreply.github.com' },
    { email: 'octocat@example.com' },
    { email: 'x@mintlify[bot]@users.noreply.github.com' },
    { name: 'mintlify[bot]' },
    undefined,
  ])('as a commit whose author is %j', async (author, { decide }) => {
    expect((await decide(byAuthor(author))).result).toBe('goes on')
  })

  const opened = pullRequest({ author: AGENT, sender: AGENT })
  const target = (payload: object): Event => ({ name: 'pull_request_target', payload })
  const nobodys = target({ sender: AGENT, pull_request: { user: null } })
  it.for<[string, Event]>([
    ['a tag', agentPush({ ref: 'refs/tags/v1', created: true })],
    ['a tag that was moved', agentPush({ ref: 'refs/tags/v1' })],
    ['a new branch', agentPush({ created: true })],
    ['a push without commits', agentPush({ commits: [] })],
    ['a push that names no branch', agentPush({ ref: null })],
    ['a push of 21 commits', pushBy(...Array.from({ length: 21 }, () => 'mintlify[bot]'))],
    ['a release', event('release', { sender: AGENT })],
    ['an event that only looks like a push', { ...pushBy('mintlify[bot]'), name: 'repository_dispatch' }],
    ["a review of the agent's pull request", { ...opened, name: 'pull_request_review' }],
    ['a pull request of a deleted account', nobodys],
    ['a pull request that says nothing', target({ sender: AGENT })],
  ])('as %s, without a request', async ([_what, made], { decide }) => {
    const inputs = { ...PROMPT, command: '', 'allow-bots': 'mintlify[bot]' }
    expect(await decide(made, inputs)).toMatchObject({ result: 'goes on', requests: [] })
  })

  it.for<[string, Inputs, string]>([
    ['waits for a job', { 'job-id': 'job_1' }, 'goes on'],
    ['ignores nobody', { ...PROMPT, 'ignore-authors': '' }, 'goes on'],
    ['makes a report alone', { 'visitors-summary': 'true' }, 'skipped (notice)'],
    ['sends a message to a job', { ...PROMPT, 'job-id': 'job_1' }, 'skipped (notice)'],
  ])('where a run %s: %j %s', async ([_what, inputs, result], { world, decide, pull }) => {
    const merged = merge(world, pull, 'squash')
    const pushed = pullRequest({ author: AGENT, action: 'synchronize' })
    for (const made of [merged, pushBy('mintlify[bot]'), pushed]) {
      const decision = await decide(made, inputs)
      expect(decision).toMatchObject({ result, ...(result === 'goes on' && { requests: [] }) })
    }
  })

  it('where GitHub can not be asked, with the cause in a warning', async ({ scene, decide, pull }) => {
    const made = merge(scene.world, pull, 'merge')
    scene.github.faults.push({ match: /graphql/, end: '502' })
    const warning =
      'warning: Failed to read the commits\' pull requests: GitHub returned 502 ("Server Error"). A commit of unknown origin counts as a person\'s (`ignore-authors`).'
    expect(await decide(made)).toMatchObject({ result: 'goes on', logged: [warning] })
  })

  it('where the token may not read them, with a warning that says so', async ({ world, decide, pull }) => {
    world.scopes.delete('pull-requests: write')
    const { result, logged } = await decide(merge(world, pull, 'merge'))
    expect(result).toBe('goes on')
    expect(logged).toEqual([expect.stringMatching(/^warning: .*`pull-requests: read`.*counts as a person's/)])
  })
})

import { describe, expect, test } from 'vitest'
import { bot, type Event, event, person, pullRequest, pushBy, pushOf, pushTo } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, mergePull, type Pull, pushToPull, type World } from '../support/world.ts'

// With pull request 7 of the agent where a test names it.
const it = test
  .extend('scene', () => startHarness())
  .extend('world', ({ scene }) => scene.world)
  .extend('decide', ({ scene: { run } }) => {
    return (made: Event, inputs = PROMPT) => run({ event: made, inputs: { 'dry-run': 'true', ...inputs } })
  })
  .extend('pull', ({ world }) => addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] }))
// Neither context nor memory: the only request is the loop guard's. A dry run shows how it decides.
type Inputs = Readonly<Record<string, string>>
const PROMPT: Inputs = { prompt: 'Document it.', context: 'none', 'follow-up': 'false' }
const ASKED = ['POST /graphql MergedPulls']
const SKIPPED = { outputs: { result: 'skipped' } }
const STARTS = { outputs: { result: 'dry-run' } }

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
  const line =
    'notice: Skipped: every commit of this push was written by mintlify[bot] or came in a merged pull request of that account (`ignore-authors`).'
  const skipped = { outputs: { result: 'skipped' }, log: [line], requests: ASKED }

  it.for(['merge', 'squash', 'rebase'] as const)(
    'a %s of a pull request of the agent skips the run',
    async (how, { world, decide, pull }) => {
      expect(await decide(merge(world, pull, how))).toMatchObject(skipped)
    },
  )

  it.for(['merge', 'squash'] as const)(
    'a %s of the agent that no index has yet skips the run',
    async (how, { world, decide, pull }) => {
      pull.indexedAtMs = world.now() + 60_000
      expect(await decide(merge(world, pull, how))).toMatchObject(skipped)
    },
  )

  it.for(['mintlify', 'Mintlify[bot]', 'a, mintlify[BOT]'])(
    'the agent is known as one of `ignore-authors: %s`',
    async (by, { world, decide, pull }) => {
      // A person's commit on its branch is a part of it.
      pushToPull(world, pull)
      const inputs = { ...PROMPT, 'ignore-authors': by }
      expect(await decide(merge(world, pull, 'merge'), inputs)).toMatchObject(SKIPPED)
    },
  )

  it('the loop guard does without a part of the response that it does not need', async ({
    scene,
    decide,
    pull,
  }) => {
    const made = merge(scene.world, pull, 'squash')
    scene.github.faults.push({ match: /graphql/, end: { broken: 'associatedPullRequests' } })
    expect(await decide(made)).toMatchObject(SKIPPED)
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
  ])(
    '%s of the agent skips the run without a request',
    async ([_what, made, reason, authors = 'mintlify[bot]'], { decide }) => {
      const decision = await decide(made, { ...PROMPT, 'ignore-authors': authors })
      expect(decision).toMatchObject({ ...SKIPPED, log: [`notice: Skipped: ${reason}.`], requests: [] })
    },
  )
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
  ])('%s starts a job', async ([_what, make], { world, decide, pull }) => {
    world.issues.add(8)
    const decision = await decide(make(world, pull))
    expect(decision).toMatchObject({ ...STARTS, requests: ASKED, warnings: [] })
  })

  it.for([
    { username: 'octocat', email: '1+mintlify[bot]@users.noreply.github.com' },
    { email: 'octocat@example.com' },
    { email: 'x@mintlify[bot]@users.noreply.github.com' },
    { name: 'mintlify[bot]' },
    undefined,
  ])('a commit whose author is %j starts a job', async (author, { decide }) => {
    expect(await decide(byAuthor(author))).toMatchObject(STARTS)
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
  ])('%s by the agent starts a job, without a request', async ([_what, made], { decide }) => {
    const inputs = { ...PROMPT, command: '', 'allow-bots': 'mintlify[bot]' }
    expect(await decide(made, inputs)).toMatchObject({ ...STARTS, requests: [] })
  })

  it.for<[string, Inputs, string]>([
    ['waits for a job', { 'job-id': 'job_1' }, 'dry-run'],
    ['ignores nobody', { ...PROMPT, 'ignore-authors': '' }, 'dry-run'],
    ['makes a report alone', { 'visitors-summary': 'true' }, 'skipped'],
    ['sends a message to a job', { ...PROMPT, 'job-id': 'job_1' }, 'skipped'],
  ])(
    'a run that %s ends on the work of the agent as it should: %j, %s',
    async ([_what, inputs, result], { world, decide, pull }) => {
      const merged = merge(world, pull, 'squash')
      const pushed = pullRequest({ author: AGENT, action: 'synchronize' })
      for (const made of [merged, pushBy('mintlify[bot]'), pushed]) {
        const decision = await decide(made, inputs)
        expect(decision).toMatchObject({ outputs: { result }, ...(result === 'dry-run' && { requests: [] }) })
      }
    },
  )
})

import { describe, expect, test } from 'vitest'
import { type Event, pullRequest, pushBy } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, pushToPull } from '../support/world.ts'
import { byAuthor, merge, OWN_WORK, PEOPLES_WORK, UNGUARDED } from './loop-guard.cases.ts'

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
  it.for(OWN_WORK)(
    '%s of the agent skips the run without a request',
    async ([_what, made, reason, authors = 'mintlify[bot]'], { decide }) => {
      const decision = await decide(made, { ...PROMPT, 'ignore-authors': authors })
      expect(decision).toMatchObject({ ...SKIPPED, log: [`notice: Skipped: ${reason}.`], requests: [] })
      const message = { 'job-id': 'job_1', 'prompt-file': 'a.md', 'ignore-authors': authors }
      expect(await decide(made, message)).toMatchObject(SKIPPED)
    },
  )
})

describe("people's work starts a job", () => {
  it.for(PEOPLES_WORK)('%s starts a job', async ([_what, make], { world, decide, pull }) => {
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
    expect(await decide(byAuthor(author))).toMatchObject({ ...STARTS, warnings: [] })
  })

  it.for(['xyz', [7]])('a push whose commits are %j starts a job', async (commits, { decide }) => {
    const made = pushBy('mintlify[bot]')
    const odd: Event = { ...made, payload: JSON.parse(JSON.stringify({ ...made.payload, commits })) }
    expect(await decide(odd)).toMatchObject(STARTS)
    expect(await decide(odd, { prompt: 'Document it.', 'ignore-authors': '' })).toMatchObject(STARTS)
  })

  it.for(UNGUARDED)('%s by the agent starts a job, without a request', async ([_what, made], { decide }) => {
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

import { describe, expect, test } from 'vitest'
import { type Event, person, pullRequest, pushBy, reviewComment } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, pushToPull } from '../support/world.ts'
import {
  byAuthor,
  LABELLED,
  merge,
  NOT_SKIPPED,
  OWN_WORK,
  PEOPLES_WORK,
  UNGUARDED,
} from './loop-guard.cases.ts'

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
  const line = 'notice: Skipped: every change of this push is by mintlify[bot] (`ignore-authors`).'
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

  it("a person's commit on its branch is a part of it", async ({ world, decide, pull }) => {
    pushToPull(world, pull)
    expect(await decide(merge(world, pull, 'merge'))).toMatchObject(SKIPPED)
  })

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
    { username: 'octocat', email: 'agent@mintlify.com' },
    { email: 'x@mintlify[bot]@users.noreply.github.com' },
    { name: 'mintlify[bot]' },
    undefined,
  ])('a commit whose author is %j starts a job', async (author, { decide }) => {
    expect(await decide(byAuthor(author))).toMatchObject({ ...STARTS, warnings: [] })
  })

  it.for(UNGUARDED)('%s by the agent starts a job, without a request', async ([_what, made], { decide }) => {
    const inputs = { ...PROMPT, command: '', 'allow-bots': 'mintlify[bot]' }
    expect(await decide(made, inputs)).toMatchObject({ ...STARTS, requests: [] })
  })

  it.for<[string, Inputs, string]>([
    ['waits for a job', { 'job-id': 'job_1' }, 'dry-run'],
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

describe('labels of `skip-labels`', () => {
  it.for(LABELLED)('%s with the label skips the run', async ([_what, make, reason], { world, decide }) => {
    const end = await decide(make(world))
    expect(end).toMatchObject({ ...SKIPPED, log: [expect.stringContaining(`notice: Skipped: ${reason}`)] })
  })

  it.for(NOT_SKIPPED)('%s goes on', async ([_what, make, inputs], { world, decide }) => {
    const { hasFailed, outputs } = await decide(make(world), { ...PROMPT, ...inputs })
    expect([hasFailed, outputs['result'] === 'skipped']).toEqual([false, false])
  })

  it('a command on a pull request with the label starts a job', async ({ world, decide }) => {
    const author = person('octocat')
    world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    const { name, payload } = reviewComment({ id: 5001, body: '/docs explain it', author })
    const pull = { ...payload.pull_request, labels: [{ name: 'no-docs' }] }
    expect(await decide({ name, payload: { ...payload, pull_request: pull } })).toMatchObject(STARTS)
  })

  it('labels that can not be read are none, with a warning', async ({ scene, decide }) => {
    const made = merge(
      scene.world,
      addPull(scene.world, { number: 9, labels: [{ name: 'no-docs' }] }),
      'squash',
    )
    scene.github.faults.push({ match: /graphql/, end: '502' })
    const warnings = [expect.stringContaining("These commits count as a person's")]
    expect(await decide(made)).toMatchObject({ ...STARTS, warnings })
  })
})

import { describe, expect, it } from 'vitest'
import { ownWorkIn } from '../../src/trigger/loop-guard.ts'
import { AFTER, bot, type Event, person, pullRequest, pushBy } from '../github/events.ts'
import { decisionStarter } from './decide.ts'

const push = (...authors: readonly object[]) => ({
  name: 'push',
  payload: { ref: 'refs/heads/main', commits: authors.map((author) => ({ id: 'x', author })) },
})

const agent = { username: 'mintlify[bot]' }

describe('the own work in a push', () => {
  it.each([
    [{ username: 'mintlify[bot]' }, true],
    [{ username: 'Mintlify' }, true],
    [{ email: '109931778+mintlify[bot]@users.noreply.github.com', name: 'x' }, true],
    [{ email: 'mintlify[bot]@users.noreply.ghe.example.com' }, true],
    [{ username: 'octocat', email: '1+mintlify[bot]@users.noreply.github.com' }, false],
    [{ name: 'mintlify[bot]' }, false],
    [{}, false],
  ])('%j: %s', (author, own) => {
    expect(ownWorkIn(push(author), ['mintlify[bot]']) !== undefined).toBe(own)
    expect(ownWorkIn(push(author, { username: 'octocat' }), ['mintlify[bot]'])).toBeUndefined()
  })

  it.each([
    [20, 'every commit of this push was written by mintlify[bot]'],
    [21, undefined],
  ])('of %i commits: %j', (count, reason) => {
    expect(ownWorkIn(push(...Array.from({ length: count }, () => agent)), ['mintlify'])).toBe(reason)
  })

  it.each([
    ['a tag', { ref: 'refs/tags/v1' }],
    ['a new branch', { created: true }],
    ['a deleted branch', { deleted: true, commits: [] }],
  ])('is none in %s', (_what, change) => {
    const { name, payload } = push(agent)
    expect(ownWorkIn({ name, payload: { ...payload, ...change } }, ['mintlify'])).toBeUndefined()
  })

  it('is none without commits, without authors, and in other events', () => {
    expect(ownWorkIn(push(), ['mintlify'])).toBeUndefined()
    expect(ownWorkIn(push(agent), [])).toBeUndefined()
    expect(ownWorkIn({ ...push({ username: 'a' }), name: 'schedule' }, ['a'])).toBeUndefined()
    expect(ownWorkIn({ name: 'pull_request', payload: {} }, ['a', ''])).toBeUndefined()
  })
})

const newScene = decisionStarter()
const PROMPT = { prompt: 'Document it.' }
const merged = { number: 4, user: bot('mintlify[bot]'), merged_at: '2026-08-01T00:00:00Z' }

/** SHA of a commit of `pushBy` that is not its head. */
const shaOf = (index: number): string => `${index}`.repeat(40)
const askedFor = (...shas: readonly string[]): string[] => shas.map((sha) => `GET /commits/${sha}/pulls`)

describe("the agent's own work", () => {
  it.each([
    ['a merge commit beside its commits', pushBy('mintlify[bot]', 'mintlify[bot]', 'octocat'), [AFTER]],
    ['a commit that its changes were squashed into', pushBy('octocat'), [AFTER]],
    ["a person's commit on its branch", pushBy('mintlify[bot]', 'octocat', 'hubot'), [shaOf(1), AFTER]],
  ])('starts nothing as a push of %s', async (_what, event, asked) => {
    const { github, decide } = await newScene()
    for (const sha of asked) github.world.pullsOfCommit.set(sha, [merged])
    const decision = await decide({ event, inputs: PROMPT })
    expect(decision).toMatchObject({ result: 'skipped (notice)', requests: askedFor(...asked) })
    expect(decision.reason).toBe(
      "Nothing to do: every commit of this push was written by mintlify[bot] or came in a merged pull request of that account, and `ignore-authors` keeps the agent's own work from starting it again.",
    )
  })

  it.each([
    [
      'a pull request',
      pullRequest({ author: bot('Mintlify[bot]') }),
      'Mintlify[bot] opened this pull request',
    ],
    [
      'a pull request from a fork',
      pullRequest({ author: bot('mintlify[bot]'), from: 'mintlify/docs' }),
      'mintlify[bot] opened this pull request',
    ],
    [
      'pull_request_target',
      { ...pullRequest({ author: bot('mintlify[bot]') }), name: 'pull_request_target' },
      'mintlify[bot] opened this pull request',
    ],
    [
      'a push of its commits alone',
      pushBy('mintlify[bot]', 'Mintlify'),
      'every commit of this push was written by mintlify[bot], Mintlify',
    ],
  ])('starts nothing as %s, without a request', async (_what, event, reason) => {
    const { decide } = await newScene()
    const decision = await decide({ event, inputs: PROMPT })
    expect(decision).toMatchObject({ result: 'skipped (notice)', requests: [] })
    expect(decision.reason).toContain(reason)
  })

  it('is known by any of the names that are given', async () => {
    const { github, decide } = await newScene()
    github.world.pullsOfCommit.set(AFTER, [{ ...merged, user: person('Docs-Bot') }])
    const inputs = { ...PROMPT, 'ignore-authors': 'a, docs-bot[bot]' }
    expect((await decide({ event: pushBy('octocat'), inputs })).result).toBe('skipped (notice)')
  })
})

/** A push of one commit of the agent's, changed. */
function agentPush(change: object): Event {
  const event = pushBy('mintlify[bot]')
  return { ...event, payload: { ...event.payload, ...change } }
}

describe("people's work starts a job", () => {
  const twentyOne = pushBy(...Array.from({ length: 21 }, () => 'mintlify[bot]'))

  it.each<[string, Event, readonly object[], readonly string[]]>([
    ["a person's pull request", pullRequest(), [], []],
    ["a person's commit before the agent's", pushBy('octocat', 'mintlify[bot]'), [merged], [shaOf(0)]],
    ["a person's commit after the agent's", pushBy('mintlify[bot]', 'octocat'), [], [AFTER]],
    ['a pull request that is not merged', pushBy('octocat'), [{ ...merged, merged_at: null }], [AFTER]],
    ['a merged one of a person', pushBy('octocat'), [{ ...merged, user: person('octocat') }], [AFTER]],
    ['a merged one of an account that is gone', pushBy('octocat'), [{ ...merged, user: null }], [AFTER]],
    ['a tag', agentPush({ ref: 'refs/tags/v1', created: true }), [merged], []],
    ['a tag that was moved', agentPush({ ref: 'refs/tags/v1' }), [merged], []],
    ['a new branch', agentPush({ created: true }), [merged], []],
    ['a push without commits', agentPush({ commits: [] }), [merged], []],
    ['a push of 21 commits', twentyOne, [merged], []],
  ])('as %s', async (_what, event, pulls, asked) => {
    const { github, decide } = await newScene()
    github.world.pullsOfCommit.set(AFTER, pulls)
    expect(await decide({ event, inputs: PROMPT })).toMatchObject({
      result: 'goes on',
      requests: askedFor(...asked),
    })
  })

  it.each([
    ['waits for a job', { 'job-id': 'job_1' }, 'goes on'],
    ['makes a report alone', { 'visitors-summary': 'true' }, 'skipped (notice)'],
    ['sends a message to it', { 'job-id': 'job_1', prompt: 'Go on.' }, 'skipped (notice)'],
    ['ignores nobody', { ...PROMPT, 'ignore-authors': '' }, 'goes on'],
  ])('where a run %s: %j %s', async (_what, inputs, result) => {
    const { github, decide } = await newScene()
    github.world.pullsOfCommit.set(AFTER, [merged])
    for (const event of [
      pullRequest({ author: bot('mintlify[bot]') }),
      pushBy('mintlify[bot]'),
      pushBy('octocat'),
    ]) {
      const decision = await decide({ event, inputs })
      expect(decision.result).toBe(result)
      if (result === 'goes on') expect(decision.requests).toEqual([])
    }
  })

  it('as a commit of which GitHub can not be asked', async () => {
    const { github, decide } = await newScene()
    github.world.pullsOfCommit.set(shaOf(0), [merged])
    github.faults.push({
      match: new RegExp(`${AFTER}/pulls$`),
      end: { status: 403, body: { message: 'No' } },
    })
    const event = pushBy('octocat', 'octocat')
    const decision = await decide({ event, inputs: PROMPT })
    expect(decision).toMatchObject({ result: 'goes on', requests: askedFor(shaOf(0), AFTER) })
    expect(decision.warnings).toEqual([expect.stringContaining('`pull-requests: read`')])
  })
})

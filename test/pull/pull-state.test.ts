import { describe, expect, it } from 'vitest'
import { locatePullRequest } from '../../src/github/pull-requests.ts'
import { readPullState } from '../../src/pull/pull-state.ts'
import { AGENT, type Commit, person, pushToPull } from '../support/world.ts'
import { finishedJobStarter, PULL_URL } from './finished-job.ts'

const startFinishedJob = finishedJobStarter()

describe('a docs pull request', () => {
  it('is asked for once more, 3 s later, while GitHub finds out whether it conflicts', async () => {
    const { open, run, github, clock } = await startFinishedJob()
    Object.assign(open().fields, { mergeable_state: 'dirty' })
    const pullRequest = { state: 'OPEN', mergeable: 'UNKNOWN' }
    const body = { data: { repository: { pullRequest } } }
    github.faults.push({ match: /PullState/, times: 1, end: { status: 200, body } })
    const beganAt = clock.now()
    expect(await readPullState(PULL_URL, run)).toMatchObject({ state: 'open', conflicts: true })
    expect([github.requests.length, clock.now() - beganAt]).toEqual([2, 3000])
  })

  it('has no word on conflicts where GitHub does not find out', async () => {
    const { open, run } = await startFinishedJob()
    Object.assign(open().fields, { mergeable_state: 'unknown' })
    expect((await readPullState(PULL_URL, run)).conflicts).toBeUndefined()
  })

  it('is elsewhere, and nobody is asked, where the link is none of this GitHub', async () => {
    const { run, github } = await startFinishedJob()
    for (const link of [
      '',
      'https://gitlab.com/acme/docs/-/merge_requests/7',
      'https://github.com.example/acme/docs/pull/7',
      'http://github.com/acme/docs/pull/7',
      'https://github.com/acme/docs/pull/7x',
      'https://github.com/acme/docs/issues/7',
      'https://github.com/acme/docs/pull/2147483648',
    ]) {
      expect(locatePullRequest(link, run.github)).toBeUndefined()
      expect(await readPullState(link, run)).toMatchObject({ repository: '', state: 'elsewhere' })
    }
    expect(github.requests).toEqual([])
  })

  it('names the people who committed to it, merges aside, and neither Apps nor `ignore-authors`', async () => {
    const { open, run, world } = await startFinishedJob({ inputs: { 'ignore-authors': 'bender' } })
    const pull = open()
    const add = (commit: Partial<Commit>) => pushToPull(world, pull, commit)
    const robot = { login: 'renovate[bot]', id: 9, type: 'Bot' } as const
    expect((await readPullState(PULL_URL, run)).editors).toBe('')
    add({ author: robot })
    add({ author: person('bender') })
    add({ author: undefined, email: 'agent@mintlify.com' })
    add({ author: person('merger'), parents: [pull.commits[0] ?? '', pull.commits[0] ?? ''] })
    expect((await readPullState(PULL_URL, run)).editors).toBe('')
    add({ author: AGENT, coAuthors: [{ author: person('mona') }] })
    add({ author: person('octocat') })
    add({ author: person('mona') })
    expect((await readPullState(PULL_URL, run)).editors).toBe('mona and octocat')
    add({ author: undefined, email: 'ada@example.com' })
    expect((await readPullState(PULL_URL, run)).editors).toBe('mona, octocat and someone')
  })
})

import { describe, expect, it } from 'vitest'
import { GitHub } from '../../src/github/client.ts'
import { numberOfOwnPullRequest, readPullState } from '../../src/github/pull-requests.ts'
import { NO_PROXY } from '../lib/http-client.ts'
import { startHarness } from '../support/harness.ts'
import { addPull } from '../support/world.ts'

const LINK = 'https://github.com/acme/docs/pull/7'

async function newGitHub() {
  const { github, world, clock } = await startHarness()
  const none = (): void => undefined
  const client = new GitHub({
    ...{ clock, random: () => 0.5, cancel: new AbortController().signal },
    ...{ apiUrl: github.url, serverUrl: 'https://github.com', repository: 'acme/docs', token: github.token },
    ...{ proxy: NO_PROXY, log: { debug: none, info: none, notice: none, warning: none, cost: none } },
  })
  return { github, world, client, clock }
}

describe('a pull request', () => {
  it('is asked for once more, 3 s later, while GitHub finds out whether it conflicts', async () => {
    const { world, client, github, clock } = await newGitHub()
    Object.assign(addPull(world, { number: 7 }).fields, { mergeable_state: 'dirty' })
    const body = { state: 'open', mergeable_state: 'unknown' }
    github.faults.push({ match: /pulls/, times: 1, end: { status: 200, body } })
    const beganAt = clock.now()
    expect(await readPullState(LINK, client)).toMatchObject({ state: 'open', conflicts: true })
    expect([github.requests.length, clock.now() - beganAt]).toEqual([2, 3000])
  })

  it('is elsewhere, and nobody is asked, where the link is none of this GitHub', async () => {
    const { client, github } = await newGitHub()
    for (const link of [
      '',
      'https://gitlab.com/acme/docs/-/merge_requests/7',
      'https://github.com.example/acme/docs/pull/7',
      'http://github.com/acme/docs/pull/7',
      `${LINK}x`,
      'https://github.com/acme/docs/issues/7',
      'https://github.com/acme/docs/pull/1234567890123456',
    ]) {
      expect(await readPullState(link, client)).toMatchObject({ repository: '', state: 'elsewhere' })
    }
    expect(github.requests).toEqual([])
  })

  it('has a number here where it is one of this repository', async () => {
    const { client } = await newGitHub()
    const elsewhere = 'https://github.com/acme/guides/pull/7'
    const links = [LINK, 'https://github.com/Acme/Docs/pull/7#issuecomment-1', elsewhere, '']
    expect(links.map((link) => numberOfOwnPullRequest(link, client))).toEqual([7, 7, undefined, undefined])
  })
})

import { describe, expect, it } from 'vitest'
import { numberOfOwnPullRequest, type PullState, readPullState } from '../../src/github/pull-requests.ts'
import { sceneStarter } from '../support/decisions.ts'
import { bareEvent } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { addPull, endPull } from '../support/world.ts'

const newScene = sceneStarter()
const LINK = 'https://github.com/acme/docs/pull/7'
const OPENED_MS = Date.UTC(2026, 0, 5)

async function newGitHub() {
  const scene = await newScene()
  const { github } = scene.newRun({ event: bareEvent('schedule') }).run
  return { ...scene, client: github }
}

const UNREAD = { conflicts: false, openedAtMs: undefined, repository: 'acme/docs' }

describe('a pull request', () => {
  it.each<[string, Partial<PullState>, (pull: ReturnType<typeof addPull>) => void]>([
    ['open', {}, () => {}],
    ['open', { conflicts: true }, (pull) => Object.assign(pull.fields, { mergeable_state: 'dirty' })],
    ['open', {}, (pull) => Object.assign(pull.fields, { mergeable_state: 'unknown' })],
  ])('is %s: %j', async (state, change, alter) => {
    const { world, client } = await newGitHub()
    alter(addPull(world, { number: 7 }))
    expect(await readPullState(LINK, client)).toEqual({
      state,
      conflicts: false,
      openedAtMs: OPENED_MS,
      repository: 'acme/docs',
      why: '',
      ...change,
    })
  })

  it.each<[PullState['state'], string | undefined]>([
    ['merged', 'c'.repeat(40)],
    ['closed', undefined],
  ])('is %s', async (state, mergeCommit) => {
    const { world, client } = await newGitHub()
    endPull(world, addPull(world, { number: 7 }), mergeCommit)
    expect(await readPullState(`${LINK}/files`, client)).toMatchObject({ state, why: '' })
  })

  it('of another repository is seen where the token can see it, else it is invisible', async () => {
    const { world, client, github } = await newGitHub()
    const link = 'https://github.com/acme/guides/pull/9'
    const name = { ...UNREAD, repository: 'acme/guides' }
    expect(await readPullState(link, client)).toEqual({
      ...name,
      state: 'invisible',
      why: 'GitHub returned 404 ("Not Found")',
    })
    addPull(world, { number: 9, repository: 'acme/guides' })
    expect(await readPullState(link, client)).toMatchObject({ state: 'open', repository: 'acme/guides' })
    expect(github.requests).toEqual(['GET /repos/acme/guides/pulls/9', 'GET /repos/acme/guides/pulls/9'])
  })

  it.each<[GitHubFault['end'], string]>([
    ['502', 'GitHub returned 502 ("Server Error")'],
    ['403', 'GitHub returned 403 ("Forbidden")'],
    ['html', 'GitHub returned 200 without a readable body'],
    ['empty', 'GitHub returned 200 without a readable body'],
    [{ status: 200, body: { id: 7 } }, 'GitHub returned something else than a pull request'],
  ])('can not be told where GitHub answers %j', async (end, why) => {
    const { world, client, github } = await newGitHub()
    addPull(world, { number: 7 })
    github.faults.push({ match: /pulls/, end })
    expect(await readPullState(LINK, client)).toEqual({ ...UNREAD, state: 'unknown', why })
  })

  it.each([
    '',
    'no link',
    'https://gitlab.com/acme/docs/-/merge_requests/7',
    'https://github.com.example/acme/docs/pull/7',
    'http://github.com/acme/docs/pull/7',
    'https://github.com/acme/docs/pull/7x',
    'https://github.com/acme/docs/issues/7',
    'https://github.com/acme/docs/pull/1234567890123456',
  ])('at %j is elsewhere, and nobody is asked', async (link) => {
    const { client, github } = await newGitHub()
    expect(await readPullState(link, client)).toMatchObject({ state: 'elsewhere', repository: '', why: '' })
    expect(github.requests).toEqual([])
  })

  it.each([
    [LINK, 7],
    ['https://github.com/Acme/Docs/pull/7#issuecomment-1', 7],
    ['https://github.com/acme/guides/pull/7', undefined],
    ['', undefined],
  ])('at %j has the number %j here', async (link, number) => {
    const { client } = await newGitHub()
    expect(numberOfOwnPullRequest(link, client)).toBe(number)
  })
})

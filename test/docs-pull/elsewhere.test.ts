import { describe, expect, it } from 'vitest'
import { startScene } from '../stories/scene.ts'
import type { Replies } from '../support/scripted-service.ts'
import { AGENT, addPull } from '../support/world.ts'

const LINK = 'https://github.com/acme/guides/pull/1'

/** The docs are in acme/guides, whose pull request 1 says `hush` everywhere. */
async function startElsewhere(
  access: 'token' | 'public' | 'none' = 'token',
  visibility: Readonly<Record<string, 'PUBLIC' | 'INTERNAL' | 'PRIVATE'>> = {},
) {
  const scene = await startScene({ docsIn: 'acme/guides' })
  const { world } = scene
  Object.assign(world, { agentAccess: access, commentsElsewhere: access === 'token' })
  const fields = { title: 'The hush launch', user: AGENT, files: ['guides/hush.mdx'] }
  addPull(world, { number: 1, ...fields }, world.elsewhere)
  for (const [name, who] of Object.entries(visibility)) world.visibility.set(name, who)
  const done = { body: { status: 'completed', prLink: LINK } }
  const replies: Replies = { post: [{ body: { id: 'j1' } }], get: ['active', done] }
  const there = () => world.comments.filter(({ repository }) => repository === 'acme/guides')
  return { ...scene, replies, there, again: { ...replies, get: [done, 'active', done] } }
}

describe('a docs pull request in another repository', () => {
  it('that the token can see is updated, also without permission to comment there', async () => {
    for (const access of ['token', 'public'] as const) {
      const { push, replies, again, there } = await startElsewhere(access)
      const first = await push({ replies })
      expect([first.started, first.hasFailed]).toEqual([['create'], false])
      const next = await push({ replies: again })
      expect([next.started, next.hasFailed]).toEqual([['message to j1'], false])
      expect(there()).toHaveLength(access === 'token' ? 1 : 0)
    }
  })

  it('that the token cannot see is a warning of the run that opened it, and stops the next one', async () => {
    const { push, inputs, replies, again } = await startElsewhere('none')
    const first = await push({ replies })
    expect([first.hasFailed, first.warnings.length]).toEqual([false, 1])
    const next = await push({ replies: again })
    expect([next.calls, next.outputs['result'], next.hasFailed]).toEqual([
      ['GET /job/j1'],
      'error',
      true,
    ])
    for (const { log } of [first, next])
      expect(log.join()).toMatch(/acme\/guides.*private-docs\.md.*`follow-up: false`/)
    const alone = { ...inputs, 'follow-up': 'false', 'pr-reviewers': 'ada' }
    const fresh = await push({ replies, inputs: alone })
    expect(fresh.summary).toMatch(/^## ⚠️ .*\n\n⚠️ The action could not request reviews .*can't read/)
    expect([fresh.started, fresh.warnings]).toEqual([['create'], []])
  })

  it('on another server is updated without a look at it', async () => {
    const { push } = await startScene()
    const prLink = 'https://gitlab.com/acme/docs/-/merge_requests/7'
    const done = { body: { status: 'completed', prLink } }
    await push({ replies: { get: ['active', done] } })
    const next = await push({ replies: { get: [done, 'active', done] } })
    expect([next.started, next.outputs['pr-link']]).toEqual([['message to j1'], prLink])
  })
})

describe('the title and the pages of a private docs pull request', () => {
  it.each([
    { docs: 'PRIVATE', code: 'PUBLIC', isShown: false },
    { docs: 'INTERNAL', code: 'PUBLIC', isShown: false },
    { docs: 'PRIVATE', code: 'PRIVATE', isShown: true },
    { docs: 'PUBLIC', code: 'PRIVATE', isShown: true },
  ] as const)('are shown ($isShown), with $docs docs and $code code', async (row) => {
    const scene = await startElsewhere('token', { 'acme/guides': row.docs, 'acme/docs': row.code })
    const { push, command, replies, world, statuses } = scene
    const ends = [await push({ replies }), await command('/docs Explain.', 77, { replies })]
    for (const { summary, log, titles, outputs } of ends) {
      expect([outputs['pr-number'], summary.includes('acme/guides/pull/1')]).toEqual(['1', true])
      const shown = [summary, ...log, ...titles].join('\n')
      expect(shown.includes('hush')).toBe(row.isShown)
    }
    const own = world.comments.filter(({ number }) => number === 77)
    const written = JSON.stringify([own.map(({ history }) => history), statuses()])
    expect(written.includes('hush')).toBe(row.isShown)
  })
})

describe('the changes of code that fewer people can read', () => {
  it.each([
    { docs: 'PUBLIC', code: 'PRIVATE', isListed: false },
    { docs: 'PUBLIC', code: 'INTERNAL', isListed: false },
    { docs: 'PRIVATE', code: 'PRIVATE', isListed: true },
  ] as const)('are listed ($isListed), with $docs docs and $code code', async (row) => {
    const scene = await startElsewhere('token', { 'acme/guides': row.docs, 'acme/docs': row.code })
    const { push, inputs, replies, world, there } = scene
    const given = { ...inputs, 'pr-reviewers': 'source-authors' }
    const { log } = await push({ replies, inputs: given })
    expect(there().map(({ history }) => history.at(-1)?.includes('octocat'))).toEqual([
      row.isListed,
    ])
    const notices = log.filter((line) => /^notice: .*asked to review/.test(line))
    expect(notices).toHaveLength(row.isListed ? 0 : 1)
    expect(world.elsewhere.get(1)?.reviewRequests).toEqual(row.isListed ? ['octocat'] : [])
  })

  it('are not listed if it is not known who can read them', async () => {
    const { push, replies, github, there } = await startElsewhere()
    github.faults.push({ match: /DocsPull/, end: { broken: 'visibility' } })
    await push({ replies })
    expect(there().map(({ history }) => history.at(-1)?.includes('octocat'))).toEqual([false])
  })
})

it('everything that a run leaves on a public docs pull request is about its job alone', async () => {
  const { push, replies, world } = await startElsewhere('token', { 'acme/docs': 'PRIVATE' })
  await push({ replies })
  const { head } = world.elsewhere.get(1)?.fields ?? {}
  const [status] = world.statuses.filter(({ sha }) => sha === head?.sha)
  const facts = new URLSearchParams(status?.target_url?.split('#')[1] ?? '')
  expect([...facts.keys()].filter((name) => !['job', 'link', 'since'].includes(name))).toEqual([])
})

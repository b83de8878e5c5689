import { describe, expect, it } from 'vitest'
import { type Event, event, issueComment, person, pushBy } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { type RunEnd, startHarness } from '../support/harness.ts'
import { addComment, type Role } from '../support/world.ts'

const LEVELS = ['read', 'triage', 'write', 'maintain', 'admin']
const write = { permission: 'write', role_name: 'write' }
const own = { permission: 'write', role_name: 'docs-writer' }

/** Roles, and the levels that they reach; one that an organization made is what it grants. */
const ROLES: readonly [Role, string][] = [
  [{ permission: 'none', role_name: '' }, ''],
  [{ permission: 'read', role_name: 'read' }, 'read'],
  [{ permission: 'read', role_name: 'triage' }, 'read triage'],
  [write, 'read triage write'],
  [{ permission: 'write', role_name: 'maintain' }, 'read triage write maintain'],
  [{ permission: 'admin', role_name: 'admin' }, 'read triage write maintain admin'],
  [{ ...own, permissions: null }, 'read triage write'],
  [{ ...own, permissions: { pull: false } }, ''],
  [{ ...own, permissions: { pull: true } }, 'read'],
  [{ ...own, permissions: { triage: true } }, 'read triage'],
  [{ ...own, permissions: { triage: true, push: true } }, 'read triage write'],
  [{ ...own, permissions: { push: true, maintain: true } }, 'read triage write maintain'],
  [{ ...own, permissions: { admin: true } }, 'read triage write maintain admin'],
]

const octocat = person('octocat')
const body = '/docs explain it'
const command = issueComment({ id: 5001, body, author: octocat })
const watch = event('watch', { sender: octocat })
const QUERY = 'POST /graphql MergedPulls'
const ASK = 'GET /collaborators/octocat/permission'
const reaction = (content: string): string => `POST /issues/comments/5001/reactions ${content}`

async function newScene(role?: Role, answer?: GitHubFault['end']) {
  const scene = await startHarness()
  addComment(scene.world, { kind: 'main', number: 5, author: octocat, body })
  if (role !== undefined) scene.world.roles.set('octocat', role)
  if (answer !== undefined) scene.github.faults.push({ match: /permission$/, end: answer })
  return scene
}

/** A run that is skipped with that line in its log, and asks the docs service nothing. */
function expectSkip(end: RunEnd, line: string): void {
  const skipped = { hasFailed: false, outputs: { result: 'skipped' }, log: [line], calls: [] }
  expect(end).toMatchObject(skipped)
}

const NEEDS = 'needs `write` (`required-permission`).'
const LATER = 'To try again, repeat the command later.'
const WATCHED = { event: watch, inputs: { prompt: 'Go.', context: 'none' } }

describe('the permission of somebody who asks', () => {
  it.each(ROLES)('as %j reaches %j', async (role, levels) => {
    const reached: string[] = []
    const { run } = await newScene(role)
    for (const level of LEVELS) {
      const inputs = { 'dry-run': 'true', 'required-permission': level }
      if ((await run({ event: command, inputs })).outputs['result'] === 'dry-run')
        reached.push(level)
    }
    expect(reached.join(' ')).toBe(levels)
  })

  it.each<[Role | undefined, string]>([
    [
      { permission: 'read', role_name: 'triage' },
      'octocat has the permission `triage` on this repository',
    ],
    [
      { permission: 'admin', role_name: 'admin', id: 1 },
      'the login octocat now belongs to another account',
    ],
    [undefined, 'octocat has no permission on this repository (404)'],
  ])('is refused as %j with a thumb down: %s', async (role, why) => {
    const { run } = await newScene(role, role === undefined ? '404' : undefined)
    const end = await run({ event: command })
    expectSkip(end, `notice: Skipped: ${why}, and the command /docs ${NEEDS}`)
    expect(end.requests).toEqual([ASK, reaction('-1')])
  })

  it('is not asked for where the event gives no id', async () => {
    const { run } = await newScene()
    const end = await run({
      ...WATCHED,
      event: event('watch', { sender: { ...octocat, id: undefined } }),
    })
    const why = 'the event does not give the ID of octocat, and a run on this `watch` event'
    expectSkip(end, `notice: Skipped: ${why} ${NEEDS}`)
    expect(end.requests).toEqual([])
  })

  it.each<[GitHubFault['end'], number, string]>([
    ['401', 1, 'GitHub refused `github-token` (401, "Bad credentials")'],
    ['403', 1, 'GitHub returned 403 ("Forbidden")'],
    ['500', 3, 'GitHub returned 500 ("Server Error")'],
    [{ status: 200, body: { permission: 'admin' } }, 1, "GitHub's response names no account"],
  ])(
    'is unknown where GitHub answers %j: the run is skipped with a warning',
    async (answer, times, why) => {
      const { run } = await newScene(undefined, answer)
      const end = await run({ event: command })
      const failed = `warning: Skipped: the action failed to read the permission of octocat: ${why}.`
      const isTokenRefused = answer === '401'
      const isFinal = isTokenRefused || answer === '403'
      const again = isFinal ? 'Correct `github-token`, then repeat the command.' : LATER
      expectSkip(end, `${failed} ${again}`)
      const reactions = isTokenRefused ? [] : [reaction('confused')]
      expect(end.requests).toEqual([...Array.from({ length: times }, () => ASK), ...reactions])
      const watched = await run(WATCHED)
      expectSkip(watched, `${failed} ${again.replace('repeat the command', 're-run this job')}`)
      expect(watched.requests.join()).not.toContain('reactions')
    },
  )

  it('is not asked for without a token, and nothing is reacted to', async () => {
    const { run } = await newScene()
    const end = await run({ event: command, inputs: { 'github-token': '' } })
    expect(end).toMatchObject({ outputs: { result: 'skipped' }, requests: [] })
    const line = /^warning: .*: `github-token` is empty\. Correct `github-token`, then repeat/
    expect(end.log).toEqual([expect.stringMatching(line)])
  })
})

it.each<[string, Event, RegExp, string[]]>([
  ['the permission is asked for, without a reaction', command, /permission$/, [ASK]],
  ['the commits are asked about, without a status', pushBy('octocat'), /graphql/, [QUERY]],
])('a run can be cancelled while %s', async (_what, event, match, requests) => {
  const { run, github } = await newScene(write)
  github.faults.push({ match, end: 'slow' })
  const end = await run({ event, inputs: { prompt: 'Go.' }, cancelAtMs: 1000 })
  const cancelled = { hasFailed: true, outputs: { result: 'cancelled' }, calls: [] }
  expect(end).toMatchObject({ ...cancelled, requests })
  expect(end.log.at(-1)).toMatch(/^error: Canceled before anything was sent /)
})

import { describe, expect, it } from 'vitest'
import { issueComment, otherEvent, person } from '../github/events.ts'
import type { Role } from '../github/world.ts'
import { decisionStarter } from './decide.ts'

const newScene = decisionStarter()
const octocat = person('octocat')
const event = issueComment({ id: 4711, body: '/docs explain it', author: octocat })
const quiet = { comment: 'never' }

const LEVELS = ['read', 'triage', 'write', 'maintain', 'admin']
const ROLES: readonly Role[] = [
  { permission: 'none', role_name: '' },
  { permission: 'read', role_name: 'read' },
  { permission: 'read', role_name: 'triage' },
  { permission: 'write', role_name: 'write' },
  { permission: 'write', role_name: 'maintain' },
  { permission: 'admin', role_name: 'admin' },
]

/** Which levels of `required-permission` a role reaches. */
async function reached(role: Role): Promise<readonly string[]> {
  const { github, decide } = await newScene()
  github.world.roles.set('octocat', role)
  const levels: string[] = []
  for (const level of LEVELS) {
    const { result } = await decide({ event, inputs: { ...quiet, 'required-permission': level } })
    if (result === 'goes on') levels.push(level)
  }
  return levels
}

describe('the permission of somebody who asks', () => {
  it('is judged by the order of the levels', async () => {
    expect(await Promise.all(ROLES.map(reached))).toEqual([
      [],
      ['read'],
      ['read', 'triage'],
      ['read', 'triage', 'write'],
      ['read', 'triage', 'write', 'maintain'],
      ['read', 'triage', 'write', 'maintain', 'admin'],
    ])
  })

  it.each([
    ['nothing', { pull: false }, []],
    ['pull', { pull: true }, ['read']],
    ['triage', { pull: true, triage: true }, ['read', 'triage']],
    ['push', { pull: true, triage: true, push: true }, ['read', 'triage', 'write']],
    ['maintain', { pull: true, push: true, maintain: true }, ['read', 'triage', 'write', 'maintain']],
    ['admin', { admin: true }, ['read', 'triage', 'write', 'maintain', 'admin']],
    ['push no more', { pull: true, push: false, admin: false }, ['read']],
  ])(
    'of a role that an organisation made is what the role grants: %s',
    async (_what, permissions, levels) => {
      expect(await reached({ permission: 'write', role_name: 'docs-writer', permissions })).toEqual(levels)
    },
  )

  it('of such a role is the level that it comes from, where GitHub does not say what it grants', async () => {
    expect(await reached({ permission: 'write', role_name: 'docs-writer' })).toEqual([
      'read',
      'triage',
      'write',
    ])
  })

  it('of another account with the login does not count, nor does one where the account is not known', async () => {
    const { github, decide } = await newScene()
    github.world.roles.set('octocat', { permission: 'admin', role_name: 'admin', id: 1 })
    const other = await decide({ event, inputs: quiet })
    expect(other).toMatchObject({
      result: 'skipped (notice)',
      reason:
        'The /docs command was not carried out: octocat is the login of another account now, and `required-permission` is `write`.',
    })
    const sender = { login: 'octocat', type: 'User' }
    const withoutId = await decide({ event: otherEvent('watch', { sender }), inputs: { prompt: 'Go.' } })
    expect(withoutId).toMatchObject({ result: 'skipped (notice)', requests: [] })
  })

  it('is refused where GitHub knows none', async () => {
    const { github, decide } = await newScene()
    github.faults.push(
      { match: /permission$/, end: { status: 404, body: { message: 'octocat is not a user' } } },
      { match: /reactions/, end: { status: 201, body: { id: 1, content: '-1' } } },
    )
    const decision = await decide({ event })
    expect(decision).toMatchObject({
      result: 'skipped (notice)',
      requests: ['GET /collaborators/octocat/permission', 'POST /issues/comments/4711/reactions -1'],
    })
    expect(decision.reason).toMatch(
      /octocat has no permission.*\(404\), and `required-permission` is `write`\.$/,
    )
  })

  it.each([
    ['401', { status: 401, body: { message: 'Bad credentials' } }, 1, 'it answered 401 ("Bad credentials")'],
    ['403', { status: 403, body: { message: 'Resource not accessible' } }, 1, 'it answered 403'],
    ['429', { status: 429, body: {} }, 1, 'it answered 429, which is its rate limit'],
    ['500', { status: 500, body: {} }, 3, 'it answered 500'],
    ['no answer at all', 'reset', 3, 'GitHub could not be asked'],
    ['nonsense', { status: 200, body: '<html>' }, 1, 'it named no account in its answer'],
    ['null', { status: 200, body: null }, 1, 'GitHub could not be asked'],
    [
      'no account',
      { status: 200, body: { permission: 'admin', role_name: 'admin', user: null } },
      1,
      'it named no account',
    ],
  ] as const)(
    'is not known where GitHub answers with %s: that is no refusal',
    async (_what, end, times, text) => {
      const { github, decide } = await newScene()
      github.faults.push(
        { match: /permission$/, end },
        { match: /reactions/, end: { status: 201, body: { id: 1, content: 'confused' } } },
      )
      const { result, reason, requests } = await decide({ event })
      expect(result).toBe('skipped (warning)')
      expect(reason).toContain('GitHub could not be asked for the permission of octocat: ')
      expect(reason).toContain(text)
      expect(requests).toEqual([
        ...Array.from({ length: times }, () => 'GET /collaborators/octocat/permission'),
        'POST /issues/comments/4711/reactions confused',
      ])
      const watch = otherEvent('watch', { sender: octocat })
      const watched = await decide({ event: watch, inputs: { prompt: 'Go.' } })
      expect(watched).toMatchObject({ result: 'skipped (warning)' })
      expect(watched.requests.join()).not.toContain('reactions')
    },
  )

  it('is not known where the run is cancelled, and nothing is reacted to', async () => {
    const { decide } = await newScene()
    const decision = await decide({ event, cancel: AbortSignal.abort() })
    expect(decision.requests.join()).not.toContain('reactions')
  })

  it('is not known without a token, and nothing is reacted to', async () => {
    const { decide } = await newScene()
    const decision = await decide({ event, inputs: { 'github-token': '' } })
    expect(decision).toMatchObject({ result: 'skipped (warning)', requests: [], warnings: [] })
    expect(decision.reason).toContain('there is no `github-token`')
  })
})

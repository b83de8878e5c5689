import { describe, expect, it } from 'vitest'
import { event, issueComment, person, pushBy } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { type RunEnd, startHarness } from '../support/harness.ts'
import { addComment, MAY_WRITE, type Role } from '../support/world.ts'

const LEVELS = ['read', 'triage', 'write', 'maintain', 'admin']
const own = { permission: 'write', role_name: 'docs-writer' }

/** Roles, and the levels that they reach; one that an organization made is what it grants. */
const ROLES: readonly { readonly role: Role; readonly levels: string }[] = [
  { role: { permission: 'none', role_name: '' }, levels: '' },
  { role: { permission: 'read', role_name: 'triage' }, levels: 'read triage' },
  { role: MAY_WRITE, levels: 'read triage write' },
  { role: { permission: 'admin', role_name: 'admin' }, levels: 'read triage write maintain admin' },
  { role: { ...own, permissions: null }, levels: 'read triage write' },
  { role: { ...own, permissions: { pull: false } }, levels: '' },
  { role: { ...own, permissions: { pull: true } }, levels: 'read' },
  { role: { ...own, permissions: { push: true } }, levels: 'read triage write' },
  { role: { ...own, permissions: { admin: true } }, levels: 'read triage write maintain admin' },
]

const octocat = person('octocat')
const body = '/docs explain it'
const command = issueComment({ id: 5001, body, author: octocat })
const watch = event('watch', { sender: octocat })
const QUERY = 'POST /graphql StepStatuses'
const ASK = 'GET /collaborators/octocat/permission'
const reaction = (content: string): string => `POST /issues/comments/5001/reactions ${content}`

async function newScene(role?: Role, answer?: GitHubFault['end']) {
  const scene = await startHarness()
  addComment(scene.world, { kind: 'main', number: 5, author: octocat, body })
  if (role !== undefined) scene.world.roles.set('octocat', role)
  if (answer !== undefined) scene.github.faults.push({ match: /permission$/, end: answer })
  return scene
}

/** A run that is skipped for a reason that its one line has, and asks Mintlify nothing. */
function expectSkip(end: RunEnd, level: string, why: string): void {
  expect(end).toMatchObject({ hasFailed: false, outputs: { result: 'skipped' }, calls: [] })
  const annotations = end.log.filter((line) => /^(?:error|warning|notice): /.test(line))
  expect(annotations).toEqual([expect.stringMatching(new RegExp(`^${level}: Skipped: `))])
  expect(annotations[0]).toContain(why)
}

const WATCHED = { event: watch, inputs: { prompt: 'Go.', context: 'none' } }

describe('the permission of the person who asks', () => {
  it.each(ROLES)('as $role reaches $levels', async ({ role, levels }) => {
    const reached: string[] = []
    const { run } = await newScene(role)
    for (const level of LEVELS) {
      const inputs = { 'dry-run': 'true', 'required-permission': level }
      if ((await run({ event: command, inputs })).outputs['result'] === 'dry-run')
        reached.push(level)
    }
    expect(reached.join(' ')).toBe(levels)
  })

  it.each<{ role?: Role; why: string }>([
    { role: { permission: 'read', role_name: 'triage' }, why: '`triage`' },
    { role: { ...MAY_WRITE, id: 1 }, why: 'now belongs to another account' },
    { why: '404' },
  ])('is refused as $role with a thumb down: $why', async ({ role, why }) => {
    const { run } = await newScene(role, role === undefined ? '404' : undefined)
    const end = await run({ event: command })
    expectSkip(end, 'notice', why)
    expect(end.log.join()).toContain('needs `write` (`required-permission`)')
    expect(end.requests).toEqual([ASK, reaction('-1')])
  })

  it('is not asked for if the event gives no ID', async () => {
    const { run } = await newScene()
    const sender = { ...octocat, id: undefined }
    const end = await run({ ...WATCHED, event: event('watch', { sender }) })
    expectSkip(end, 'notice', 'ID of octocat')
    expect(end.requests).toEqual([])
  })

  it.each<{ answer: GitHubFault['end']; isRepeated: boolean; why: string; advice: string }>([
    { answer: '401', isRepeated: false, why: '(401', advice: 'Save a new personal access token' },
    { answer: '403', isRepeated: false, why: '403', advice: 'Correct `github-token`' },
    { answer: '500', isRepeated: true, why: '500', advice: 'later' },
    {
      answer: { status: 200, body: { permission: 'admin' } },
      isRepeated: true,
      why: 'account',
      advice: 'later',
    },
  ])(
    'is unknown if GitHub answers $answer: a command is skipped with a warning, another event fails',
    async ({ answer, isRepeated, why, advice }) => {
      const { run } = await newScene(undefined, answer)
      const end = await run({ event: command })
      expectSkip(end, 'warning', why)
      expect(end.log.join()).toContain(advice)
      const asked = end.requests.filter((line) => line === ASK)
      expect(asked.length > 3).toBe(isRepeated)
      expect(end.requests).toEqual([...asked, reaction('confused')])
      const watched = await run(WATCHED)
      expect(watched).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
      expect(watched.requests.join()).not.toContain('reactions')
    },
  )

  it.each([{ asked: command }, { asked: watch }])(
    "isn't an error if $asked.name is canceled before GitHub answers",
    async ({ asked }) => {
      const { run } = await newScene(undefined, '502')
      const end = await run({ ...WATCHED, event: asked, cancelAtMs: 20_000 })
      expect(end).toMatchObject({ tookMs: 20_000, outputs: { result: 'cancelled' }, calls: [] })
      expect(end.titles).toEqual([expect.stringContaining('Canceled')])
    },
  )

  it('is not asked for without a token, with one warning', async () => {
    const { run } = await newScene()
    const end = await run({ event: command, inputs: { 'github-token': '' } })
    expect(end).toMatchObject({ outputs: { result: 'skipped' }, requests: [] })
    expectSkip(end, 'warning', 'Then repeat the command')
  })
})

it.each([
  { what: 'a permission', event: command, match: /permission$/, requests: [ASK] },
  { what: 'its record', event: pushBy('octocat'), match: /graphql/, requests: [QUERY] },
])('a run can be canceled while it asks for $what', async ({ event, match, requests }) => {
  const { run, github } = await newScene(MAY_WRITE)
  github.faults.push({ match, end: 'slow' })
  const end = await run({ event, inputs: { prompt: 'Go.' }, cancelAtMs: 1000 })
  const cancelled = { hasFailed: true, outputs: { result: 'cancelled' }, calls: [] }
  expect(end).toMatchObject({ ...cancelled, requests })
})

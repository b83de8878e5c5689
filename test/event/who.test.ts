import { describe, expect, it } from 'vitest'
import {
  bareEvent,
  bot,
  type Event,
  event,
  issueComment,
  person,
  pullRequest,
  reviewComment,
} from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { startHarness } from '../support/harness.ts'
import { type Account, addComment, addPull, MAY_WRITE, type Role } from '../support/world.ts'

const renovate = bot('renovate[bot]')
const writer = person('writer')
const merge = { action: 'closed', pull: { merged: true } }
const fork = { from: 'stranger/docs' }
const onTarget = (made: Event): Event => ({ ...made, name: 'pull_request_target' })
const body = '/docs explain it'
const inMain = (author: Account): Event => issueComment({ id: 5001, body, author })
const inReview = (author: Account): Event => reviewComment({ id: 5002, body, author })
const star = (sender: Account): Event => event('watch', { sender })

async function startScene(roles: Readonly<Record<string, Role>> = { writer: MAY_WRITE }) {
  const scene = await startHarness()
  for (const [login, role] of Object.entries(roles)) scene.world.roles.set(login, role)
  addPull(scene.world, { number: 5, files: ['src/a.ts'] })
  for (const kind of ['main', 'review'] as const)
    addComment(scene.world, { kind, number: 5, author: writer, body })
  const inputs = { prompt: 'Go.', context: 'none', 'follow-up': 'false', wait: 'false' }
  /** @returns what GitHub was asked about permissions, and each reaction */
  const cause = async (on: Event, more: Readonly<Record<string, string>> = {}) => {
    const end = await scene.run({ event: on, inputs: { ...inputs, ...more } })
    const hasStarted = end.calls.some((call) => call.startsWith('POST'))
    const asked = end.requests.filter((line) => /\/permission$|reactions/.test(line))
    const short = asked.map((line) => line.replace(/^.*\/(?:collaborators|comments)\//, ''))
    return { ...end, hasStarted, asked: short }
  }
  return { ...scene, cause }
}

/** Events that `writer` caused, or a bot, by whose permission is checked. */
const EVENTS: Readonly<Record<string, Readonly<Record<string, Event>>>> = {
  nobody: {
    'a local run': bareEvent(''),
    'a schedule': bareEvent('schedule'),
    'a deployment': event('deployment_status', { deployment_status: { state: 'success' } }),
    "an App's": pullRequest({ sender: renovate }),
    'a push to one': pullRequest({ action: 'synchronize', sender: writer }),
    'a merge': pullRequest({ ...merge, sender: renovate }),
    'a merge from a fork': pullRequest({ ...merge, ...fork, sender: writer }),
    'a merge on pull_request_target': onTarget(
      pullRequest({ ...merge, ...fork, sender: renovate }),
    ),
  },
  writer: {
    'a star': star(writer),
    'an unknown event': { name: 'constructor', payload: { sender: writer } },
    'a new pull request': pullRequest({ sender: writer }),
    'a push to a fork': pullRequest({ ...fork, action: 'synchronize', sender: writer }),
    'a push on pull_request_target': onTarget(
      pullRequest({ ...fork, action: 'synchronize', sender: writer }),
    ),
    'a label after a merge': pullRequest({ ...merge, action: 'labeled', sender: writer }),
  },
  'renovate[bot]': {
    "an App's from a fork": pullRequest({ ...fork, sender: renovate }),
  },
}

it.each(
  Object.entries(EVENTS).flatMap(([checks, events]) =>
    Object.entries(events).map(([what, on]) => ({ checks, what, on })),
  ),
)('on $what the permission of $checks is checked', async ({ on, checks }) => {
  const { cause } = await startScene({ writer: MAY_WRITE })
  const { asked } = await cause(on, { 'dry-run': 'true' })
  expect(asked).toEqual(checks === 'nobody' ? [] : [`${checks}/permission`])
})

const ACTORS: Readonly<Record<string, Account>> = {
  // The payload does not name them.
  nobody: person(''),
  reader: person('reader'),
  writer,
  bot: renovate,
  'allowed bot': bot('docs-helper[bot]'),
  'person with its login': person('docs-helper[bot]'),
  // The account that has the login now has write permission, and another id.
  'account that had a login': person('renamed', 7002),
}

/** What becomes of a request; `refused` is what follows a refusal. */
const outcomes = (isCommand: boolean, ...refused: readonly string[]) => ({
  nobody: ['skipped'],
  reader: ['skipped', 'reader/permission', ...refused],
  writer: ['starts', 'writer/permission'],
  bot: isCommand ? ['skipped'] : ['skipped', 'renovate[bot]/permission'],
  'allowed bot': ['starts'],
  'person with its login': ['skipped', 'docs-helper[bot]/permission', ...refused],
  'account that had a login': ['skipped', 'renamed/permission', ...refused],
})
const IN_MAIN = outcomes(true, '5001/reactions -1')

it.each([
  { what: 'a command', by: inMain, inputs: {}, ends: IN_MAIN },
  {
    what: 'a command on a line',
    by: inReview,
    inputs: {},
    ends: outcomes(true, '5002/reactions -1'),
  },
  {
    what: 'a command without comments',
    by: inMain,
    inputs: { comment: 'never' },
    ends: outcomes(true),
  },
  { what: 'a comment that is none', by: inMain, inputs: { command: '' }, ends: outcomes(false) },
  { what: 'another event', by: star, inputs: {}, ends: outcomes(false) },
])('$what starts a job of those who may', async ({ by, inputs, ends }) => {
  const { cause, world } = await startScene({
    reader: { permission: 'read', role_name: 'read' },
    writer: MAY_WRITE,
    renamed: MAY_WRITE,
  })
  const decided: Record<string, readonly string[]> = {}
  for (const [who, actor] of Object.entries(ACTORS)) {
    // Another step's record would answer the same comment.
    world.statuses.splice(0)
    const given = { 'allow-bots': 'Docs-Helper[bot], Renovate, renovate-bot', ...inputs }
    const end = await cause(by(actor), given)
    if (!end.hasStarted)
      expect([end.outputs['result'], end.hasFailed, end.calls]).toEqual(['skipped', false, []])
    const asked = end.asked.filter((line) => !line.endsWith('eyes'))
    decided[who] = [end.hasStarted ? 'starts' : 'skipped', ...asked]
  }
  expect(decided).toEqual(ends)
})

const LEVELS = ['read', 'triage', 'write', 'maintain', 'admin']
const own = { permission: 'write', role_name: 'docs-writer' }

it.each<{ role: Role; levels: string }>([
  { role: { permission: 'none', role_name: '' }, levels: '' },
  { role: { permission: 'read', role_name: 'triage' }, levels: 'read triage' },
  { role: MAY_WRITE, levels: 'read triage write' },
  { role: { permission: 'admin', role_name: 'admin' }, levels: LEVELS.join(' ') },
  // An organization's own role counts by what it grants.
  { role: { ...own, permissions: null }, levels: 'read triage write' },
  { role: { ...own, permissions: { pull: false } }, levels: '' },
  { role: { ...own, permissions: { pull: true } }, levels: 'read' },
  { role: { ...own, permissions: { push: true } }, levels: 'read triage write' },
  { role: { ...own, permissions: { admin: true } }, levels: LEVELS.join(' ') },
])('the permission $role reaches "$levels"', async ({ role, levels }) => {
  const { cause } = await startScene({ writer: role })
  const reached: string[] = []
  for (const level of LEVELS) {
    const inputs = { 'dry-run': 'true', 'required-permission': level }
    if ((await cause(inMain(writer), inputs)).outputs['result'] === 'dry-run') reached.push(level)
  }
  expect(reached.join(' ')).toBe(levels)
})

it('a refusal is one notice that names the person and the input', async () => {
  const { cause } = await startScene({ writer: { permission: 'read', role_name: 'read' } })
  for (const on of [inMain(writer), star(writer)]) {
    const { log, titles } = await cause(on)
    expect([titles.length, log.length]).toEqual([1, 1])
    expect(log[0]).toMatch(/^notice: Skipped: writer .*`required-permission`/)
  }
})

describe('a permission that GitHub does not tell', () => {
  it.each<{ answer: GitHubFault['end']; isRepeated: boolean }>([
    { answer: '401', isRepeated: false },
    { answer: '403', isRepeated: false },
    { answer: '502', isRepeated: true },
    // Another account could have the login by now.
    { answer: { status: 200, body: { permission: 'admin', user: null } }, isRepeated: false },
  ])(
    'skips a command with a warning, and fails another event, if it answers $answer',
    async ({ answer, isRepeated }) => {
      const { cause, github } = await startScene()
      github.faults.push({ match: /permission$/, end: answer })
      const command = await cause(inMain(writer))
      expect([command.outputs['result'], command.hasFailed]).toEqual(['skipped', false])
      expect([command.titles.length, command.warnings.length]).toEqual([1, 1])
      expect(command.asked.at(-1)).toBe('5001/reactions confused')
      expect(command.asked.length > 4).toBe(isRepeated)
      const starred = await cause(star(writer))
      expect([starred.outputs['result'], starred.hasFailed]).toEqual(['error', true])
      expect(starred.titles).toHaveLength(1)
      expect([command.calls, starred.calls]).toEqual([[], []])
      expect(starred.asked.join()).not.toContain('reactions')
    },
  )

  it('is no error if the run is canceled before it comes', async () => {
    const { run, github } = await startScene()
    github.faults.push({ match: /permission$/, end: '502' })
    for (const on of [inMain(writer), star(writer)]) {
      const end = await run({ event: on, inputs: { prompt: 'Go.' }, cancelAtMs: 20_000 })
      expect(end).toMatchObject({ tookMs: 20_000, outputs: { result: 'cancelled' }, calls: [] })
      expect(end.hasFailed).toBe(true)
    }
  })
})

describe('a run without an API key', () => {
  const ofFork = { fork: true, full_name: 'octocat/docs' }
  const dependabot = bot('dependabot[bot]')
  it.each<{ what: string; on: Event; result: string }>([
    { what: "a fork's pull request", on: pullRequest({ ...fork }), result: 'skipped' },
    {
      what: "Dependabot's pull request",
      on: pullRequest({ author: dependabot, sender: dependabot }),
      result: 'skipped',
    },
    { what: 'a push to a fork', on: event('push', { repository: ofFork }), result: 'skipped' },
    { what: 'a pull request', on: pullRequest(), result: 'error' },
    {
      what: "pull_request_target of a fork's pull request",
      on: onTarget(pullRequest({ ...fork })),
      result: 'error',
    },
    { what: 'a push', on: event('push'), result: 'error' },
  ])('$what ends with $result', async ({ on, result }) => {
    const { cause } = await startScene()
    const end = await cause(on, { 'api-key': ' ' })
    expect([end.outputs['result'], end.hasFailed]).toEqual([result, result === 'error'])
    expect([end.requests, end.calls, end.titles.length]).toEqual([[], [], 1])
  })

  it('says what works instead, and writes no report', async () => {
    const { cause } = await startScene()
    const report = { 'api-key': '', 'visitors-summary': 'true', prompt: '' }
    const end = await cause(pullRequest(fork), report)
    expect([end.calls, end.outputs['result'] ?? '', end.outputs['visitors'] ?? '']).toEqual([
      [],
      '',
      '',
    ])
    expect((await cause(pullRequest(fork), { 'api-key': '' })).log.join()).toMatch(/\/docs.*`push`/)
  })
})

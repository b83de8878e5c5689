import { describe, expect, test } from 'vitest'
import { accountToCheck, eventRow } from '../../src/look/event.ts'
import { readEnvironment } from '../../src/runner/run.ts'
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
import { startHarness } from '../support/harness.ts'
import { type Account, addComment, MAY_WRITE } from '../support/world.ts'

const renovate = bot('renovate[bot]')
const writer = person('writer')
const merge = { action: 'closed', pull: { merged: true } }
const fork = { from: 'stranger/docs' }
const onTarget = (made: Event): Event => ({ ...made, name: 'pull_request_target' })
const after = (name: string, full_name = 'acme/docs'): Event => {
  const workflow_run = { event: name, head_repository: { full_name }, triggering_actor: renovate }
  return event('workflow_run', { workflow_run, sender: writer })
}

/** Events that `writer` caused, or a bot, by whose permission is checked. */
const EVENTS: Readonly<Record<string, Readonly<Record<string, Event>>>> = {
  nobody: {
    'a local run': bareEvent(''),
    'a schedule': bareEvent('schedule'),
    'a deployment': event('deployment_status', { sender: writer }),
    "an App's": pullRequest({ sender: renovate }),
    'a push to one': pullRequest({ action: 'synchronize', sender: writer }),
    'a merge': pullRequest({ ...merge, sender: renovate }),
    'a merge from a fork': pullRequest({ ...merge, ...fork, sender: writer }),
    'a merge on pull_request_target': onTarget(
      pullRequest({ ...merge, ...fork, sender: renovate }),
    ),
    'a workflow after a push': after('push', 'Acme/Docs'),
  },
  writer: {
    'a star': event('watch', { sender: writer }),
    'an unknown event': { name: 'constructor', payload: { sender: writer } },
    'a new pull request': pullRequest({ sender: writer }),
    'a push to a fork': pullRequest({ ...fork, action: 'synchronize', sender: writer }),
    'a push on pull_request_target': onTarget(
      pullRequest({ action: 'synchronize', sender: writer }),
    ),
    'no merge': pullRequest({ action: 'closed', sender: writer }),
    'a label after a merge': pullRequest({ ...merge, action: 'labeled', sender: writer }),
    'a workflow after a push to a fork': after('push', 'stranger/docs'),
    'a workflow after an issue': after('issues'),
  },
  'renovate[bot]': {
    "an App's from a fork": pullRequest({ ...fork, sender: renovate }),
    'a workflow after a pull request': after('pull_request'),
  },
}

test.each(
  Object.entries(EVENTS).flatMap(([checks, events]) =>
    Object.entries(events).map(([what, on]) => ({ checks, what, on })),
  ),
)('on $what the permission of $checks is checked', ({ on, checks }) => {
  const environment = readEnvironment({ GITHUB_REPOSITORY: 'acme/docs' })
  const account = accountToCheck({ ...on, row: eventRow(on.name) }, environment)
  expect(account === 'trusted' ? 'nobody' : account?.login).toBe(checks)
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

const body = '/docs explain it'
const NEVER = { comment: 'never' }
const NO_COMMAND = { command: '', prompt: 'Go.' }
const inMain = (author: Account): Event => issueComment({ id: 5001, body, author })
const inReview = (author: Account): Event => reviewComment({ id: 5002, body, author })
const star = (sender: Account): Event => event('watch', { sender })
const GET = (login: string): string => `GET /collaborators/${login}/permission`

/** What becomes of a request; `refused` is what follows a refusal. */
const outcomes = (isCommand: boolean, ...refused: readonly string[]) => ({
  nobody: [isCommand ? 'skipped' : 'skipped: notice'],
  reader: ['skipped: notice', GET('reader'), ...refused],
  writer: ['starts', GET('writer')],
  bot: isCommand ? ['skipped: notice'] : ['skipped: notice', GET('renovate[bot]')],
  'allowed bot': ['starts'],
  'person with its login': ['skipped: notice', GET('docs-helper[bot]'), ...refused],
  'account that had a login': ['skipped: notice', GET('renamed'), ...refused],
})
const IN_MAIN = outcomes(true, 'POST /issues/comments/5001/reactions -1')
const IN_REVIEW = outcomes(true, 'POST /pulls/comments/5002/reactions -1')

const it = test.extend('scene', async () => {
  const scene = await startHarness()
  scene.world.roles.set('reader', { permission: 'read', role_name: 'read' })
  scene.world.roles.set('writer', MAY_WRITE).set('renamed', MAY_WRITE)
  for (const kind of ['main', 'review'] as const)
    addComment(scene.world, { kind, number: 5, author: writer, body })
  return scene
})

it.for([
  { what: 'a command', by: inMain, inputs: {}, ends: IN_MAIN },
  { what: 'a command on a line', by: inReview, inputs: {}, ends: IN_REVIEW },
  { what: 'a command without comments', by: inMain, inputs: NEVER, ends: outcomes(true) },
  {
    what: 'a command in a dry run',
    by: inMain,
    inputs: { 'dry-run': 'true' },
    ends: outcomes(true),
  },
  { what: 'a comment that is none', by: inMain, inputs: NO_COMMAND, ends: outcomes(false) },
  { what: 'another event', by: star, inputs: { prompt: 'Go.' }, ends: outcomes(false) },
])('$what starts a job of those who may', async ({ by, inputs, ends }, { scene: { run } }) => {
  const decided: Record<string, readonly string[]> = {}
  for (const [who, actor] of Object.entries(ACTORS)) {
    const allowed = { 'allow-bots': 'Docs-Helper[bot], Renovate, renovate-bot' }
    const given = { ...allowed, 'follow-up': 'false', context: 'none', wait: 'false', ...inputs }
    const end = await run({ event: by(actor), inputs: given })
    const isSkipped = end.outputs['result'] === 'skipped'
    if (isSkipped) expect([end.hasFailed, end.calls]).toEqual([false, []])
    const level = end.titles.length > 0 ? 'skipped: notice' : 'skipped'
    decided[who] = [
      isSkipped ? level : 'starts',
      ...end.requests.filter((line) => isSkipped || line.endsWith('/permission')),
    ]
  }
  expect(decided).toEqual(ends)
})

const stranger = person('stranger', 7009)
const onIssue = { id: 5009, body: 'Wrong.', author: stranger }

it.for([
  { name: 'a comment', on: issueComment({ ...onIssue, onIssue: true }), command: '' },
  { name: 'a fork’s pull request', on: pullRequest({ ...fork, sender: stranger }) },
  {
    name: 'a fork’s pull request on pull_request_target',
    on: onTarget(pullRequest({ ...fork, sender: stranger })),
  },
  { name: 'an event of no known sender', on: { name: 'watch', payload: {} } },
])(
  '$name by a stranger does not start a job',
  async ({ on, command = '/docs' }, { scene: { run } }) => {
    const inputs = { prompt: 'Go.', command, 'allow-bots': 'renovate[bot]' }
    const end = await run({ event: on, inputs })
    expect(end).toMatchObject({ hasFailed: false, outputs: { result: 'skipped' }, calls: [] })
    expect(end.log.join('\n')).toMatch(/^notice: .*`required-permission`/)
  },
)

describe('a payload that cannot be read', () => {
  const inputs = { prompt: 'Go.', 'visitors-summary': 'true' }
  const env = { GITHUB_EVENT_PATH: '/dev/null' }

  it.for(['push', 'schedule', 'workflow_dispatch', 'release', 'deployment_status'])(
    'fails the job on %s, and the visitors report is written',
    async (name, { scene: { run } }) => {
      const end = await run({ event: bareEvent(name), inputs, env })
      expect([end.hasFailed, end.outputs['result']]).toEqual([true, 'error'])
      expect(end.log.filter((line) => line.startsWith('error: '))).toHaveLength(1)
      expect(end.calls).toContain('GET /visitors')
      expect(end.calls.filter((call) => call.startsWith('POST'))).toEqual([])
      expect(end.outputs['visitors-total']).toMatch(/^\d+$/)
    },
  )
})

it('a label that means no docs does not skip the visitors report', async ({ scene: { run } }) => {
  const pull = { labels: [{ name: 'no-docs' }] }
  const on = pullRequest({ action: 'synchronize', pull, sender: writer })
  for (const attempt of [1, 2]) {
    const end = await run({
      event: on,
      inputs: { prompt: 'Go.', 'visitors-summary': 'true' },
      attempt,
    })
    expect(end).toMatchObject({ hasFailed: false, outputs: { result: 'skipped' } })
    expect([...new Set(end.calls)]).toEqual(['GET /visitors', 'GET /views'])
    expect(end.summary).toContain('visitors')
  }
})

describe('a command without instructions', () => {
  it.for([
    { text: '/docs', inputs: {}, isAnswered: true },
    { text: '/docs', inputs: { prompt: 'Document it.' }, isAnswered: false },
    { text: '/docs', inputs: { 'prompt-file': 'prompt.md' }, isAnswered: false },
    { text: '/docs', inputs: { 'job-id': 'job_1' }, isAnswered: false },
  ])('$text is answered with how to use it, with $inputs: $isAnswered', async (row, { scene }) => {
    const made = issueComment({ id: 5001, body: row.text, author: writer })
    const files = { 'prompt.md': 'Document it.' }
    const end = await scene.run({ event: made, inputs: { ...row.inputs }, files })
    expect(end.outputs['result'] === 'skipped').toBe(row.isAnswered)
    expect(scene.said().flat().join().includes('Write your instructions')).toBe(row.isAnswered)
    expect(end.calls.length > 0).toBe(!row.isAnswered)
  })

  it('is not answered if its author may not start a job', async ({ scene: { run, said } }) => {
    const made = issueComment({ id: 5001, body: '/docs', author: person('reader') })
    expect((await run({ event: made })).log).toEqual([
      expect.stringContaining('`required-permission`'),
    ])
    expect(said()).toEqual([])
  })
})

it('a command without a key is an error, which says that a fork has no secrets', async ({
  scene,
}) => {
  const repository = { full_name: 'octocat/docs', fork: true }
  const made = inMain(writer)
  const on = { ...made, payload: { ...made.payload, repository } }
  const end = await scene.run({ event: on, inputs: { 'api-key': '' } })
  expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, requests: [] })
  expect(end.log[0]).toMatch(/`api-key`: It is empty.*fork/)
})

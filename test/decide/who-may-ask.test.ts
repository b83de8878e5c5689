import { describe, expect, test } from 'vitest'
import {
  bareEvent,
  bot,
  type Event,
  event,
  issueComment,
  newIssue,
  person,
  pullRequest,
  push,
  review,
  reviewComment,
} from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { type Account, addComment } from '../support/world.ts'

const ACTORS: Readonly<Record<string, Account>> = {
  // The payload does not name them.
  nobody: person(''),
  reader: person('reader'),
  writer: person('writer'),
  bot: bot('renovate[bot]'),
  'allowed bot': bot('docs-helper[bot]'),
  'person with its login': person('docs-helper[bot]'),
  // The account that has the login now has write permission, and another id.
  'account that had a login': person('renamed', 7002),
}
const reader = person('reader')
const writer = person('writer')

/** An event as somebody causes it. */
type Caused = (by: Account) => Event

const body = '/docs explain it'
function caused(name: string, change: object = {}): Caused {
  return (sender) => event(name, { ...change, sender })
}
function comment(change: object = {}): Caused {
  return (author) => issueComment({ id: 5001, body, author, ...change })
}
const inReview: Caused = (author) => reviewComment({ id: 5002, body, author })
const reviewed: Caused = (author) => review({ id: 1, body, author })
const issue: Caused = (author) => newIssue({ body, author })
function pull(change: Parameters<typeof pullRequest>[0]): Caused {
  return (sender) => pullRequest({ ...change, sender })
}
const merged = { action: 'closed', pull: { merged: true } }
const closed = pull({ action: 'closed', pull: { merged: false } })
const fromFork = { from: 'stranger/docs' }
const target =
  (change: Parameters<typeof pullRequest>[0]): Caused =>
  (sender) => ({ ...pull(change)(sender), name: 'pull_request_target' })
const workflowRun = (name: string, full_name = 'acme/docs'): Caused =>
  caused('workflow_run', { workflow_run: { event: name, head_repository: { full_name } } })
/** The run of a pull request: its sender is another one than who triggered it. */
const afterPull: Caused = (triggering_actor) => {
  const head_repository = { full_name: 'acme/docs' }
  const workflow_run = { event: 'pull_request', head_repository, triggering_actor }
  return event('workflow_run', { workflow_run, sender: writer })
}

const GET = (login: string): string => `GET /collaborators/${login}/permission`

type Outcomes = Readonly<Record<string, readonly string[]>>

/** What becomes of a request for which its author is asked about; `refused` is what follows a refusal. */
const asked = (...refused: readonly string[]): Outcomes => ({
  nobody: ['skipped: notice'],
  reader: ['skipped: notice', GET('reader'), ...refused],
  writer: ['starts', GET('writer')],
  bot: ['skipped: notice', GET('renovate[bot]')],
  'allowed bot': ['starts'],
  'person with its login': ['skipped: notice', GET('docs-helper[bot]'), ...refused],
  'account that had a login': ['skipped: notice', GET('renamed'), ...refused],
})
const ASKED = asked()
/** The same where Apps have been let in by an owner of the repository. */
const ASKED_UNLESS_APP: Outcomes = { ...ASKED, bot: ['starts'] }
/** A command: bots and nobody are ignored. The path is where its source takes reactions. */
const command = (reactions?: string): Outcomes => ({
  ...asked(...(reactions === undefined ? [] : [`POST ${reactions}/reactions -1`])),
  nobody: ['skipped'],
  bot: ['skipped'],
})

const same = (outcome: string): Outcomes =>
  Object.fromEntries(Object.keys(ACTORS).map((who) => [who, [outcome]]))
const TRUSTED = same('starts')
const IGNORED = same('skipped')
const NOTICED = same('skipped: notice')

const PROMPT = { prompt: 'Document it.', context: 'none', 'follow-up': 'false' }
const NO_COMMAND = { ...PROMPT, command: '' }

/** Who may start a job: the event as somebody causes it, the run's inputs, and what happens by who caused it. */
const WHO_MAY_ASK: readonly {
  readonly what: string
  readonly by: Caused
  readonly inputs?: Readonly<Record<string, string>>
  readonly ends: Outcomes
}[] = [
  { what: 'a command', by: comment(), inputs: {}, ends: command('/issues/comments/5001') },
  {
    what: 'a command on an issue',
    by: comment({ onIssue: true }),
    ends: command('/issues/comments/5001'),
  },
  {
    what: 'a command without comments',
    by: comment(),
    inputs: { comment: 'never' },
    ends: command(),
  },
  { what: 'a command in a dry run', by: comment(), inputs: { 'dry-run': 'true' }, ends: command() },
  { what: 'a comment', by: comment({ body: 'Yes.' }), ends: IGNORED },
  { what: 'an edited comment', by: comment({ action: 'edited' }), ends: IGNORED },
  { what: 'a comment if `command` is empty', by: comment(), inputs: NO_COMMAND, ends: ASKED },
  {
    what: 'a command in a review',
    by: inReview,
    inputs: {},
    ends: command('/pulls/comments/5002'),
  },
  { what: 'a review, nothing requested', by: reviewed, inputs: {}, ends: NOTICED },
  {
    what: 'an issue, nothing requested, a wrong input',
    by: issue,
    inputs: { timeout: '1' },
    ends: NOTICED,
  },
  { what: 'an issue', by: issue, ends: ASKED },
  { what: 'an issue, a job to wait for', by: issue, inputs: { 'job-id': 'job_1' }, ends: ASKED },
  { what: 'an issue, a report', by: issue, inputs: { 'visitors-summary': 'true' }, ends: ASKED },
  { what: 'a discussion', by: caused('discussion'), ends: ASKED },
  { what: 'a discussion, nothing requested', by: caused('discussion'), inputs: {}, ends: NOTICED },
  { what: 'a comment on one', by: caused('discussion_comment'), inputs: {}, ends: NOTICED },
  {
    what: 'an unknown event',
    by: (sender) => ({ name: 'constructor', payload: { sender } }),
    ends: ASKED,
  },
  { what: 'a new pull request', by: pull({ action: 'opened' }), ends: ASKED_UNLESS_APP },
  { what: 'a push to a pull request', by: pull({ action: 'synchronize' }), ends: TRUSTED },
  { what: 'a merge', by: pull(merged), ends: TRUSTED },
  { what: 'a merge from a fork', by: pull({ ...fromFork, ...merged }), ends: TRUSTED },
  { what: 'a merge on pull_request_target', by: target({ ...fromFork, ...merged }), ends: TRUSTED },
  { what: 'no merge', by: closed, ends: IGNORED },
  {
    what: 'no merge, a job to wait for',
    by: closed,
    inputs: { 'job-id': 'job_1' },
    ends: ASKED_UNLESS_APP,
  },
  {
    what: 'a label after a merge',
    by: pull({ ...merged, action: 'labeled' }),
    ends: ASKED_UNLESS_APP,
  },
  { what: 'a push to a fork', by: pull({ ...fromFork, action: 'synchronize' }), ends: ASKED },
  { what: 'a push on pull_request_target', by: target({ action: 'synchronize' }), ends: ASKED },
  { what: 'a workflow after a push', by: workflowRun('push', 'Acme/Docs'), ends: TRUSTED },
  {
    what: 'a workflow after a push to a fork',
    by: workflowRun('push', 'stranger/docs'),
    ends: ASKED,
  },
  {
    what: 'a workflow after pull_request_target',
    by: workflowRun('pull_request_target'),
    ends: ASKED,
  },
  { what: 'a workflow after no event', by: workflowRun(''), ends: ASKED },
  { what: 'a workflow after a pull request', by: afterPull, ends: ASKED },
  { what: 'a push', by: (sender) => push({ sender }), ends: TRUSTED },
  { what: 'a deleted branch', by: (sender) => push({ sender, deleted: true }), ends: IGNORED },
  { what: 'a schedule', by: () => bareEvent('schedule'), ends: TRUSTED },
  { what: 'a local run', by: () => bareEvent(''), ends: TRUSTED },
]

const it = test.extend('scene', sceneOfActors)

const read = { permission: 'read', role_name: 'read' }
const write = { permission: 'write', role_name: 'write' }

/** A scene in which the actors have their roles, and whatever is reacted to exists. */
async function sceneOfActors() {
  const scene = await startHarness()
  scene.world.roles.set('reader', read).set('writer', write).set('renamed', write)
  for (const kind of ['main', 'review'] as const) {
    addComment(scene.world, { kind, number: 5, author: person('octocat'), body })
  }
  return scene
}

it.each(WHO_MAY_ASK)(
  '$what starts a job of those who may',
  async ({ by, inputs = PROMPT, ends }) => {
    const decided: Record<string, readonly string[]> = {}
    const { run } = await sceneOfActors()
    for (const [who, actor] of Object.entries(ACTORS)) {
      const allowed = { 'allow-bots': 'Docs-Helper[bot], renovate, renovate-bot' }
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
  },
)

it.for([
  { why: 'does not say who caused it', on: target({ action: 'synchronize' })(person('')) },
  { why: 'does not start with /docs', on: comment({ body: 'Yes.' })(reader) },
  { why: 'is not new (`edited`)', on: comment({ action: 'edited' })(reader) },
  { why: 'commands are comments', on: issue(reader), inputs: {} },
  { why: 'the pull request was closed without being merged', on: closed(reader) },
  { why: 'renovate[bot] is a bot', on: comment()(bot('renovate[bot]')) },
  { why: 'deletes `refs/tags/v1`', on: push({ ref: 'refs/tags/v1', deleted: true }) },
])('a run says that it is skipped: $why', async ({ why, on, inputs = PROMPT }, { scene }) => {
  const { log } = await scene.run({ event: on, inputs })
  expect(log).toEqual([expect.stringMatching(/^(?:notice: )?Skipped: /)])
  expect(log[0]).toContain(why)
})

describe('a command without instructions', () => {
  it.for([
    { body: '/docs', inputs: {}, isAnswered: true },
    { body: '/docs new', inputs: {}, isAnswered: true },
    { body: '/docs', inputs: { prompt: 'Document it.' }, isAnswered: false },
    { body: '/docs', inputs: { 'prompt-file': 'prompt.md' }, isAnswered: false },
    { body: '/docs', inputs: { 'job-id': 'job_1' }, isAnswered: false },
  ])('$body is answered with how to use it, with $inputs: $isAnswered', async (row, { scene }) => {
    const { body, inputs, isAnswered } = row
    const files = { 'prompt.md': 'Document it.' }
    const end = await scene.run({ event: comment({ body })(writer), inputs: { ...inputs }, files })
    expect(end.outputs['result'] === 'skipped').toBe(isAnswered)
    expect(scene.said().flat().join().includes('Write your instructions')).toBe(isAnswered)
    expect(end.calls.length > 0).toBe(!isAnswered)
  })

  it('is not answered if its author may not start a job', async ({ scene: { run, said } }) => {
    const end = await run({ event: comment({ body: '/docs' })(reader) })
    expect(end.log).toEqual([expect.stringContaining('`required-permission`')])
    expect(said()).toEqual([])
  })
})

const fork = pullRequest(fromFork)
const ofFork = { pull_request: fork.payload.pull_request ?? {} }
const ofDeleted = { pull_request: { head: { repo: null } } }
const inFork = { repository: { full_name: 'octocat/docs', fork: true } }
const dependabot = bot('dependabot[bot]')

it.for<{ what: string; on: Event; says: string; env?: Readonly<Record<string, string>> }>([
  { what: 'a pull request from a fork', on: fork, says: 'from forks' },
  { what: 'one from a deleted fork', on: { ...fork, payload: ofDeleted }, says: 'from forks' },
  { what: 'a review of one', on: event('pull_request_review', ofFork), says: 'from forks' },
  { what: 'a push in a fork', on: push(inFork), says: 'set one in this fork' },
  { what: 'a push of Dependabot', on: push({ sender: dependabot }), says: 'Dependabot' },
  {
    what: 'a run that Dependabot started',
    on: push(),
    says: 'Dependabot',
    env: { GITHUB_ACTOR: 'dependabot[bot]' },
  },
])('without secrets, $what is skipped, and says what works', async (row, { scene: { run } }) => {
  const { on, says, env = {} } = row
  const ask = (command: string) =>
    run({ event: on, inputs: { ...PROMPT, 'api-key': '', command }, env })
  const end = await ask('/docs')
  expect(end).toMatchObject({ outputs: { result: 'skipped' }, requests: [], calls: [] })
  expect(end.log).toEqual([expect.stringContaining(says)])
  expect(end.log[0]).toMatch(/comment with \/docs .*, or start the job after the merge/)
  expect((await ask('')).log[0]).not.toContain('comment with')
})

it.for<{ what: string; on: Event; inputs?: Readonly<Record<string, string>>; says: RegExp }>([
  { what: 'with a key', on: fork, inputs: { 'api-key': 'mint_1' }, says: /needs `write`/ },
  {
    what: 'with a wrong key',
    on: fork,
    inputs: { 'api-key': 'mint_dsc_1' },
    says: /mint_dsc_|assistant/,
  },
  {
    what: 'in a dry run',
    on: push(inFork),
    inputs: { 'dry-run': 'true' },
    says: /^group: The prompt/,
  },
  {
    what: 'on pull_request_target',
    on: { ...fork, name: 'pull_request_target' },
    says: /`api-key`: It is empty/,
  },
  { what: 'on a push', on: push(), says: /`api-key`: It is empty/ },
  {
    what: 'on a branch',
    on: pullRequest({ action: 'synchronize' }),
    says: /`api-key`: It is empty/,
  },
  {
    what: 'of a command in a fork',
    on: event('issue_comment', { action: 'created', comment: { body }, ...inFork }),
    says: /`api-key`: It is empty.*fork/,
  },
])('a run that lacks no secrets is judged like any other: $what', async (row, { scene }) => {
  const { on, inputs, says } = row
  const end = await scene.run({ event: on, inputs: { ...PROMPT, 'api-key': '', ...inputs } })
  expect(end.log[0]).toMatch(says)
  expect(end.printed).not.toContain('gives no secrets')
})

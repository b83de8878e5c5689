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
const target: Caused = (sender) => ({
  ...pullRequest({ action: 'synchronize', sender }),
  name: 'pull_request_target',
})
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

/** Who may start a job: the event, how it is caused, the run's inputs, and what becomes of it by who caused it. */
const WHO_MAY_ASK: readonly [string, Caused, Readonly<Record<string, string>>, Outcomes][] = [
  ['issue_comment: a command', comment(), {}, command('/issues/comments/5001')],
  [
    'issue_comment: on an issue',
    comment({ onIssue: true }),
    PROMPT,
    command('/issues/comments/5001'),
  ],
  ['issue_comment: a command with `comment: never`', comment(), { comment: 'never' }, command()],
  ['issue_comment: a command in a dry run', comment(), { 'dry-run': 'true' }, command()],
  ['issue_comment: no command', comment({ body: 'Yes.' }), PROMPT, IGNORED],
  ['issue_comment: edited to a command', comment({ action: 'edited' }), PROMPT, IGNORED],
  ['issue_comment where `command` is empty', comment(), NO_COMMAND, ASKED],
  ['pull_request_review_comment: a command', inReview, {}, command('/pulls/comments/5002')],
  ['pull_request_review: nothing requested', reviewed, {}, NOTICED],
  ['issues: nothing requested, other inputs wrong', issue, { timeout: '1' }, NOTICED],
  ['issues: a prompt', issue, PROMPT, ASKED],
  ['issues: a job to wait for', issue, { 'job-id': 'job_1' }, ASKED],
  ['issues: a report', issue, { 'visitors-summary': 'true' }, ASKED],
  ['discussion', caused('discussion'), PROMPT, ASKED],
  ['discussion: nothing requested', caused('discussion'), {}, NOTICED],
  ['discussion_comment: nothing requested', caused('discussion_comment'), {}, NOTICED],
  ['watch', caused('watch'), PROMPT, ASKED],
  ['an unknown event', (sender) => ({ name: 'constructor', payload: { sender } }), PROMPT, ASKED],
  ['pull_request: opened', pull({ action: 'opened' }), PROMPT, ASKED_UNLESS_APP],
  ['pull_request: pushed to', pull({ action: 'synchronize' }), PROMPT, TRUSTED],
  ['pull_request: merged', pull(merged), PROMPT, TRUSTED],
  ['pull_request: closed without a merge', closed, PROMPT, IGNORED],
  ['pull_request: closed, a job to wait for', closed, { 'job-id': 'job_1' }, ASKED_UNLESS_APP],
  [
    'pull_request: labeled after its merge',
    pull({ ...merged, action: 'labeled' }),
    PROMPT,
    ASKED_UNLESS_APP,
  ],
  [
    'pull_request from a fork: pushed to',
    pull({ ...fromFork, action: 'synchronize' }),
    PROMPT,
    ASKED,
  ],
  ['pull_request from a fork: merged', pull({ ...fromFork, ...merged }), PROMPT, ASKED],
  ['pull_request_target', target, PROMPT, ASKED],
  ['workflow_run after a push', workflowRun('push', 'Acme/Docs'), PROMPT, TRUSTED],
  ['workflow_run after a push in a fork', workflowRun('push', 'stranger/docs'), PROMPT, ASKED],
  ['workflow_run after pull_request_target', workflowRun('pull_request_target'), PROMPT, ASKED],
  ['workflow_run after no event', workflowRun(''), PROMPT, ASKED],
  ['workflow_run after a pull request', afterPull, PROMPT, ASKED],
  ['push', (sender) => push({ sender }), PROMPT, TRUSTED],
  ['push that deletes a branch', (sender) => push({ sender, deleted: true }), PROMPT, IGNORED],
  ['schedule', () => bareEvent('schedule'), PROMPT, TRUSTED],
  ['no event, as in a local run', () => bareEvent(''), PROMPT, TRUSTED],
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

it.each(WHO_MAY_ASK)('who may start a job: %s', async (_what, made, inputs, outcomes) => {
  const decided: Record<string, readonly string[]> = {}
  const { run } = await sceneOfActors()
  for (const [who, actor] of Object.entries(ACTORS)) {
    const allowed = { 'allow-bots': 'Docs-Helper[bot], renovate, renovate-bot' }
    const given = { ...allowed, 'follow-up': 'false', context: 'none', wait: 'false', ...inputs }
    const end = await run({ event: made(actor), inputs: given })
    const isSkipped = end.outputs['result'] === 'skipped'
    if (isSkipped) expect([end.hasFailed, end.calls]).toEqual([false, []])
    const level = end.titles.length > 0 ? 'skipped: notice' : 'skipped'
    decided[who] = [
      isSkipped ? level : 'starts',
      ...end.requests.filter((line) => isSkipped || line.endsWith('/permission')),
    ]
  }
  expect(decided).toEqual(outcomes)
})

const NEEDS = 'needs `write` (`required-permission`)'
const NOBODY = `the event does not say who caused it, and a run on this \`pull_request_target\` event ${NEEDS}`
const NO_BOT = 'renovate[bot] is a bot that `allow-bots` does not list'
const TEXT =
  'the inputs request nothing, and commands count only in comments on an issue or pull request, or on a line of one'

it.for([
  [NOBODY, target(person(''))],
  [
    'the comment does not start with /docs as a word in plain text',
    comment({ body: 'Yes.' })(reader),
  ],
  ['the comment is not new (`edited`)', comment({ action: 'edited' })(reader)],
  [TEXT, issue(reader)],
  ['this pull request was closed without a merge', closed(reader)],
  [NO_BOT, comment()(bot('renovate[bot]'))],
  ['this push deletes `refs/tags/v1`', push({ ref: 'refs/tags/v1', deleted: true })],
] as const)('a run says why it is skipped: %s', async ([reason, made], { scene: { run } }) => {
  const end = await run({ event: made, inputs: reason === NOBODY ? PROMPT : {} })
  expect(end.log).toEqual([expect.stringMatching(/^(?:notice: )?Skipped: /)])
  expect(end.log[0]).toContain(`Skipped: ${reason}.`)
})

describe('a command without instructions', () => {
  it.for<[string, Readonly<Record<string, string>>, boolean]>([
    ['/docs', {}, true],
    ['/docs new', {}, true],
    ['/docs', { prompt: 'Document it.' }, false],
    ['/docs', { 'prompt-file': 'prompt.md' }, false],
    ['/docs', { 'job-id': 'job_1' }, false],
  ])(
    'a command of the words %j, with %j, is told how to ask: %j',
    async ([text, inputs, isTold], { scene: { run, said } }) => {
      const files = { 'prompt.md': 'Document it.' }
      const end = await run({ event: comment({ body: text })(writer), inputs, files })
      const line = 'notice: Skipped: /docs comes without instructions, and there is no `prompt`.'
      expect(end.log.includes(line)).toBe(isTold)
      expect(said().flat().join().includes('What should the docs agent do?')).toBe(isTold)
      expect(end.calls.length > 0).toBe(!isTold)
    },
  )

  it('how to ask is explained to nobody who may not ask', async ({ scene: { run, said } }) => {
    const end = await run({ event: comment({ body: '/docs' })(reader) })
    expect(end.log).toEqual([expect.stringContaining('needs `write` (`required-permission`)')])
    expect(said()).toEqual([])
  })
})

const fork = pullRequest(fromFork)
const ofFork = { pull_request: fork.payload.pull_request ?? {} }
const ofDeleted = { pull_request: { head: { repo: null } } }
const inFork = { repository: { full_name: 'octocat/docs', fork: true } }
const FORKS = 'runs of forks:'
const BOT = 'Dependabot, which has secrets of its own: set one, or'

it.for<[string, Event, string, Readonly<Record<string, string>>?]>([
  ['a pull request from a fork', fork, FORKS],
  ['a pull request from a fork that was deleted', { ...fork, payload: ofDeleted }, FORKS],
  ['a review of a pull request from a fork', event('pull_request_review', ofFork), FORKS],
  ['a push in a fork', push(inFork), `${FORKS} set one in this fork, or`],
  ['a push of Dependabot', push({ sender: bot('dependabot[bot]') }), BOT],
  ['a run that Dependabot started', push(), BOT, { GITHUB_ACTOR: 'dependabot[bot]' }],
])(
  'a run without a key is skipped, and told what works, where GitHub gives no secrets: %s',
  async ([_what, made, whom, env = {}], { scene: { run } }) => {
    const why = `notice: Skipped: \`api-key\` is empty, as GitHub gives no secrets to ${whom}`
    const ask = (command: string) =>
      run({ event: made, inputs: { ...PROMPT, 'api-key': '', command }, env })
    const end = await ask('/docs')
    const comment = 'comment with /docs in the main thread of the pull request, or'
    const log = [`${why} ${comment} start the job after the merge, on \`push\`.`]
    expect(end).toMatchObject({ outputs: { result: 'skipped' }, log, requests: [], calls: [] })
    expect((await ask('')).log).toEqual([`${why} start the job after the merge, on \`push\`.`])
  },
)

it.for<[string, Event, Readonly<Record<string, string>>, RegExp]>([
  ['with a key', fork, { 'api-key': 'mint_1' }, /needs `write`/],
  ['with a wrong key', fork, { 'api-key': 'mint_dsc_1' }, /is an assistant key/],
  ['in a dry run', push(inFork), { 'dry-run': 'true' }, /^group: The prompt/],
  ['on pull_request_target', { ...fork, name: 'pull_request_target' }, {}, /key is missing/],
  ['on a push in the repository itself', push(), {}, /key is missing: is its/],
  ['on a pull request from a branch', pullRequest({ action: 'synchronize' }), {}, /key is missing/],
  [
    'of a command in a fork',
    event('issue_comment', { action: 'created', comment: { body }, ...inFork }),
    {},
    /key is missing: this repository is a fork, which has no secrets of the original/,
  ],
])(
  'a run that lacks no secrets is judged like any other: %s',
  async ([_what, made, inputs, says], { scene: { run } }) => {
    const end = await run({ event: made, inputs: { ...PROMPT, 'api-key': '', ...inputs } })
    expect(end.log[0]).toMatch(says)
    expect(end.printed).not.toContain('gives no secrets')
  },
)

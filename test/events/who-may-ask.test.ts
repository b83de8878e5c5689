import { describe, expect, it } from 'vitest'
import { sceneStarter } from '../support/decisions.ts'
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
import { type Account, addComment } from '../support/world.ts'

const newScene = sceneStarter()

const ACTORS: Readonly<Record<string, Account | undefined>> = {
  nobody: undefined,
  reader: person('reader'),
  writer: person('writer'),
  bot: bot('renovate[bot]'),
  'allowed bot': bot('docs-helper[bot]'),
  // The account that has the login now has write permission, and another id.
  'another account with that login': person('renamed', 7002),
}

/** An event as somebody causes it. */
type Caused = (by: Account | undefined) => Event

/** An event that somebody caused, or nobody whom the payload names. */
function by(make: (author: Account) => Event): Caused {
  return (author) => {
    if (author !== undefined) return make(author)
    const { name, payload } = make(person('ghost'))
    const text = JSON.stringify(payload).replaceAll('"login":"ghost"', '"login":""')
    return { name, payload: { ...JSON.parse(text), sender: undefined } }
  }
}

const body = '/docs explain it'
const id = 5001
const caused = (name: string, change: object = {}): Caused =>
  by((sender) => event(name, { ...change, sender }))
const comment = by((author) => issueComment({ id, body, author }))
const onIssue = by((author) => issueComment({ id, body, author, onIssue: true }))
const edited = by((author) => issueComment({ id, body, author, action: 'edited' }))
const inReview = by((author) => reviewComment({ id, body, author }))
const reviewed = by((author) => review({ id, body, author }))
const issueWithCommand = by((author) => newIssue({ body, author }))
const plainIssue = by((author) => newIssue({ body: 'It is broken.', author }))
const pull = (change: Parameters<typeof pullRequest>[0]): Caused =>
  by((sender) => pullRequest({ ...change, sender }))
const asTarget: Caused = (sender) => ({
  ...pull({ action: 'synchronize' })(sender),
  name: 'pull_request_target',
})
const workflowRun = (name: string, repository: string): Caused =>
  caused('workflow_run', { workflow_run: { event: name, head_repository: { full_name: repository } } })
/** The run of a pull request: its sender is another one than who triggered it. */
const afterPull: Caused = by((actor) =>
  event('workflow_run', {
    workflow_run: {
      event: 'pull_request',
      head_repository: { full_name: 'acme/docs' },
      triggering_actor: actor,
    },
    sender: person('writer'),
  }),
)

const GET = (login: string): string => `GET /collaborators/${login}/permission`

type Outcomes = Readonly<Record<string, readonly string[]>>

/** What becomes of a command; the path is where its source takes reactions. */
function command(reactions: string | undefined): Outcomes {
  const refused = reactions === undefined ? [] : [`POST ${reactions}/reactions -1`]
  return {
    nobody: ['skipped (info)'],
    reader: ['skipped (notice)', GET('reader'), ...refused],
    writer: ['goes on', GET('writer')],
    bot: ['skipped (info)'],
    'allowed bot': ['goes on'],
    'another account with that login': ['skipped (notice)', GET('renamed'), ...refused],
  }
}

const ASKED: Outcomes = {
  nobody: ['skipped (notice)'],
  reader: ['skipped (notice)', GET('reader')],
  writer: ['goes on', GET('writer')],
  bot: ['skipped (notice)', GET('renovate[bot]')],
  'allowed bot': ['goes on'],
  'another account with that login': ['skipped (notice)', GET('renamed')],
}
/** The same where Apps have been let in by an owner of the repository. */
const ASKED_UNLESS_APP: Outcomes = { ...ASKED, bot: ['goes on'] }

const same = (outcome: string): Outcomes =>
  Object.fromEntries(Object.keys(ACTORS).map((who) => [who, [outcome]]))
const TRUSTED = same('goes on')
const IGNORED = same('skipped (info)')

const PROMPT = { prompt: 'Document it.', 'ignore-authors': '', context: 'none', 'follow-up': 'false' }
const NO_COMMAND = { ...PROMPT, command: '' }

type Row = readonly [
  what: string,
  event: Caused,
  inputs: Readonly<Record<string, string>>,
  outcomes: Outcomes,
]

const TABLE: readonly Row[] = [
  ['issue_comment: a command', comment, {}, command(`/issues/comments/${id}`)],
  ['issue_comment: a command on an issue', onIssue, PROMPT, command(`/issues/comments/${id}`)],
  ['issue_comment: a command with `comment: never`', comment, { comment: 'never' }, command(undefined)],
  ['issue_comment: a command in a dry run', comment, { 'dry-run': 'true' }, command(undefined)],
  ['pull_request_review_comment: a command', inReview, {}, command(`/pulls/comments/${id}`)],
  ['pull_request_review: a command', reviewed, {}, command(undefined)],
  ['issues: a command', issueWithCommand, {}, command('/issues/5')],
  [
    'issues: a command beside a prompt',
    issueWithCommand,
    PROMPT,
    { ...command('/issues/5'), nobody: ['skipped (notice)'] },
  ],
  ['issues: no command, no prompt', plainIssue, {}, IGNORED],
  ['issues: no command, a prompt', plainIssue, PROMPT, ASKED],
  [
    'issues: transferred, a command and a prompt',
    by((author) => {
      const { name, payload } = newIssue({ body, author })
      return { name, payload: { ...payload, changes: { old_issue: { number: 1 } } } }
    }),
    PROMPT,
    IGNORED,
  ],
  ['issues: labeled, a prompt', caused('issues', { action: 'labeled' }), PROMPT, ASKED],
  [
    'issues: labeled, a report alone',
    caused('issues', { action: 'labeled' }),
    { 'visitors-summary': 'true' },
    ASKED,
  ],
  ['issue_comment: no command', by((author) => issueComment({ id, body: 'Yes.', author })), PROMPT, IGNORED],
  ['issue_comment: edited to a command', edited, PROMPT, IGNORED],
  [
    'pull_request_review: dismissed',
    by((author) => review({ id, body, author, action: 'dismissed' })),
    PROMPT,
    IGNORED,
  ],
  ['issue_comment where `command` is empty', comment, NO_COMMAND, ASKED],
  ['pull_request_review_comment where `command` is empty', inReview, NO_COMMAND, ASKED],
  ['pull_request_review where `command` is empty', reviewed, NO_COMMAND, ASKED],
  ['discussion', caused('discussion'), PROMPT, ASKED],
  ['watch', caused('watch'), PROMPT, ASKED],
  ['status', caused('status'), PROMPT, ASKED],
  [
    'an event that nobody knows yet',
    by((sender) => ({ name: 'constructor', payload: { sender } })),
    PROMPT,
    {
      ...ASKED,
    },
  ],
  ['pull_request: opened', pull({ action: 'opened' }), PROMPT, ASKED_UNLESS_APP],
  ['pull_request: pushed to', pull({ action: 'synchronize' }), PROMPT, TRUSTED],
  ['pull_request: merged', pull({ action: 'closed', pull: { merged: true } }), PROMPT, TRUSTED],
  ['pull_request: closed', pull({ action: 'closed', pull: { merged: false } }), PROMPT, ASKED_UNLESS_APP],
  [
    'pull_request: labeled after its merge',
    pull({ action: 'labeled', pull: { merged: true } }),
    PROMPT,
    ASKED_UNLESS_APP,
  ],
  ['pull_request from a fork: opened', pull({ from: 'stranger/docs' }), PROMPT, ASKED],
  [
    'pull_request from a fork: pushed to',
    pull({ from: 'stranger/docs', action: 'synchronize' }),
    PROMPT,
    ASKED,
  ],
  [
    'pull_request from a fork: merged',
    pull({ from: 'stranger/docs', action: 'closed', pull: { merged: true } }),
    PROMPT,
    ASKED,
  ],
  ['pull_request_target', asTarget, PROMPT, ASKED],
  ['workflow_run after a push', workflowRun('push', 'Acme/Docs'), PROMPT, TRUSTED],
  ['workflow_run after a push in a fork', workflowRun('push', 'stranger/docs'), PROMPT, ASKED],
  ['workflow_run after a comment', workflowRun('issue_comment', 'acme/docs'), PROMPT, ASKED],
  ['workflow_run after pull_request_target', workflowRun('pull_request_target', 'acme/docs'), PROMPT, ASKED],
  ['workflow_run after no event', workflowRun('', 'acme/docs'), PROMPT, ASKED],
  ['workflow_run after a pull request', afterPull, PROMPT, ASKED],
  ['push', by((sender) => push({ sender })), PROMPT, TRUSTED],
  ['push that deletes a branch', by((sender) => push({ sender, deleted: true })), PROMPT, IGNORED],
  ['schedule', () => bareEvent('schedule'), PROMPT, TRUSTED],
  ['workflow_dispatch', caused('workflow_dispatch'), PROMPT, TRUSTED],
  ['release', caused('release'), PROMPT, TRUSTED],
  ['merge_group', caused('merge_group'), PROMPT, TRUSTED],
  ['deployment', caused('deployment'), PROMPT, TRUSTED],
  ['no event, as in a local run', () => bareEvent(''), PROMPT, TRUSTED],
]

const read = { permission: 'read', role_name: 'read' }
const write = { permission: 'write', role_name: 'write' }

/** A scene in which the actors have their roles, and whatever is reacted to exists. */
async function sceneOfActors() {
  const scene = await newScene()
  scene.world.roles.set('reader', read).set('writer', write).set('renamed', write)
  for (const kind of ['main', 'review'] as const) {
    addComment(scene.world, { kind, number: 5, author: person('octocat'), body })
  }
  return scene
}

describe('who may start a job', () => {
  it.each(TABLE)('%s', async (_what, made, inputs, outcomes) => {
    const decided: Record<string, readonly string[]> = {}
    for (const [who, actor] of Object.entries(ACTORS)) {
      const { decide, github } = await sceneOfActors()
      // The fake knows the comments by other ids.
      github.faults.push({ match: /\/reactions /, end: { status: 201, body: { id: 1, content: '-1' } } })
      const given = { 'allow-bots': 'Docs-Helper[bot]', ...inputs }
      const { result, requests } = await decide({ event: made(actor), inputs: given })
      decided[who] = [result, ...requests]
    }
    expect(decided).toEqual(outcomes)
  })

  const REASONS: readonly (readonly [string, Event, Readonly<Record<string, string>>, string])[] = [
    [
      'an event',
      caused('watch')(person('reader')),
      PROMPT,
      'Skipped: reader has the permission `read` on this repository, and a job for this `watch` event needs `write` (`required-permission`).',
    ],
    [
      'a command',
      reviewed(person('reader')),
      { 'required-permission': 'admin' },
      'Skipped: reader has the permission `read` on this repository, and the command /docs needs `admin` (`required-permission`).',
    ],
    [
      'somebody whom the payload does not name',
      asTarget(undefined),
      PROMPT,
      'Skipped: the event does not say who caused it, and a job for this `pull_request_target` event needs `write` (`required-permission`).',
    ],
    [
      'a plain comment',
      issueComment({ id, body: 'Yes.', author: person('reader') }),
      PROMPT,
      'Skipped: the comment does not start with /docs.',
    ],
    [
      'an edited comment',
      edited(person('reader')),
      PROMPT,
      'Skipped: the comment is not new (`issue_comment`, `edited`).',
    ],
    [
      'a plain issue',
      plainIssue(person('reader')),
      {},
      'Skipped: the issue does not start with /docs, and there is no `prompt`.',
    ],
    ['a bot', comment(ACTORS['bot']), {}, 'Skipped: renovate[bot] is a bot that `allow-bots` does not list.'],
    [
      'a command alone',
      issueComment({ id, body: '/docs', author: person('writer') }),
      {},
      'Skipped: /docs comes without instructions, and there is no `prompt`.',
    ],
    [
      'a push that deletes a tag',
      push({ ref: 'refs/tags/v1', deleted: true }),
      PROMPT,
      'Skipped: this push deletes `refs/tags/v1`.',
    ],
  ]

  it.each(REASONS)('is said in words: %s', async (_what, made, inputs, reason) => {
    const { decide } = await sceneOfActors()
    expect((await decide({ event: made, inputs })).reason).toBe(reason)
  })

  it('is asked of every person, and of a bot that only has the login of an allowed one', async () => {
    const { decide } = await sceneOfActors()
    const ofBot = await decide({
      event: comment(bot('renovate[bot]')),
      inputs: { 'allow-bots': 'renovate, renovate[bot' },
    })
    expect(ofBot).toMatchObject({ result: 'skipped (info)', requests: [] })
    const ofPerson = await decide({
      event: comment(person('renovate[bot]')),
      inputs: { 'allow-bots': 'renovate[bot]', comment: 'never' },
    })
    expect(ofPerson).toMatchObject({ result: 'skipped (notice)', requests: [GET('renovate[bot]')] })
  })
})

describe('a command without instructions', () => {
  it.each([
    ['/docs', {}, 'skipped (notice)', true],
    ['/docs new', {}, 'skipped (notice)', true],
    ['/docs <!-- nothing to see -->', {}, 'skipped (notice)', true],
    ['/docs', { prompt: 'Document it.' }, 'goes on', false],
    ['/docs', { 'prompt-file': 'prompt.md' }, 'goes on', false],
    ['/docs', { 'job-id': 'job_1' }, 'goes on', false],
  ])('%j with %j: %s', async (text, inputs, result, explainsUsage) => {
    const { decide } = await sceneOfActors()
    const made = issueComment({ id, body: text, author: person('writer') })
    expect(await decide({ event: made, inputs })).toMatchObject({ result, explainsUsage })
  })

  it('is explained to nobody who may not ask', async () => {
    const { decide } = await sceneOfActors()
    const made = issueComment({ id, body: '/docs', author: person('reader') })
    const decision = await decide({ event: made, inputs: { comment: 'never' } })
    expect(decision).toMatchObject({ result: 'skipped (notice)', explainsUsage: false })
  })
})

describe('a run without secrets', () => {
  const dependabot = bot('dependabot[bot]')
  const fork = { from: 'stranger/docs' }
  const inFork = push({ repository: { full_name: 'octocat/docs', fork: true } })
  const NOTHING: readonly (readonly [string, Event, Readonly<Record<string, string>>])[] = [
    ['a pull request from a fork', pullRequest(fork), {}],
    [
      'a pull request from a fork that was deleted',
      { name: 'pull_request', payload: { pull_request: { head: { repo: null } } } },
      {},
    ],
    [
      'a review of a pull request from a fork',
      {
        name: 'pull_request_review',
        payload: {
          ...reviewed(person('writer')).payload,
          pull_request: { number: 5, head: { repo: { full_name: 'stranger/docs' } } },
        },
      },
      {},
    ],
    ['a push in a fork', inFork, {}],
    ['a push of Dependabot', push({ sender: dependabot }), {}],
    ['a run that Dependabot started', push(), { GITHUB_ACTOR: 'dependabot[bot]' }],
  ]

  it.each(NOTHING)('is skipped where there is no key: %s', async (_what, made, env) => {
    const { decide } = await newScene()
    const decision = await decide({ event: made, inputs: { ...PROMPT, 'api-key': '' }, env })
    expect(decision).toMatchObject({
      result: 'skipped (notice)',
      reason:
        'Skipped: `api-key` is empty, as GitHub gives no secrets to pull requests from forks, to Dependabot, and to pushes in a fork.',
      requests: [],
    })
  })

  it.each([
    ['with a key', pullRequest(fork), { 'api-key': 'mint_1' }],
    ['in a dry run', inFork, { 'api-key': '', 'dry-run': 'true' }],
    ['on pull_request_target', { ...pullRequest(fork), name: 'pull_request_target' }, { 'api-key': '' }],
    ['on a push in the repository itself', push(), { 'api-key': '' }],
    ['on a pull request from a branch', pullRequest({ action: 'synchronize' }), { 'api-key': '' }],
  ])('is judged like any other %s', async (_what, made, inputs) => {
    const { newRun } = await newScene()
    expect(newRun({ event: made, inputs: { ...PROMPT, ...inputs } }).trigger).not.toHaveProperty('skip')
  })
})

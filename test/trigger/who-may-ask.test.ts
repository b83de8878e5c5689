import { describe, expect, it } from 'vitest'
import {
  bot,
  type Event,
  issueComment,
  newIssue,
  otherEvent,
  person,
  pullRequest,
  push,
  review,
  reviewComment,
} from '../github/events.ts'
import type { Account } from '../github/world.ts'
import { decisionStarter } from './decide.ts'

const newScene = decisionStarter()

const ACTORS: Readonly<Record<string, Account | undefined>> = {
  nobody: undefined,
  reader: person('reader'),
  writer: person('writer'),
  bot: bot('renovate[bot]'),
  'allowed bot': bot('docs-helper[bot]'),
  // The account that has the login now has write permission, and another id.
  'another account with that login': person('renamed', 7002),
}

const body = '/docs explain it'
const id = 4711

/** An event as somebody causes it. */
type Caused = (by: Account | undefined) => Event

/** What somebody has written, by an account that is gone. */
function byNobody({ name, payload }: Event): Event {
  const text = JSON.stringify(payload).replaceAll('"login":"ghost"', '"login":""')
  return { name, payload: { ...JSON.parse(text), sender: undefined } }
}

const ghost = person('ghost')
const written =
  (write: (author: Account) => Event): Caused =>
  (by) =>
    by === undefined ? byNobody(write(ghost)) : write(by)
const caused =
  (name: string, change: object = {}): Caused =>
  (sender) =>
    otherEvent(name, { ...change, sender })

const workflowRun = (event: string, repository: string): Caused =>
  caused('workflow_run', { workflow_run: { event, head_repository: { full_name: repository } } })

const comment = written((author) => issueComment({ id, body, author }))
const onIssue = written((author) => issueComment({ id, body, author, onIssue: true }))
const inReview = written((author) => reviewComment({ id, body, author }))
const reviewed = written((author) => review({ id, body, author }))
const askedInIssue = written((author) => newIssue({ body, author }))
const plainIssue = written((author) => newIssue({ body: 'It is broken.', author }))
const asTarget: Caused = (sender) => ({
  ...pullRequest(sender === undefined ? {} : { sender }),
  name: 'pull_request_target',
  ...(sender === undefined && { payload: { ...pullRequest().payload, sender: null } }),
})
const fromFork: Caused = (sender) => ({
  name: 'pull_request',
  payload: { ...pullRequest({ from: 'stranger/docs' }).payload, sender: sender ?? null },
})
const fromBranch: Caused = (sender) => ({
  name: 'pull_request',
  payload: { ...pullRequest().payload, sender: sender ?? null },
})

const GET = (login: string): string => `GET /collaborators/${encodeURIComponent(login)}/permission`
const thumbDown = (path: string): string => `POST ${path}/reactions -1`

/** What becomes of a command: the reaction's path is where its source takes reactions. */
function command(reactions: string | undefined): Readonly<Record<string, readonly string[]>> {
  const refused = reactions === undefined ? [] : [thumbDown(reactions)]
  return {
    nobody: ['skipped (info)'],
    reader: ['skipped (notice)', GET('reader'), ...refused],
    writer: ['goes on', GET('writer')],
    bot: ['skipped (info)'],
    'allowed bot': ['goes on'],
    'another account with that login': ['skipped (notice)', GET('renamed'), ...refused],
  }
}

const CHECKED: Readonly<Record<string, readonly string[]>> = {
  nobody: ['skipped (notice)'],
  reader: ['skipped (notice)', GET('reader')],
  writer: ['goes on', GET('writer')],
  bot: ['skipped (notice)', GET('renovate[bot]')],
  'allowed bot': ['goes on'],
  'another account with that login': ['skipped (notice)', GET('renamed')],
}

const same = (...outcome: readonly string[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.keys(ACTORS).map((who) => [who, outcome]))
const TRUSTED = same('goes on')
const IGNORED = same('skipped (info)')

const PROMPT = { prompt: 'Document it.', 'ignore-authors': '' }
const NO_COMMAND = { ...PROMPT, command: '' }

type Row = readonly [
  what: string,
  event: Caused,
  inputs: Readonly<Record<string, string>>,
  outcome: Readonly<Record<string, readonly string[]>>,
]

const TABLE: readonly Row[] = [
  ['issue_comment: a command', comment, {}, command(`/issues/comments/${id}`)],
  ['issue_comment: a command on an issue', onIssue, PROMPT, command(`/issues/comments/${id}`)],
  ['issue_comment: a command with `comment: never`', comment, { comment: 'never' }, command(undefined)],
  ['issue_comment: a command in a dry run', comment, { 'dry-run': 'true' }, command(undefined)],
  ['pull_request_review_comment: a command', inReview, {}, command(`/pulls/comments/${id}`)],
  ['pull_request_review: a command', reviewed, {}, command(undefined)],
  ['issues: a command', askedInIssue, {}, command('/issues/5')],
  [
    'issues: a command beside a prompt',
    askedInIssue,
    PROMPT,
    { ...command('/issues/5'), nobody: ['skipped (notice)'] },
  ],
  ['issues: no command, no prompt', plainIssue, {}, IGNORED],
  ['issues: no command, a prompt', plainIssue, PROMPT, CHECKED],
  [
    'issues: labeled, a report alone',
    caused('issues', { action: 'labeled' }),
    { 'visitors-summary': 'true' },
    CHECKED,
  ],
  ['issues: labeled', (by) => caused('issues', { action: 'labeled' })(by), PROMPT, CHECKED],
  [
    'issue_comment: no command',
    written((author) => issueComment({ id, body: 'Yes.', author })),
    PROMPT,
    IGNORED,
  ],
  [
    'issue_comment: edited to a command',
    written((author) => issueComment({ id, body, author, action: 'edited' })),
    PROMPT,
    IGNORED,
  ],
  [
    'pull_request_review: dismissed',
    written((author) => review({ id, body, author, action: 'dismissed' })),
    PROMPT,
    IGNORED,
  ],
  ['issue_comment where `command` is empty', comment, NO_COMMAND, CHECKED],
  [
    'issue_comment: edited, where `command` is empty',
    written((author) => issueComment({ id, body, author, action: 'edited' })),
    NO_COMMAND,
    CHECKED,
  ],
  ['pull_request_review_comment where `command` is empty', inReview, NO_COMMAND, CHECKED],
  ['pull_request_review where `command` is empty', reviewed, NO_COMMAND, CHECKED],
  ['issues where `command` is empty', askedInIssue, NO_COMMAND, CHECKED],
  [
    'issues without words where `command` is empty',
    written((author) => newIssue({ body: '', author })),
    NO_COMMAND,
    CHECKED,
  ],
  ['discussion', caused('discussion'), PROMPT, CHECKED],
  ['discussion_comment', caused('discussion_comment'), PROMPT, CHECKED],
  ['watch', caused('watch'), PROMPT, CHECKED],
  ['fork', caused('fork'), PROMPT, CHECKED],
  ['gollum', caused('gollum'), PROMPT, CHECKED],
  ['status', caused('status'), PROMPT, CHECKED],
  ['pull_request_target', asTarget, PROMPT, CHECKED],
  ['pull_request from a fork', fromFork, PROMPT, CHECKED],
  ['workflow_run after an issue comment', workflowRun('issue_comment', 'acme/docs'), PROMPT, CHECKED],
  [
    'workflow_run after pull_request_target',
    workflowRun('pull_request_target', 'acme/docs'),
    PROMPT,
    CHECKED,
  ],
  [
    'workflow_run after a pull request from a fork',
    workflowRun('pull_request', 'stranger/docs'),
    PROMPT,
    CHECKED,
  ],
  ['workflow_run after a push in a fork', workflowRun('push', 'stranger/docs'), PROMPT, CHECKED],
  ['workflow_run after a push', workflowRun('push', 'Acme/Docs'), PROMPT, TRUSTED],
  ['workflow_run after a pull request', workflowRun('pull_request', 'acme/docs'), PROMPT, TRUSTED],
  ['pull_request from a branch here', fromBranch, PROMPT, TRUSTED],
  ['push', (sender) => push({ sender }), PROMPT, TRUSTED],
  ['schedule', (sender) => ({ name: 'schedule', payload: { sender } }), PROMPT, TRUSTED],
  ['workflow_dispatch', caused('workflow_dispatch'), PROMPT, TRUSTED],
  ['repository_dispatch', caused('repository_dispatch'), PROMPT, TRUSTED],
  ['release', caused('release'), PROMPT, TRUSTED],
  ['merge_group', caused('merge_group'), PROMPT, TRUSTED],
  ['create', caused('create'), PROMPT, TRUSTED],
  ['delete', caused('delete'), PROMPT, TRUSTED],
  ['deployment', caused('deployment'), PROMPT, TRUSTED],
  ['deployment_status', caused('deployment_status'), PROMPT, TRUSTED],
  ["no event, as in a run of one's own", (sender) => ({ name: '', payload: { sender } }), PROMPT, TRUSTED],
]

describe('who may start a job', () => {
  it.each(TABLE)('%s', async (_what, event, inputs, outcome) => {
    const { github, decide } = await newScene()
    const read = { permission: 'read', role_name: 'read' }
    const write = { permission: 'write', role_name: 'write' }
    github.world.roles.set('reader', read).set('writer', write).set('renamed', write)
    // Whatever is reacted to is there.
    github.faults.push({ match: /\/reactions /, end: { status: 201, body: { id: 1, content: '-1' } } })
    const decided: Record<string, readonly string[]> = {}
    for (const [who, actor] of Object.entries(ACTORS)) {
      const given = { 'allow-bots': 'Docs-Helper[bot]', ...inputs }
      const { result, requests } = await decide({ event: event(actor), inputs: given })
      decided[who] = [result, ...requests]
    }
    expect(decided).toEqual(outcome)
  })

  it('is said by name, with the input that decides', async () => {
    const { github, decide } = await newScene()
    github.world.roles.set('reader', { permission: 'read', role_name: 'read' })
    const watched = await decide({ event: caused('watch')(ACTORS['reader']), inputs: PROMPT })
    expect(watched.reason).toBe(
      'Nothing was done for this `watch` event, which anybody can cause: reader has the permission `read` on this repository, and `required-permission` is `write`.',
    )
    const asked = await decide({
      event: reviewed(ACTORS['reader']),
      inputs: { 'required-permission': 'admin' },
    })
    expect(asked.reason).toBe(
      'The /docs command was not carried out: reader has the permission `read` on this repository, and `required-permission` is `admin`.',
    )
    const target = await decide({ event: asTarget(undefined), inputs: PROMPT })
    expect(target.reason).toMatch(
      /^Nothing was done for this `pull_request_target` event.*`required-permission`/,
    )
  })

  it('is asked for no bot that only has the login of one, and for every person', async () => {
    const { decide } = await newScene()
    const allow = { 'allow-bots': 'renovate, renovate[bot' }
    const ofBot = await decide({ event: comment(bot('renovate[bot]')), inputs: allow })
    expect(ofBot).toMatchObject({ result: 'skipped (info)', requests: [] })
    const named = { 'allow-bots': 'renovate[bot]', comment: 'never' }
    const ofPerson = await decide({ event: comment(person('renovate[bot]')), inputs: named })
    expect(ofPerson).toMatchObject({ result: 'skipped (notice)', requests: [GET('renovate[bot]')] })
  })
})

describe('a command that says nothing', () => {
  it.each([
    ['/docs', {}, 'skipped (notice)', true],
    ['/docs new', {}, 'skipped (notice)', true],
    ['/docs <!-- nothing to see -->', {}, 'skipped (notice)', true],
    ['/docs', { prompt: 'Document it.' }, 'goes on', false],
    ['/docs', { 'prompt-file': 'prompt.md' }, 'goes on', false],
    ['/docs', { 'job-id': 'job_1' }, 'goes on', false],
  ])('%j with %j: %s', async (text, inputs, result, explainsUsage) => {
    const { github, decide } = await newScene()
    github.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    const event = issueComment({ id, body: text, author: person('octocat') })
    expect(await decide({ event, inputs })).toMatchObject({ result, explainsUsage })
  })

  it('is explained to nobody who may not ask', async () => {
    const { decide } = await newScene()
    const event = issueComment({ id, body: '/docs', author: person('stranger') })
    const decision = await decide({ event, inputs: { comment: 'never' } })
    expect(decision).toMatchObject({ result: 'skipped (notice)', explainsUsage: false })
  })
})

describe('a run without secrets', () => {
  const dependabot = bot('dependabot[bot]')
  const inFork = push({ repository: { full_name: 'octocat/docs', fork: true } })

  it.each([
    ['a pull request from a fork', fromFork(ghost), {}],
    [
      'a pull request from a fork that is gone',
      { name: 'pull_request', payload: { pull_request: { head: { repo: null } } } },
      {},
    ],
    [
      'a review of one',
      {
        name: 'pull_request_review',
        payload: {
          ...reviewed(ghost).payload,
          pull_request: { number: 5, head: { repo: { full_name: 'stranger/docs' } } },
        },
      },
      {},
    ],
    [
      'a command in a review of one',
      {
        ...inReview(ghost),
        payload: { ...inReview(ghost).payload, pull_request: { number: 5, head: { repo: null } } },
      },
      {},
    ],
    ["Dependabot's push", push({ sender: dependabot }), {}],
    [
      "Dependabot's pull request, run again by somebody",
      fromBranch(ghost),
      { GITHUB_ACTOR: 'dependabot[bot]' },
    ],
    ["Dependabot's pull_request_target", asTarget(dependabot), {}],
    ["a push in somebody's fork", inFork, { GITHUB_REPOSITORY: 'octocat/docs' }],
  ])('is skipped for %s, without a request, unless there is a key', async (_what, event, env) => {
    const { github, decide } = await newScene()
    const without = await decide({ event, env, inputs: { ...PROMPT, 'api-key': '' } })
    expect(without).toMatchObject({ result: 'skipped (notice)', requests: [] })
    expect(without.reason).toMatch(/secrets.*`api-key` is empty/)
    github.world.roles.set('ghost', { permission: 'write', role_name: 'write' })
    const inputs = { ...PROMPT, 'allow-bots': 'dependabot[bot]' }
    expect((await decide({ event, env, inputs })).reason).not.toMatch(/secrets/)
    const dryRun = { ...inputs, 'api-key': '', 'dry-run': 'true' }
    expect((await decide({ event, env, inputs: dryRun })).reason).not.toMatch(/secrets/)
  })

  it.each([
    ['pull_request_target from a fork', { ...fromFork(person('writer')), name: 'pull_request_target' }],
    ['a pull request from a branch here', fromBranch(person('writer'))],
    ['a push', push()],
    [
      'a dispatch in a fork',
      otherEvent('workflow_dispatch', { repository: { full_name: 'acme/docs', fork: true } }),
    ],
    ['a comment on a pull request from a fork', comment(person('writer'))],
  ])('is no excuse for %s: an empty key is an error there', async (_what, event) => {
    const { github, decide } = await newScene()
    github.world.roles.set('writer', { permission: 'write', role_name: 'write' })
    const { result } = await decide({ event, inputs: { ...PROMPT, 'api-key': '' } })
    expect(result).toBe('goes on')
  })
})

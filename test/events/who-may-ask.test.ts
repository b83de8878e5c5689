import { describe, expect, test } from 'vitest'
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
const it = test.extend('scene', sceneOfActors)

const ACTORS: Readonly<Record<string, Account | undefined>> = {
  nobody: undefined,
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
const comment = (change: object = {}): Caused => by((author) => issueComment({ id, body, author, ...change }))
const inReview = by((author) => reviewComment({ id, body, author }))
const reviewed = (change: object = {}): Caused => by((author) => review({ id, body, author, ...change }))
const issue = (change: object = {}): Caused => by((author) => newIssue({ body, author, ...change }))
const plainIssue = issue({ body: 'It is broken.' })
const transferred: Caused = (author) => {
  const { name, payload } = issue()(author)
  return { name, payload: { ...payload, changes: { old_issue: { number: 1 } } } }
}
const pull = (change: Parameters<typeof pullRequest>[0]): Caused =>
  by((sender) => pullRequest({ ...change, sender }))
const merged = { action: 'closed', pull: { merged: true } }
const fromFork = { from: 'stranger/docs' }
const target: Caused = (by) => ({ ...pull({ action: 'synchronize' })(by), name: 'pull_request_target' })
const workflowRun = (name: string, full_name = 'acme/docs'): Caused =>
  caused('workflow_run', { workflow_run: { event: name, head_repository: { full_name } } })
/** The run of a pull request: its sender is another one than who triggered it. */
const afterPull: Caused = by((triggering_actor) => {
  const run = { event: 'pull_request', head_repository: { full_name: 'acme/docs' }, triggering_actor }
  return event('workflow_run', { workflow_run: run, sender: writer })
})

const GET = (login: string): string => `GET /collaborators/${login}/permission`

type Outcomes = Readonly<Record<string, readonly string[]>>

/** What becomes of a request for which its author is asked about; `refused` is what follows a refusal. */
const asked = (...refused: readonly string[]): Outcomes => ({
  nobody: ['skipped (notice)'],
  reader: ['skipped (notice)', GET('reader'), ...refused],
  writer: ['goes on', GET('writer')],
  bot: ['skipped (notice)', GET('renovate[bot]')],
  'allowed bot': ['goes on'],
  'person with its login': ['skipped (notice)', GET('docs-helper[bot]'), ...refused],
  'account that had a login': ['skipped (notice)', GET('renamed'), ...refused],
})
const ASKED = asked()
/** The same where Apps have been let in by an owner of the repository. */
const ASKED_UNLESS_APP: Outcomes = { ...ASKED, bot: ['goes on'] }
/** A command: bots and nobody are ignored. The path is where its source takes reactions. */
const command = (reactions?: string): Outcomes => ({
  ...asked(...(reactions === undefined ? [] : [`POST ${reactions}/reactions -1`])),
  nobody: ['skipped (info)'],
  bot: ['skipped (info)'],
})
const COMMAND_OR_PROMPT = { ...command('/issues/5'), nobody: ['skipped (notice)'] }

const same = (outcome: string): Outcomes =>
  Object.fromEntries(Object.keys(ACTORS).map((who) => [who, [outcome]]))
const TRUSTED = same('goes on')
const IGNORED = same('skipped (info)')

const PROMPT = { prompt: 'Document it.', 'ignore-authors': '', context: 'none', 'follow-up': 'false' }
const NO_COMMAND = { ...PROMPT, command: '' }
const REPORT = { 'visitors-summary': 'true' }

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

it.each<[string, Caused, Readonly<Record<string, string>>, Outcomes]>([
  ['issue_comment: a command', comment(), {}, command(`/issues/comments/${id}`)],
  ['issue_comment: on an issue', comment({ onIssue: true }), PROMPT, command(`/issues/comments/${id}`)],
  ['issue_comment: a command with `comment: never`', comment(), { comment: 'never' }, command()],
  ['issue_comment: a command in a dry run', comment(), { 'dry-run': 'true' }, command()],
  ['issue_comment: no command', comment({ body: 'Yes.' }), PROMPT, IGNORED],
  ['issue_comment: edited to a command', comment({ action: 'edited' }), PROMPT, IGNORED],
  ['issue_comment where `command` is empty', comment(), NO_COMMAND, ASKED],
  ['pull_request_review_comment: a command', inReview, {}, command(`/pulls/comments/${id}`)],
  ['pull_request_review_comment where `command` is empty', inReview, NO_COMMAND, ASKED],
  ['pull_request_review: a command', reviewed(), {}, command()],
  ['pull_request_review: dismissed', reviewed({ action: 'dismissed' }), PROMPT, IGNORED],
  ['pull_request_review where `command` is empty', reviewed(), NO_COMMAND, ASKED],
  ['issues: a command', issue(), {}, command('/issues/5')],
  ['issues: a command beside a prompt', issue(), PROMPT, COMMAND_OR_PROMPT],
  ['issues: no command, no prompt', plainIssue, {}, IGNORED],
  ['issues: no command, a prompt', plainIssue, PROMPT, ASKED],
  ['issues: transferred, a command and a prompt', transferred, PROMPT, IGNORED],
  ['issues: labeled, a prompt', caused('issues', { action: 'labeled' }), PROMPT, ASKED],
  ['issues: labeled, a report alone', caused('issues', { action: 'labeled' }), REPORT, ASKED],
  ['discussion', caused('discussion'), PROMPT, ASKED],
  ['watch', caused('watch'), PROMPT, ASKED],
  ['status', caused('status'), PROMPT, ASKED],
  ['an unknown event', by((sender) => ({ name: 'constructor', payload: { sender } })), PROMPT, ASKED],
  ['pull_request: opened', pull({ action: 'opened' }), PROMPT, ASKED_UNLESS_APP],
  ['pull_request: pushed to', pull({ action: 'synchronize' }), PROMPT, TRUSTED],
  ['pull_request: merged', pull(merged), PROMPT, TRUSTED],
  ['pull_request: closed', pull({ action: 'closed', pull: { merged: false } }), PROMPT, ASKED_UNLESS_APP],
  ['pull_request: labeled after its merge', pull({ ...merged, action: 'labeled' }), PROMPT, ASKED_UNLESS_APP],
  ['pull_request from a fork: opened', pull(fromFork), PROMPT, ASKED],
  ['pull_request from a fork: pushed to', pull({ ...fromFork, action: 'synchronize' }), PROMPT, ASKED],
  ['pull_request from a fork: merged', pull({ ...fromFork, ...merged }), PROMPT, ASKED],
  ['pull_request_target', target, PROMPT, ASKED],
  ['workflow_run after a push', workflowRun('push', 'Acme/Docs'), PROMPT, TRUSTED],
  ['workflow_run after a push in a fork', workflowRun('push', 'stranger/docs'), PROMPT, ASKED],
  ['workflow_run after a comment', workflowRun('issue_comment'), PROMPT, ASKED],
  ['workflow_run after pull_request_target', workflowRun('pull_request_target'), PROMPT, ASKED],
  ['workflow_run after no event', workflowRun(''), PROMPT, ASKED],
  ['workflow_run after a pull request', afterPull, PROMPT, ASKED],
  ['push', by((sender) => push({ sender })), PROMPT, TRUSTED],
  ['push that deletes a branch', by((sender) => push({ sender, deleted: true })), PROMPT, IGNORED],
  ['schedule', () => bareEvent('schedule'), PROMPT, TRUSTED],
  ['workflow_dispatch', caused('workflow_dispatch'), PROMPT, TRUSTED],
  ['release', caused('release'), PROMPT, TRUSTED],
  ['merge_group', caused('merge_group'), PROMPT, TRUSTED],
  ['deployment', caused('deployment'), PROMPT, TRUSTED],
  ['no event, as in a local run', () => bareEvent(''), PROMPT, TRUSTED],
])('who may start a job: %s', async (_what, made, inputs, outcomes) => {
  const decided: Record<string, readonly string[]> = {}
  for (const [who, actor] of Object.entries(ACTORS)) {
    const { decide, github } = await sceneOfActors()
    // The fake knows the comments by other ids.
    github.faults.push({ match: /\/reactions /, end: { status: 201, body: { id: 1, content: '-1' } } })
    const given = { 'allow-bots': 'Docs-Helper[bot], renovate, renovate[bot', ...inputs }
    const { result, requests } = await decide({ event: made(actor), inputs: given })
    decided[who] = [result, ...requests]
  }
  expect(decided).toEqual(outcomes)
})

const NEEDS = 'needs `write` (`required-permission`)'
const NOBODY = `the event does not say who caused it, and a job for this \`pull_request_target\` event ${NEEDS}`
const NO_BOT = 'renovate[bot] is a bot that `allow-bots` does not list'
const ISSUE = 'the issue does not start with /docs as plain text, and there is no `prompt`'

it.for([
  [NOBODY, target(undefined)],
  ['the comment does not start with /docs as plain text', comment({ body: 'Yes.' })(reader)],
  ['the comment is not new (`issue_comment`, `edited`)', comment({ action: 'edited' })(reader)],
  ['the review is not new (`pull_request_review`, `dismissed`)', reviewed({ action: 'dismissed' })(reader)],
  [ISSUE, plainIssue(reader)],
  ['this issue is not new: it was transferred from another repository', transferred(reader)],
  [NO_BOT, comment()(bot('renovate[bot]'))],
  ['this push deletes `refs/tags/v1`', push({ ref: 'refs/tags/v1', deleted: true })],
] as const)('a run says why it is skipped: %s', async ([reason, made], { scene: { decide } }) => {
  expect((await decide({ event: made })).reason).toBe(`Skipped: ${reason}.`)
})

describe('a command without instructions', () => {
  const EXPLAINED = 'Skipped: /docs comes without instructions, and there is no `prompt`.'
  const explained = { result: 'skipped (notice)', reason: EXPLAINED, explainsUsage: true }
  const goesOn = { result: 'goes on', explainsUsage: false }
  it.for<[string, Readonly<Record<string, string>>, object]>([
    ['/docs', {}, explained],
    ['/docs new', {}, explained],
    ['/docs <!-- nothing to see -->', {}, explained],
    ['/docs', { prompt: 'Document it.' }, goesOn],
    ['/docs', { 'prompt-file': 'prompt.md' }, goesOn],
    ['/docs', { 'job-id': 'job_1' }, goesOn],
  ])('%j with %j is explained: %j', async ([text, inputs, decision], { scene: { decide } }) => {
    expect(await decide({ event: comment({ body: text })(writer), inputs })).toMatchObject(decision)
  })

  it('is explained to nobody who may not ask', async ({ scene: { decide } }) => {
    const decision = await decide({ event: comment({ body: '/docs' })(reader), inputs: { comment: 'never' } })
    expect(decision).toMatchObject({ result: 'skipped (notice)', explainsUsage: false })
  })
})

describe('a run without secrets', () => {
  const fork = pullRequest(fromFork)
  const deleted: Event = { name: 'pull_request', payload: { pull_request: { head: { repo: null } } } }
  const { name, payload } = reviewed()(writer)
  const ofFork = { name, payload: { ...payload, pull_request: fork.payload.pull_request } }
  const inFork = push({ repository: { full_name: 'octocat/docs', fork: true } })

  const FORKS = 'pull requests from forks'
  it.for<[string, Event, string, Readonly<Record<string, string>>]>([
    ['a pull request from a fork', fork, FORKS, {}],
    ['a pull request from a fork that was deleted', deleted, FORKS, {}],
    ['a review of a pull request from a fork', ofFork, FORKS, {}],
    ['a push in a fork', inFork, 'pushes in a fork', {}],
    ['a push of Dependabot', push({ sender: bot('dependabot[bot]') }), 'Dependabot', {}],
    ['a run that Dependabot started', push(), 'Dependabot', { GITHUB_ACTOR: 'dependabot[bot]' }],
  ])('is skipped where there is no key: %s', async ([_what, made, whom, env], { scene: { decide } }) => {
    const decision = await decide({ event: made, inputs: { ...PROMPT, 'api-key': '' }, env })
    const reason = `Skipped: \`api-key\` is empty, as GitHub gives no secrets to ${whom}.`
    expect(decision).toMatchObject({ result: 'skipped (notice)', reason, requests: [] })
  })

  it.for<[string, Event, object]>([
    ['with a key', fork, { 'api-key': 'mint_1' }],
    ['in a dry run', inFork, { 'dry-run': 'true' }],
    ['on pull_request_target', { ...fork, name: 'pull_request_target' }, {}],
    ['on a push in the repository itself', push(), {}],
    ['on a pull request from a branch', pullRequest({ action: 'synchronize' }), {}],
  ])('is judged like any other %s', async ([_what, made, inputs], { scene: { newRun } }) => {
    const { trigger } = newRun({ event: made, inputs: { ...PROMPT, 'api-key': '', ...inputs } })
    expect(trigger).not.toHaveProperty('kind')
  })
})

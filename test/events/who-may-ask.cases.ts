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
import type { Account } from '../support/world.ts'

export const ACTORS: Readonly<Record<string, Account | undefined>> = {
  nobody: undefined,
  reader: person('reader'),
  writer: person('writer'),
  bot: bot('renovate[bot]'),
  'allowed bot': bot('docs-helper[bot]'),
  'person with its login': person('docs-helper[bot]'),
  // The account that has the login now has write permission, and another id.
  'account that had a login': person('renamed', 7002),
}
export const reader = person('reader')
export const writer = person('writer')

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

export const body = '/docs explain it'
const id = 5001
const caused = (name: string, change: object = {}): Caused =>
  by((sender) => event(name, { ...change, sender }))
export const comment = (change: object = {}): Caused =>
  by((author) => issueComment({ id, body, author, ...change }))
const inReview = by((author) => reviewComment({ id, body, author }))
export const reviewed = by((author) => review({ id, body, author }))
export const issue = by((author) => newIssue({ body, author }))
const pull = (change: Parameters<typeof pullRequest>[0]): Caused =>
  by((sender) => pullRequest({ ...change, sender }))
const merged = { action: 'closed', pull: { merged: true } }
export const closed = pull({ action: 'closed', pull: { merged: false } })
export const fromFork = { from: 'stranger/docs' }
export const target: Caused = (by) => ({
  ...pull({ action: 'synchronize' })(by),
  name: 'pull_request_target',
})
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

export const PROMPT = { prompt: 'Document it.', context: 'none', 'follow-up': 'false' }
const NO_COMMAND = { ...PROMPT, command: '' }

/** Who may start a job: the event, how it is caused, the run's inputs, and what becomes of it by who caused it. */
export const WHO_MAY_ASK: readonly [string, Caused, Readonly<Record<string, string>>, Outcomes][] = [
  ['issue_comment: a command', comment(), {}, command(`/issues/comments/${id}`)],
  ['issue_comment: on an issue', comment({ onIssue: true }), PROMPT, command(`/issues/comments/${id}`)],
  ['issue_comment: a command with `comment: never`', comment(), { comment: 'never' }, command()],
  ['issue_comment: a command in a dry run', comment(), { 'dry-run': 'true' }, command()],
  ['issue_comment: no command', comment({ body: 'Yes.' }), PROMPT, IGNORED],
  ['issue_comment: edited to a command', comment({ action: 'edited' }), PROMPT, IGNORED],
  ['issue_comment where `command` is empty', comment(), NO_COMMAND, ASKED],
  ['pull_request_review_comment: a command', inReview, {}, command(`/pulls/comments/${id}`)],
  ['pull_request_review_comment where `command` is empty', inReview, NO_COMMAND, ASKED],
  ['pull_request_review: nothing requested', reviewed, {}, NOTICED],
  ['pull_request_review: a prompt', reviewed, PROMPT, ASKED],
  ['issues: nothing requested, other inputs wrong', issue, { timeout: '1' }, NOTICED],
  ['issues: a prompt', issue, PROMPT, ASKED],
  ['issues: a job to wait for', issue, { 'job-id': 'job_1' }, ASKED],
  ['issues: a report', issue, { 'visitors-summary': 'true' }, ASKED],
  ['issues: an export', issue, { 'visitors-export': 'a.csv' }, ASKED],
  ['issues: what readers missed', issue, { 'reader-signals': 'report' }, ASKED],
  ['discussion', caused('discussion'), PROMPT, ASKED],
  ['discussion: nothing requested', caused('discussion'), {}, NOTICED],
  ['discussion_comment: nothing requested', caused('discussion_comment'), {}, NOTICED],
  ['watch', caused('watch'), PROMPT, ASKED],
  ['status', caused('status'), PROMPT, ASKED],
  ['an unknown event', by((sender) => ({ name: 'constructor', payload: { sender } })), PROMPT, ASKED],
  ['pull_request: opened', pull({ action: 'opened' }), PROMPT, ASKED_UNLESS_APP],
  ['pull_request: pushed to', pull({ action: 'synchronize' }), PROMPT, TRUSTED],
  ['pull_request: merged', pull(merged), PROMPT, TRUSTED],
  ['pull_request: closed without a merge', closed, PROMPT, IGNORED],
  ['pull_request: closed, a job to wait for', closed, { 'job-id': 'job_1' }, ASKED_UNLESS_APP],
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
]

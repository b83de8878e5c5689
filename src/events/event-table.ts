import { readFileSync } from 'node:fs'
import type { CommandSource } from '../github/comments.ts'
import type * as GitHub from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import { isRecord, parseJson } from '../lib/json.ts'
import { errorMessage } from '../lib/text.ts'
import type { Environment } from '../runner/environment.ts'

/** What the action knows of an event. To add one, add a row. */
type EventRow = {
  /**
   * Who can cause it: only an account with write permission, so that none is checked; anyone; or a pull request or
   * workflow run, whose payload decides.
   */
  readonly causedBy: 'writer' | 'anyone' | 'pull-request' | 'workflow-run'
  /** Where its payload has a text that may be a command, and the action with which that text is new. */
  readonly command?: { readonly action: string; readonly kind: CommandSource['kind'] }
  /** Whether a step remembers its job in a commit status. */
  readonly remembers: boolean
  /** What it is about, and so what the context holds; `branch`: what has changed on it since the step's last job. */
  readonly subject: Subject | 'none'
}

type Subject = 'push' | 'pull-request' | 'issue' | 'release' | 'branch' | 'workflow-run' | 'discussion'

const WRITER: EventRow = { causedBy: 'writer', remembers: false, subject: 'none' }
const ANYONE: EventRow = { causedBy: 'anyone', remembers: false, subject: 'none' }
const REVIEW: EventRow = { ...ANYONE, subject: 'pull-request' }
const ON_TIME: EventRow = { causedBy: 'writer', remembers: true, subject: 'branch' }

/** Source: GitHub's documentation, "Events that trigger workflows" and "Webhook events and payloads". */
const EVENTS: Readonly<Record<string, EventRow>> = {
  // No event at all: a local run, caused by the user of the machine.
  '': WRITER,
  push: { causedBy: 'writer', remembers: true, subject: 'push' },
  schedule: ON_TIME,
  workflow_dispatch: ON_TIME,
  repository_dispatch: ON_TIME,
  release: { causedBy: 'writer', remembers: true, subject: 'release' },
  merge_group: WRITER,
  create: WRITER,
  delete: WRITER,
  deployment: WRITER,
  deployment_status: WRITER,
  deployment_review: WRITER,
  deployment_protection_rule: WRITER,
  pull_request: { causedBy: 'pull-request', remembers: true, subject: 'pull-request' },
  pull_request_target: { causedBy: 'anyone', remembers: true, subject: 'pull-request' },
  pull_request_review: REVIEW,
  pull_request_review_comment: { ...REVIEW, command: { action: 'created', kind: 'review-comment' } },
  // On a pull request, too, which the payload then has as `issue`.
  issue_comment: { ...ANYONE, command: { action: 'created', kind: 'issue-comment' }, subject: 'issue' },
  issues: { ...ANYONE, subject: 'issue' },
  discussion: { ...ANYONE, subject: 'discussion' },
  discussion_comment: { ...ANYONE, subject: 'discussion' },
  workflow_run: { causedBy: 'workflow-run', remembers: false, subject: 'workflow-run' },
}

/** The row of an event; one without a row can be caused by anyone. */
export function eventRow(name: string): EventRow {
  return Object.hasOwn(EVENTS, name) ? (EVENTS[name] ?? ANYONE) : ANYONE
}

/** An event's payload. Which fields it has depends on the event; each is GitHub's word for it. */
export type Payload = GitHub.Sent<{
  action: string
  sender: GitHub.User
  repository: GitHub.Repository
  pull_request: GitHub.PullRequest
  issue: GitHub.Issue
  comment: GitHub.Comment
  review: GitHub.Review
  release: GitHub.Release
  discussion: GitHub.Issue
  workflow_run: GitHub.WorkflowRun
  /** `old_issue`: an issue that was transferred from another repository. */
  changes: GitHub.Sent<{ old_issue: GitHub.Issue }>
  /** Of a push: `refs/heads/main`; of `create` and `delete`: `main`. */
  ref: string
  /** Of `create` and `delete`: `branch` or `tag`. */
  ref_type: string
  before: string
  after: string
  compare: string
  created: boolean
  deleted: boolean
  forced: boolean
  commits: readonly GitHub.PushedCommit[]
  head_commit: GitHub.PushedCommit
}>

/** The event that started the workflow run. */
export type GitHubEvent = {
  /** As in GITHUB_EVENT_NAME; empty in a local run. */
  readonly name: string
  readonly row: EventRow
  /** Empty if there is none or it can't be read. */
  readonly payload: Payload
  /** Why the payload could not be read; `undefined` if it could. */
  readonly payloadProblem?: string
}

/** Reads the event from what the runner says. Never fails. A local run need not have an event. */
export function readEvent({ eventName: name, eventPath }: Environment): GitHubEvent {
  const bare = { name, row: eventRow(name), payload: {} }
  if (eventPath === '') return name === '' ? bare : { ...bare, payloadProblem: 'it is not set' }
  try {
    const payload = parseJson(readFileSync(eventPath, 'utf8'))
    if (isRecord(payload)) return { ...bare, payload: payload as Payload }
    return { ...bare, payloadProblem: 'the file contains no JSON object' }
  } catch (error) {
    return { ...bare, payloadProblem: errorMessage(error) }
  }
}

/** An account that wrote something or caused an event. */
export type Actor = {
  /** `undefined` if the payload does not say. */
  readonly id: number | undefined
  /** As GitHub shows it, such as `renovate[bot]`. */
  readonly login: string
  /** By the account's type: a login that only looks like a bot's is no bot. */
  readonly isBot: boolean
}

/** An account of a payload; `undefined` if it names none. */
export function readActor(user: GitHub.Maybe<GitHub.User>): Actor | undefined {
  if (!user?.login) return undefined
  return { id: user.id ?? undefined, login: user.login, isBot: user.type === 'Bot' }
}

/** Whether an account is a bot that needs no permission: a real bot with exactly that login. */
export function isAllowedBot({ isBot, login }: Actor, inputs: Inputs): boolean {
  return isBot && inputs['allow-bots'].some((allowed) => allowed.toLowerCase() === login.toLowerCase())
}

/** Whether a pull request comes from another repository. That may have been deleted: then the head names none. */
export function isFromFork(pull: GitHub.Maybe<GitHub.PullRequest>, repository: string): boolean {
  return !isRepository(pull?.head?.repo, repository)
}

export function isRepository(repository: GitHub.Maybe<GitHub.Repository>, fullName: string): boolean {
  return repository?.full_name?.toLowerCase() === fullName.toLowerCase()
}

/** Whether a text is the SHA of a commit. Zeros stand for none, and a local run may have any text there. */
export function isSha(text: GitHub.Maybe<string>): text is string {
  return /^(?!0+$)[0-9a-f]{40,64}$/.test(text ?? '')
}

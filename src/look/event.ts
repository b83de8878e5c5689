import { readFileSync } from 'node:fs'
import type { FromGitHub, Maybe, User } from '../github/client.ts'
import type { Comment, PullRequest, RestData, Thread } from '../github/pull-requests.ts'
import type { Inputs } from '../inputs/table.ts'
import { errorMessage, includesName, isRecord, parseJson } from '../lib/text.ts'
import type { Environment } from '../runner/run.ts'

type Repository = RestData<'repos', 'get'>

/** A commit in the payload of a push. */
export type PushedCommit = FromGitHub<{
  id: string
  message: string
  url: string
  author: FromGitHub<{ username: string; email: string }>
}>

/** An issue or a discussion, which have some fields of a pull request, too. */
export type Issue = PullRequest &
  FromGitHub<{
    /** Where the issue is a pull request. */
    pull_request: FromGitHub<{ merged_at: string }>
  }>

/** `state`: `approved`, `changes_requested`, `commented`. */
export type Review = RestData<'pulls', 'getReview'>
export type Release = RestData<'repos', 'getRelease'>
export type WorkflowRun = RestData<'actions', 'getWorkflowRun'>

/** What the action knows of an event. To add one, add a row. */
type EventRow = {
  /** Who can cause it: only an account with write permission, which isn't checked, or anyone. */
  readonly causedBy: 'writer' | 'anyone'
  /** The thread of the comment that can be a command if it is new. */
  readonly command?: Thread['kind']
  /** Whether the event is a text that people write, but that can't be a command. */
  readonly isOtherText?: true
  /** Whether a step records its job in a commit status. */
  readonly recordsJob: boolean
  /** What the context describes; `branch`: the changes on it since the step's last job. */
  readonly subject:
    | 'push'
    | 'pull-request'
    | 'issue'
    | 'release'
    | 'branch'
    | 'workflow-run'
    | 'discussion'
    | 'none'
}

const WRITER: EventRow = { causedBy: 'writer', recordsJob: false, subject: 'none' }
const ANYONE: EventRow = { causedBy: 'anyone', recordsJob: false, subject: 'none' }
const OF_BRANCH: EventRow = { causedBy: 'writer', recordsJob: true, subject: 'branch' }
const OF_PULL: EventRow = { causedBy: 'anyone', recordsJob: true, subject: 'pull-request' }

/** Source: GitHub's documentation, "Events that trigger workflows" and "Webhook events and payloads". */
const EVENTS: ReadonlyMap<string, EventRow> = new Map(
  Object.entries<EventRow>({
    // A local run, which the user of the machine starts.
    '': WRITER,
    push: { ...OF_BRANCH, subject: 'push' },
    schedule: OF_BRANCH,
    workflow_dispatch: OF_BRANCH,
    repository_dispatch: OF_BRANCH,
    release: { ...OF_BRANCH, subject: 'release' },
    merge_group: WRITER,
    create: WRITER,
    delete: WRITER,
    deployment: WRITER,
    deployment_status: WRITER,
    pull_request: OF_PULL,
    pull_request_target: OF_PULL,
    pull_request_review: { ...ANYONE, isOtherText: true, subject: 'pull-request' },
    pull_request_review_comment: { ...ANYONE, command: 'review', subject: 'pull-request' },
    // On an issue or a pull request, which the payload then has as `issue`, too.
    issue_comment: { ...ANYONE, command: 'main', subject: 'issue' },
    issues: { ...ANYONE, isOtherText: true, subject: 'issue' },
    discussion: { ...ANYONE, isOtherText: true, subject: 'discussion' },
    discussion_comment: { ...ANYONE, isOtherText: true, subject: 'discussion' },
    commit_comment: { ...ANYONE, isOtherText: true },
    workflow_run: { ...ANYONE, subject: 'workflow-run' },
  }),
)

/** The row of an event; one without a row can be caused by anyone. */
export function eventRow(name: string): EventRow {
  return EVENTS.get(name) ?? ANYONE
}

/** An event's payload. Which fields it has depends on the event; each is GitHub's word for it. */
export type Payload = FromGitHub<{
  action: string
  sender: User
  repository: Repository
  pull_request: PullRequest
  issue: Issue
  comment: Comment
  review: Review
  release: Release
  discussion: Issue
  workflow_run: WorkflowRun
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
  commits: readonly PushedCommit[]
  deployment_status: FromGitHub<{ state: string }>
  head_commit: PushedCommit
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
  /** Whether the run that a `workflow_run` follows was about a tag: the payload doesn't say. */
  readonly followsTag?: boolean
}

/** Reads the event that the runner describes. Never fails. A local run may have none. */
export function readEvent({ eventName: name, eventPath }: Environment): GitHubEvent {
  const bare = { name, row: eventRow(name), payload: {} }
  const unread = (payloadProblem: string) => ({ ...bare, payloadProblem })
  if (eventPath === '') return name === '' ? bare : unread('it is not set')
  let text: string
  try {
    text = readFileSync(eventPath, 'utf8')
  } catch (error) {
    return unread(errorMessage(error))
  }
  const payload = parseJson(text)
  if (!isRecord(payload)) return unread('the file contains no JSON object')
  return { ...bare, payload: payload as Payload }
}

/** An account that wrote something or caused an event. */
export type Actor = {
  /** `undefined` if the payload does not say. */
  readonly id: number | undefined
  /** As GitHub shows it, such as `renovate[bot]`. */
  readonly login: string
  /** By the account's type, because anyone can have a login that looks like a bot's. */
  readonly isBot: boolean
}

/** Reads an account of a payload; `undefined` if there is none. */
export function readActor(user: Maybe<User>): Actor | undefined {
  if (!user?.login) return undefined
  return { id: user.id ?? undefined, login: user.login, isBot: user.type === 'Bot' }
}

/** Whether an account is one of `allow-bots`, which need no permission: a bot with exactly that login. */
export function isAllowedBot({ isBot, login }: Actor, inputs: Inputs): boolean {
  return isBot && includesName(inputs['allow-bots'], login)
}

/** Whether an event is about a pull request itself, not about a review of it or a comment on it. */
export function isOfPullRequest({ name }: GitHubEvent): boolean {
  return name === 'pull_request' || name === 'pull_request_target'
}

/** Whether a pull request comes from another repository. If that was deleted, the head names none. */
export function isFromFork(pull: Maybe<PullRequest>, repository: string): boolean {
  return !isRepository(pull?.head?.repo, repository)
}

function isRepository(repository: Maybe<Repository>, fullName: string): boolean {
  return repository?.full_name?.toLowerCase() === fullName.toLowerCase()
}

/** The branch that a followed run was about, if its event is one of this repository's that only a writer can cause. */
export function followedBranch(
  { payload: { workflow_run: followed } }: GitHubEvent,
  { repository }: Environment,
): string | undefined {
  const { causedBy, subject } = eventRow(followed?.event ?? '')
  const isOfBranch = causedBy === 'writer' && (subject === 'push' || subject === 'branch')
  const isOwn = isRepository(followed?.head_repository, repository)
  return isOfBranch && isOwn ? (followed?.head_branch ?? undefined) : undefined
}

/** Returns the tag that a push or a release is about; empty if it is about none. */
export function tagOf({ row, payload }: GitHubEvent): string {
  if (row.subject === 'release') return payload.release?.tag_name ?? ''
  const [, tag = ''] = /^refs\/tags\/(.+)$/.exec(payload.ref ?? '') ?? []
  return row.subject === 'push' ? tag : ''
}

/** Whether a later run would include the changes of an event, because it compares with the step's last job. */
export function isIncludedLater(event: GitHubEvent, environment: Environment): boolean {
  const { row } = event
  const isPush = row.subject === 'push' && tagOf(event) === ''
  return isPush || row.subject === 'branch' || followedBranch(event, environment) !== undefined
}

/** Whether an event can wait for the next one. A dispatch was asked for. */
export function canWait(event: GitHubEvent, environment: Environment): boolean {
  return isIncludedLater(event, environment) && !event.name.endsWith('_dispatch')
}

/** Whether a text is the SHA of a commit. Zeros stand for none, and a local run can have any text there. */
export function isSha(text: Maybe<string>): text is string {
  return /^(?!0+$)[0-9a-f]{40,64}$/.test(text ?? '')
}

/**
 * Returns the account whose permission decides whether an event may start a job; `trusted` if only someone with write
 * permission can have caused the event.
 */
export function accountToCheck(
  event: GitHubEvent,
  { repository }: Environment,
): Actor | 'trusted' | undefined {
  const { name, row, payload } = event
  const { action, pull_request: pull, sender, workflow_run: followed } = payload
  if (name === 'workflow_run') {
    const isOwn = isRepository(followed?.head_repository, repository)
    if (isOwn && followed?.event && eventRow(followed.event).causedBy === 'writer') return 'trusted'
    return readActor(followed?.event === 'pull_request' ? followed.triggering_actor : sender)
  }
  const isMerge = isOfPullRequest(event) && action === 'closed' && pull?.merged === true
  const byWriter = action === 'synchronize' || sender?.type === 'Bot'
  const isInside = name === 'pull_request' && byWriter && !isFromFork(pull, repository)
  return row.causedBy === 'writer' || isMerge || isInside ? 'trusted' : readActor(sender)
}

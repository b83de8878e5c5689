import { readFileSync } from 'node:fs'
import type { Comment, FromGitHub, Maybe, PullRequest, RestData, User } from '../github/client.ts'
import type { Thread } from '../github/threads.ts'
import { AGENT } from '../inputs/formats.ts'
import type { Inputs } from '../inputs/table.ts'
import { inBackticks, isRecord, parseJson } from '../lib/text.ts'
import type { Environment } from '../runner/run.ts'
import { type Actor, type Command, readCommandText } from './command.ts'

/** What an event is about. `branch`: the changes on a branch since the step's last job. */
type About = 'push' | 'tag' | 'release' | 'branch' | 'pull-request' | 'issue' | 'none'

/** What the action knows of an event. To add one, add a row. */
type EventRow = {
  readonly about: About
  /** Who can cause it: only an account with write permission, which isn't checked, or anyone. */
  readonly causedBy: 'writer' | 'anyone'
  /** Whether a step records its job for later runs. */
  readonly mayRecord?: true
  /** The action of a text that can be a command. */
  readonly command?: 'created' | 'submitted'
}

const WRITER: EventRow = { causedBy: 'writer', about: 'none' }
const ANYONE: EventRow = { causedBy: 'anyone', about: 'none' }
const OF_BRANCH: EventRow = { causedBy: 'writer', about: 'branch', mayRecord: true }
const OF_PULL: EventRow = { causedBy: 'anyone', about: 'pull-request', mayRecord: true }

/** Source: GitHub's documentation, "Events that trigger workflows" and "Webhook events and payloads". */
const EVENTS: Readonly<Record<string, EventRow>> = {
  // A local run, which the user of the machine starts.
  '': WRITER,
  push: { ...OF_BRANCH, about: 'push' },
  schedule: OF_BRANCH,
  workflow_dispatch: OF_BRANCH,
  repository_dispatch: OF_BRANCH,
  release: { ...OF_BRANCH, about: 'release' },
  merge_group: WRITER,
  create: WRITER,
  delete: WRITER,
  deployment: WRITER,
  deployment_status: WRITER,
  pull_request: OF_PULL,
  pull_request_target: OF_PULL,
  pull_request_review: { ...ANYONE, about: 'pull-request', command: 'submitted' },
  pull_request_review_comment: { ...ANYONE, about: 'pull-request', command: 'created' },
  // On an issue or a pull request.
  issue_comment: { ...ANYONE, about: 'issue', command: 'created' },
  issues: { ...ANYONE, about: 'issue' },
}

/** A commit in the payload of a push. */
export type PushedCommit = FromGitHub<{
  id: string
  message: string
  url: string
  author: FromGitHub<{ username: string; email: string }>
}>
export type Release = RestData<'repos', 'getRelease'>
type Issue = PullRequest & FromGitHub<{ pull_request: FromGitHub<{ merged_at: string }> }>

/** An event's payload. Which fields it has depends on the event; each is GitHub's word for it. */
export type Payload = FromGitHub<{
  action: string
  sender: User
  repository: RestData<'repos', 'get'>
  pull_request: PullRequest
  issue: Issue
  comment: Comment
  review: RestData<'pulls', 'getReview'>
  release: Release
  /** Of a push: `refs/heads/main`; of `create` and `delete`: `main`. */
  ref: string
  /** Of `create` and `delete`: `branch` or `tag`. */
  ref_type: string
  before: string
  after: string
  head_commit: PushedCommit
  deleted: boolean
  forced: boolean
  commits: readonly PushedCommit[]
  deployment_status: FromGitHub<{ state: string }>
}>

/** An issue, a pull request, or a release. Its texts come from outside. */
export type Subject = {
  readonly kind: 'pull-request' | 'issue' | 'release'
  /** 0 of a release. */
  readonly number: number
  readonly title: string
  readonly url: string
  readonly body: string
  readonly author: Maybe<User>
  readonly assignees: readonly User[]
  readonly labels: readonly string[]
  /** Of a pull request: such as `open, not merged: users don't have it yet`, and its branches. */
  readonly state?: string
  readonly base?: string
  readonly head?: string
  /** Of a release: when it was published, as ISO 8601. */
  readonly publishedAt?: string
}

/** A comment or a review. Its texts come from outside. */
export type Post = {
  readonly id: number
  readonly url: string
  readonly body: string
  readonly author: Maybe<User>
  readonly createdAt: string
  /** Of a comment on a line: `src/a.ts, lines 3 to 7`, and the part of the diff; otherwise empty. */
  readonly place: string
  readonly hunk: string
}

/** The event that started the workflow run. Everything that the action uses of the payload is read here. */
export type GitHubEvent = {
  /** As in GITHUB_EVENT_NAME; empty in a local run. */
  readonly name: string
  readonly action: string
  readonly about: About
  readonly mayRecord: boolean
  /** Whose permission decides; `trusted` if only an account with write permission can have caused it. */
  readonly actor: Actor | 'trusted' | undefined
  /** Login of the account that caused it; may be empty. */
  readonly sender: string
  /** Why there is nothing to document, whatever has changed; empty if that isn't known yet. */
  readonly nothing: string
  /** SHA of the commit that it is about; empty if the payload doesn't have it. */
  readonly head: string
  /** SHA before a push; empty if there was none. */
  readonly before: string
  readonly commits: readonly PushedCommit[]
  readonly isForced: boolean
  /** The branch that its runs follow, and the repository's default one; empty if there is none. */
  readonly branch: string
  readonly mainBranch: string
  /** Of a push or release; otherwise empty. */
  readonly tag: string
  readonly subject: Subject | undefined
  /** Whether that is a pull request of Mintlify's agent. */
  readonly isDocsPull: boolean
  /** Whether it is about a pull request itself, not about a comment on it. */
  readonly isOfPull: boolean
  readonly isMerged: boolean
  /** Whether GitHub passes no secrets, because a fork is involved. */
  readonly hasNoSecrets: boolean
  /** Whether the run's repository is a fork itself. */
  readonly isFork: boolean
  readonly visibility: string
  readonly post: Post | undefined
  readonly command: Command | undefined
  /** Whether it is one of a comment or a review, and these can be commands. */
  readonly canBeCommand: boolean
}

/** Reads the event that the runner describes. A local run may have none. */
export function readEvent(environment: Environment, inputs: Inputs): GitHubEvent {
  const { eventName: name, repository: ownName, ref, sha } = environment
  const payload = readPayload(environment.eventPath)
  const { action = '', pull_request: ofPull, issue, release, repository, sender } = payload
  const row = EVENTS[name] ?? ANYONE
  const isOfPull = row.mayRecord === true && row.about === 'pull-request'
  const isMerged = isOfPull && ofPull?.merged === true
  const isPull = (ofPull ?? issue?.pull_request) != null
  const [, kind, refName = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? []
  const isInside = isSameRepository(ofPull?.head?.repo?.full_name, ownName)
  const isFork = repository?.fork === true
  const post = readPost(payload)
  const text = row.command && inputs.command && row.command === action ? post : undefined
  const command = text && readCommand(payload, text, inputs.command)
  let { about } = row
  if (about === 'push' && kind === 'tags') about = 'tag'
  if (about === 'issue' && isPull) about = 'pull-request'
  // The last rule that applies wins.
  let [head, branch, tag]: Maybe<string>[] = [sha, kind === 'heads' ? refName : '', '']
  if (about === 'tag') tag = refName
  if (about === 'release') [branch, tag] = ['', release?.tag_name]
  if (about === 'pull-request') [head, branch] = [ofPull?.head?.sha, '']
  if (isMerged) [head, branch] = [ofPull?.merge_commit_sha ?? sha, ofPull?.base?.ref]
  // A merge needs write permission, as does pushing to a branch of the repository. Its Apps are trusted by its owners.
  const isMerge = action === 'closed' && isMerged
  const isByWriter = isInside && (action === 'synchronize' || sender?.type === 'Bot')
  const isTrusted = isOfPull && (isMerge || isByWriter)
  const account = command ? post?.author : sender
  return {
    name,
    action: action ?? '',
    about,
    mayRecord: row.mayRecord === true,
    actor: row.causedBy === 'writer' || isTrusted ? 'trusted' : readActor(account),
    sender: sender?.login ?? '',
    nothing: whyNothing(name, payload, isOfPull),
    head: isSha(head) ? head : '',
    before: isSha(payload.before) ? payload.before : '',
    commits: payload.commits ?? [],
    isForced: payload.forced === true,
    branch: branch ?? '',
    mainBranch: repository?.default_branch ?? '',
    tag: tag ?? '',
    subject: readSubject(ofPull ?? issue, isPull, ownName) ?? readRelease(release),
    isDocsPull: isPull && (ofPull ?? issue)?.user?.login === AGENT,
    isOfPull,
    isMerged,
    hasNoSecrets:
      isFork || (row.about === 'pull-request' && name !== 'pull_request_target' && !isInside),
    isFork,
    visibility: repository?.visibility ?? '',
    post,
    command,
    canBeCommand: row.command !== undefined && inputs.command !== '',
  }
}

/** Reads the payload; an empty one if there is none, or if it can't be read. */
function readPayload(path: string): Payload {
  try {
    const payload = parseJson(readFileSync(path, 'utf8'))
    return isRecord(payload) ? (payload as Payload) : {}
  } catch {
    return {}
  }
}

/** A branch that GitHub's merge queue tries a merge on, which may never happen. */
const MERGE_QUEUE = /^(?:refs\/heads\/)?gh-readonly-queue\//

function whyNothing(name: string, payload: Payload, isOfPull: boolean): string {
  const { action, deleted, ref, ref_type: kind, pull_request: pull } = payload
  if (name === 'push' && deleted) return `this push deletes ${inBackticks(ref ?? '')}`
  if (name === 'delete') return `the ${kind ?? 'branch'} ${inBackticks(ref ?? '')} was deleted`
  if (isOfPull && action === 'closed' && !pull?.merged)
    return 'the pull request was closed without being merged'
  if (name === 'release' && (action === 'deleted' || action === 'unpublished'))
    return `the release was ${action}`
  const state = payload.deployment_status?.state ?? 'success'
  if (state !== 'success') return `the deployment is in the state ${inBackticks(state)}`
  const isQueue = name === 'merge_group' || MERGE_QUEUE.test(ref ?? '')
  return isQueue ? 'the changes are in the merge queue and may never be merged' : ''
}

function readActor(user: Maybe<User>): Actor | undefined {
  if (!user?.login) return undefined
  return { id: user.id ?? undefined, login: user.login, isBot: user.type === 'Bot' }
}

/** If the repository of a fork was deleted, it has no name. */
function isSameRepository(name: Maybe<string>, ownName: string): boolean {
  return name?.toLowerCase() === ownName.toLowerCase()
}

/** Reads an issue or a pull request, from a payload or from GitHub's API. */
export function readSubject(
  thread: Maybe<Issue>,
  isPull: boolean,
  ownName: string,
): Subject | undefined {
  if (thread?.number == null) return undefined
  const { number, title, html_url: url, body, user, assignees, labels, head, base } = thread
  const source = head?.repo?.full_name
  const fork =
    head && !isSameRepository(source, ownName) ? ` of the fork ${source ?? '(deleted)'}` : ''
  return {
    kind: isPull ? 'pull-request' : 'issue',
    number,
    title: title ?? '',
    url: url ?? '',
    body: body ?? '',
    author: user,
    assignees: (assignees ?? []).filter((one) => one != null),
    labels: (labels ?? []).map((label) => label?.name ?? ''),
    ...(isPull && {
      state: pullState(thread),
      base: base?.ref ?? '',
      head: `${head?.ref ?? ''}${fork}`,
    }),
  }
}

function pullState({
  state,
  draft,
  merged,
  merged_at: mergedAt,
  merge_commit_sha: sha,
}: PullRequest) {
  if (merged === true || mergedAt != null) return sha ? `merged as ${sha}` : 'merged'
  const shown = draft === true ? `${state} (draft)` : (state ?? '')
  return state === 'open' ? `${shown}, not merged: users don't have it yet` : shown
}

function readRelease(release: Maybe<Release>): Subject | undefined {
  if (!release) return undefined
  const { name, tag_name: tag, html_url: url, body, author, published_at: publishedAt } = release
  return {
    kind: 'release',
    number: 0,
    title: name || tag || '',
    url: url ?? '',
    body: body ?? '',
    author,
    assignees: [],
    labels: [],
    publishedAt: publishedAt ?? '',
  }
}

function readPost({ comment, review }: Payload): Post | undefined {
  const { id, html_url: url, body, user: author } = comment ?? review ?? {}
  if (id == null) return undefined
  const { created_at: createdAt, path, diff_hunk: hunk } = comment ?? {}
  const { line, start_line: start } = comment ?? {}
  // In the version that it was written on if the lines have changed since.
  const [from, to] =
    line == null ? [comment?.original_start_line, comment?.original_line] : [start, line]
  return {
    id,
    url: url ?? '',
    body: body ?? '',
    author,
    createdAt: createdAt ?? review?.submitted_at ?? '',
    place: placeOf(path, from, to),
    hunk: hunk ?? '',
  }
}

/** Names lines of a file: `src/a.ts, lines 3 to 7`; empty without a path. */
export function placeOf(path: Maybe<string>, from: Maybe<number>, to: Maybe<number>): string {
  if (to == null) return path ?? ''
  return from == null || from === to ? `${path}, line ${to}` : `${path}, lines ${from} to ${to}`
}

function readCommand(payload: Payload, post: Post, word: string): Command | undefined {
  const { pull_request: pull, issue, comment } = payload
  const author = readActor(post.author)
  const text = readCommandText(post.body, word)
  const number = (pull ?? issue)?.number
  if (number == null || !author || !text) return undefined
  let kind: Thread['kind'] = 'main'
  if (pull && comment) kind = 'review'
  const rootId = kind === 'review' ? (comment?.in_reply_to_id ?? post.id) : 0
  const thread = { kind, number, isPull: (pull ?? issue?.pull_request) != null, rootId }
  const isReview = comment == null
  const source = `${isReview ? 'summary' : kind}/${post.id}`
  return { ...text, author, thread, id: post.id, url: post.url, isReview, source }
}

/** Whether a text is the SHA of a commit. Zeros stand for none, and a local run can have any text there. */
export function isSha(text: Maybe<string>): text is string {
  return /^(?!0+$)[0-9a-f]{40,64}$/.test(text ?? '')
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Payload } from '../../src/events/payload.ts'
import type { PullRequest } from '../../src/github/types.ts'
import { type Fields, merged } from './json.ts'
import {
  type Account,
  AFTER,
  addCommit,
  BEFORE,
  bot,
  commitsBetween,
  historyOf,
  person,
  resolve,
  type World,
} from './world.ts'

export { AFTER, BEFORE, bot, person }

/** An event as the runner hands it over. */
export type Event = { readonly name: string; readonly payload: Payload }

const WEB = 'https://github.com/acme/docs'

type Examples = readonly { readonly name: string; readonly examples: readonly Payload[] }[]

/** Payloads that GitHub has sent, in our repository. */
export const EXAMPLES: Examples = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json'),
    'utf8',
  ).replaceAll('Codertocat/Hello-World', 'acme/docs'),
)

/** One of them, with other fields; of a push, one that brought commits. */
export function event(name: string, change: Fields = {}): Event {
  const found = EXAMPLES.find((entry) => entry.name === name)?.examples ?? []
  const action = change['action']
  const one =
    found.find((payload) => payload.action === action) ??
    found.find((payload) => payload.head_commit !== null)
  if (one === undefined) throw new Error(`There is no example of ${name}.`)
  return { name, payload: merged(one, change) }
}

/** An event without a payload, such as a schedule. */
export function bareEvent(name: string): Event {
  return { name, payload: {} }
}

/** A comment of an event. */
export type CommentOptions = {
  readonly id: number
  readonly body: string
  readonly author: Account
  readonly number?: number
  readonly action?: string
}

/** A comment on a pull request's main thread, or on an issue's. */
export function issueComment(options: CommentOptions & { readonly onIssue?: boolean }): Event {
  const { id, body, author, number = 5, onIssue = false, action = 'created' } = options
  const url = `${WEB}/${onIssue ? 'issues' : 'pull'}/${number}`
  return event('issue_comment', {
    action,
    issue: { number, html_url: url, pull_request: onIssue ? undefined : { html_url: url } },
    comment: { id, body, user: author, html_url: `${url}#issuecomment-${id}` },
    sender: author,
  })
}

/** A comment in a thread of a review. */
export function reviewComment(options: CommentOptions & { readonly replyTo?: number }): Event {
  const { id, body, author, number = 5, replyTo, action = 'created' } = options
  const url = `${WEB}/pull/${number}`
  const comment = { id, body, user: author, html_url: `${url}#discussion_r${id}`, in_reply_to_id: replyTo }
  return event('pull_request_review_comment', {
    action,
    pull_request: { number, html_url: url },
    comment,
    sender: author,
  })
}

/** A review of a pull request, with words of its own. */
export function review(options: Omit<CommentOptions, 'body'> & { readonly body: string | null }): Event {
  const { id, body, author, number = 5, action = 'submitted' } = options
  const url = `${WEB}/pull/${number}`
  const written = { id, body, user: author, html_url: `${url}#pullrequestreview-${id}` }
  return event('pull_request_review', {
    action,
    pull_request: { number, html_url: url },
    review: written,
    sender: author,
  })
}

/** An issue that was opened, or what else happened to it. */
export function newIssue(options: Omit<CommentOptions, 'id'>): Event {
  const { body, author, number = 5, action = 'opened' } = options
  const issue = { number, body, user: author, html_url: `${WEB}/issues/${number}` }
  return event('issues', { action, issue, sender: author })
}

/** A pull request's event. */
export function pullRequest(
  change: {
    readonly action?: string
    readonly number?: number
    readonly author?: Account
    readonly sender?: Account
    /** Name of the repository that its branch is in. */
    readonly from?: string
    /** Further fields of the pull request. */
    readonly pull?: PullRequest
  } = {},
): Event {
  const { action = 'opened', number = 5, author = {}, sender = {}, from = 'acme/docs', pull = {} } = change
  const head = { repo: { full_name: from, fork: from !== 'acme/docs' } }
  const changed = merged({ number, html_url: `${WEB}/pull/${number}`, user: author, head }, pull)
  return event('pull_request', { action, number, pull_request: changed, sender })
}

/** A push; `change` replaces fields of GitHub's example. */
export function push(change: Payload = {}): Event {
  return event('push', change)
}

/** A push to `main` of commits by these logins, from {@link BEFORE} to {@link AFTER}. */
export function pushBy(...logins: readonly string[]): Event {
  const commits = logins.map((username, index) => ({
    id: index === logins.length - 1 ? AFTER : `${index + 1}`.repeat(40),
    message: `Change ${index}\n\nwith details`,
    author: { name: username, email: 'x@example.com', username },
  }))
  return pushed(commits, { before: BEFORE, after: AFTER })
}

/** The push that led a branch of a world from one commit to where it is now. */
export function pushOf(world: World, before: string, branch = 'main'): Event {
  const after = resolve(world, branch)?.sha ?? ''
  const commits = commitsBetween(world, before, after)
    .toReversed()
    .map(({ sha, message, author, files, atMs }) => ({
      id: sha,
      message,
      timestamp: new Date(atMs).toISOString(),
      author: { name: author?.login ?? 'Nobody', email: 'x@example.com', username: author?.login },
      modified: files.map(({ filename }) => filename),
    }))
  const created = /^0+$/.test(before)
  const forced = !created && !historyOf(world, after).some(({ sha }) => sha === before)
  const html_url = `https://github.com/${world.repository}`
  return pushed(commits, {
    ref: `refs/heads/${branch}`,
    before,
    after,
    created,
    forced,
    compare: `${html_url}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    repository: { full_name: world.repository, html_url },
  })
}

/** Adds a commit to a world, and returns the push of it. */
export function pushTo(world: World, commit: Parameters<typeof addCommit>[1] = {}): Event {
  const before = world.branches.get(commit.branch ?? 'main') ?? BEFORE
  addCommit(world, commit)
  return pushOf(world, before, commit.branch ?? 'main')
}

function pushed(commits: readonly Fields[], change: Fields): Event {
  const ends = { ref: 'refs/heads/main', created: false, deleted: false, forced: false, base_ref: null }
  const head = commits.at(-1) ?? null
  const event = push({ ...ends, compare: `${WEB}/compare/a...b`, ...change })
  return { ...event, payload: { ...event.payload, commits, head_commit: head } }
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Payload } from '../../src/event/event.ts'
import type { PullRequest } from '../../src/github/client.ts'
import { commitsBetween, historyOf, resolve } from './history.ts'
import { type Fields, merged } from './json.ts'
import {
  type Account,
  AGENT,
  addComment,
  addCommit,
  BEFORE,
  bot,
  person,
  type Review,
  time,
  type World,
} from './world.ts'

export { BEFORE, bot, person }

/** An event as the runner hands it over. */
export type Event = { readonly name: string; readonly payload: Payload }

const WEB = 'https://github.com/acme/docs'

/** Payloads that GitHub has sent, in our repository. */
export const EXAMPLES: readonly { readonly name: string; readonly examples: readonly Payload[] }[] =
  JSON.parse(
    readFileSync(
      createRequire(import.meta.url).resolve(
        '@octokit/webhooks-examples/api.github.com/index.json',
      ),
      'utf8',
    )
      .replaceAll('Codertocat/Hello-World', 'acme/docs')
      // The default branch of the worlds of these tests.
      .replaceAll('"master"', '"main"'),
  )

/** One of them, with other fields; of a push, one that brought commits. */
export function event(name: string, change: Fields = {}): Event {
  const found = EXAMPLES.find((entry) => entry.name === name)?.examples ?? []
  const one =
    found.find((payload) => payload.action === change['action']) ??
    found.find((payload) => payload.head_commit !== null)
  if (one === undefined) throw new Error(`There is no example of ${name}.`)
  return { name, payload: merged(one, change) }
}

/** An event without a payload, such as a schedule. */
export function bareEvent(name: string): Event {
  return { name, payload: {} }
}

/** What somebody writes. */
export type CommentOptions = {
  readonly id: number
  readonly body: string
  readonly author: Account
  readonly number?: number
  readonly action?: string
  /** When it was written; GitHub's example, which is old, without it. */
  readonly created_at?: string
}

/** The fields of a comment or a review, and of what it is on. */
function written(options: CommentOptions, anchor: string, on = 'pull') {
  const { id, body, author, number = 5, created_at } = options
  const html_url = `${WEB}/${on}/${number}`
  return {
    on: { number, html_url },
    text: {
      ...{ id, body, user: author, html_url: `${html_url}#${anchor}${id}` },
      ...(created_at && { created_at }),
    },
  }
}

/** A comment on a pull request's main thread, or on an issue's. */
export function issueComment({
  onIssue = false,
  ...options
}: CommentOptions & { readonly onIssue?: boolean | undefined }): Event {
  const { action = 'created', author: sender } = options
  const { on, text: comment } = written(options, 'issuecomment-', onIssue ? 'issues' : 'pull')
  const issue = { ...on, pull_request: onIssue ? undefined : { html_url: on.html_url } }
  return event('issue_comment', { action, issue, comment, sender })
}

/** A comment in a thread of a review. */
export function reviewComment({
  replyTo,
  ...options
}: CommentOptions & { readonly replyTo?: number | undefined }): Event {
  const { action = 'created', author: sender } = options
  const { on, text } = written(options, 'discussion_r')
  const comment = { ...text, in_reply_to_id: replyTo }
  return event('pull_request_review_comment', { action, pull_request: on, comment, sender })
}

type Written = Omit<CommentOptions, 'id' | 'action' | 'created_at'> & {
  readonly body: string
  readonly kind?: 'main' | 'review'
  readonly onIssue?: boolean
  /** The author's relation to the repository; `NONE` without it. */
  readonly association?: string
  /** The comment that a reply in a review thread answers. */
  readonly rootId?: number | undefined
}

/** Somebody writes a comment in a world, by default in the main thread of pull request 5; the event of it. */
export function commentIn(world: World, { kind = 'main', onIssue, ...comment }: Written): Event {
  const { id, atMs } = addComment(world, { kind, number: 5, ...comment })
  const made = { ...comment, id, created_at: time(atMs) }
  return kind === 'main'
    ? issueComment({ ...made, onIssue })
    : reviewComment({ ...made, replyTo: comment.rootId })
}

/** A review of a docs pull request, with further fields of that. */
export function docsReview(made: Review, pull: Fields = {}): Event {
  const { id, number, author: user, body, sha: commit_id, state } = made
  const place = `${WEB}/pull/${number}`
  const html_url = `${place}#pullrequestreview-${id}`
  const fields = { id, user, body, commit_id, html_url, state: state.toLowerCase() }
  const pull_request = { number, user: AGENT, state: 'open', html_url: place, ...pull }
  return event('pull_request_review', {
    action: 'submitted',
    pull_request,
    review: fields,
    sender: user,
  })
}

type PullRequestOptions = Partial<Record<'author' | 'sender', Account>> & {
  readonly action?: string
  readonly number?: number
  /** Name of the repository that its branch is in. */
  readonly from?: string
  /** Further fields of the pull request. */
  readonly pull?: PullRequest
}

export function pullRequest(options: PullRequestOptions = {}): Event {
  const { action = 'opened', number = 5, from = 'acme/docs', pull = {} } = options
  const { author = {}, sender = {} } = options
  const head = { repo: { full_name: from, fork: from !== 'acme/docs' } }
  const changed = merged({ number, html_url: `${WEB}/pull/${number}`, user: author, head }, pull)
  return event('pull_request', { action, number, pull_request: changed, sender })
}

/** The push that led `main` of a world from one commit to where it is now. */
export function pushOf(world: World, before: string): Event {
  const after = resolve(world, 'main')?.sha ?? ''
  const commits = commitsBetween(world, before, after)
    .toReversed()
    .map(({ sha, message, author }) => ({
      id: sha,
      message,
      url: `https://github.com/${world.repository}/commit/${sha}`,
      author: { name: author?.login ?? 'Nobody', email: 'x@example.com', username: author?.login },
    }))
  const created = /^0+$/.test(before)
  const forced = !created && !historyOf(world, after).some(({ sha }) => sha === before)
  const html_url = `https://github.com/${world.repository}`
  const compare = `${html_url}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`
  const repository = { full_name: world.repository, html_url }
  const flags = { created, forced, deleted: false, base_ref: null, compare, repository }
  const [ref, head_commit] = ['refs/heads/main', commits.at(-1) ?? null]
  return event('push', { ref, before, after, ...flags, commits, head_commit })
}

/** Adds a commit to `main`, and returns the push of it. */
export function pushTo(world: World, commit: Parameters<typeof addCommit>[1] = {}): Event {
  const before = world.branches.get('main') ?? BEFORE
  addCommit(world, commit)
  return pushOf(world, before)
}

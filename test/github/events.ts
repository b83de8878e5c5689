import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type JsonRecord, recordField } from '../../src/lib/json.ts'
import type { Account } from './world.ts'

/** An event as the runner hands it over. */
export type Event = { readonly name: string; readonly payload: JsonRecord }

/** Somebody who writes. */
export function person(login: string, id = 7001): Account {
  return { login, id, type: 'User' }
}

/** A bot that writes. */
export function bot(login: string): Account {
  return { login, id: 8001, type: 'Bot' }
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
  const { number = 5, onIssue = false, action = 'created' } = options
  const payload = example('issue_comment', 'created')
  const url = `https://github.com/acme/docs/${onIssue ? 'issues' : 'pull'}/${number}`
  const issue = {
    ...recordField(payload, 'issue'),
    number,
    html_url: url,
    ...(!onIssue && { pull_request: { html_url: url } }),
  }
  const texts = written(options, payload, `${url}#issuecomment-${options.id}`)
  return { name: 'issue_comment', payload: { ...payload, action, issue, ...texts } }
}

/** A comment in a thread of a review. */
export function reviewComment(options: CommentOptions & { readonly replyTo?: number }): Event {
  const { number = 5, replyTo, action = 'created' } = options
  const payload = example('pull_request_review_comment', 'created')
  const url = `https://github.com/acme/docs/pull/${number}`
  const { comment, sender } = written(options, payload, `${url}#discussion_r${options.id}`)
  const pull = { ...recordField(payload, 'pull_request'), number, html_url: url }
  const inThread = { ...comment, ...(replyTo !== undefined && { in_reply_to_id: replyTo }) }
  return {
    name: 'pull_request_review_comment',
    payload: { ...payload, action, pull_request: pull, comment: inThread, sender },
  }
}

/** A review of a pull request, with words of its own. */
export function review(options: Omit<CommentOptions, 'body'> & { readonly body: string | null }): Event {
  const { id, body, author, number = 5, action = 'submitted' } = options
  const payload = example('pull_request_review', 'submitted')
  const url = `https://github.com/acme/docs/pull/${number}`
  const user = { ...recordField(recordField(payload, 'review'), 'user'), ...author }
  return {
    name: 'pull_request_review',
    payload: {
      ...payload,
      action,
      pull_request: { ...recordField(payload, 'pull_request'), number, html_url: url },
      review: {
        ...recordField(payload, 'review'),
        id,
        body,
        user,
        html_url: `${url}#pullrequestreview-${id}`,
      },
      sender: user,
    },
  }
}

/** An issue that was opened, or what else happened to it. */
export function newIssue(options: Omit<CommentOptions, 'id'>): Event {
  const { body, author, number = 5, action = 'opened' } = options
  const payload = example('issues', 'opened')
  const user = { ...recordField(recordField(payload, 'issue'), 'user'), ...author }
  const issue = {
    ...recordField(payload, 'issue'),
    number,
    body,
    user,
    html_url: `https://github.com/acme/docs/issues/${number}`,
  }
  return { name: 'issues', payload: { ...payload, action, issue, sender: user } }
}

/** Any other event, as GitHub's example of it has it; `change` replaces fields. */
export function otherEvent(name: string, change: object = {}): Event {
  return { name, payload: { ...example(name), ...change } }
}

/** A pull request's event. */
export function pullRequest(
  change: {
    readonly number?: number
    readonly author?: Account
    readonly sender?: Account
    /** Name of the repository that its branch is in. */
    readonly from?: string
  } = {},
): Event {
  const payload = example('pull_request', 'opened')
  const pull = recordField(payload, 'pull_request')
  const head = recordField(pull, 'head')
  const { number = 5, author = pull['user'], sender = payload['sender'], from = 'acme/docs' } = change
  const url = `https://github.com/acme/docs/pull/${number}`
  return {
    name: 'pull_request',
    payload: {
      ...payload,
      number,
      pull_request: {
        ...pull,
        number,
        html_url: url,
        user: author,
        head: { ...head, repo: { ...recordField(head, 'repo'), full_name: from } },
      },
      sender,
    },
  }
}

/** A push; `change` replaces fields of GitHub's example. */
export function push(change: object = {}): Event {
  return { name: 'push', payload: { ...example('push'), ...change } }
}

/** The commit before a push, and the one that it leads to. */
export const BEFORE = 'a'.repeat(40)
export const AFTER = 'b'.repeat(40)

/** A push of commits by these logins; the last one is its head. */
export function pushBy(...logins: readonly string[]): Event {
  const commits = logins.map((username, index) => ({
    id: index === logins.length - 1 ? AFTER : `${index}`.repeat(40),
    message: `Change ${index}\n\nwith details`,
    author: { name: username, email: 'x@example.com', username },
  }))
  return push({
    ref: 'refs/heads/main',
    before: BEFORE,
    after: AFTER,
    created: false,
    compare: 'https://github.com/acme/docs/compare/a...b',
    commits,
    head_commit: commits.at(-1) ?? null,
  })
}

type Example = { readonly name: string; readonly examples: readonly JsonRecord[] }

const EXAMPLES: readonly Example[] = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json'),
    'utf8',
  ).replaceAll('Codertocat/Hello-World', 'acme/docs'),
)

/** A payload as GitHub has sent it, in our repository. */
export function example(name: string, action?: string): JsonRecord {
  const found = EXAMPLES.find((entry) => entry.name === name)?.examples ?? []
  const one = found.find((payload) =>
    action === undefined ? payload['head_commit'] !== null : payload['action'] === action,
  )
  if (one === undefined) throw new Error(`There is no example of ${name}.`)
  return one
}

function written({ id, body, author }: CommentOptions, payload: JsonRecord, url: string) {
  const comment = recordField(payload, 'comment')
  const user = { ...recordField(comment, 'user'), ...author }
  return { comment: { ...comment, id, body, user, html_url: url }, sender: user }
}

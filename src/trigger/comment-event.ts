import { integerField, isRecord, recordField, stringField } from '../lib/json.ts'
import type { GitHubEvent } from './event.ts'

/** Where comments follow one another: the main thread of a pull request or issue, or one thread of a review. */
export type Thread = {
  readonly kind: 'main' | 'review'
  /** Of the pull request or issue. */
  readonly number: number
  readonly isPull: boolean
  /** Id of the comment that a review thread began with; 0 in a main thread. */
  readonly rootId: number
}

/** A comment that somebody has written, as its event tells it. */
export type CommentEvent = {
  readonly id: number
  readonly url: string
  readonly body: string
  readonly login: string
  /** Told by the account's type: a login that only looks like a bot's is no bot. */
  readonly isBot: boolean
  readonly thread: Thread
}

/** Whether an event is about a comment that can be a command. */
export function isCommentEvent({ name }: GitHubEvent): boolean {
  return name === 'issue_comment' || name === 'pull_request_review_comment'
}

/** Reads the comment that an event tells of; `undefined` if it is not one that has just been written. */
export function readComment(event: GitHubEvent): CommentEvent | undefined {
  const { name, payload } = event
  const thread = isCommentEvent(event) ? readThread(name, payload) : undefined
  if (thread === undefined || payload['action'] !== 'created') return undefined
  const comment = recordField(payload, 'comment')
  const user = recordField(comment, 'user')
  const id = integerField(comment, 'id')
  const body = stringField(comment, 'body')
  const login = stringField(user, 'login') ?? ''
  if (id === undefined || body === undefined || login === '') return undefined
  const url = stringField(comment, 'html_url') ?? ''
  return { id, url, body, login, isBot: user['type'] === 'Bot', thread }
}

function readThread(name: string, payload: unknown): Thread | undefined {
  if (name === 'issue_comment') {
    const issue = recordField(payload, 'issue')
    const number = integerField(issue, 'number')
    if (number === undefined) return undefined
    return { kind: 'main', number, isPull: isRecord(issue['pull_request']), rootId: 0 }
  }
  const comment = recordField(payload, 'comment')
  const number = integerField(recordField(payload, 'pull_request'), 'number')
  const rootId = integerField(comment, 'in_reply_to_id') ?? integerField(comment, 'id')
  if (number === undefined || rootId === undefined) return undefined
  return { kind: 'review', number, isPull: true, rootId }
}

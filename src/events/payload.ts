import { readFileSync } from 'node:fs'
import type { Maybe, PullRequest, Repository, User } from '../github/types.ts'
import { isRecord, parseJson } from '../lib/json.ts'
import type { Environment } from '../runner/environment.ts'
import { type EventRow, eventRow, type Payload } from './table.ts'

/** The event that started the workflow run. */
export type GitHubEvent = {
  /** As in GITHUB_EVENT_NAME; empty in a local run. */
  readonly name: string
  readonly row: EventRow
  /** Empty if there is none or it can't be read. */
  readonly payload: Payload
}

/** Reads the event from what the runner says. Never fails: an event without payload is one that says nothing. */
export function readEvent({ eventName: name, eventPath }: Environment): GitHubEvent {
  const row = eventRow(name)
  try {
    const payload = parseJson(readFileSync(eventPath, 'utf8'))
    return { name, row, payload: isRecord(payload) ? (payload as Payload) : {} }
  } catch {
    return { name, row, payload: {} }
  }
}

/** Somebody who wrote something or caused an event. */
export type Actor = {
  /** `undefined` if the payload does not say. */
  readonly id: number | undefined
  /** As GitHub shows it, such as `renovate[bot]`. */
  readonly login: string
  /** By the account's type: a login that only looks like a bot's is no bot. */
  readonly isBot: boolean
}

/** An account of a payload; `undefined` if it names none. */
export function readActor(user: Maybe<User>): Actor | undefined {
  if (!user?.login) return undefined
  return { id: user.id ?? undefined, login: user.login, isBot: user.type === 'Bot' }
}

/** Whether a pull request comes from another repository. That may have been deleted: then the head names none. */
export function isFromFork(pull: Maybe<PullRequest>, repository: string): boolean {
  return !isRepository(pull?.head?.repo, repository)
}

export function isRepository(repository: Maybe<Repository>, fullName: string): boolean {
  return repository?.full_name?.toLowerCase() === fullName.toLowerCase()
}

/** Whether a text is the SHA of a commit. Zeros stand for none, and a local run may have any text there. */
export function isSha(text: Maybe<string>): text is string {
  return /^(?!0+$)[0-9a-f]{40,64}$/.test(text ?? '')
}

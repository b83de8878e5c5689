import { readFileSync } from 'node:fs'
import { integerField, isRecord, type JsonRecord, parseJson, recordField, stringField } from '../lib/json.ts'
import type { Environment } from '../runner/environment.ts'

/** The event that started the workflow run. */
export type GitHubEvent = {
  /** `push`, `pull_request`, …; `pull_request_target` counts as `pull_request`. */
  readonly name: string
  /** The webhook's payload; empty if there is none or it can't be read. */
  readonly payload: JsonRecord
}

/** Reads the event from what the runner says. Never fails: an event without payload is one that says nothing. */
export function readEvent({ eventName, eventPath }: Environment): GitHubEvent {
  const payload = parseJson(readText(eventPath))
  return {
    name: eventName === 'pull_request_target' ? 'pull_request' : eventName,
    payload: isRecord(payload) ? payload : {},
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
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

/** Reads an account of a payload; `undefined` if it names none. */
export function readActor(user: unknown): Actor | undefined {
  const login = stringField(user, 'login') ?? ''
  if (login === '') return undefined
  return { id: integerField(user, 'id'), login, isBot: stringField(user, 'type') === 'Bot' }
}

/** Whether an account is a bot that needs no permission: a real bot with exactly that login. */
export function isAllowedBot({ isBot, login }: Actor, allowBots: readonly string[]): boolean {
  return isBot && allowBots.some((allowed) => allowed.toLowerCase() === login.toLowerCase())
}

/** Events that only somebody with write permission causes; `deployment…` and a few with conditions come beside them. */
const TRUSTED_EVENTS: readonly string[] = [
  'push',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'release',
  'merge_group',
  'create',
  'delete',
]

/**
 * Whether an event can only be caused by somebody with write permission. Outside of GitHub there is no event, and
 * nobody else to cause one.
 */
export function isTrusted({ payload }: GitHubEvent, { eventName, repository }: Environment): boolean {
  if (eventName === '' || isTrustedName(eventName)) return true
  if (eventName === 'pull_request') return !isFromFork(payload, repository)
  if (eventName !== 'workflow_run') return false
  const run = recordField(payload, 'workflow_run')
  const event = stringField(run, 'event') ?? ''
  // A pull request's run has the head repository of its branch; `pull_request_target` is caused by anybody.
  return (
    isRepository(recordField(run, 'head_repository'), repository) &&
    (isTrustedName(event) || event === 'pull_request')
  )
}

function isTrustedName(name: string): boolean {
  return TRUSTED_EVENTS.includes(name) || name.startsWith('deployment')
}

const DEPENDABOT = 'dependabot[bot]'

/**
 * Whether GitHub gives this run no secrets: Dependabot started it, it is for a pull request from a fork, or for a push
 * in a fork, which has no secrets of the repository it was made from.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
export function lacksSecrets({ payload }: GitHubEvent, environment: Environment): boolean {
  const { eventName, actor, repository } = environment
  if (actor === DEPENDABOT || readActor(payload['sender'])?.login === DEPENDABOT) return true
  switch (eventName) {
    case 'push':
      return recordField(payload, 'repository')['fork'] === true
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_comment':
      return isFromFork(payload, repository)
    default:
      return false
  }
}

/** Whether a pull request comes from another repository. That may have been deleted: then the head names none. */
function isFromFork(payload: JsonRecord, repository: string): boolean {
  const head = recordField(recordField(payload, 'pull_request'), 'head')
  return !isRepository(recordField(head, 'repo'), repository)
}

function isRepository(repository: JsonRecord, fullName: string): boolean {
  return (stringField(repository, 'full_name') ?? '').toLowerCase() === fullName.toLowerCase()
}

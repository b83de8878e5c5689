import { readFileSync } from 'node:fs'
import { isRecord, type JsonRecord, parseJson, recordField, stringField } from '../lib/json.ts'
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

/**
 * Whether GitHub gives this run no secrets: it was started by Dependabot, or for a pull request from a fork.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
export function lacksSecrets({ payload }: GitHubEvent, { actor, repository }: Environment): boolean {
  const sender = stringField(recordField(payload, 'sender'), 'login') ?? ''
  if (actor === 'dependabot[bot]' || sender === 'dependabot[bot]') return true
  if (!isRecord(payload['pull_request'])) return false
  const head = recordField(recordField(payload, 'pull_request'), 'head')
  // The fork may have been deleted: then the head has no repository at all.
  const headName = stringField(recordField(head, 'repo'), 'full_name') ?? ''
  return headName.toLowerCase() !== repository.toLowerCase()
}

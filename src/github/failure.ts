import { integerField, recordField, stringField } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import { TransportError } from '../lib/transport-error.ts'

/** No request could be made, as there is nothing to show GitHub who asks. */
export class NoTokenError extends Error {
  override readonly name = 'NoTokenError'

  constructor() {
    super('there is no `github-token`')
  }
}

/** Why GitHub did not do what it was asked. */
export type GitHubFailure = {
  /** `permission`: the token most likely lacks one; `token`: it is not valid, or not any more. */
  readonly cause: 'permission' | 'token' | 'other'
  /** What happened, to follow "GitHub could not be asked to …:". */
  readonly text: string
}

/** Reads the error of a failed call. */
export function readFailure(error: unknown): GitHubFailure {
  const status = statusOf(error)
  if (status === undefined)
    return { cause: isForbidden(error) ? 'permission' : 'other', text: messageOf(error) }
  const answer = recordField(error, 'response')
  const message = stringField(recordField(answer, 'data'), 'message') ?? ''
  const quote = message === '' ? '' : ` ("${clip(message, 200)}")`
  const headers = recordField(answer, 'headers')
  const isLimited =
    status === 429 ||
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit/i.test(message)
  const text = `it answered ${status}${quote}${isLimited ? ', which is its rate limit' : ''}`
  if (status === 401) return { cause: 'token', text }
  return { cause: !isLimited && (status === 403 || status === 404) ? 'permission' : 'other', text }
}

/** The HTTP status that a failed call was answered with; `undefined` if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return integerField(recordField(error, 'response'), 'status')
}

/** GraphQL answers 200 all the same, and says in each error what kind it is. */
function isForbidden(error: unknown): boolean {
  const errors = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined
  const types = (Array.isArray(errors) ? errors : []).map((one) => stringField(one, 'type'))
  return types.includes('FORBIDDEN') || types.includes('NOT_FOUND')
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof TransportError) return cause.message
  return error instanceof Error ? error.message : String(error)
}

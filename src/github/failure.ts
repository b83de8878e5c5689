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
  /** Whether the token most likely lacks a permission. */
  readonly lacksPermission: boolean
  /** What happened, to follow "GitHub could not be asked to …:". */
  readonly text: string
}

/** Reads the error of a failed call. */
export function readFailure(error: unknown): GitHubFailure {
  const answer = recordField(error, 'response')
  const status = integerField(answer, 'status')
  if (status === undefined) return { lacksPermission: false, text: messageOf(error) }
  const said = stringField(recordField(answer, 'data'), 'message') ?? ''
  const quote = said === '' ? '' : ` ("${clip(said, 200)}")`
  const headers = recordField(answer, 'headers')
  const limited =
    status === 429 ||
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit/i.test(said)
  return {
    lacksPermission: !limited && (status === 403 || status === 404),
    text: `it answered ${status}${quote}${limited ? ', which is its rate limit' : ''}`,
  }
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof TransportError) return cause.message
  return error instanceof Error ? error.message : String(error)
}

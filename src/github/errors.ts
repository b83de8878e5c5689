import { integerField, isRecord, listField, recordField, stringField } from '../lib/json.ts'
import { parseRetryAfter } from '../lib/retry.ts'
import { clip, errorMessage } from '../lib/text.ts'
import { TransportError } from '../lib/transport.ts'

/** Why a call failed: the token most likely lacks a permission; it is invalid; a limit of GitHub's; anything else. */
type GitHubErrorKind = 'permission' | 'token' | 'rate-limit' | 'other'

/** A failed call to GitHub. The message follows "Failed to …:", such as `GitHub returned 403 ("Resource not …")`. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  readonly kind: GitHubErrorKind
  /** HTTP status; `undefined` where no response came, or GraphQL reported the error. */
  readonly status: number | undefined
  /** How long GitHub asks to wait, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    options: Pick<GitHubError, 'kind'> & Partial<Pick<GitHubError, 'status' | 'retryAfterMs' | 'cause'>>,
  ) {
    super(message, { cause: options.cause })
    this.kind = options.kind
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
  }
}

/** One entry of the `errors` of a GraphQL response. */
export type GraphqlError = {
  /** `FORBIDDEN`, `NOT_FOUND`, …; empty if it has none. */
  readonly type: string
  readonly message: string
  /** The field that could not be resolved: `repository.object.status`. */
  readonly path: string
}

/** Reads the error of a failed call: one of Octokit's, of the transport's, or of ours. */
export function toGitHubError(error: unknown, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error
  const status = integerField(recordField(error, 'response'), 'status')
  if (status !== undefined) return statusError(error, status, nowMs)
  const [first] = readGraphqlErrors(error)
  if (first !== undefined) return graphqlError(first, error)
  const cause = error instanceof Error ? error.cause : undefined
  const message = cause instanceof TransportError ? cause.message : errorMessage(error)
  return new GitHubError(message, { kind: 'other', cause: error })
}

/** The `errors` of a GraphQL response, as Octokit's error or the response itself holds them. */
export function readGraphqlErrors(holder: unknown): readonly GraphqlError[] {
  return listField(holder, 'errors').map((entry) => ({
    type: stringField(entry, 'type') ?? '',
    message: stringField(entry, 'message') ?? '',
    path: listField(entry, 'path').join('.'),
  }))
}

export function graphqlError({ type, message }: GraphqlError, cause?: unknown): GitHubError {
  const other = type === 'RATE_LIMITED' ? 'rate-limit' : 'other'
  const kind = type === 'FORBIDDEN' || type === 'NOT_FOUND' ? 'permission' : other
  return new GitHubError(`GitHub returned "${clip(message, 200)}"`, { kind, cause })
}

/**
 * A response counts only with a body that says something: proxies before GitHub answer with an empty object or a page,
 * and its GraphQL at times without data.
 *
 * @throws {GitHubError}
 */
export function checkBody({ status, data }: { status: number; data: unknown }, url: string): void {
  if (status === 204) return
  if (!Array.isArray(data) && Object.keys(isRecord(data) ? data : {}).length === 0) {
    throw new GitHubError(`GitHub returned ${status} without a readable body`, { kind: 'other' })
  }
  if (!url.endsWith('/graphql') || (isRecord(data) && isRecord(data['data']))) return
  const [first] = readGraphqlErrors(data)
  if (first !== undefined) throw graphqlError(first)
  throw new GitHubError('GitHub returned a response without data', { kind: 'other' })
}

function statusError(error: unknown, status: number, nowMs: number): GitHubError {
  const response = recordField(error, 'response')
  const said = stringField(recordField(response, 'data'), 'message') ?? ''
  const header = (name: string): string | undefined => stringField(recordField(response, 'headers'), name)
  const isUsedUp = header('x-ratelimit-remaining') === '0'
  const isLimit =
    status === 429 ||
    (status === 403 && (header('retry-after') !== undefined || isUsedUp || /rate limit/i.test(said)))
  const resetMs = isUsedUp ? Math.max(0, Number(header('x-ratelimit-reset')) * 1000 - nowMs) : Number.NaN
  const quote = said === '' ? '' : ` ("${clip(said, 200)}")`
  return new GitHubError(`GitHub returned ${status}${quote}${isLimit ? ', its rate limit' : ''}`, {
    kind: kindOf(status, isLimit, said),
    status,
    retryAfterMs:
      parseRetryAfter(header('retry-after'), nowMs) ?? (Number.isNaN(resetMs) ? undefined : resetMs),
    cause: error,
  })
}

function kindOf(status: number, isLimit: boolean, said: string): GitHubErrorKind {
  if (isLimit) return 'rate-limit'
  if (status === 401) return 'token'
  // A comparison of unrelated commits is a 404, too.
  const isPermission = (status === 403 || status === 404) && !/no common ancestor/i.test(said)
  return isPermission ? 'permission' : 'other'
}

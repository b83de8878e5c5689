import { isRecord, listField, recordField, stringField } from '../lib/json.ts'
import { parseRetryAfter } from '../lib/retry.ts'
import { clip, errorMessage } from '../lib/text.ts'
import { TransportError } from '../lib/transport.ts'

/** A failed call to GitHub. The message follows "Failed to …:", such as `GitHub returned 403 ("Resource not …")`. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  /**
   * Why: the token may lack a permission; token, proxy, name or server are wrong for every call; a limit of GitHub's;
   * the same request will never succeed (410, 422, a locked thread, no token).
   */
  readonly kind: 'permission' | 'setup' | 'rate-limit' | 'refused' | 'other'
  /** HTTP status; `undefined` where no response came, or none that can be used, or GraphQL reported the error. */
  readonly status: number | undefined
  /** The field that GraphQL could not resolve, such as `repository.object.status`; else empty. */
  readonly path: string
  /** How long GitHub asks to wait, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    options: Partial<Pick<GitHubError, 'kind' | 'status' | 'path' | 'retryAfterMs' | 'cause'>> = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = options.kind ?? 'other'
    this.status = options.status
    this.path = options.path ?? ''
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Reads what a call was rejected with: an error of Octokit's, of the transport's, or of ours. */
export function toGitHubError(error: unknown, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error
  const response = recordField(error, 'response')
  const { status } = response
  if (typeof status !== 'number') {
    const inner = error instanceof Error ? error.cause : undefined
    const cause = inner instanceof TransportError ? inner : error
    const failure = cause instanceof TransportError ? cause.failure : undefined
    const kind = failure === 'proxy' || failure === 'unresolved' ? 'setup' : 'other'
    return new GitHubError(errorMessage(cause), { kind, cause })
  }
  const url = stringField(recordField(error, 'request'), 'url') ?? ''
  if (url.endsWith('/graphql') && (status === 404 || status === 405)) {
    return new GitHubError(`this server has no GraphQL API (${status})`, {
      kind: 'setup',
      status,
      cause: error,
    })
  }
  const headers = recordField(response, 'headers')
  const retryAfter = stringField(headers, 'retry-after')
  const isUsedUp = stringField(headers, 'x-ratelimit-remaining') === '0'
  const resetMs = isUsedUp ? Number(headers['x-ratelimit-reset']) * 1000 - nowMs : 0
  const said = messagesOf(response['data'])
  const isLimited = retryAfter !== undefined || isUsedUp || /rate limit/i.test(said)
  const isLimit = status === 429 || (status === 403 && isLimited)
  const quote = said === '' ? '' : `"${clip(said, 200)}"`
  const returned = `GitHub returned ${status}${quote && ` (${quote})`}${isLimit ? ', its rate limit' : ''}`
  const refused = `GitHub refused \`github-token\` (401${quote && `, ${quote}`}): it is invalid or has expired; the token of a GitHub App expires after one hour`
  return new GitHubError(status === 401 ? refused : returned, {
    kind: isLimit ? 'rate-limit' : kindOf(status, said),
    status,
    retryAfterMs: parseRetryAfter(retryAfter, nowMs) ?? (resetMs > 0 ? resetMs : undefined),
    cause: error,
  })
}

/** The same failure, but none that is final. */
export function asPassing({ message, status, retryAfterMs, cause }: GitHubError): GitHubError {
  return new GitHubError(message, { status, retryAfterMs, cause })
}

/** What GitHub says, with the details that it gives for a 422. */
function messagesOf(data: unknown): string {
  const details = listField(data, 'errors').map((one) =>
    typeof one === 'string' ? one : stringField(one, 'message'),
  )
  return [stringField(data, 'message'), ...details].filter((text) => text).join(': ')
}

function kindOf(status: number, said: string): GitHubError['kind'] {
  if (status === 401) return 'setup'
  if (status === 410 || status === 422 || (status === 403 && /\blocked\b/i.test(said))) return 'refused'
  // A comparison of unrelated commits is a 404, too.
  const mayBePermission = (status === 403 || status === 404) && !/no common ancestor/i.test(said)
  return mayBePermission ? 'permission' : 'other'
}

/** One entry of the `errors` of a GraphQL response. */
export type GraphqlError = {
  /** `FORBIDDEN`, `NOT_FOUND`, …; empty if it has none. */
  readonly type: string
  readonly message: string
  /** The field that could not be resolved: `repository.object.status`. */
  readonly path: string
}

export function readGraphqlErrors(data: unknown): readonly GraphqlError[] {
  return listField(data, 'errors').map((entry) => ({
    type: stringField(entry, 'type') ?? '',
    message: stringField(entry, 'message') ?? '',
    path: listField(entry, 'path').join('.'),
  }))
}

export function graphqlError({ type, message, path }: GraphqlError): GitHubError {
  const other = type === 'RATE_LIMITED' ? 'rate-limit' : 'other'
  const kind = type === 'FORBIDDEN' || type === 'NOT_FOUND' ? 'permission' : other
  return new GitHubError(`GitHub returned "${clip(message, 200)}"`, { kind, path })
}

export type SentRequest = { readonly method: string; readonly url: string }

/**
 * A response counts only with a body that says something, or with 204 to a deletion: proxies before GitHub
 * answer with an empty object or a page, and its GraphQL at times without data.
 *
 * @throws {GitHubError}
 */
export function checkBody({ status, data }: { status: number; data: unknown }, request: SentRequest): void {
  if (status === 204 && request.method === 'DELETE') return
  if (!Array.isArray(data) && !(isRecord(data) && Object.keys(data).length > 0)) {
    throw new GitHubError(`GitHub returned ${status} without a readable body`)
  }
  if (!request.url.endsWith('/graphql') || (isRecord(data) && isRecord(data['data']))) return
  const [first] = readGraphqlErrors(data)
  throw first === undefined ? new GitHubError('GitHub returned a response without data') : graphqlError(first)
}

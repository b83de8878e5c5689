import { clip, errorMessage, isRecord, listField, recordField, stringField } from '../lib/text.ts'
import { parseRetryAfter } from '../lib/time.ts'
import { TRANSPORT_ADVICE, TransportError } from '../lib/transport.ts'

/** A failed call to GitHub. The message follows "Failed to …:", such as `GitHub returned 502`. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  /**
   * Why: the token may lack a permission; token, proxy or server are wrong for every call; a limit of GitHub's;
   * the same request will never succeed (410, 422, a locked thread, no token).
   */
  readonly kind: 'permission' | 'setup' | 'rate-limit' | 'refused' | 'other' = 'other'
  /** HTTP status; `undefined` where no usable response came. An error of GraphQL's has none but 404. */
  readonly status: number | undefined
  /** The field that GraphQL could not resolve, such as `repository.object.status`; else empty. */
  readonly path: string = ''
  /** How long GitHub asks to wait, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined
  /** The likely cause and the fix, as sentences; may be empty. `GitHub.report` says it once in a run. */
  readonly explanation: string = ''
  /** Whether the request writes and may have taken effect, at this or an earlier try. */
  readonly maybeWritten: boolean = false

  constructor(
    message: string,
    { cause, ...fields }: Partial<Omit<GitHubError, keyof Error>> & ErrorOptions = {},
  ) {
    super(message, { cause })
    Object.assign(this, fields)
  }
}

/** Reads what a call was rejected with: an error of Octokit's, of the transport's, or of ours. */
export function toGitHubError(error: unknown, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error
  const { status, headers, data } = recordField(error, 'response')
  if (typeof status !== 'number') {
    const inner = error instanceof Error ? error.cause : undefined
    const cause = inner instanceof TransportError ? inner : error
    const isFinal =
      cause instanceof TransportError && /^(?:proxy|tls-protocol)$/.test(cause.failure)
    const explanation = cause instanceof TransportError ? TRANSPORT_ADVICE[cause.failure] : ''
    const kind = isFinal ? 'setup' : 'other'
    return new GitHubError(errorMessage(cause), { kind, explanation, cause })
  }
  const url = stringField(recordField(error, 'request'), 'url') ?? ''
  if (url.endsWith('/graphql') && (status === 404 || status === 405)) {
    const explanation = 'This server has no GraphQL API.'
    return new GitHubError(`GitHub returned ${status}`, { kind: 'setup', status, explanation })
  }
  const retryAfter = stringField(headers, 'retry-after')
  const isUsedUp = stringField(headers, 'x-ratelimit-remaining') === '0'
  const resetMs = isUsedUp ? Number(stringField(headers, 'x-ratelimit-reset')) * 1000 - nowMs : 0
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs) ?? (resetMs > 0 ? resetMs : undefined)
  const fields = explain(status, messagesOf(data), retryAfter !== undefined || isUsedUp)
  return new GitHubError(fields.message, { ...fields, status, retryAfterMs, cause: error })
}

/** @param text what GitHub says */
function explain(status: number, text: string, isLimited: boolean) {
  const quote = text && `"${clip(text, 200)}"`
  if (status === 401) {
    const message = `GitHub refused \`github-token\` (401${quote && `, ${quote}`})`
    const explanation =
      'It is invalid or has expired; the token of a GitHub App expires after one hour.'
    return { kind: 'setup', message, explanation } as const
  }
  if (status === 429 || (status === 403 && (isLimited || /rate limit/i.test(text)))) {
    const message = `GitHub returned ${status}, its rate limit`
    return { kind: 'rate-limit', message, explanation: quote && `GitHub says: ${quote}` } as const
  }
  return {
    kind: kindOf(status, text),
    message: `GitHub returned ${status}${quote && ` (${quote})`}`,
  }
}

/** Whether GitHub may have done what it did not confirm. */
export function mayHaveArrived({ kind, status, cause }: GitHubError): boolean {
  if (cause instanceof TransportError) return cause.maybeSent
  return kind === 'other' && (status === undefined || status >= 500 || status === 408)
}

/** What GitHub says, with the details that it gives for a 422. */
function messagesOf(data: unknown): string {
  const details = listField(data, 'errors').map((one) =>
    typeof one === 'string' ? one : stringField(one, 'message'),
  )
  return [stringField(data, 'message'), ...details].filter((text) => text).join(': ')
}

function kindOf(status: number, said: string): GitHubError['kind'] {
  if (status === 410 || status === 422 || (status === 403 && /\b(?:locked|archived)\b/i.test(said)))
    return 'refused'
  if (/\bSAML\b|IP allow list|\bsuspended\b/i.test(said)) return 'setup'
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
  const status = type === 'NOT_FOUND' ? 404 : undefined
  const kind = type === 'FORBIDDEN' || status ? kindOf(status ?? 403, message) : other
  return new GitHubError(`GitHub returned "${clip(message, 200)}"`, { kind, status, path })
}

export type SentRequest = { readonly method: string; readonly url: string }

/**
 * A response counts only with a body that says something: proxies before GitHub answer with an empty object or a page,
 * and its GraphQL at times without data.
 *
 * @throws {GitHubError}
 */
export function checkBody(
  { status, data }: { status: number; data: unknown },
  request: SentRequest,
): void {
  if (status >= 300) throw new GitHubError(`GitHub redirected the request (${status})`)
  if (!Array.isArray(data) && !(isRecord(data) && Object.keys(data).length > 0)) {
    throw new GitHubError(`GitHub returned ${status} without a readable body`)
  }
  if (!request.url.endsWith('/graphql') || (isRecord(data) && isRecord(data['data']))) return
  const [first] = readGraphqlErrors(data)
  throw first === undefined
    ? new GitHubError('GitHub returned a response without data')
    : graphqlError(first)
}

import { TransportError, transportAdvice } from '../lib/http.ts'
import {
  clip,
  docsLink,
  errorMessage,
  inBackticks,
  isRecord,
  joinSentences,
  listField,
  listOf,
  recordField,
  stringField,
} from '../lib/text.ts'
import { parseRetryAfter } from '../lib/time.ts'

/** The result of a lookup: a value, `undefined` if there is none, or unknown. */
export type Lookup<T> =
  | { readonly known: true; readonly value: T }
  /** `why` is the error's message, which follows a colon: `GitHub returned 502`. */
  | { readonly known: false; readonly why: string; readonly error: GitHubError }

/** The result of a lookup that found nothing, or of a write. */
export const NOT_FOUND = { known: true, value: undefined } as const

export function failedLookup(error: GitHubError): Lookup<never> {
  return { known: false, why: error.message, error }
}

/** A failed call to GitHub. The message follows "Could not …:", such as `GitHub returned 502`. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  /**
   * The cause: the token may lack a permission; token, proxy, or server are wrong for every call; a rate limit; or the
   * same request will never succeed (410, 422, a locked thread, no token).
   */
  readonly kind: 'permission' | 'setup' | 'rate-limit' | 'refused' | 'other' = 'other'
  /** The title of an annotation: the message without GitHub's words. */
  readonly title: string
  /** HTTP status; `undefined` without a usable response. A GraphQL error has none, except 404. */
  readonly status: number | undefined
  /** The field that GraphQL could not resolve, such as `repository.object.status`; may be empty. */
  readonly path: string = ''
  /** The permission that this field needs, if it isn't the call's. */
  readonly permission: string | undefined
  /** How long GitHub asks to wait, in milliseconds, if it does. */
  readonly retryAfterMs: number | undefined
  /** The likely cause and the fix, as sentences; may be empty. `GitHub.report` logs it once in a run. */
  readonly explanation: string = ''
  /** Whether the request writes and may have taken effect, at this or an earlier try. */
  readonly maybeWritten: boolean = false

  constructor(
    message: string,
    { cause, ...fields }: Partial<Omit<GitHubError, keyof Error>> & ErrorOptions = {},
  ) {
    super(message, { cause })
    this.title = message
    Object.assign(this, fields)
  }
}

/** What a call is for. */
export type GitHubCall = {
  /** To follow "Could not": `list the comments`. */
  readonly purpose: string
  /** The permission that the token needs for it: `issues: write`. */
  readonly permission: string
  /** How to grant it, as a sentence, if it is for another repository; by default in the workflow, or for a person's token. */
  readonly fix?: string
}

/** A failed call, and its error. */
export type FailedCall = { readonly error: GitHubError; readonly call: GitHubCall }

/** A failed call that the run can't do without: nothing is started. */
export class NeededCallError extends Error {
  override readonly name = 'NeededCallError'
  /** To follow "Could not": `look for an earlier job`. */
  readonly purpose: string
  readonly permission: string
  override readonly cause: GitHubError

  constructor(call: Pick<GitHubCall, 'purpose' | 'permission'>, cause: GitHubError) {
    super(`Could not ${call.purpose}: ${cause.message}`)
    this.purpose = call.purpose
    this.permission = call.permission
    this.cause = cause
  }
}

/**
 * Words a missing permission, and the place to add it. The workflow's permissions don't apply to a person's token.
 *
 * @param permissions with backticks
 */
export function missingPermission(permissions: string, { message, status }: GitHubError) {
  const isOfPerson = message.includes('personal access token')
  // GitHub returns 404 for both.
  const other = status === 404 ? " (or the item doesn't exist)" : ''
  return {
    who: `${isOfPerson ? "`github-token` doesn't have" : "The workflow doesn't grant"} ${permissions}${other}`,
    fix: isOfPerson
      ? `Add ${permissions} to the token.`
      : `Add ${permissions} under \`permissions:\`.`,
  }
}

/**
 * Words one notice about calls that failed and that the run could do without.
 *
 * @param isMissing whether a call failed because the token lacks its permission
 */
export function describeFailures(
  failures: readonly [FailedCall, ...FailedCall[]],
  isMissing: (failure: FailedCall) => boolean,
) {
  const [first] = failures
  const { error, call } = first
  const purposes = [...new Set(failures.map((one) => one.call.purpose))]
  const needed = failures.filter(isMissing).map((one) => one.call.permission)
  // Writing includes reading.
  const widened = (permission: string): string => {
    const writing = permission.replace(/read$/, 'write')
    return needed.includes(writing) ? writing : permission
  }
  const missing = [...new Set(needed.map(widened))]
  const { who, fix } = missingPermission(listOf(missing.map(inBackticks)), error)
  return {
    text: joinSentences(
      `The run continued, but the action could not ${listOf(purposes)}: ${error.message}.`,
      missing.length > 0 ? (call.fix ?? `${who}. ${fix}`) : error.explanation,
    ),
    title: isMissing(first) ? `Missing permission: \`${widened(call.permission)}\`` : error.title,
  }
}

/** Reads the error that a call was rejected with: Octokit's, the transport's, or a GitHubError. */
export function toGitHubError(error: unknown, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error
  const { status, headers, data } = recordField(error, 'response')
  if (typeof status !== 'number') {
    const inner = error instanceof Error ? error.cause : undefined
    if (inner instanceof GitHubError) return inner
    const cause = inner instanceof TransportError ? inner : error
    const isFinal =
      cause instanceof TransportError && /^(?:proxy|tls-protocol)$/.test(cause.failure)
    if (cause instanceof TypeError) {
      // Neither payloads nor responses are checked field by field.
      const unexpected = 'GitHub returned unexpected data'
      const message = `${unexpected} (${errorMessage(cause)})`
      return new GitHubError(message, { kind: 'refused', title: unexpected, cause })
    }
    const explanation = cause instanceof TransportError ? transportAdvice(cause) : ''
    const kind = isFinal ? 'setup' : 'other'
    const title = 'Could not reach GitHub'
    return new GitHubError(errorMessage(cause), { kind, title, explanation, cause })
  }
  const url = stringField(recordField(error, 'request'), 'url') ?? ''
  if (url.endsWith('/graphql') && (status === 404 || status === 405)) {
    const title = 'This GitHub server has no GraphQL API'
    return new GitHubError(`GitHub returned ${status}`, {
      kind: 'setup',
      status,
      title,
      explanation: `${title}.`,
    })
  }
  const retryAfter = stringField(headers, 'retry-after')
  const isUsedUp = stringField(headers, 'x-ratelimit-remaining') === '0'
  const resetMs = isUsedUp ? Number(stringField(headers, 'x-ratelimit-reset')) * 1000 - nowMs : 0
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs) ?? (resetMs > 0 ? resetMs : undefined)
  const fields = describeResponse(status, readMessages(data), retryAfter !== undefined || isUsedUp)
  return new GitHubError(fields.message, { ...fields, status, retryAfterMs, cause: error })
}

/** @param text GitHub's own words */
function describeResponse(status: number, text: string, isLimited: boolean) {
  const quote = text && `"${clip(text, 200)}"`
  if (status === 401) {
    const title = '`github-token` is invalid or expired'
    const message = `GitHub rejected \`github-token\` (401${quote && ` ${quote}`})`
    const explanation = `Save a new personal access token in its secret. If it is an App's token, create it in the same workflow job, because it expires after one hour ${docsLink('manage.md#change-the-token')}.`
    return { kind: 'setup', title, message, explanation } as const
  }
  if (status === 429 || (status === 403 && (isLimited || /rate limit/i.test(text)))) {
    const message = `GitHub's API rate limit was exceeded (${status})`
    const title = "GitHub's API rate limit was exceeded"
    const explanation = joinSentences(
      quote && `GitHub says: ${quote}`,
      'The limit resets within an hour.',
    )
    return { kind: 'rate-limit', title, message, explanation } as const
  }
  return {
    kind: classify(status, text),
    title: status < 400 ? `GitHub returned ${status}` : `GitHub rejected a request (${status})`,
    ...(status >= 500 && { title: `GitHub is unavailable (${status})`, explanation: OUTAGE }),
    ...tokenProblem(text),
    message: `GitHub returned ${status}${quote && ` (${quote})`}`,
  }
}

const OUTAGE = 'GitHub may have an outage: see `githubstatus.com`.'

/** Explains GitHub's words if no call with this token can succeed; `undefined` if they say something else. */
function tokenProblem(said: string) {
  const app = `or use your GitHub App's token ${docsLink('manage.md#change-the-token')}.`
  if (/\bSAML\b/i.test(said)) {
    return {
      title: 'The organization requires SSO for `github-token`',
      explanation: `Authorize the token under Settings → Developer settings → Personal access tokens → Configure SSO, ${app}`,
    }
  }
  if (/\bforbids access via\b/i.test(said)) {
    return {
      title: 'The organization forbids this kind of `github-token`',
      explanation: `Use a kind of token that the organization allows, ${app}`,
    }
  }
  if (/IP allow list/i.test(said)) {
    return {
      title: "The organization's IP allow list blocks this runner",
      explanation: 'Use a runner whose address is on the list, or add its address.',
    }
  }
  if (!/\bsuspended\b/i.test(said)) return undefined
  return {
    title: 'The account or App of `github-token` is suspended',
    explanation: `An owner can end the suspension. Until then, use another token ${docsLink('manage.md#change-the-token')}.`,
  }
}

/** Whether GitHub may have done what it did not confirm. */
export function mayHaveArrived({ kind, status, cause }: GitHubError): boolean {
  if (cause instanceof TransportError) return cause.maybeSent
  return kind === 'other' && (status === undefined || status >= 500 || status === 408)
}

/** Whether a response was too large to be read. */
export function isTooLarge(error: unknown): boolean {
  const { cause } = error instanceof GitHubError ? error : {}
  return cause instanceof TransportError && cause.failure === 'too-large'
}

/** Returns GitHub's own words, with the details of a 422. */
function readMessages(data: unknown): string {
  const details = listField(data, 'errors').map((one) =>
    typeof one === 'string' ? one : stringField(one, 'message'),
  )
  return [stringField(data, 'message'), ...details].filter((text) => text).join(': ')
}

function classify(status: number, said: string): GitHubError['kind'] {
  if (/submitted too quickly/i.test(said)) return 'rate-limit'
  if (status === 410 || status === 422 || (status === 403 && /\b(?:locked|archived)\b/i.test(said)))
    return 'refused'
  if (tokenProblem(said) !== undefined) return 'setup'
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

/** @param permission that the field needs, if it isn't the call's */
export function graphqlError(
  { type, message, path }: GraphqlError,
  permission?: string,
): GitHubError {
  const other = type === 'RATE_LIMITED' ? 'rate-limit' : 'other'
  const status = type === 'NOT_FOUND' ? 404 : undefined
  const kind = type === 'FORBIDDEN' || status ? classify(status ?? 403, message) : other
  const words = { title: 'GitHub could not answer a query', ...tokenProblem(message) }
  return new GitHubError(`GitHub returned "${clip(message, 200)}"`, {
    kind,
    status,
    path,
    permission,
    ...words,
  })
}

/** Whether a failed request may be sent again. */
export function canRetry(error: GitHubError, request: RequestLine): boolean {
  const isUnsent = error.cause instanceof TransportError && !error.cause.maybeSent
  return mayPass(error) && (error.kind === 'rate-limit' || isUnsent || canRepeat(request))
}

/** Whether the same request may succeed later. */
export function mayPass(error: GitHubError): boolean {
  const { kind, cause } = error
  if (kind !== 'other') return kind === 'rate-limit'
  const isUnsent = cause instanceof TransportError && !cause.maybeSent
  return isUnsent || (mayHaveArrived(error) && !isTooLarge(error))
}

/** Returns the first error of a GraphQL answer that another try may not have; `undefined` if it has none. */
export function passingFailure(data: unknown, { url }: RequestLine): GitHubError | undefined {
  const errors = url.endsWith('/graphql') ? readGraphqlErrors(data) : []
  const first = errors.find(({ type }) => type !== 'FORBIDDEN' && type !== 'NOT_FOUND')
  return first && graphqlError(first)
}

/** Whether sending a request twice has the same effect as sending it once; GitHub keeps one reaction of a kind. */
function canRepeat(request: RequestLine): boolean {
  const { method, url } = request
  return onlyReads(request) || method !== 'POST' || /\/(?:reactions|statuses\/[^/]+)$/.test(url)
}

export function onlyReads({ method, url }: RequestLine): boolean {
  return method === 'GET' || url.endsWith('/graphql')
}

export type RequestLine = { readonly method: string; readonly url: string }

/**
 * Rejects a response without a usable body: proxies in front of GitHub answer with an empty object or a page, and GraphQL
 * sometimes without data.
 *
 * @throws {GitHubError}
 */
export function assertBody(
  { status, data }: { status: number; data: unknown },
  request: RequestLine,
): void {
  if (status >= 300)
    throw new GitHubError(`GitHub redirected the request (${status})`, { kind: 'refused', status })
  if (!Array.isArray(data) && !(isRecord(data) && Object.keys(data).length > 0)) {
    throw new GitHubError(`GitHub returned ${status} without a readable body`)
  }
  if (!request.url.endsWith('/graphql') || (isRecord(data) && isRecord(data['data']))) return
  const [first] = readGraphqlErrors(data)
  throw first === undefined
    ? new GitHubError('GitHub returned a response without data')
    : graphqlError(first)
}

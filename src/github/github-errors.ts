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
  Problem,
  recordField,
  stringField,
} from '../lib/text.ts'
import { parseRetryAfter } from '../lib/time.ts'

/** The result of a call: a value, or the error. */
export type Lookup<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly error: GitHubError }

/** A failed call to GitHub. The message follows "Could not …:", such as `GitHub returned 502`. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  /**
   * The cause: the token may lack a permission; a rate limit; the same request will never succeed (410, 422, a locked
   * thread, a wrong token); or one that may pass.
   */
  readonly kind: 'permission' | 'rate-limit' | 'refused' | 'passing' = 'passing'
  /** The title of an annotation: the message without GitHub's words. */
  readonly title: string
  /** HTTP status; `undefined` without a usable response. A GraphQL error has none, except 404. */
  readonly status: number | undefined
  /** The permission that a field of a GraphQL query needs, if it isn't the call's. */
  readonly permission: string | undefined
  /** How long GitHub asks to wait, in milliseconds, if it does. */
  readonly retryAfterMs: number | undefined
  /** The likely cause and the fix, as sentences; may be empty. */
  readonly explanation: string = ''

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
}

/** Serves every event of one workflow. */
const PERMISSIONS = `permissions:
  contents: read
  issues: write
  pull-requests: write
  statuses: write`

const GRANT = `Add this block to the workflow job. If \`github-token\` is another token, give the same permissions to its App or account ${docsLink('events.md#permissions')}`

/** Words a missing permission. GitHub returns 404 for both of its causes. */
function missing(permissions: readonly string[], { status }: GitHubError): string {
  const other = status === 404 ? ", or the item doesn't exist" : ''
  return `\`github-token\` doesn't have ${listOf(permissions.map(inBackticks))}${other}.`
}

/** Makes the problem of a call that the run can't do without. */
export function notStartedProblem({ purpose, permission }: GitHubCall, error: GitHubError) {
  const { kind, message, title, explanation } = error
  const failed = `Could not ${purpose}: ${message}.`
  if (kind !== 'permission') {
    const isTransient = kind !== 'refused'
    const again = isTransient || !explanation ? 'To try again, re-run this job.' : ''
    const text = joinSentences(failed, explanation, 'Nothing was started.', again)
    return new Problem({ title, text, isTransient, cause: error })
  }
  const needed = error.permission ?? permission
  return new Problem({
    title: `Missing permission: ${inBackticks(needed)}`,
    text: joinSentences(failed, missing([needed], error), 'Nothing was started.', `${GRANT}:`),
    paste: PERMISSIONS,
    cause: error,
  })
}

/** Words one notice about calls that failed and that the run could do without. */
export function describeOptionalFailures(
  failures: readonly { readonly error: GitHubError; readonly call: GitHubCall }[],
) {
  const purposes = [...new Set(failures.map(({ call }) => call.purpose))]
  const [{ error } = { error: new GitHubError('') }] = failures
  const ungranted = failures.filter((one) => one.error.kind === 'permission')
  const permissions = [
    ...new Set(ungranted.map(({ call, error: one }) => one.permission ?? call.permission)),
  ]
  const isMissing = permissions.length > 0
  return {
    text: joinSentences(
      `The run continued, but the action could not ${listOf(purposes)}: ${error.message}.`,
      isMissing ? `${missing(permissions, error)} ${GRANT}:\n${PERMISSIONS}` : error.explanation,
    ),
    title: isMissing ? `Missing permission: ${inBackticks(permissions[0] ?? '')}` : error.title,
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
    if (cause instanceof TypeError) {
      // Neither payloads nor responses are checked field by field.
      const title = 'GitHub returned unexpected data'
      return new GitHubError(`${title} (${errorMessage(cause)})`, { kind: 'refused', title, cause })
    }
    const explanation = cause instanceof TransportError ? transportAdvice(cause) : ''
    const kind = isTooLarge(cause) ? 'refused' : 'passing'
    const title = 'Could not reach GitHub'
    return new GitHubError(errorMessage(cause), { kind, title, explanation, cause })
  }
  const retryAfter = stringField(headers, 'retry-after')
  const isUsedUp = stringField(headers, 'x-ratelimit-remaining') === '0'
  const resetMs = isUsedUp ? Number(stringField(headers, 'x-ratelimit-reset')) * 1000 - nowMs : 0
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs) ?? (resetMs > 0 ? resetMs : undefined)
  const said = readMessages(data)
  const quote = said && ` ("${clip(said, 200)}")`
  const isLimited = retryAfter !== undefined || isUsedUp
  const fields = { ...classify(status, said, isLimited), status, retryAfterMs, cause: error }
  return new GitHubError(`GitHub returned ${status}${quote}`, fields)
}

/** Returns GitHub's own words, with the details of a 422. */
function readMessages(data: unknown): string {
  const details = listField(data, 'errors').map((one) =>
    typeof one === 'string' ? one : stringField(one, 'message'),
  )
  return [stringField(data, 'message'), ...details].filter((text) => text).join(': ')
}

type Classified = Pick<GitHubError, 'kind' | 'title' | 'explanation'>

/** Finds out what a status with GitHub's words means. */
function classify(status: number, all: string, isLimited: boolean): Classified {
  const said = all.slice(0, 1000)
  const reason = (kind: Classified['kind'], title: string, explanation = ''): Classified => ({
    kind,
    title,
    explanation,
  })
  if (status === 401)
    return reason(
      'refused',
      '`github-token` is invalid or expired',
      `Save a new token in its secret. If it is an App's token, create it in the same workflow job, because it expires after one hour ${docsLink('manage.md#change-the-token')}.`,
    )
  const isQuick = /submitted too quickly/i.test(said)
  if (status === 429 || isQuick || (status === 403 && (isLimited || /rate limit/i.test(said))))
    return reason(
      'rate-limit',
      "GitHub's API rate limit was exceeded",
      'The limit resets within an hour.',
    )
  if (/maximum number of statuses/i.test(said))
    return reason(
      'refused',
      'This commit has 1,000 commit statuses of this name',
      'GitHub accepts no more, so later runs could not find this job. Push a new commit, or give the step another `id`.',
    )
  if (/\bSAML\b|\bforbids access via\b|IP allow list|\bsuspended\b/i.test(said))
    return reason(
      'refused',
      'The organization rejects `github-token`',
      `An owner can allow the token or the runner's address. Otherwise, use another token ${docsLink('manage.md#change-the-token')}.`,
    )
  const rejected = `GitHub rejected a request (${status})`
  if (status === 410 || status === 422 || /\b(?:locked|archived)\b/i.test(said))
    return reason('refused', rejected)
  // A comparison of unrelated commits is a 404, too.
  if ((status === 403 || status === 404) && !/no common ancestor/i.test(said))
    return reason('permission', rejected)
  if (status < 500) return reason(status === 408 ? 'passing' : 'refused', rejected)
  const outage = 'GitHub may have an outage: see `githubstatus.com`.'
  return reason('passing', `GitHub is unavailable (${status})`, outage)
}

/** Whether a response was too large to be read. */
export function isTooLarge(error: unknown): boolean {
  const cause = error instanceof GitHubError ? error.cause : error
  return cause instanceof TransportError && cause.failure === 'too-large'
}

/** Whether a request that writes may have taken effect all the same. */
export function isUnclear({ kind, cause }: GitHubError): boolean {
  return cause instanceof TransportError ? cause.failure !== 'unsent' : kind === 'passing'
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

/** Returns the permission that a field of a query needs; `undefined` if it is the call's. */
function permissionFor(path: string): string | undefined {
  if (path.includes('status')) return 'statuses: read'
  if (/\.(?:pull|p\d+|associatedPullRequests)$/.test(path)) return 'pull-requests: read'
  return /\.(?:own|tip|c\d+|commit|beforeCommit)$/.test(path) ? 'contents: read' : undefined
}

export function graphqlError({ type, message, path }: GraphqlError): GitHubError {
  const statuses: Readonly<Record<string, number>> = {
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    RATE_LIMITED: 429,
  }
  const status = statuses[type]
  const fields = classify(status ?? 500, message, false)
  const title = status === 429 ? fields.title : 'GitHub could not answer a query'
  return new GitHubError(`GitHub returned "${clip(message, 200)}"`, {
    ...fields,
    title,
    status: status === 404 ? status : undefined,
    permission: permissionFor(path),
  })
}

export type RequestLine = { readonly method: string; readonly url: string }

export function onlyReads({ method, url }: RequestLine): boolean {
  return method === 'GET' || url.endsWith('/graphql')
}

/** Whether a failed request may be sent again: GitHub keeps one reaction of a kind, and a status twice says the same. */
export function canRetry(error: GitHubError, request: RequestLine): boolean {
  const { kind } = error
  if (kind === 'permission' || kind === 'refused') return false
  const { method, url } = request
  const isHarmless =
    onlyReads(request) || method !== 'POST' || /\/(?:reactions|statuses\/[^/]+)$/.test(url)
  return kind === 'rate-limit' || isHarmless || !isUnclear(error)
}

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
  if (status !== 201 && !Array.isArray(data) && !(isRecord(data) && Object.keys(data).length > 0))
    throw new GitHubError(`GitHub returned ${status} without a readable body`)
  if (!request.url.endsWith('/graphql') || isRecord(recordOf(data)['data'])) return
  const [first] = readGraphqlErrors(data)
  throw first ? graphqlError(first) : new GitHubError('GitHub returned a response without data')
}

function recordOf(data: unknown): Readonly<Record<string, unknown>> {
  return isRecord(data) ? data : {}
}

/** Returns the first error of a GraphQL answer that another try may not have; `undefined` if it has none. */
export function passingFailure(data: unknown, { url }: RequestLine): GitHubError | undefined {
  const errors = url.endsWith('/graphql') ? readGraphqlErrors(data) : []
  const first = errors.find(({ type }) => type !== 'FORBIDDEN' && type !== 'NOT_FOUND')
  return first && graphqlError(first)
}

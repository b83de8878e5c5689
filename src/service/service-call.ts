/** What a 404 means for a call about a project. */
export const NO_SUCH_PROJECT =
  'There is no such project for this key: check `project-id`, and that the key belongs to the same organisation.'

/** One call of the service's interface, with the words that its errors need. */
export type ServiceCall = {
  readonly method: 'GET' | 'POST'
  /** Path segments as they are meant; they are URL-encoded when they are sent. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** What is asked, to follow "when asked to": `create the job`. */
  readonly purpose: string
  /** What a 404 means for this call, and the cure, as a sentence. */
  readonly notFound: string
  /** The documented limit of this call, to follow "rate limit:". */
  readonly limit: string
}

/** An answer, without the key wherever the service may have put it. */
export type ServiceAnswer = {
  readonly status: number
  /** The body as JSON; `undefined` if it is none. */
  readonly json: unknown
  readonly text: string
  /** The body as it came; `undefined` if the key had to be taken out of it, or may hide in its escapes. */
  readonly exact: string | undefined
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

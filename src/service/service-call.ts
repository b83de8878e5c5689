import { inBackticks } from '../lib/text.ts'

/** One call of the service's API, with the words that its errors need. */
export type ServiceCall = {
  /** A `POST` is sent over a connection of its own. */
  readonly method: 'GET' | 'POST'
  /** Path segments as they are meant; they are URL-encoded when they are sent. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** What is requested, to follow "the request to": `create a job`. */
  readonly purpose: string
  /** What a 404 means for this call. */
  readonly notFound: NotFound
  /** The documented limit of this call, to follow "The limit is": `100 jobs per project and hour`. */
  readonly limit: string
}

/** What is missing, fit for a heading, and what to do about it, as a sentence. */
export type NotFound = { readonly headline: string; readonly cure: string }

/** What a 404 means for a call about a project. */
export function projectNotFound(projectId: string): NotFound {
  return {
    headline: `No project ${inBackticks(projectId)}`,
    cure: 'Check `project-id`, and that the API key belongs to the same organisation.',
  }
}

/** A response, without the key wherever the service may have put it. */
export type ServiceResponse = {
  readonly status: number
  /** The body as JSON; `undefined` if it is none. */
  readonly json: unknown
  readonly text: string
  /** The body as it came; `undefined` if the key had to be taken out of it. */
  readonly exact: string | undefined
  /** Why the body could not be read, to follow "because"; `undefined` if it could. */
  readonly bodyProblem: string | undefined
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

/** One request. */
export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the request at once; `send` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Whether the request goes out over a connection that nothing was sent on before. */
  readonly freshConnection?: boolean
}

/** One whole answer, whatever its status. Redirects are answers like any other: they are never followed. */
export type HttpAnswer = {
  readonly status: number
  /** Names in lower case; of a header sent more than once, the values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Unpacked and read as UTF-8. */
  readonly body: string
  /** Why the body could not be read, to follow "because"; `undefined` if it could. */
  readonly bodyProblem: string | undefined
}

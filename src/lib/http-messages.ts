/** One request. */
export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the request at once; `send` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether the request goes out on a connection that nothing was sent on before. For requests that must not be
   * repeated: the server may be closing a kept connection at the very moment that something is sent on it.
   */
  readonly freshConnection?: boolean
}

/** One response, whatever its status. Redirects are responses like any other: they are never followed. */
export type HttpResponse = {
  readonly status: number
  /** Names in lower case; of a header sent more than once, the values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Read as UTF-8; empty if it could not be read. */
  readonly body: string
  /** Why the body could not be read, fit to follow "because"; `undefined` if it could. */
  readonly bodyProblem: string | undefined
  /** Whether the body broke off or was not complete in time: another try may get it, unlike for other problems. */
  readonly bodyCutOff: boolean
}

/** How a transport sends a request. */
export type SendOptions = {
  /** Ends the request, the opening of a connection included. */
  readonly signal: AbortSignal
  /** Maximum size of a body in bytes. */
  readonly bodyLimitBytes: number
  /** Called right before the first byte of the request is written. */
  readonly onSend: () => void
}

/** Puts a response together from its pieces. */
export class ResponseBuilder {
  readonly #status: number
  readonly #headers: Readonly<Record<string, string>>
  readonly #limitBytes: number
  readonly #compression: string | undefined
  readonly #chunks: Uint8Array[] = []
  #size = 0

  constructor(status: number, headers: RawHeaders, limitBytes: number) {
    this.#status = status
    this.#headers = joinHeaders(headers)
    this.#limitBytes = limitBytes
    const encoding = (this.#headers['content-encoding'] ?? '').trim().toLowerCase()
    this.#compression = encoding === '' || encoding === 'identity' ? undefined : encoding
  }

  /** Takes the next piece of the body. Returns `false` if the rest is of no use any more. */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.length
    if (this.#problem() !== undefined) return false
    this.#chunks.push(chunk)
    return true
  }

  /**
   * The response.
   *
   * @param cutOff why the body did not come to its end, if it did not
   */
  end(cutOff?: string): HttpResponse {
    const refused = this.#problem()
    const bodyProblem = refused ?? cutOff
    const body = bodyProblem === undefined ? Buffer.concat(this.#chunks).toString('utf8') : ''
    return {
      status: this.#status,
      headers: this.#headers,
      body,
      bodyProblem,
      bodyCutOff: bodyProblem !== refused,
    }
  }

  #problem(): string | undefined {
    if (this.#size > 0 && this.#compression !== undefined)
      return 'the answer is compressed, although no compression was requested'
    if (this.#size > this.#limitBytes) return `the answer is larger than ${this.#limitBytes / 1024 ** 2} MiB`
    return undefined
  }
}

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

function joinHeaders(headers: RawHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  )
}

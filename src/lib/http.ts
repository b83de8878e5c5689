import { once } from 'node:events'
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { errorCode, errorMessage } from './text.ts'
import type { Clock } from './time.ts'

export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Ends the request at once; `send` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** For requests that must not be repeated, because a kept connection may close while something is sent on it. */
  readonly freshConnection?: boolean
}

/** One response, whatever its status. Redirects are responses like any other: they are never followed. */
export type HttpResponse = {
  readonly status: number
  /** Names in lower case; of a header sent more than once, the values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Read as UTF-8, as far as it came; empty if it is compressed or too large. */
  readonly body: string
  /** Why the body could not be read to its end, to follow "because"; `undefined` if it could. */
  readonly bodyProblem: string | undefined
  /** Whether the body ended too early because of the connection or the time limit. */
  readonly isCutOff: boolean
  readonly isTooLarge: boolean
}

export type HttpOptions = {
  readonly proxy: ProxySettings
  readonly clock: Clock
  /** Maximum time for one request, from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number
  /** Gets a line for each request: method, host and path, status, and duration. */
  readonly debug?: (line: string) => void
}

const BODY_LIMIT_BYTES = 16 * 1024 * 1024

/** Sends requests, through the proxies of the environment if it names some. */
export class HttpClient {
  readonly #options: HttpOptions
  #kept: Dispatcher | undefined

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /**
   * Sends one request, once. Once a status has arrived, that is the response, even if its body can't be read.
   *
   * @throws {TransportError} if no response came
   */
  async send(sent: HttpRequest): Promise<HttpResponse> {
    const { method, url, signal: cancel } = sent
    const { clock, timeoutMs, proxy, debug } = this.#options
    cancel?.throwIfAborted()
    const startMs = clock.now()
    const timeout = clock.timeout(timeoutMs)
    const signal = cancel === undefined ? timeout : AbortSignal.any([cancel, timeout])
    const kept = sent.freshConnection ? undefined : this.#kept
    const dispatcher = kept ?? createDispatcher(proxy, url)
    if (!sent.freshConnection) this.#kept = dispatcher
    let outcome = 'canceled'
    try {
      const response = await this.#exchange(sent, dispatcher, signal)
      outcome = String(response.status)
      return response
    } catch (cause) {
      cancel?.throwIfAborted()
      const timedOut = `no response from ${url.host} within ${timeoutMs / 1000} s`
      const error = timeout.aborted
        ? new TransportError(timedOut, 'timeout')
        : transportError(cause, url)
      outcome = error.message
      throw error
    } finally {
      if (sent.freshConnection) void dispatcher.destroy()
      debug?.(
        `${method} ${url.host}${url.pathname}: ${outcome} (${Math.round(clock.now() - startMs)} ms)`,
      )
    }
  }

  async #exchange(
    { url, method, headers: sent, body }: HttpRequest,
    dispatcher: Dispatcher,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const requested = request(url, {
      dispatcher,
      // undici's type lists the registered methods; it accepts any token.
      method: method as Dispatcher.HttpMethod,
      headers: { ...sent, 'accept-encoding': 'identity' },
      body: body ?? null,
      signal,
    })
    // undici itself rejects only once the connection is open.
    const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
    const response = await Promise.race([requested, aborted])
    const fields = Object.entries(response.headers)
    const headers = Object.fromEntries(
      fields.map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
    )
    return {
      status: response.statusCode,
      headers,
      ...(await this.#readBody(response.body, headers)),
    }
  }

  async #readBody(
    stream: Dispatcher.ResponseData['body'],
    headers: HttpResponse['headers'],
  ): Promise<Pick<HttpResponse, 'body' | 'bodyProblem' | 'isCutOff' | 'isTooLarge'>> {
    const isPlain = /^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '')
    const refused = (bodyProblem: string, isTooLarge = false) => {
      return { body: '', bodyProblem, isCutOff: false, isTooLarge }
    }
    const chunks: Uint8Array[] = []
    let bytes = 0
    let bodyProblem: string | undefined
    try {
      for await (const chunk of stream) {
        bytes += chunk.length
        if (!isPlain) return refused('it is compressed, although no compression was requested')
        if (bytes > BODY_LIMIT_BYTES)
          return refused(`it is larger than ${BODY_LIMIT_BYTES / 1024 ** 2} MiB`, true)
        chunks.push(chunk)
      }
    } catch (error) {
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
      bodyProblem = isTimeout
        ? `the response was not complete within ${this.#options.timeoutMs / 1000} s`
        : 'the connection closed before the response was complete'
    }
    const body = Buffer.concat(chunks).toString('utf8')
    return { body, bodyProblem, isCutOff: bodyProblem !== undefined, isTooLarge: false }
  }
}

/** @throws {TransportError} if a proxy's address can't be used */
function createDispatcher(proxy: ProxySettings, { host }: URL): Dispatcher {
  try {
    return new EnvHttpProxyAgent({
      ...proxy,
      // The bundle leaves HTTP/2 and undici's trial parser out (scripts/build.ts).
      allowH2: false,
      useMilo: false,
      proxyTls: { allowH2: false },
      requestTls: { allowH2: false },
    })
  } catch (cause) {
    const message = `the proxy for ${host} can't be used: ${errorMessage(cause)}`
    throw new TransportError(message, 'unsent', cause)
  }
}

/** A request without a usable response. The message is a clause: `the request to x.example failed: …`. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** `unsent`: nothing of the request has reached the server; `too-large`: the response can't be read. */
  readonly failure: 'unsent' | 'timeout' | 'broken' | 'too-large'

  constructor(message: string, failure: TransportError['failure'], cause?: unknown) {
    super(message, { cause })
    this.failure = failure
  }
}

/** Advises on a request without a response, in a sentence; empty if there is no advice. */
export function transportAdvice({ failure }: TransportError): string {
  return failure === 'unsent'
    ? "Check the runner's firewall, proxy (`HTTPS_PROXY`, `HTTP_PROXY`), and certificates (`NODE_EXTRA_CA_CERTS`)."
    : ''
}

/** The proxy variables of the environment; empty where one is not set. */
export type ProxySettings = {
  readonly httpsProxy: string
  readonly httpProxy: string
  readonly noProxy: string
}

/** Codes of Node and undici for a connection that was never made, and for a certificate that isn't trusted. */
const UNSENT =
  /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$|CERT|^UNABLE_TO_/

function transportError(cause: unknown, { host }: URL): TransportError {
  const failure = UNSENT.test(errorCode(cause)) ? 'unsent' : 'broken'
  return new TransportError(`the request to ${host} failed: ${errorMessage(cause)}`, failure, cause)
}

/** Whether a host is this machine. `URL.hostname` has normalized numeric forms such as `127.1`. */
function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Whether what is sent to this URL can't be read on the way: https, or http that doesn't leave the machine. */
export function isPrivateTransport(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}

/** The path of a pull request (GitHub, Gitea, Bitbucket, Azure) or a merge request (GitLab). */
const PULL_REQUEST_PATH =
  /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|pullrequest|merge_requests)\/(\d+)(?:\/|$)/

/**
 * Reads the URL of a pull request or merge request.
 *
 * @returns `number`: empty if the URL has none; `name`: short, such as `acme/docs#12`, with the host before it unless that
 * is well known, or the URL's host and path if the form of the URL is unknown
 */
export function parsePullRequest(prLink: string) {
  const url = URL.parse(prLink)
  if (url === null) return { number: '', name: prLink, project: '' }
  const { host, hostname, pathname } = url
  const [, project = '', number = ''] = PULL_REQUEST_PATH.exec(pathname) ?? []
  if (number === '') return { number, name: `${host}${pathname}`, project }
  // Another host could have the same repository's name.
  const isKnown =
    ['github.com', 'gitlab.com', 'bitbucket.org'].includes(hostname) || isLoopbackHost(hostname)
  const mark = pathname.includes('/merge_requests/') ? '!' : '#'
  return { number, name: `${isKnown ? '' : `${host}/`}${project}${mark}${number}`, project }
}

/** GitHub's numbers are GraphQL integers. */
const MAX_NUMBER = 2 ** 31 - 1

/** Reads a link to a pull request of this GitHub; `undefined` if it isn't one. `repository`: `owner/name`. */
export function locatePullRequest(prLink: string, { serverUrl }: { readonly serverUrl: string }) {
  if (URL.parse(prLink)?.origin !== URL.parse(serverUrl)?.origin) return undefined
  const { project, number } = parsePullRequest(prLink)
  const [, owner, repo] = /^([\w.-]+)\/([\w.-]+)$/.exec(project) ?? []
  if (!owner || !repo || Number(number) > MAX_NUMBER) return undefined
  return { owner, repo, repository: project, number: Number(number) }
}

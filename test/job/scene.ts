import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, vi } from 'vitest'
import type { History } from '../../src/events/history.ts'
import { eventRow } from '../../src/events/table.ts'
import { performJob } from '../../src/job/perform.ts'
import { HttpClient } from '../../src/lib/http.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { DocsService } from '../../src/service/client.ts'
import { VirtualClock } from '../support/clock.ts'
import { TestServers } from '../support/http-servers.ts'
import { environmentOf } from '../support/run-action.ts'

/** What the docs service answers: a job with that status, or what is said here. */
export type Reply =
  | string
  | {
      /** HTTP status; 200 by default. */
      readonly status?: number
      /** Fields of the job; a text is sent as it is. */
      readonly body?: Readonly<Record<string, unknown>> | string
      readonly headers?: Readonly<Record<string, string>>
      /** The connection is closed without a response, or when all of it was sent but what it announced. */
      readonly breaks?: 'before' | 'after'
      /** Nobody listens on the port. */
      readonly refused?: boolean
      /** How long the answer is under way, by the virtual clock. */
      readonly takesMs?: number
    }

export type SceneOptions = {
  /** Replies in turn by method; the last one goes on for ever. */
  readonly post?: readonly Reply[]
  readonly get?: readonly Reply[]
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly random?: () => number
  /** When the run is cancelled. */
  readonly cancelAtMs?: number
  readonly proxy?: string
  /** Where the service is taken to be; where it is by default. */
  readonly serviceAt?: (own: string) => string
}

/** A docs service on loopback that follows a script, and a run beside it, for which time passes as soon as it waits. */
export type JobScene = {
  readonly run: Run
  readonly service: DocsService
  readonly clock: VirtualClock
  /** When each request was sent, in seconds: `5 get`. */
  readonly calls: string[]
  readonly prompts: unknown[]
  /** Lines of the log, annotations as `notice: …`. */
  readonly log: string[]
  readonly outputs: Record<string, string>
  summary: string
  /** Seconds since the start. */
  elapsedS(): number
}

/** Makes a starter of scenes for the tests of a file. */
export function jobSceneStarter(): (options?: SceneOptions) => Promise<JobScene> {
  const servers = new TestServers()
  let current: JobScene | undefined
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      if (current !== undefined) record(String(chunk), current)
      return true
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  return async (options = {}) => {
    const { inputs = {}, env = {}, random = () => 0.5, cancelAtMs, proxy = '', serviceAt } = options
    let reply: Reply = 'active'
    const { origin } = await servers.start(async (incoming, response) => {
      await text(incoming)
      sendReply(reply, incoming, response)
    })
    const clock = new VirtualClock()
    const startMs = clock.now()
    const elapsedS = (): number => (clock.now() - startMs) / 1000
    const cancel = new AbortController()
    if (cancelAtMs !== undefined) clock.at(startMs + cancelAtMs, () => cancel.abort())

    const proxies = { httpsProxy: '', httpProxy: proxy, noProxy: '' }
    const http = new HttpClient({ proxy: proxies, clock, timeoutMs: 30_000 })
    const send = http.send.bind(http)
    const calls: string[] = []
    const prompts: unknown[] = []
    const left = { GET: [...(options.get ?? [])], POST: [...(options.post ?? [])] }
    vi.spyOn(http, 'send').mockImplementation(async (request) => {
      const isGet = request.method === 'GET'
      const posted = request.url.pathname.endsWith('/message') ? 'message' : 'create'
      calls.push(`${elapsedS()} ${isGet ? 'get' : posted}`)
      if (request.body !== undefined) prompts.push(JSON.parse(request.body))
      const replies = left[isGet ? 'GET' : 'POST']
      reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? 'active'
      const { refused = false, takesMs = 0 } = typeof reply === 'string' ? {} : reply
      const url = refused ? new URL('http://127.0.0.1:1/') : request.url
      const answer = await clock.work(() => send({ ...request, url }))
      if (takesMs > 0) await clock.sleep(takesMs, request.signal)
      return answer
    })

    const given = { inputs: { 'project-id': 'docs', ...inputs }, env }
    const environment = readEnvironment(environmentOf(given, '/nowhere', '/nowhere'))
    const baseUrl = new URL(serviceAt?.(origin) ?? origin)
    const redact = (same: string): string => same
    const run = new Run(environment, { clock, random, cancel: cancel.signal })
    const scene: JobScene = {
      run,
      service: new DocsService({
        baseUrl,
        projectId: 'docs',
        apiKey: 'mint_0123456789',
        http,
        clock,
        redact,
      }),
      clock,
      calls,
      prompts,
      log: [],
      outputs: {},
      summary: '',
      elapsedS,
    }
    vi.spyOn(run, 'writeSummary').mockImplementation((_section, { source }) => {
      scene.summary += source
    })
    current = scene
    return scene
  }
}

export const NO_HISTORY: History = {
  statuses: { known: true, value: [] },
  lastJob: { known: true, value: undefined },
  lastSuccess: { known: true, value: undefined },
  merged: new Map(),
}

/** Performs the job that a scene's inputs ask for in a dispatch; returns why the step fails. */
export function performDispatch(
  { run, service }: JobScene,
  history = NO_HISTORY,
): Promise<string | undefined> {
  const event = { name: 'workflow_dispatch', row: eventRow('workflow_dispatch'), payload: {} }
  const request = { trigger: { event, command: undefined }, promptFiles: [], contextFiles: [] }
  return performJob(request, { history, readers: undefined, service, run })
}

function sendReply(reply: Reply, incoming: IncomingMessage, response: ServerResponse): void {
  const said: Exclude<Reply, string> = typeof reply === 'string' ? { body: { status: reply } } : reply
  const { status = 200, headers = {}, body = {}, breaks } = said
  if (breaks === 'before') {
    incoming.socket.destroy()
    return
  }
  const id = /\/job\/([^/]+)/.exec(incoming.url ?? '')?.[1] ?? 'j1'
  const sent = typeof body === 'string' ? body : JSON.stringify({ id, status: 'active', ...body })
  const shown = status < 300 || typeof body === 'string' ? sent : ''
  response.writeHead(status, { ...headers, ...(breaks === 'after' && { 'content-length': 100_000 }) })
  if (breaks === 'after') response.write(shown, () => incoming.socket.destroy())
  else response.end(shown)
}

/** Takes what the runner would read from what is printed. */
function record(chunk: string, { log, outputs }: JobScene): void {
  for (const printed of chunk.split('\n').filter((one) => one !== '')) {
    const [, command, name = '', value = ''] =
      /^::([a-z-]+) ?(?:name=|title=)?(.*?)::(.*)$/.exec(printed) ?? []
    const decoded = value.replaceAll('%0A', '\n').replaceAll('%25', '%')
    if (command === 'set-output') outputs[name] = decoded
    else if (command === undefined) log.push(printed)
    else if (command !== 'add-mask' && command !== 'save-state') log.push(`${command}: ${decoded}`)
  }
}

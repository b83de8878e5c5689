import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, vi } from 'vitest'
import { HttpClient, type HttpRequest, type HttpResponse } from '../../src/lib/http.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { DocsService } from '../../src/service/client.ts'
import { VirtualClock } from '../support/clock.ts'
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
      /** How long the answer is under way, by the virtual clock; less than a request may take. */
      readonly takesMs?: number
    }

/** Replies in turn by method; the last one goes on for ever. */
export type Script = {
  readonly post?: readonly Reply[]
  readonly get?: readonly Reply[]
  readonly proxy?: string
}

export type SceneOptions = Script & {
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly random?: () => number
  /** When the run is cancelled. */
  readonly cancelAtMs?: number
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
  /** The same with their times in seconds. */
  readonly timedLog: { readonly atS: number; readonly line: string }[]
  readonly outputs: Record<string, string>
  readonly state: Record<string, string>
  /** Seconds since the start. */
  elapsedS(): number
}

/** Makes a starter of scenes for the tests of a file. */
export function jobSceneStarter(): (options?: SceneOptions) => Promise<JobScene> {
  const servers: Server[] = []
  let scenes: JobScene[] = []
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      for (const scene of scenes) record(String(chunk), scene)
      return true
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })
  return async (options = {}) => {
    const server = await startScripted(options)
    servers.push(server)
    const clock = new VirtualClock()
    const startMs = clock.now()
    const cancel = new AbortController()
    if (options.cancelAtMs !== undefined) clock.at(startMs + options.cancelAtMs, () => cancel.abort())
    const { inputs = {}, env = {}, random = () => 0.5, serviceAt = (own: string) => own } = options
    const environment = readEnvironment(
      environmentOf({ inputs: { 'project-id': 'docs', ...inputs }, env }, '/nowhere', '/nowhere'),
    )
    const elapsedS = (): number => (clock.now() - startMs) / 1000
    const calls: string[] = []
    const http = new ScriptedClient(options, { clock, calls, elapsedS })
    const scene: JobScene = {
      run: new Run(environment, { clock, random, cancel: cancel.signal }),
      service: new DocsService({
        baseUrl: new URL(serviceAt(originOf(server))),
        projectId: 'docs',
        apiKey: 'mint_0123456789',
        http,
        clock,
        redact: (same) => same,
      }),
      clock,
      calls,
      prompts: http.prompts,
      timedLog: [],
      get log() {
        return this.timedLog.map(({ line }) => line)
      },
      outputs: {},
      state: {},
      elapsedS,
    }
    scenes = [scene]
    return scene
  }
}

type Noting = { readonly clock: VirtualClock; readonly calls: string[]; elapsedS(): number }

/** Sends over real connections, and lets the virtual clock take the time that a script says. */
class ScriptedClient extends HttpClient {
  readonly prompts: unknown[] = []
  readonly #script: Script
  readonly #noting: Noting
  readonly #counts = { GET: 0, POST: 0 }

  constructor(script: Script, noting: Noting) {
    const proxy = { httpsProxy: '', httpProxy: script.proxy ?? '', noProxy: '' }
    super({ proxy, clock: noting.clock, timeoutMs: 30_000 })
    this.#script = script
    this.#noting = noting
  }

  override async send(request: HttpRequest): Promise<HttpResponse> {
    const { clock, calls, elapsedS } = this.#noting
    const isGet = request.method === 'GET'
    const call = isGet ? 'get' : request.url.pathname.endsWith('/message') ? 'message' : 'create'
    calls.push(`${elapsedS()} ${call}`)
    if (request.body !== undefined) this.prompts.push(JSON.parse(request.body))
    const reply = replyTo(this.#script, isGet ? 'get' : 'post', this.#counts[isGet ? 'GET' : 'POST']++)
    const { refused = false, takesMs = 0 } = typeof reply === 'string' ? {} : reply
    const url = refused ? new URL('http://127.0.0.1:1/') : request.url
    const answer = await clock.work(() => super.send({ ...request, url }))
    if (takesMs > 0) await clock.sleep(takesMs, request.signal)
    return answer
  }
}

function replyTo(script: Script, kind: 'get' | 'post', index: number): Reply {
  const replies = script[kind] ?? []
  return replies[Math.min(index, replies.length - 1)] ?? 'active'
}

async function startScripted(script: Script): Promise<Server> {
  const counts = { get: 0, post: 0 }
  const server = createServer(async (incoming, response) => {
    await text(incoming)
    const kind = incoming.method === 'GET' ? 'get' : 'post'
    // A refused request never comes here, but counts.
    for (; isRefused(replyTo(script, kind, counts[kind])); counts[kind]++);
    const reply = replyTo(script, kind, counts[kind]++)
    const {
      status = 200,
      headers = {},
      body = {},
      breaks,
    } = typeof reply === 'string' ? bodyOf(reply) : reply
    if (breaks === 'before') return incoming.socket.destroy()
    const id = /\/job\/([^/]+)/.exec(incoming.url ?? '')?.[1] ?? 'j1'
    const sent = typeof body === 'string' ? body : JSON.stringify({ id, status: 'active', ...body })
    const shown = status < 300 || typeof body === 'string' ? sent : ''
    if (breaks === undefined) return response.writeHead(status, headers).end(shown)
    response.writeHead(status, { ...headers, 'content-length': 100_000 })
    return response.write(shown, () => incoming.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function bodyOf(status: string): Exclude<Reply, string> {
  return { body: { status } }
}

function isRefused(reply: Reply): boolean {
  return typeof reply !== 'string' && reply.refused === true
}

function originOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

/** Takes what the runner would read from what is printed. */
function record(chunk: string, { timedLog, outputs, state, elapsedS }: JobScene): void {
  for (const printed of chunk.split('\n').filter((one) => one !== '')) {
    const [, command, name = '', value = ''] =
      /^::([a-z-]+) ?(?:name=|title=)?(.*?)::(.*)$/.exec(printed) ?? []
    const decoded = value.replaceAll('%0A', '\n').replaceAll('%25', '%')
    if (command === 'set-output') outputs[name] = decoded
    else if (command === 'save-state') state[name] = decoded
    else if (command === undefined) timedLog.push({ atS: elapsedS(), line: printed })
    else if (command !== 'add-mask') timedLog.push({ atS: elapsedS(), line: `${command}: ${decoded}` })
  }
}

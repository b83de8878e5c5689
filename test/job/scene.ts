import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { eventRow } from '../../src/events/event-table.ts'
import { performJob } from '../../src/job/perform.ts'
import { HttpClient } from '../../src/lib/http.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { DocsService } from '../../src/service/docs-service.ts'
import { VirtualClock } from '../support/clock.ts'
import { type FakeGitHub, startGitHub } from '../support/github.ts'
import { TestServers } from '../support/http-servers.ts'
import { environmentOf } from '../support/run-action.ts'
import { addPull } from '../support/world.ts'

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
  /** There is a GitHub, and in it a pull request 12 with these fields. */
  readonly pull?: Partial<Parameters<typeof addPull>[1]> | undefined
}

/** A docs service on loopback that follows a script, and a run beside it, for which time passes as soon as it waits. */
export type JobScene = Awaited<ReturnType<ReturnType<typeof jobSceneStarter>>>

/** Makes a starter of scenes for the tests of a file. */
export function jobSceneStarter() {
  const servers = new TestServers()
  let read = (_chunk: string): void => undefined
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      read(String(chunk))
      return true
    })
  })
  const open: FakeGitHub[] = []
  afterEach(async () => {
    vi.restoreAllMocks()
    const ended = open.splice(0)
    await Promise.all(ended.map((github) => github.close()))
    for (const { violations } of ended) expect(violations).toEqual([])
  })
  return async (options: SceneOptions = {}) => {
    const { inputs = {}, env = {}, random = () => 0.5, cancelAtMs, proxy = '' } = options
    let reply: Reply = 'active'
    const { origin } = await servers.start(async (incoming, response) => {
      await text(incoming)
      sendReply(reply, incoming, response)
    })
    const clock = new VirtualClock()
    const startMs = clock.now()
    const cancel = new AbortController()
    if (cancelAtMs !== undefined) clock.at(startMs + cancelAtMs, () => cancel.abort())
    const github = options.pull && (await startGitHub())
    if (github !== undefined) open.push(github)
    if (github !== undefined) addPull(github.world, { number: 12, ...options.pull })
    const given = {
      inputs: { 'project-id': 'docs', 'github-token': github?.token ?? '', ...inputs },
      env: { GITHUB_API_URL: github?.url ?? '', ...env },
    }
    const environment = readEnvironment(environmentOf(given, '/nowhere', '/nowhere'))
    const run = new Run(environment, { clock, random, cancel: cancel.signal })
    const proxies = { httpsProxy: '', httpProxy: proxy, noProxy: '' }
    const http = new HttpClient({ proxy: proxies, clock, timeoutMs: 30_000 })
    const baseUrl = new URL(options.serviceAt?.(origin) ?? origin)
    const access = { baseUrl, projectId: 'docs', apiKey: 'mint_0123456789' }
    const outputs: Record<string, string> = {}
    const scene = {
      run,
      github,
      service: new DocsService({ ...access, http, clock, redact: (same) => same }),
      clock,
      /** When each request was sent, in seconds: `5 get`. */
      calls: [] as string[],
      prompts: [] as unknown[],
      /** Lines of the log, annotations as `notice: …`. */
      log: [] as string[],
      outputs,
      summary: '',
      /** Seconds since the start. */
      elapsedS: () => (clock.now() - startMs) / 1000,
    }
    read = (chunk) => record(chunk, scene)
    vi.spyOn(run, 'writeSummary').mockImplementation((_section, { source }) => {
      scene.summary += source
    })
    const send = http.send.bind(http)
    const left = { GET: [...(options.get ?? [])], POST: [...(options.post ?? [])] }
    vi.spyOn(http, 'send').mockImplementation(async (request) => {
      const posted = request.url.pathname.endsWith('/message') ? 'message' : 'create'
      const method = request.method === 'GET' ? 'GET' : 'POST'
      scene.calls.push(`${scene.elapsedS()} ${method === 'GET' ? 'get' : posted}`)
      if (request.body !== undefined) scene.prompts.push(JSON.parse(request.body))
      const replies = left[method]
      reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? 'active'
      const { refused = false, takesMs = 0 } = typeof reply === 'string' ? {} : reply
      const url = refused ? new URL('http://127.0.0.1:1/') : request.url
      const answer = await clock.work(() => send({ ...request, url }))
      if (takesMs > 0) await clock.sleep(takesMs, request.signal)
      return answer
    })
    return scene
  }
}

/** Performs the job that a scene's inputs ask for in a dispatch; returns why the step fails. */
export function performDispatch({ run, service }: JobScene) {
  const event = { name: 'workflow_dispatch', row: eventRow('workflow_dispatch'), payload: {} }
  const request = { trigger: { event, command: undefined }, promptFiles: [], contextFiles: [] }
  return performJob(request, { mergedPulls: new Map(), readers: undefined, service, run })
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
function record(chunk: string, { log, outputs }: Pick<JobScene, 'log' | 'outputs'>): void {
  for (const printed of chunk.split('\n').filter((one) => one !== '')) {
    const [, command, name = '', value = ''] =
      /^::([a-z-]+) ?(?:name=|title=)?(.*?)::(.*)$/.exec(printed) ?? []
    const decoded = value.replaceAll('%0A', '\n').replaceAll('%25', '%')
    if (command === 'set-output') outputs[name] = decoded
    else if (command === undefined) log.push(printed)
    else if (command !== 'add-mask' && command !== 'save-state') log.push(`${command}: ${decoded}`)
  }
}

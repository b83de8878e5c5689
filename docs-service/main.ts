import { readCommandLine, USAGE } from './command-line.ts'
import type { RecordedRequest, Reply } from './http.ts'
import { npmWatch } from './npm-watch.ts'
import type { DocsServiceOptions } from './options.ts'
import { type DocsService, startDocsService } from './service.ts'

const TICK_MS = 250
const WATCH_MS = 1000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<void> {
  const line = readCommandLine(args)
  switch (line.kind) {
    case 'help':
      process.stdout.write(USAGE)
      return
    case 'wrong':
      return giveUp(2, `${line.problems.join('\n')}\n\nSee npm run service -- --help`)
    case 'start':
      return run(line.options, line.quiet)
  }
}

async function run(options: DocsServiceOptions, quiet: boolean): Promise<void> {
  // A reader that has seen enough (`| head`) must not end the service with its repository undeleted.
  process.stdout.on('error', () => undefined)
  const npmIsGone = npmWatch()
  try {
    const service = await startDocsService(quiet ? options : { ...options, onAnswer: logRequest })
    closeWhenTold(service, { timer: workInBackground(service), npmIsGone })
    process.stdout.write(`${banner(service, options.projects?.[0] ?? 'docs')}\n`)
  } catch (error) {
    giveUp(1, startProblem(error, options))
  }
}

/** Without this, a pull request would only come to be when somebody reads its job. */
function workInBackground(service: DocsService): NodeJS.Timeout {
  const timer = setInterval(() => {
    service.doAllWorkDue().catch((error: unknown) => {
      // It would fail again each time; reading the job goes on saying so.
      clearInterval(timer)
      process.stderr.write(`${messageOf(error)}\n`)
    })
  }, TICK_MS)
  return timer
}

/** Ends on a signal, or when the npm that started it is gone. */
function closeWhenTold(
  service: DocsService,
  { timer, npmIsGone }: { timer: NodeJS.Timeout; npmIsGone: () => boolean },
): void {
  const watch = setInterval(() => {
    if (npmIsGone()) void close()
  }, WATCH_MS)
  const close = async () => {
    for (const signal of SIGNALS) process.off(signal, close)
    clearInterval(timer)
    clearInterval(watch)
    await service.close()
    process.stdout.write('The docs service has ended.\n')
  }
  for (const signal of SIGNALS) process.on(signal, close)
}

function logRequest({ method, path, fault }: RecordedRequest, reply: Reply | undefined): void {
  const answer = reply ? String(reply.status) : 'not handled'
  process.stdout.write(`${method} ${path} -> ${answer}${fault ? ` (fault: ${fault})` : ''}\n`)
}

function startProblem(error: unknown, { host, port }: DocsServiceOptions): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken. Choose another with --port, or --port 0 for any.`
  if (code === 'EACCES')
    return `Port ${port} may not be used by this user. Choose one above 1023 with --port.`
  return messageOf(error)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function giveUp(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = exitCode
}

/** What is printed once the service is up: where it is, how to point the action at it, what else it offers. */
function banner({ url, key, repository }: DocsService, projectId: string): string {
  return `The docs service is up: ${url}

Point the action at it:

    with:
      base-url: ${JSON.stringify(url)}
      project-id: ${JSON.stringify(projectId)}
      api-key: ${JSON.stringify(key)}

Jobs and pull requests:  ${url}/
Sample repository:       ${repository ?? 'none (--agent none)'}

Directives, anywhere in a prompt:
    [agent: fail]  [agent: archive]  [agent: no-change]  [agent: never]  [agent: gitlab]
    [agent: takes 20s]  [agent: status reviewing 2s]

Faults, such as a create that makes its job and loses its answer:
    curl -X POST ${url}/_faults -d '{"kind":"reset-after","match":{"path":"create"}}'
    curl -X POST ${url}/_faults -d '"no-credits"'        (or from the start: --fault no-credits)
    curl ${url}/_faults        curl -X DELETE ${url}/_faults        curl ${url}/_requests

docs-service/README.md explains all of them. Ctrl-C ends the service and deletes the repository.
`
}

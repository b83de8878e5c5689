import { banner } from './cli/banner.ts'
import { readCommandLine } from './cli/flags.ts'
import { USAGE } from './cli/usage.ts'
import type { RecordedRequest } from './http/recorded-request.ts'
import type { Reply } from './http/reply.ts'
import type { DocsServiceOptions } from './options.ts'
import { type DocsService, startDocsService } from './service.ts'

const SETTLE_EVERY_MS = 250
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<void> {
  const asked = readCommandLine(args)
  switch (asked.kind) {
    case 'help':
      process.stdout.write(USAGE)
      return
    case 'wrong':
      return giveUp(2, `${asked.problems.join('\n')}\n\nSee npm run service -- --help`)
    case 'start':
      return run(asked.options, asked.quiet)
  }
}

async function run(options: DocsServiceOptions, quiet: boolean): Promise<void> {
  // A reader that has seen enough (`| head`) must not end the service with its repository undeleted.
  process.stdout.on('error', () => undefined)
  try {
    const service = await startDocsService(quiet ? options : { ...options, onAnswer: logRequest })
    process.stdout.write(`${banner(service, options.projects?.[0] ?? 'docs')}\n`)
    closeWhenTold(service, workInBackground(service))
  } catch (error) {
    giveUp(1, startProblem(error, options))
  }
}

/** Without this, a pull request would only come to be when somebody looks at its job. */
function workInBackground(service: DocsService): NodeJS.Timeout {
  const timer = setInterval(() => {
    service.settle().catch((error: unknown) => {
      // It would fail again each time; looks at the job go on saying so.
      clearInterval(timer)
      process.stderr.write(`${messageOf(error)}\n`)
    })
  }, SETTLE_EVERY_MS)
  return timer
}

function closeWhenTold(service: DocsService, timer: NodeJS.Timeout): void {
  const close = async () => {
    for (const signal of SIGNALS) process.off(signal, close)
    clearInterval(timer)
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

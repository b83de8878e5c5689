import { readCommandLine, USAGE } from './command-line.ts'
import type { DocsServiceOptions } from './options.ts'
import { type DocsService, startDocsService } from './service.ts'

const TICK_MS = 250

/** Runs the service until it is interrupted. */
async function run(options: DocsServiceOptions, quiet: boolean): Promise<void> {
  // A reader that has seen enough (`| head`) must not end the service with its repository undeleted.
  process.stdout.on('error', () => undefined)
  const service = await startDocsService({
    ...options,
    onAnswer({ method, path, fault }, reply) {
      const answer = reply ? String(reply.status) : 'not handled'
      if (!quiet) console.log(`${method} ${path} -> ${answer}${fault ? ` (fault: ${fault})` : ''}`)
    },
  })
  // Without this, a pull request would only come to be when somebody reads its job.
  const timer = setInterval(() => {
    // A failure shows in the job's own answer.
    service.doAllWorkDue().catch(() => undefined)
  }, TICK_MS)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      clearInterval(timer)
      await service.close()
      console.log('The docs service has ended.')
    })
  }
  console.log(banner(service, options.projects?.[0] ?? 'docs'))
}

function banner({ url, key, repository }: DocsService, projectId: string): string {
  return `The docs service is up: ${url}

Point the action at it:

    with:
      base-url: ${JSON.stringify(url)}
      project-id: ${JSON.stringify(projectId)}
      api-key: ${JSON.stringify(key)}

Jobs and pull requests:  ${url}/
Sample repository:       ${repository || 'none (--agent none)'}

docs-service/README.md says how to make jobs and requests fail. Ctrl-C ends the service and deletes the repository.
`
}

const line = readCommandLine(process.argv.slice(2))
if (line.kind === 'help') {
  console.log(USAGE)
} else if (line.kind === 'wrong') {
  console.error(`${line.problems.join('\n')}\n\nSee npm run service -- --help`)
  process.exitCode = 2
} else {
  await run(line.options, line.quiet).catch((error: Error) => {
    const taken = 'code' in error && error.code === 'EADDRINUSE'
    console.error(
      taken ? `Port ${line.options.port} is taken. Choose another with --port.` : error.message,
    )
    process.exitCode = 1
  })
}

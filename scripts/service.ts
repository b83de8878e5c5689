import { parseDuration } from '../docs-service/agent/prompt.ts'
import { readFault } from '../docs-service/faults.ts'
import { parseJson } from '../docs-service/http.ts'
import type { DocsServiceOptions } from '../docs-service/options.ts'
import { startDocsService } from '../docs-service/service.ts'
import { readOptions, refuse, runScript } from './options.ts'

const USAGE = `Runs the embedded docs service on this machine until it is interrupted.

  npm run service -- [flags]

  --port <number>         Port to listen on; 0 picks a free one. Default 4010.
  --key <key>             Admin API key. Default mint_demo.
  --agent <git|none>      git: real commits in a temporary repository. none: links only. Default git.
  --job-time <duration>   How long a job is active, such as 250ms, 20s, or 1h30m. Default 3s.
  --pages <number>        Pages in the visitors report. Default 120.
  --fault <JSON>          Fault set from the start. Repeatable.
  --help                  Show this text.

docs-service/README.md has the prompt directives, the faults, and the rest.
`
const FLAGS = {
  port: { type: 'string', default: '4010' },
  key: { type: 'string', default: 'mint_demo' },
  agent: { type: 'string', default: 'git' },
  'job-time': { type: 'string', default: '3s' },
  pages: { type: 'string', default: '120' },
  fault: { type: 'string', multiple: true },
} as const
const TICK_MS = 250

/** Reads the flags; a wrong one ends the process. */
function readFlags(): DocsServiceOptions {
  const { agent, key, ...values } = readOptions(USAGE, { options: FLAGS }).values
  const [port, pages] = [Number(values.port), Number(values.pages)]
  const jobTimeMs = parseDuration(values['job-time'])
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    refuse('--port takes a whole number from 0 to 65535.', USAGE)
  if (!Number.isInteger(pages) || pages < 0 || pages > 1_000_000)
    refuse('--pages takes a whole number from 0 to 1000000.', USAGE)
  if (agent !== 'git' && agent !== 'none') refuse('--agent takes git or none.', USAGE)
  if (jobTimeMs === undefined) refuse('--job-time takes a duration such as 250ms or 20s.', USAGE)
  const faults = (values.fault ?? []).map((text) => {
    const fault = readFault(parseJson(text))
    return typeof fault === 'string' ? refuse(`--fault: ${fault}`, USAGE) : fault
  })
  return { port, pages, key, agent, jobTimeMs, faults }
}

/** Runs the service until it is interrupted. */
async function run(options: DocsServiceOptions): Promise<void> {
  // A reader that has seen enough (`| head`) must not end the service with its repository undeleted.
  process.stdout.on('error', () => undefined)
  const service = await startDocsService({
    ...options,
    onAnswer({ method, path, fault }, reply) {
      const answer = reply ? String(reply.status) : 'not handled'
      console.log(`${method} ${path} -> ${answer}${fault ? ` (fault: ${fault})` : ''}`)
    },
  })
  // Without this, a pull request would only be opened when its job is read.
  const timer = setInterval(() => {
    // A failure shows in the job's own answer.
    service.doAllWorkDue().catch(() => undefined)
  }, TICK_MS)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      clearInterval(timer)
      await service.close()
      console.log('Stopped.')
    })
  }
  const { url, key, repository } = service
  console.log(`The service is up: ${url}

Point the action at it:

    with:
      base-url: ${url}
      project-id: docs
      api-key: ${JSON.stringify(key)}

Jobs and pull requests:  ${url}/
Sample repository:       ${repository || 'none (--agent none)'}

To make jobs and requests fail, see docs-service/README.md. Ctrl-C ends the service and deletes the repository.
`)
}

await runScript(() => run(readFlags()))

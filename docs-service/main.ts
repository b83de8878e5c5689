import { parseArgs } from 'node:util'
import { parseDuration } from './agent/prompt.ts'
import { readFault } from './faults.ts'
import { parseJson } from './http.ts'
import type { DocsServiceOptions } from './options.ts'
import { startDocsService } from './service.ts'

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
  help: { type: 'boolean', default: false },
} as const
const TICK_MS = 250

/** Reads the flags. @throws {Error} with all that is wrong with them */
function readFlags() {
  const { values } = parseArgs({ options: FLAGS })
  const { agent, key, help, pages, port } = values
  const jobTimeMs = parseDuration(values['job-time'])
  const faults = (values.fault ?? []).map((text) => readFault(parseJson(text)))
  const problems = faults.flatMap((fault) => (typeof fault === 'string' ? `--fault: ${fault}` : []))
  for (const [name, text, maximum] of [
    ['port', port, 65_535],
    ['pages', pages, 1_000_000],
  ] as const) {
    if (!/^\d{1,7}$/.test(text) || Number(text) > maximum)
      problems.push(`--${name} takes a whole number from 0 to ${maximum}, not '${text}'`)
  }
  if (agent !== 'git' && agent !== 'none')
    problems.push(`--agent takes git or none, not '${agent}'`)
  if (jobTimeMs === undefined)
    problems.push(`--job-time takes a duration such as 250ms or 20s, not '${values['job-time']}'`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const options: DocsServiceOptions = {
    port: Number(port),
    pages: Number(pages),
    key,
    agent: agent === 'none' ? agent : 'git',
    jobTimeMs: jobTimeMs ?? 0,
    faults: faults.filter((fault) => typeof fault !== 'string'),
  }
  return { options, help }
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
      console.log('The docs service has ended.')
    })
  }
  const { url, key, repository } = service
  console.log(`The docs service is up: ${url}

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

try {
  const { options, help } = readFlags()
  if (help) console.log(USAGE)
  else await run(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.error('\nSee npm run service -- --help')
  process.exitCode = 2
}

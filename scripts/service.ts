import { isFault } from '../docs-service/faults.ts'
import { parseJson } from '../docs-service/http.ts'
import type { DocsServiceOptions } from '../docs-service/options.ts'
import { startDocsService } from '../docs-service/service.ts'
import { readOptions, refuse, runScript } from './options.ts'

const USAGE = `Runs the embedded docs service on this machine until it is interrupted.

  npm run service -- [flags]

  --port <number>         Port to listen on; 0 picks a free one. Default 4010.
  --key <key>             Admin API key. Default mint_demo.
  --job-seconds <number>  How long a job is active. Default 3.
  --pages <number>        Pages in the visitors report. Default 120.
  --fault <JSON>          Fault set from the start. Repeatable.
  --help                  Show this text.

docs-service/README.md has the prompt directives, the faults, and the rest.
`
const FLAGS = {
  port: { type: 'string', default: '4010' },
  key: { type: 'string', default: 'mint_demo' },
  'job-seconds': { type: 'string', default: '3' },
  pages: { type: 'string', default: '120' },
  fault: { type: 'string', multiple: true },
} as const
const TICK_MS = 250

/** Reads the flags; a wrong one ends the process. */
function readFlags(): DocsServiceOptions {
  const { values } = readOptions(USAGE, { options: FLAGS })
  const numberOf = (name: 'port' | 'job-seconds' | 'pages', maximum: number): number => {
    const value = Number(values[name])
    if (Number.isInteger(value) && value >= 0 && value <= maximum) return value
    return refuse(`--${name} takes a whole number from 0 to ${maximum}.`, USAGE)
  }
  const faults = (values.fault ?? []).map((text) => {
    const fault = parseJson(text)
    return isFault(fault) ? fault : refuse(`--fault isn't a fault in JSON: ${text}`, USAGE)
  })
  return {
    port: numberOf('port', 65_535),
    key: values.key,
    jobTimeMs: 1000 * numberOf('job-seconds', 86_400),
    pages: numberOf('pages', 1_000_000),
    faults,
  }
}

/** Runs the service until it is interrupted. */
async function run(options: DocsServiceOptions): Promise<void> {
  // A reader that has seen enough (`| head`) must not end the service with its repository undeleted.
  process.stdout.on('error', () => undefined)
  const service = await startDocsService({
    ...options,
    onAnswer({ method, path }, { status }) {
      console.log(`${method} ${path} -> ${status}`)
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
Sample repository:       ${repository}

To make jobs and requests fail, see docs-service/README.md. Ctrl-C ends the service and deletes the repository.
`)
}

await runScript(() => run(readFlags()))

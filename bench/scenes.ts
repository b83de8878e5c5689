import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createServer } from 'node:tls'
import { startDocsService } from '../docs-service/service.ts'
import { selfSignedCertificate } from '../test/support/certificate.ts'
import { bareEvent, type Event, pushTo } from '../test/support/events.ts'
import { startGitHub } from '../test/support/github.ts'
import { environmentOf } from '../test/support/run-action.ts'
import { type Command, NODE } from './processes.ts'

/** What is requested: the action's inputs, and the script that does the same. */
export type Scene = {
  readonly name: string
  readonly script: string
  readonly event: Event
  readonly inputs: Readonly<Record<string, string>>
}

export type Stage = Awaited<ReturnType<typeof startStage>>

const UNLIMITED = { jobsPerHour: Infinity, messagesPerHour: Infinity, analyticsPerHour: Infinity }

/** Starts GitHub and the docs service on loopback, behind TLS, as a run in a workflow would have them. */
export async function startStage(folder: string, pages: number) {
  const [docs, github] = await Promise.all([
    startDocsService({ agent: 'none', jobTimeMs: 0, pages, limits: UNLIMITED }),
    startGitHub(),
  ])
  const tls = selfSignedCertificate()
  if (tls === undefined) throw new Error('The benchmark speaks TLS, which needs openssl.')
  const certificate = join(folder, 'certificate.pem')
  writeFileSync(certificate, tls.cert)
  const fronts = [docs.url, github.url].map((url) =>
    createServer(tls, (socket) => {
      pipeline(socket, connect(Number(new URL(url).port), '127.0.0.1'), socket, () => undefined)
    }),
  )
  await Promise.all(fronts.map((front) => once(front.listen(0, '127.0.0.1'), 'listening')))
  const [docsUrl = '', apiUrl = ''] = fronts.map(
    (front) => `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
  )

  /** With files of the runner that are empty again, so that outputs don't pile up. */
  function environmentFor({ event, inputs }: Scene): Record<string, string> {
    const run = join(folder, 'run')
    mkdirSync(run, { recursive: true })
    for (const name of ['output', 'state', 'summary']) writeFileSync(join(run, name), '')
    writeFileSync(join(run, 'event.json'), JSON.stringify(event.payload))
    const access = {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docsUrl,
      'github-token': github.token,
    }
    const env = {
      GITHUB_API_URL: apiUrl,
      NODE_EXTRA_CA_CERTS: certificate,
      CURL_CA_BUNDLE: certificate,
    }
    return environmentOf({ event, inputs: { ...access, ...inputs }, env }, run, run)
  }

  return {
    github,
    requests: () => docs.requests.length + github.requests.length,
    /** The bundle, as a runner starts it; `root` is the folder of the action. */
    action(scene: Scene, root: string): Command {
      // Each run is the first: one that goes on with a job waits for its answer to the message.
      github.world.statuses.splice(0)
      return { program: NODE, args: [join(root, 'dist/index.js')], env: environmentFor(scene) }
    },
    /** The same without the action. */
    shell(scene: Scene): Command {
      const { prompt = '' } = scene.inputs
      const access = {
        API_KEY: docs.key,
        PROJECT_ID: 'docs',
        BASE_URL: docsUrl,
        GITHUB_TOKEN: github.token,
      }
      const env = { ...environmentFor(scene), ...access, PROMPT: prompt }
      return { program: 'bash', args: [join(import.meta.dirname, scene.script)], env }
    },
    async close() {
      for (const front of fronts) front.close()
      await Promise.all([docs.close(), github.close()])
    },
  }
}

/** A job that is over at once, a push with the action's defaults, and the visitors of eight weeks. */
export function scenesOf({ github }: Stage): Scene[] {
  const patch = `@@ -1,40 +1,40 @@\n${'-const old = true\n+const flag = false\n'.repeat(20)}`
  const files = Array.from({ length: 10 }, (_, index) => {
    return {
      filename: `src/file-${index}.ts`,
      status: 'modified',
      additions: 20,
      deletions: 20,
      patch,
    }
  })
  const prompt = 'Bring the docs up to date.'
  const create = { prompt, context: 'none', 'follow-up': 'false' }
  const push = pushTo(github.world, { message: 'Add a flag', files })
  const visitors = { 'visitors-summary': 'true' }
  return [
    {
      name: 'create',
      script: 'shell-job.sh',
      event: bareEvent('workflow_dispatch'),
      inputs: create,
    },
    { name: 'push, defaults', script: 'shell-job.sh', event: push, inputs: { prompt } },
    {
      name: 'visitors',
      script: 'shell-visitors.sh',
      event: bareEvent('schedule'),
      inputs: visitors,
    },
  ]
}

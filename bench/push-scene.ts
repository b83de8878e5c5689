import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createServer, type Server } from 'node:tls'
import type { DocsService } from '../docs-service/service.ts'
import { AFTER, BEFORE, type Event, pushBy } from '../test/support/events.ts'
import { startGitHub } from '../test/support/github.ts'
import { learn } from '../test/support/world.ts'

/** A push to a repository, with GitHub and the docs service behind TLS. */
export type PushScene = {
  readonly event: Event
  readonly apiUrl: string
  readonly docsUrl: string
  readonly token: string
  /** The certificate that both servers have. */
  readonly authorityFile: string
  close(): Promise<void>
}

/** Starts GitHub on loopback, with a comparison of ten changed files, and TLS before it and the docs service. */
export async function startPushScene(docs: DocsService, folder: string): Promise<PushScene> {
  const github = await startGitHub()
  const event = pushBy('octocat', 'octocat')
  learn(github.world, event.payload)
  github.world.comparisons.set(`${BEFORE}...${AFTER}`, {
    total_commits: 2,
    commits: [{ commit: { message: 'Add a flag' } }, { commit: { message: 'Name it' } }],
    files: Array.from({ length: 10 }, (_, index) => ({
      filename: `src/file-${index}.ts`,
      status: 'modified',
      patch: `@@ -1,40 +1,40 @@\n${'-const old = true\n+const flag = false\n'.repeat(20)}`,
    })),
  })
  const authorityFile = join(folder, 'authority.pem')
  const keyFile = join(folder, 'key.pem')
  makeCertificate(keyFile, authorityFile)
  const tls = { key: readFileSync(keyFile), cert: readFileSync(authorityFile) }
  const fronts = await Promise.all([github.url, docs.url].map((url) => startTls(new URL(url), tls)))
  const [apiUrl = '', docsUrl = ''] = fronts.map(urlOf)
  return {
    event,
    apiUrl,
    docsUrl,
    token: github.token,
    authorityFile,
    async close() {
      for (const front of fronts) front.close()
      await github.close()
    },
  }
}

function makeCertificate(keyFile: string, certificateFile: string): void {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  const files = ['-keyout', keyFile, '-out', certificateFile]
  execFileSync('openssl', ['req', ...kind, ...subject, ...files], { stdio: 'ignore' })
}

async function startTls(target: URL, tls: { readonly key: Buffer; readonly cert: Buffer }): Promise<Server> {
  const front = createServer(tls, (socket) => {
    const onward = connect(Number(target.port), target.hostname)
    socket.on('error', () => onward.destroy()).pipe(onward)
    onward.on('error', () => socket.destroy()).pipe(socket)
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  return front
}

function urlOf(server: Server): string {
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

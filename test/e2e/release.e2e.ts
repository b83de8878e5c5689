import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startHostProxy } from './proxy.ts'

type Release = { readonly tag_name: string; readonly draft?: boolean; readonly prerelease?: boolean }
type Repository = {
  readonly releases: readonly Release[]
  /** Whether the major tag exists. */
  readonly tagged?: boolean
  /** GitHub refuses to move it. */
  readonly refuses?: boolean
}

const SHA = 'a'.repeat(40)

describe.concurrent('the step that moves the major tag', () => {
  it('moves it to the newest release', async () => {
    const run = await moveMajorTag('v1.10.0', {
      releases: [{ tag_name: 'v1.9.0' }, { tag_name: 'v1.10.0' }, { tag_name: 'v2.0.0' }],
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.writes).toEqual([
      { line: 'PATCH /repos/acme/action/git/refs/tags/v1', body: { sha: SHA, force: true } },
    ])
  })

  it('creates it with the first release of a major version', async () => {
    const run = await moveMajorTag('v2.0.0', { releases: [{ tag_name: 'v1.9.0' }], tagged: false })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.writes).toEqual([
      { line: 'POST /repos/acme/action/git/refs', body: { ref: 'refs/tags/v2', sha: SHA } },
    ])
  })

  it('leaves it where a newer release exists, as when an old release is run again', async () => {
    const run = await moveMajorTag('v1.9.0', { releases: [{ tag_name: 'v1.10.0' }, { tag_name: 'v1.9.0' }] })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.output).toContain('::notice title=v1 stays::v1.10.0 is newer than v1.9.0.')
    expect(run.writes).toEqual([])
  })

  it('passes over drafts and pre-releases', async () => {
    const run = await moveMajorTag('v1.9.0', {
      releases: [
        { tag_name: 'v1.12.0', draft: true },
        { tag_name: 'v1.11.0', prerelease: true },
        { tag_name: 'v1.10.0-rc.1' },
        { tag_name: 'v1.9.0' },
      ],
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.writes).toHaveLength(1)
  })

  it('says what to do where GitHub refuses', async () => {
    const run = await moveMajorTag('v1.9.0', { releases: [{ tag_name: 'v1.9.0' }], refuses: true })
    expect(run.exitCode).toBe(1)
    expect(run.output).toContain('::error title=v1 was not moved::RELEASE.md says when GitHub refuses this')
  })
})

type Run = {
  readonly exitCode: number
  readonly output: string
  readonly writes: readonly { readonly line: string; readonly body: unknown }[]
}

/** Runs the step's script as the runner would, with the real gh against a GitHub on loopback. */
async function moveMajorTag(
  tag: string,
  { releases, tagged = true, refuses = false }: Repository,
): Promise<Run> {
  const writes: { line: string; body: unknown }[] = []
  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost')
    const reads = incoming.method === 'GET'
    if (!reads) writes.push({ line: `${incoming.method} ${pathname}`, body: JSON.parse(body) })
    const status = reads && pathname.includes('/git/ref/') && !tagged ? 404 : !reads && refuses ? 403 : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reads && pathname.endsWith('/releases') ? releases : {}))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const proxy = await startHostProxy({ 'api.github.com': url }, (text) => text)
  try {
    const { exitCode, output } = await runScript(stepScript('Move the major tag'), {
      PATH: [process.env['TOOLS'] ?? '', process.env['PATH'] ?? ''].join(delimiter),
      HOME: tmpdir(),
      HTTPS_PROXY: proxy.url,
      SSL_CERT_FILE: proxy.authorityFile,
      GH_TELEMETRY: 'false',
      GH_TOKEN: 'ghs_example',
      GH_REPO: 'acme/action',
      GITHUB_REF_NAME: tag,
      GITHUB_SHA: SHA,
    })
    return { exitCode, output, writes }
  } finally {
    server.closeAllConnections()
    server.close()
    await proxy.close()
  }
}

function stepScript(name: string): string {
  const path = join(import.meta.dirname, '../../.github/workflows/release.yml')
  const { jobs } = parse(readFileSync(path, 'utf8')) as {
    jobs: { release: { steps: { name: string; run: string }[] } }
  }
  const script = jobs.release.steps.find((step) => step.name === name)?.run
  if (script === undefined) throw new Error(`release.yml has no step ${name}`)
  return script
}

function runScript(
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile('bash', ['-e', '-c', script], { env: { ...env } }, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode ?? 1, output: stdout + stderr })
    })
  })
}

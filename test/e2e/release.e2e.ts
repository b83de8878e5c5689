import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startHostProxy, startServer } from './proxy.ts'

const SHA = 'a'.repeat(40)
const MOVE = { line: 'PATCH /repos/acme/action/git/refs/tags/v1', body: { sha: SHA, force: true } }
const CREATE = { line: 'POST /repos/acme/action/git/refs', body: { ref: 'refs/tags/v2', sha: SHA } }
const tags = (...names: string[]) => names.map((tag_name) => ({ tag_name }))

describe.concurrent('the step that moves the major tag', () => {
  const odd = [
    { tag_name: 'v1.12.0', draft: true },
    { tag_name: 'v1.11.0', prerelease: true },
  ]
  it.each([
    ['moves it to the newest release', 'v1.10.0', tags('v1.9.0', 'v1.10.0', 'v2.0.0'), [MOVE]],
    ['creates it with the first', 'v2.0.0', tags('v1.9.0'), [CREATE]],
    ['leaves it where a newer one exists', 'v1.9.0', tags('v1.10.0', 'v1.9.0'), []],
    ['skips what is no release', 'v1.9.0', [...odd, ...tags('v1.10.0-rc.1', 'v1.9.0')], [MOVE]],
  ])('%s (%s)', async (_case, tag, releases, writes) => {
    const run = await moveMajorTag(tag, releases)
    expect(run.exitCode, run.output).toBe(0)
    expect(run.writes).toEqual(writes)
    if (writes.length === 0)
      expect(run.output).toContain('::notice title=v1 stays::v1.10.0 is newer than v1.9.0.')
  })

  it('explains how to move it by hand if GitHub rejects the request', async () => {
    const run = await moveMajorTag('v1.9.0', tags('v1.9.0'), 403)
    expect(run.exitCode).toBe(1)
    expect(run.output).toContain(
      '::error title=v1 was not moved::.github/RELEASE.md explains when GitHub rejects this',
    )
  })
})

/**
 * Runs the step's script as the runner would, with the real gh against a GitHub on loopback, which has the tag v1 and
 * answers what is written with a status.
 */
async function moveMajorTag(tag: string, releases: readonly object[], status = 200) {
  const statusOf = (line: string): number => {
    if (!line.startsWith('GET')) return status
    return line.includes('/git/ref/') && !line.endsWith('/v1') ? 404 : 200
  }
  const releasesOr = (_body: unknown, line: string) => (line.endsWith('/releases') ? releases : {})
  const server = await startServer(releasesOr, statusOf)
  const proxy = await startHostProxy({ 'api.github.com': server.url })
  const path = join(import.meta.dirname, '../../.github/workflows/release.yml')
  const workflow = parse(readFileSync(path, 'utf8'))
  const steps: { name: string; run: string }[] = workflow.jobs.release.steps
  const script = steps.find(({ name }) => name === 'Move the major tag')?.run ?? 'exit 99'
  const env = {
    PATH: [process.env['TOOLS'] ?? '', process.env['PATH'] ?? ''].join(delimiter),
    HOME: tmpdir(),
    HTTPS_PROXY: proxy.url,
    SSL_CERT_FILE: proxy.authorityFile,
    GH_TELEMETRY: 'false',
    GH_TOKEN: 'ghs_example',
    GH_REPO: 'acme/action',
    GITHUB_REF_NAME: tag,
    GITHUB_SHA: SHA,
  }
  const child = spawn('bash', ['-e', '-c', script], { env })
  try {
    const outputs = [child.stdout, child.stderr].map((stream) => text(stream))
    const [exitCode] = await once(child, 'close')
    const writes = server.requests.filter(({ line }) => !line.startsWith('GET'))
    return { exitCode, output: (await Promise.all(outputs)).join(''), writes }
  } finally {
    await Promise.all([server.close(), proxy.close()])
  }
}

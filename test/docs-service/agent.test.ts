import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { DocsService } from '../../docs-service/service.ts'
import { create, look, message, startService } from './started-service.ts'

function git(service: DocsService, ...args: string[]): string {
  return execFileSync('git', args, { cwd: service.repository, encoding: 'utf8' }).trim()
}

test('a job edits the page its prompt is about on a branch, and a message adds a commit', async () => {
  const { service, pass } = await startService({ agent: 'git' })
  const job = await create(service, 'Document exit code 6 in the exit codes.\n- 6: the disk is <full>')
  pass(1000)
  await message(service, job.id, 'Mention the proxy too')
  pass(1000)
  await Promise.all([look(service, job.id), look(service, job.id), service.doAllWorkDue()])
  expect(git(service, 'log', '--reverse', '--format=%s|%aI', `main..${job.source.ref}`).split('\n')).toEqual([
    'docs: exit code 6 in the exit codes|2026-08-03T12:00:01+00:00',
    'docs: the proxy too|2026-08-03T12:00:02+00:00',
  ])
  expect(git(service, 'show', `${job.source.ref}:reference/exit-codes.mdx`)).toContain(
    '## Exit code 6 in the exit codes\n\n`brindle upgrade` ends with exit code 6 if the newest snapshot is more than an hour old',
  )
  expect(git(service, 'status', '--porcelain', '--branch')).toBe('## main')
})

test('the page of a pull request shows prompts, commits and diff, escaped, and merges it once', async () => {
  const { service, pass } = await startService({ agent: 'git' })
  const { id } = await create(service, 'Document <script>alert(1)</script> & restore')
  pass(1000)
  const { prLink } = await look(service, id)
  const page = await (await fetch(prLink)).text()
  expect(page).toContain('<h1>&lt;script&gt;alert(1)&lt;/script&gt; &amp; restore #1</h1>')
  expect(page).toContain('<ins>+## ')
  expect(page).toContain('docs: &lt;script&gt;')
  expect(page).toContain('action="/acme/docs/pull/1/merge"')
  const press = (action: string, headers = {}) =>
    fetch(`${prLink}/${action}`, { method: 'POST', redirect: 'manual', headers })
  expect((await press('merge', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await press('merge')).status).toBe(303)
  expect(service.jobs).toMatchObject([{ pull: { number: 1, state: 'merged' } }])
  expect(git(service, 'log', '--format=%s', '-1', 'main')).toMatch(/^Merge pull request #1 from docs\/agent-/)
  expect((await press('close')).status).toBe(409)
  const merged = await (await fetch(prLink)).text()
  expect(merged).toContain('<ins>+## ')
  expect(merged).not.toContain('<form')
  expect(await (await fetch(`${service.url}/`)).text()).toContain('<a href="/acme/docs/pull/1">')
  expect((await fetch(`${service.url}/acme/docs/pull/9`)).status).toBe(404)
})

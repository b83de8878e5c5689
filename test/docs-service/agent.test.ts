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

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DocsService } from '../../docs-service/service.ts'
import { create, look, message, startedService, virtualClock } from './service-under-test.ts'

function git(service: DocsService, ...args: string[]): string {
  return execFileSync('git', args, { cwd: service.repository ?? '', encoding: 'utf8' }).trim()
}

async function startedAgent() {
  const clock = virtualClock()
  const service = await startedService({ ...clock, agent: 'git', jobTimeMs: 1000 })
  return { clock, service }
}

test('the service starts with a sample site in a git repository', async () => {
  const { service } = await startedAgent()
  expect(git(service, 'log', '--format=%an <%ae> %aI', 'main')).toBe(
    'Docs Agent <docs-agent@example.com> 2026-01-05T09:00:00+00:00',
  )
  const config = JSON.parse(readFileSync(join(service.repository ?? '', 'docs.json'), 'utf8'))
  const pages: string[] = config.navigation.groups.flatMap((group: { pages: string[] }) => group.pages)
  expect(pages.length).toBeGreaterThan(8)
  expect(pages.filter((page) => !existsSync(join(service.repository ?? '', `${page}.mdx`)))).toEqual([])
})

test('a job edits the page its prompt is about, on its branch, and main stays as it is', async () => {
  const { clock, service } = await startedAgent()
  const job = await create(
    service,
    'Document exit code 6 in the exit codes.\n- 6: the disk is full\n- try <again>',
  )
  clock.pass(1000)
  await look(service, job.id)
  expect(git(service, 'diff', '--name-only', `main...${job.source.ref}`)).toBe('reference/exit-codes.mdx')
  expect(git(service, 'log', '--format=%s|%aI', `main..${job.source.ref}`)).toBe(
    'docs: exit code 6 in the exit codes|2026-08-03T12:00:01+00:00',
  )
  const page = git(service, 'show', `${job.source.ref}:reference/exit-codes.mdx`)
  expect(page).toContain(
    '## Exit code 6 in the exit codes\n\nThis section covers exit code 6 in the exit codes. In short:',
  )
  expect(page).toContain('- 6: the disk is full\n- try &lt;again>')
  expect(git(service, 'branch', '--show-current')).toBe('main')
  expect(git(service, 'status', '--porcelain')).toBe('')
})

test('a message adds a commit to the same branch', async () => {
  const { clock, service } = await startedAgent()
  const job = await create(service, 'Document the proxy setting')
  clock.pass(1000)
  await message(service, job.id, 'Mention NO_PROXY too')
  clock.pass(1000)
  expect(await look(service, job.id)).toMatchObject({
    status: 'completed',
    prLink: `${service.url}/acme/docs/pull/1`,
  })
  expect(git(service, 'log', '--reverse', '--format=%s', `main..${job.source.ref}`).split('\n')).toEqual([
    'docs: the proxy setting',
    'docs: NO_PROXY too',
  ])
})

test('looks at the same time, at several jobs, do each work once and pull requests are numbered from 1', async () => {
  const { clock, service } = await startedAgent()
  const jobs = [await create(service, 'Explain schedules'), await create(service, 'Explain tokens')]
  clock.pass(1000)
  const looks = await Promise.all([...jobs, ...jobs, ...jobs].map(({ id }) => look(service, id)))
  const links = new Set(looks.map(({ prLink }) => prLink))
  expect(links).toEqual(new Set([1, 2].map((number) => `${service.url}/acme/docs/pull/${number}`)))
  for (const { source } of jobs) expect(git(service, 'rev-list', '--count', `main..${source.ref}`)).toBe('1')
})

test('doAllWorkDue does the work that is due without a look', async () => {
  const { clock, service } = await startedAgent()
  const { source } = await create(service, 'Explain schedules')
  clock.pass(999)
  await service.doAllWorkDue()
  expect(git(service, 'branch', '--list', source.ref)).toBe('')
  clock.pass(1)
  await service.doAllWorkDue()
  expect(git(service, 'rev-list', '--count', `main..${source.ref}`)).toBe('1')
})

test.each(['[agent: no-change]', '[agent: fail]', '[agent: archive]'])(
  '%s leaves no branch behind',
  async (directive) => {
    const { clock, service } = await startedAgent()
    const { id } = await create(service, `Explain schedules ${directive}`)
    clock.pass(1000)
    await look(service, id)
    expect(git(service, 'branch', '--list')).toBe('* main')
  },
)

test.each([
  ['control characters', 'Explain \u0000\u001b[31m schedules'],
  ['half a surrogate pair', '\ud83d Explain schedules'],
  ['nothing but punctuation', '!!! --- ###'],
  ['an option of git', '--amend --exec=rm'],
  ['a very long line', 'word '.repeat(20_000)],
])('a prompt of %s is worked on like any other', async (_name, prompt) => {
  const { clock, service } = await startedAgent()
  const { id } = await create(service, prompt)
  clock.pass(1000)
  expect(await look(service, id)).toMatchObject({ status: 'completed', prLink: expect.any(String) })
})

test('close deletes the repository', async () => {
  const { service } = await startedAgent()
  expect(existsSync(service.repository ?? '')).toBe(true)
  await service.close()
  expect(existsSync(service.repository ?? '')).toBe(false)
})

test('without git, the start fails with an error that says so', async () => {
  await expect(startedService({ agent: 'git', gitProgram: 'no-such-git' })).rejects.toThrow(
    /needs git .* 'no-such-git' was not found/,
  )
})

import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { create, look, message, send, startedService, virtualClock } from './service-under-test.ts'

async function pageText(url: string | null): Promise<string> {
  const response = await fetch(url ?? '')
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  return response.text()
}

test('the pull request page shows title, branch, prompts, commits and a coloured diff, all escaped', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, agent: 'git', jobTimeMs: 10 })
  const job = await create(service, 'Document <script>alert(1)</script> & restore')
  clock.pass(10)
  await message(service, job.id, 'And verify')
  clock.pass(10)
  const page = await pageText((await look(service, job.id)).prLink)
  expect(page).toContain(
    '<h1>&lt;script&gt;alert(1)&lt;/script&gt; &amp; restore <span class="soft">#1</span></h1>',
  )
  expect(page).toContain(`<code>${job.source.ref}</code>`)
  expect(page).toContain('<pre class="prompt">And verify</pre>')
  expect(page).toContain('docs: And verify</li>')
  expect(page).toContain('<span class="added">+## ')
  expect(page).toContain('<span class="file">diff --git a/guides/restore.mdx b/guides/restore.mdx</span>')
  expect(page).not.toContain('<script')
})

test('a merge request has its page too, and an idle agent says that there is nothing to show', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 10 })
  const { id } = await create(service, 'Explain tokens [agent: gitlab]')
  clock.pass(10)
  const { prLink } = await look(service, id)
  const page = await pageText(prLink)
  expect(page).toContain('Tokens <span class="soft">!1</span>')
  expect(page).toContain('runs without a repository')
})

test('the front page lists jobs and pull requests, at the repository URL as well', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 10 })
  const { source } = await create(service, 'Explain <tokens>')
  await create(service, 'Fail [agent: fail]')
  clock.pass(10)
  for (const url of [`${service.url}/`, source.repository]) {
    const page = await pageText(url)
    expect(page).toContain('&lt;tokens&gt;')
    expect(page).toContain('<td class="name">docs</td><td><span class="badge failed">failed</span></td>')
    expect(page).toContain('<time datetime="2026-08-03T12:00:00.000Z">2026-08-03 12:00:00</time>')
    expect(page).toContain('<a href="/acme/docs/pull/1">#1</a>')
  }
})

test('a pull request that does not exist is a page that says so', async () => {
  const service = await startedService()
  const response = await fetch(`${service.url}/acme/docs/pull/9`)
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('Not found')
})

test('the front page reloads while a job is active, and says what to do while there is none', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 10, projects: ['handbook'] })
  const empty = await pageText(`${service.url}/`)
  expect(empty).toContain(`base-url: ${service.url}`)
  expect(empty).toContain('project-id: &quot;handbook&quot;')
  expect(empty).not.toContain('http-equiv')
  await send(service, 'POST', '/v2/agent/handbook/job', { body: { prompt: 'Explain tokens' } })
  expect(await pageText(`${service.url}/`)).toContain('<meta http-equiv="refresh" content="2">')
  clock.pass(10)
  expect(await pageText(`${service.url}/`)).not.toContain('http-equiv')
})

const WITH_CONTEXT = `Explain the flag

<github-context>
Repository: acme/brindle
Changed files:
- modified src/flag.ts
- renamed src/old.ts to src/new.ts
- added src/<img src=x>.ts
</github-context>`

test('the description names the changed files of the context, and the page folds the context away', async () => {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 10 })
  const { id } = await create(service, WITH_CONTEXT)
  clock.pass(10)
  const page = await pageText((await look(service, id)).prLink)
  expect(page).toContain(
    '<li>Adds the section “The flag”, based on the changes in <code>src/flag.ts</code>, <code>src/old.ts to src/new.ts</code> and <code>src/&lt;img src=x&gt;.ts</code>.</li>',
  )
  expect(page).toContain('<pre class="prompt">Explain the flag</pre>')
  expect(page).toContain('<details><summary>Files and context given with it</summary>')
})

async function pullOf(options: { agent: 'git' | 'none' }) {
  const clock = virtualClock()
  const service = await startedService({ ...clock, ...options, jobTimeMs: 10 })
  const { id } = await create(service, 'Explain tokens')
  clock.pass(10)
  const { prLink } = await look(service, id)
  const press = (action: string, headers = {}) =>
    fetch(`${prLink}/${action}`, { method: 'POST', redirect: 'manual', headers })
  return { service, clock, id, prLink, press }
}

test('the buttons merge a pull request into main, once, and its page still shows the changes', async () => {
  const { service, prLink, press } = await pullOf({ agent: 'git' })
  expect(await pageText(prLink)).toContain('action="/acme/docs/pull/1/merge"')
  const merged = await press('merge')
  expect([merged.status, merged.headers.get('location')]).toEqual([303, '/acme/docs/pull/1'])
  expect(service.jobs[0]?.pull?.state).toBe('merged')
  const log = execFileSync('git', ['log', '--format=%s', '-1', 'main'], {
    cwd: service.repository ?? '',
    encoding: 'utf8',
  })
  expect(log).toMatch(/^Merge pull request #1 from docs\/agent-explain-tokens-/)
  const page = await pageText(prLink)
  expect(page).toContain('<span class="badge merged">merged</span>')
  expect(page).toContain('<span class="added">+## Tokens</span>')
  expect(page).not.toContain('<form')
  const again = await press('close')
  expect(again.status).toBe(409)
  expect(await again.text()).toContain('Pull request #1 is merged.')
})

test('a pull request is closed by its button or by a call, and a job goes on after it', async () => {
  const { service, clock, id, press } = await pullOf({ agent: 'none' })
  expect((await press('close', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  service.closePull(1)
  expect(service.jobs[0]?.pull?.state).toBe('closed')
  expect((await press('merge')).status).toBe(409)
  await message(service, id, 'More')
  clock.pass(10)
  expect(await look(service, id)).toMatchObject({
    status: 'completed',
    prLink: `${service.url}/acme/docs/pull/1`,
  })
  await expect(service.mergePull(7)).rejects.toThrow('There is no pull request #7.')
})

test('a pull request that main has gone on without is not merged, and main stays as it was', async () => {
  const { service, clock } = await pullOf({ agent: 'git' })
  const { id } = await create(service, 'Describe token rotation')
  clock.pass(10)
  await look(service, id)
  await service.mergePull(1)
  await expect(service.mergePull(2)).rejects.toThrow(/changes the same lines as main/)
  expect(service.jobs[1]?.pull?.state).toBe('open')
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: service.repository ?? '' })
  expect(status.toString()).toBe('')
})

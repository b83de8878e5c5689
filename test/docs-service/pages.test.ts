import { expect, test } from 'vitest'
import { create, look, message, startedService, virtualClock } from './service-under-test.ts'

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
    expect(page).toContain('<td>failed</td>')
    expect(page).toContain('<a href="/acme/docs/pull/1">#1</a>')
  }
})

test('a pull request that does not exist is a page that says so', async () => {
  const service = await startedService()
  const response = await fetch(`${service.url}/acme/docs/pull/9`)
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('Not found')
})

import { describe, expect, it } from 'vitest'
import { parsePullRequest } from '../../src/github/pull-requests.ts'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { denied, ENDS, type Ended, job, LINKS, PR, PR_LINK, SAID } from './ends.cases.ts'

/** A run against a service whose polls show the job so. */
async function runTo(shown: Reply, { post = 'active', statuses, inputs, ...options }: Ended = {}) {
  const scene = await startHarness({ replies: { post: [post], get: [shown] } })
  if (statuses !== undefined) scene.github.faults.push({ match: /POST \/statuses/, end: statuses })
  const given = { prompt: 'Do it.', context: 'none', 'follow-up': 'false', ...inputs }
  const end = await scene.run({ ...options, inputs: given })
  const annotation = end.log.findLast((line) => /^(?:notice|warning|error): /.test(line)) ?? ''
  return { ...end, annotation, status: scene.world.statuses.at(-1)?.state ?? 'none' }
}

it.each(ENDS)('a run ends with %s', async (_what, shown, options, expected) => {
  const { outputs, summary, status, annotation, hasFailed } = await runTo(shown, options)
  const [, sign] = /^## (\S+) /.exec(summary) ?? []
  expect(`${outputs['result']} ${sign} ${status} ${annotation}`).toBe(expected)
  expect(hasFailed).toBe(annotation.startsWith('error: '))
})

it('an id and a link of any length are cut', async () => {
  const long = 'x'.repeat(5000)
  const prLink = `https://x.example/${long}`
  const { annotation } = await runTo('active', { post: job('completed', { id: long, prLink }) })
  expect(annotation.length).toBeLessThan(3200)
})

it('the outputs are those of the job as last seen, and empty for what is null', async () => {
  const { outputs } = await runTo(job('completed', { prLink: PR_LINK, extra: 7 }))
  const known = { 'job-id': 'j1', result: 'pull-request', status: 'completed' }
  const pull = { 'pr-link': PR_LINK, 'pr-number': '12', 'pr-operation': 'created' }
  expect(outputs).toMatchObject({ ...known, ...pull, 'source-authors': '' })
  expect(JSON.parse(outputs['job'] ?? '')).toMatchObject({ id: 'j1', prLink: PR_LINK, extra: 7 })
  const archived = await runTo(job('archived', { prLink: null }))
  expect(archived.outputs).toMatchObject({ 'pr-link': '', 'pr-number': '', 'pr-operation': '' })
  const refused = await runTo('active', { post: denied })
  expect(refused.outputs).toEqual({
    'job-id': '',
    result: 'error',
    'pr-operation': '',
    'source-authors': '',
  })
})

it.each(LINKS)('%s has the number %j and the name %s', (link, number, name) => {
  expect(parsePullRequest(link)).toMatchObject({ number, name })
})

describe('the summary', () => {
  it('shows the pull request first, then one grey line, and the rest folded', async () => {
    const source = { repository: 'https://github.com/acme/docs.git', ref: 'docs/flag' }
    const fields = { source, model: 'docs-agent-1', createdAt: '2026-08-01T10:00:00Z' }
    const shown = job('completed', { prLink: PR_LINK, ...fields })
    const { summary } = await runTo(shown, { inputs: { prompt: 'Explain `x`.\n```\ncode' } })
    expect(summary).toBe(
      [
        `## ✅ Pull request ${PR} is ready for review`,
        'The docs agent changed [acme/docs](https://github.com/acme/docs.git), on the branch `docs/flag`.',
        '<sub>Docs agent · project `docs` · model `docs-agent-1` · 5 s</sub>',
        '<details><summary>Job and prompt</summary>',
        '| Job | `j1` |\n| :--- | :--- |\n| Status | `completed` |\n| Created | `2026-08-01T10:00:00Z` |',
        '````text\nExplain `x`.\n```\ncode\n````',
        '</details>',
      ].join('\n\n'),
    )
  })

  it.each(SAID)('says %s', async (_what, shown, options, text) => {
    expect((await runTo(shown, options)).summary).toContain(text)
  })

  it('stays far below the limit of GitHub for a prompt of a megabyte', async () => {
    const { summary } = await runTo('failed', { inputs: { prompt: 'é'.repeat(1_000_000) } })
    expect(Buffer.byteLength(summary)).toBeLessThan(500_000)
    expect(summary).toContain('… (800000 more characters)')
  })

  it.each([
    [{}, 'start a job with this prompt', '\n\n```text\nDo it.\n```'],
    [{ 'job-id': 'j7', prompt: '' }, 'wait for the job `j7`', ''],
  ])('of a dry run with %j says what would be done', async (inputs, what, prompt) => {
    const { summary } = await runTo('active', { inputs: { 'dry-run': 'true', ...inputs } })
    expect(summary).toBe(
      `## 📝 Docs agent: dry run\n\nThe docs service was not called. Without \`dry-run\`, this run would ${what}.\n\n<sub>Docs agent · project \`docs\`</sub>${prompt}`,
    )
  })

  it('of wrong inputs shows names in backticks as code, and what was given as text', async () => {
    const { summary } = await runTo('active', {
      inputs: { 'content-gaps': 'agent', timeout: '<b>@team</b>' },
    })
    expect(summary).toContain('## ❌ Docs agent: wrong inputs\n\nNothing was sent.\n\n| Input |')
    expect(summary).toContain(
      '| `timeout` | ("&#60;b&#62;@\u200bteam&#60;/b&#62;") is not a duration |',
    )
    expect(summary).toContain('| `content-gaps` | ("agent") needs a prompt and a `context` other')
  })
})

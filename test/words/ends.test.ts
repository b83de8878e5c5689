import { describe, expect, it } from 'vitest'
import { parsePullRequest } from '../../src/lib/http.ts'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { denied, ENDS, type Ended, job, LINKS, PR, PR_LINK, SUMMARIES } from './ends.cases.ts'

/** A run against a service whose polls show the job so. */
async function runTo(shown: Reply, { post = 'active', statuses, inputs, ...options }: Ended = {}) {
  const scene = await startHarness({ replies: { post: [post], get: [shown] } })
  if (statuses !== undefined) scene.github.faults.push({ match: /POST \/statuses/, end: statuses })
  const given = { prompt: 'Do it.', context: 'none', 'follow-up': 'false', ...inputs }
  const end = await scene.run({ ...options, inputs: given })
  const isOfGitHub = (text: string) => text.includes('The run continued, but')
  const annotations = end.log.filter((line) => /^(?:notice|warning|error): /.test(line))
  const index = annotations.findLastIndex((text) => !isOfGitHub(text))
  // Messages name the service by its host, as it isn't at the default address.
  const named = (text = '') => text.replaceAll(new URL(scene.serviceUrl).host, 'Mintlify')
  const title = named(end.titles[index])
  const record = /\bstate=(\w+)/.exec(scene.world.statuses.at(-1)?.target_url ?? '')
  return { ...end, annotation: named(annotations[index]), title, recorded: record?.[1] ?? 'none' }
}

it.each(ENDS)('a run ends with $what', async ({ shown, options, ends, title, says }) => {
  const run = await runTo(shown, options)
  const { annotation } = run
  const [, sign] = /^## (\S+) /.exec(run.summary) ?? []
  const level = annotation.split(':', 1)
  expect(`${run.outputs['result']} ${sign} ${run.recorded} ${level}`).toBe(ends)
  expect(run.title).toBe(title)
  for (const fact of says) expect(annotation).toContain(fact)
  expect(run.log.join('\n')).not.toContain('Mintlify')
  // A cause, and what is running, are said once.
  for (const word of ['running.', 'Nothing was started', '`fail-on`', 'returned'])
    expect(annotation.split(word).length).toBeLessThanOrEqual(2)
  expect(run.hasFailed).toBe(annotation.startsWith('error: '))
})

it('an id and a link of any length are cut', async () => {
  const long = 'x'.repeat(5000)
  const prLink = `https://x.example/${long}`
  const { annotation } = await runTo('active', { post: job('completed', { id: long, prLink }) })
  expect(annotation.length).toBeLessThan(3200)
})

it('the outputs are those of the job as last seen, and empty for null', async () => {
  const { outputs } = await runTo(job('completed', { prLink: PR_LINK, extra: 7 }))
  const known = { 'job-id': 'j1', result: 'pull-request', status: 'completed' }
  const pull = { 'pr-link': PR_LINK, 'pr-number': '12', 'pr-operation': 'created' }
  expect(outputs).toMatchObject({ ...known, ...pull, 'source-authors': '' })
  expect(JSON.parse(outputs['job'] ?? '')).toMatchObject({ id: 'j1', prLink: PR_LINK, extra: 7 })
  const archived = await runTo(job('archived', { prLink: null }))
  expect(archived.outputs).toMatchObject({ 'pr-link': '', 'pr-number': '', 'pr-operation': '' })
  const refused = await runTo('active', { post: denied })
  expect(refused.outputs).toMatchObject({ 'job-id': '', result: 'error', 'pr-operation': '' })
})

it.each(LINKS)('$link has the number $number and the name $name', ({ link, ...expected }) => {
  expect(parsePullRequest(link)).toMatchObject(expected)
})

describe('the summary', () => {
  it('shows the pull request first, then one gray line, and the rest folded', async () => {
    const fields = { model: 'docs-agent-1', createdAt: '2026-08-01T10:00:00Z' }
    const shown = job('completed', { prLink: PR_LINK, ...fields })
    const { summary } = await runTo(shown, { inputs: { prompt: 'Explain `x`.\n```\ncode' } })
    expect(summary).toBe(
      [
        `## ✅ Docs pull request ready for review: ${PR}`,
        '<sub>project `docs` · model `docs-agent-1` · 5 s</sub>',
        '<details><summary>Job and prompt</summary>',
        '| Job | `j1` |\n| :--- | :--- |\n| Status | `completed` |\n| Created | `2026-08-01T10:00:00Z` |',
        '````text\nExplain `x`.\n```\ncode\n````',
        '</details>',
      ].join('\n\n'),
    )
  })

  it.each(SUMMARIES)('has $what', async ({ shown, options, says }) => {
    expect((await runTo(shown, options)).summary).toContain(says)
  })

  it.each([
    { inputs: {}, what: 'start a job with this prompt', prompt: '\n\n```text\nDo it.\n```' },
    { inputs: { 'job-id': 'j7', prompt: '' }, what: 'wait for the job `j7`', prompt: '' },
  ])('of a dry run with $inputs describes the run', async ({ inputs, what, prompt }) => {
    const { summary } = await runTo('active', { inputs: { 'dry-run': 'true', ...inputs } })
    expect(summary).toMatch(/^## 📝 Dry run: nothing was sent to .*\n\nWithout `dry-run`/)
    const end = `this run would ${what}.\n\n<sub>project \`docs\`</sub>${prompt}`
    expect(summary.endsWith(end)).toBe(true)
  })

  it('of wrong inputs is a table with cells that can be read alone', async () => {
    const { summary } = await runTo('active', {
      inputs: { 'content-gaps': 'agent', timeout: '<b>@team</b>' },
    })
    expect(summary).toMatch(
      /^## ❌ 2 inputs need to be fixed\n\nNothing was sent .*\n\n\| Input \|/,
    )
    expect(summary).toContain("| `timeout` | `<b>@team</b>` isn't a duration. | Whole numbers")
    expect(summary).toContain('| `content-gaps` | `agent` needs a `prompt`, and a `context`')
  })
})

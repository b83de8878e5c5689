import { describe, expect, it } from 'vitest'
import { type Outcome, outcomeWithoutJob } from '../../src/job/outcome.ts'
import type { Plan } from '../../src/job/plan.ts'
import {
  dryRunSummary,
  inputsErrorSummary,
  interruptedSummary,
  jobSummary,
  skippedSummary,
} from '../../src/job/summary.ts'
import { CREATE, outcome, PR_LINK } from './outcomes.ts'
import { jobSceneStarter } from './scene.ts'

const startScene = jobSceneStarter()
const DAY_MS = 86_400_000

async function summaryOf(end: Outcome, inputs: Readonly<Record<string, string>> = {}): Promise<string> {
  const { run } = await startScene({ inputs })
  return jobSummary(end, run).source
}

describe('the summary of a job', () => {
  it('shows the pull request first, then one grey line, and the rest folded', async () => {
    const plan: Plan = { kind: 'create', prompt: 'Explain `x`.\n```\ncode' }
    expect(await summaryOf(outcome('pull-request', { plan }))).toBe(
      [
        `## ✅ Pull request [acme/docs#\u200b12](${PR_LINK}) is ready for review`,
        'The docs agent changed [acme/docs](https://github.com/acme/docs.git), on the branch `docs/flag`.',
        '<sub>Docs agent · project `docs` · model `docs-agent-1` · 3 min 05 s</sub>',
        '<details><summary>Job and prompt</summary>',
        '| Job | `j1` |\n| :--- | :--- |\n| Status | `completed` |\n| Created | `2026-08-01T10:00:00Z` |',
        '````text\nExplain `x`.\n```\ncode\n````',
        '</details>',
      ].join('\n\n'),
    )
  })

  it('names the project, and nothing of what is not known', async () => {
    const failure = { headline: 'No project `nonesuch` (404)', details: 'Check `project-id`.' }
    const end = outcomeWithoutJob(failure, { plan: undefined, isCancelled: false })
    expect(await summaryOf(end)).toBe(
      [
        '## ❌ No project `nonesuch` (404)',
        'Check `project-id`.',
        '<sub>Docs agent · project `docs`</sub>',
      ].join('\n\n'),
    )
    expect(await summaryOf(end, { 'project-id': '' })).toMatch(/<sub>Docs agent<\/sub>$/)
    const fields = { source: { repository: 'https://github.com/acme/docs' } }
    expect(await summaryOf(outcome('pull-request', { fields }))).toContain(
      'The docs agent changed [acme/docs](https://github.com/acme/docs).\n',
    )
    expect(await summaryOf(outcome('pull-request', { fields: { source: null } }))).not.toContain('changed')
  })

  it('shows the prompt of a request that failed, and no prompt of a mere wait', async () => {
    const failure = { headline: 'x', details: '' }
    const failed = await summaryOf(outcomeWithoutJob(failure, { plan: CREATE, isCancelled: false }))
    expect(failed).toContain('<details><summary>Prompt</summary>\n\n```text\nExplain the flag.\n```')
    const waited = await summaryOf(outcome('pull-request', { plan: { kind: 'wait', id: 'j1' } }))
    expect(waited).toContain('<details><summary>Job</summary>')
    expect(waited).not.toContain('```')
  })

  it('says nothing of a duration below a second, or beside a timeout that would contradict it', async () => {
    const quick = await summaryOf(outcome('no-pull-request', { lastLookAfterMs: 999 }))
    expect(quick).toContain('<sub>Docs agent · project `docs` · model `docs-agent-1`</sub>')
    const late = await summaryOf(outcome('timed-out', { lastLookAfterMs: 1_799_000 }))
    expect(late).toContain('## ⏱️ Not finished within 30 min\n')
    expect(late).not.toMatch(/29 min|59 s/)
  })

  it('links the pull request of a job that has not completed, and shows a link that is none as text', async () => {
    const failed = await summaryOf(outcome('failed', { fields: { prLink: PR_LINK } }))
    expect(failed).toContain(`Its pull request: [acme/docs#\u200b12](${PR_LINK})`)
    const fields = { prLink: 'javascript:alert(1)//@team' }
    const [heading] = (await summaryOf(outcome('pull-request', { fields }))).split('\n')
    expect(heading).toBe('## ✅ Pull request `javascript:alert(1)//@team` is ready for review')
  })

  it('says which pull request the run went on with, for how long it is open, and that it conflicts', async () => {
    const { run, clock } = await startScene()
    const pull = { prLink: PR_LINK, conflicts: true, openedAtMs: clock.now() - 3 * DAY_MS }
    const plan: Plan = { kind: 'message', id: 'j1', prompt: 'x', pull }
    expect(jobSummary(outcome('pull-request', { plan }), run).source).toContain(
      `\n\nThis run went on with [acme/docs#\u200b12](${PR_LINK}), open for 3 days. It conflicts with its base branch; the agent was asked to resolve that.\n\n`,
    )
    const unknown: Plan = { ...plan, pull: { ...pull, conflicts: false, openedAtMs: undefined } }
    expect(jobSummary(outcome('pull-request', { plan: unknown }), run).source).toContain(
      `This run went on with [acme/docs#\u200b12](${PR_LINK}).\n`,
    )
  })

  it.each([
    ['merged', 'was merged'],
    ['closed', 'was closed'],
    ['invisible', 'is invisible to `github-token`'],
  ] as const)('says which pull request went before: one that is %s', async (state, what) => {
    const plan: Plan = { kind: 'create', prompt: 'x', previous: { prLink: PR_LINK, state } }
    expect(await summaryOf(outcome('pull-request', { plan }))).toContain(
      `A new job: the earlier pull request [acme/docs#\u200b12](${PR_LINK}) ${what}.\n`,
    )
  })

  it('stays far below the limit of GitHub for a prompt of a megabyte', async () => {
    const plan: Plan = { kind: 'create', prompt: 'é'.repeat(1_000_000) }
    const source = await summaryOf(outcome('pull-request', { plan }))
    expect(Buffer.byteLength(source)).toBeLessThan(500_000)
    expect(source).toContain('… (800000 more characters)')
  })
})

describe('the summary of a run that did not wait for a job', () => {
  it('because it is dry shows what would be sent, and to which job', async () => {
    const { run } = await startScene()
    expect(dryRunSummary('start a job with this prompt', CREATE, run).source).toBe(
      '## 📝 Docs agent: dry run\n\nThe docs service was not called. Without `dry-run`, this run would start a job with this prompt.\n\n<sub>Docs agent · project `docs`</sub>\n\n```text\nExplain the flag.\n```',
    )
    const pull = { prLink: PR_LINK, conflicts: false, openedAtMs: undefined }
    const message: Plan = { kind: 'message', id: 'j1', prompt: 'x', pull }
    const { source } = dryRunSummary('send this message to the job `j1`', message, run)
    expect(source).toContain(`The message is for [acme/docs#\u200b12](${PR_LINK}).`)
    expect(dryRunSummary('wait for the job `j1`', { kind: 'wait', id: 'j1' }, run).source).not.toContain(
      '```',
    )
  })

  it('because it was skipped or interrupted says why', () => {
    expect(skippedSummary('Skipped: this push deletes `main`.', 'docs').source).toBe(
      '## ⏭️ Docs agent: skipped\n\nSkipped: this push deletes `main`.\n\n<sub>Docs agent · project `docs`</sub>',
    )
    expect(interruptedSummary('Wait with `job-id: j1`.', 'docs').source).toBe(
      '## 🛑 Docs agent: interrupted\n\nWait with `job-id: j1`.\n\n<sub>Docs agent · project `docs`</sub>',
    )
  })

  it('because inputs are wrong shows names in backticks as code, and what was given as text', () => {
    const problem = '("<b>@team</b>") is longer than `timeout`'
    const { source } = inputsErrorSummary([{ input: 'poll-interval', problem, accepted: 'x' }], 'docs')
    expect(source).toBe(
      '## ❌ Docs agent: wrong inputs\n\nNothing was sent.\n\n| Input | Problem | Accepted |\n| :--- | :--- | :--- |\n| `poll-interval` | ("&#60;b&#62;@\u200bteam&#60;/b&#62;") is longer than `timeout` | x |\n\n<sub>Docs agent · project `docs`</sub>',
    )
  })
})

import { describe, expect, it } from 'vitest'
import { InputsError } from '../../src/inputs/table.ts'
import { JobError } from '../../src/job/job-error.ts'
import { dryRunSummary, inputsErrorSummary, jobSummary } from '../../src/job/job-summary.ts'
import type { Plan } from '../../src/job/plan.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from '../support/clock.ts'
import { environmentOf } from '../support/run-action.ts'
import { CREATE, report, WAIT } from './reports.ts'
import { OLD, PR, SAID } from './summary.cases.ts'

const FOOTER = '<sub>Docs agent · project `docs`</sub>'

const given = environmentOf({ inputs: { 'project-id': 'docs' } }, '/nowhere', '/nowhere')
const waiting = {
  clock: new VirtualClock(),
  random: () => 0.5,
  cancel: new AbortController().signal,
}
const run = new Run(readEnvironment(given), waiting)

function summaryOf(...ended: Parameters<typeof report>): string {
  return jobSummary(report(...ended), run).source
}

describe('the summary of a job', () => {
  it('shows the pull request first, then one grey line, and the rest folded', () => {
    const plan: Plan = { ...CREATE, prompt: 'Explain `x`.\n```\ncode' }
    expect(summaryOf('pull-request', { plan })).toBe(
      [
        `## ✅ Pull request ${PR} is ready for review`,
        'The docs agent changed [acme/docs](https://github.com/acme/docs.git), on the branch `docs/flag`.',
        '<sub>Docs agent · project `docs` · model `docs-agent-1` · 3 min 05 s</sub>',
        '<details><summary>Job and prompt</summary>',
        '| Job | `j1` |\n| :--- | :--- |\n| Status | `completed` |\n| Created | `2026-08-01T10:00:00Z` |',
        '````text\nExplain `x`.\n```\ncode\n````',
        '</details>',
      ].join('\n\n'),
    )
  })

  it('of a request that failed shows the cause and the prompt, and nothing of what is not known', () => {
    const failure = { headline: 'No project `x` (404)', details: 'Check `project-id`.' }
    const error = new JobError('nothing', failure)
    const failed = {
      end: { kind: 'not-started', isCancelled: false, error, rerun: 'safe' },
    } as const
    const begins = `## ❌ No project \`x\` (404)\n\nCheck \`project-id\`. Nothing was started.\n\n${FOOTER}`
    expect(summaryOf('error', { ...failed, plan: undefined })).toBe(begins)
    expect(summaryOf('error', failed)).toBe(
      `${begins}\n\n<details><summary>Prompt</summary>\n\n\`\`\`text\nExplain the flag.\n\`\`\`\n\n</details>`,
    )
  })

  it.each(SAID)('says %s', (_what, ended, text) => {
    expect(summaryOf(...ended)).toContain(text)
  })

  it('stays far below the limit of GitHub for a prompt of a megabyte', () => {
    const source = summaryOf('failed', { plan: { ...CREATE, prompt: 'é'.repeat(1_000_000) } })
    expect(Buffer.byteLength(source)).toBeLessThan(500_000)
    expect(source).toContain('… (800000 more characters)')
  })
})

describe('the summary of a run', () => {
  it('that is dry shows what would be sent, and to which job', () => {
    const begins = `## 📝 Docs agent: dry run\n\nThis would ask for \`x\`.\n\n`
    const dry = (plan: Plan): string => dryRunSummary('This would ask for `x`.', plan, run).source
    expect(dry(CREATE)).toBe(`${begins}${FOOTER}\n\n\`\`\`text\nExplain the flag.\n\`\`\``)
    expect(dry(OLD)).toContain(`${begins}The message is for ${PR}, open for 3 days.\n\n${FOOTER}`)
    expect(dry(WAIT)).toBe(`${begins}${FOOTER}`)
  })

  it('whose inputs are wrong shows names in backticks as code, and what was given as text', () => {
    const problem = '("<b>@team</b>") is longer than `timeout`'
    const wrong = { input: 'poll-interval', problem, accepted: 'x' } as const
    const { source } = inputsErrorSummary(new InputsError([wrong]), run)
    expect(source).toBe(
      `## ❌ Docs agent: wrong input\n\nNothing was sent.\n\n| Input | Problem | Accepted |\n| :--- | :--- | :--- |\n| \`poll-interval\` | ("&#60;b&#62;@\u200bteam&#60;/b&#62;") is longer than \`timeout\` | x |\n\n${FOOTER}`,
    )
    const both = new InputsError([wrong, { ...wrong, input: 'timeout' }])
    expect(inputsErrorSummary(both, run).source).toMatch(/^## ❌ Docs agent: wrong inputs\n/)
  })
})

import { describe, expect, it } from 'vitest'
import type { JobResult, Outcome } from '../../src/job/outcome.ts'
import { dryRunSummary, inputsErrorSummary, jobSummary } from '../../src/job/summary.ts'
import { readJob } from '../../src/service/job.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive } from '../rendered.ts'

const OUR_TAGS =
  /^<(?:\/?(?:details|code|sub|summary)|details><summary>(?:Job and prompt|Job|Prompt)<\/summary)>$/
const context = { timeoutMs: 1000, failOn: new Set<never>() }

function expectInert(markdown: string, cells: number): void {
  const seen = alive(markdown)
  expect(seen.html.filter((tag) => !OUR_TAGS.test(tag))).toEqual([])
  expect(seen.mentions).toEqual([])
  expect(seen.images).toEqual([])
  for (const link of seen.links) expect(link).toMatch(/^https:\/\/[^@]+$/)
  for (const count of seen.cells) expect(count).toBe(cells)
}

describe.each(HOSTILE_TEXTS.map((text) => [text]))('with %j', (text) => {
  it.each<JobResult>(['pull-request', 'failed', 'error'])(
    'nothing in the summary of a job comes alive (%s)',
    (result) => {
      const job = readJob({
        id: 'j1',
        status: text,
        source: { repository: text, ref: text },
        model: text,
        prLink: text,
        createdAt: text,
      })
      const outcome: Outcome = {
        result,
        job,
        jobId: text,
        durationSeconds: 7,
        headline: text,
        reason: text,
        sent: text,
      }
      expect(job).toBeDefined()
      expectInert(jobSummary(outcome, { ...context, projectId: text }, (same) => same).source, 2)
    },
  )

  it('nothing in the summaries of a dry run and of wrong inputs does', () => {
    expectInert(dryRunSummary({ purpose: 'start a job', prompt: text, projectId: text }).source, 2)
    expectInert(inputsErrorSummary([{ input: 'wait', problem: text, accepted: text }], text).source, 3)
  })
})

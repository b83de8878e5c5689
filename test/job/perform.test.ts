import { describe, expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { addPull, addStatus, BEFORE } from '../support/world.ts'

const PROMPT = { prompt: 'Do it.', context: 'none' }

describe('timeout', () => {
  it.each<[string, Reply, string, number, string]>([
    ['a slow response', { takesMs: 20_000 }, '60s', 60, '40'],
    ['a rate limit', { status: 429, headers: { 'retry-after': '50' } }, '60s', 60, '10'],
    ['a response past it, after which comes no look', { takesMs: 20_000 }, '15s', 20, '0'],
  ])('counts from the first request: %s is a part of it', async (_what, first, timeout, endS, tookS) => {
    const { run } = await startHarness({ replies: { post: [first, 'active'] } })
    const { log, tookMs, outputs } = await run({ inputs: { ...PROMPT, 'follow-up': 'false', timeout } })
    // As it was given.
    expect(log.at(-1)).toContain(`error: Not finished within ${timeout}. `)
    expect(tookMs).toBe(endS * 1000)
    expect(outputs).toMatchObject({ result: 'timed-out', 'duration-seconds': tookS })
  })
})

describe('the job of this step’s open pull request', () => {
  /** A run after one whose job opened pull request 12. */
  async function runOn(pull: object, inputs: Readonly<Record<string, string>> = {}) {
    const { run, world } = await startHarness({ replies: { get: ['active', 'completed'] } })
    addPull(world, { number: 12, ...pull })
    const context = 'Docs agent: docs (docs.yml, docs, agent)'
    const target_url = 'https://github.com/acme/docs/pull/12'
    addStatus(world, BEFORE, { context, state: 'success', description: 'Done (j1)', target_url })
    return await run({ sha: BEFORE, inputs: { ...PROMPT, ...inputs } })
  }

  it('is sent the whole prompt, and asked to resolve conflicts', async () => {
    const { calls, bodies } = await runOn({ mergeable_state: 'dirty' })
    expect(calls.slice(0, 2)).toEqual(['GET /job/j1', 'POST /job/j1/message'])
    const prompt =
      'Do it.\n\nYour pull request conflicts with its base branch. Bring it up to date with the base branch and resolve the conflicts as well; keep what was merged there in the meantime.'
    expect(bodies).toEqual([{ prompt }])
  })

  it('is asked about on GitHub alone in a dry run, which calls the docs service for nothing', async () => {
    const { calls, outputs, summary, log } = await runOn({}, { 'dry-run': 'true' })
    expect([calls, outputs]).toEqual([[], { result: 'dry-run' }])
    expect(summary).toContain('Without `dry-run`, this run would send this message to the job `j1`.')
    expect(log.at(-1)).toMatch(/^notice: The docs service was not called\. Without `dry-run`, this run/)
  })
})

import { expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, person } from '../support/world.ts'
import { GAPS, REPORT, refusal, runVisitors } from './scene.ts'

const ALL_REFUSED = refusal(403, '/v1/analytics')
const like = (pattern: RegExp) => expect.stringMatching(pattern)

it.each([
  { what: 'the visitors', inputs: { ...REPORT, ...GAPS }, faults: [refusal(403, 'visitors')] },
  {
    what: 'totals',
    inputs: REPORT,
    faults: [refusal(200, 'visitors', { body: { totals: {}, visitors: [] } })],
  },
  { what: 'all content gaps', inputs: GAPS, faults: [ALL_REFUSED] },
])('without $what the report is an error', async ({ inputs, faults }) => {
  const { annotations, hasFailed, visitors, summary } = await runVisitors(inputs, { faults })
  expect([annotations, hasFailed, visitors]).toEqual([[like(/^error: .*\d{3}/)], true, null])
  expect(summary).toMatch(/^## ❌ /)
})

it('the same cause is one annotation for the job and the report, however late the job fails', async () => {
  const faults = [refusal(403, 'look', { match: { nth: 3 } }), ALL_REFUSED]
  const inputs = { ...REPORT, ...GAPS, prompt: 'Explain.' }
  const { annotations, summary } = await runVisitors(inputs, {
    faults,
    docs: { jobTimeMs: 60_000 },
  })
  expect(annotations).toEqual([like(/^error: .*"Nope"/)])
  expect(summary.match(/^## ❌ /gm)).toHaveLength(2)
})

it('a canceled report ends at once', async () => {
  const run = await runVisitors(REPORT, { faults: [refusal(500, 'visitors')], cancelAtMs: 1500 })
  expect([run.sent.length, run.visitors, run.hasFailed]).toEqual([2, null, true])
  expect(run.annotations).toEqual([like(/^error: .*canceled before the visitors report/)])
})

/** Runs a report on a repository with pull requests that were merged or closed, or opened, so many days ago. */
async function linesWith(
  pulls: readonly (readonly ['merged' | 'closed' | 'open', number])[],
  user = AGENT,
  canRead = true,
) {
  const { run, world, clock, github } = await startHarness()
  for (const [index, [kind, days]] of pulls.entries()) {
    const at = new Date(clock.now() - days * 86_400_000).toISOString()
    const ended = { state: 'closed', closed_at: at, merged: kind === 'merged', merged_at: at }
    addPull(world, { number: index + 1, user, ...(kind === 'open' ? { created_at: at } : ended) })
  }
  if (!canRead) world.scopes.delete('pull-requests: write')
  const { outputs } = await run({ inputs: REPORT })
  const searches = github.requests.filter((each) => each.includes('graphql')).length
  expect(searches).toBe(canRead ? 1 : searches)
  return outputs['visitors-markdown']?.match(/^(?:Docs pull|⚠️).*$/m)?.[0]
}

it('docs pull requests of the period, and open ones, are counted by one search', async () => {
  const merged = [2, 7, 8, 0].map((days) => ['merged', days] as const)
  const line = await linesWith([...merged, ['closed', 3], ['open', 1], ['open', 9]])
  expect(line).toBe('Docs pull requests in the period: 2 merged, 1 closed; 2 open (oldest: 9 days)')
  const none = 'Docs pull requests in the period: 1 merged, 0 closed; 0 open'
  expect(await linesWith([['merged', 2]])).toBe(none)
  expect(await linesWith([['merged', 2]], person('mona'))).toBeUndefined()
  expect(await linesWith([['merged', 30]])).toBe(none.replace('1', '0'))
  expect(await linesWith([['merged', 2]], AGENT, false)).toMatch(/could not count the docs pull/)
})

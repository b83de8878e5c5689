import { describe, expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, person } from '../support/world.ts'

const REPORT = { 'visitors-summary': 'true' }
const DAY_MS = 86_400_000

/** The line of a report on docs pull requests: some were merged or closed so many days ago, or are open so long. */
async function lineOf(
  pulls: readonly (readonly ['merged' | 'closed' | 'open', number])[],
  { user = AGENT, inputs = {} as Readonly<Record<string, string>>, scopes = true } = {},
) {
  const { run, world, clock, github } = await startHarness()
  for (const [index, [kind, days]] of pulls.entries()) {
    const at = new Date(clock.now() - days * DAY_MS).toISOString()
    const ended = { state: 'closed', closed_at: at, merged: kind === 'merged', merged_at: at }
    const fields = kind === 'open' ? { created_at: at } : ended
    addPull(world, { number: index + 1, user, ...fields })
  }
  if (!scopes) world.scopes.delete('pull-requests: write')
  const { summary, log } = await run({ inputs: { ...REPORT, ...inputs } })
  const requests = github.requests.filter((line) => line.includes('graphql'))
  const line = /^\[Docs pull requests\].*$/m.exec(summary)?.[0]
  const words = line?.replace(/\]\(([^)]*)\)/g, ']').replace(/[[\]]/g, '')
  return { words, line, log: log.join('\n'), requests: requests.length }
}

describe('what was done, in the report', () => {
  it('counts what was merged and closed in the period, and what is open, in one request', async () => {
    const pulls = [
      ['merged', 2],
      ['merged', 6],
      ['merged', 9],
      ['closed', 3],
      ['open', 9],
      ['open', 1],
    ] as const
    const { words, line, requests } = await lineOf(pulls)
    expect(words).toBe(
      'Docs pull requests: 2 merged and 1 closed in the period; 2 open, the oldest for 9 days',
    )
    expect(line).toContain('](https://github.com/acme/docs/pull/5)')
    expect(requests).toBe(1)
  })

  it('says of one that is new that it was opened today', async () => {
    expect((await lineOf([['open', 0]])).words).toBe('Docs pull requests: 1 open, opened today')
  })

  it('counts those of `ignore-authors`, by login or App', async () => {
    const inputs = { 'ignore-authors': 'bender' }
    const pulls = [['merged', 2]] as const
    expect((await lineOf(pulls, { user: person('bender'), inputs })).words).toContain('1 merged')
    expect((await lineOf(pulls, { user: person('mona'), inputs })).words).toBeUndefined()
  })

  it('is nothing where there are none, or where they can not be read, without a warning', async () => {
    expect((await lineOf([])).words).toBeUndefined()
    const refused = await lineOf([['merged', 2]], { scopes: false })
    expect(refused.words).toBeUndefined()
    expect(refused.log).not.toContain('pull-requests')
    const inputs = { 'github-token': '' }
    expect(await lineOf([['merged', 2]], { inputs })).toMatchObject({
      line: undefined,
      requests: 0,
    })
  })
})

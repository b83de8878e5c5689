import { expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, person } from '../support/world.ts'

const DAY_MS = 86_400_000
/** Each was merged or closed so many days ago, or is open so long. */
type Pulls = readonly (readonly ['merged' | 'closed' | 'open', number])[]
const MERGED: Pulls = [['merged', 2]]

/** The line of a report on docs pull requests. */
async function lineOf(
  pulls: Pulls,
  { user = AGENT, inputs = {} as Readonly<Record<string, string>>, mayRead = true } = {},
) {
  const { run, world, clock, github } = await startHarness()
  for (const [index, [kind, days]] of pulls.entries()) {
    const at = new Date(clock.now() - days * DAY_MS).toISOString()
    const ended = { state: 'closed', closed_at: at, merged: kind === 'merged', merged_at: at }
    const fields = kind === 'open' ? { created_at: at } : ended
    addPull(world, { number: index + 1, user, ...fields })
  }
  if (!mayRead) world.scopes.delete('pull-requests: write')
  const { summary, log } = await run({ inputs: { 'visitors-summary': 'true', ...inputs } })
  expect(log.join('\n')).not.toContain('pull-requests')
  const requests = github.requests.filter((line) => line.includes('graphql')).length
  const line = /^\[Docs pull requests\].*$/m.exec(summary)?.[0]
  const words = line?.replace(/\]\(([^)]*)\)/g, ']').replace(/[[\]]/g, '')
  return { words, line, requests }
}

it('docs pull requests merged and closed in the period, and open ones, are counted in one request', async () => {
  const ended: Pulls = [...MERGED, ['merged', 7], ['merged', 8], ['merged', 0], ['closed', 3]]
  const { words, line, requests } = await lineOf([...ended, ['open', 1], ['open', 9]])
  const counts = '2 merged and 1 closed in the period; 2 open, the oldest for 9 days'
  expect([words, requests]).toEqual([`Docs pull requests: ${counts}`, 1])
  expect(line).toContain('](https://github.com/acme/docs/pull/7)')
})

const BENDER = { inputs: { 'ignore-authors': 'bender' } }
const ONE = 'Docs pull requests: 1 merged and 0 closed in the period; 0 open'
it.each([
  ['none', [] as Pulls, {}, undefined],
  ['one of `ignore-authors`', MERGED, { ...BENDER, user: person('bender') }, ONE],
  ['one of somebody else', MERGED, { ...BENDER, user: person('mona') }, undefined],
  ['one that the token cannot see', MERGED, { mayRead: false }, undefined],
  ['one, and no token', MERGED, { inputs: { 'github-token': '' } }, undefined],
])('docs pull requests, of which there is %s, are counted, without a warning', async (...given) => {
  const [, pulls, options, expected] = given
  expect((await lineOf(pulls, options)).words).toBe(expected)
})

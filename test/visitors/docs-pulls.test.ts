import { expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, person } from '../support/world.ts'

const DAY_MS = 86_400_000
/** Pull requests that were merged or closed, or opened, so many days ago. */
type Pulls = readonly { readonly kind: 'merged' | 'closed' | 'open'; readonly days: number }[]
const MERGED: Pulls = [{ kind: 'merged', days: 2 }]
const REPORT = { 'visitors-summary': 'true' }

/** Runs a report on a repository with these pull requests. */
async function reportOn(
  pulls: Pulls,
  { user = AGENT, inputs = REPORT as Readonly<Record<string, string>>, mayRead = true } = {},
) {
  const { run, world, clock, github } = await startHarness()
  for (const [index, { kind, days }] of pulls.entries()) {
    const at = new Date(clock.now() - days * DAY_MS).toISOString()
    const ended = { state: 'closed', closed_at: at, merged: kind === 'merged', merged_at: at }
    addPull(world, {
      number: index + 1,
      user,
      ...(kind === 'open' ? { created_at: at } : ended),
    })
  }
  if (!mayRead) world.scopes.delete('pull-requests: write')
  const { summary, outputs, log } = await run({ inputs })
  const line = /^\[Docs pull requests\].*$/m.exec(summary)?.[0]
  return {
    line,
    words: line?.replace(/\]\([^)]*\)|\[/g, ''),
    requests: github.requests.filter((each) => each.includes('graphql')).length,
    headline: outputs['visitors-headline'],
    markdown: outputs['visitors-markdown'],
    log: log.join('\n'),
  }
}

it('docs pull requests merged and closed in the period, and those that wait, are counted in one request', async () => {
  const { words, line, requests, headline, markdown } = await reportOn([
    ...[2, 7, 8, 0].map((days) => ({ kind: 'merged', days }) as const),
    { kind: 'closed', days: 3 },
    { kind: 'open', days: 1 },
    { kind: 'open', days: 9 },
  ])
  const counts = '2 merged, 1 closed; 2 still open (oldest: 9 days)'
  expect([words, requests]).toEqual([`Docs pull requests in the period: ${counts}`, 1])
  expect(line).toContain('](https://github.com/acme/docs/pull/7)')
  expect(markdown).toContain(line)
  expect(headline).toMatch(/ reads; 2 docs pull requests are waiting, the oldest for 9 days$/)
})

it.each<{ what: string; pulls: Pulls; counts: string; waiting: string }>([
  {
    what: 'none wait',
    pulls: MERGED,
    counts: '1 merged, 0 closed; 0 still open',
    waiting: 'reads',
  },
  {
    what: 'one waits',
    pulls: [{ kind: 'open', days: 1 }],
    counts: '0 merged, 0 closed; 1 still open (oldest: 1 day)',
    waiting: '; 1 docs pull request is waiting, for 1 day',
  },
])('if $what, line and headline have the counts', async ({ pulls, counts, waiting }) => {
  const { words, headline } = await reportOn(pulls)
  expect(words).toBe(`Docs pull requests in the period: ${counts}`)
  expect(headline?.endsWith(waiting)).toBe(true)
})

it.each<{ what: string; pulls?: Pulls; options?: Parameters<typeof reportOn>[1] }>([
  { what: 'there are none', pulls: [] },
  {
    what: 'they are of another bot that `ignore-authors` names',
    options: { user: person('bender'), inputs: { ...REPORT, 'ignore-authors': 'bender' } },
  },
  { what: 'the token may not read them', options: { mayRead: false } },
  { what: 'only the CSV file is requested', options: { inputs: { 'visitors-export': 'true' } } },
])('if $what, docs pull requests are left out', async ({ pulls = MERGED, options = {} }) => {
  const { line, headline, log } = await reportOn(pulls, options)
  expect([line, headline?.includes('docs pull'), log.includes('pull-requests')]).toEqual([
    undefined,
    false,
    false,
  ])
})

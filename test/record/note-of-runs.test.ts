import { describe, expect, it } from 'vitest'
import { bareEvent, issueComment, pullRequest, pushOf, pushTo } from '../support/events.ts'
import type { RunEnd, RunOptions } from '../support/harness.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import {
  ACTIONS,
  AGENT,
  addComment,
  addPull,
  mergePull,
  person,
  pushToPull,
} from '../support/world.ts'

const octocat = person('octocat')
const usual = { context: 'diff', wait: 'true' }

/** What the newest note says. */
function noteOf({ world }: Simulation): string {
  const ours = world.comments.filter(({ author }) => author === ACTIONS)
  const bodies = ours.map(({ history }) => history.at(-1) ?? '')
  return bodies.findLast((body) => body.includes('The code changes that these docs are for')) ?? ''
}

const linesOf = (body: string): string[] => body.split('\n').filter((line) => line.startsWith('- '))

/** octocat's command on a pull request. */
function command({ world }: Simulation, number: number, body: string): RunOptions {
  const { id } = addComment(world, { kind: 'main', number, author: octocat, body })
  return {
    event: issueComment({ id, body, author: octocat, number }),
    inputs: { ...usual, prompt: '' },
  }
}

async function startRuns(docsIn = 'acme/docs') {
  const simulation = await startSimulation(docsIn)
  simulation.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  return simulation
}

describe('a run that starts or continues the docs pull request notes there', () => {
  it.each(['diff', 'none'])(
    'the merged pull requests that its commits came in, else the commits, with `context: %s`',
    async (context) => {
      const simulation = await startRuns()
      const { world, run } = simulation
      const inputs = { ...usual, context }
      await run({ event: pushTo(world, { message: 'Fix the flag' }), inputs })
      const before = world.branches.get('main') ?? ''
      const pull = addPull(world, { number: 41, title: 'Add a flag', files: ['src/cli.ts'] })
      mergePull(world, pull, { how: 'squash' })
      await run({ event: pushOf(world, before), inputs })
      const [first, second] = linesOf(noteOf(simulation)).toReversed()
      expect(first).toMatch(
        /\[Fix the flag\]\(https:\/\/github\.com\/acme\/docs\/commit\/.* by \*\*octocat\*\*$/,
      )
      expect(second).toMatch(
        /: https:\/\/github\.com\/acme\/docs\/pull\/41 Add a flag by \*\*octocat\*\*$/,
      )
    },
  )

  it('whoever continues it: a command there finds its job by the note', async () => {
    const simulation = await startRuns()
    const { world, run, docs } = simulation
    await run({ event: pushTo(world), inputs: usual })
    const [number = 0] = await simulation.openPulls()
    await run({ ...command(simulation, number, '/docs shorter'), env: { GITHUB_ACTION: 'other' } })
    expect(docs.jobs).toMatchObject([{ messages: ['shorter'] }])
    const [line] = linesOf(noteOf(simulation))
    expect(line).toContain(`[a command](https://github.com/acme/docs/pull/${number}#issuecomment-`)
    expect(noteOf(simulation)).toContain('comment `/docs …` here')
  })

  it('nothing where the token can not comment there, and warns of nothing', async () => {
    const simulation = await startRuns('acme/guides')
    const { world, run } = simulation
    world.commentsElsewhere = false
    const { warnings, hasFailed } = await run({ event: pushTo(world), inputs: usual })
    expect([noteOf(simulation), warnings, hasFailed]).toEqual(['', [], false])
    world.commentsElsewhere = true
    await run({ event: pushTo(world, { message: 'Rename it' }), inputs: usual })
    expect(linesOf(noteOf(simulation))).toEqual([
      expect.stringContaining('Rename it'),
      expect.stringMatching(/: an earlier job$/),
    ])
  })
})

it('after a month of all triggers, one note names each of the newest changes once, and mentions nobody', async () => {
  const simulation = await startRuns()
  const { world, run, clock, docs } = simulation
  const named: string[] = []
  const ends: RunEnd[] = []
  const take = async (options: RunOptions) =>
    ends.push(await run({ ...options, inputs: { ...usual, ...options.inputs } }))
  const kinds = [
    ...Array.from({ length: 40 }, () => 'push'),
    ...Array.from({ length: 12 }, () => 'merge'),
    ...Array.from({ length: 6 }, () => 'command'),
    ...Array.from({ length: 3 }, () => 'schedule'),
  ]
  // In an order that mixes them, and is the same each time.
  const month = kinds
    .map((kind, index) => ({ kind, at: (index * 37) % 61 }))
    .toSorted((a, b) => a.at - b.at)
  for (const [index, { kind }] of month.entries()) {
    await clock.sleep(12 * 3_600_000)
    if (index === 30) {
      const [number = 0] = await simulation.openPulls()
      const pull = world.pulls.get(number)
      if (pull !== undefined) pushToPull(world, pull, { author: person('hubot', 7002) })
    }
    const number = 100 + index
    if (kind === 'push') {
      named.push(`Push ${number}`)
      await take({ event: pushTo(world, { message: `Push ${number}\n\nfor @acme/docs-team` }) })
    } else if (kind === 'merge') {
      named.push(`pull/${number} `)
      const pull = addPull(world, { number, title: `Merge @octocat #${number}` })
      mergePull(world, pull, { how: 'squash' })
      await take({
        event: pullRequest({ action: 'closed', number, pull: { ...pull.fields, number } }),
      })
    } else if (kind === 'command') {
      const [docsPull = 0] = await simulation.openPulls()
      await take(command(simulation, docsPull, `/docs request ${number}`))
      named.push(`issuecomment-${world.comments.findLast((one) => one.author === octocat)?.id})`)
    } else await take({ event: bareEvent('schedule') })
  }
  expect([docs.jobs.length, docs.jobs[0]?.messages.length]).toEqual([1, 60])
  const notes = world.comments.filter(({ history }) =>
    history[0]?.includes('The code changes that these docs are for'),
  )
  expect(notes).toHaveLength(1)
  const lines = linesOf(noteOf(simulation))
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toBe('- and 41 earlier')
  // Each of the newest changes stands there once.
  const told = named.filter((name) => lines.some((line) => line.includes(name)))
  expect(told.length).toBeGreaterThanOrEqual(17)
  expect(told).toEqual(named.slice(-told.length))
  for (const name of told) expect(lines.filter((line) => line.includes(name))).toHaveLength(1)
  expect(noteOf(simulation)).not.toMatch(/@(?!\u200b)/)
  for (const { requests } of ends.slice(1)) {
    const ofNote = requests.filter((line) => /comments/.test(line) && !/reactions/.test(line))
    expect(ofNote.length).toBeLessThanOrEqual(8)
  }
  // The person's commit is named from then on.
  expect(docs.jobs[0]?.messages.at(-1)).toContain('commits by hubot. Keep their changes.')
})

describe('commits of people on the docs pull request', () => {
  const bySomeone = { author: undefined, email: 'x@example.com' }
  it.each<[string, readonly Parameters<typeof pushToPull>[2][], string]>([
    ['one with an account', [{ author: octocat }], 'octocat'],
    [
      'two of them, each once',
      [{ author: octocat }, { author: person('hubot', 7002) }, { author: octocat }],
      'octocat and hubot',
    ],
    ['one without an account', [bySomeone], 'someone'],
    ['both', [{ author: octocat }, bySomeone], 'octocat and someone'],
    ['a co-author of the agent', [{ author: AGENT, coAuthors: [{ author: octocat }] }], 'octocat'],
    ['the agent', [{ author: AGENT }], ''],
    ['the service by its e-mail', [{ author: undefined, email: 'agent@mintlify.com' }], ''],
    ['a bot', [{ author: { login: 'renovate[bot]', id: 9, type: 'Bot' } }], ''],
    ['one of `ignore-authors`', [{ author: person('Docs-Robot', 7003) }], ''],
    ['a merge', [{ author: octocat, parents: ['a'.repeat(40), 'b'.repeat(40)] }], ''],
  ])('are asked to be kept, and told in the summary: %s', async (_what, commits, people) => {
    const { world, run, docs, openPulls } = await startRuns()
    const inputs = { ...usual, 'ignore-authors': 'docs-robot' }
    await run({ event: pushTo(world), inputs })
    const [number = 0] = await openPulls()
    const pull = world.pulls.get(number)
    if (pull === undefined) throw new Error('There is no docs pull request.')
    for (const commit of commits) pushToPull(world, pull, { author: AGENT, ...commit })
    const { summary } = await run({ event: pushTo(world), inputs })
    const words =
      docs.jobs[0]?.messages[0]?.match(/commits by (.*)\. Keep their changes\./)?.[1] ?? ''
    const told =
      summary.match(/It has commits by (.*); the agent was asked to keep them\./)?.[1] ?? ''
    expect([words, told]).toEqual([people, people])
  })
})

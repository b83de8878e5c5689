import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bareEvent, commentIn, type Event, pullRequest, pushTo } from '../support/events.ts'
import { FAULTS, type FaultName, type GitHubFault } from '../support/github.ts'
import type { RunEnd } from '../support/harness.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import { ACTIONS, addPull, MAY_WRITE, person, type World } from '../support/world.ts'

const PULL = 5
const octocat = person('octocat')

/** What happens so that a run starts. */
const EVENTS: Readonly<Record<string, (world: World) => Event>> = {
  push: (world) => pushTo(world, { files: ['src/cli.ts'] }),
  schedule: () => bareEvent('schedule'),
  'a new pull request': ({ pulls }) =>
    pullRequest({ sender: octocat, pull: { ...pulls.get(PULL)?.fields, number: PULL } }),
  'a command': (world) =>
    commentIn(world, { number: PULL, author: octocat, body: '/docs explain it' }),
}

/** Fields of queries that may fail alone. */
const FIELDS = [
  'status',
  'history',
  'associatedPullRequests',
  'repository',
  'pullRequest',
  'object',
]
const NAMES = Object.keys(FAULTS).filter((name): name is FaultName => name in FAULTS)

/** A place among the requests to GitHub, and how GitHub fails there. */
const fault = fc.record({
  match: fc.constantFrom(/graphql/, /^GET /, /^(?:POST|PATCH) /, /./),
  after: fc.nat(8),
  times: fc.constantFrom(undefined, 1, 4),
  end: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 1, arbitrary: fc.constantFrom(...FIELDS).map((broken) => ({ broken })) },
  ),
})

type Drawn = typeof fault extends fc.Arbitrary<infer Value> ? Value : never

function toFault({ match, times, ...place }: Drawn): GitHubFault {
  const isOfQuery = typeof place.end === 'object' || place.end === 'data-null'
  return { ...place, match: isOfQuery ? /graphql/ : match, ...(times && { times }) }
}

const ODD_WORDS = /undefined|TypeError|NaN|\[object|\bnull\b|not a function|unexpectedly/

/** One cause has one annotation, the result is the truth, and no secret is shown. */
function expectTruth({ github, docs, world }: Simulation, end: RunEnd): void {
  const annotations = [...end.log, ...end.post.log].filter((line) =>
    /^(?:error|warning|notice): /.test(line),
  )
  const errors = annotations.filter((line) => line.startsWith('error: '))
  const ofGitHub = annotations.filter((line) => line.startsWith('notice: The run continued'))
  expect([errors.length <= 1, ofGitHub.length <= 1], annotations.join('\n')).toEqual([true, true])
  expect(annotations.join('\n')).not.toMatch(ODD_WORDS)
  const isError = end.outputs['result'] === 'error'
  expect([end.hasFailed, end.post.hasFailed]).toEqual([isError, false])
  if (isError) {
    expect(end.calls.filter((call) => call.startsWith('POST'))).toEqual([])
    expect(errors[0]).toMatch(/Nothing was started|This attempt started nothing/)
  }
  // No job starts without a record.
  if (end.calls.some((call) => call.startsWith('POST')))
    expect(world.statuses.some(({ target_url: url }) => url?.includes('run=2000'))).toBe(true)
  const bodies = world.comments.flatMap(({ author, history }) =>
    author === ACTIONS ? history : [],
  )
  const printed = [end.printed, end.post.printed].join('\n').replace(/^::add-mask::.*$/gm, '')
  for (const text of [printed, end.summary, ...bodies])
    expect(text.includes(github.token) || text.includes(docs.key)).toBe(false)
}

it('wherever and however GitHub fails, a run starts one job or says that it started none', async () => {
  const kinds = fc.constantFrom(...Object.keys(EVENTS))
  const property = fc.asyncProperty(kinds, fault, async (kind, drawn) => {
    const simulation = await startSimulation('acme/docs')
    const { world, github, docs, run } = simulation
    world.roles.set('octocat', MAY_WRITE)
    addPull(world, { number: PULL, head: { ref: 'flag' }, files: ['src/old.ts'] })
    const inputs = { context: 'diff', prompt: kind === 'a command' ? '' : 'Document it.' }
    const event = EVENTS[kind]?.(world)
    const again = { ...(event && { event }), inputs, runId: 2000 }
    github.faults.push(toFault(drawn))
    expectTruth(simulation, await run(again))
    github.faults.splice(0)
    const end = await run({ ...again, attempt: 2 })
    expectTruth(simulation, end)
    expect(end.outputs['result']).toMatch(/^(?:pull-request|error)$/)
    const sent = docs.jobs.flatMap(({ prompt, messages }) => [prompt, ...messages])
    expect(sent).toHaveLength(1)
    await simulation.close()
  })
  await fc.assert(property, { numRuns: 40, seed: 2026 })
}, 600_000)

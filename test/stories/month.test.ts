import { expect, it } from 'vitest'
import { followAgent } from '../support/builds.ts'
import { commentIn, docsReview, type Event, event, pushOf, pushTo } from '../support/events.ts'
import { resolve } from '../support/history.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import { addPull, addReview, mergePull, ownComments, person } from '../support/world.ts'

const HOUR_MS = 3_600_000
const PEOPLE = ['ada', 'bob', 'cleo', 'dan'].map((login, index) => person(login, 7001 + index))
const PUSHERS = PEOPLE.slice(1)
/** Days on which that happens after the push of the day. From day 11 to 25, nobody looks at the docs pull request. */
const DAYS = {
  merge: [2, 4, 6, 8, 12, 14, 16, 28],
  command: [3, 5, 7, 9, 26, 27, 29],
  approval: [9],
  'lock files': [1, 4, 13, 28],
  'merge without docs': [7, 17, 29],
  'major tag': [3, 16],
  'docs merged': [10, 30],
} as const
const INPUTS = { prompt: 'Document it.', context: 'diff', 'pause-after': '7d' }
const REVIEWERS = { 'pr-reviewers': 'ada, source-authors', 'pr-labels': 'docs' }

type Row = {
  readonly day: number
  readonly what: string
  readonly result: string
  readonly pull: string
  /** Whom the run asked for reviews. */
  readonly asked: readonly string[]
}

/** Everyone who was asked for a review, by pull request, in the order in which they were asked. */
function askedIn({ world }: Simulation): string[] {
  return [...world.pulls.values()].flatMap(({ reviewRequests }) => reviewRequests)
}

it('a month without and with reviewers pays for each change once and only if needed, loses none, and asks for reviews once', async () => {
  const simulation = await startSimulation('acme/docs')
  const { world, clock, docs, run } = simulation
  for (const { login, id } of PEOPLE)
    world.roles.set(login, { permission: 'write', role_name: 'write', id })
  const rows: Row[] = []
  const subjects: string[] = []

  async function step(day: number, what: string, on: Event): Promise<void> {
    const isPush = on.name === 'push'
    const file = isPush ? 'docs-on-push.yml' : 'docs-command.yml'
    const env = { GITHUB_WORKFLOW_REF: `acme/docs/.github/workflows/${file}@refs/heads/main` }
    const inputs = { ...REVIEWERS, ...(isPush ? INPUTS : { prompt: '' }) }
    const { outputs, warnings, hasFailed } = await run({ event: on, inputs, env })
    expect([warnings, hasFailed]).toEqual([[], false])
    const { result = '', 'pr-number': pull = '' } = outputs
    const asked = askedIn(simulation).slice(rows.flatMap((row) => row.asked).length)
    rows.push({ day, what, result, pull, asked })
    await clock.sleep(HOUR_MS)
  }

  /** What people do on a day besides pushing. */
  async function happen(what: keyof typeof DAYS, day: number, author: (typeof PEOPLE)[number]) {
    const before = resolve(world, 'main')?.sha ?? ''
    const docsPull = (await simulation.openPulls())[0]?.number ?? 0
    if (what === 'merge') {
      const title = `Merge of day ${day}`
      subjects.push(title)
      const pull = addPull(world, { number: 500 + day, title, user: author, files: ['src/m.ts'] })
      mergePull(world, pull)
      return pushOf(world, before)
    }
    if (what === 'merge without docs') {
      const labels = [{ name: 'no-docs' }]
      mergePull(world, addPull(world, { number: 600 + day, user: author, labels, files: ['m.ts'] }))
      return pushOf(world, before)
    }
    if (what === 'lock files') return pushTo(world, { author, files: ['package-lock.json'] })
    if (what === 'major tag') {
      world.tags.set('v1', before)
      return event('push', { ref: 'refs/tags/v1', after: before, commits: [], deleted: false })
    }
    if (what === 'command') {
      const body = `/docs explain day ${day}`
      return commentIn(world, { number: docsPull, author, association: 'MEMBER', body })
    }
    const [ada = author] = PEOPLE
    if (what === 'approval')
      return docsReview(addReview(world, { number: docsPull, author: ada, state: 'APPROVED' }))
    await simulation.mergePulls()
    followAgent(world)
    return pushOf(world, before)
  }

  for (let day = 1; day <= 30; day++) {
    const author = PUSHERS[day % PUSHERS.length] ?? person('bob')
    const message = `Push of day ${day}`
    subjects.push(message)
    await step(day, 'push', pushTo(world, { author, message, files: [`src/f${day}.ts`] }))
    for (const what of Object.keys(DAYS) as (keyof typeof DAYS)[])
      if (DAYS[what].some((one) => one === day))
        await step(day, what, await happen(what, day, author))
    await clock.sleep(18 * HOUR_MS)
  }
  // No change is missing from the context in the end.
  const sent = docs.jobs.flatMap(({ prompt, messages }) => [prompt, ...messages]).join('\n')
  expect(subjects.filter((subject) => !new RegExp(`${subject}\\b`).test(sent))).toEqual([])
  expect(docs.jobs.map(({ messages }) => messages.length)).toEqual([16, 14, 0])
  const paused = rows.filter(({ what, result }) => what === 'push' && result === 'skipped')
  const late = Array.from({ length: 12 }, (_, index) => 19 + index)
  expect(paused.map(({ day }) => day)).toEqual([10, ...late])
  const free = ['approval', 'lock files', 'merge without docs', 'major tag']
  for (const { what, result } of rows) if (free.includes(what)) expect(result, what).toBe('skipped')
  const ofPull = (number: number) =>
    rows.filter(({ pull }) => pull === `${number}`).flatMap(({ asked }) => asked)
  for (const number of [1, 2, 3]) {
    expect(ofPull(number)).toContain('ada')
    expect(ofPull(number)).toEqual([...new Set(ofPull(number))])
  }
  // Each docs pull request has one source comment, and each command one reply.
  const written = ownComments(world)
  expect(written.filter(([first]) => first?.startsWith('💬'))).toHaveLength(3)
  expect(written).toHaveLength(3 + DAYS.command.length)
}, 120_000)

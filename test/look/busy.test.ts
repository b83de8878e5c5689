import { expect, it } from 'vitest'
import { bareEvent, event, pullRequest, pushOf, workflowRun } from '../support/events.ts'
import type { RunEnd, RunOptions } from '../support/harness.ts'
import { commitsBetween, resolve } from '../support/history.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import {
  addCommit,
  addPull,
  addStatus,
  bot,
  mergePull,
  pushToPull,
  time,
} from '../support/world.ts'

const DAY_MS = 86_400_000
const TRIGGERS = ['push', 'schedule', 'workflow_dispatch', 'workflow_run', 'release'] as const
const repository = { full_name: 'acme/docs', default_branch: 'main' }

/** How many commits a day brings to `main`: on one day, almost as many as a search goes back. */
const commitsOn = (day: number): number => ({ 10: 150, 20: 480 })[day] ?? 1 + (day % 4)

/** What happens in the repository on a day before the step runs. */
function work({ world }: Simulation, day: number): void {
  for (let count = commitsOn(day); count > 0; count--) addCommit(world)
  const { sha } = resolve(world, 'main') ?? addCommit(world)
  for (let count = 0; count < 120; count++) addStatus(world, sha, { context: `check ${count}` })
}

/** A run of the step for one of its triggers on `main`. */
function triggered(
  { world, clock }: Simulation,
  kind: (typeof TRIGGERS)[number],
  before: string,
): RunOptions {
  const sha = resolve(world, 'main')?.sha ?? ''
  switch (kind) {
    case 'push':
      return { event: pushOf(world, before) }
    case 'workflow_run':
      return { event: workflowRun({ head_sha: sha }), sha }
    case 'release': {
      const tag_name = `v${world.tags.size}.0.0`
      world.tags.set(tag_name, sha)
      for (let count = 0; count < 320; count++) world.tags.set(`pkg-${count}@1.0.${count}`, sha)
      const release = { tag_name, published_at: time(clock.now()), body: 'Notes' }
      return { event: event(kind, { action: 'published', release }), sha }
    }
    default:
      return { event: { ...bareEvent(kind), payload: { repository } }, sha }
  }
}

/** The commits of `main` that a run told the agent of: by the comparisons that it asked for. */
function comparedIn({ world }: Simulation, { requests }: RunEnd): string[] {
  const whole = (short = ''): string =>
    [...world.commits.keys()].find((sha) => sha.startsWith(short)) ??
    resolve(world, short)?.sha ??
    ''
  return requests.flatMap((line) => {
    const [, base, head] = /^GET \/compare\/(.+)\.\.\.(.+)$/.exec(line) ?? []
    return base === undefined
      ? []
      : commitsBetween(world, whole(base), whole(head)).map(({ sha }) => sha)
  })
}

it('a month of all triggers in a busy repository opens one docs pull request per step and branch, and tells of each commit', async () => {
  const simulation = await startSimulation('acme/docs')
  const { world, clock, docs, run } = simulation
  const inputs = {
    prompt: 'Document it.',
    context: 'none',
    comment: 'never',
    'poll-interval': '20s',
  }
  const labels = Array.from({ length: 40 }, (_, index) => ({ name: `area-${index}` }))
  const pull = addPull(world, { number: 900, head: { ref: 'flag' }, labels })
  const start = resolve(world, 'main')?.sha ?? ''
  world.tags.set('v0.9.0', start)
  const compared = new Set<string>()
  for (let day = 1; day <= 31; day++) {
    const before = resolve(world, 'main')?.sha ?? ''
    work(simulation, day)
    const kind = TRIGGERS[day % TRIGGERS.length] ?? 'push'
    const end = await run({
      inputs: { ...inputs, context: 'files' },
      ...triggered(simulation, kind, before),
    })
    expect([day, kind, end.outputs['result']]).toEqual([day, kind, 'pull-request'])
    for (const sha of comparedIn(simulation, end)) compared.add(sha)

    if (day % 5 === 0) {
      // A pull request that is rebased again and again, and one that a merge queue merges, with a step for each.
      pushToPull(world, pull, { force: true })
      const changed = pullRequest({ action: 'synchronize', pull: { ...pull.fields, number: 900 } })
      await run({ inputs, event: changed, env: { GITHUB_JOB: 'on-pull' } })
      const queued = addPull(world, { number: 900 + day, labels })
      mergePull(world, queued)
      const fields = { ...queued.fields, number: queued.number }
      const merged = pullRequest({
        action: 'closed',
        pull: fields,
        sender: bot('github-merge-queue[bot]'),
      })
      await run({ inputs, event: merged, env: { GITHUB_JOB: 'on-merge' } })
      const group = await run({ inputs, event: event('merge_group') })
      expect(group.outputs['result']).toBe('skipped')
      // A release branch.
      const { sha } = addCommit(world, { branch: 'release/1.x' })
      const env = { GITHUB_REF: 'refs/heads/release/1.x' }
      const dispatched = { ...bareEvent('workflow_dispatch'), payload: { repository } }
      await run({ inputs, event: dispatched, sha, env })
    }
    await clock.sleep(DAY_MS)
  }
  expect(docs.jobs).toHaveLength(4)
  expect(await simulation.openPulls()).toHaveLength(4)
  const missing = commitsBetween(world, start, resolve(world, 'main')?.sha ?? '').filter(
    ({ sha }) => !compared.has(sha),
  )
  expect(missing.map(({ message }) => message)).toEqual([])
}, 90_000)

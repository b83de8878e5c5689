import { describe, expect } from 'vitest'
import { docsPull } from '../act/docs-pull-scene.ts'
import {
  CREATE,
  continues,
  firstCalls,
  itWithScene,
  octocat,
  PULL,
  type Scene,
} from '../look/runs.ts'
import { bareEvent, type Event, pushTo } from '../support/events.ts'
import { AGENT, addComment, addReview, bot, endPull, pushToPull } from '../support/world.ts'

const it = itWithScene()
const DAY_MS = 86_400_000
const schedule = bareEvent('schedule')

/** A run of the step with `pause-after: 14d`. */
async function step(scene: Scene, event: Event, inputs: Readonly<Record<string, string>> = {}) {
  const usual = { prompt: 'Document it.', 'pause-after': '14d', context: 'files' }
  return await scene.tell(event, { end: 'pull-request', inputs: { ...usual, ...inputs } })
}

/** A scene whose docs pull request was opened just now, and is open for as many days at the end. */
async function wait(scene: Scene, days: number, happen?: Case['happens']): Promise<void> {
  const pull = docsPull(scene)
  pull.fields = { ...pull.fields, created_at: new Date(scene.clock.now()).toISOString() }
  await step(scene, schedule)
  await scene.clock.sleep(10 * DAY_MS)
  happen?.(scene)
  await scene.clock.sleep((days - 10) * DAY_MS)
}

type Case = { readonly name: string; readonly happens: (scene: Scene) => unknown }
const comment = (author = octocat) => ({ kind: 'main', number: 1, author, body: 'Hm.' }) as const

const BY_NOBODY: readonly Case[] = [
  { name: 'nothing happened', happens: () => undefined },
  { name: 'a bot commented', happens: ({ world }) => addComment(world, comment(bot('ci[bot]'))) },
  {
    name: 'the agent committed',
    happens: (scene) => pushToPull(scene.world, docsPull(scene), { author: AGENT }),
  },
]
const BY_PERSON: readonly Case[] = [
  { name: 'commented on', happens: ({ world }) => addComment(world, comment()) },
  {
    name: 'commented on after 120 comments of bots',
    happens({ world }) {
      for (let count = 0; count < 120; count++) addComment(world, comment(bot('ci[bot]')))
      addComment(world, comment())
    },
  },
  {
    name: 'reviewed',
    happens: ({ world }) => addReview(world, { number: 1, author: octocat, state: 'COMMENTED' }),
  },
  {
    name: 'committed to',
    happens: (scene) => pushToPull(scene.world, docsPull(scene), { author: octocat }),
  },
]

describe('`pause-after`', () => {
  it.for(BY_NOBODY)('skips a run after 15 days in which $name', async ({ happens }, { scene }) => {
    await wait(scene, 15, happens)
    const before = scene.statuses().length
    const end = await step(scene, pushTo(scene.world), { 'visitors-summary': 'true' })
    expect(end.outputs).toMatchObject({ result: 'skipped', 'pr-link': PULL, 'pr-number': '1' })
    expect(end.calls.filter((call) => call.startsWith('POST'))).toEqual([])
    expect(end.calls).toContain('GET /visitors')
    expect(scene.statuses()).toHaveLength(before)
    expect(end.summary).toMatch(/^## ⏭️ Skipped: .*15 days/)
  })

  it.for(BY_PERSON)(
    'lets a run update a pull request that a person $name',
    async ({ happens }, { scene }) => {
      await wait(scene, 15, happens)
      expect(firstCalls(await step(scene, schedule))).toEqual(continues('job_1'))
    },
  )

  it('loses no change: the run after a pause compares with the last job that was sent', async ({
    scene,
  }) => {
    await wait(scene, 15)
    const paused = pushTo(scene.world, { message: 'Add --paused' })
    expect((await step(scene, paused)).outputs['result']).toBe('skipped')
    const pull = docsPull(scene)
    endPull(scene.world, pull, pull.fields.head?.sha)
    const end = await step(scene, pushTo(scene.world, { message: 'Add --next' }))
    expect(firstCalls(end)).toEqual(['GET /job/job_1', ...CREATE])
    expect(JSON.stringify(end.bodies)).toContain('Add --paused')
  })
})

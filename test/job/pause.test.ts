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
import { bareEvent, docsReview, type Event, pushTo } from '../support/events.ts'
import { AGENT, addComment, addReview, bot, endPull, person, pushToPull } from '../support/world.ts'

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
const comment = (author = octocat, association = 'NONE') =>
  ({ kind: 'main', number: 1, author, association, body: 'Hm.' }) as const
const stranger = person('stranger', 7002)

const BY_NOBODY: readonly Case[] = [
  { name: 'nothing happened', happens: () => undefined },
  {
    name: 'a bot commented',
    happens: ({ world }) => addComment(world, comment(bot('ci[bot]'), 'COLLABORATOR')),
  },
  { name: 'a stranger commented', happens: ({ world }) => addComment(world, comment(stranger)) },
  {
    name: 'a stranger approved',
    happens: ({ world }) => addReview(world, { number: 1, author: stranger, state: 'APPROVED' }),
  },
  {
    name: 'the agent committed',
    happens: (scene) => pushToPull(scene.world, docsPull(scene), { author: AGENT }),
  },
  {
    name: 'a person dated a commit in 2099',
    happens: (scene) =>
      pushToPull(scene.world, docsPull(scene), { author: octocat, atMs: Date.UTC(2099, 0) }),
  },
]
const BY_PERSON: readonly Case[] = [
  { name: 'commented on', happens: ({ world }) => addComment(world, comment(octocat, 'MEMBER')) },
  {
    name: 'commented on after 120 comments of bots',
    happens({ world }) {
      for (let count = 0; count < 120; count++) addComment(world, comment(bot('ci[bot]')))
      addComment(world, comment(octocat, 'OWNER'))
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

const approve: Case['happens'] = ({ world }) =>
  addReview(world, { number: 1, author: octocat, state: 'APPROVED' })
const APPROVED: readonly Case[] = [
  { name: 'approved', happens: approve },
  {
    name: 'approved after changes were requested',
    happens(scene) {
      addReview(scene.world, { number: 1, author: octocat })
      approve(scene)
    },
  },
  {
    name: 'approved, and then commented on by its reviewer',
    happens(scene) {
      approve(scene)
      addReview(scene.world, { number: 1, author: octocat, state: 'COMMENTED' })
    },
  },
  {
    name: 'set to be merged automatically',
    happens(scene) {
      const pull = docsPull(scene)
      pull.fields = { ...pull.fields, auto_merge: { merge_method: 'squash' } }
    },
  },
]
const OPEN: readonly Case[] = [
  {
    name: 'approved by a stranger',
    happens: ({ world }) => addReview(world, { number: 1, author: stranger, state: 'APPROVED' }),
  },
  {
    name: 'approved by one person while another one requests changes',
    happens(scene) {
      const mona = person('mona', 7003)
      scene.world.roles.set('mona', { permission: 'admin', role_name: 'admin', id: 7003 })
      addReview(scene.world, { number: 1, author: mona })
      approve(scene)
    },
  },
  {
    name: 'no longer approved, because the approval was dismissed',
    happens: ({ world }) => addReview(world, { number: 1, author: octocat, state: 'DISMISSED' }),
  },
]

describe('an approved docs pull request', () => {
  const inputs = { 'pause-after': '', 'visitors-summary': 'true' }

  /** The step has had a job for a day, and then that happens. */
  async function approvedScene(scene: Scene, happens: Case['happens']): Promise<void> {
    await step(scene, schedule, inputs)
    await scene.clock.sleep(DAY_MS)
    happens(scene)
  }

  it.for(APPROVED)('that is $name makes a push wait', async ({ happens }, { scene }) => {
    await approvedScene(scene, happens)
    const before = scene.statuses().length
    const end = await step(scene, pushTo(scene.world), inputs)
    expect(end.outputs).toMatchObject({ result: 'skipped', 'pr-link': PULL, 'pr-number': '1' })
    expect(end.calls.filter((call) => call.startsWith('POST'))).toEqual([])
    expect(end.calls).toContain('GET /visitors')
    expect(end.summary).toContain(`## ⏭️ Skipped: [acme/docs#\u200b1](${PULL}) is approved`)
    expect(scene.statuses()).toHaveLength(before)
  })

  it.for(OPEN)('is updated by a push if it is $name', async ({ happens }, { scene }) => {
    await approvedScene(scene, happens)
    const { calls } = await step(scene, pushTo(scene.world), inputs)
    expect(calls).toContain('POST /job/job_1/message')
  })

  it('is updated by a review that requests changes', async ({ scene }) => {
    await approvedScene(scene, approve)
    const made = addReview(scene.world, { number: 1, author: octocat, body: 'Shorter.' })
    const { calls } = await step(scene, docsReview(made), inputs)
    expect(calls).toContain('POST /job/job_1/message')
  })
})

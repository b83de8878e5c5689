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
import { bareEvent, docsReview, type Event, event, pushTo } from '../support/events.ts'
import {
  AGENT,
  addComment,
  addCommit,
  addPull,
  addReview,
  bot,
  endPull,
  mergePull,
  person,
  pushToPull,
  resolve,
} from '../support/world.ts'

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

/** Events on which a run waits while the docs pull request is approved, and those on which it doesn't. */
const WAITING: Readonly<Record<string, (scene: Scene) => Event>> = {
  push: ({ world }) => pushTo(world),
  schedule: () => schedule,
  workflow_run: ({ world }) => {
    const followed = {
      ...{ event: 'push', head_branch: 'main', head_sha: addCommit(world).sha },
      ...{ conclusion: 'success', head_repository: { full_name: 'acme/docs' } },
    }
    return event('workflow_run', { action: 'completed', workflow_run: followed, sender: octocat })
  },
}
function versionOf({ world }: Scene): string {
  const { sha } = addCommit(world)
  world.tags.set('v1.2.0', sha)
  return sha
}
const UPDATING: Readonly<Record<string, (scene: Scene) => Event>> = {
  workflow_dispatch: () => bareEvent('workflow_dispatch'),
  repository_dispatch: () => bareEvent('repository_dispatch'),
  'push of a tag': (scene) => {
    const after = versionOf(scene)
    return event('push', { ref: 'refs/tags/v1.2.0', before: '0'.repeat(40), after, deleted: false })
  },
  release: (scene) => {
    versionOf(scene)
    const release = { tag_name: 'v1.2.0', draft: false, prerelease: false }
    return event('release', { action: 'published', release })
  },
  'merged pull request': ({ world }) => {
    const pull = addPull(world, { number: 9, user: octocat, files: ['src/a.ts'] })
    mergePull(world, pull)
    const pull_request = { ...pull.fields, number: 9, changed_files: 1 }
    return event('pull_request', { action: 'closed', pull_request, sender: octocat })
  },
  command: (scene) => scene.comment('/docs shorter', { number: 1 }),
  'review that requests changes': ({ world }) =>
    docsReview(addReview(world, { number: 1, author: octocat, body: 'Shorter.' })),
}
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
  /** A run of the step without `pause-after`, a day after its first one. */
  async function runOn(scene: Scene, happens: Case['happens'], make: (scene: Scene) => Event) {
    await step(scene, schedule, { 'pause-after': '' })
    await scene.clock.sleep(DAY_MS)
    happens(scene)
    const inputs = { 'pause-after': '', 'visitors-summary': 'true' }
    const made = make(scene)
    const sha = resolve(scene.world, 'main')?.sha ?? ''
    const end = await scene.tell(made, {
      end: 'pull-request',
      env: { GITHUB_SHA: made.payload.after ?? sha },
      inputs: { prompt: made.name.endsWith('comment') ? '' : 'Document it.', ...inputs },
    })
    return { ...end, sent: end.calls.filter((call) => call.startsWith('POST')) }
  }

  it.for([
    ...Object.keys(WAITING).map((name) => ({ name, how: APPROVED[0] })),
    ...APPROVED.map((how) => ({ name: 'push', how })),
  ])('that is $how.name makes a $name wait', async ({ name, how }, { scene }) => {
    const [make, happens] = [WAITING[name], how?.happens]
    if (!make || !happens) throw new Error(name)
    const before = scene.statuses().length
    const end = await runOn(scene, happens, make)
    expect(end.outputs).toMatchObject({ result: 'skipped', 'pr-link': PULL, 'pr-number': '1' })
    expect(end.sent).toEqual([])
    expect(end.calls).toContain('GET /visitors')
    expect(end.summary).toContain(`## ⏭️ Skipped: [acme/docs#\u200b1](${PULL}) is approved`)
    // The first run has left three.
    expect(scene.statuses()).toHaveLength(before + 3)
  })

  it.for(OPEN)('is updated by a push if it is $name', async ({ happens }, { scene }) => {
    const { sent } = await runOn(scene, happens, ({ world }) => pushTo(world))
    expect(sent).toEqual(['POST /job/job_1/message'])
  })

  it.for(Object.keys(UPDATING))('is updated by a %s', async (name, { scene }) => {
    const make = UPDATING[name]
    if (!make) throw new Error(name)
    const { sent } = await runOn(scene, approve, make)
    expect(sent).toEqual(['POST /job/job_1/message'])
  })
})

import { describe, expect, it } from 'vitest'
import { loadStepHistory } from '../../src/memory/step-statuses.ts'
import { type EarlierJob, findStepJob } from '../../src/memory/find.ts'
import { type Scene, type Start, sceneStarter } from '../support/decisions.ts'
import { bareEvent, pullRequest, pushTo } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { addStatus, BEFORE, person, type World } from '../support/world.ts'

const newScene = sceneStarter()
const PROMPT = { prompt: 'Document it.', context: 'none', 'ignore-authors': '' }
const PULL = 'https://github.com/acme/docs/pull/7'
const runUrl = (id: number): string => `https://github.com/acme/docs/actions/runs/${id}`
const BEGAN_MS = Date.UTC(2026, 0, 5)
const RERUN = { GITHUB_RUN_ATTEMPT: '2' }

/** A status of this step on a commit. */
function remember(world: World, jobId: string, target_url: string, change: object = {}, sha = BEFORE): void {
  const description = jobId === '' ? 'Completed' : `Completed (${jobId})`
  const context = 'Docs agent: docs (docs.yml, docs, agent)'
  addStatus(world, sha, { context, state: 'success', description, target_url, ...change })
}

async function find(scene: Scene, start: Partial<Start> = {}) {
  const env = { GITHUB_SHA: BEFORE, ...start.env }
  const { run, trigger } = scene.newRun({ event: bareEvent('release'), inputs: PROMPT, ...start, env })
  if ('kind' in trigger) throw new Error(trigger.reason)
  return await findStepJob(trigger, await loadStepHistory(trigger, run), run)
}

const job = (id: string, change: Partial<EarlierJob> = {}) => {
  return { known: true, value: { id, prLink: PULL, kind: 'continue', namedAtMs: BEGAN_MS, ...change } }
}
const NONE = { known: true, value: undefined }

describe("the step's job", () => {
  it('is that of its newest status, with the pull request that any of its statuses names, since the first', async () => {
    const scene = await newScene()
    const { world, clock } = scene
    expect(await find(scene)).toEqual(NONE)
    remember(world, 'job_1', runUrl(1000), { state: 'pending' })
    expect(await find(scene)).toEqual(job('job_1', { prLink: '' }))
    remember(world, 'job_1', PULL)
    await clock.sleep(1000)
    pushTo(world)
    const env = { GITHUB_SHA: world.branches.get('main') ?? '' }
    remember(world, 'job_1', runUrl(1001), { state: 'pending' }, env.GITHUB_SHA)
    expect(await find(scene, { env })).toEqual(job('job_1'))
    remember(world, 'job_2', PULL, { state: 'failure' }, env.GITHUB_SHA)
    expect(await find(scene, { env })).toEqual(job('job_2', { namedAtMs: BEGAN_MS + 1000 }))
    await clock.sleep(1000)
    const elsewhere = 'https://git.example.com/acme/docs/-/merge_requests/7'
    remember(world, 'job_3', elsewhere, { state: 'pending' })
    const newest = job('job_3', { prLink: elsewhere, namedAtMs: BEGAN_MS + 2000 })
    expect(await find(scene, { env })).toEqual(newest)
    expect(scene.github.requests.slice(-1)).toEqual(['POST /graphql History'])
  })

  it('is none with `follow-up: false`, without a prompt, and on other events', async () => {
    const scene = await newScene()
    remember(scene.world, 'job_1', PULL)
    const others = [{ ...PROMPT, 'follow-up': 'false' }, { 'job-id': 'job_1' }].map((inputs) => ({ inputs }))
    for (const start of [...others, { event: bareEvent('deployment') }]) {
      for (const env of [{}, RERUN]) expect(await find(scene, { ...start, env })).toEqual(NONE)
    }
    expect(scene.github.requests).toEqual([])
  })

  it('can not be told where its status does not name it', async () => {
    const scene = await newScene()
    remember(scene.world, '', PULL)
    const why = "the step's commit status does not name its job"
    expect(await find(scene)).toEqual({ known: false, why })
  })
})

describe('the job of an earlier attempt', () => {
  it('is that of the newest status that leads to this run', async () => {
    const scene = await newScene()
    const { world, clock } = scene
    remember(world, 'job_before', PULL)
    await clock.sleep(1000)
    remember(world, 'job_first', runUrl(1001), { state: 'pending' })
    remember(world, 'job_first', runUrl(1001), { state: 'failure' })
    await clock.sleep(1000)
    remember(world, 'job_second', runUrl(1001), { state: 'pending' })
    await clock.sleep(1000)
    remember(world, 'job_second', `${PULL}0`)
    remember(world, 'job_of_another_run', runUrl(1002), { state: 'pending' })
    const found = job('job_second', { kind: 'resume', prLink: `${PULL}0`, namedAtMs: BEGAN_MS + 2000 })
    expect(await find(scene, { env: RERUN })).toEqual(found)
    expect(scene.github.requests).toEqual(['POST /graphql History', 'GET /commits/aaaaaaa/statuses'])
  })

  it('is told from those of others with the same words', async () => {
    const scene = await newScene()
    remember(scene.world, 'job_1', runUrl(1001), { creator: person('stranger') })
    remember(scene.world, 'job_2', runUrl(1001), { context: 'Docs agent: guides (docs.yml, docs, agent)' })
    remember(scene.world, 'job_3', runUrl(10012))
    expect(await find(scene, { env: RERUN })).toEqual(job('job_3', { prLink: '' }))
  })

  it("is found on a pull request's head, and gives way to the step's job where there is none", async () => {
    const scene = await newScene()
    const event = pullRequest({ action: 'synchronize', pull: { head: { sha: 'd'.repeat(40) } } })
    scene.newRun({ event })
    const { world } = scene
    remember(world, 'job_1', PULL, {}, 'd'.repeat(40))
    expect(await find(scene, { event, env: RERUN })).toEqual(job('job_1'))
    remember(world, 'job_2', runUrl(1001), { state: 'pending' }, 'd'.repeat(40))
    expect(await find(scene, { event, env: RERUN })).toEqual(job('job_2', { kind: 'resume', prLink: '' }))
  })

  it.each<[string, RegExp, FaultName]>([
    ['the statuses', /statuses/, '502'],
    ['the statuses', /statuses/, 'empty'],
    ['the history', /graphql/, 'partial'],
  ])('can not be told where %s can not be read (%s: %s)', async (_what, match, end) => {
    const scene = await newScene()
    scene.github.faults.push({ match, end })
    expect(await find(scene, { env: RERUN })).toEqual({ known: false, why: expect.stringMatching(/^GitHub/) })
  })

  it('can be told where the history fails and the account can be asked for alone', async () => {
    const scene = await newScene()
    remember(scene.world, 'job_1', runUrl(1001), { state: 'pending' })
    scene.github.faults.push({ match: /History/, end: '502' })
    expect(await find(scene, { env: RERUN })).toEqual(job('job_1', { kind: 'resume', prLink: '' }))
  })
})

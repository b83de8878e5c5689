import { expect } from 'vitest'
import { bareEvent, pullRequest } from '../support/events.ts'
import {
  AGENT,
  addComment,
  addCommit,
  addStatus,
  mergePull,
  person,
  pushToPull,
} from '../support/world.ts'
import { continues, firstCalls, itWithScene, PULL, type Scene, type Told } from './runs.ts'

const it = itWithScene()

type Step = Told & { readonly event?: Parameters<Scene['tell']>[0] }

async function step(scene: Scene, { event = bareEvent('schedule'), ...told }: Step) {
  const end = await scene.tell(event, {
    end: 'submitted',
    ...told,
    inputs: { prompt: 'Document it.', ...told.inputs },
  })
  await scene.clock.sleep(1000)
  return end
}

function pullOf({ world }: Scene, number: number) {
  const pull = world.pulls.get(number)
  if (pull === undefined) throw new Error(`There is no pull request ${number}.`)
  return pull
}

function onPull(scene: Scene, number: number, action: string) {
  return pullRequest({ action, number, pull: { ...pullOf(scene, number).fields, number } })
}

/** A run after which the pull request gets another commit. */
async function pushed(scene: Scene, told: Step = {}) {
  const end = await step(scene, { event: onPull(scene, 5, 'synchronize'), ...told })
  pushToPull(scene.world, pullOf(scene, 5))
  return end
}

it('of two commits of a pull request whose statuses are of the same second, the newer one says what the earlier job is', async ({
  scene,
}) => {
  await pushed(scene)
  await pushed(scene, { job: 'job_2', inputs: { 'follow-up': 'false' } })
  const { statuses } = scene.world
  const sameSecond = { created_at: statuses.at(-1)?.created_at }
  for (const status of statuses) Object.assign(status, sameSecond)
  expect(firstCalls(await pushed(scene))).toEqual(continues('job_2'))
})

it('of more than five commits of a pull request whose newest status may hide others, the newest are looked through', async ({
  scene,
}) => {
  const context = 'Docs agent: docs (docs.yml, docs, agent, #5)'
  const push = () => {
    const pull = pullOf(scene, 5)
    addStatus(scene.world, pull.fields.head?.sha ?? '', { context, state: 'failure' })
    pushToPull(scene.world, pull)
  }
  for (let index = 0; index < 6; index++) push()
  await step(scene, { event: onPull(scene, 5, 'synchronize'), job: 'job_7' })
  push()
  expect(firstCalls(await pushed(scene))).toEqual(continues('job_7'))
})

it('a re-run that waits for another job than its first attempt does not link the pull request of that one', async ({
  scene,
}) => {
  await step(scene, { end: 'pull-request', runId: 7001, inputs: { 'job-id': 'job_1' } })
  const again = { runId: 7001, attempt: 2, inputs: { 'job-id': 'job_2' } }
  await step(scene, { end: 'no-pull-request', ...again })
  const last = scene.world.statuses.at(-1)
  expect(last?.target_url).toContain('own=job_2')
  expect(last?.target_url).not.toContain(PULL)
})

it('a re-run of a merged pull request continues the job that a newer run has left on the base branch', async ({
  scene,
}) => {
  const { world } = scene
  await step(scene, {})
  mergePull(world, pullOf(scene, 6))
  const merged = { event: onPull(scene, 6, 'closed'), runId: 7002 }
  await step(scene, { ...merged, end: 'error' })
  addCommit(world)
  await step(scene, { job: 'job_2', inputs: { 'follow-up': 'false' } })
  expect(firstCalls(await step(scene, { ...merged, attempt: 2 }))).toEqual(continues('job_2'))
})

it('no comments are listed for a command that neither continues a job nor sends the conversation', async ({
  scene,
}) => {
  const { requests } = await scene.ask({ words: '/docs new explain' })
  expect(requests.filter((line) => /^GET .*comments/.test(line))).toEqual([])
})

it('the comments after that on the preview are not read', async ({ scene }) => {
  const { world } = scene
  const body =
    '<!-- mintlify-preview-comment-1 -->\n| a | 🟢 Ready | [View](https://x.example) | b |'
  const place = { kind: 'main', number: 1 } as const
  addComment(world, { ...place, author: AGENT, body })
  for (let index = 0; index < 250; index++)
    addComment(world, { ...place, author: person('bob'), body: 'c' })
  const { requests } = await step(scene, { end: 'pull-request', inputs: { comment: 'never' } })
  expect(requests.filter((line) => line.includes('PullReport'))).toHaveLength(1)
})

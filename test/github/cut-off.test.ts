import { describe, expect, it } from 'vitest'
import type { ActionRun } from '../bundle/run-action.ts'
import { type Event, issueComment, person } from './events.ts'
import { type Scene, sceneStarter, writtenComment } from './scene.ts'

const newScene = sceneStarter()
const octocat = person('octocat')
const inputs = { context: 'none' }

/** octocat has asked for something that takes the agent an hour. */
async function endless(): Promise<{ scene: Scene; event: Event }> {
  const scene = await newScene()
  scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  const body = '/docs explain it [agent: takes 1h]'
  const { id } = writtenComment(scene.world, { author: octocat, body })
  return { scene, event: issueComment({ id, body, author: octocat }) }
}

async function runUntil(
  scene: Scene,
  event: Event,
  text: string,
  signal: NodeJS.Signals,
): Promise<ActionRun> {
  const { child, logged, ended } = await scene.start({ event, inputs })
  await logged(text)
  child.kill(signal)
  return await ended
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

const post = async (scene: Scene, event: Event, { state }: ActionRun): Promise<ActionRun> =>
  await scene.run({ event, inputs, state })

describe('a run that is cancelled', () => {
  it('finishes its reply and leaves nothing to the post part', async () => {
    const { scene, event } = await endless()
    const run = await runUntil(scene, event, 'Status: active', 'SIGTERM')
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled' } })
    expect(scene.reactions()).toEqual(['confused'])
    expect(scene.said()[0]?.at(-1)).toMatch(
      /🛑 \*\*Cancelled\*\*[\s\S]*goes on[\s\S]*re-run the \[workflow run\]/,
    )
    const requests = scene.github.requests.length
    await post(scene, event, run)
    expect(scene.github.requests).toHaveLength(requests)
  })

  it('leaves its reply to the post part where GitHub fails', async () => {
    const { scene, event } = await endless()
    const started = await scene.start({ event, inputs })
    await started.logged('Status: active')
    await until(() => (scene.said()[0] ?? []).length === 2)
    scene.github.faults.push({ match: /./, end: { status: 502, body: {} } })
    started.child.kill('SIGTERM')
    const run = await started.ended
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled' } })
    expect(scene.reactions()).toEqual(['eyes'])
    scene.github.faults.splice(0)
    await post(scene, event, run)
    expect(scene.said()[0]?.at(-1)).toContain('🛑 **Cancelled**')
    expect(scene.reactions()).toEqual(['confused'])
  })

  it('goes on where it was when it is run again', async () => {
    const { scene, event } = await endless()
    await runUntil(scene, event, 'Status: active', 'SIGTERM')
    const started = await scene.start({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '2' } })
    await started.logged('Status: active')
    scene.passAnHour()
    const again = await started.ended
    expect(again).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request', 'comment-id': '5002' } })
    expect(scene.docs.jobs).toHaveLength(1)
    expect(scene.said()[0]?.at(-1)).toContain('Pull request ready')
    expect(scene.reactions()).toEqual(['rocket'])
  })
})

describe('a token that expires during the run', () => {
  it('leaves the comment as it is, and both steps say why', async () => {
    const { scene, event } = await endless()
    const started = await scene.start({ event, inputs })
    await until(() => (scene.said()[0] ?? []).length === 2)
    const expired = { status: 401, body: { message: 'Bad credentials' } }
    scene.github.faults.push({ match: /./, end: expired })
    scene.passAnHour()
    const run = await started.ended
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    const words =
      /::warning [^:]*::GitHub could not be asked to .*401.*the token of a GitHub App expires after one hour/g
    expect(run.log.match(words)).toHaveLength(1)
    const after = await post(scene, event, run)
    expect(after.exitCode).toBe(0)
    expect(after.log.match(words)).toHaveLength(1)
    expect(after.log).toMatch(/edit the comment https:\/\/github\.com\/acme\/docs\/pull\/5#issuecomment-5002/)
    scene.github.faults.splice(0)
    await post(scene, event, run)
    expect(scene.said()[0]?.at(-1)).toContain('✅ **Pull request ready')
    expect(scene.reactions()).toEqual(['rocket'])
  })
})

describe('a run that is cancelled before its job is created', () => {
  it.each([
    ['while GitHub is asked for the permission', /permission$/, []],
    ['while it looks for earlier jobs', /^GET \/issues/, ['confused']],
  ])('starts none: %s', async (_what, match, reactions) => {
    const { scene, event } = await endless()
    scene.github.faults.push({ match, end: 'hang', times: 1 })
    const started = await scene.start({ event, inputs })
    await until(() => scene.github.requests.some((line) => match.test(line)))
    started.child.kill('SIGTERM')
    const run = await started.ended
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled' } })
    expect(scene.reactions()).toEqual(reactions)
    expect(scene.asked()).toEqual([])
  })
})

describe('a run that is killed', () => {
  it('has its reply finished by the post part, and its job gone on with by a further attempt', async () => {
    const { scene, event } = await endless()
    const started = await scene.start({ event, inputs })
    await until(() => (scene.said()[0] ?? []).length === 2)
    // A kill amid the writing of its state would leave half of it: two polls later, the run does nothing but wait.
    const polls = scene.docs.requests.length
    await until(() => scene.docs.requests.length > polls + 1)
    started.child.kill('SIGKILL')
    const run = await started.ended
    const after = await post(scene, event, run)
    expect(after.exitCode).toBe(0)
    expect(after.log).toContain(`job-id: ${scene.docs.jobs[0]?.id}`)
    expect(scene.said()[0]?.at(-1)).toMatch(
      /🛑 \*\*Cut off\*\*[\s\S]*goes on[\s\S]*re-run the \[workflow run\]/,
    )
    expect(scene.reactions()).toEqual(['confused'])

    const again = await scene.start({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '2' } })
    await again.logged('Status: active')
    scene.passAnHour()
    expect((await again.ended).outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5002' })
    expect(scene.docs.jobs).toHaveLength(1)
    expect(scene.reactions()).toEqual(['rocket'])
  })

  it('has its reply found again where nobody was left to hear that it had been written', async () => {
    const { scene, event } = await endless()
    scene.github.faults.push({ match: /^POST \/issues\/5\/comments$/, end: 'hang', times: 1, handled: true })
    const started = await scene.start({ event, inputs })
    await until(() => scene.said().length === 1)
    started.child.kill('SIGKILL')
    await post(scene, event, await started.ended)
    expect(scene.said()).toHaveLength(1)
    expect(scene.said()[0]?.at(-1)).toContain('Cut off')
    expect(scene.reactions()).toEqual(['confused'])
  })

  it('before it could reply has the reply written by the post part', async () => {
    const { scene, event } = await endless()
    scene.github.faults.push({ match: /^POST \/issues\/5\/comments$/, end: 'hang', times: 1 })
    const started = await scene.start({ event, inputs })
    await until(() => scene.github.requests.some((line) => line === 'POST /issues/5/comments'))
    started.child.kill('SIGKILL')
    await post(scene, event, await started.ended)
    expect(scene.said()).toMatchObject([[expect.stringContaining('Cut off')]])
    expect(scene.reactions()).toEqual(['confused'])
  })
})

describe('a further attempt', () => {
  it.each([
    ['completed is reported again', '', 'pull-request', 1],
    ['failed is done anew', '[agent: fail]', 'failed', 2],
  ])('of a run whose job %s', async (_what, words, result, jobs) => {
    const scene = await newScene()
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    const body = `/docs explain it ${words}`
    const { id } = writtenComment(scene.world, { author: octocat, body })
    const event = issueComment({ id, body, author: octocat })
    await scene.run({ event, inputs })
    const again = await scene.run({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '2' } })
    expect(again.outputs).toMatchObject({ result, 'comment-id': '5002' })
    expect(scene.docs.jobs).toHaveLength(jobs)
    expect(scene.docs.jobs.flatMap(({ messages }) => messages)).toEqual([])
    expect(scene.reactions()).toHaveLength(1)
    expect(scene.said().filter(([first]) => !first?.startsWith('💬'))).toHaveLength(1)
  })

  it('that is killed while it polls the job for the first time leaves it to the next one', async () => {
    const { scene, event } = await endless()
    await runUntil(scene, event, 'Status: active', 'SIGTERM')
    const polls = scene.docs.requests.length
    scene.docs.faults.add({ kind: 'hang', match: { path: 'look' } })
    const second = await scene.start({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '2' } })
    await until(() => scene.docs.requests.length > polls)
    second.child.kill('SIGKILL')
    await second.ended
    scene.docs.faults.clear()
    scene.passAnHour()
    const third = await scene.run({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '3' } })
    expect(third.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5002' })
    expect(scene.docs.jobs).toHaveLength(1)
  })

  it('that can not list the comments writes no second reply: it looks again at the end', async () => {
    const { scene, event } = await endless()
    await runUntil(scene, event, 'Status: active', 'SIGTERM')
    const refused = { status: 403, body: { message: 'Not now' } }
    scene.github.faults.push({ match: /^GET \/issues\/5\/comments$/, end: refused, times: 2 })
    const again = await scene.start({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '2' } })
    await until(() => scene.docs.jobs.length === 2)
    scene.passAnHour()
    await again.ended
    expect(scene.said().filter(([first]) => !first?.startsWith('💬'))).toHaveLength(1)
    expect(scene.said()[0]?.at(-1)).toContain('Pull request ready')
    expect(scene.reactions()).toEqual(['rocket'])
  })

  it('of a run whose job is gone is done anew', async () => {
    const scene = await newScene()
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    const body = '/docs explain it'
    const { id } = writtenComment(scene.world, { author: octocat, body })
    const event = issueComment({ id, body, author: octocat })
    await scene.run({ event, inputs })
    scene.docs.faults.add({ kind: 'status', status: 404, match: { path: 'look' } })
    const again = await scene.run({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '2' } })
    expect(again.outputs['result']).toBe('pull-request')
    expect(scene.docs.jobs).toHaveLength(2)
  })
})

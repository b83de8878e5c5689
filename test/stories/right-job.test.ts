import { expect, it } from 'vitest'
import { commentIn, event, pushOf } from '../support/events.ts'
import { addComment, addPull, endPull, mergePull, person, pushToPull } from '../support/world.ts'
import {
  author,
  contextOf,
  docsLink,
  eventOf,
  J1,
  opening,
  type Scene,
  startScene,
} from './scene.ts'

const J2 = { replies: opening('j2', 201) }

function close({ world }: Scene, number: number): void {
  const pull = world.pulls.get(number)
  if (pull) endPull(world, pull)
}

it('a re-run of an older run leaves the newest docs pull request to the next run', async () => {
  const { push, step, world } = await startScene()
  const before = world.branches.get('main') ?? ''
  const first = await push({ ...J1, runId: 50 })
  expect(first.started).toEqual(['create'])
  const old = pushOf(world, before)
  const docs = world.pulls.get(200)
  if (docs) mergePull(world, docs)
  await push(J2)
  await step(old, { ...J1, runId: 50, attempt: 2, sha: old.payload['after'] as string })
  expect((await push(J2)).started).toEqual(['message to j2'])
})

it('a release whose job failed is not skipped because of another release on its commit', async () => {
  const { push, step, world } = await startScene()
  await push(J1)
  const release = (tag_name: string) => {
    world.tags.set(tag_name, world.branches.get('main') ?? '')
    const published_at = new Date(world.now()).toISOString()
    return event('release', { action: 'published', release: { tag_name, published_at } })
  }
  await step(release('a@1.0.0'), J1)
  const failed = { replies: { get: ['failed'] } } as const
  expect((await step(release('b@1.0.0'), failed)).outputs['result']).toBe('failed')
  expect((await step(release('b@1.0.0'), J2)).outputs['result']).toBe('pull-request')
  expect((await step(release('b@1.0.0'), J2)).outputs['result']).toBe('skipped')
})

it('after a closed docs pull request, a run continues that of a command', async () => {
  const scene = await startScene()
  const { code, command, onPull } = scene
  await onPull(code, J1)
  close(scene, 200)
  expect((await command('/docs Try again.', 77, J2)).started).toEqual(['create'])
  pushToPull(scene.world, code)
  code.files = [{ filename: 'src/a.ts', status: 'modified', patch: '@@ -1 +1 @@\n+new' }]
  expect((await onPull(code, J2)).started).toEqual(['message to j2'])
})

it('after a rejected docs pull request, the run about the merge starts a new job', async () => {
  const scene = await startScene()
  const { code, onPull, step, world } = scene
  await onPull(code, J1)
  close(scene, 200)
  pushToPull(world, code)
  code.files = [{ filename: 'src/a.ts', status: 'modified', patch: '@@ -1 +1 @@\n+new' }]
  expect((await onPull(code, J2)).outputs['result']).toBe('skipped')
  mergePull(world, code)
  expect((await step(eventOf(code, 'closed'), J2)).started).toEqual(['create'])
})

it("the run about a merge continues the pull request's own docs pull request", async () => {
  const { code, command, step, world } = await startScene()
  const other = addPull(world, { number: 76, user: author, files: ['src/b.ts'] })
  mergePull(world, other)
  await step(eventOf(other, 'closed'), J2)
  expect((await command('/docs Explain.', 77, J1)).started).toEqual(['create'])
  mergePull(world, code)
  expect((await step(eventOf(code, 'closed'), J1)).started).toEqual(['message to j1'])
})

it('of two steps that hear a command, the one that yields does not hide the job of the other', async () => {
  const { command, github, step, world } = await startScene()
  const on = commentIn(world, { number: 77, author, association: 'MEMBER', body: '/docs Explain.' })
  github.faults.push({ match: /statuses\?/, end: { delayMs: 1500 }, after: 3, times: 1 })
  const replies = { ...J1.replies, get: ['active', 'active', ...(J1.replies.get ?? [])] }
  await Promise.all([
    step(on, { inputs: {}, replies, runId: 7 }),
    step(on, { inputs: {}, replies, runId: 8, env: { GITHUB_ACTION: 'other' } }),
  ])
  expect((await command('/docs And more.', 77, J1)).started).toEqual(['message to j1'])
})

it('a message has what was written since the last command, in whichever thread that was', async () => {
  const { command, step, world } = await startScene()
  const amy = person('amy')
  const say = (body: string) =>
    addComment(world, { kind: 'main', number: 77, author: amy, association: 'MEMBER', body })
  say('An old remark.')
  await command('/docs One.', 77, J1)
  const line = { kind: 'review', number: 77, author, body: '/docs This line.' } as const
  await step(commentIn(world, line), { inputs: {}, ...J1 })
  say('A new remark.')
  const text = contextOf(await command('/docs Three.', 77, J1)).join('\n')
  expect([text.includes('A new remark.'), text.includes('An old remark.')]).toEqual([true, false])
})

it('a pull request that GitHub does not know yet starts no job', async () => {
  const { code, github, onPull } = await startScene()
  const body = { data: { repository: { pull: null } } }
  github.faults.push({ match: /Repository/, end: { status: 200, body } })
  const end = await onPull(code, J1, 'opened')
  expect([end.outputs['result'], end.calls]).toEqual(['error', []])
})

it('a docs repository that refuses the token stops the run, and the error names the ways out', async () => {
  const { github, push } = await startScene()
  await push(J1)
  const errors = [{ type: 'FORBIDDEN', path: ['repository'], message: 'SAML enforcement' }]
  github.faults.push({
    match: /PullState/,
    end: { status: 200, body: { data: { repository: null }, errors } },
  })
  const end = await push({
    replies: { get: [{ body: { status: 'completed', prLink: docsLink(200) } }] },
  })
  expect(end.outputs['result']).toBe('error')
  expect(end.log.join()).toMatch(/acme\/docs.*private-docs\.md.*follow-up: false/)
})

import { describe, expect, it, vi } from 'vitest'
import type { Conversation } from '../../src/comments/conversation.ts'
import type { Event } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { CANCELLED, ending, NO_PULL, type Scene, sceneStarter } from './runs.ts'

const newScene = sceneStarter()
const DONE = '✅ **Completed without a pull request**'
const INTERRUPTED = '🛑 **Interrupted**'
const RUN = '[workflow run](https://github.com/acme/docs/actions/runs/1001)'
const REPLY = /^POST \/issues\/5\/comments$/

async function accepted(scene: Scene, event: Event): Promise<Conversation> {
  const conversation = await scene.start(event)
  await conversation.accepted('job_1', 'create', '')
  return conversation
}

describe('the post step of a run that was killed', () => {
  it('ends its reply with the way to wait for the job, and its reaction', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await accepted(scene, event)
    await scene.post(event)
    expect(scene.said()[0]?.at(-1)).toBe(
      `${INTERRUPTED}\n\n**octocat** asked: explain it · ${RUN}\n\n` +
        `The workflow run was interrupted. The job is still running. To wait for it, re-run the ${RUN}, or run the action with \`job-id: job_1\`.`,
    )
    expect(scene.reactions()).toEqual(['confused'])
    expect(scene.log).toContain('Finished the comment https://github.com/acme/docs/pull/5#issuecomment-5002.')
    const again = await scene.start(event, { attempt: 2 })
    expect(again.earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
  })

  it('knows what was begun before GitHub has answered', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: REPLY, end: { delayMs: 200 } })
    const started = scene.start(scene.comment('/docs explain mint_0123456789'))
    await vi.waitUntil(() => scene.github.requests.length === 2)
    const left: unknown = JSON.parse(scene.pending() ?? '')
    const text = expect.stringContaining('🛑')
    expect(left).toMatchObject({
      comment: { marker: { kind: 'reply', source: 'issue-comment/5001' }, text },
      reaction: { source: { id: 5001 }, content: 'confused' },
    })
    expect(JSON.stringify([left, scene.said()])).not.toContain('mint_0123456789')
    await started
  })

  it('ends a reply in a review thread there, and says that nobody knows of a job that was not accepted', async () => {
    const scene = await newScene()
    const event = scene.reviewComment('/docs explain this line')
    await scene.start(event)
    await scene.post(event)
    expect(scene.said()[0]?.at(-1)).toContain('If a job was started, it is still running and may open a pull')
    expect(scene.world.comments[1]?.kind).toBe('review')
    expect(scene.reactions()).toEqual(['confused'])
  })

  it('does nothing where nothing was begun, or all was ended', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await scene.post(event, {}, '')
    await scene.tell(event, { end: NO_PULL })
    const before = scene.github.requests.length
    await scene.post(event)
    expect(scene.github.requests).toHaveLength(before)
  })
})

describe('where GitHub refuses for the moment', () => {
  const message = 'You have exceeded a secondary rate limit.'
  const limit = { body: { message }, headers: { 'retry-after': '50' } }

  it.each<[string, GitHubFault['end']]>([
    ['a secondary limit', { status: 403, ...limit }],
    ['502', '502'],
    ['reset', 'reset'],
    ['no comment', 'empty'],
  ])('the last edit (%s), the post step makes it', async (_what, end) => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    const conversation = await accepted(scene, event)
    scene.github.faults.push({ match: /./, end })
    await conversation.finish(ending(NO_PULL))
    expect(scene.headlines()).toEqual(['⏳ **The docs agent is working …**'])
    expect(scene.reactions()).toEqual(['eyes'])
    // GitHub recovers within the minute that the post step waits.
    scene.clock.at(scene.clock.now() + 45_000, () => scene.github.faults.splice(0))
    await scene.post(event)
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.reactions()).toEqual(['+1'])
  })

  it('the reply, which is never sent twice blindly, the post step tries it again for a minute', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: REPLY, end: '502' })
    const event = scene.comment('/docs explain it')
    await scene.tell(event, { end: NO_PULL })
    scene.clock.at(scene.clock.now() + 40_000, () => scene.github.faults.splice(0))
    await scene.post(event)
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.github.requests.filter((line) => REPLY.test(line))).toHaveLength(6)
  })

  it.each(['404', '403'] as const)('with stray %ss, no permission is missing: all is ended', async (end) => {
    const scene = await newScene()
    scene.github.faults.push({ match: /^PATCH|\+1$/, end, times: 3 })
    const event = scene.comment('/docs explain it')
    await scene.tell(event, { end: NO_PULL })
    await scene.post(event)
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.reactions()).toEqual(['+1'])
    expect(scene.log).not.toContain('needs the permission')
  })

  it.each([
    [5, 'pull-requests: write'],
    [8, 'issues: write'],
  ])('all on %i for lack of `%s`, that is named once, and nothing is left to do', async (number, name) => {
    const scene = await newScene()
    scene.world.scopes.clear()
    await scene.tell(scene.comment('/docs explain it', { number, onIssue: number === 8 }))
    const words = `GitHub returned 403 ("Resource not accessible by integration"). The job's \`github-token\` needs the permission \`${name}\``
    expect(scene.annotations()[0]).toContain(`warning: Failed to react to the command: ${words}`)
    expect(scene.log.match(new RegExp(`^::warning.*${name}`, 'gm'))).toHaveLength(1)
    expect(scene.pending()).toBe('{}')
    expect(scene.output('comment-id')).toBeUndefined()
  })

  it('a deletion with 404, since someone else took the reaction away, nothing is left to do', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /^DELETE /, end: '404' })
    const event = scene.comment('/docs explain it')
    await scene.tell(event, { end: NO_PULL })
    expect(scene.annotations()).toEqual([])
    expect(scene.pending()).toBe('{}')
    expect(scene.github.requests.filter((line) => line.startsWith('DELETE'))).toHaveLength(1)
  })

  it('a deletion without a confirmation, the other reaction is left to the post step', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /^DELETE /, end: { status: 200, body: { message: 'ok' } } })
    await scene.tell(scene.comment('/docs explain it'), { end: NO_PULL })
    expect(scene.annotations()[0]).toContain('GitHub returned something that is not a confirmation')
    expect(scene.pending()).toContain('"reaction"')
  })
})

it.each([
  ['says so at once, and leaves to the post step what has to be read first', undefined, '✅ **Cancelled**'],
  ['leaves all to the post step where GitHub fails', '502', '⏳ **Starting the docs agent …**'],
] as const)('a run that is cancelled %s', async (_what, end, headline) => {
  const scene = await newScene()
  const event = scene.comment('/docs explain it')
  const cancel = new AbortController()
  const conversation = await scene.start(event, { cancel: cancel.signal })
  if (end !== undefined) scene.github.faults.push({ match: /./, end })
  cancel.abort()
  const atMs = scene.clock.now()
  await conversation.finish(ending(CANCELLED))
  expect(scene.clock.now() - atMs).toBeLessThanOrEqual(4000)
  expect(scene.headlines()).toEqual([headline])
  scene.github.faults.splice(0)
  await scene.post(event)
  expect(scene.headlines()).toEqual(['✅ **Cancelled**'])
  expect(scene.reactions()).toEqual(['confused'])
  expect(scene.annotations()).toEqual([])
})

import { describe, expect, vi } from 'vitest'
import type { GitHubFault } from '../support/github.ts'
import { CANCELLED, DONE, ending, itWithScene, READY, RUN, STARTING } from './runs.ts'

const it = itWithScene()
const CANCEL = '✅ **Cancelled**'
const REPLY = /^POST \/issues\/5\/comments$/

describe('the post step of a run that was killed', () => {
  it('ends its reply with the way to wait for the job, and its reaction', async ({ scene }) => {
    const event = scene.comment()
    const conversation = await scene.start(event)
    await conversation.accepted('job_1', 'create', '')
    await scene.post(event)
    expect(scene.said()[0]?.at(-1)).toBe(
      `🛑 **Interrupted**\n\n**octocat** asked: explain it · ${RUN}\n\n` +
        `The workflow run was interrupted. The job is still running. To wait for it, re-run the ${RUN}, or run the action with \`job-id: job_1\`.`,
    )
    expect(scene.reactions()).toEqual(['confused'])
    const finished = 'Finished the comment https://github.com/acme/docs/pull/5#issuecomment-5002.'
    expect(scene.log()).toContain(finished)
    const again = await scene.start(event, { attempt: 2 })
    expect(again.earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
  })

  it('knows what was begun before GitHub has answered', async ({ scene }) => {
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

  it('ends a reply in a review thread there, and says that its job is not known', async ({ scene }) => {
    const event = scene.reviewComment('/docs explain this line')
    await scene.start(event)
    await scene.post(event)
    expect(scene.said()[0]?.at(-1)).toContain('If a job was started, it is still running and may open a pull')
    expect(scene.world.comments[1]?.kind).toBe('review')
    expect(scene.reactions()).toEqual(['confused'])
  })
})

describe('where GitHub refuses for the moment', () => {
  const body = { message: 'You have exceeded a secondary rate limit.' }
  const limit = { status: 403, body, headers: { 'retry-after': '50' } }

  it.for<[string, GitHubFault['end']]>([
    ['a secondary limit', limit],
    ['502', '502'],
    ['a stray 404', '404'],
    ['a stray 403', '403'],
    ['no comment', 'empty'],
  ])('the last edit (%s), the post step makes it', async ([_what, end], { scene }) => {
    const event = scene.comment()
    const conversation = await scene.start(event)
    await conversation.accepted('job_1', 'create', '')
    scene.github.faults.push({ match: /./, end })
    await conversation.finish(ending())
    expect(scene.headlines()).toEqual(['⏳ **The docs agent is working …**'])
    expect(scene.reactions()).toEqual(['eyes'])
    // GitHub recovers within the minute that the post step waits.
    scene.clock.at(scene.clock.now() + 45_000, () => scene.github.faults.splice(0))
    await scene.post(event)
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.reactions()).toEqual(['+1'])
  })

  it('the reply, which is never sent twice blindly, the post step tries for a minute', async ({ scene }) => {
    scene.github.faults.push({ match: REPLY, end: '502' })
    const event = scene.comment()
    await scene.tell(event)
    scene.clock.at(scene.clock.now() + 40_000, () => scene.github.faults.splice(0))
    await scene.post(event)
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.github.requests.filter((line) => REPLY.test(line))).toHaveLength(6)
  })

  it.for([
    [5, 'pull-requests: write'],
    [8, 'issues: write'],
  ] as const)('all on %i for lack of `%s`, that is named once', async ([number, name], { scene }) => {
    scene.world.scopes.clear()
    await scene.tell(scene.comment('/docs explain it', { number, onIssue: number === 8 }), { end: READY })
    const words = `GitHub returned 403 ("Resource not accessible by integration"). The job's \`github-token\` needs the permission \`${name}\``
    expect(scene.annotations()[0]).toContain(`warning: Failed to react to the command: ${words}`)
    expect(scene.log().match(new RegExp(`^::warning.*${name}`, 'gm'))).toHaveLength(1)
    // Nothing is left to do.
    expect(scene.pending()).toBe('{}')
    expect(scene.output('comment-id')).toBeUndefined()
  })

  it('a deletion with 404, since the reaction is gone, nothing is left to do', async ({ scene }) => {
    scene.github.faults.push({ match: /^DELETE /, end: '404' })
    await scene.ask()
    expect(scene.annotations()).toEqual([])
    expect(scene.pending()).toBe('{}')
    expect(scene.github.requests.filter((line) => line.startsWith('DELETE'))).toHaveLength(1)
  })

  it('a deletion without a confirmation, the other reaction is left to the post step', async ({ scene }) => {
    scene.github.faults.push({ match: /^DELETE /, end: { status: 200, body: { message: 'ok' } } })
    await scene.ask()
    expect(scene.annotations()[0]).toContain('GitHub returned something that is not a confirmation')
    expect(scene.pending()).toContain('"reaction"')
  })
})

it.for([
  ['says so at once, and leaves to the post step what has to be read first', undefined, CANCEL],
  ['leaves all to the post step where GitHub fails', '502', STARTING],
] as const)('a run that is cancelled %s', async ([_what, end, headline], { scene }) => {
  const event = scene.comment()
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
  expect(scene.headlines()).toEqual([CANCEL])
  expect(scene.reactions()).toEqual(['confused'])
  expect(scene.annotations()).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { startConversation } from '../../src/comments/conversation.ts'
import type { Event } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { ending, NO_PULL, post, type Scene, sceneStarter, tell } from './runs.ts'

const newScene = sceneStarter()
const DONE = '✅ **Completed without a pull request**'
const RERUN = 're-run the [workflow run](https://github.com/acme/docs/actions/runs/1001)'

/** A run that is killed once its job was accepted, or before. */
async function killed(scene: Scene, event: Event, { isAccepted = true } = {}): Promise<void> {
  const { run, trigger } = scene.run(event)
  const conversation = await startConversation(trigger, run)
  if (isAccepted) await conversation.accepted('job_1', 'create', '')
}

describe('the post step of a run that was killed', () => {
  it('ends its reply with the way to wait for the job, and its reaction', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await killed(scene, event)
    await post(scene, event)
    expect(scene.said()[0]?.at(-1)).toBe(
      '🛑 **Interrupted**\n\n**octocat** asked: explain it · [workflow run](https://github.com/acme/docs/actions/runs/1001)\n\n' +
        `The workflow run was interrupted. The job is still running. To wait for it, ${RERUN}, or run the action with \`job-id: job_1\`.`,
    )
    expect(scene.reactions()).toEqual(['confused'])
    expect(scene.log).toContain('Finished the comment https://github.com/acme/docs/pull/5#issuecomment-5002.')
    const again = await tell(scene, event, { attempt: 2, kind: 'wait', end: NO_PULL })
    expect(again.earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
  })

  it('says that nobody knows of a job before it was accepted', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await killed(scene, event, { isAccepted: false })
    await post(scene, event)
    expect(scene.said()[0]?.at(-1)).toMatch(
      /interrupted before the docs service had answered\. If a job was started, it is still running and may open/,
    )
  })

  it.each([
    ['finds the reply of which GitHub did not say that it was written', 'lost', 1],
    ['writes the reply where that was not written', 'reset', 0],
  ] as const)('%s', async (_what, end, written) => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    scene.github.faults.push({ match: /^POST \/issues\/5\/comments$/, end, times: 1 })
    await killed(scene, event)
    expect(scene.said()).toHaveLength(written)
    await post(scene, event)
    expect(scene.headlines()).toEqual(['🛑 **Interrupted**'])
    expect(scene.reactions()).toEqual(['confused'])
  })

  it('ends a reply in a review thread there', async () => {
    const scene = await newScene()
    const event = scene.reviewComment('/docs explain this line')
    await killed(scene, event)
    await post(scene, event)
    expect(scene.headlines()).toEqual(['🛑 **Interrupted**'])
    expect(scene.reactions()).toEqual(['confused'])
  })

  it('does nothing where nothing was begun, or all was ended', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await post(scene, event, { pending: '' })
    await tell(scene, event, { end: NO_PULL })
    const before = scene.github.requests.length
    await post(scene, event)
    expect(scene.github.requests).toHaveLength(before)
  })
})

describe('where GitHub refuses for the moment', () => {
  const limit = {
    body: { message: 'You have exceeded a secondary rate limit.' },
    headers: { 'retry-after': '50' },
  }

  it.each<[string, GitHubFault['end']]>([
    ['a secondary limit', { status: 403, ...limit }],
    ['429', { status: 429, ...limit }],
    ['502', '502'],
    ['reset', 'reset'],
  ])('the last edit (%s), the post step makes it', async (_what, end) => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    const { run, trigger } = scene.run(event)
    const conversation = await startConversation(trigger, run)
    await conversation.accepted('job_1', 'create', '')
    scene.github.faults.push({ match: /./, end })
    await conversation.finish(ending(NO_PULL))
    expect(scene.headlines()).toEqual(['⏳ **The docs agent is working …**'])
    expect(scene.reactions()).toEqual(['eyes'])
    // GitHub recovers within the minute that the post step waits.
    scene.clock.at(scene.clock.now() + 45_000, () => scene.github.faults.splice(0))
    await post(scene, event)
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.reactions()).toEqual(['+1'])
  })

  it('the list of reactions, the post step deletes those that were replaced', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    scene.github.faults.push({ match: /^GET .*\/reactions$/, end: '502' })
    await tell(scene, event, { end: NO_PULL })
    expect(scene.reactions()).toEqual(['eyes', '+1'])
    scene.github.faults.splice(0)
    await post(scene, event)
    expect(scene.reactions()).toEqual(['+1'])
  })

  it.each(['404', '403'] as const)(
    'with one stray %s, that is no missing permission: what was begun is ended',
    async (end) => {
      const scene = await newScene()
      const event = scene.comment('/docs explain it')
      scene.github.faults.push({ match: /^PATCH|rocket|\+1$/, end, times: 3 })
      await tell(scene, event, { end: NO_PULL })
      await post(scene, event)
      expect(scene.headlines()).toEqual([DONE])
      expect(scene.reactions()).toEqual(['+1'])
      expect(scene.log).not.toContain('needs the permission')
    },
  )

  it('the first reply, it is written at the end, once', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /^POST \/issues\/5\/comments$/, end: 'lost', times: 1 })
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    expect(scene.said()).toEqual([[expect.stringContaining('Starting'), expect.stringContaining(DONE)]])
  })

  it('all that a permission would allow, with one warning that names it, and nothing is left to do', async () => {
    const scene = await newScene()
    scene.world.scopes.clear()
    await tell(scene, scene.comment('/docs explain it'))
    expect(scene.annotations()).toEqual([
      expect.stringMatching(
        /^warning: Failed to react to the command: GitHub returned 403 .* needs the permission `pull-requests: write`/,
      ),
    ])
    expect(scene.saved('save-state', 'pending')).toBe('{}')
    expect(scene.saved('set-output', 'comment-id')).toBeUndefined()
  })

  it('what an issue needs, `issues: write` is named', async () => {
    const scene = await newScene()
    scene.world.scopes.clear()
    await tell(scene, scene.comment('/docs explain it', { number: 8, onIssue: true }), { end: NO_PULL })
    expect(scene.annotations()).toEqual([expect.stringContaining('needs the permission `issues: write`')])
  })

  it('a deletion with 404, since someone else took the reaction away, nothing is left to do', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /^DELETE /, end: '404' })
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    expect(scene.annotations()).toEqual([])
    expect(scene.saved('save-state', 'pending')).toBe('{}')
    expect(scene.github.requests.filter((line) => line.startsWith('DELETE'))).toHaveLength(1)
  })
})

describe('a run that is cancelled', () => {
  it('says so at once, and leaves to the post step what has to be read first', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    const cancel = new AbortController()
    const { run, trigger } = scene.run(event, { cancel: cancel.signal })
    const conversation = await startConversation(trigger, run)
    await conversation.accepted('job_1', 'create', '')
    cancel.abort()
    const atMs = scene.clock.now()
    await conversation.finish(ending({ ...NO_PULL, result: 'cancelled', headline: 'Cancelled' }))
    expect(scene.clock.now() - atMs).toBeLessThanOrEqual(4000)
    expect(scene.headlines()).toEqual(['✅ **Cancelled**'])
    expect(scene.reactions()).toContain('confused')
    await post(scene, event)
    expect(scene.reactions()).toEqual(['confused'])
    expect(scene.headlines()).toEqual(['✅ **Cancelled**'])
    expect(scene.annotations()).toEqual([])
  })

  it('leaves its reply to the post step where GitHub fails', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    const cancel = new AbortController()
    const { run, trigger } = scene.run(event, { cancel: cancel.signal })
    const conversation = await startConversation(trigger, run)
    scene.github.faults.push({ match: /./, end: '502' })
    cancel.abort()
    await conversation.finish(ending({ ...NO_PULL, result: 'cancelled', headline: 'Cancelled' }))
    scene.github.faults.splice(0)
    await post(scene, event)
    expect(scene.headlines()).toEqual(['✅ **Cancelled**'])
    expect(scene.reactions()).toEqual(['confused'])
  })
})

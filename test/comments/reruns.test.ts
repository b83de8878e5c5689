import { describe, expect, it } from 'vitest'
import { startConversation } from '../../src/comments/conversation.ts'
import { ending, NO_PULL, sceneStarter, tell } from './runs.ts'

const newScene = sceneStarter()
const REFUSED = { ...NO_PULL, result: 'error', headline: 'Refused', durationSeconds: undefined }

describe('a re-run of a command', () => {
  it('finds its reply again, goes on with the job that it names, and edits it in place', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    const atMs = scene.clock.now()
    await tell(scene, event, { end: { ...NO_PULL, result: 'cancelled', headline: 'Cancelled' } })
    const before = scene.github.requests.length
    const again = await tell(scene, event, { attempt: 2, kind: 'wait', end: NO_PULL })
    expect(again.earlier).toEqual({
      known: true,
      value: { id: 'job_1', prLink: '', kind: 'resume', namedAtMs: atMs },
    })
    expect(scene.headlines()).toEqual(['✅ **Completed without a pull request**'])
    expect(scene.reactions()).toEqual(['+1'])
    expect(scene.github.requests.slice(before)).toEqual([
      'POST /issues/comments/5001/reactions eyes',
      'GET /issues/5/comments',
      'PATCH /issues/comments/5002',
      'PATCH /issues/comments/5002',
      'PATCH /issues/comments/5002',
      'POST /issues/comments/5001/reactions +1',
      'GET /issues/comments/5001/reactions',
      'DELETE /issues/comments/5001/reactions/902',
      'DELETE /issues/comments/5001/reactions/903',
    ])
  })

  it('finds its job also where a new job or that of `job-id` was wanted', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs new explain it')
    await tell(scene, event, { end: NO_PULL })
    for (const inputs of [{}, { 'job-id': 'job_7' }]) {
      const { earlier } = await tell(scene, event, { attempt: 2, kind: 'wait', inputs, end: NO_PULL })
      expect(earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
    }
  })

  it('that is killed before it has looked at the job leaves it to the next one', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await tell(scene, event, { end: { ...NO_PULL, result: 'timed-out' } })
    const second = scene.run(event, { attempt: 2 })
    await startConversation(second.trigger, second.run)
    const third = await tell(scene, event, { attempt: 3, kind: 'wait', end: NO_PULL })
    expect(third.earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
  })

  it('of one that was refused its message goes on with the conversation, not with a job of its own', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    const event = scene.comment('/docs shorter')
    const { run, trigger } = scene.run(event, { runId: 1002 })
    const refused = await startConversation(trigger, run)
    await refused.finish(ending({ ...REFUSED, jobId: 'job_1' }))
    const { earlier } = await tell(scene, event, { runId: 1002, attempt: 2, kind: 'message', end: NO_PULL })
    expect(earlier).toMatchObject({ value: { id: 'job_1', kind: 'continue' } })
    expect(scene.said()).toHaveLength(2)
  })

  it('finds nothing of an attempt that died before its reply, and writes one', async () => {
    const scene = await newScene()
    const { earlier } = await tell(scene, scene.comment('/docs explain it'), { attempt: 2, end: NO_PULL })
    expect(earlier).toEqual({ known: true, value: undefined })
    expect(scene.headlines()).toEqual(['✅ **Completed without a pull request**'])
  })

  it.each(['502', '429', '403', 'html', 'empty'] as const)(
    'that can not list the comments (%s) knows no job, and writes over no comment',
    async (end) => {
      const scene = await newScene()
      const event = scene.comment('/docs explain it')
      await tell(scene, event, { end: { ...NO_PULL, result: 'timed-out', headline: 'Not finished' } })
      const body = scene.world.comments[1]?.history.at(-1)
      // The first list alone fails: what is written later must not lose the job.
      scene.github.faults.push({ match: /^GET \/issues\/5\/comments$/, end, times: 15 })
      const { run, trigger } = scene.run(event, { attempt: 2 })
      const again = await startConversation(trigger, run)
      scene.github.faults.splice(0)
      expect(again.earlier).toMatchObject({ known: false })
      await again.finish(ending({ ...REFUSED, jobId: '' }))
      expect(scene.world.comments[1]?.history.at(-1)).toBe(body)
      expect(scene.said()).toHaveLength(1)
      expect(scene.reactions()).toEqual(['confused'])
      const third = await tell(scene, event, { attempt: 3, kind: 'wait', end: NO_PULL })
      expect(third.earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
    },
  )

  it('knows no job where GitHub does not say whose token it is', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await tell(scene, event, { end: NO_PULL })
    scene.github.faults.push({ match: /graphql|reactions eyes/, end: '502' })
    const { earlier } = await tell(scene, event, { attempt: 2, end: NO_PULL })
    expect(earlier).toMatchObject({ known: false })
    expect(scene.said()).toHaveLength(1)
  })
})

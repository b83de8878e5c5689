import { describe, expect, it } from 'vitest'
import { CANCELLED, ending, NO_PULL, REFUSED, sceneStarter } from './runs.ts'

const newScene = sceneStarter()
const again = { attempt: 2, kind: 'wait', end: NO_PULL } as const
const resumes = { known: true, value: { id: 'job_1', kind: 'resume' } }

describe('a re-run of a command', () => {
  it('finds its reply again, goes on with the job that it names, and edits it in place', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    const namedAtMs = scene.clock.now()
    await scene.tell(event, { end: CANCELLED })
    // An attempt that is killed before it has looked at the job leaves it to the next one.
    await scene.start(event, { attempt: 2 })
    const before = scene.github.requests.length
    const { earlier } = await scene.tell(event, { ...again, attempt: 3 })
    expect(earlier).toEqual({ known: true, value: { id: 'job_1', prLink: '', kind: 'resume', namedAtMs } })
    expect(scene.headlines()).toEqual(['✅ **Completed without a pull request**'])
    expect(scene.reactions()).toEqual(['+1'])
    const edit = 'PATCH /issues/comments/5002'
    expect(scene.github.requests.slice(before)).toEqual([
      'POST /issues/comments/5001/reactions eyes',
      'GET /issues/5/comments',
      ...[edit, edit, edit],
      'POST /issues/comments/5001/reactions +1',
      'GET /issues/comments/5001/reactions',
      'DELETE /issues/comments/5001/reactions/902',
      'DELETE /issues/comments/5001/reactions/903',
    ])
  })

  it('finds its job also where a new job or that of `job-id` was wanted', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs new explain it')
    await scene.tell(event, { end: NO_PULL })
    for (const inputs of [{}, { 'job-id': 'job_7' }]) {
      expect((await scene.tell(event, { ...again, inputs })).earlier).toMatchObject(resumes)
    }
  })

  it('of one that was refused its message goes on with the conversation, not with a job of its own', async () => {
    const scene = await newScene()
    await scene.tell(scene.comment('/docs explain it'), { end: NO_PULL })
    const event = scene.comment('/docs shorter')
    const refused = await scene.start(event, { runId: 1002 })
    await refused.finish(ending(REFUSED))
    expect(scene.said()[1]?.at(-1)).toMatch(/\n\nJob `job_1`\.$/)
    const { earlier } = await scene.tell(event, { ...again, runId: 1002 })
    expect(earlier).toMatchObject({ value: { id: 'job_1', kind: 'continue' } })
    expect(scene.said()).toHaveLength(2)
  })

  it('finds nothing of an attempt that died before its reply, and writes one', async () => {
    const scene = await newScene()
    const { earlier } = await scene.tell(scene.comment('/docs explain it'), again)
    expect(earlier).toEqual({ known: true, value: undefined })
    expect(scene.headlines()).toEqual(['✅ **Completed without a pull request**'])
  })

  const LIST = /^GET \/issues\/5\/comments$/
  it.each<[RegExp, '502' | '429' | '403' | 'html' | 'empty']>([
    [LIST, '502'],
    [LIST, '429'],
    [LIST, '403'],
    [LIST, 'html'],
    [LIST, 'empty'],
    // Whose token it is.
    [/graphql|eyes$/, '502'],
  ])('that can not read %s (%s) knows no job, and writes over no comment', async (match, end) => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    await scene.tell(event, { end: CANCELLED })
    const body = scene.world.comments[1]?.history.at(-1)
    // The first requests alone fail: what is written later must not lose the job.
    scene.github.faults.push({ match, end })
    const second = await scene.start(event, { attempt: 2 })
    scene.github.faults.splice(0)
    expect(second.earlier).toMatchObject({ known: false })
    await second.finish(ending({ ...REFUSED, jobId: '' }))
    expect(scene.world.comments[1]?.history.at(-1)).toBe(body)
    expect(scene.said()).toHaveLength(1)
    expect(scene.reactions()).toEqual(['confused'])
    expect((await scene.tell(event, { ...again, attempt: 3 })).earlier).toMatchObject(resumes)
  })
})

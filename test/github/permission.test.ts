import { describe, expect, it } from 'vitest'
import { bot, type Event, issueComment, newIssue, otherEvent, person, push, review } from './events.ts'
import { type Scene, sceneStarter, writtenComment } from './scene.ts'
import type { Account } from './world.ts'

const newScene = sceneStarter()
const body = '/docs explain it'
const quiet = { context: 'none', 'follow-up': 'false' }
const read = { permission: 'read', role_name: 'read' }
const admin = { permission: 'admin', role_name: 'admin' }

/** A comment with the command, which is there. */
function commandOf(author: Account, { world }: Scene): Event {
  return issueComment({ id: writtenComment(world, { author, body }).id, body, author })
}

describe('a command of somebody with too little permission', () => {
  it('gets a thumb down and a notice, and starts nothing', async () => {
    const scene = await newScene()
    scene.world.roles.set('stranger', read)
    const event = commandOf(person('stranger'), scene)
    const run = await scene.run({ event, inputs: { ...quiet, 'visitors-summary': 'true' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' }, summary: '' })
    expect(run.log).toMatch(/::notice .*stranger has the permission `read`.*`required-permission` is `write`/)
    expect(scene.github.requests).toEqual([
      'GET /collaborators/stranger/permission',
      'POST /issues/comments/5001/reactions -1',
    ])
    expect(scene.asked()).toEqual([])
    expect(scene.said()).toEqual([])
  })

  it.each([
    [
      'a new issue gets it on the issue',
      newIssue({ body, author: person('stranger') }),
      ['POST /issues/5/reactions -1'],
    ],
    ['a review gets no reaction: it can have none', review({ id: 1, body, author: person('stranger') }), []],
  ])('in %s', async (_what, event, reactions) => {
    const scene = await newScene()
    scene.github.faults.push({
      match: /^POST \/issues\/5\/reactions/,
      end: { status: 201, body: { id: 1, content: '-1' } },
    })
    const run = await scene.run({ event, inputs: quiet })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
    expect(scene.github.requests).toEqual(['GET /collaborators/stranger/permission', ...reactions])
    expect(run.log).not.toContain('::warning')
  })

  it('is not even told with `comment: never`', async () => {
    const scene = await newScene()
    const event = commandOf(person('stranger'), scene)
    const run = await scene.run({ event, inputs: { ...quiet, comment: 'never' } })
    expect(run.outputs['result']).toBe('skipped')
    expect(scene.github.requests).toEqual(['GET /collaborators/stranger/permission'])
  })
})

describe('a command of somebody who may ask', () => {
  it('starts nothing where GitHub does not say so, with a confused face and a warning', async () => {
    const scene = await newScene()
    scene.world.roles.set('octocat', admin)
    scene.github.faults.push({ match: /permission$/, end: { status: 503, body: { message: 'No' } } })
    const run = await scene.run({ event: commandOf(person('octocat'), scene), inputs: quiet })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
    expect(run.log).toMatch(/::warning .*permission of octocat: it answered 503/)
    expect(scene.reactions()).toEqual(['confused'])
    expect(scene.asked()).toEqual([])
  })

  it('starts a job at once where they are an allowed bot', async () => {
    const scene = await newScene()
    const event = commandOf(bot('renovate[bot]'), scene)
    const run = await scene.run({ event, inputs: { ...quiet, 'allow-bots': 'Renovate[bot]' } })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.github.requests[0]).toMatch(/eyes$/)
  })
})

describe('an event with a standing prompt', () => {
  const inputs = { ...quiet, prompt: 'Document it.', 'visitors-summary': 'true' }

  it('that anybody can cause starts nothing for anybody, no report either', async () => {
    const scene = await newScene()
    const event = otherEvent('watch', { sender: person('stranger') })
    const run = await scene.run({ event, inputs })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' }, summary: '' })
    expect(run.log).toMatch(/::notice .*`watch` event.*stranger.*`required-permission`/)
    expect(scene.github.requests).toEqual(['GET /collaborators/stranger/permission'])
    expect(scene.asked()).toEqual([])
  })

  it('starts a job where whoever caused it may ask', async () => {
    const scene = await newScene()
    scene.world.roles.set('octocat', admin)
    const event = otherEvent('watch', { sender: person('octocat') })
    const run = await scene.run({ event, inputs: { ...inputs, 'visitors-summary': 'false' } })
    expect(run.outputs['result']).toBe('pull-request')
  })

  it('that needs write permission anyway is not checked', async () => {
    const scene = await newScene()
    const event = push({ sender: person('stranger') })
    const run = await scene.run({
      event,
      inputs: { ...inputs, 'visitors-summary': 'false', 'ignore-authors': '', comment: 'never' },
    })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.github.requests.join()).not.toContain('permission')
  })
})

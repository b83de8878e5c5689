import { describe, expect, it } from 'vitest'
import { bot, issueComment, person } from './events.ts'
import { sceneStarter, writtenComment } from './scene.ts'
import type { Account } from './world.ts'

const newScene = sceneStarter()
const body = '/docs explain it'
const quiet = { context: 'none', 'follow-up': 'false' }

type Role = { readonly permission: string; readonly role_name: string }

async function ask(author: Account, role: Role | undefined, inputs: Record<string, string> = {}) {
  const scene = await newScene()
  if (role !== undefined) scene.world.roles.set(author.login.toLowerCase(), role)
  const { id } = writtenComment(scene.world, { author, body })
  return { scene, id, inputs: { ...quiet, ...inputs }, event: issueComment({ id, body, author }) }
}

const roles: readonly Role[] = [
  { permission: 'read', role_name: 'read' },
  { permission: 'read', role_name: 'triage' },
  { permission: 'write', role_name: 'write' },
  { permission: 'write', role_name: 'maintain' },
  { permission: 'admin', role_name: 'admin' },
]
const levels = roles.map(({ role_name: level }) => level)

describe('the permission of a commenter', () => {
  it.each(levels.flatMap((least) => levels.map((level) => [least, level] as const)))(
    'where %s is needed, %s is judged by the order of the levels',
    async (least, level) => {
      const role = roles.find(({ role_name: name }) => name === level)
      const { scene, event } = await ask(person('octocat'), role)
      const run = await scene.run({
        event,
        inputs: { 'required-permission': least, 'dry-run': 'true', ...quiet },
      })
      const granted = levels.indexOf(level) >= levels.indexOf(least)
      expect(run).toMatchObject({ exitCode: 0, outputs: { result: granted ? 'dry-run' : 'skipped' } })
    },
  )

  it('of a role that an organisation made is that of the role it comes from', async () => {
    const { scene, event, inputs } = await ask(person('octocat'), {
      permission: 'write',
      role_name: 'docs-writer',
    })
    const run = await scene.run({ event, inputs })
    expect(run.outputs['result']).toBe('pull-request')
  })

  it('that is too little gets a thumb down and a notice, and starts nothing', async () => {
    const { scene, id, event, inputs } = await ask(person('stranger'), {
      permission: 'read',
      role_name: 'read',
    })
    const run = await scene.run({ event, inputs })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
    expect(run.log).toMatch(/::notice title=Docs agent%3A skipped::.*stranger has the permission `read`/)
    expect(scene.github.requests).toEqual([
      'GET /collaborators/stranger/permission',
      `POST /issues/comments/${id}/reactions -1`,
    ])
    expect(scene.asked()).toEqual([])
    expect(scene.said()).toEqual([])
  })

  it('that is too little is not even told with `comment: never`', async () => {
    const { scene, event, inputs } = await ask(person('stranger'), undefined)
    const run = await scene.run({ event, inputs: { ...inputs, comment: 'never' } })
    expect(run.outputs['result']).toBe('skipped')
    expect(scene.github.requests).toEqual(['GET /collaborators/stranger/permission'])
  })

  it.each([403, 404, 429, 500])('that GitHub answers with %i is none', async (status) => {
    const { scene, event, inputs } = await ask(person('octocat'), roles[4])
    scene.github.faults.push({ match: /permission$/, end: { status, body: { message: 'No' } } })
    const run = await scene.run({ event, inputs })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
    expect(run.log).toContain(`it answered ${status}`)
    expect(scene.asked()).toEqual([])
    expect(scene.reactions()).toEqual(['-1'])
  })

  it('that GitHub answers with nonsense is none', async () => {
    const { scene, event, inputs } = await ask(person('octocat'), roles[4])
    scene.github.faults.push({ match: /permission$/, end: { status: 200, body: '<html>' } })
    expect((await scene.run({ event, inputs })).outputs['result']).toBe('skipped')
  })

  it('without a token is none', async () => {
    const { scene, event, inputs } = await ask(person('octocat'), roles[4])
    const run = await scene.run({ event, inputs: { ...inputs, 'github-token': '' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
    expect(run.log).toContain('there is no `github-token`')
    expect(scene.github.requests).toEqual([])
  })

  it('of an allowed bot is not asked for', async () => {
    const { scene, event, inputs } = await ask(bot('renovate[bot]'), undefined)
    const run = await scene.run({ event, inputs: { ...inputs, 'allow-bots': 'Renovate[bot]' } })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.github.requests[0]).toMatch(/eyes$/)
  })

  it('of a person named like an allowed bot is asked for', async () => {
    const { scene, event, inputs } = await ask(person('renovate[bot]'), undefined)
    const run = await scene.run({ event, inputs: { ...inputs, 'allow-bots': 'renovate[bot]' } })
    expect(run.outputs['result']).toBe('skipped')
    expect(scene.github.requests[0]).toBe('GET /collaborators/renovate%5Bbot%5D/permission')
  })
})

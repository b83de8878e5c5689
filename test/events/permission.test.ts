import { describe, expect, it } from 'vitest'
import { type Decision, sceneStarter } from '../support/decisions.ts'
import { event, issueComment, person } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { addComment, type Role } from '../support/world.ts'

const startScene = sceneStarter()
const octocat = person('octocat')
const body = '/docs explain it'
const command = issueComment({ id: 5001, body, author: octocat })
const watch = event('watch', { sender: octocat })
const ASK = 'GET /collaborators/octocat/permission'
const reaction = (content: string): string => `POST /issues/comments/5001/reactions ${content}`
const own = { permission: 'write', role_name: 'docs-writer' }
const LEVELS = ['read', 'triage', 'write', 'maintain', 'admin']

async function newScene(role?: Role, answer?: GitHubFault['end']) {
  const scene = await startScene()
  addComment(scene.world, { kind: 'main', number: 5, author: octocat, body })
  if (role !== undefined) scene.world.roles.set('octocat', role)
  if (answer !== undefined) scene.github.faults.push({ match: /permission$/, end: answer })
  return scene
}

function expectSkip(decision: Decision, level: string, why: string, what = 'the command /docs'): void {
  const reason = `Skipped: ${why}, and ${what} needs \`write\` (\`required-permission\`).`
  expect(decision).toMatchObject({ result: `skipped (${level})`, reason })
}

describe('the permission of somebody who asks', () => {
  // A role that an organization made is what it grants.
  it.each<[Role, string[]]>([
    [{ permission: 'none', role_name: '' }, []],
    [{ permission: 'read', role_name: 'read' }, ['read']],
    [{ permission: 'read', role_name: 'triage' }, ['read', 'triage']],
    [{ permission: 'write', role_name: 'write' }, ['read', 'triage', 'write']],
    [{ permission: 'write', role_name: 'maintain' }, ['read', 'triage', 'write', 'maintain']],
    [{ permission: 'admin', role_name: 'admin' }, LEVELS],
    [{ ...own }, ['read', 'triage', 'write']],
    [{ ...own, permissions: null }, ['read', 'triage', 'write']],
    [{ ...own, permissions: { pull: false } }, []],
    [{ ...own, permissions: { pull: true } }, ['read']],
    [{ ...own, permissions: { triage: true } }, ['read', 'triage']],
    [{ ...own, permissions: { triage: true, push: true } }, ['read', 'triage', 'write']],
    [{ ...own, permissions: { push: true, maintain: true } }, ['read', 'triage', 'write', 'maintain']],
    [{ ...own, permissions: { admin: true } }, LEVELS],
  ])('%j reaches %j', async (role, levels) => {
    const reached: string[] = []
    for (const level of LEVELS) {
      const { decide } = await newScene(role)
      const inputs = { comment: 'never', 'required-permission': level }
      if ((await decide({ event: command, inputs })).result === 'goes on') reached.push(level)
    }
    expect(reached).toEqual(levels)
  })

  it('is refused with its level and the level that is needed', async () => {
    const { decide } = await newScene({ permission: 'read', role_name: 'triage' })
    const why = 'octocat has the permission `triage` on this repository'
    expectSkip(await decide({ event: command }), 'notice', why)
  })

  it('does not count for another account, nor where the event gives no id', async () => {
    const { decide } = await newScene({ permission: 'admin', role_name: 'admin', id: 1 })
    expectSkip(await decide({ event: command }), 'notice', "octocat is another account's login now")
    const withoutId = event('watch', { sender: { ...octocat, id: undefined } })
    const decision = await decide({ event: withoutId, inputs: { prompt: 'Go.' } })
    const why = 'the event does not give the id of octocat'
    expectSkip(decision, 'notice', why, 'a job for this `watch` event')
    expect(decision.requests).toEqual([])
  })

  it.each<[GitHubFault['end'], number, string]>([
    [
      '401',
      1,
      'GitHub refused `github-token` (401, "Bad credentials"): it is invalid or has expired; the token of a GitHub App expires after one hour',
    ],
    ['500', 3, 'GitHub returned 500 ("Server Error")'],
    ['empty', 3, 'GitHub returned 200 without a readable body'],
    [{ status: 200, body: { permission: 'admin' } }, 1, 'GitHub named no account in its response'],
  ])('can not be told where GitHub answers %j: that is no refusal', async (end, times, why) => {
    const { decide } = await newScene(undefined, end)
    const decision = await decide({ event: command })
    const could = `Skipped: the permission of octocat could not be read: ${why}.`
    const needs = 'needs `write` (`required-permission`).'
    expect(decision).toMatchObject({
      result: 'skipped (warning)',
      reason: `${could} The command /docs ${needs} Repeat the command later.`,
    })
    expect(decision.requests).toEqual([...Array.from({ length: times }, () => ASK), reaction('confused')])
    const watched = await decide({ event: watch, inputs: { prompt: 'Go.' } })
    expect(watched.reason).toBe(`${could} A job for this \`watch\` event ${needs}`)
    expect(watched.requests.join()).not.toContain('reactions')
  })

  it('is refused with a thumb down where GitHub knows none', async () => {
    const { decide } = await newScene(undefined, '404')
    const decision = await decide({ event: command })
    expectSkip(decision, 'notice', 'octocat has no permission on this repository (404)')
    expect(decision.requests).toEqual([ASK, reaction('-1')])
  })

  it('that is refused on a re-run leaves one reaction, the last one', async () => {
    const { decide, github, world } = await newScene({ permission: 'read', role_name: 'read' })
    await decide({ event: command })
    github.faults.push({ match: /permission$/, end: '403' })
    await decide({ event: command, env: { GITHUB_RUN_ATTEMPT: '2' } })
    expect(world.reactions.map(({ content }) => content)).toEqual(['confused'])
  })

  it('is of no use in a run that was cancelled, can not be told without a token, and nothing is reacted to', async () => {
    const { decide } = await newScene()
    const cancelled = await decide({ event: command, cancel: AbortSignal.abort() })
    expect(cancelled.requests.join()).not.toContain('reactions')
    const withoutToken = await decide({ event: command, inputs: { 'github-token': '' } })
    expect(withoutToken).toMatchObject({ result: 'skipped (warning)', requests: [], logged: [] })
    expect(withoutToken.reason).toContain('there is no `github-token`')
  })
})

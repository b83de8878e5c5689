import { describe, expect, it } from 'vitest'
import { sceneStarter } from '../support/decisions.ts'
import { event, issueComment, person } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { addComment, type Role } from '../support/world.ts'

const startScene = sceneStarter()
const octocat = person('octocat')
const command = issueComment({ id: 5001, body: '/docs explain it', author: octocat })
const watch = event('watch', { sender: octocat })
const ASK = 'GET /collaborators/octocat/permission'
const LEVELS = ['read', 'triage', 'write', 'maintain', 'admin']

async function newScene() {
  const scene = await startScene()
  addComment(scene.world, { kind: 'main', number: 5, author: octocat, body: '/docs explain it' })
  return scene
}

/** Which levels of `required-permission` a role reaches. */
async function reached(role: Role): Promise<readonly string[]> {
  const { world, decide } = await newScene()
  world.roles.set('octocat', role)
  const levels: string[] = []
  for (const level of LEVELS) {
    const inputs = { comment: 'never', 'required-permission': level }
    if ((await decide({ event: command, inputs })).result === 'goes on') levels.push(level)
  }
  return levels
}

describe('the permission of somebody who asks', () => {
  it.each<[string, string, readonly string[]]>([
    ['none', '', []],
    ['read', 'read', ['read']],
    ['read', 'triage', ['read', 'triage']],
    ['write', 'write', ['read', 'triage', 'write']],
    ['write', 'maintain', ['read', 'triage', 'write', 'maintain']],
    ['admin', 'admin', ['read', 'triage', 'write', 'maintain', 'admin']],
    ['write', 'docs-writer', ['read', 'triage', 'write']],
  ])('%s with the role %j reaches %j', async (permission, role_name, levels) => {
    expect(await reached({ permission, role_name })).toEqual(levels)
  })

  it.each<[string, Readonly<Record<string, boolean>>, readonly string[]]>([
    ['nothing', { pull: false }, []],
    ['pull', { pull: true }, ['read']],
    ['triage', { triage: true }, ['read', 'triage']],
    ['push', { triage: true, push: true }, ['read', 'triage', 'write']],
    ['maintain', { push: true, maintain: true }, ['read', 'triage', 'write', 'maintain']],
    ['admin', { admin: true }, ['read', 'triage', 'write', 'maintain', 'admin']],
  ])('of a role that an organization made is what it grants: %s', async (_what, permissions, levels) => {
    expect(await reached({ permission: 'write', role_name: 'docs-writer', permissions })).toEqual(levels)
  })

  it('does not count for another account, nor where the event gives no id', async () => {
    const { world, decide } = await newScene()
    world.roles.set('octocat', { permission: 'admin', role_name: 'admin', id: 1 })
    const inputs = { comment: 'never', prompt: 'Go.' }
    expect(await decide({ event: command, inputs })).toMatchObject({
      result: 'skipped (notice)',
      reason:
        "Skipped: octocat is another account's login now, and the command /docs needs `write` (`required-permission`).",
    })
    const withoutId = event('watch', { sender: { ...octocat, id: undefined } })
    expect(await decide({ event: withoutId, inputs })).toMatchObject({
      result: 'skipped (notice)',
      reason:
        'Skipped: the event does not give the id of octocat, and a job for this `watch` event needs `write` (`required-permission`).',
      requests: [],
    })
  })

  it('is refused with a thumb down where GitHub knows none', async () => {
    const { github, decide } = await newScene()
    github.faults.push({ match: /permission$/, end: '404' })
    expect(await decide({ event: command })).toMatchObject({
      result: 'skipped (notice)',
      reason:
        'Skipped: octocat has no permission on this repository (404), and the command /docs needs `write` (`required-permission`).',
      requests: [ASK, 'POST /issues/comments/5001/reactions -1'],
    })
  })

  it.each<[GitHubFault['end'], number, string]>([
    ['401', 1, 'GitHub returned 401 ("Bad credentials")'],
    ['403', 1, 'GitHub returned 403 ("Forbidden")'],
    ['422', 1, 'GitHub returned 422 ("Validation Failed")'],
    ['500', 3, 'GitHub returned 500 ("Server Error")'],
    ['html', 3, 'GitHub returned 200 without a readable body'],
    ['empty', 3, 'GitHub returned 200 without a readable body'],
    [{ status: 200, body: { permission: 'admin' } }, 1, 'GitHub named no account in its response'],
  ])('can not be told where GitHub answers %j: that is no refusal', async (end, times, why) => {
    const { github, decide } = await newScene()
    github.faults.push({ match: /permission$/, end })
    const decision = await decide({ event: command })
    expect(decision).toMatchObject({
      result: 'skipped (warning)',
      reason: `Skipped: failed to read the permission of octocat: ${why}, and the command /docs needs \`write\` (\`required-permission\`).`,
      requests: [
        ...Array.from({ length: times }, () => ASK),
        'POST /issues/comments/5001/reactions confused',
      ],
    })
    const watched = await decide({ event: watch, inputs: { prompt: 'Go.' } })
    expect(watched.result).toBe('skipped (warning)')
    expect(watched.requests.join()).not.toContain('reactions')
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

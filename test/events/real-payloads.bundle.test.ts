import { expect, it } from 'vitest'
import { event } from '../support/events.ts'
import { startScene as newScene } from '../support/scene.ts'

it.each([
  ['push', '', 'none', 'submitted', /Job started/],
  ['workflow_dispatch', '', 'none', 'submitted', /Job started/],
  ['star', 'created', 'write', 'submitted', /Job started/],
  ['star', 'created', 'read', 'skipped', /Skipped: Codertocat has the permission `read` on this repository/],
  ['pull_request', 'opened', 'none', 'skipped', /Skipped: Codertocat has the permission `none`/],
  [
    'issue_comment',
    'created',
    'write',
    'skipped',
    /Skipped: the comment does not start with \/docs as plain text\./,
  ],
  ['security_advisory', 'published', 'write', 'skipped', /Skipped: the event does not say who caused it/],
])(
  "GitHub's own %s %s, by someone with the permission %s, ends as %s",
  async (name, action, role, result, says) => {
    const { run: act, world, docs } = await newScene()
    const one = event(name, action === '' ? {} : { action })
    const { login = '', id = 0 } = one.payload.sender ?? {}
    world.roles.set(`${login}`.toLowerCase(), { permission: role, role_name: role, id: id ?? 0 })
    const run = await act({
      event: one,
      inputs: { prompt: 'Document it.', wait: 'false', comment: 'always' },
    })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result } })
    expect(run.log).toMatch(says)
    expect(docs.requests.length).toBe(result === 'submitted' ? 1 : 0)
  },
)

import { expect, it } from 'vitest'
import { author, eventOf, expectSkip, J1, opening, startScene } from '../stories/scene.ts'
import { bareEvent, type Event, event, pullRequest } from '../support/events.ts'
import { AGENT } from '../support/world.ts'

const GONE = { after: '0'.repeat(40), deleted: true, commits: [], head_commit: null }
const QUEUE = 'refs/heads/gh-readonly-queue/main/pr-5-abc'
const own = { user: AGENT, state: 'open' }

/** Events about which the payload says enough. */
const NOTHING: readonly { readonly what: string; readonly on: Event }[] = [
  { what: 'a deleted branch', on: event('push', { ref: 'refs/heads/flag', ...GONE }) },
  { what: 'a deleted tag', on: event('push', { ref: 'refs/tags/v1.0.0', ...GONE }) },
  { what: '`delete`', on: event('delete', { ref: 'flag', ref_type: 'branch' }) },
  { what: 'a deleted release', on: event('release', { action: 'deleted' }) },
  {
    what: 'a pull request closed without a merge',
    on: pullRequest({ action: 'closed', pull: { merged: false } }),
  },
  {
    what: 'a failed deployment',
    on: event('deployment_status', { deployment_status: { state: 'failure' } }),
  },
  { what: 'the merge queue', on: bareEvent('merge_group') },
  { what: 'a push of the merge queue', on: event('push', { ref: QUEUE }) },
  { what: "the agent's pull request", on: pullRequest({ pull: own }) },
  { what: "the agent's push", on: event('push', { sender: AGENT }) },
  { what: "the agent's release", on: event('release', { action: 'published', sender: AGENT }) },
]

it.each(NOTHING)('$what needs no docs, and no request', async ({ on }) => {
  const { step } = await startScene()
  const end = await step(on)
  expectSkip(end)
  expect([end.requests, end.titles.length]).toEqual([[], 1])
})

it('the visitors report is written all the same, and a run that only waits waits', async () => {
  const { step, inputs, world } = await startScene()
  const [{ on } = { on: bareEvent('') }] = NOTHING
  const report = await step(on, { inputs: { ...inputs, 'visitors-summary': 'true' } })
  expect(report.outputs['result']).toBe('skipped')
  expect(report.calls.filter((call) => call.includes('visitors')).length).toBeGreaterThan(0)
  world.roles.set('octocat', { permission: 'read', role_name: 'read' })
  const watched = event('watch', { sender: author })
  expectSkip(await step(watched, { inputs: { ...inputs, 'visitors-summary': 'true' } }))
  const waits = await step(on, { inputs: { 'job-id': 'j7' }, replies: opening('j7', 200) })
  expect([waits.calls[0], waits.outputs['result']]).toEqual(['GET /job/j7', 'pull-request'])
  expect(waits.started).toEqual([])
})

it('a merge by a merge queue needs docs', async () => {
  const { code, step, world } = await startScene()
  world.branches.set('main', code.fields.head?.sha ?? '')
  Object.assign(code.fields, { merged: true, merge_commit_sha: code.fields.head?.sha })
  const end = await step({ ...eventOf(code, 'closed') }, J1)
  expect(end.started).toEqual(['create'])
})

it('a dispatch by hand starts a job for what a push would not', async () => {
  const { push, step } = await startScene()
  expectSkip(await push({}, ['tests/a.test.ts']), 'tests')
  const byHand = event('workflow_dispatch', { sender: author })
  expect((await step(byHand, J1)).started).toEqual(['create'])
})

import { describe, expect, it } from 'vitest'
import { bareEvent, bot, event, pushOf } from '../support/events.ts'
import { addCommit, addPull, mergePull } from '../support/world.ts'
import { expectSkip, J1, opening, startScene } from './scene.ts'

const SCHEDULE = bareEvent('schedule')

it.each([
  { files: ['.pre-commit-config.yaml', 'codecov.yml'], is: 'tooling' },
  { files: ['GEMINI.md', '.windsurf/rules.md', '.editorconfig'], is: 'tooling' },
  { files: ['docs/guide.mdx', 'README.md', 'docs/flag.png'], is: 'documentation' },
  { files: ['tests/flag.test.ts', 'package-lock.json'], is: 'tests' },
])('skips a push that only changes $files', async ({ files, is }) => {
  const { push } = await startScene()
  expectSkip(await push({}, files), is)
})

it.each([
  ['packages/testing/src/render.ts'],
  ['django/test/client.py'],
  ['packages/test-utils/index.ts'],
  ['schemas/pet-id.json'],
  ['rules/no.yml'],
  ['notes/design.md'],
])('starts a job for a push that changes %s', async (file) => {
  const { push } = await startScene()
  expect((await push(J1, [file])).started).toEqual(['create'])
})

it.each(['dependabot[bot]', 'renovate[bot]', 'pre-commit-ci[bot]'])(
  'skips merged pull requests of %s, and gives their commits to the next job',
  async (login) => {
    const { push, step, world } = await startScene()
    const before = world.branches.get('main') ?? ''
    const bump = addPull(world, {
      number: 8,
      title: 'Bump a',
      user: bot(login),
      files: ['src/a.ts'],
    })
    mergePull(world, bump)
    expectSkip(await step(pushOf(world, before)), login.slice(0, 5))
    const next = await push(J1)
    expect(next.started).toEqual(['create'])
  },
)

it('a skip leaves the record, so that the next job compares with the last one that succeeded', async () => {
  const { push, world } = await startScene()
  await push(J1)
  const base = world.branches.get('main') ?? ''
  expectSkip(await push({}, ['tests/flag.test.ts']), 'tests')
  const next = await push(J1)
  expect(next.requests.join('\n')).toContain(`/compare/${base.slice(0, 7)}...`)
})

it('a job with `context: none` is no base for a later one, and no reason to skip it', async () => {
  const { push, step, inputs, world } = await startScene()
  await push(J1)
  const base = world.branches.get('main') ?? ''
  addCommit(world, { files: ['src/b.ts'] })
  const plain = { ...inputs, context: 'none' }
  const byHand = { name: 'workflow_dispatch', payload: {} }
  await step(byHand, { inputs: plain, replies: opening('j1', 200) })
  const scheduled = await step(SCHEDULE, J1)
  expect(scheduled.started).toEqual(['message to j1'])
  expect(scheduled.requests.join('\n')).toContain(`/compare/${base.slice(0, 7)}...`)
})

it('skips a schedule without new commits, and a tag on the commit of the last job', async () => {
  const { push, step, world } = await startScene()
  await push(J1)
  expectSkip(await step(SCHEDULE), 'same commit')
  const sha = world.branches.get('main') ?? ''
  world.tags.set('v1.2.0', sha)
  const tag = event('push', {
    ref: 'refs/tags/v1.2.0',
    before: '0'.repeat(40),
    after: sha,
    created: true,
  })
  expectSkip(await step(tag, { env: { GITHUB_REF: 'refs/tags/v1.2.0' } }), 'same commit')
})

describe('a docs pull request that waits', () => {
  it('takes no update at all with `pause-after: 0s`', async () => {
    const { push, inputs } = await startScene()
    await push(J1)
    expectSkip(await push({ inputs: { ...inputs, 'pause-after': '0s' } }), 'has been open')
  })
})

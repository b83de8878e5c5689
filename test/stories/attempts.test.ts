import { expect, it } from 'vitest'
import { commentIn, pushTo } from '../support/events.ts'
import { addCommit } from '../support/world.ts'
import { author, docsLink, J1, opening, startScene } from './scene.ts'

it('a command that two steps hear starts one job', async () => {
  const { step, world, statuses } = await startScene()
  const event = commentIn(world, {
    number: 77,
    author,
    association: 'MEMBER',
    body: '/docs Explain.',
  })
  const options = { inputs: {}, runId: 7, replies: opening('j1', 200) }
  const first = await step(event, options)
  const second = await step(event, { ...options, runId: 8, env: { GITHUB_ACTION: 'other' } })
  expect([first.started, second.started]).toEqual([['create'], []])
  expect(second.outputs['result']).toBe('skipped')
  expect(statuses().every((one) => one.startsWith('success: '))).toBe(true)
})

it('of two steps that begin at the same time, the one that recorded its start first goes on', async () => {
  const { step, world } = await startScene()
  const event = commentIn(world, {
    number: 77,
    author,
    association: 'MEMBER',
    body: '/docs Explain.',
  })
  const options = { inputs: {}, replies: opening('j1', 200) }
  const [one, other] = await Promise.all([
    step(event, { ...options, runId: 7 }),
    step(event, { ...options, runId: 8, env: { GITHUB_ACTION: 'other' } }),
  ])
  expect([...one.started, ...other.started]).toEqual(['create'])
  const again = await step(event, {
    ...options,
    runId: 8,
    attempt: 2,
    env: { GITHUB_ACTION: 'other' },
  })
  expect(again.started).toEqual([])
})

it.each([
  { kind: 'a push', killAtMs: 100 },
  { kind: 'a push', killAtMs: 6000 },
  { kind: 'a command', killAtMs: 100 },
  { kind: 'a command', killAtMs: 6000 },
])('a re-run after $kind was killed at $killAtMs ms starts no second job', async (row) => {
  const { step, world, inputs } = await startScene()
  const isCommand = row.kind === 'a command'
  const event = isCommand
    ? commentIn(world, { number: 77, author, body: '/docs Explain.' })
    : pushTo(world, { author, files: ['src/a.ts'] })
  const options = { inputs: isCommand ? {} : inputs, runId: 9, replies: opening('j1', 200) }
  const killed = await step(event, { ...options, killAtMs: row.killAtMs })
  const again = await step(event, { ...options, attempt: 2 })
  expect([...killed.started, ...again.started].length).toBe(1)
})

it('a job whose answer was lost is started by no re-run, and noted by the next run', async () => {
  const { push, step, world } = await startScene()
  const event = pushTo(world, { author, files: ['src/a.ts'] })
  await step(event, { runId: 9, replies: { post: [{ breaks: 'before' }] } })
  const again = await step(event, { runId: 9, attempt: 2 })
  expect([again.calls, again.outputs['result'], again.hasFailed]).toEqual([[], 'error', true])
  const next = await push({ replies: opening('j2', 200) })
  expect(next.started).toEqual(['create'])
  expect(next.titles.join()).toContain('may have started a job')
})

it.each(['failed', 'archived'])('a re-run after a job that %s starts a new one', async (status) => {
  const { step, world } = await startScene()
  const event = pushTo(world, { author, files: ['src/a.ts'] })
  const replies = { post: [{ body: { id: 'j1' } }], get: [status] }
  await step(event, { runId: 9, replies })
  const get = [status, 'active', { body: { status: 'completed', prLink: docsLink(200) } }]
  const again = await step(event, {
    runId: 9,
    attempt: 2,
    replies: { post: [{ body: { id: 'j2' } }], get },
  })
  expect([again.started, again.outputs['pr-link']]).toEqual([['create'], docsLink(200)])
})

it('a rotated key and another token find the job', async () => {
  const { push, inputs, world } = await startScene()
  await push(J1)
  Object.assign(world, { viewer: { login: 'docs-app[bot]', id: 4711, type: 'Bot' } })
  const other = { ...inputs, 'api-key': 'mint_rotated_0123456789' }
  expect((await push({ inputs: other, replies: opening('j1', 200) })).started).toEqual([
    'message to j1',
  ])
})

it('a record that is more than 250 commits back is repeated by a skip, and found after it', async () => {
  const { push, world } = await startScene()
  await push(J1)
  for (let count = 0; count < 260; count++) addCommit(world, { files: ['tests/a.test.ts'] })
  const skipped = await push({}, ['tests/b.test.ts'])
  expect(skipped.outputs['result']).toBe('skipped')
  const own = world.branches.get('main')
  expect(world.statuses.filter(({ sha }) => sha === own).length).toBe(1)
  expect((await push(J1)).started).toEqual(['message to j1'])
})

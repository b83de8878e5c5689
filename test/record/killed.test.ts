import { describe, expect, it } from 'vitest'
import { author, J1, startScene } from '../stories/scene.ts'
import { commentIn, pushTo } from '../support/events.ts'
import type { FaultName, GitHubFault } from '../support/github.ts'

const SLOW = { post: [{ takesMs: 5000 }] }
const REPLY = /^POST \/issues\/77\/comments$/

/** A scene, and the last words of its reply. */
async function startCommand() {
  const scene = await startScene()
  const reply = () => scene.said()[0]?.at(-1) ?? ''
  return { ...scene, reply, sign: () => [...reply()][0] }
}

describe('the post step of a killed run', () => {
  it('ends the reply with how to wait for the job', async () => {
    const { command, reply, statuses } = await startCommand()
    await command('/docs Explain.', 77, { ...J1, killAtMs: 3000 })
    expect(reply()).toMatch(/^🛑[\s\S]*The job may still be running\.[\s\S]*`job-id: j1`/)
    expect(statuses().at(-1)).toContain('Interrupted')
  })

  it('ends a reply that GitHub was asked to write, and its state has no secret', async () => {
    const { command, github, sign, said } = await startCommand()
    github.faults.push({ match: REPLY, end: { delayMs: 2000 } })
    const { state } = await command('/docs explain mint_0123456789', 77, { killAtMs: 1000 })
    expect([sign(), said().length]).toEqual(['🛑', 1])
    expect(JSON.stringify([state, said()])).not.toContain('mint_0123456789')
  })

  it('says in a review thread that a job may be running, if Mintlify has not answered', async () => {
    const { step, world, reply } = await startCommand()
    const on = commentIn(world, { kind: 'review', number: 77, author, body: '/docs This line.' })
    const { post } = await step(on, { inputs: {}, replies: SLOW, killAtMs: 3000 })
    expect(reply()).toContain('If a job was started')
    expect(post.summary).toContain('a job may be running')
    expect(world.comments.at(-1)?.kind).toBe('review')
  })

  it.each([
    { what: 'before anything is sent', killAtMs: 1000, isSlow: true, says: 'It started no job.' },
    { what: 'during the create', killAtMs: 1000, isSlow: false, says: 'a job may be running' },
    { what: 'while it waits', killAtMs: 7000, isSlow: false, says: 'job-id: j1' },
  ])('reports a run that was killed $what', async ({ killAtMs, isSlow, says }) => {
    const { push, github } = await startScene()
    if (isSlow) github.faults.push({ match: /./, end: { delayMs: 5000 } })
    const replies = killAtMs > 5000 ? { get: ['active'] } : SLOW
    const { post } = await push({ replies, killAtMs })
    expect([post.summary.includes(says), post.hasFailed, post.calls]).toEqual([true, false, []])
  })

  it('keeps the result of a run that was killed after it knew it', async () => {
    const { push, github, statuses } = await startScene()
    github.faults.push({ match: /DocsPull/, end: 'hang' })
    const { outputs, summary, post } = await push({ ...J1, killAtMs: 11_000 })
    expect(outputs).toMatchObject({
      result: 'pull-request',
      'pr-number': '200',
      status: 'completed',
    })
    expect(summary).toContain('ready for review')
    expect([post.summary, post.titles]).toEqual(['', []])
    expect(statuses().at(-1)).toContain('#200')
  })
})

it('a run that was killed before it recorded anything is started by a re-run', async () => {
  const { step, world, github } = await startScene()
  const on = pushTo(world, { author, files: ['src/a.ts'] })
  github.faults.push({ match: /^POST \/statuses\//, end: '502', times: 1 })
  const killed = await step(on, { ...J1, runId: 9, killAtMs: 500 })
  const again = await step(on, { ...J1, runId: 9, attempt: 2 })
  expect([killed.started, again.started]).toEqual([[], ['create']])
})

it('a re-run that cannot read the record starts no job, without `follow-up`, too', async () => {
  const { step, world, inputs, github } = await startScene()
  const given = { inputs: { ...inputs, 'follow-up': 'false' }, runId: 9, ...J1 }
  const on = pushTo(world, { author, files: ['src/a.ts'] })
  await step(on, given)
  github.faults.push({ match: /graphql Repository/, end: '502' })
  const again = await step(on, { ...given, attempt: 2 })
  expect([again.calls, again.outputs['result']]).toEqual([[], 'error'])
})

const body = { message: 'You have exceeded a secondary rate limit.' }
const limit = { status: 403, body, headers: { 'retry-after': '50' } }
it.each<{ what: string; end: GitHubFault['end']; recoversMs: number }>([
  { what: 'a secondary limit', end: limit, recoversMs: 45_000 },
  ...(['502', 'empty'] as FaultName[]).map((end) => ({ what: end, end, recoversMs: 30_000 })),
  ...(['404', '403', '422'] as FaultName[]).map((end) => ({ what: end, end, recoversMs: 0 })),
])('the post step makes the last edit, which failed with $what', async ({ end, recoversMs }) => {
  const { command, clock, github, sign, statuses } = await startCommand()
  clock.at(clock.now() + 7000, () => github.faults.push({ match: /./, end }))
  const run = await command('/docs Explain.', 77, {
    ...J1,
    beforePost() {
      expect(sign()).toBe('⏳')
      if (recoversMs === 0) github.faults.splice(0)
      else clock.at(clock.now() + recoversMs, () => github.faults.splice(0))
    },
  })
  expect([run.outputs['result'], run.hasFailed, sign()]).toEqual(['pull-request', false, '✅'])
  expect(statuses().at(-1)).toContain('ready for review')
})

it('a reply that may have arrived is looked for before it is written again', async () => {
  const { command, github, world } = await startCommand()
  github.faults.push({ match: REPLY, end: 'lost', times: 1 })
  await command('/docs Explain.', 77, J1)
  expect(world.comments.filter(({ number }) => number === 77)).toHaveLength(2)
})

it.each([{ isDeleted: true }, { isDeleted: false }])(
  'a reply that is gone ($isDeleted) is written again, and one that only seems so is edited',
  async ({ isDeleted }) => {
    const { command, clock, github, world, said } = await startCommand()
    clock.at(clock.now() + 7000, () => {
      const at = world.comments.findIndex(({ author: by }) => by.id === world.viewer.id)
      if (isDeleted) world.comments.splice(at, 1)
      else github.faults.push({ match: /^PATCH /, end: '404', times: 1 })
    })
    const { warnings } = await command('/docs Explain.', 77, J1)
    const replies = said().filter((one) => one.at(-1)?.startsWith('✅'))
    expect([replies.length, warnings]).toEqual([1, []])
  },
)

describe('a run that is canceled', () => {
  it.each([
    { what: 'while it reads the record', cancelAtMs: 1000, slow: /graphql/, started: [] },
    { what: 'while it records', cancelAtMs: 1000, slow: /statuses/, started: [] },
    { what: 'while it waits', cancelAtMs: 6000, slow: /nothing/, started: ['create'] },
  ])('$what ends within 5 s', async ({ cancelAtMs, slow, started }) => {
    const { push, github, statuses } = await startScene()
    github.faults.push({ match: slow, end: 'slow' })
    const end = await push({ cancelAtMs, replies: { post: [{ body: { id: 'j1' } }] } })
    expect([end.started, end.outputs['result'], end.hasFailed]).toEqual([
      started,
      'cancelled',
      true,
    ])
    expect(end.tookMs).toBeLessThanOrEqual(cancelAtMs + 5000)
    expect(end.titles).toEqual([expect.stringContaining('Canceled')])
    if (started.length > 0) expect(statuses().at(-1)).toContain('Canceled')
  })

  it.each([{ isFailing: false }, { isFailing: true }])(
    'ends its reply, by the post step if GitHub fails ($isFailing)',
    async ({ isFailing }) => {
      const { command, clock, github, sign, reply } = await startCommand()
      const fail = () => github.faults.push({ match: /./, end: '502' })
      if (isFailing) clock.at(clock.now() + 5500, fail)
      const { tookMs, warnings } = await command('/docs Explain.', 77, {
        replies: { post: [{ body: { id: 'j1' } }] },
        cancelAtMs: 6000,
        beforePost() {
          expect(sign()).toBe(isFailing ? '⏳' : '🛑')
          github.faults.splice(0)
        },
      })
      expect([tookMs <= 6000 + 5000, warnings]).toEqual([true, []])
      expect(reply()).toMatch(/^🛑.*still running/)
    },
  )
})

import { expect, it } from 'vitest'
import { bareEvent } from '../support/events.ts'
import { type Harness, type RunOptions, startHarness } from '../support/harness.ts'
import { CHANGED, merge, nothing, UNCHANGED } from './unchanged.cases.ts'

const event = bareEvent('schedule')
const usual = { prompt: 'Document it.', context: 'none', wait: 'false', 'skip-unchanged': 'true' }

/** A second run on a schedule, after what happens since the first one, which started a job. */
async function runAfter(
  happen: (harness: Harness) => unknown,
  { inputs, ...options }: RunOptions = {},
) {
  const harness = await startHarness({ replies: {} })
  await harness.run({ event, inputs: usual })
  await harness.clock.sleep(1000)
  await happen(harness)
  const before = harness.statuses().length
  const end = await harness.run({ event, ...options, inputs: { ...usual, ...inputs } })
  return { ...end, set: harness.statuses().length - before }
}

it.each(UNCHANGED)(
  '`skip-unchanged` skips a schedule and sets no status where %s since',
  async (_what, happen) => {
    const end = await runAfter(happen)
    expect(end).toMatchObject({
      hasFailed: false,
      outputs: { result: 'skipped' },
      calls: [],
      set: 0,
    })
    expect(end.log.join('\n')).toMatch(
      /^notice: Skipped: no commit on this branch since this step's last job \(on [0-9a-f]{7}\) but the agent's own\.$/m,
    )
  },
)

it.each(CHANGED)('`skip-unchanged` lets a run start where %s', async (_what, happen, options) => {
  const end = await runAfter(happen, options)
  expect(end.outputs['result']).toBe('submitted')
  expect(end.calls.some((call) => call.startsWith('POST /job'))).toBe(true)
})

it('`skip-unchanged` works without follow-up, too, and says what permission it lacks', async () => {
  expect((await runAfter(nothing, { inputs: { 'follow-up': 'false' } })).outputs['result']).toBe(
    'skipped',
  )
  const forbidden = await runAfter((harness) => {
    merge(harness)
    harness.world.scopes.delete('pull-requests: write')
  })
  expect(forbidden.outputs).toMatchObject({ result: 'submitted' })
  expect(forbidden.log.join('\n')).toMatch(
    /^notice: `pull-requests: read` is missing .* read the commits' pull requests/m,
  )
})

it('`skip-unchanged` skips the job alone where a visitors report is requested', async () => {
  const end = await runAfter(nothing, { inputs: { 'visitors-summary': 'true' } })
  expect(end.outputs).toMatchObject({ result: 'skipped' })
  expect(end.calls.filter((call) => call !== 'GET /visitors')).toEqual([])
  expect(end.calls).toContain('GET /visitors')
})

import { expect } from 'vitest'
import { itWithScene } from '../look/runs.ts'
import { pushTo } from '../support/events.ts'

const it = itWithScene()
const isAnnotation = (line: string): boolean => /^(?:error|warning|notice): /.test(line)
const PROMPT = { prompt: 'Document it.' }
const LOOKUPS = ['StepStatuses', 'MergedPulls', '/compare/']

it.for([
  { name: 'is unavailable', end: '502', tries: 10, tookS: 117 },
  { name: 'answers with a part', end: { broken: 'repository' }, tries: 10, tookS: 117 },
  { name: 'asks to wait for 15 s', end: retryAfter('15'), tries: 8, tookS: 105 },
  { name: 'asks to wait for 16 s', end: retryAfter('16'), tries: 1, tookS: 0 },
  { name: 'does not answer', end: 'hang', tries: 6, tookS: 117 },
  { name: 'rejects the request', end: '403', tries: 1, tookS: 0 },
] as const)(
  'a needed lookup is repeated for two minutes if GitHub $name',
  async (row, { scene }) => {
    for (const place of LOOKUPS) {
      if (typeof row.end === 'object' && 'broken' in row.end && place === '/compare/') continue
      scene.github.faults.splice(0, Infinity, { match: new RegExp(place), end: row.end })
      const end = await scene.tell(pushTo(scene.world), { inputs: { ...PROMPT, context: 'diff' } })
      expect(end).toMatchObject({
        outputs: { result: 'error' },
        calls: [],
        tookMs: row.tookS * 1000,
      })
      expect(end.requests.filter((line) => line.includes(place))).toHaveLength(row.tries)
    }
  },
)

function retryAfter(seconds: string) {
  return { status: 403, body: { message: 'Wait.' }, headers: { 'retry-after': seconds } }
}

it('a run that was killed before it sent anything is started by a re-run', async ({ scene }) => {
  const told = { runId: 1001, inputs: PROMPT }
  const event = pushTo(scene.world)
  scene.github.faults.push({ match: /^POST \/statuses\//, end: '502', times: 1 })
  await scene.tell(event, { ...told, killAtMs: 1000 })
  expect((await scene.tell(event, { ...told, attempt: 2 })).calls[0]).toBe('POST /job')
})

it('a re-run that can not read the record does not start a job, without `follow-up`, too', async ({
  scene,
}) => {
  const told = { runId: 1001, inputs: { ...PROMPT, 'follow-up': 'false' } }
  const event = pushTo(scene.world)
  await scene.tell(event, { ...told, end: 'submitted' })
  scene.github.faults.push({ match: /\/statuses$/, end: '502' })
  const again = await scene.tell(event, { ...told, attempt: 2 })
  expect(again).toMatchObject({ outputs: { result: 'error' }, calls: [] })
})

it.for(['reviews', 'comments', 'commits'])(
  'a docs pull request that waits is not updated if its %s can not be read',
  async (broken, { scene }) => {
    const inputs = { ...PROMPT, 'pause-after': '14d' }
    await scene.tell(pushTo(scene.world), { end: 'pull-request', inputs })
    scene.github.faults.push({ match: /PullState/, end: { broken } })
    const { outputs, calls } = await scene.tell(pushTo(scene.world), { inputs })
    expect(outputs['result']).toBe('error')
    expect(calls).toEqual(['GET /job/job_1'])
  },
)

it('a permission that can not be read has one annotation, if no reaction works, too', async ({
  scene,
}) => {
  scene.github.faults.push({ match: /./, end: '502' })
  const { log, post } = await scene.ask()
  expect([...log, ...post.log].filter(isAnnotation)).toEqual([expect.stringMatching(/^warning: /)])
})

it('a record that can not be finished has one notice in both steps', async ({ scene }) => {
  scene.github.faults.push({ match: /^POST \/statuses\//, end: '502', after: 1 })
  const { log, post } = await scene.tell(pushTo(scene.world), { inputs: PROMPT })
  const annotations = [...log, ...post.log].filter(isAnnotation)
  expect(annotations.filter((line) => line.includes('502'))).toHaveLength(1)
})

import { expect, test } from 'vitest'
import { create, look, message, startedService, virtualClock } from './service-under-test.ts'

async function jobAfter(prompt: string, passMs = 1000) {
  const clock = virtualClock()
  const service = await startedService({ ...clock, jobTimeMs: 1000 })
  const { id } = await create(service, prompt)
  clock.pass(passMs)
  return { service, clock, id, job: await look(service, id) }
}

test.each([
  ['[agent: fail]', { status: 'failed', prLink: null, archivedAt: null }],
  ['[agent: archive]', { status: 'archived', prLink: null, archivedAt: '2026-08-03T12:00:01.000Z' }],
  ['[agent: no-change]', { status: 'completed', prLink: null, archivedAt: null }],
  ['Look at it again, make no changes.', { status: 'completed', prLink: null }],
  ['[AGENT:  Fail ]', { status: 'failed' }],
  ['[agent: dance]', { status: 'completed', prLink: expect.stringMatching(/\/acme\/docs\/pull\/1$/) }],
  ['[agent: gitlab]', { prLink: expect.stringMatching(/\/acme\/docs\/-\/merge_requests\/1$/) }],
])('%s ends as it says', async (prompt, expected) => {
  expect((await jobAfter(`Document it. ${prompt}`)).job).toMatchObject(expected)
})

test('[agent: takes 20s] sets how long the job is active', async () => {
  const { service, clock, id, job } = await jobAfter('Hello [agent: takes 20s]', 19_999)
  expect(job.status).toBe('active')
  clock.pass(1)
  expect((await look(service, id)).status).toBe('completed')
})

test('[agent: status …] shows unknown statuses in turn, after active, without a link', async () => {
  const prompt = 'Hello [agent: status reviewing 2s] [agent: status publishing 1s]'
  const { service, clock, id, job } = await jobAfter(prompt)
  expect(job).toMatchObject({ status: 'reviewing', prLink: null })
  clock.pass(2000)
  expect((await look(service, id)).status).toBe('publishing')
  clock.pass(1000)
  expect((await look(service, id)).status).toBe('completed')
})

test('[agent: takes 0s] with a status shows that status from the start', async () => {
  const service = await startedService(virtualClock())
  expect((await create(service, 'Hello [agent: takes 0s] [agent: status queued 5s]')).status).toBe('queued')
})

test('[agent: never] stays active until a message brings other work', async () => {
  const { service, clock, id, job } = await jobAfter('Hello [agent: never]', 1e9)
  expect(job.status).toBe('active')
  await message(service, id, 'Stop that')
  clock.pass(1000)
  expect(await look(service, id)).toMatchObject({ status: 'completed', prLink: expect.any(String) })
})

test('directives of a message hold for the work it asks for, and the link of earlier work stays', async () => {
  const { service, clock, id, job } = await jobAfter('Hello')
  await message(service, id, 'Nothing more [agent: no-change] [agent: takes 3s]')
  clock.pass(2999)
  expect((await look(service, id)).status).toBe('active')
  clock.pass(1)
  expect(await look(service, id)).toMatchObject({ status: 'completed', prLink: job.prLink })
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FAULT_KINDS } from '../../docs-service/faults.ts'
import { create, JOB, startService, statusOf } from './started-service.ts'

const HELLO = { body: { prompt: 'Hello' } }

test('a fault meets what it matches, as often as it says; of several, the first added one', async () => {
  const { service } = await startService()
  const { id } = await create(service, 'Hello')
  service.faults.add({ kind: 'status', status: 500, match: { path: 'message' } })
  service.faults.add({ kind: 'status', status: 502, match: { path: '/v1/', method: 'get' } })
  service.faults.add({ kind: 'status', status: 503, match: { path: 'look', nth: 3 }, times: 2 })
  service.faults.add({ kind: 'status', status: 504, match: { path: 'searches' }, times: 'always' })
  const statuses = async (call: string, count: number): Promise<number[]> => {
    const seen: number[] = []
    while (seen.length < count) seen.push(await statusOf(service, call))
    return seen
  }
  expect(await statuses(`GET ${JOB}/${id}`, 6)).toEqual([200, 200, 503, 503, 200, 200])
  expect(await statuses('GET /v1/analytics/docs/searches', 3)).toEqual([502, 504, 504])
  expect(await statusOf(service, `POST ${JOB}/${id}/message`, HELLO)).toBe(500)
  service.faults.clear()
  expect(await statuses('GET /v1/analytics/docs/searches', 1)).toEqual([200])
})

test('the README explains every kind of fault', () => {
  const readme = readFileSync(new URL('../../docs-service/README.md', import.meta.url), 'utf8')
  const named = [...readme.matchAll(/^\| `([a-z-]+)` +\| (?:yes|no)/gm)].map(([, name]) => name)
  expect(named).toEqual(FAULT_KINDS)
})

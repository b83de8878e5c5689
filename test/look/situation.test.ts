import { expect, it } from 'vitest'
import { addStatus, BEFORE } from '../support/world.ts'
import { PULL_URL, startFinishedJob } from './finished-job.ts'

it.each([
  ['conflicts', 'dirty', true],
  ['has no conflicts', 'clean', false],
  ['may conflict, and GitHub does not find out', 'unknown', false],
])(
  'a docs pull request that %s is asked about once more, 3 s later, while GitHub does not know',
  async (_what, mergeable_state, isTold) => {
    const { github, open, read, world } = await startFinishedJob()
    open({ mergeable_state })
    const context = 'Docs agent: docs (docs.yml, docs, agent)'
    const description = 'Done (j1)'
    addStatus(world, BEFORE, { context, state: 'success', description, target_url: PULL_URL })
    const pullRequest = { state: 'OPEN', mergeable: 'UNKNOWN' }
    const body = { data: { repository: { pullRequest } } }
    github.faults.push({ match: /PullState/, times: 1, end: { status: 200, body } })
    const inputs = { 'job-id': '', prompt: 'Do it.' }
    const { requests, bodies, calls, calledAtS } = await read({ sha: BEFORE, inputs })
    expect(requests.filter((line) => line.endsWith('PullState'))).toHaveLength(2)
    expect(calledAtS[calls.indexOf('POST /job/j1/message')]).toBe(3)
    expect(JSON.stringify(bodies).includes('conflicts with its base branch')).toBe(isTold)
  },
)

import { describe, expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { AGENT, addPull } from '../support/world.ts'

const PROMPT = { prompt: 'Do it.', context: 'none' }
const MESSAGE = { 'job-id': 'j1' }
const prLink = 'https://github.com/acme/docs/pull/12'
const opened: Reply = { body: { status: 'completed', prLink } }

it.each<[string, string, Readonly<Record<string, string>>, Reply, number?]>([
  ['created where the job opened it', 'created', {}, 'active'],
  ['created where it did so after the message', 'created', MESSAGE, 'active'],
  ['created where GitHub shows that, too', 'created', MESSAGE, 'active', 4000],
  ['created where GitHub shows the very second of the message', 'created', MESSAGE, 'active', 0],
  ['updated where GitHub shows that it was there before', 'updated', MESSAGE, 'active', -60_000],
  ['updated where the message says that it was there', 'updated', MESSAGE, { body: { prLink } }],
  ['empty where the run only waited', '', { ...MESSAGE, prompt: '' }, 'active'],
])('`pr-operation` is %s', async (_what, operation, inputs, posted, openedMs) => {
  const { run, world, clock } = await startHarness({ replies: { post: [posted], get: [opened] } })
  if (openedMs !== undefined) {
    const created_at = new Date(clock.now() + openedMs).toISOString()
    addPull(world, { number: 12, user: AGENT, created_at })
  }
  const { outputs } = await run({ inputs: { ...PROMPT, 'follow-up': 'false', ...inputs } })
  expect(outputs['pr-operation']).toBe(operation)
})

describe('the result is written before GitHub is asked about the job', () => {
  const replies = { get: ['active', opened] }
  const known = {
    result: 'pull-request',
    status: 'completed',
    'pr-link': prLink,
    'pr-number': '12',
  }

  it('so a kill in between does not change it, and the post step does not either', async () => {
    const { run, github, statuses } = await startHarness({ replies })
    github.faults.push({ match: /PullReport/, end: 'hang' })
    const { outputs, summary, log, post } = await run({ inputs: PROMPT, killAtMs: 11_000 })
    expect(outputs).toMatchObject(known)
    expect(summary).toContain('Pull request [acme/docs#')
    expect(log).toContain(`The pull request of job j1: ${prLink}`)
    expect(post.log.join('\n')).not.toContain('interrupted')
    expect(statuses().at(-1)).toBe('success: Pull request #12')
  })

  it.each([{ title: 7, changedFiles: 1, files: { nodes: [{ path: 8 }] } }])(
    'so no odd answer changes it',
    async (pullRequest) => {
      const { run, github } = await startHarness({ replies })
      const body = { data: { repository: { pullRequest } } }
      github.faults.push({ match: /PullReport/, end: { status: 200, body } })
      const { outputs, hasFailed } = await run({ inputs: PROMPT })
      expect([hasFailed, outputs]).toEqual([false, expect.objectContaining(known)])
    },
  )
})

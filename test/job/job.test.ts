import { describe, expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { AGENT, addCommit, addPull, addStatus, BEFORE } from '../support/world.ts'

const PROMPT = { prompt: 'Do it.', context: 'none' }

describe('timeout', () => {
  it.each<[string, Reply, string, number]>([
    ['a slow response', { takesMs: 20_000 }, '60s', 60],
    ['a rate limit', { status: 429, headers: { 'retry-after': '50' } }, '60s', 60],
    ['a response past it, after which comes no look', { takesMs: 20_000 }, '15s', 20],
  ])('counts from the first request: %s is a part of it', async (_what, first, timeout, endS) => {
    const { run } = await startHarness({ replies: { post: [first, 'active'] } })
    const { log, tookMs, outputs } = await run({
      inputs: { ...PROMPT, 'follow-up': 'false', timeout },
    })
    // As it was given.
    expect(log.at(-1)).toContain(`error: Not finished within ${timeout}. `)
    expect(tookMs).toBe(endS * 1000)
    expect(outputs).toMatchObject({ result: 'timed-out' })
  })
})

describe('the job of this step’s open pull request', () => {
  /** A run after one whose job opened pull request 12. */
  async function runOn(pull: object, inputs: Readonly<Record<string, string>> = {}) {
    const { run, world } = await startHarness({ replies: { get: ['active', 'completed'] } })
    addPull(world, { number: 12, user: AGENT, ...pull })
    const context = 'Docs agent: docs (docs.yml, docs, agent)'
    const target_url = 'https://github.com/acme/docs/pull/12'
    addStatus(world, BEFORE, { context, state: 'success', description: 'Done (j1)', target_url })
    return await run({ sha: BEFORE, inputs: { ...PROMPT, ...inputs } })
  }

  it('is sent the whole prompt, and asked to resolve conflicts unless the prompt is to stay as given', async () => {
    const { calls, bodies } = await runOn({ mergeable_state: 'dirty' }, { context: 'files' })
    expect(calls.slice(0, 2)).toEqual(['GET /job/j1', 'POST /job/j1/message'])
    const prompt =
      'Do it.\n\nYour pull request conflicts with its base branch. Bring it up to date with the base branch and resolve the conflicts as well; keep what was merged there in the meantime.'
    expect(bodies).toEqual([
      { prompt: expect.stringMatching(new RegExp(`^${prompt}\n\n<github-context-`)) },
    ])
    const bare = await runOn({ mergeable_state: 'dirty' }, { context: 'none' })
    expect(bare.bodies).toEqual([{ prompt: 'Do it.' }])
    expect(bare.summary).toContain('It conflicts with its base branch.')
  })

  it('is asked about on GitHub alone in a dry run, which calls the docs service for nothing', async () => {
    const { calls, outputs, summary, log } = await runOn({}, { 'dry-run': 'true' })
    expect([calls, outputs]).toEqual([[], { result: 'dry-run', 'source-authors': '' }])
    expect(summary).toContain(
      'Without `dry-run`, this run would send this message to the job `j1`.',
    )
    expect(log.at(-1)).toMatch(
      /^notice: The docs service was not called\. Without `dry-run`, this run/,
    )
  })
})

describe('the output `pr-operation`', () => {
  const prLink = 'https://github.com/acme/docs/pull/12'
  const opened: Reply = { body: { status: 'completed', prLink } }
  const message = { 'job-id': 'j1' }
  it.each<
    [
      string,
      string,
      Readonly<Record<string, string>>,
      { post?: readonly Reply[]; get: readonly Reply[] },
    ]
  >([
    ['`created` where the job opened it', 'created', {}, { get: [opened] }],
    [
      '`created` where it did so after the message',
      'created',
      message,
      { post: ['active'], get: [opened] },
    ],
    [
      '`updated` where it was there before',
      'updated',
      message,
      { post: [{ body: { prLink } }], get: [opened] },
    ],
    ['empty where there is none', '', {}, { get: ['completed'] }],
    ['empty where the run only waited', '', { ...message, prompt: '' }, { get: [opened] }],
  ])('is %s', async (_what, operation, inputs, replies) => {
    const { run } = await startHarness({ replies })
    const { outputs } = await run({ inputs: { ...PROMPT, 'follow-up': 'false', ...inputs } })
    expect(outputs['pr-operation']).toBe(operation)
  })
})

describe('a job that completed without a pull request', () => {
  const source = { repository: 'https://github.com/acme/docs.git' }
  it.each<[string, object, string | undefined]>([
    ['Changed nothing on `main`', { source }, undefined],
    ['Published straight to `main`: 1 commit', { source }, 'Explain the flag'],
    // It came in a pull request.
    ['Changed nothing on `main`', { source }, 'Explain the flag (#3)'],
    ['Completed without a pull request', {}, 'Explain the flag'],
  ])('is told as %s: %j, after the commit %j', async (headline, fields, message) => {
    const createdAt = '2026-01-05T00:00:00.000Z'
    const completed: Reply = { body: { status: 'completed', createdAt, ...fields } }
    const { run, world, clock, statuses } = await startHarness({
      replies: { get: ['active', completed] },
    })
    if (message !== undefined)
      clock.at(clock.now() + 7000, () => addCommit(world, { author: AGENT, message }))
    const { log, summary, outputs, requests } = await run({ inputs: PROMPT })
    expect(outputs['result']).toBe('no-pull-request')
    expect(log.at(-1)).toContain(`notice: ${headline} (job j1).`)
    expect(summary).toContain(`## ✅ ${headline.replace(':', '\\:')}\n`)
    expect(statuses().at(-1)).toBe(`success: ${headline.replaceAll('`', '')} (j1)`)
    const asked = requests.filter((line) => line.endsWith('PullReport'))
    expect(asked).toHaveLength('source' in fields ? 1 : 0)
  })
})

describe('the result stands before GitHub has said what it shows of the job', () => {
  const prLink = 'https://github.com/acme/docs/pull/12'
  const replies = { get: ['active', { body: { status: 'completed', prLink } }] satisfies Reply[] }
  const known = {
    result: 'pull-request',
    status: 'completed',
    'pr-link': prLink,
    'pr-number': '12',
  }

  it('so a kill in between loses nothing, and the post step says nothing else', async () => {
    const { run, github, statuses } = await startHarness({ replies })
    github.faults.push({ match: /PullReport/, end: 'hang' })
    const { outputs, summary, log, post } = await run({ inputs: PROMPT, killAtMs: 11_000 })
    expect(outputs).toMatchObject(known)
    expect(summary).toContain('Pull request [acme/docs#')
    expect(log).toContain(`The pull request of job j1: ${prLink}`)
    expect(post.log.join('\n')).not.toContain('interrupted')
    expect(statuses().at(-1)).toBe('success: Pull request ready for review (j1)')
  })

  it.each<[string, object]>([
    ['nodes that are no list', { title: 'T', files: { nodes: {} }, comments: null, commits: null }],
    [
      'a title and paths that are numbers',
      { title: 7, changedFiles: 1, files: { nodes: [{ path: 8 }] } },
    ],
    [
      'checks without a text',
      { title: 'T', commits: { nodes: [{ commit: { checkSuites: { nodes: [7] } } }] } },
    ],
  ])('so no odd answer changes it: %s', async (_what, pullRequest) => {
    const { run, github } = await startHarness({ replies })
    github.faults.push({
      match: /PullReport/,
      end: { status: 200, body: { data: { repository: { pullRequest } } } },
    })
    const { outputs, hasFailed } = await run({ inputs: PROMPT })
    expect([hasFailed, outputs]).toEqual([false, expect.objectContaining(known)])
  })
})

it.each([
  ['updated', -60_000],
  ['created', 4000],
])(
  'a message to a given job has %s a pull request that was opened %j ms from its start',
  async (operation, atMs) => {
    const prLink = 'https://github.com/acme/docs/pull/12'
    const replies: Reply[] = ['active', { body: { status: 'completed', prLink } }]
    const { run, world, clock } = await startHarness({ replies: { get: replies } })
    addPull(world, {
      number: 12,
      user: AGENT,
      created_at: new Date(clock.now() + atMs).toISOString(),
    })
    const { outputs } = await run({ inputs: { ...PROMPT, 'job-id': 'j1' } })
    expect(outputs['pr-operation']).toBe(operation)
  },
)

it.each([
  ['a new job', {}, 'Job j1 was accepted by the docs service.'],
  ['a message', { 'job-id': 'j1' }, 'The message to job j1 was accepted by the docs service.'],
  ['a job that is waited for', { 'job-id': 'j1', prompt: '' }, undefined],
])(
  'the log says of %s that it was accepted, and the post step knows its id',
  async (_what, inputs, line) => {
    const { run } = await startHarness({ replies: { get: ['completed'] } })
    const { log, state } = await run({ inputs: { ...PROMPT, ...inputs } })
    expect(log.find((one) => one.includes('was accepted'))).toBe(line)
    expect(state['job-id']).toBe('j1')
  },
)

import { describe, expect, it } from 'vitest'
import { statusDescription } from '../../src/record/memory.ts'
import { event, pushBy } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { addCommit, BEFORE, type World } from '../support/world.ts'
import {
  COMMITS,
  CREATES,
  completed,
  DESCRIPTIONS,
  ENDS,
  ENDS_OF_RUNS,
  NAMES,
  READY,
  RUN_URL,
  STARTING,
  UNWRITTEN,
  WORKING,
} from './step-status.cases.ts'

/** A GitHub, and a run by default of a push whose job is active, then completed with a pull request. */
async function newStep({
  get = ['active', completed()],
}: {
  readonly get?: readonly Reply[]
} = {}) {
  const scene = await startHarness({ docsIn: 'acme/guides', replies: { get } })
  const inputs = { prompt: 'Document it.', context: 'none', 'ignore-authors': '' }
  return {
    ...scene,
    run: (options: RunOptions = {}) =>
      scene.run({ event: pushBy('octocat'), ...options, inputs: { ...inputs, ...options.inputs } }),
  }
}

/** What the statuses say, oldest first. */
function wordsOf({ statuses }: World): readonly unknown[] {
  return statuses.map(({ state, description, target_url }) => [state, description, target_url])
}

const setting = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith('POST /statuses/'))

describe('the status of a step', () => {
  it.each(ENDS)(
    'is pending before the create and after it, and for %j ends as %j',
    async (reply, words) => {
      const { world, run } = await newStep({ get: [reply] })
      const end = await run()
      expect(setting(end.requests)).toHaveLength(3)
      expect(wordsOf(world)).toEqual([STARTING, WORKING, words])
      expect(world.statuses[1]?.context).toBe('Docs agent: docs (docs.yml, docs, agent)')
    },
  )

  it.each(ENDS_OF_RUNS)('of a job that is %s says so', async (_name, options, words) => {
    const { world, run } = await newStep({ get: ['active'] })
    await run(options)
    expect(wordsOf(world).at(-1)).toEqual(words)
  })

  it.each(CREATES)('of a create that %s names no job', async (_name, reply, words) => {
    const { world, run } = await newStep()
    expect((await run({ replies: { post: [reply] } })).hasFailed).toBe(true)
    expect(wordsOf(world)).toEqual([STARTING, words])
  })

  it('says that nothing was started where the earlier job can not be looked at for 2 minutes', async () => {
    const { world, run } = await newStep()
    await run({ inputs: { wait: 'false' }, replies: { get: ['active'] } })
    const end = await run({ replies: { get: [{ status: 503 }] } })
    expect(end.tookMs).toBeGreaterThanOrEqual(120_000)
    expect(end.tookMs).toBeLessThan(140_000)
    expect(end.calls.filter((call) => call.startsWith('POST'))).toEqual([])
    expect(
      end.log.filter((line) => line.startsWith('Failed to get the earlier job')).length,
    ).toBeGreaterThan(2)
    expect(end.log.join('\n')).toMatch(
      /^Failed to get the earlier job `j1`\. The docs service failed \(503\)/m,
    )
    expect(wordsOf(world).at(-1)).toEqual([
      'failure',
      'The docs service failed, 503',
      RUN_URL.replace('1001', '1002'),
    ])
  })

  it.each(COMMITS)('is set on the commit of a %s', async (_name, made, sha) => {
    const { world, run } = await newStep()
    for (const letter of 'cd') addCommit(world, { sha: letter.repeat(40), branch: null })
    world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    const end = await run({ event: made, sha: 'a'.repeat(40) })
    const states = ['pending', 'pending', 'success']
    expect(setting(end.requests)).toEqual(states.map((state) => `POST /statuses/${sha} ${state}`))
  })

  it.each<[string, RunOptions]>([
    ['in a dry run', { inputs: { 'dry-run': 'true' } }],
    ['without a prompt', { inputs: { prompt: '', 'job-id': 'job_1' } }],
    ['on other events', { event: event('deployment') }],
  ])('is not set %s', async (_what, options) => {
    const { run } = await newStep()
    expect(setting((await run(options)).requests)).toEqual([])
  })

  it.each(NAMES)('of %s has the name (%s)', async (_what, name, { inputs, ...options }) => {
    const { run, world } = await newStep()
    world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    for (const letter of 'cd') addCommit(world, { sha: letter.repeat(40), branch: null })
    await run({ sha: BEFORE, ...options, inputs: { wait: 'false', ...inputs } })
    const names = new Set(world.statuses.map(({ context }) => context ?? ''))
    expect([...names]).toEqual([`Docs agent: docs (${name})`])
  })

  it('has a name of 255 characters at most, which ends in a hash, and no secret in it', async () => {
    const { run, world } = await newStep()
    await run({ inputs: { matrix: JSON.stringify({ package: 'x'.repeat(300) }) } })
    await run({ inputs: { matrix: JSON.stringify({ package: `${'x'.repeat(300)}y` }) } })
    await run({ inputs: { matrix: JSON.stringify({ package: 'y'.repeat(213) }) } })
    const key = 'mint_0123456789abcdef'
    await run({
      inputs: { 'api-key': key, matrix: JSON.stringify({ key }) },
      env: { GITHUB_ACTION: key },
    })
    const [long = '', other, longest = '', redacted] = new Set(
      world.statuses.map((one) => one.context ?? ''),
    )
    expect(long).toMatch(/^Docs agent: docs \(docs\.yml, docs, agent, x+…[0-9a-f]{16}$/)
    expect(other).not.toBe(long)
    expect([long, longest].map(({ length }) => length)).toEqual([255, 255])
    expect(longest).toMatch(/, agent, y+\)$/)
    expect(redacted).toBe('Docs agent: docs (docs.yml, docs, ***, ***)')
  })

  it('is set with a `job-id` and a prompt, and without comments', async () => {
    const { run, world } = await newStep()
    await run({ inputs: { 'job-id': 'j1', comment: 'never' }, replies: { get: [completed()] } })
    expect(world.statuses.map(({ state }) => state)).toEqual(['pending', 'pending', 'success'])
  })

  it('ends last, however slow GitHub is', async () => {
    const { world, github, run } = await newStep({ get: ['completed'] })
    github.faults.push({ match: /pending$/, end: { delayMs: 9000 } })
    await run()
    expect(world.statuses.map(({ state }) => state)).toEqual(['pending', 'pending', 'success'])
  })
})

it.each(DESCRIPTIONS)(
  'the description of %j and %j is cut to fit',
  (headline, jobId, description) => {
    expect(statusDescription(headline, jobId)).toBe(description)
  },
)

describe('a status that the main step could not end', () => {
  it.each([
    [
      'while the job was running',
      6000,
      ['failure', 'Interrupted, the job is still running (j1)', RUN_URL],
    ],
    [
      'before the docs service had answered',
      1000,
      ['error', 'Interrupted before the docs service had answered', RUN_URL],
    ],
  ])(
    'as it was killed %s is ended by the post step, which tries three times',
    async (_name, killAtMs, words) => {
      const { world, github, clock, run } = await newStep()
      const post = [{ takesMs: 2000, body: {} }]
      await run({
        killAtMs,
        ...(killAtMs === 1000 && { replies: { post } }),
        beforePost() {
          github.faults.push({ match: /statuses/, end: '502' })
          clock.at(clock.now() + 11_000, () => github.faults.splice(0))
        },
      })
      expect(wordsOf(world).at(-1)).toEqual(words)
    },
  )

  const FAULTS: FaultName[] = [
    '502',
    '429',
    'secondary-limit',
    'reset',
    'html',
    '204',
    '401',
    '403',
    '404',
  ]
  it.each(FAULTS)('is ended by the post step, since GitHub answered %s', async (fault) => {
    const { world, github, run } = await newStep()
    github.faults.push({ match: /success$/, end: fault })
    const end = await run({ beforePost: () => github.faults.splice(0) })
    expect(end.log.join('\n')).toMatch(/^warning: Failed to set the commit status/m)
    expect(end.printed).not.toContain('needs the permission `statuses: write`')
    expect(setting(end.post.requests)).toEqual(['POST /statuses/bbbbbbb success'])
    expect(wordsOf(world).at(-1)).toEqual(READY)
  })

  it('for GitHub’s limit of 1,000 statuses, is said', async () => {
    const { github, run } = await newStep()
    const message = 'This SHA and context has reached the maximum number of statuses.'
    const limit = { status: 422, body: { message: 'Validation Failed', errors: [{ message }] } }
    github.faults.push({ match: /success$/, end: limit })
    const end = await run()
    expect(end.log.join('\n')).toContain(
      `warning: Failed to set the commit status by which the next run finds this job: GitHub returned 422 ("Validation Failed: ${message}").`,
    )
  })

  it('though it arrived under a 502, whose end then meets one 403, is ended by the post step', async () => {
    const { world, github, run } = await newStep({ get: ['completed'] })
    github.faults.push({ match: /pending$/, end: { status: 502, body: {}, handled: true } })
    github.faults.push({ match: /success$/, end: '403', times: 1 })
    await run()
    expect(world.statuses.at(-1)?.state).toBe('success')
  })
})

describe('a status that can not be written before the create', () => {
  it.each(UNWRITTEN)(
    '%s costs a warning that says the cause and the cost, in the summary, too, and the run goes on',
    async (_name, missing, inputs, faults, cause) => {
      const { world, github, run } = await newStep()
      for (const permission of missing) world.scopes.delete(permission)
      github.faults.push(...faults)
      const end = await run({ inputs })
      expect(end).toMatchObject({ hasFailed: false, outputs: { result: 'pull-request' } })
      const costs = end.log.filter((line) => line.includes("this step can't remember its job"))
      expect(costs).toEqual([
        expect.stringMatching(/^warning: .*each run opens another pull request/),
      ])
      expect(costs[0]).toMatch(cause)
      expect(end.summary).toMatch(/^## ⚠️ [\s\S]*^⚠️ .*, so this step can't remember its job/m)
      if (missing.length > 0) expect(setting(end.requests)).toHaveLength(1)
      const refused = await run({
        inputs,
        replies: { post: [{ status: 429, headers: { 'retry-after': '9999' } }] },
      })
      const error = refused.log.find((line) => line.startsWith('error: '))
      expect(error).toContain('start the workflow anew')
      expect(error).not.toContain('safe to run this again')
    },
  )
})

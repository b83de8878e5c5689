import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { continueJob } from '../../src/job/continue.ts'
import { formatAge } from '../../src/lib/time.ts'
import type { EarlierJob } from '../../src/memory/find.ts'
import { type FakeGitHub, type GitHubFault, startGitHub } from '../support/github.ts'
import { addPull } from '../support/world.ts'
import { type JobScene, jobSceneStarter, type Reply, type SceneOptions } from './scene.ts'

const startScene = jobSceneStarter()
const PR = 'https://github.com/acme/docs/pull/12'
const HERE = 'The earlier job `j1`'
const NOTHING = { known: true, value: undefined } as const
const RERUN = { GITHUB_RUN_ATTEMPT: '2' }

let github: FakeGitHub
beforeEach(async () => {
  github = await startGitHub()
})
afterEach(async () => {
  await github.close()
  expect(github.violations).toEqual([])
})

type Options = SceneOptions & {
  readonly earlier?: Partial<EarlierJob>
  /** How long ago the job was first named. */
  readonly namedS?: number
  readonly isCommand?: boolean
  readonly isDry?: boolean
  readonly fault?: GitHubFault['end']
  readonly pull?: Partial<Parameters<typeof addPull>[1]> & { readonly openedS?: number }
}

type Continued = { readonly scene: JobScene; readonly continuation: unknown }

/** Goes on with job j1, which was first named an hour ago and is shown so; its pull request 12 is open. */
async function goOn(get: readonly Reply[], options: Options = {}): Promise<Continued> {
  const { earlier = {}, namedS = 3600, isCommand = false, isDry = false, fault, env, ...others } = options
  const scene = await startScene({
    get,
    ...others,
    inputs: { 'github-token': github.token, ...others.inputs },
    env: { GITHUB_API_URL: github.url, ...env },
  })
  const { clock, run, service } = scene
  const { openedS = 3 * 86_400, ...pull } = options.pull ?? {}
  const createdAt = new Date(clock.now() - openedS * 1000).toISOString()
  addPull(github.world, { number: 12, created_at: createdAt, ...pull })
  if (fault !== undefined) github.faults.push({ match: /pulls\/12/, end: fault })
  const found: EarlierJob = {
    id: 'j1',
    prLink: '',
    kind: 'continue',
    namedAtMs: clock.now() - namedS * 1000,
    ...earlier,
  }
  const continuation = await continueJob(
    { known: true, value: found },
    { isCommand, service: isDry ? undefined : service, run },
  ).catch((error: unknown) => error)
  return { scene, continuation }
}

const job = (status: string, prLink: string | null = null): Reply => ({ body: { status, prLink } })
const merged = { state: 'closed', merged: true, merged_at: '2026-01-01T00:00:00Z' } as const
const open = { prLink: PR, conflicts: false, openedAtMs: Date.UTC(2026, 0, 2) }
const message = { kind: 'message', id: 'j1' }
const limited = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } })
const SAFE = 'Nothing was started, so it is safe to run this again.'

const ELSEWHERE = 'https://github.com/acme/site/pull/3'
const GITLAB = 'https://gitlab.com/acme/docs/-/merge_requests/3'
const GOES_ON = `This run goes on with the pull request ${PR} (job j1, open for 3 days).`
const CONFLICTS = `${GOES_ON} It conflicts with its base branch; the agent is asked to resolve that.`
const ON_GITLAB = `This run goes on with the pull request ${GITLAB} (job j1).`
const MESSAGE = `${HERE} is sent a message; it has no pull request yet.`
const INVISIBLE = `notice: The earlier pull request ${ELSEWHERE} is invisible to \`github-token\`, so this run starts a new job. To go on with pull requests in acme/site, give \`github-token\` a token that can also read pull requests there, such as a GitHub App's.`
const unknown = (why: string): string =>
  `notice: Failed to look up the pull request ${PR}: ${why}. The message is sent to its job \`j1\` all the same.`
const newJob = (why: string): string => `${why}. This run starts a new job.`
const previous = (state: string, prLink = PR): object => ({ kind: 'create', previous: { prLink, state } })
const closed = { state: 'closed' } as const
const unread = { prLink: PR, conflicts: false, openedAtMs: undefined }
const known = { earlier: { prLink: PR } }
const completed = job('completed', PR)

describe('a further ask', () => {
  it.each<[string, Reply, Options, object, string]>([
    ['goes on where the pull request is open', completed, {}, { ...message, pull: open }, GOES_ON],
    ['goes on where GitHub alone knows it', job('active'), known, { ...message, pull: open }, GOES_ON],
    [
      'says that it conflicts',
      completed,
      { pull: { mergeable_state: 'dirty' } },
      { ...message, pull: { ...open, conflicts: true } },
      CONFLICTS,
    ],
    [
      'starts a new job where it was merged',
      completed,
      { pull: merged },
      previous('merged'),
      newJob(`The earlier pull request ${PR} was merged`),
    ],
    [
      'starts a new job where it was closed',
      job('active'),
      { ...known, pull: closed },
      previous('closed'),
      newJob(`The earlier pull request ${PR} was closed`),
    ],
    ['goes on with an active job that has none', job('active'), {}, message, MESSAGE],
    ['takes an unknown status for active', job('reviewing'), {}, message, MESSAGE],
    [
      'starts a new job after one without a pull request',
      job('completed'),
      {},
      { kind: 'create' },
      newJob(`${HERE} completed without a pull request`),
    ],
    ['goes on with that where a person asks', job('completed'), { isCommand: true }, message, MESSAGE],
    [
      'starts a new job after one that failed',
      job('failed'),
      {},
      { kind: 'create' },
      newJob(`${HERE} failed`),
    ],
    [
      'does so though its pull request is open',
      job('failed', PR),
      {},
      { kind: 'create' },
      newJob(`${HERE} failed`),
    ],
    [
      'starts a new job after an archived one, and tells of its merged pull request',
      job('archived', PR),
      { pull: merged },
      previous('merged'),
      newJob(`${HERE} was archived`),
    ],
    [
      'starts a new job after one that is gone',
      { status: 404 },
      { ...known, pull: closed },
      previous('closed'),
      newJob(`${HERE} is unknown to the docs service (404)`),
    ],
    [
      'starts a new job where the token can not see the pull request, and says what a token needs',
      job('completed', ELSEWHERE),
      {},
      previous('invisible', ELSEWHERE),
      INVISIBLE,
    ],
    [
      'goes on where nobody can tell, and says so',
      completed,
      { fault: '502' },
      { ...message, pull: unread },
      unknown('GitHub returned 502 ("Server Error")'),
    ],
    [
      'takes an answer that is no pull request for one that nobody can tell',
      completed,
      { fault: { status: 200, body: { id: 7 } } },
      { ...message, pull: unread },
      unknown('GitHub returned something else than a pull request'),
    ],
    [
      'goes on without a word of doubt where the link is not GitHub’s',
      job('completed', GITLAB),
      {},
      { ...message, pull: { ...unread, prLink: GITLAB } },
      ON_GITLAB,
    ],
  ])('%s', async (_what, shown, options, continuation, line) => {
    const continued = await goOn([shown], options)
    expect(continued.continuation).toEqual(continuation)
    expect(continued.scene.log).toEqual([line])
    expect(continued.scene.calls).toEqual(['0 get'])
  })

  it('asks GitHub alone in a dry run', async () => {
    const { scene, continuation } = await goOn([], { isDry: true, earlier: { prLink: PR } })
    expect(continuation).toEqual({ ...message, pull: open })
    expect(scene.calls).toEqual([])
    expect(github.requests).toEqual(['GET /pulls/12'])
  })
})

describe('a job that the service does not know (yet)', () => {
  it('is looked at again for a minute after it was first named', async () => {
    const gone = { status: 404 }
    const early = await goOn([gone, gone, job('active')], { namedS: 20 })
    expect(early.continuation).toEqual(message)
    expect(early.scene.calls).toEqual(['0 get', '2 get', '6 get'])
    expect(early.scene.log[0]).toBe('Failed to look at the earlier job `j1`; trying again in 2 s.')
    const late = await goOn([gone], { namedS: 20 })
    expect(late.continuation).toEqual({ kind: 'create' })
    expect(late.scene.calls).toEqual(['0 get', '2 get', '6 get', '14 get', '30 get', '40 get'])
    const known = await goOn([gone], { namedS: 60 })
    expect(known.scene.calls).toEqual(['0 get'])
  })
})

describe('a look at an earlier job that fails', () => {
  it('is retried while that may help', async () => {
    const script: Reply[] = [{ status: 503 }, { breaks: 'before' }, limited('9'), job('active')]
    const { continuation, scene } = await goOn(script)
    expect(continuation).toEqual(message)
    expect(scene.calls).toEqual(['0 get', '2 get', '6 get', '15 get'])
  })

  const past = 'The server asks to wait 1 min before the next request, which is past `timeout`. '
  it.each<[Reply, string, string]>([
    [{ status: 401 }, 'The docs service refused the API key (401)', 'Nothing was started.'],
    [{ status: 403 }, 'The docs service does not allow this (403)', 'Nothing was started.'],
    [{ status: 503 }, 'The docs service failed (503)', SAFE],
    [limited('60'), 'The rate limit of the docs service is reached (429)', past + SAFE],
  ])('for good (%j) starts nothing', async (reply, headline, ends) => {
    const { continuation, scene } = await goOn([reply], { inputs: { timeout: '20s' } })
    expect(continuation).toMatchObject({
      headline,
      details: expect.stringContaining(` This was about the earlier job \`j1\`. ${ends}`),
    })
    expect(scene.elapsedS()).toBeLessThanOrEqual(20)
    expect(github.requests).toEqual([])
  })
})

describe('a re-run', () => {
  it.each<[Reply, object]>([
    [job('active'), { kind: 'wait', id: 'j1', prLink: PR, job: { status: 'active' } }],
    [job('completed', PR), { kind: 'wait', id: 'j1', prLink: PR, job: { status: 'completed', prLink: PR } }],
    [job('failed'), { kind: 'create' }],
    [job('archived'), { kind: 'create' }],
    [{ status: 404 }, { kind: 'create' }],
  ])('of a run whose job is now %j', async (reply, continuation) => {
    const resumed = await goOn([reply], { earlier: { kind: 'resume', prLink: PR }, env: RERUN })
    expect(resumed.continuation).toMatchObject(continuation)
  })

  it('that finds nothing of the first attempt says so, and starts its job', async () => {
    const scene = await startScene({ env: RERUN })
    expect(await continueJob(NOTHING, { isCommand: false, ...scene })).toEqual({ kind: 'create' })
    expect(scene.log).toEqual([
      'notice: This is attempt 2 of the run, and GitHub shows no job of an earlier attempt. If that attempt was killed while it started a job, the dashboard of the docs service shows the job; to wait for it instead, set `job-id`. This attempt does what the run asks for.',
    ])
  })
})

describe('an earlier job that nobody can tell', () => {
  const cannotTell = { known: false, why: 'GitHub returned 502' } as const

  it('is no job to a first attempt, which says so', async () => {
    const scene = await startScene()
    expect(await continueJob(cannotTell, { isCommand: false, ...scene })).toEqual({ kind: 'create' })
    expect(scene.log).toEqual([
      'notice: Failed to look for an earlier job: GitHub returned 502. This run starts a new job.',
    ])
  })

  it('keeps a further attempt from starting one', async () => {
    const scene = await startScene({ env: RERUN })
    const continued = continueJob(cannotTell, { isCommand: false, ...scene })
    await expect(continued).rejects.toMatchObject({
      name: 'JobError',
      headline: 'Unknown which job the first attempt started',
      details:
        'GitHub returned 502. Nothing was started, because a second job might run beside the first. Re-run this later, or set `job-id` to wait for a job that the dashboard of the docs service shows.',
    })
    expect(scene.calls).toEqual([])
  })
})

it('a first attempt that finds no earlier job starts one without a word', async () => {
  const scene = await startScene()
  const { run, service } = scene
  const nothing = { known: true, value: undefined } as const
  expect(await continueJob(nothing, { isCommand: false, service, run })).toEqual({ kind: 'create' })
  expect(scene.log).toEqual([])
})

it.each([
  [0, '1 min'],
  [119_000, '1 min'],
  [120_000, '2 min'],
  [3_599_000, '59 min'],
  [3_600_000, '1 h'],
  [86_399_000, '23 h'],
  [86_400_000, '1 day'],
  [172_800_000, '2 days'],
])('%d ms are an age of %s', (ms, age) => {
  expect(formatAge(ms)).toBe(age)
})

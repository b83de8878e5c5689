import { test } from 'vitest'
import { commentIn, type Event } from '../support/events.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { AGENT, addPull, MAY_WRITE, person } from '../support/world.ts'

export const octocat = person('octocat')
export const PULL = 'https://github.com/acme/docs/pull/1'
export const RUN = '[workflow run](https://github.com/acme/docs/actions/runs/1001)'
export const STARTING = '⏳ **Starting the agent …**'
export const WORKING = '⏳ **The agent is working …**'
export const DONE = '✅ **The job completed without a pull request**'
export const RERUN = { runId: 1001, attempt: 2 }
export const CREATE = ['POST /job']
export const continues = (id: string): string[] => [`GET /job/${id}`, `POST /job/${id}/message`]

/** What a run asks of Mintlify first: its look at an earlier job, and what it sends. */
export function firstCalls({ calls }: { readonly calls: readonly string[] }): string[] {
  return calls.slice(0, calls[0]?.startsWith('POST') === true ? 1 : 2)
}

/** How the docs service answers in a run, after one poll that finds the job active, by the run's result. */
const ENDS = {
  'pull-request': { replies: { get: ['active', { body: { status: 'completed', prLink: PULL } }] } },
  'no-pull-request': { replies: { get: ['active', 'completed'] } },
  failed: { replies: { get: ['active', 'failed'] } },
  archived: { replies: { get: ['active', 'archived'] } },
  'timed-out': { replies: {}, inputs: { timeout: '10s' } },
  submitted: { replies: {}, inputs: { wait: 'false' } },
  cancelled: { replies: {}, cancelAtMs: 6000 },
  error: { replies: { post: [{ status: 402 }] } },
} as const satisfies Readonly<Record<string, RunOptions>>

/** What differs from run to run: its end, and the id of a job that it creates. */
export type Told = Omit<RunOptions, 'event'> & {
  readonly end?: keyof typeof ENDS
  readonly job?: string
}

export type Scene = Awaited<ReturnType<typeof startScene>>

/** `it` with a scene for each test of a file: what GitHub would not have taken fails the test. */
export function itWithScene() {
  return test.extend('scene', () => startScene())
}

/** A harness in which octocat may ask, with pull requests 5, 6, the agent's 1, and issue 8. */
async function startScene() {
  const harness = await startHarness({ replies: {} })
  const { world } = harness
  world.roles.set('octocat', MAY_WRITE)
  for (const number of [5, 6]) addPull(world, { number, title: 'Add a flag' })
  addPull(world, { number: 1, user: AGENT })
  world.issues.add(8)

  /** A run from its start to its end. */
  function tell(event: Event, { end = 'no-pull-request', job = 'job_1', ...options }: Told = {}) {
    const { replies, ...ending }: RunOptions = ENDS[end]
    const inputs = { context: 'none', ...ending.inputs, ...options.inputs }
    const script = { post: [{ body: { id: job } }], ...replies }
    return harness.run({ event, replies: script, ...ending, ...options, inputs })
  }

  /** octocat writes a comment; the event of it. */
  function comment(body = '/docs explain it', { number = 5, onIssue = false } = {}): Event {
    return commentIn(world, { number, author: octocat, association: 'MEMBER', body, onIssue })
  }

  type Thread = { readonly number?: number; readonly rootId?: number | undefined }
  type Asked = Told & { readonly words?: string; readonly number?: number }
  return {
    ...{ ...harness, tell, comment },
    /** A run for octocat's command in a comment, from its start to its end. */
    ask: ({ words, number = 5, ...options }: Asked = {}) =>
      tell(comment(words, { number }), options),
    /** octocat writes a comment in a review; the event of it. */
    reviewComment: (body: string, { number = 5, rootId }: Thread = {}): Event =>
      commentIn(world, { kind: 'review', number, author: octocat, body, rootId }),
    /** The first line of each comment of ours as it is now. */
    headlines: () => harness.said().map((history) => history.at(-1)?.split('\n')[0] ?? ''),
  }
}

/** The marker that a comment of ours begins with. */
export function markerIn(
  body: string,
): Readonly<Record<'kind' | 'state' | 'job' | 'run' | 'source', string>> {
  const [, payload = ''] = /^<!-- docs-agent ([\w-]+)\./.exec(body) ?? []
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

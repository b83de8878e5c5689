import { beforeEach, test, vi } from 'vitest'
import type { Ending } from '../../src/comments/bodies.ts'
import { Conversation } from '../../src/comments/conversation.ts'
import { finishPending } from '../../src/comments/live-comment.ts'
import { md } from '../../src/lib/markdown.ts'
import { Run } from '../../src/runner/run.ts'
import { type Scene as Decisions, type Start, sceneStarter } from '../support/decisions.ts'
import { type Event, issueComment, reviewComment } from '../support/events.ts'
import { AGENT, addComment, addPull, person } from '../support/world.ts'

export const octocat = person('octocat')
export const PULL = 'https://github.com/acme/docs/pull/1'
export const RUN = '[workflow run](https://github.com/acme/docs/actions/runs/1001)'
export const STARTING = '⏳ **Starting the docs agent …**'
export const DONE = '✅ **Completed without a pull request**'

/** What differs from run to run. */
export type RunOptions = Omit<Start, 'event' | 'state'> & {
  readonly runId?: number
  readonly attempt?: number
}

type Told = RunOptions & {
  readonly job?: string
  readonly kind?: 'create' | 'message' | 'wait'
  readonly end?: Partial<Ending>
}
type Asked = { readonly words?: string; readonly number?: number }

export type Scene = ReturnType<typeof sceneOf>

/** `it` with a scene for each test of a file: what GitHub would not have taken fails the test. */
export function itWithScene() {
  const newDecisions = sceneStarter()
  const printed: string[] = []
  beforeEach(() => {
    printed.length = 0
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  })
  return test.extend('scene', async () => sceneOf(await newDecisions(), printed))
}

/** A GitHub, and runs in this process that talk to it alone. Time passes as soon as a run waits. */
function sceneOf({ clock, github, world, newRun }: Decisions, printed: readonly string[]) {
  for (const number of [5, 6]) addPull(world, { number, title: 'Add a flag' })
  addPull(world, { number: 1, user: AGENT })
  world.issues.add(8)
  const log = () => printed.join('')
  const last = (name: string) => [...log().matchAll(new RegExp(`^::${name}::(.*)$`, 'gm'))].at(-1)?.[1]

  /** A run for an event, and what its payload asks for. */
  function run(event: Event, options: RunOptions, state = {}) {
    const { runId = 1001, attempt = 1, env } = options
    const ids = { GITHUB_RUN_ID: `${runId}`, GITHUB_RUN_ATTEMPT: `${attempt}`, GITHUB_ACTOR: 'octocat' }
    const inputs = { 'api-key': 'mint_0123456789', ...options.inputs }
    const made = newRun({ ...options, event, inputs, env: { ...ids, ...env }, state })
    if ('kind' in made.trigger) throw new Error(made.trigger.reason)
    return { run: made.run, trigger: made.trigger }
  }

  async function start(event: Event, options: RunOptions = {}): Promise<Conversation> {
    const made = run(event, options)
    const conversation = new Conversation(made.trigger, made.run)
    await conversation.start()
    return conversation
  }

  /** A run from its start to its end, without a docs service: its job is accepted, and ends as told. */
  async function tell(event: Event, options: Told = {}): Promise<Conversation> {
    const { job = 'job_1', kind = 'create', end } = options
    const conversation = await start(event, options)
    await conversation.accepted(job, kind, '')
    await conversation.finish(ending({ jobId: job, ...end }))
    return conversation
  }

  /** octocat writes a comment; the event of it. */
  function comment(body = '/docs explain it', { number = 5, onIssue = false } = {}): Event {
    const { id } = addComment(world, { kind: 'main', number, author: octocat, body })
    return issueComment({ id, body, author: octocat, number, onIssue })
  }

  /** What each comment of ours says now, and said, without its marker; oldest comment first. */
  function said(): string[][] {
    const ours = world.comments.filter(({ author }) => author === world.viewer)
    return ours.map(({ history }) => history.map((body) => body.replace(/^<!-- docs-agent \S+ -->\n/, '')))
  }

  /** What was left to the post step last. */
  const pending = () => last('save-state name=pending')?.replaceAll('%25', '%')

  return {
    ...{ clock, github, world, run, start, tell, comment, said, pending },
    /** A run for octocat's command in a comment, from its start to its end. */
    ask: ({ words, number = 5, ...options }: Told & Asked = {}) => tell(comment(words, { number }), options),
    /** octocat writes a comment in a review; the event of it. */
    reviewComment(body: string, { number = 5, rootId = 0 } = {}): Event {
      const options = { number, author: octocat, body }
      const { id } = addComment(world, { kind: 'review', ...options, ...(rootId !== 0 && { rootId }) })
      return reviewComment({ id, ...options, ...(rootId !== 0 && { replyTo: rootId }) })
    },
    /** The post step of the run that saved its state last, or that saved `left`. */
    async post(event: Event, options: RunOptions = {}, left = pending() ?? ''): Promise<void> {
      const made = run(event, options, { pending: left }).run
      await finishPending(new Run(made.environment, made, { isPost: true }))
    },
    /** The first line of each comment of ours as it is now. */
    headlines: () => said().map((history) => history.at(-1)?.split('\n')[0] ?? ''),
    reactions: () => world.reactions.map(({ content }) => content),
    /** What the runner would print, the outputs and states set included. */
    log,
    annotations() {
      const found = log().matchAll(/^::(warning|notice) title=[^:]*::(.*)$/gm)
      return [...found].map(([, level, text]) => `${level}: ${text}`)
    },
    /** The value that a run set last. */
    output: (name: string) => last(`set-output name=${name}`),
  }
}

/** How a run ended, by default without a pull request. */
export function ending(change: Partial<Ending> = {}): Ending {
  const headline = 'Completed without a pull request'
  const result = { result: 'no-pull-request', sign: md`✅`, headline, details: '', prLink: '', prName: '' }
  return { ...result, jobId: 'job_1', took: '3 min 05 s', ...change }
}

const pull = { prLink: PULL, prName: 'acme/docs#1' }
export const READY = { ...pull, result: 'pull-request', headline: 'Pull request ready for review' }
export const FAILED = { result: 'failed', headline: "The agent's job failed" }
export const CANCELLED = { result: 'cancelled', headline: 'Cancelled' }
export const REFUSED = { result: 'error', headline: 'The docs service refused it (402)' }

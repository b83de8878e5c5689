import { beforeEach, vi } from 'vitest'
import type { Ending } from '../../src/comments/bodies.ts'
import { Conversation } from '../../src/comments/conversation.ts'
import { finishPending } from '../../src/comments/live-comment.ts'
import type { Trigger } from '../../src/events/trigger.ts'
import { md } from '../../src/lib/markdown.ts'
import { Run } from '../../src/runner/run.ts'
import { type Scene as Decisions, sceneStarter as decisionsStarter } from '../support/decisions.ts'
import { type Event, issueComment, reviewComment } from '../support/events.ts'
import { AGENT, addComment, addPull, person } from '../support/world.ts'

export const octocat = person('octocat')

/** What differs from run to run. */
export type RunOptions = {
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly runId?: number
  readonly attempt?: number
  readonly cancel?: AbortSignal
}

/** A GitHub, and runs in this process that talk to it alone. Time passes as soon as a run waits. */
export class Scene {
  readonly clock: Decisions['clock']
  readonly github: Decisions['github']
  readonly world: Decisions['world']
  readonly #newRun: Decisions['newRun']
  /** What the runner would print, the outputs and states set included. */
  log = ''

  constructor({ clock, github, world, newRun }: Decisions) {
    this.clock = clock
    this.github = github
    this.world = world
    this.#newRun = newRun
    for (const number of [5, 6]) addPull(this.world, { number, title: 'Add a flag' })
    addPull(this.world, { number: 1, user: AGENT })
    this.world.issues.add(8)
  }

  /** octocat writes a comment; the event of it. */
  comment(body: string, { number = 5, onIssue = false } = {}): Event {
    const { id } = addComment(this.world, { kind: 'main', number, author: octocat, body })
    return issueComment({ id, body, author: octocat, number, onIssue })
  }

  /** octocat writes a comment in a review; the event of it. */
  reviewComment(body: string, { number = 5, rootId = 0 } = {}): Event {
    const options = { number, author: octocat, body }
    const { id } = addComment(this.world, { kind: 'review', ...options, ...(rootId !== 0 && { rootId }) })
    return reviewComment({ id, ...options, ...(rootId !== 0 && { replyTo: rootId }) })
  }

  /** A run for an event, and what its payload asks for; with `pending`, its post step. */
  run(event: Event, options: RunOptions, pending?: string): { readonly run: Run; readonly trigger: Trigger } {
    const { runId = 1001, attempt = 1, cancel = new AbortController().signal } = options
    const ids = { GITHUB_RUN_ID: `${runId}`, GITHUB_RUN_ATTEMPT: `${attempt}`, GITHUB_ACTOR: 'octocat' }
    const inputs = { 'api-key': 'mint_0123456789', ...options.inputs }
    const state = pending === undefined ? {} : { pending }
    const env = { ...ids, ...options.env }
    const { run, trigger } = this.#newRun({ event, inputs, env, state, cancel })
    if ('skip' in trigger) throw new Error(trigger.reason)
    if (pending === undefined) return { run, trigger }
    return { run: new Run(run.environment, run, { isPost: true }), trigger }
  }

  async start(event: Event, options: RunOptions = {}): Promise<Conversation> {
    const { run, trigger } = this.run(event, options)
    const conversation = new Conversation(trigger, run)
    await conversation.start()
    return conversation
  }

  /** A run from its start to its end, without a docs service: its job is accepted, and ends as told. */
  async tell(event: Event, options: Told = {}): Promise<Conversation> {
    const { job = 'job_1', kind = 'create', prLink = '', end } = options
    const conversation = await this.start(event, options)
    await conversation.accepted(job, kind, prLink)
    await conversation.finish(ending({ jobId: job, ...end }))
    return conversation
  }

  /** The post step of the run that saved its state last, or that saved `pending`. */
  async post(event: Event, options: RunOptions = {}, pending = this.pending() ?? ''): Promise<void> {
    await finishPending(this.run(event, options, pending).run)
  }

  /** What each comment of ours says now, and said, without its marker; oldest comment first. */
  said(): string[][] {
    const ours = this.world.comments.filter(({ author }) => author === this.world.viewer)
    return ours.map(({ history }) => history.map((body) => body.replace(/^<!-- docs-agent \S+ -->\n/, '')))
  }

  /** The first line of each comment of ours as it is now. */
  headlines(): string[] {
    return this.said().map((history) => history.at(-1)?.split('\n')[0] ?? '')
  }

  reactions(): string[] {
    return this.world.reactions.map(({ content }) => content)
  }

  annotations(): string[] {
    const found = this.log.matchAll(/^::(warning|notice) title=[^:]*::(.*)$/gm)
    return [...found].map(([, level, text]) => `${level}: ${text}`)
  }

  /** The value that a run set last. */
  output(name: string): string | undefined {
    return [...this.log.matchAll(new RegExp(`^::set-output name=${name}::(.*)$`, 'gm'))].at(-1)?.[1]
  }

  /** What was left to the post step last. */
  pending(): string | undefined {
    const saved = [...this.log.matchAll(/^::save-state name=pending::(.*)$/gm)].at(-1)?.[1]
    return saved?.replaceAll('%25', '%')
  }
}

type Told = RunOptions & {
  readonly job?: string
  readonly kind?: 'create' | 'message' | 'wait'
  /** The pull request that is known when the job is accepted. */
  readonly prLink?: string
  readonly end?: Partial<Ending>
}

/** Makes a starter of scenes for the tests of a file: what GitHub would not have taken fails the test. */
export function sceneStarter(): () => Promise<Scene> {
  const newDecisions = decisionsStarter()
  const open: Scene[] = []
  beforeEach(() => {
    open.length = 0
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      for (const scene of open) scene.log += String(text)
      return true
    })
  })
  return async () => {
    const scene = new Scene(await newDecisions())
    open.push(scene)
    return scene
  }
}

/** How a run ended, by default with pull request 1 of this repository. */
export function ending(change: Partial<Ending> = {}): Ending {
  const headline = 'Pull request ready for review'
  const pull = { prLink: 'https://github.com/acme/docs/pull/1', prName: 'acme/docs#1' }
  const result = { result: 'pull-request', sign: md`✅`, headline, details: '', ...pull }
  return { ...result, jobId: 'job_1', took: '3 min 05 s', ...change }
}

const noPull = { result: 'no-pull-request', prLink: '', prName: '' }
export const NO_PULL = { ...noPull, headline: 'Completed without a pull request' }
export const FAILED = { ...noPull, result: 'failed', headline: "The agent's job failed" }
export const CANCELLED = { ...noPull, result: 'cancelled', headline: 'Cancelled' }
export const REFUSED = { ...noPull, result: 'error', headline: 'The docs service refused it (402)' }

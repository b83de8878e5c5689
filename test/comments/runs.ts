import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Ending } from '../../src/comments/bodies.ts'
import { type Conversation, startConversation } from '../../src/comments/conversation.ts'
import { finishPending } from '../../src/comments/live-comment.ts'
import { readTrigger } from '../../src/events/decide.ts'
import { eventRow } from '../../src/events/table.ts'
import type { Trigger } from '../../src/events/trigger.ts'
import { md } from '../../src/lib/markdown.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from '../support/clock.ts'
import { type Event, issueComment, reviewComment } from '../support/events.ts'
import { type FakeGitHub, startGitHub } from '../support/github.ts'
import { environmentOf } from '../support/run-action.ts'
import { ACTIONS, AGENT, addComment, addPull, person, type World } from '../support/world.ts'

export const octocat = person('octocat')

/** What differs from run to run. */
export type RunOptions = {
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly runId?: number
  readonly attempt?: number
  readonly cancel?: AbortSignal
  /** What the main step saved: makes a post step. */
  readonly state?: Readonly<Record<string, string>>
}

/** A GitHub, and runs in this process that talk to it alone. Time passes as soon as a run waits. */
export class Scene {
  readonly clock = new VirtualClock()
  readonly github: FakeGitHub
  /** What the runner would print, the outputs and states set included. */
  log = ''

  constructor(github: FakeGitHub) {
    this.github = github
    this.world.now = () => this.clock.now()
    for (const number of [5, 6]) addPull(this.world, { number, title: 'Add a flag' })
    addPull(this.world, { number: 1, user: AGENT })
    this.world.issues.add(8)
  }

  get world(): World {
    return this.github.world
  }

  /** octocat writes a comment; the event of it. */
  comment(body: string, { number = 5, onIssue = false } = {}): Event {
    const { id } = addComment(this.world, { kind: 'main', number, author: octocat, body })
    return issueComment({ id, body, author: octocat, number, onIssue })
  }

  /** octocat writes a comment in a review; the event of it. */
  reviewComment(body: string, { number = 5, rootId }: { number?: number; rootId?: number } = {}): Event {
    const inThread = rootId === undefined ? {} : { rootId }
    const { id } = addComment(this.world, { kind: 'review', number, author: octocat, body, ...inThread })
    return reviewComment({ id, body, author: octocat, number, ...(rootId && { replyTo: rootId }) })
  }

  /** A run for an event, and what its payload asks for. */
  run(event: Event, options: RunOptions = {}): { readonly run: Run; readonly trigger: Trigger } {
    const { inputs, env, runId = 1001, attempt = 1, state = {}, cancel } = options
    const environment = readEnvironment(
      environmentOf(
        {
          event,
          state,
          inputs: {
            'api-key': 'mint_0123456789',
            'project-id': 'docs',
            'github-token': this.github.token,
            ...inputs,
          },
          env: {
            GITHUB_API_URL: this.github.url,
            GITHUB_RUN_ID: `${runId}`,
            GITHUB_RUN_ATTEMPT: `${attempt}`,
            ...env,
          },
        },
        '/nowhere',
        '/nowhere',
      ),
    )
    const waiting = { clock: this.clock, random: () => 0.5, cancel: cancel ?? new AbortController().signal }
    const run = new Run(environment, waiting, { isPost: options.state !== undefined })
    const trigger = readTrigger({ ...event, row: eventRow(event.name) }, run.inputs, environment)
    if ('skip' in trigger) throw new Error(trigger.reason)
    return { run, trigger }
  }

  /** What a comment of ours says now, or said, without its marker; oldest comment first. */
  said(): string[][] {
    const ours = this.world.comments.filter(({ author }) => author === ACTIONS)
    return ours.map(({ history }) => history.map((body) => body.replace(/^<!-- docs-agent \S+ -->\n/, '')))
  }

  /** The first line of each comment of ours as it is now. */
  headlines(): string[] {
    return this.said().map((history) => history.at(-1)?.split('\n')[0] ?? '')
  }

  reactions(): string[] {
    return this.world.reactions.map(({ content }) => content)
  }

  /** Warnings and notices so far, by their first words up to the first full stop. */
  annotations(): string[] {
    return [...this.log.matchAll(/^::(warning|notice) title=[^:]*::(.*)$/gm)].map(
      ([, level, text]) => `${level}: ${text}`,
    )
  }

  /** The value that a run set last for an output or state. */
  saved(command: 'set-output' | 'save-state', name: string): string | undefined {
    const found = [...this.log.matchAll(new RegExp(`^::${command} name=${name}::(.*)$`, 'gm'))].at(-1)?.[1]
    return found?.replaceAll('%25', '%').replaceAll('%0A', '\n')
  }
}

/** Makes a starter of scenes for the tests of a file: what GitHub would not have taken fails the test. */
export function sceneStarter(): () => Promise<Scene> {
  const open: Scene[] = []
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      for (const scene of open) scene.log += String(text)
      return true
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const { github } of open.splice(0)) {
      await github.close()
      expect(github.violations).toEqual([])
    }
  })
  return async () => {
    const scene = new Scene(await startGitHub())
    open.push(scene)
    return scene
  }
}

/** How a run ended, by default with pull request 1 of this repository. */
export function ending(change: Partial<Ending> = {}): Ending {
  return {
    result: 'pull-request',
    sign: md`✅`,
    headline: 'Pull request ready for review',
    details: '',
    prLink: 'https://github.com/acme/docs/pull/1',
    prName: 'acme/docs#1',
    jobId: 'job_1',
    durationSeconds: 185,
    ...change,
  }
}

export type Told = RunOptions & {
  readonly job?: string
  readonly kind?: 'create' | 'message' | 'wait'
  /** The pull request that is known when the job is accepted. */
  readonly prLink?: string
  readonly end?: Partial<Ending>
}

/** A run from its start to its end, without a docs service: its job is accepted, and ends as told. */
export async function tell(scene: Scene, event: Event, options: Told = {}): Promise<Conversation> {
  const { job = 'job_1', kind = 'create', prLink = '', end } = options
  const { run, trigger } = scene.run(event, options)
  const conversation = await startConversation(trigger, run)
  await conversation.accepted(job, kind, prLink)
  await conversation.finish(ending({ jobId: job, ...end }))
  return conversation
}

/** The post step of the run that saved its state last, or that saved `pending`. */
export async function post(
  scene: Scene,
  event: Event,
  options: RunOptions & { readonly pending?: string } = {},
): Promise<void> {
  const pending = options.pending ?? scene.saved('save-state', 'pending') ?? ''
  await finishPending(scene.run(event, { ...options, state: { pending } }).run)
}

/** What a run looks like that no pull request came of. */
export const NO_PULL: Partial<Ending> = {
  result: 'no-pull-request',
  headline: 'Completed without a pull request',
  prLink: '',
  prName: '',
}

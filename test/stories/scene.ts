import { expect } from 'vitest'
import { commentIn, type Event, pullRequest, pushTo } from '../support/events.ts'
import type { Harness, RunEnd } from '../support/harness.ts'
import { startHarness } from '../support/harness.ts'
import type { Replies } from '../support/scripted-service.ts'
import { AGENT, addPull, MAY_WRITE, type Pull, person, type World } from '../support/world.ts'

export const author = person('octocat')

/** The docs pull request with a number, in the run's repository. */
export function docsLink(number: number): string {
  return `https://github.com/acme/docs/pull/${number}`
}

/** Answers of a job that opens, or has opened, a docs pull request. */
export function opening(id: string, number: number): Replies {
  const done = { body: { status: 'completed', prLink: docsLink(number) } }
  return { post: [{ body: { id } }], get: ['active', done] }
}

/** Job j1, which opens docs pull request 200. */
export const J1 = { replies: opening('j1', 200) }

/** What Mintlify was asked to start: `create`, or `message to j1`. */
export function started(calls: readonly string[]): string[] {
  return calls.flatMap((call) => {
    const [, id] = /^POST \/job(?:\/(\w+)\/message)?$/.exec(call) ?? []
    if (!call.startsWith('POST')) return []
    return id ? [`message to ${id}`] : ['create']
  })
}

/** Expects a run that started and asked nothing of Mintlify, for a reason that its summary has. */
export function expectSkip(end: RunEnd, reason: RegExp | string = ''): void {
  expect([end.outputs['result'], end.hasFailed, end.calls]).toEqual(['skipped', false, []])
  expect(end.summary).toMatch(reason)
}

/** The lines of the context that a run sent, without the delimiters; none if it sent none. */
export function contextOf({ bodies }: RunEnd): string[] {
  const [{ prompt = '' } = {}] = bodies as { readonly prompt?: string }[]
  const [, text = ''] = /\n?<github-context-\w+>\n([\s\S]*)\n<\/github-context-/.exec(prompt) ?? []
  return text.split('\n')
}

/** A story: GitHub, Mintlify, and what people do. */
export type Scene = Awaited<ReturnType<typeof startScene>>

/** A repository with the code's pull request 77 and the agent's 200 and 201, in which octocat can write. */
export async function startScene(options: Parameters<typeof startHarness>[0] = {}) {
  const harness = await startHarness({ replies: {}, ...options })
  const { world } = harness
  world.roles.set('octocat', MAY_WRITE)
  const code = addPull(world, {
    number: 77,
    title: 'Add a flag',
    user: author,
    files: ['src/flag.ts'],
  })
  for (const number of [200, 201]) addPull(world, { number, user: AGENT, files: ['docs/flag.mdx'] })
  return { ...harness, code, ...storyOf(harness, world) }
}

function storyOf({ run }: Harness, world: World) {
  const inputs = { prompt: 'Bring the docs up to date.' }
  type Options = Omit<Parameters<Harness['run']>[0], 'event'>
  const step = async (event: Event, options: Options = {}) => {
    const end = await run({ event, inputs, ...options })
    return { ...end, started: started(end.calls) }
  }
  return {
    inputs,
    step,
    /** octocat pushes a file to `main`. */
    push: (options?: Options, files: readonly string[] = ['src/flag.ts']) =>
      step(pushTo(world, { author, files }), options),
    /** octocat comments, and only the step for commands hears it. */
    command: (body: string, number: number, options: Options = {}) =>
      step(commentIn(world, { number, author, association: 'MEMBER', body }), {
        inputs: {},
        ...options,
      }),
    /** The workflow runs on a pull request as it is now. */
    onPull: (pull: Pull, options?: Options, action = 'synchronize') =>
      step(eventOf(pull, action), options),
  }
}

/** The event of a pull request as it is now. */
export function eventOf({ number, fields }: Pull, action: string): Event {
  return pullRequest({ action, number, author, sender: author, pull: fields })
}

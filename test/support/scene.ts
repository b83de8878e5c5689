import { expect, onTestFinished } from 'vitest'
import { commentIn } from './events.ts'
import { type ActionOptions, type ActionRun, runAction, startAction } from './run-action.ts'
import { type ServicesOptions, startServices } from './services.ts'
import { addPull, learn, ownComments, person } from './world.ts'

/** A docs service and a GitHub side by side, and the action run between them. */
export type Scene = Awaited<ReturnType<typeof startScene>>

/** Somebody who may ask. */
export const octocat = person('octocat')

/** Starts a scene for a test, in which octocat may ask and pull request 5 exists. What GitHub would not have taken fails it. */
export async function startScene(options: ServicesOptions = {}) {
  let aheadMs = 0
  const now = (): number => Date.now() + aheadMs
  const services = await startServices({ jobTimeMs: 200, now, ...options })
  const { docs, github, world, access } = services
  onTestFinished(async () => {
    await services.close()
    expect(github.violations).toEqual([])
  })
  world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  addPull(world, { number: 5, title: 'Add a flag', files: ['src/flag.ts'] })
  const complete = (options: ActionOptions): ActionOptions => {
    learn(world, options.event?.payload ?? {})
    const env = { GITHUB_API_URL: github.url, ...options.env }
    const inputs = { ...access, 'poll-interval': '100ms', ...options.inputs }
    return { ...options, inputs, env }
  }
  return {
    docs,
    github,
    world,
    /** Runs the action's main part; GitHub knows the commits, pull request and issue that its event names. */
    run: (options: ActionOptions) => runAction(complete(options)),
    start: (options: ActionOptions) => startAction(complete(options)),
    /** Lets an hour pass for the docs service, so that its jobs are over. */
    passTime: () => {
      aheadMs += 3_600_000
    },
    /** The docs service's requests, as `POST /job`. */
    asked: () =>
      docs.requests.map(({ method, path }) => `${method} ${path.replace('/v2/agent/docs', '')}`),
    said: () => ownComments(world),
    /** The reactions that are there now, by content. */
    reactions: () => world.reactions.map(({ content }) => content),
  }
}

/** octocat writes a comment on pull request 5, and the action runs; what GitHub knows of the event is left out. */
export async function write(
  scene: Scene,
  body: string,
  inputs: Readonly<Record<string, string>> = {},
  runId = 1001,
): Promise<ActionRun> {
  return await scene.run({
    event: commentIn(scene.world, { author: octocat, body }),
    inputs: { context: 'none', ...inputs },
    env: { GITHUB_RUN_ID: `${runId}` },
  })
}

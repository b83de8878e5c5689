import { expect, onTestFinished } from 'vitest'
import { commentIn } from './events.ts'
import { learn } from './learn.ts'
import { type ActionOptions, type ActionRun, runAction, startAction } from './run-action.ts'
import { type ServicesOptions, startServices } from './services.ts'
import { addPull, MAY_WRITE, ownComments, person } from './world.ts'

/** A docs service and a GitHub side by side, and the action run between them. */
export type Scene = Awaited<ReturnType<typeof startScene>>

/** Somebody who may ask. */
export const octocat = person('octocat')

/** Starts a scene for a test, in which octocat may ask and pull request 5 exists. What GitHub would not have taken fails it. */
export async function startScene(options: ServicesOptions = {}) {
  const services = await startServices({ jobTimeMs: 200, ...options })
  const { docs, github, world, access } = services
  onTestFinished(async () => {
    await services.close()
    expect(github.violations).toEqual([])
  })
  world.roles.set('octocat', MAY_WRITE)
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
    said: () => ownComments(world),
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

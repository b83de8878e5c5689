import { afterEach, expect } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import { issueComment } from './events.ts'
import { type FakeGitHub, startGitHub } from './github.ts'
import { type ActionOptions, type ActionRun, runAction, startAction } from './run-action.ts'
import { addComment, addPull, type Comment, learn, person, type World } from './world.ts'

/** A docs service and a GitHub side by side, and the action run between them. */
export type Scene = ReturnType<typeof sceneOf>

/** What differs from scene to scene. */
export type SceneOptions = DocsServiceOptions & {
  /** Path that GitHub's API begins with. */
  readonly root?: string
  /** `owner/name` of the repository that the agent's pull requests are in: GitHub's own unless it is named. */
  readonly docsIn?: string
}

/** Makes a starter of scenes for the tests of a file: what GitHub would not have taken fails the test. */
export function sceneStarter(): (options?: SceneOptions) => Promise<Scene> {
  const open: Scene[] = []
  afterEach(async () => {
    const ended = open.splice(0)
    await Promise.all(ended.flatMap(({ docs, github }) => [docs.close(), github.close()]))
    for (const { github } of ended) expect(github.violations).toEqual([])
  })
  return async ({ root = '', docsIn = 'acme/docs', ...options } = {}) => {
    const time = { aheadMs: 0 }
    const now = (): number => Date.now() + time.aheadMs
    const repository = `https://github.com/${docsIn}`
    const [docs, github] = await Promise.all([
      startDocsService({ agent: 'none', jobTimeMs: 200, now, repository, ...options }),
      startGitHub({ root }),
    ])
    github.world.agentRepository = docsIn
    const scene = sceneOf(docs, github, time)
    open.push(scene)
    return scene
  }
}

function sceneOf(docs: DocsService, github: FakeGitHub, time: { aheadMs: number }) {
  const { world } = github
  world.agentPulls = () => docs.jobs.flatMap(({ pull }) => pull ?? [])
  const access = {
    'api-key': docs.key,
    'project-id': 'docs',
    'base-url': docs.url,
    'poll-interval': '100ms',
    'github-token': github.token,
  }
  const complete = (options: ActionOptions): ActionOptions => {
    learn(world, options.event?.payload ?? {})
    const env = { GITHUB_API_URL: github.url, ...options.env }
    return { ...options, inputs: { ...access, ...options.inputs }, env }
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
      time.aheadMs += 3_600_000
    },
    /** The docs service's requests, as `POST /job`. */
    asked: () => docs.requests.map(({ method, path }) => `${method} ${path.replace('/v2/agent/docs', '')}`),
    /** What our comments said, one after another, without their markers; oldest comment first. */
    said: () => {
      const ours = world.comments.filter(({ author }) => author.id === world.viewer.id)
      return ours.map(({ history }) => history.map((body) => body.replace(/^<!-- docs-agent .*? -->\n/, '')))
    },
    /** The reactions that are there now, by content. */
    reactions: () => world.reactions.map(({ content }) => content),
    /** All commit statuses, oldest first, as `pending bbbbbbb: description`. */
    statuses: () =>
      world.statuses.map(({ state, sha, description }) => `${state} ${sha.slice(0, 7)}: ${description}`),
  }
}

/** Somebody who may ask. */
export const octocat = person('octocat')

/** Makes a starter of scenes in which octocat may ask and pull request 5 exists. */
export function usualSceneStarter(): (options?: SceneOptions) => Promise<Scene> {
  const newScene = sceneStarter()
  return async (options) => {
    const scene = await newScene(options)
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    addPull(scene.world, { number: 5, title: 'Add a flag', files: ['src/flag.ts'] })
    return scene
  }
}

/** Puts a person's comment into a world, by default on pull request 5. */
export function writtenComment(
  world: World,
  comment: Partial<Parameters<typeof addComment>[1]> & Pick<Comment, 'author'> & { readonly body: string },
): Comment {
  return addComment(world, { kind: 'main', number: 5, ...comment })
}

/** octocat writes a comment on pull request 5, and the action runs; what GitHub knows of the event is left out. */
export async function write(
  scene: Scene,
  body: string,
  inputs: Readonly<Record<string, string>> = {},
  runId = 1001,
): Promise<ActionRun> {
  const { id } = writtenComment(scene.world, { author: octocat, body })
  return await scene.run({
    event: issueComment({ id, body, author: octocat }),
    inputs: { context: 'none', ...inputs },
    env: { GITHUB_RUN_ID: `${runId}` },
  })
}

import { afterEach, expect } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import {
  type ActionOptions,
  type ActionRun,
  runAction,
  type StartedAction,
  startAction,
} from '../bundle/run-action.ts'
import { type LoopbackGitHub, startGitHub } from './github.ts'
import { addComment, type StoredComment, type World } from './world.ts'

/** A docs service and a GitHub side by side, and the action run between them. */
export type Scene = {
  readonly docs: DocsService
  readonly github: LoopbackGitHub
  readonly world: World
  /** Runs the action's main part. */
  run(options: ActionOptions): Promise<ActionRun>
  start(options: ActionOptions): Promise<StartedAction>
  /** Lets an hour pass for the docs service, so that its jobs are over. */
  passAnHour(): void
  /** The docs service's requests, as `POST /job`. */
  asked(): string[]
  /** What our comments said, one after another, without their markers; oldest comment first. */
  said(): string[][]
  /** The reactions that are there now, by content. */
  reactions(): string[]
}

/** What differs from scene to scene. */
export type SceneOptions = DocsServiceOptions & { readonly root?: string }

/** Makes a starter of scenes for the tests of a file: what GitHub would not have taken fails the test. */
export function sceneStarter(): (options?: SceneOptions) => Promise<Scene> {
  const open: Scene[] = []
  afterEach(async () => {
    const ended = open.splice(0)
    await Promise.all(ended.flatMap(({ docs, github }) => [docs.close(), github.close()]))
    for (const { github } of ended) expect(github.violations).toEqual([])
  })
  return async ({ root = '', ...options } = {}) => {
    let aheadMs = 0
    const now = (): number => Date.now() + aheadMs
    const [docs, github] = await Promise.all([
      startDocsService({ agent: 'none', jobTimeMs: 200, now, ...options }),
      startGitHub({ root }),
    ])
    const passAnHour = (): void => {
      aheadMs += 3_600_000
    }
    const scene = { ...sceneOf(docs, github), passAnHour }
    open.push(scene)
    return scene
  }
}

function sceneOf(docs: DocsService, github: LoopbackGitHub): Omit<Scene, 'passAnHour'> {
  const { world } = github
  world.agentPulls = () => docs.jobs.flatMap(({ pull }) => (pull === null ? [] : [pull]))
  const complete = (options: ActionOptions): ActionOptions => ({
    ...options,
    inputs: {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docs.url,
      'poll-interval': '100ms',
      'github-token': github.token,
      ...options.inputs,
    },
    // The service's pull requests are in this repository.
    env: { GITHUB_API_URL: github.url, GITHUB_SERVER_URL: docs.url, ...options.env },
  })
  return {
    docs,
    github,
    world,
    run: (options) => runAction(complete(options)),
    start: (options) => startAction(complete(options)),
    asked: () => docs.requests.map(({ method, path }) => `${method} ${path.replace('/v2/agent/docs', '')}`),
    said: () => world.comments.filter(isOurs).map(({ history }) => history.map(withoutMarker)),
    reactions: () => world.reactions.map(({ content }) => content),
  }
}

/** Puts a person's comment into a world, as its event's payload tells it. */
export function writtenComment(
  world: World,
  comment: Omit<Parameters<typeof addComment>[1], 'kind' | 'number'> & {
    kind?: 'main' | 'review'
    number?: number
  },
): StoredComment {
  return addComment(world, { kind: 'main', number: 5, ...comment })
}

function isOurs({ author }: StoredComment): boolean {
  return author.login === 'github-actions[bot]'
}

function withoutMarker(body: string): string {
  return body.replace(/^<!-- docs-agent .*? -->\n/, '')
}

import type { ActionRun } from '../bundle/run-action.ts'
import { issueComment, person } from './events.ts'
import { type Scene, type SceneOptions, sceneStarter, writtenComment } from './scene.ts'

/** Somebody who may ask. */
export const octocat = person('octocat')

/** Makes a starter of scenes in which octocat may ask and pull request 5 exists. */
export function usualSceneStarter(): (options?: SceneOptions) => Promise<Scene> {
  const newScene = sceneStarter()
  return async (options) => {
    const scene = await newScene(options)
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    scene.world.pulls.set(5, { title: 'Add a flag', changed_files: 1 })
    scene.world.files.set(5, ['src/flag.ts'])
    return scene
  }
}

/** octocat writes a comment on pull request 5, and the action runs; what GitHub knows of the event is left out. */
export async function write(
  scene: Scene,
  body: string,
  inputs: Record<string, string> = {},
  runId = 1001,
): Promise<ActionRun> {
  const { id } = writtenComment(scene.world, { author: octocat, body })
  return await scene.run({
    event: issueComment({ id, body, author: octocat }),
    inputs: { context: 'none', ...inputs },
    env: { GITHUB_RUN_ID: `${runId}` },
  })
}

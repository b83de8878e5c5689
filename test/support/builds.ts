import { AGENT, addPull, endPull, mergePull, pushToPull, type World } from './world.ts'

/** Takes over what became of the agent's pull requests since the last look. */
export function followAgent(world: World): void {
  const isHere = world.agentRepository === world.repository
  const pulls = isHere ? world.pulls : world.elsewhere
  for (const { number, state, title, ...now } of world.agentPulls()) {
    const pull = pulls.get(number) ?? addPull(world, { number, title, user: AGENT }, pulls)
    while (pull.commits.length < now.commits) pushToPull(world, pull)
    pull.files = now.files
    if (pull.fields.state !== 'open' || state === 'open') continue
    if (isHere) mergePull(world, pull)
    else endPull(world, pull, null)
  }
}

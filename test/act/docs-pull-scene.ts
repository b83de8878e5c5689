import { PULL, type Scene, type Told } from '../look/runs.ts'
import { AGENT, addPull, type Pull } from '../support/world.ts'

/** The end of a job with that pull request. */
export function ended(prLink: string): Told {
  const post = [{ body: { id: 'job_1' } }]
  return { replies: { post, get: [{ body: { status: 'completed', prLink } }] } }
}

/** Moves the docs to acme/guides. Returns the end of a job with the pull request there. */
export function moveDocs({ world }: Scene, commentsElsewhere = true): Told {
  Object.assign(world, { agentRepository: 'acme/guides', commentsElsewhere })
  addPull(world, { number: 1, user: AGENT }, world.elsewhere)
  return ended(PULL.replace('docs', 'guides'))
}

/** The docs pull request, wherever it is. */
export function docsPull({ world }: Scene): Pull {
  const pull = world.elsewhere.get(1) ?? world.pulls.get(1)
  if (pull === undefined) throw new Error('There is no pull request 1.')
  return pull
}

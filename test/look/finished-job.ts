import { issueComment, person } from '../support/events.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { AGENT, addPull, MAY_WRITE, type Pull, time } from '../support/world.ts'

export const PULL_URL = 'https://github.com/acme/docs/pull/12'

/** Where the docs are, and whether the token can see that. */
export type DocsPlace = 'here' | 'elsewhere public' | 'elsewhere with a token' | 'elsewhere without'

type ReadOptions = RunOptions & { readonly prLink?: string | null }

/** A job that took three minutes, GitHub as it is then, and runs that tell what came of it. */
export async function startFinishedJob(place: DocsPlace = 'here') {
  const isHere = place === 'here'
  const docsIn = isHere ? 'acme/docs' : 'acme/elsewhere'
  const harness = await startHarness({ docsIn, replies: {} })
  const { clock, world, run } = harness
  world.agentAccess =
    place === 'elsewhere public' ? 'public' : place === 'elsewhere without' ? 'none' : 'token'
  world.roles.set('octocat', MAY_WRITE)
  const createdAtMs = clock.now()
  await clock.sleep(180_000)
  const repository = `https://github.com/${docsIn}`
  const job = {
    status: 'completed',
    source: { repository: `${repository}.git` },
    prLink: `${repository}/pull/12`,
    createdAt: time(createdAtMs),
  }
  return {
    ...harness,
    createdAtMs,
    /** Opens the agent's pull request 12. */
    open: (fields: Partial<Parameters<typeof addPull>[1]> = {}): Pull =>
      addPull(
        world,
        { number: 12, user: AGENT, ...fields },
        isHere ? world.pulls : world.elsewhere,
      ),
    /** A run that waits for the job. */
    read: ({ prLink = job.prLink, inputs, ...options }: ReadOptions = {}) =>
      run({
        ...options,
        // Without a source comment, whose requests are other tests' subject.
        inputs: { 'job-id': 'j1', comment: 'never', ...inputs },
        replies: { get: [{ body: { ...job, prLink } }] },
      }),
    /** What the reply to a command says at last, if this is its job. */
    async reply(prLink: ReadOptions['prLink'] = job.prLink): Promise<string> {
      const event = issueComment({ id: 1, body: '/docs Do it.', author: person('octocat') })
      await run({ event, replies: { get: [{ body: { ...job, prLink } }] } })
      return world.comments.findLast(({ number }) => number === 5)?.history.at(-1) ?? ''
    },
  }
}

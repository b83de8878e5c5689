import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bareEvent, bot, type Event, pushOf } from '../support/events.ts'
import type { Replies } from '../support/scripted-service.ts'
import { AGENT, addCommit, addPull, endPull, mergePull } from '../support/world.ts'
import { author, docsLink, startScene } from './scene.ts'

/** What a commit changes, and whether that needs docs. */
const KINDS = {
  code: { files: ['src/flag.ts'], author, isNeeded: true },
  testing: { files: ['packages/testing/render.ts'], author, isNeeded: true },
  tests: { files: ['tests/flag.test.ts'], author, isNeeded: false },
  docs: { files: ['docs/flag.mdx'], author, isNeeded: false },
  bump: { files: ['src/a.ts'], author: bot('renovate[bot]'), isNeeded: false },
  agent: { files: ['docs/flag.mdx'], author: AGENT, isNeeded: false },
}

/** How a job ends: as one that counts as successful, or not. */
const ENDS: Readonly<Record<string, (id: string, number: number) => Replies>> = {
  pull: (id, number) => endsAs(id, { status: 'completed', prLink: docsLink(number) }),
  'no pull': (id) => endsAs(id, { status: 'completed' }),
  failed: (id) => endsAs(id, { status: 'failed' }),
  archived: (id) => endsAs(id, { status: 'archived' }),
  refused: () => ({ post: [{ status: 500 }] }),
  lost: () => ({ post: [{ breaks: 'before' }] }),
}

function endsAs(id: string, body: object): Replies {
  return { post: [{ body: { id } }], get: ['active', { body: { ...body } }] }
}

const STEP = fc.record({
  commits: fc.array(fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])), {
    minLength: 1,
    maxLength: 2,
  }),
  via: fc.constantFrom('push', 'squash', 'schedule'),
  end: fc.constantFrom(...Object.keys(ENDS)),
  isRerun: fc.boolean(),
  closesDocs: fc.boolean(),
})

it('of the pushes and schedules of a step, each commit that needs docs reaches a successful job', async () => {
  const check = fc.asyncProperty(fc.array(STEP, { minLength: 2, maxLength: 6 }), async (steps) => {
    const { close, inputs, step, world } = await startScene()
    const missing = new Set<string>()
    let count = 0
    const perform = async (event: Event, end: string, isRerun: boolean) => {
      count += 1
      const replies = ENDS[end]?.(`j${count}`, 200 + (count % 2)) ?? {}
      const runId = 2000 + count
      const options = { inputs: { ...inputs, context: 'files' }, runId, replies }
      const ended = [await step(event, options)]
      if (isRerun) ended.push(await step(event, { ...options, attempt: 2 }))
      const prompts = ended.flatMap(({ bodies }) => bodies.map((body) => JSON.stringify(body)))
      const hasSucceeded = ended.some(({ outputs }) =>
        /pull-request$/.test(outputs['result'] ?? ''),
      )
      if (!hasSucceeded) return
      for (const sha of missing)
        if (prompts.some((prompt) => prompt.includes(sha.slice(0, 7)))) missing.delete(sha)
    }
    for (const { commits, via, end, isRerun, closesDocs } of steps) {
      const before = world.branches.get('main') ?? ''
      for (const kind of commits) {
        const { files, author: by, isNeeded } = KINDS[kind]
        if (via === 'squash') {
          const pull = addPull(world, { number: 300 + world.pulls.size, user: by, files })
          const { sha } = mergePull(world, pull)
          if (isNeeded) missing.add(sha)
        } else {
          const { sha } = addCommit(world, { author: by, files })
          if (isNeeded) missing.add(sha)
        }
      }
      const pulls = [200, 201].flatMap((number) => world.pulls.get(number) ?? [])
      if (closesDocs) for (const pull of pulls) endPull(world, pull)
      const event = via === 'schedule' ? bareEvent('schedule') : pushOf(world, before)
      await perform(event, end, isRerun)
    }
    const before = world.branches.get('main') ?? ''
    missing.add(addCommit(world, { author, files: ['src/last.ts'] }).sha)
    await perform(pushOf(world, before), 'no pull', false)
    expect([...missing]).toEqual([])
    await close()
  })
  await fc.assert(check, { numRuns: 20 })
})

import { describe, expect, test } from 'vitest'
import {
  BEFORE,
  bareEvent,
  commentIn,
  type Event,
  event,
  pushOf,
  pushTo,
  workflowRun,
} from '../support/events.ts'
import { type RunEnd, type RunOptions, startHarness } from '../support/harness.ts'
import { resolve } from '../support/history.ts'
import {
  AGENT,
  addCommit,
  addPull,
  type Commit,
  MAY_WRITE,
  mergePull,
  person,
  type World,
} from '../support/world.ts'

const schedule = bareEvent('schedule')
const octocat = person('octocat')
const JOB = { prompt: 'Document it.', wait: 'false' }

/** A step that has had a job on the first commit, and runs again and again. */
const it = test.extend('scene', async () => {
  const harness = await startHarness({ replies: {} })
  const { world, clock } = harness
  async function run(on: Event, inputs: RunOptions['inputs'] = {}, options: RunOptions = {}) {
    await clock.sleep(60_000)
    return await harness.run({ event: on, ...options, inputs: { ...JOB, ...inputs } })
  }
  await run(schedule)
  /** CI that ended on a commit. */
  function ciOn({ sha }: Commit, conclusion = 'success'): Event {
    const by = { triggering_actor: octocat, actor: octocat }
    return workflowRun({ head_sha: sha, conclusion, ...by }, { sender: octocat })
  }
  /** Merges a pull request into `main`. */
  function merge(number: number, fields: Partial<Parameters<typeof addPull>[1]> = {}): Commit {
    mergePull(world, addPull(world, { number, user: octocat, files: ['src/a.ts'], ...fields }))
    return tip()
  }
  function tip(): Commit {
    const found = resolve(world, 'main')
    if (!found) throw new Error('There is no main.')
    return found
  }
  return { ...harness, run, ciOn, merge, tip }
})

/** The event of a pull request that was merged. */
function mergeEvent({ pulls }: World, number: number): Event {
  const pull_request = { ...pulls.get(number)?.fields, number, changed_files: 1 }
  return event('pull_request', { action: 'closed', pull_request, sender: octocat })
}

/** What was sent to Mintlify: nothing if the run was skipped. */
function sentBy({ calls, bodies, outputs, hasFailed }: RunEnd): string {
  const sent = calls.some((call) => call.startsWith('POST')) ? JSON.stringify(bodies) : ''
  expect([outputs['result'], hasFailed]).toEqual([sent ? 'submitted' : 'skipped', false])
  return sent
}

/** @returns the one notice of a run that was skipped */
function noticeOf(end: RunEnd): string {
  expect(sentBy(end)).toBe('')
  const notices = end.log.filter((line) => /^(?:notice|warning|error): /.test(line))
  expect(notices).toHaveLength(1)
  return notices.join()
}

describe('a run does not start a job', () => {
  it('if CI runs again on the commit of the last job, or on an older commit', async ({ scene }) => {
    const [older, newer] = [addCommit(scene.world), addCommit(scene.world)]
    expect(sentBy(await scene.run(scene.ciOn(newer)))).toContain('Change')
    const again = await scene.run(scene.ciOn(newer, 'failure'))
    expect(noticeOf(again)).toContain('the same commit')
    noticeOf(await scene.run(scene.ciOn(older)))
    // A run that failed doesn't hide that job.
    const replies = { post: [{ status: 402 }] }
    expect((await scene.run(bareEvent('workflow_dispatch'), {}, { replies })).hasFailed).toBe(true)
    noticeOf(await scene.run(scene.ciOn(newer)))
    // Somebody who runs it again wants a job.
    sentBy(await scene.run(scene.ciOn(older), {}, { attempt: 2, replies: {} }))
  })

  it('on a new branch of tests alone that left an older commit of `main`', async ({ scene }) => {
    const { world, run } = scene
    addCommit(world, { files: ['src/a.ts'] })
    const made = { branch: 'next', parents: [BEFORE], files: ['test/a.test.ts'] }
    const { sha: after } = addCommit(world, made)
    const ends = { before: '0'.repeat(40), after, commits: [], forced: false, deleted: false }
    const on = event('push', { ref: 'refs/heads/next', created: true, ...ends })
    expect(noticeOf(await run(on))).toContain('only tests')
  })

  it('on a release without a file inside `paths`, though the one before left `main`', async ({
    scene,
  }) => {
    const { world, run } = scene
    world.tags.set('v1.0.0', addCommit(world, { branch: '1.x', files: ['sdk/a.ts'] }).sha)
    world.tags.set('v1.1.0', addCommit(world, { files: ['app/a.ts'] }).sha)
    const on = event('release', { action: 'published', release: { tag_name: 'v1.1.0' } })
    expect(noticeOf(await run(on, { paths: 'sdk/**' }))).toContain('`paths`')
  })

  it('on a moved major tag, but on each full version', async ({ scene }) => {
    const { world, run } = scene
    const tag = (name: string, { sha: after }: Commit) => {
      world.tags.set(name, after)
      const ends = { before: '0'.repeat(40), after, commits: [], forced: false, deleted: false }
      return event('push', { ref: `refs/tags/${name}`, created: true, ...ends })
    }
    for (const minor of [1, 2]) {
      const commit = addCommit(world, { message: `Add --minor-${minor}` })
      const sent = sentBy(await run(tag(`v1.${minor}.0`, commit)))
      expect(sent).toContain(`Add --minor-${minor}`)
      expect(noticeOf(await run(tag('v1', commit)))).toContain('`v1`')
    }
  })
})

it('a forced push back removes features, so its job starts', async ({ scene }) => {
  const { world, run, tip } = scene
  await run(pushTo(world, { message: 'Add --flag' }))
  const before = tip().sha
  world.branches.set('main', BEFORE)
  const sent = sentBy(await run(pushOf(world, before)))
  expect(sent).toContain('commits were removed from the branch')
})

it('the first push of a repository is documented, because GitHub compares no files of its first commit', async () => {
  const { run, world } = await startHarness({ replies: {} })
  addCommit(world, { files: ['test/a.test.ts'] })
  const { name, payload } = pushOf(world, '0'.repeat(40))
  const commits = [{ id: BEFORE, message: 'Add --flag' }, ...(payload.commits ?? [])]
  const end = await run({ event: { name, payload: { ...payload, commits } }, inputs: JOB })
  expect(sentBy(end)).toContain('Add --flag')
})

it('a push whose payload names no commits is about that of the run', async () => {
  const { run, world } = await startHarness({ replies: {} })
  addCommit(world, { message: 'Add --flag' })
  expect(sentBy(await run({ event: bareEvent('push'), inputs: JOB }))).toContain('Add --flag')
})

it('with `skip-unchanged`, a schedule skips 250 commits of the agent, but no list that was cut', async ({
  scene,
}) => {
  const inputs = { 'skip-unchanged': 'true' }
  for (const count of [250, 251]) {
    for (let made = 0; made < count; made++) addCommit(scene.world, { author: AGENT })
    const sent = sentBy(await scene.run(schedule, inputs))
    expect(sent === '').toBe(count === 250)
  }
  expect(sentBy(await scene.run(schedule, inputs))).toBe('')
})

it('the last ten commits of a step without a job are documented, even those of the agent', async () => {
  const { run, world } = await startHarness({ replies: {} })
  for (let count = 0; count < 12; count++)
    addCommit(world, { author: AGENT, files: ['package-lock.json'] })
  const inputs = { ...JOB, 'skip-unchanged': 'true' }
  expect(sentBy(await run({ event: schedule, inputs }))).toContain('package-lock.json')
})

describe('after changes that are not documented', () => {
  it.for([
    { name: 'of the agent', commit: { author: AGENT, files: ['docs/a.md'] } },
    { name: 'of lock files alone', commit: { files: ['yarn.lock'] } },
  ])(
    '$name, the record moves on with its job, so that the next run leaves them out',
    async ({ commit }, { scene }) => {
      const { world, run, statuses } = scene
      const before = statuses().length
      const skipped = noticeOf(await run(pushTo(world, { message: 'Not needed', ...commit })))
      expect(skipped.includes('`paths`')).toBe('files' in commit && !('author' in commit))
      expect(statuses()).toHaveLength(before + 1)
      // Without a new base, this push would have the page of the first one.
      noticeOf(await run(pushTo(world, { files: ['yarn.lock'] })))
      const end = await run(pushTo(world, { message: 'Add --flag' }))
      const sent = sentBy(end)
      expect(end.calls).toContain('POST /job/j1/message')
      expect([sent.includes('Add --flag'), sent.includes('Not needed')]).toEqual([true, false])
    },
  )

  it('an older run that is run again does not move the record back', async ({ scene }) => {
    const { world, run, statuses } = scene
    const older = pushTo(world, { files: ['yarn.lock'] })
    noticeOf(await run(older, {}, { runId: 2000 }))
    sentBy(await run(pushTo(world)))
    const before = statuses().length
    noticeOf(await run(older, {}, { runId: 2000, attempt: 2 }))
    expect(statuses()).toHaveLength(before)
  })

  it('a record that cannot be moved is a notice, and the run succeeds', async ({ scene }) => {
    const { world, run, github, statuses } = scene
    const [push, before] = [pushTo(world, { files: ['yarn.lock'] }), statuses().length]
    github.faults.push({ match: /POST .*statuses/, end: '502', times: 3 })
    const moved = await run(push)
    expect([moved.outputs['result'], moved.hasFailed]).toEqual(['skipped', false])
    // The post step has moved it.
    expect(statuses()).toHaveLength(before + 1)
    world.scopes.delete('statuses: write')
    world.scopes.add('statuses: read')
    const refused = await run(pushTo(world, { files: ['yarn.lock'] }))
    expect([refused.outputs['result'], refused.hasFailed]).toEqual(['skipped', false])
    expect(refused.log.join('\n')).toMatch(/^notice: .*`?statuses: write/m)
  })

  it('a step that never had a job writes no record', async () => {
    const { run, world, statuses } = await startHarness({ replies: {} })
    const inputs = { prompt: 'Document it.' }
    noticeOf(await run({ event: pushTo(world, { files: ['yarn.lock'] }), inputs }))
    expect(statuses()).toEqual([])
  })
})

describe('with `paths`', () => {
  const SDK = { paths: 'sdk/**\n!**/*.test.ts' }

  it('files and merged pull requests outside are left out, with their authors', async ({
    scene,
  }) => {
    const { world, run, merge } = scene
    const [inside, outside] = [person('inside', 7003), person('outside', 7004)]
    merge(7, { title: 'Add --inside', user: inside, files: ['sdk/a.ts', 'app/both.ts'] })
    merge(8, { title: 'Add --outside', user: outside, files: ['app/b.ts', 'sdk/a.test.ts'] })
    const end = await run(pushOf(world, BEFORE), SDK)
    const sent = sentBy(end)
    const shown = ['--inside', 'sdk/a.ts', '--outside', 'app/', 'a.test.ts', '#8'].filter((text) =>
      sent.includes(text),
    )
    expect(shown).toEqual(['--inside', 'sdk/a.ts'])
    expect(end.outputs['source-authors']).toBe('inside')
  })

  it('a command gets all files of its pull request', async ({ scene }) => {
    const { world, run } = scene
    world.roles.set('octocat', MAY_WRITE)
    addPull(world, { number: 7, files: ['app/a.ts', 'sdk/b.ts'] })
    const on = commentIn(world, { number: 7, author: octocat, body: '/docs explain it' })
    const sent = sentBy(await run(on, { ...SDK, prompt: '' }))
    expect([sent.includes('app/a.ts'), sent.includes('sdk/b.ts')]).toEqual([true, true])
  })

  it('the record moves on only if it is more than 100 commits back, without a comment', async ({
    scene,
  }) => {
    const { world, run, merge, statuses, said } = scene
    const before = statuses().length
    for (let made = 0; made < 100; made++) addCommit(world, { files: ['app/a.ts'] })
    noticeOf(await run(schedule, SDK))
    expect(statuses()).toHaveLength(before)
    merge(7, { files: ['app/b.ts'] })
    noticeOf(await run(mergeEvent(world, 7), { ...SDK, comment: 'always' }))
    expect(statuses()).toHaveLength(before + 1)
    expect(said()).toEqual([])
    // The job is the same.
    const end = await run(pushTo(world, { files: ['sdk/a.ts'] }), SDK)
    expect(end.calls).toContain('POST /job/j1/message')
  })
})

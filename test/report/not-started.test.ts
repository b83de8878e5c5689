import { describe, expect, it } from 'vitest'
import { octocat } from '../look/runs.ts'
import { type bareEvent, commentIn, event, pullRequest, pushTo } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { addPull, bot, MAY_WRITE, type World } from '../support/world.ts'

type Happen = (world: World) => ReturnType<typeof bareEvent>
const push: Happen = (world) => pushTo(world, { files: ['src/cli.ts'] })
const command: Happen = (world) => commentIn(world, { author: octocat, body: '/docs explain it' })
const merge: Happen = (world) => {
  addPull(world, { number: 7, merged: true, state: 'closed' })
  return pullRequest({ action: 'closed', pull: { number: 7, merged: true } })
}

/** A run that fails at GitHub, with its only annotation. */
async function runInto(
  happen: Happen,
  inputs: Readonly<Record<string, string>>,
  break_: (scene: Awaited<ReturnType<typeof startHarness>>) => void,
) {
  const scene = await startHarness({ replies: {} })
  const { world } = scene
  world.roles.set('octocat', MAY_WRITE)
  addPull(world, { number: 5, files: ['src/flag.ts'] })
  const made = happen(world)
  break_(scene)
  const given = { ...(happen !== command && { prompt: 'Document it.' }), ...inputs }
  const end = await scene.run({ event: made, inputs: given })
  const all = [...end.titles, ...end.post.titles]
  expect([all.length, end.calls, end.outputs['result']]).toEqual([1, [], 'error'])
  const [error = ''] = end.log.filter((line) => line.startsWith('error: ')).slice(-1)
  const at = end.log.indexOf(error)
  return { ...end, title: all[0], error: end.log.slice(at).join('\n') }
}

describe('a missing permission', () => {
  const READS = ['checks: read', 'contents: read']
  it.each([
    {
      what: 'a push',
      happen: push,
      inputs: {},
      block: [...READS, 'pull-requests: write', 'statuses: write'],
      later: ['its next run includes these changes', 'start the workflow with `workflow_dispatch`'],
    },
    {
      what: 'a push without comments',
      happen: push,
      inputs: { comment: 'never' },
      block: [...READS, 'pull-requests: read', 'statuses: write'],
      later: ['start the workflow with `workflow_dispatch`'],
    },
    {
      what: 'a push with labels, and without comments',
      happen: push,
      inputs: { comment: 'never', 'pr-labels': 'docs' },
      block: [...READS, 'pull-requests: write', 'statuses: write'],
      later: ['start the workflow with `workflow_dispatch`'],
    },
    {
      what: 'a merged pull request',
      happen: merge,
      inputs: {},
      block: [...READS, 'pull-requests: write', 'statuses: write'],
      later: ['comment `/docs …` on the pull request'],
    },
    {
      what: 'a command',
      happen: command,
      inputs: {},
      block: [...READS, 'issues: write', 'pull-requests: write'],
      later: ['then repeat the command.'],
    },
  ])('of $what has the whole block to paste', async ({ happen, inputs, block, later }) => {
    const { title, error, summary } = await runInto(happen, inputs, ({ world }) =>
      world.scopes.clear(),
    )
    expect(title).toMatch(/^Missing permission: `[a-z-]+: (?:read|write)` \(docs\)$/)
    const text = ['permissions:', ...block.map((line) => `  ${line}`)].join('\n')
    expect(error).toContain(`\n${text}`)
    expect(summary).toContain(`\`\`\`text\n${text}\n\`\`\``)
    for (const words of later) expect(error).toContain(words)
    expect(error).not.toContain('re-run this job')
  })

  it('of an App’s token has the list of the App’s permissions', async () => {
    const { error } = await runInto(push, { 'pr-reviewers': 'acme/docs-team' }, ({ world }) => {
      world.viewer = bot('acme-docs[bot]')
      world.scopes.clear()
    })
    expect(error).toMatch(/\n(?:checks: read\ncontents: read\nmembers: read\npull-requests: write)/)
    expect(error).not.toContain('permissions:\n')
  })
})

describe('a GitHub that fails', () => {
  it.each([
    { end: '502', title: 'GitHub is unavailable (502) (docs)' },
    { end: '401', title: '`github-token` is invalid or expired (docs)' },
    { end: '422', title: 'GitHub rejected a request (422) (docs)' },
    { end: 'html', title: 'GitHub returned 200 without a readable body (docs)' },
  ] as const)('with $end is one error that names it', async ({ end, title }) => {
    const failed = await runInto(push, {}, ({ github }) => github.faults.push({ match: /./, end }))
    expect(failed.title).toBe(title)
    expect(failed.error).toMatch(/^error: Could not .*\. Nothing was started/)
    expect(failed.error).toContain('If this step had a job before, its next run includes')
    expect(failed.error).toContain('Otherwise, re-run this job.')
  })

  it.each([
    {
      what: 'a release',
      made: event('release', { action: 'published', release: { tag_name: 'v1' } }),
    },
    { what: 'a merge', made: undefined },
  ])('says of $what, which no later run includes, to re-run the job', async ({ made }) => {
    const happen = made ? () => made : merge
    const { error } = await runInto(happen, {}, ({ github }) =>
      github.faults.push({ match: /./, end: '502' }),
    )
    expect(error).toContain('To send these changes, re-run this job.')
    expect(error).not.toContain('next run')
  })
})

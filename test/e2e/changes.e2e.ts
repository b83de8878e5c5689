import { describe, expect, it } from 'vitest'
import { event, pushTo } from '../support/events.ts'
import { octocat } from '../support/scene.ts'
import type { World } from '../support/world.ts'
import { MERGED, PULL, pullIs, runWorkflow } from './run-workflow.ts'

describe.concurrent('a push', () => {
  it('opens a docs pull request, saves its job, and comments on it (docs-on-push)', async () => {
    const run = await runWorkflow('docs-on-push')
    const made = { result: 'pull-request', 'pr-link': PULL, 'pr-number': '1' }
    expect(run.outputs).toMatchObject([made])
    expect(run.job('docs').summary).toContain(PULL)
    const prompt = /^Bring the docs up to date[\s\S]+change nothing\.\n[\s\S]+src\/pets\.ts/
    expect(run.prompts).toEqual([expect.stringMatching(prompt)])
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
    const context = 'Docs agent: docs (docs-on-push.yml, docs, docs)'
    expect(run.statuses).toEqual([`success ${context}`])
    expect(run.github.requests).toContain('POST /issues/1/comments')
  })

  it('sends the diff of the API description, and no other one (api-changelog)', async () => {
    const files = [
      {
        filename: 'openapi.yaml',
        status: 'modified' as const,
        patch: '@@ -3 +3 @@\n+    post: {}',
      },
      { filename: 'src/secret.ts', status: 'modified' as const, patch: '@@ -1 +1 @@\n-no\n+yes' },
    ]
    const run = await runWorkflow('api-changelog', { event: (world) => pushTo(world, { files }) })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(/^Add an entry to the API changelog[\s\S]+\+ {4}post: \{\}/)
    expect(run.prompts[0]).not.toContain('src/secret.ts')
  })
})

describe.concurrent('a pull request', () => {
  it('is documented once it is merged, and gets a comment (docs-on-merge)', async () => {
    const run = await runWorkflow('docs-on-merge', { event: pullIs('closed', MERGED) })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(/^Document what the merged pull request below changes/)
    for (const part of ['Add pets', 'src/pets.ts']) expect(run.prompts[0]).toContain(part)
    expect(new Set(run.world.statuses.map(({ sha }) => sha))).toEqual(
      new Set([MERGED.merge_commit_sha]),
    )
    const written = run.world.comments.filter(({ number }) => number === 5)
    expect(written.map(({ history }) => history.at(-1))).toEqual([expect.stringContaining(PULL)])
  })

  it("closed without a merge doesn't start a runner (docs-on-merge)", async () => {
    const event = pullIs('closed', { ...MERGED, merged: false, merge_commit_sha: null })
    expect((await runWorkflow('docs-on-merge', { event })).sent).toEqual([])
  })

  it('gets a docs pull request of its own (docs-for-pull-requests)', async () => {
    const run = await runWorkflow('docs-for-pull-requests', {
      event: ({ pulls }) =>
        pullIs('opened', { draft: false, head: pulls.get(5)?.fields.head ?? {} })(),
    })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toContain('src/pets.ts')
    expect(run.github.requests).toContain('GET /collaborators/octocat/permission')
    expect(run.statuses).toEqual([expect.stringContaining(', #5)')])
  })
})

describe.concurrent('a release', () => {
  const released = (world: World) => {
    world.tags.set('v1.4.0', world.branches.get('main') ?? '')
    const notes = { tag_name: 'v1.4.0', name: '1.4.0', body: 'Pets can be listed.' }
    const release = { ...notes, prerelease: false, draft: false }
    return event('release', { action: 'published', release, sender: octocat })
  }

  it('is documented from its notes (docs-on-release)', async () => {
    const run = await runWorkflow('docs-on-release', { event: released })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(
      /^Add the release below to the changelog[\s\S]+v1\.4\.0[\s\S]+Pets can be listed\./,
    )
  })

  it('merges the docs pull request of the pushes (docs-with-releases)', async () => {
    const review = { reviewDecision: 'REVIEW_REQUIRED', mergeStateStatus: 'BLOCKED' }
    const state = { state: 'OPEN', headRefName: 'docs', ...review }
    const pull = { id: 'PR_1', number: 1, title: 'Docs', url: PULL, baseRefName: 'main', ...state }
    const gh = (query: string): object => {
      if (query.includes('mutation')) return {}
      const types = [...query.matchAll(/(\w+): __type/g)].map(([, name = '']) => name)
      if (types.length === 0) return { repository: { id: 'R_1', pullRequest: pull } }
      return Object.fromEntries(types.map((name) => [name, { fields: [] }]))
    }
    const run = await runWorkflow('docs-with-releases', { event: released, gh })
    expect(run.prompts[0]).toMatch(/^The release below is out\. [^\n]+change nothing\.\n/)
    expect(JSON.stringify(run.gh.at(-1))).toMatch(
      /enablePullRequestAutoMerge.+"mergeMethod":"SQUASH"/,
    )
  })

  it('does not merge if the base branch does not require a review (docs-with-releases)', async () => {
    const pull = { id: 'PR_1', number: 1, reviewDecision: null, mergeStateStatus: 'CLEAN' }
    const gh = () => ({ repository: { id: 'R_1', pullRequest: pull } })
    const run = await runWorkflow('docs-with-releases', { event: released, gh, exitCode: 1 })
    expect(run.results).toEqual(['pull-request'])
    expect(run.gh).not.toEqual([])
    expect(JSON.stringify(run.gh)).not.toContain('mutation')
  })
})

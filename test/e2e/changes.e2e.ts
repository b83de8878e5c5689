import { describe, expect, it } from 'vitest'
import { type Event, event, newIssue, pushTo } from '../support/events.ts'
import { octocat } from '../support/scene.ts'
import type { World } from '../support/world.ts'
import { MERGED, PULL, pullIs, runWorkflow } from './run-workflow.ts'

/** An event of a pull request or an issue, with the label that it is about. */
const withLabel = (event: () => Event, label: string) => (): Event => {
  const { name, payload } = event()
  const labelled = { label: { name: label } }
  return { name, payload: { ...payload, ...labelled } }
}

describe.concurrent('a push', () => {
  it('has a pull request made, remembered and announced (docs-on-push)', async () => {
    const run = await runWorkflow('docs-on-push')
    const made = { result: 'pull-request', 'pr-link': PULL, 'pr-number': '1' }
    expect(run.outputs).toMatchObject([made])
    expect(run.job('docs').summary).toContain(PULL)
    const prompt = /^Bring the docs up to date[\s\S]+change nothing\.\n[\s\S]+src\/pets\.ts/
    expect(run.prompts).toEqual([expect.stringMatching(prompt)])
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
    const context = 'Docs agent: docs (docs-on-push.yml, docs, docs)'
    expect(run.statuses).toEqual([`pending ${context}`, `success ${context}`])
    expect(run.github.requests).toContain('POST /issues/1/comments')
  })

  it('has a step for each package that it changes (monorepo)', async () => {
    const run = await runWorkflow('monorepo', {
      event: (world) =>
        pushTo(world, { files: ['packages/cli/src/main.ts', 'packages/web/src/page.ts'] }),
    })
    const { outputs } = run.job('docs')
    expect(outputs['changed']).toEqual({ packages: '["cli","web"]' })
    expect(outputs['cli']).toMatchObject({ result: 'pull-request' })
    expect(outputs['api']).toBeUndefined()
    expect(run.prompts).toEqual([
      expect.stringMatching(/^Bring the section "Command line" up to date/),
    ])
  })

  it('of more files than GitHub names has a step for every package (monorepo)', async () => {
    const files = Array.from({ length: 300 }, (_, index) => `packages/web/src/${index}.ts`)
    const run = await runWorkflow('monorepo', { event: (world) => pushTo(world, { files }) })
    const { outputs, log } = run.job('docs')
    expect([outputs['api'], outputs['cli']]).toMatchObject(
      Array(2).fill({ result: 'pull-request' }),
    )
    expect(log).toContain('::notice title=All packages::The push changed at least 300 files')
  })

  it('hands the diff of the API description to the agent as data (api-changelog)', async () => {
    const run = await runWorkflow('api-changelog', {
      files: { 'openapi.yaml': 'paths:\n  /pets:\n    get: {}\n' },
      changes: {
        'openapi.yaml': 'paths:\n  /pets:\n    get: {}\n    post: {}\n',
        'src/secret.ts': 'no\n',
      },
    })
    const [prompt] = run.prompts
    expect(prompt).toMatch(/^Add an entry to the API changelog/)
    for (const part of ['api.diff', '+    post: {}', 'src/pets.ts']) expect(prompt).toContain(part)
    for (const part of ['cats and dogs', 'src/secret.ts']) expect(prompt).not.toContain(part)
  })

  const API = 'openapi: 3.1.0\n# Pets\npaths:\n  /pets:\n    get: {}\n'
  it.each([
    [
      'comments and blank lines',
      API.replace('# Pets', '# All pets\n\n  # and cats'),
      'notice',
      'Only comments',
    ],
    [
      'a description without a path',
      'openapi: 3.1.0\npaths: {}\n',
      'warning',
      'openapi.yaml is missing, or contains no',
    ],
  ])(
    'that changes the API description to %s starts no job (api-changelog)',
    async (_case, text, level, said) => {
      const run = await runWorkflow('api-changelog', {
        files: { 'openapi.yaml': API },
        changes: { 'openapi.yaml': text },
      })
      expect(run.asked).toEqual([])
      expect(run.job('changelog').log).toContain(`::${level} title=No API changelog::${said}`)
    },
  )
})

describe.concurrent('a pull request', () => {
  it('is documented once it is merged, and told so (docs-on-merge)', async () => {
    const run = await runWorkflow('docs-on-merge', { event: pullIs('closed', MERGED) })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(/^Document what the merged pull request below changes/)
    for (const part of ['Add pets', 'src/pets.ts']) expect(run.prompts[0]).toContain(part)
    expect(new Set(run.world.statuses.map(({ sha }) => sha))).toEqual(
      new Set([MERGED.merge_commit_sha]),
    )
    const told = run.world.comments.filter(({ number }) => number === 5)
    expect(told.map(({ history }) => history.at(-1))).toEqual([expect.stringContaining(PULL)])
  })

  it('with the label docs-later is documented once that is taken off (docs-on-merge)', async () => {
    const taken = pullIs('unlabeled', MERGED)
    const run = await runWorkflow('docs-on-merge', { event: withLabel(taken, 'docs-later') })
    expect(run.results).toEqual(['pull-request'])
    const open = withLabel(pullIs('unlabeled', { merged: false }), 'docs-later')
    for (const event of [withLabel(taken, 'bug'), open])
      expect((await runWorkflow('docs-on-merge', { event })).sent).toEqual([])
  })

  it.each([
    ['of Dependabot is skipped', { user: { login: 'dependabot[bot]', type: 'Bot' } }, ['skipped']],
    ['with the label docs-later starts no runner', { labels: [{ name: 'docs-later' }] }, []],
  ])('%s (docs-on-merge)', async (_case, pull, results) => {
    const event = pullIs('closed', { ...MERGED, ...pull })
    const run = await runWorkflow('docs-on-merge', { event })
    expect(run.results).toEqual(results)
    expect(results.length === 0 ? run.sent : run.asked).toEqual([])
  })

  it('has a docs pull request beside it (docs-for-pull-requests)', async () => {
    const run = await runWorkflow('docs-for-pull-requests', {
      event: ({ pulls }) =>
        pullIs('opened', { draft: false, head: pulls.get(5)?.fields.head ?? {} })(),
    })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toContain('src/pets.ts')
    expect(run.github.requests).toContain('GET /collaborators/octocat/permission')
    expect(run.statuses).toHaveLength(2)
  })

  it('and an issue are documented when they get the label, and with no other (docs-wanted-label)', async () => {
    const ask = { body: 'Describe pets.', author: octocat, number: 8 }
    const issue = newIssue({ ...ask, action: 'labeled' })
    for (const labeled of [pullIs('labeled'), () => issue]) {
      const event = withLabel(labeled, 'docs-wanted')
      const run = await runWorkflow('docs-wanted-label', { event })
      expect(run.results).toEqual(['pull-request'])
      expect(run.prompts[0]).toMatch(/^Write the documentation[\s\S]+pets/)
      expect(run.github.requests).toContain('GET /collaborators/octocat/permission')
    }
    const event = withLabel(pullIs('labeled'), 'bug')
    expect((await runWorkflow('docs-wanted-label', { event })).sent).toEqual([])
  })
})

describe.concurrent('a release', () => {
  const released = (prerelease: boolean) => (world: World) => {
    world.tags.set('v1.4.0', world.branches.get('main') ?? '')
    const notes = { tag_name: 'v1.4.0', name: '1.4.0', body: 'Pets can be listed.' }
    const release = { ...notes, prerelease, draft: false }
    return event('release', { action: 'published', release, sender: octocat })
  }

  it('is documented from its notes, once it is no pre-release (docs-on-release)', async () => {
    const run = await runWorkflow('docs-on-release', { event: released(false) })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(
      /^Add the release below to the changelog[\s\S]+v1\.4\.0[\s\S]+Pets can be listed\./,
    )
    const early = await runWorkflow('docs-on-release', { event: released(true) })
    expect(early.sent).toEqual([])
  })

  it('merges the pull request of the pushes; a push does not (docs-with-releases)', async () => {
    const state = { state: 'OPEN', mergeStateStatus: 'BLOCKED', headRefName: 'docs' }
    const pull = { id: 'PR_1', number: 1, title: 'Docs', url: PULL, baseRefName: 'main', ...state }
    const gh = (query: string): object => {
      if (query.includes('mutation')) return {}
      const types = [...query.matchAll(/(\w+): __type/g)].map(([, name = '']) => name)
      if (types.length === 0) return { repository: { id: 'R_1', pullRequest: pull } }
      return Object.fromEntries(types.map((name) => [name, { fields: [] }]))
    }
    const run = await runWorkflow('docs-with-releases', { event: released(false), gh })
    expect(run.prompts[0]).toMatch(/^The release below is out\. [^\n]+change nothing\.\n/)
    expect(JSON.stringify(run.gh.at(-1))).toMatch(
      /enablePullRequestAutoMerge.+"mergeMethod":"SQUASH"/,
    )
    const push = await runWorkflow('docs-with-releases', { gh })
    expect(push.prompts[0]).toMatch(
      /^Bring the docs up to date with the changes below\. They are not released yet\. /,
    )
    expect(push.gh).toEqual([])
  })
})

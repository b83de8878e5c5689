import { describe, expect, it } from 'vitest'
import { readExample, readRecipes } from '../../scripts/recipes.ts'
import { event } from '../support/events.ts'
import { octocat } from '../support/scene.ts'
import type { World } from '../support/world.ts'
import {
  comment,
  EARLIER,
  PULL,
  pullIs,
  runWorkflow,
  type WorkflowOptions,
} from './run-workflow.ts'

const recipes = readRecipes()

/** Runs the workflow of the quick start with the change of a recipe. */
function runRecipe(heading: string, options: WorkflowOptions = {}) {
  const workflow = recipes.get(heading)
  if (workflow === undefined) throw new Error(`No page has a diff below "${heading}".`)
  return runWorkflow(workflow, options)
}

describe.concurrent('the recipe', () => {
  it('"Document a release" sends the notes of a published release', async () => {
    const run = await runRecipe('Document a release', {
      event: (world: World) => {
        world.tags.set('v1.4.0', world.branches.get('main') ?? '')
        const notes = { tag_name: 'v1.4.0', name: '1.4.0', body: 'Pets can be listed.' }
        const release = { ...notes, prerelease: false, draft: false }
        return event('release', { action: 'published', release, sender: octocat })
      },
    })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(/add it to the changelog[\s\S]+v1\.4\.0[\s\S]+can be listed\./)
  })

  it('"Start with a label" starts a job only for its label, and comments with the link', async () => {
    const labeled = (name: string) => pullIs('labeled', {}, { label: { name } })
    const run = await runRecipe('Start with a label', { event: labeled('needs-docs') })
    expect(run.results).toEqual(['pull-request'])
    const [own] = run.world.comments.filter(({ number }) => number === 5)
    expect(own?.history.at(-1)).toContain(PULL)
    const other = await runRecipe('Start with a label', { event: labeled('bug') })
    expect([...other.results, ...other.sent]).toEqual([])
  })

  it('"Start with a label" still answers commands', async () => {
    const event = comment('/docs Explain pets.')
    expect((await runRecipe('Start with a label', { event })).results).toEqual(['pull-request'])
  })

  it.each([
    ['that pass', 'true', undefined, ['pull-request'], 0],
    ['that fail', 'false', undefined, [], 1],
    [
      'that no one runs for a command',
      'false',
      comment('/docs Explain pets.'),
      ['pull-request'],
      0,
    ],
  ] as const)(
    '"Run after CI" waits for tests %s',
    async (_case, test, event, results, exitCode) => {
      const workflow = recipes.get('Run after CI')?.replace(/(?<=- run: )echo .*/, test) ?? ''
      const run = await runWorkflow(workflow, { exitCode, ...(event && { event }) })
      expect(run.results).toEqual(results)
    },
  )

  it('"Wait while a docs pull request is open" skips the next push', async () => {
    const run = await runRecipe('Wait while a docs pull request is open', EARLIER)
    expect(run.results).toEqual(['skipped'])
    expect(run.asked.filter((line) => line.endsWith('/message'))).toEqual([])
  })

  it.each([
    ['labels a small docs pull request', 'guides/pets.mdx', 'modified', 30, 'POST'],
    ["doesn't label a large one", 'guides/pets.mdx', 'modified', 31, 'DELETE'],
    ["doesn't label a new page", 'guides/pets.mdx', 'added', 12, 'DELETE'],
    ["doesn't label other files", 'docs.json', 'modified', 2, 'DELETE'],
  ] as const)(
    '"Merge small docs pull requests" %s',
    async (_case, filename, status, additions, method) => {
      const run = await runRecipe('Merge small docs pull requests', {
        before: ({ world }) => {
          const { agentPulls } = world
          const files = [{ filename, status, additions, deletions: 0 }]
          world.agentPulls = () => agentPulls().map((pull) => ({ ...pull, files }))
        },
        gh: () => ({}),
      })
      expect(run.results).toEqual(['pull-request'])
      const labels = '/repos/acme/docs/issues/1/labels'
      expect(run.gh.map(({ line }) => line)).toEqual([
        method === 'POST' ? `POST ${labels}` : `DELETE ${labels}/small-docs`,
      ])
    },
  )

  it('"Split a monorepo" starts a job for each package with changed files', async () => {
    const run = await runRecipe('Split a monorepo')
    expect(run.results.toSorted()).toEqual(['pull-request', 'skipped'])
    expect(run.prompts).toEqual([expect.stringContaining('docs of the package api')])
  })

  it('"Split a monorepo" reports visitors once', async () => {
    const run = await runRecipe('Split a monorepo', { event: 'schedule' })
    expect(run.summary.match(/```mermaid/g)).toHaveLength(1)
  })

  it('"Split a monorepo" answers a command once', async () => {
    const run = await runRecipe('Split a monorepo', { event: comment('/docs Explain pets.') })
    expect(run.results.toSorted()).toEqual(['pull-request', 'skipped'])
    expect(run.prompts).toHaveLength(1)
  })

  it('"Change the workflow" (private docs) uses a token of the App for both repositories', async () => {
    // GitHub refuses the workflow's own token, so whatever is asked is asked with the App's.
    const run = await runRecipe('Change the workflow', {
      secrets: { GITHUB_TOKEN: 'ghs_refused' },
    })
    expect(run.results).toEqual(['pull-request'])
    const [, given = ''] = /"GIVEN (\{.*\})"/.exec(run.jobs.map(({ log }) => log).join('')) ?? []
    expect(JSON.parse(given.replaceAll('\\"', '"').replaceAll('\\\\', '\\'))).toEqual({
      'client-id': 'Iv1',
      'private-key': '***', // as act shows a secret
      owner: 'acme',
      repositories: 'docs\nhandbook\n',
      'permission-contents': 'read',
      'permission-issues': 'write',
      'permission-pull-requests': 'write',
      'permission-statuses': 'write',
    })
  })
})

/** Answers gh with pull requests; gh first asks which fields the server knows. */
function pullsFor(nodes: readonly object[]) {
  return (query: string): object => {
    if (query.includes('mutation')) return {}
    const types = [...query.matchAll(/(\w+): __type[^{]*\{(\w+)/g)]
    if (types.length > 0)
      return Object.fromEntries(types.map(([, name, field = '']) => [name, { [field]: [] }]))
    const pageInfo = { hasNextPage: false, endCursor: '' }
    const found = { totalCount: nodes.length, issueCount: nodes.length, nodes, pageInfo }
    return { search: found, repository: { id: 'R_1', pullRequest: nodes[0], pullRequests: found } }
  }
}

describe.concurrent('the recipe "Post to a chat on Mondays"', () => {
  const text = /^Docs: about [\d]+ visitors in the last 7 days, \d+ in the 7 days before$/
  const visitors = { text: expect.stringMatching(text) }
  const waiting = { url: `${PULL}2`, createdAt: '2026-11-23T06:00:00Z' }

  it.each([
    ['and the docs pull requests that wait', [waiting], [visitors, { text: WAITING }]],
    ['and no docs pull requests if none waits', [], [visitors]],
  ])('posts the visitors %s', async (_case, nodes, posts) => {
    const run = await runRecipe('Post to a chat on Mondays', {
      event: 'schedule',
      gh: pullsFor(nodes),
    })
    expect(run.chat).toEqual(posts)
  })

  it('posts nothing after a push', async () => {
    const run = await runRecipe('Post to a chat on Mondays')
    expect(run.results).toEqual(['pull-request'])
    expect(run.chat).toEqual([])
  })
})

const WAITING = `These docs pull requests wait for a review:\n${PULL}2, open since 2026-11-23`

describe.concurrent('merge-small-docs', () => {
  const small = {
    id: 'PR_7',
    number: 7,
    headRefOid: 'c'.repeat(40),
    additions: 20,
    deletions: 10,
    mergeStateStatus: 'CLEAN',
    state: 'OPEN',
    title: 'Docs',
  }

  it.each([
    [
      'merges a small docs pull request at the commit that it has looked at',
      small,
      [small.headRefOid],
    ],
    ['leaves one that has grown', { ...small, additions: 21 }, []],
    ['leaves one whose checks have failed', { ...small, mergeStateStatus: 'UNSTABLE' }, []],
  ])('%s', async (_case, pull, merged) => {
    const run = await runWorkflow(readExample('merge-small-docs'), {
      event: 'schedule',
      gh: pullsFor([pull]),
    })
    const sent = JSON.stringify(run.gh)
    expect(sent).toMatch(/updated:<20\d\d-\S+ .*author:app\/mintlify.+label:small-docs/)
    expect([...sent.matchAll(/"expectedHeadOid":"(\w+)"/g)].map(([, sha]) => sha)).toEqual(merged)
  })
})

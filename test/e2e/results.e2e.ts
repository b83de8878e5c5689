import { describe, expect, it } from 'vitest'
import {
  earlierJob,
  PREVIEW,
  readExample,
  runWorkflow,
  type WorkflowOptions,
  yamlBelow,
} from './run-workflow.ts'

/**
 * The example docs-on-push with what the recipes say can be added: lines for the `with:` of the action, for the job, or
 * a step, by their indentation. A schedule replaces its `push`.
 */
function withSnippet(heading: string, inputs: readonly string[] = []): string {
  const snippet = yamlBelow('recipes', heading)
  const text = readExample('docs-on-push').replace(
    /^ +with:\n/m,
    (line) => line + inputs.map(indented).join(''),
  )
  if (snippet.startsWith('  schedule:')) return text.replace(/^ {2}push:\n(?: {4}.*\n)+/m, snippet)
  if (snippet.startsWith('      - ')) return `${text}\n${snippet}`
  const place = snippet.startsWith('          ') ? /^ +with:\n/m : /^ {2}docs:\n/m
  return text.replace(place, (line) => line + snippet)
}

function indented(line: string): string {
  return `          ${line}\n`
}

describe.concurrent('what can be added to any recipe', () => {
  it.each([
    ['Approval', 'pull-request'], // by a person, which act takes for granted
    ['Not waiting', 'submitted'],
  ])('%s: the run ends as %s', async (heading, result) => {
    const run = await runWorkflow('docs-on-push', { workflow: withSnippet(heading) })
    expect(run.results).toEqual([result])
    const context = 'Docs agent: docs (docs-on-push.yml, docs, docs)'
    expect(run.statuses).toEqual([`pending ${context}`, `success ${context}`])
    expect(run.world.statuses.at(-1)?.description).toContain(`(${run.docs.jobs[0]?.id})`)
  })

  it.each([
    ['answer', [], 0],
    ['one of which does not answer', ['/guides/pets'], 1],
  ])('A checked preview: opens the changed pages, which %s', async (_case, broken, exitCode) => {
    const run = await runWorkflow('docs-on-push', {
      workflow: withSnippet('A checked preview', ['wait-for-preview: true']),
      brokenPages: broken,
      exitCode,
      before: ({ world }) => {
        const { agentPulls } = world
        const changed = {
          'guides/pets.mdx': 'modified',
          'index.mdx': 'added',
          'old.mdx': 'removed',
          'docs.json': 'modified',
          '$(touch x).md': 'added',
        } as const
        const files = Object.entries(changed).map(([filename, status]) => ({ filename, status }))
        world.agentPulls = () => agentPulls().map((pull) => ({ ...pull, files }))
      },
    })
    expect(run.outputs[0]).toMatchObject({ 'preview-url': PREVIEW, 'preview-status': 'ready' })
    expect(new Set(run.opened)).toEqual(new Set(['GET /guides/pets', 'GET /']))
  })

  it.each<[string, WorkflowOptions, string]>([
    ['starts a job for what changed', {}, 'pull-request'],
    [
      'starts none after a job on this commit',
      earlierJob('docs-on-push.yml, docs, docs', 1),
      'skipped',
    ],
  ])('Once a day: %s', async (_case, options, result) => {
    const workflow = withSnippet('Once a day', ['skip-unchanged: true'])
    const run = await runWorkflow('docs-on-push', { workflow, event: 'schedule', ...options })
    expect(run.results).toEqual([result])
    expect(run.prompts).toHaveLength(1) // that of the earlier job, where there is one
    expect(run.asked.filter((line) => line.endsWith('/message'))).toEqual([])
  })

  it('Fix content gaps: the agent gets the list', async () => {
    const workflow = withSnippet('Fix content gaps')
    const own = / {10}prompt: \|\n(?: {12}.*\n)+(?= {10}dry-run)/
    const run = await runWorkflow('docs-on-push', { workflow: workflow.replace(own, '') })
    expect(run.prompts[0]).toMatch(/^Fix what the list of content gaps/)
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(/ratings|searches/)
  })

  it('Export: keeps the pages as a file of the run', async () => {
    const run = await runWorkflow('docs-on-push', {
      workflow: withSnippet('Export', ['visitors-export: true']),
    })
    expect(run.job('docs').log).toMatch(
      /uploaded \/.*\/visitors\.csv, which begins with path,human,ai,total/,
    )
  })
})

describe.concurrent('site-is-red', () => {
  const check = {
    app: { slug: 'mintlify' },
    name: 'Mintlify Deployment',
    conclusion: 'failure',
    head_sha: 'e'.repeat(40),
    html_url: 'https://github.com/acme/docs/runs/7',
    check_suite: { head_branch: 'main' },
  }
  const ends = (check_run: object) => () => {
    const payload: object = { action: 'completed', check_run }
    return { name: 'check_run', payload }
  }
  /** Answers the queries of `gh issue list`, `create` and `comment`. */
  const gh =
    (open: readonly object[]) =>
    (query: string): object => {
      const url = 'https://github.com/acme/docs/issues/12'
      if (query.includes('__type(')) return { SearchType: { enumValues: [] } }
      if (query.includes('createIssue')) return { createIssue: { issue: { id: 'I_12', url } } }
      if (query.includes('mutation')) return { addComment: { commentEdge: { node: { url } } } }
      const pageInfo = { hasNextPage: false, endCursor: '' }
      const search = { issueCount: open.length, nodes: open, pageInfo }
      if (query.includes('search(')) return { repository: { hasIssuesEnabled: true }, search }
      const issue = { __typename: 'Issue', id: 'I_12', url }
      const found = query.includes('issue:') ? { issue } : { id: 'R_1' }
      return { repository: { hasIssuesEnabled: true, ...found } }
    }

  it.each([
    ['opens an issue', [], 'createIssue'],
    ['comments on the open one', [{ number: 12 }], 'addComment'],
  ])('%s where the published branch fails', async (_case, open, mutation) => {
    const run = await runWorkflow('site-is-red', { event: ends(check), gh: gh(open) })
    const sent = JSON.stringify(run.gh.filter((body) => `${body['query']}`.includes('mutation')))
    expect(sent).toContain(mutation)
    expect(sent).toContain(`${check.head_sha} was not published: ${check.html_url}`)
  })

  it.each([
    ['a success', { conclusion: 'success' }],
    ["another App's check of that name", { app: { slug: 'github-actions' } }],
    ["a pull request's branch", { check_suite: { head_branch: 'docs' } }],
  ])('starts no runner for %s', async (_case, change) => {
    const event = ends({ ...check, ...change })
    const run = await runWorkflow('site-is-red', { event, gh: gh([]) })
    expect(run.gh).toEqual([])
  })
})

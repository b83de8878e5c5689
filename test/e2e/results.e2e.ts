import { describe, expect, it } from 'vitest'
import { readExample, runWorkflow, yamlBelow } from './run-workflow.ts'

/**
 * The example docs-on-push with what the recipes say can be added: lines for the `with:` of the action, for the job, or
 * a step, by their indentation.
 */
function withSnippet(heading: string, inputs: readonly string[] = []): string {
  const snippet = yamlBelow('recipes', heading)
  const text = readExample('docs-on-push').replace(
    /^ +with:\n/m,
    (line) => line + inputs.map(indented).join(''),
  )
  if (snippet.startsWith('      - ')) return `${text}\n${snippet}`
  const place = snippet.startsWith('          ') ? /^ +with:\n/m : /^ {2}docs:\n/m
  return text.replace(place, (line) => line + snippet)
}

function indented(line: string): string {
  return `          ${line}\n`
}

describe.concurrent('what can be added to any recipe', () => {
  it('Require an approval: the job runs, after the approval that act takes for granted', async () => {
    const run = await runWorkflow('docs-on-push', { workflow: withSnippet('Require an approval') })
    expect(run.results).toEqual(['pull-request'])
  })

  it('Fix content gaps: the prompt contains the list', async () => {
    const workflow = withSnippet('Fix content gaps')
    const own = / {10}prompt: \|\n(?: {12}.*\n)+(?= {10}dry-run)/
    const run = await runWorkflow('docs-on-push', { workflow: workflow.replace(own, '') })
    expect(run.prompts[0]).toMatch(/^Fix what the list of content gaps/)
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(/ratings|searches/)
  })

  it('Export all pages: keeps them as a file of the run', async () => {
    const run = await runWorkflow('docs-on-push', {
      workflow: withSnippet('Export all pages', ['visitors-export: true']),
    })
    expect(run.job('docs').log).toMatch(
      /uploaded \/.*\/visitors\.csv, which begins with path,human,ai,total/,
    )
  })
})

describe.concurrent('the snippet about a failed build', () => {
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
  /** Answers the queries of `gh issue create`. */
  const gh = (query: string): object => {
    const url = 'https://github.com/acme/docs/issues/12'
    if (query.includes('createIssue')) return { createIssue: { issue: { id: 'I_12', url } } }
    return { repository: { hasIssuesEnabled: true, id: 'R_1' } }
  }
  const workflow = yamlBelow('troubleshooting', 'The site shows old pages')

  it('opens an issue', async () => {
    const run = await runWorkflow('site', { workflow, event: ends(check), gh })
    const sent = JSON.stringify(run.gh.filter((body) => `${body['query']}`.includes('mutation')))
    expect(sent).toContain('createIssue')
    expect(sent).toContain(check.html_url)
  })

  it.each([
    ['a success', { conclusion: 'success' }],
    ["another App's check of that name", { app: { slug: 'github-actions' } }],
    ["a pull request's branch", { check_suite: { head_branch: 'docs' } }],
  ])('does not run for %s', async (_case, change) => {
    const event = ends({ ...check, ...change })
    const run = await runWorkflow('site', { workflow, event, gh })
    expect(run.gh).toEqual([])
  })
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { event } from '../support/events.ts'
import { PREVIEW, PULL, runWorkflow } from './run-workflow.ts'

// What follows from a job's result, or from what the docs service's App says on GitHub.
describe.concurrent('a job that nobody waits for', () => {
  it('is left on the commit (submit-only)', async () => {
    const run = await runWorkflow('submit-only')
    const context = 'Docs agent: docs (submit-only.yml, submit, submit-docs)'
    expect(run.outputs).toMatchObject([{ result: 'submitted' }])
    expect(run.statuses).toEqual([`pending ${context}`, `success ${context}`])
    expect(run.world.statuses.at(-1)?.description).toContain(`(${run.docs.jobs[0]?.id})`)
  })
})

describe.concurrent('release-gate', () => {
  it.each([
    ['nothing to change', '1.4.0 [agent: no-change]', 'no-pull-request', 'true', 0],
    ['a pull request', '1.4.0', 'pull-request', 'false', 0],
    ['a failed job', '1.4.0 [agent: fail]', 'failed', undefined, 1],
  ])('decides on %s', async (_case, version, result, ready, exitCode) => {
    const dispatch = event('workflow_dispatch', { inputs: { version }, ref: 'refs/heads/main' })
    const run = await runWorkflow('release-gate', { event: () => dispatch, exitCode })
    const { outputs, log } = run.job('docs')
    expect(outputs['docs']).toMatchObject({ result })
    expect(outputs['gate']?.['ready']).toBe(ready)
    const published = run.jobs.some((job) => job.id === 'publish' && job.log.includes('Releasing'))
    expect(published).toBe(ready === 'true')
    if (ready === 'false') expect(log).toContain(`Merge ${PULL}, then run this workflow again.`)
    expect(run.prompts[0]).toContain(`new in version ${version}`)
  })
})

describe.concurrent('the docs pull request', () => {
  it.each([false, true])(
    'gets a label and a reviewer when it is opened (labels-and-reviewers, %s)',
    async (isMade) => {
      const run = await runWorkflow('labels-and-reviewers', {
        before: ({ docs }) => {
          if (!isMade) docs.faults.add({ kind: 'status', status: 400, match: { path: 'create' } })
        },
        exitCode: isMade ? 0 : 1,
      })
      const written = run.github.journal.filter(({ line }) => /^POST .*(?:labels|reviewers)$/.test(line))
      const labels = { line: 'POST /issues/1/labels', body: { labels: ['documentation'] } }
      const reviewers = { line: 'POST /pulls/1/requested_reviewers', body: { reviewers: ['hubot'] } }
      expect(written).toMatchObject(isMade ? [labels, reviewers] : [])
    },
  )

  it('has its pages opened on the preview (check-the-preview)', async () => {
    const run = await runWorkflow('check-the-preview', {
      before: ({ world }) => {
        const { agentPulls } = world
        const files = [
          { filename: 'guides/pets.mdx', status: 'modified', additions: 3, deletions: 1 } as const,
        ]
        world.agentPulls = () => agentPulls().map((pull) => ({ ...pull, files }))
      },
    })
    expect(run.outputs[0]).toMatchObject({ 'preview-url': PREVIEW, 'preview-status': 'ready' })
    expect(new Set(run.opened)).toEqual(new Set(['GET /guides/pets']))
  })
})

describe('the step that checks a preview', () => {
  const files = [
    { path: 'docs/guides/restore.mdx', status: 'modified' },
    { path: 'docs/index.mdx', status: 'added' },
    { path: 'docs/old.mdx', status: 'removed' },
    { path: 'docs/docs.json', status: 'modified' },
    { path: 'docs/$(touch x).md', status: 'added' },
  ]

  it.each([
    ['that all answer', '', 0, ''],
    ['one of which does not', '/gone', 1, 'Broken: https://docs-pr-1.example.com/gone\n'],
  ])('opens the changed pages and their links, %s', (_case, broken, exitCode, output) => {
    const run = checkPreview(files, broken)
    expect(run.output).toBe(output)
    expect(run.exitCode).toBe(exitCode)
    const site = 'https://docs-pr-1.example.com'
    expect(run.asked).toEqual([
      `${site}/`,
      `${site}/gone`,
      `${site}/guides/restore`,
      `${site}/guides/schedules`,
    ])
  })
})

/** Runs the step's script as the runner would, with a `curl` that knows a site on which one address is broken. */
function checkPreview(files: readonly object[], broken: string) {
  const text = readFileSync(join(import.meta.dirname, '../../examples/check-the-preview.yml'), 'utf8')
  const script: string = parse(text).jobs.docs.steps[1].run
  const curl = `
    curl() {
      url="\${!#}"
      case "$*" in *--output*) echo "$url" >> asked ;; esac
      if [ -n "$BROKEN" ] && [ "\${url%"$BROKEN"}" != "$url" ]; then return 22; fi
      case "$*" in *--output*) return ;; esac
      echo '<a href="/guides/schedules#top">Next</a> <a href="/gone">Old</a> <a href="https://example.org/x">'
    }`
  const folder = mkdtempSync(join(tmpdir(), 'preview-'))
  const preview = { PREVIEW: 'https://docs-pr-1.example.com/introduction', FOLDER: 'docs/' }
  const env = { ...preview, PATH: process.env['PATH'], FILES: JSON.stringify(files), BROKEN: broken }
  try {
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', `${curl}\n${script}`], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
    return { exitCode: status, output: stdout + stderr, asked }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe.concurrent('site-is-red', () => {
  const check = {
    app: { slug: 'mintlify' },
    name: 'Mintlify Deployment',
    conclusion: 'failure',
    head_sha: 'e'.repeat(40),
    html_url: 'https://github.com/acme/docs/runs/7',
    check_suite: { head_branch: 'main' },
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
      return {
        repository: { hasIssuesEnabled: true, ...(query.includes('issue:') ? { issue } : { id: 'R_1' }) },
      }
    }

  it.each([
    ['opens an issue', [], 'createIssue'],
    ['comments on the open one', [{ number: 12 }], 'addComment'],
  ])('%s where the published branch fails', async (_case, open, mutation) => {
    const run = await runWorkflow('site-is-red', {
      event: () => ({ name: 'check_run', payload: { action: 'completed', check_run: check } as object }),
      gh: gh(open),
    })
    const sent = JSON.stringify(run.gh.filter((body) => `${body['query']}`.includes('mutation')))
    expect(sent).toContain(mutation)
    expect(sent).toContain(`${check.head_sha} was not published: ${check.html_url}`)
  })

  it.each([
    ['a success', { conclusion: 'success' }],
    ["another App's check of that name", { app: { slug: 'github-actions' } }],
    ["a pull request's branch", { check_suite: { head_branch: 'docs' } }],
  ])('starts no runner for %s', async (_case, change) => {
    const check_run = { ...check, ...change }
    const run = await runWorkflow('site-is-red', {
      event: () => ({ name: 'check_run', payload: { action: 'completed', check_run } as object }),
      gh: gh([]),
    })
    expect(run.gh).toEqual([])
  })
})

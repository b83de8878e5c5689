import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { comment, expression, PULL, pullIs, runWorkflow } from './run-workflow.ts'

/** An example with further inputs, and with more jobs. */
function exampleWith(name: string, inputs: readonly string[], jobs = ''): string {
  const text = readFileSync(join(import.meta.dirname, `../../examples/reusable-${name}.yml`), 'utf8')
  return text.replace('    with:\n', `    with:\n${inputs.map((line) => `      ${line}\n`).join('')}`) + jobs
}

describe.concurrent('the reusable workflows, called from a repository of their user', () => {
  it('docs-on-push has a pull request made', async () => {
    const run = await runWorkflow('reusable-docs-on-push')
    expect(run.outputs).toMatchObject([{ result: 'pull-request', 'pr-link': PULL }])
    expect(run.prompts[0]).toMatch(/^Bring the docs up to date[\s\S]+change nothing\./)
    const context = 'Docs agent: docs (reusable-docs-on-push.yml, push, docs-on-push)'
    expect(run.statuses).toEqual([`pending ${context}`, `success ${context}`])
  })

  it('docs-on-push takes a list of labels for the runner, inherited secrets, and a dry run', async () => {
    const workflow = exampleWith('docs-on-push', ['dry-run: true', `runs-on: '["docs-runner"]'`])
    const run = await runWorkflow('reusable-docs-on-push', {
      workflow: workflow.replace(/ {4}secrets:\n.*\n/, '    secrets: inherit\n'),
    })
    expect(run.outputs).toMatchObject([{ result: 'dry-run' }])
    expect(run.asked).toEqual([])
  })

  it('docs-on-push remembers a job for each leg of its caller', async () => {
    const workflow = exampleWith('docs-on-push', [`matrix: ${expression('toJSON(matrix)')}`])
    const strategy = '  docs:\n    strategy:\n      matrix:\n        section: [api, cli]\n'
    const run = await runWorkflow('reusable-docs-on-push', {
      workflow: workflow.replace('  docs:\n', strategy),
    })
    expect(run.prompts).toHaveLength(2)
    const contexts = ['api', 'cli'].map(
      (leg) => `success Docs agent: docs (reusable-docs-on-push.yml, push, docs-on-push, ${leg})`,
    )
    expect(run.statuses).toEqual(expect.arrayContaining(contexts))
  })

  it.each([true, false])(
    'docs-on-merge documents a pull request only if it is merged (%s)',
    async (merged) => {
      const event = pullIs('closed', { merged, state: 'closed', merge_commit_sha: 'e'.repeat(40) })
      const run = await runWorkflow('reusable-docs-on-merge', { event })
      expect(run.prompts).toHaveLength(merged ? 1 : 0)
      expect(run.github.requests.includes('POST /issues/5/comments')).toBe(merged)
    },
  )

  it('docs-command answers a command, after the instructions of a file of the default branch', async () => {
    const run = await runWorkflow('reusable-docs-command', {
      event: comment('/docs Explain the new pets call.'),
      files: { 'docs-prompt.md': 'Write for beginners.' },
      workflow: exampleWith('docs-command', ['prompt-file: docs-prompt.md']),
    })
    expect(run.prompts[0]).toMatch(/^Write for beginners\.\n\nExplain the new pets call\./)
    expect(run.reactions).toEqual(['rocket'])
  })

  it('weekly has the docs checked and reports who read them and what they missed', async () => {
    const run = await runWorkflow('reusable-weekly', { event: 'schedule' })
    expect(run.outputs).toMatchObject([{ result: 'pull-request', 'visitors-complete': 'true' }])
    expect(Number(run.outputs[0]?.['reader-signals-count'])).toBeGreaterThan(0)
  })

  it('weekly takes inputs of each type, and hands outputs on to a job that needs it', async () => {
    const print = `
  print:
    needs: care
    runs-on: ubuntu-latest
    steps:
      - env:
          TOTAL: ${expression('needs.care.outputs.visitors-total')}
        run: echo "visitors=$TOTAL"
`
    const inputs = ['prompt: ""', 'visitors-days: 14', 'visitors-max-requests: 3', 'reader-signals: none']
    const run = await runWorkflow('reusable-weekly', {
      event: 'schedule',
      variables: ({ url }) => ({ DOCS_BASE_URL: url }),
      workflow: exampleWith('weekly', [...inputs, `base-url: ${expression('vars.DOCS_BASE_URL')}`], print),
    })
    const report = JSON.parse(run.job('weekly').outputs['weekly']?.['visitors'] ?? '{}')
    expect(Date.parse(report.to) - Date.parse(report.from)).toBe(14 * 24 * 60 * 60 * 1000)
    expect(run.asked).toEqual(Array(3).fill('GET /v1/analytics/docs/visitors'))
    expect(run.job('print').log).toContain(`visitors=${report.totals.total}`)
  })
})

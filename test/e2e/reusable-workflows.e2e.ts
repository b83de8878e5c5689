import { describe, expect, it } from 'vitest'
import {
  callingWorkflow,
  comment,
  earlierJob,
  expression,
  MERGED,
  pullIs,
  readExample,
  runWorkflow,
  type WorkflowOptions,
  type WorkflowRun,
} from './run-workflow.ts'

type Name = 'docs-on-push' | 'docs-on-merge' | 'docs-command' | 'weekly'

/** The workflow with which README or the recipes call a reusable one, with more inputs and jobs. */
function callerOf(name: Name, inputs: readonly string[] = [], jobs = ''): string {
  const text = callingWorkflow(name)
  return (
    text.replace('    with:\n', `    with:\n${inputs.map((line) => `      ${line}\n`).join('')}`) +
    jobs
  )
}

const merged = pullIs('closed', MERGED)

describe.concurrent('the reusable workflows, called from a repository of their user', () => {
  it('docs-on-push takes a list of labels for the runner, inherited secrets, and a dry run', async () => {
    const workflow = callerOf('docs-on-push', [`runs-on: '["docs-runner"]'`])
    const run = await runWorkflow('docs', {
      workflow: workflow
        .replace(/ {6}dry-run: \$.*\n/, '      dry-run: true\n')
        .replace(/ {4}secrets:\n.*\n/, '    secrets: inherit\n'),
    })
    expect(run.results).toEqual(['dry-run'])
    expect(run.asked).toEqual([])
  })

  it('docs-on-push opens and saves a docs pull request for each matrix job of its caller', async () => {
    const workflow = callerOf('docs-on-push', [`matrix: ${expression('toJSON(matrix)')}`])
    const strategy = '  docs:\n    strategy:\n      matrix:\n        section: [api, cli]\n'
    const run = await runWorkflow('docs', { workflow: workflow.replace('  docs:\n', strategy) })
    const prompt = expect.stringMatching(/^Bring the docs up to date[\s\S]+change nothing\./)
    expect(run.prompts).toEqual([prompt, prompt])
    expect(appTokens(run)).toEqual([])
    const contexts = ['api', 'cli'].map(
      (section) => `success Docs agent: docs (docs.yml, push, docs-on-push, ${section})`,
    )
    expect(run.statuses).toEqual(expect.arrayContaining(contexts))
  })

  it('docs-command answers a command, after the instructions of a file of the default branch', async () => {
    const run = await runWorkflow('docs', {
      event: comment('/docs Explain the new pets call.'),
      files: { 'docs-prompt.md': 'Write for beginners.' },
      workflow: callerOf('docs-command', ['prompt-file: docs-prompt.md']),
    })
    expect(run.prompts[0]).toMatch(/^Write for beginners\.\n\nExplain the new pets call\./)
    expect(run.reactions).toEqual(['eyes'])
  })

  it('weekly takes inputs of each type, and hands outputs on to a job that needs it', async () => {
    const print = `
  print:
    needs: docs
    runs-on: ubuntu-latest
    steps:
      - env:
          TOTAL: ${expression('needs.docs.outputs.visitors-total')}
        run: echo "visitors=$TOTAL"
`
    const url = `base-url: ${expression('vars.DOCS_BASE_URL')}`
    const inputs = ['prompt: ""', 'visitors-days: 14', 'content-gaps: none', url]
    const run = await runWorkflow('docs', {
      event: 'schedule',
      variables: ({ url }) => ({ DOCS_BASE_URL: url }),
      workflow: callerOf('weekly', inputs, print),
    })
    const report = JSON.parse(run.job('weekly').outputs['weekly']?.['visitors'] ?? '{}')
    expect(Date.parse(report.to) - Date.parse(report.from)).toBe(14 * 24 * 60 * 60 * 1000)
    expect(run.prompts).toEqual([])
    expect(run.job('print').log).toContain(`visitors=${report.totals.total}`)
  })
})

/** What the stub of the token action was given, each time. */
function appTokens({ jobs }: WorkflowRun): Record<string, string>[] {
  const logs = jobs.map(({ log }) => log).join('\n')
  return [...logs.matchAll(/^.*?"GIVEN (\{.*\})"/gm)].map(([, given = '']) =>
    JSON.parse(given.replaceAll('\\"', '"').replaceAll('\\\\', '\\')),
  )
}

// GitHub refuses the workflow's own token here, so whatever is asked is asked with the App's.
describe.concurrent("an App's token", () => {
  const REFUSED = { GITHUB_TOKEN: 'ghs_refused' }
  const READS = { 'permission-checks': 'read', 'permission-contents': 'read' }
  const WRITES = { 'permission-pull-requests': 'write' }
  const app = [
    `app-client-id: ${expression('vars.DOCS_APP_CLIENT_ID')}`,
    'docs-repositories: |',
    '  handbook',
    '  api-docs',
  ]
  /** A caller that passes the App on, and grants the workflow's own token nothing. */
  const withApp = (name: Name): string => {
    const key = `      DOCS_APP_PRIVATE_KEY: ${expression('secrets.DOCS_APP_PRIVATE_KEY')}\n`
    return (callerOf(name, app) + key).replace(/^permissions:\n(?: .*\n)+/m, 'permissions: {}\n')
  }

  it.each<[Name, WorkflowOptions, object]>([
    ['docs-on-push', {}, { ...READS, ...WRITES, 'permission-statuses': 'write' }],
    ['docs-on-merge', { event: merged }, { ...READS, ...WRITES, 'permission-statuses': 'write' }],
    [
      'docs-command',
      { event: comment('/docs Explain pets.') },
      { ...READS, ...WRITES, 'permission-issues': 'write' },
    ],
  ])(
    'is made for the calling repository and those of the docs, and used (%s)',
    async (name, options, permissions) => {
      const run = await runWorkflow('docs', {
        workflow: withApp(name),
        secrets: REFUSED,
        ...options,
      })
      const [given = {}, ...more] = appTokens(run)
      expect(more).toEqual([])
      const { 'private-key': key, repositories = '', ...others } = given
      expect(key).toBe('***') // as act shows a secret
      expect(repositories.trim().split('\n')).toEqual(['docs', 'handbook', 'api-docs'])
      expect(others).toEqual({ 'client-id': 'Iv1', owner: 'acme', ...permissions })
      expect(run.outputs.at(-1)).toMatchObject({ result: 'pull-request' })
      expect(run.github.journal.filter(({ status = 0 }) => status >= 400)).toEqual([])
    },
  )

  it("updates the first push's docs pull request with the second push (private-docs)", async () => {
    const text = readExample('private-docs')
    const run = await runWorkflow('private-docs', {
      workflow: text.replace('docs-repositories: docs', 'docs-repositories: handbook'),
      secrets: REFUSED,
      ...earlierJob('private-docs.yml, push, docs-on-push'),
    })
    expect(appTokens(run)).toMatchObject([{ owner: 'acme', repositories: 'docs\nhandbook\n' }])
    expect(run.prompts).toEqual(['Describe cats.'])
    expect(run.asked).toContain(`POST /v2/agent/docs/job/${run.docs.jobs[0]?.id}/message`)
    expect(text.split('\n').filter((line) => /^[^#]/.test(line)).length).toBeLessThanOrEqual(24)
  })

  it.each<[string, WorkflowOptions, RegExp]>([
    [
      'names the repositories on which the App may not be installed',
      { appToken: '' },
      /'Not Found', the App isn't installed on acme\/docs\..+doesn't exist: acme\/handbook acme\/api-docs\./,
    ],
    [
      'says that the key is missing',
      { appToken: '', secrets: { ...REFUSED, DOCS_APP_PRIVATE_KEY: '' } },
      /The secret DOCS_APP_PRIVATE_KEY is empty\. Share it with acme\/docs/,
    ],
    [
      'says that the client ID is missing',
      { appToken: '', variables: () => ({ DOCS_APP_CLIENT_ID: '' }) },
      /app-client-id is empty\. Share its variable with acme\/docs/,
    ],
  ])(
    'that GitHub does not give %s, so that the run fails before it sends anything',
    async (_case, options, message) => {
      const workflow = withApp('docs-on-push')
      const run = await runWorkflow('docs', { workflow, secrets: REFUSED, exitCode: 1, ...options })
      expect(run.job('push').log).toMatch(
        new RegExp(
          `::error title=Could not create a token for the GitHub App::.*${message.source}`,
        ),
      )
      expect(run.sent).toEqual([])
    },
  )

  it("is not asked for in a fork's run, which is skipped", async () => {
    const head = { repo: { full_name: 'octocat/docs', fork: true } }
    const run = await runWorkflow('docs', {
      workflow: withApp('docs-on-merge'),
      event: pullIs('closed', { ...MERGED, head }),
      secrets: { ...REFUSED, DOCS_API_KEY: '', DOCS_APP_PRIVATE_KEY: '' },
    })
    expect(appTokens(run)).toEqual([])
    expect(run.results).toEqual(['skipped'])
    expect(run.asked).toEqual([])
  })
})

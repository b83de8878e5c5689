import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readActionMetadata } from '../../scripts/action-metadata.ts'
import { parseDuration } from '../../src/lib/time.ts'
import { callingWorkflow, expression } from './run-workflow.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const ACTION = /^your-org\/docs-agent-action@(v.+)$/
const REUSABLE = /^your-org\/docs-agent-action\/\.github\/workflows\/([\w-]+)\.yml@v1$/
const metadata = readActionMetadata()

type Values<T> = Readonly<Record<string, T>>
type Fields = Values<unknown>
type Step = Readonly<{ id?: string; uses?: string; with?: Fields }>
type Job = Step &
  Readonly<Partial<Record<'permissions' | 'outputs' | 'secrets', Fields>>> &
  Readonly<{
    concurrency?: Fields | string
    'timeout-minutes'?: number
    'runs-on'?: string
    steps?: readonly Step[]
  }>
type Call = Readonly<{
  inputs: Values<{ type: string; required?: boolean; default?: unknown }>
  outputs: Values<{ value: string }>
  secrets: unknown
}>
type Workflow = Pick<Job, 'permissions' | 'concurrency'> &
  Readonly<{ on: Fields & { workflow_call?: Call }; jobs: Values<Job> }>

function readWorkflows(pattern: string) {
  const paths = globSync(pattern, { cwd: ROOT }).sort()
  return paths.map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return { name: basename(path, '.yml'), text, workflow: parse(text) as Workflow }
  })
}

const examples = readWorkflows('examples/*.yml')
const reusable = readWorkflows('.github/workflows/*.yml').flatMap(({ name, workflow }) => {
  const { workflow_call: call } = workflow.on
  return call === undefined ? [] : [{ name, workflow, call }]
})

function actionSteps({ steps = [] }: Job): Step[] {
  return steps.filter(({ uses = '' }) => ACTION.test(uses))
}

const PULLS = { checks: 'read', contents: 'read', 'pull-requests': 'write', statuses: 'write' }
const COMMANDS = { checks: 'read', contents: 'read', issues: 'write', 'pull-requests': 'write' }

/** What each job needs of GitHub, and nothing more. */
const PERMISSIONS: Values<Fields> = {
  'api-changelog/changelog': PULLS,
  'docs-command/command': COMMANDS,
  'docs-daily/docs': PULLS,
  'docs-for-pull-requests/docs': PULLS,
  'docs-on-merge/docs': PULLS,
  'docs-on-push/docs': PULLS,
  'docs-on-release/docs': PULLS,
  'docs-with-releases/docs': PULLS,
  'docs-with-releases/merge': { contents: 'write', 'pull-requests': 'write' },
  'monorepo/docs': PULLS,
  'private-docs/docs': {},
  'report-only/report': { issues: 'write', 'pull-requests': 'read' },
  'weekly/care': PULLS,
}
// act can't show what GitHub does with permissions, concurrency and time limits; these tests hold that they are there.
describe('the examples', () => {
  it('ask for the permissions that each of their jobs needs, and for no more', () => {
    const granted = examples.flatMap(({ name, workflow }) => {
      const jobs = Object.entries(workflow.jobs)
      return jobs.map(([id, job]) => [`${name}/${id}`, job.permissions ?? workflow.permissions])
    })
    expect(Object.fromEntries(granted)).toEqual(PERMISSIONS)
  })

  it('are all run with act, and on no event that GitHub blocks in public repositories', () => {
    const files = globSync('*.e2e.ts', { cwd: import.meta.dirname })
    const tests = files
      .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
      .join('')
    for (const { name } of examples) expect(tests).toContain(`'${name}'`)
    expect(examples.length).toBeLessThanOrEqual(12)
    expect(examples.filter(({ workflow }) => 'pull_request_target' in workflow.on)).toEqual([])
  })
})

it('only workflows of which no run may be dropped have a queue, which older linters reject', () => {
  const queued = [...examples, ...reusable].filter(({ workflow }) =>
    JSON.stringify(workflow).includes('"queue"'),
  )
  expect(queued.map(({ name }) => name)).toEqual([
    ...['docs-command', 'docs-on-merge', 'docs-on-release', 'docs-with-releases'],
    ...['docs-command', 'docs-on-merge'],
  ])
})

it('commands by people who are new to the repository take no place in its queue', () => {
  const commands = [...examples, ...reusable].filter(({ name }) => name === 'docs-command')
  const groups = commands.map(({ workflow: { jobs } }) => {
    const { concurrency } = jobs['command'] ?? {}
    return typeof concurrency === 'object' ? concurrency['group'] : concurrency
  })
  // A list, because a text that contains FIRST_TIME_CONTRIBUTOR also contains CONTRIBUTOR.
  const own = expect.stringMatching(
    /contains\(fromJSON\('\["NONE", .*"FIRST_TIME_CONTRIBUTOR".*\]'\),[\s\S]+&& github\.run_id/,
  )
  expect(groups).toEqual([own, own])
})

it('a dry run does not replace a waiting run, because it has its own group, or the group has a queue', () => {
  const groups = [...examples, ...reusable].flatMap(({ workflow: { jobs, concurrency } }) => {
    const dry = JSON.stringify(jobs).includes('inputs.dry-run')
    const own = dry ? Object.values(jobs).map((job) => job.concurrency) : []
    return [...own, dry && concurrency].filter((group) => group)
  })
  expect(groups.length).toBeGreaterThan(8)
  for (const group of groups)
    expect(JSON.stringify(group)).toMatch(/inputs\.dry-run && '-dry-run'|"queue":"max"/)
})

describe.each(examples)('the example $name', ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs)
  const steps = jobs.flatMap(actionSteps)

  it('has a comment at its head with its purpose and its cost', () => {
    expect(text).toMatch(/^# \S.+\n(?:#.*\n)*# Cost: .+\n(?:#.*\n)*name: /)
    expect(text).not.toMatch(/: \{ /)
  })

  it("cancels no run, and ends after the action and within the runner's time", () => {
    for (const job of jobs.filter(({ uses }) => uses === undefined)) {
      const concurrency = job.concurrency ?? workflow.concurrency
      const cancelsNone = { group: expect.any(String), 'cancel-in-progress': false }
      expect(concurrency).toEqual(
        typeof concurrency === 'string' ? expect.any(String) : expect.objectContaining(cancelsNone),
      )
      const inputs = actionSteps(job).map((step) => step.with ?? {})
      const waits = inputs.filter((input) => input['wait'] !== false && 'prompt' in input)
      const waitMs = waits.reduce(
        (all, input) => all + parseDuration(`${input['timeout'] ?? '30m'}`),
        0,
      )
      expect((job['timeout-minutes'] ?? 0) * 60_000).toBeGreaterThan(waitMs)
      if (job['runs-on'] === 'ubuntu-slim') expect(job['timeout-minutes']).toBeLessThanOrEqual(15)
    }
  })

  it('gives the action an id of its own, inputs that it has, and the key from a secret', () => {
    for (const { uses, with: inputs = {} } of steps) {
      expect(uses).toBe(`your-org/docs-agent-action@v${version.split('.')[0]}`)
      expect(Object.keys(metadata.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)))
      const isReport = !['prompt', 'job-id', 'required-permission'].some((input) => input in inputs)
      expect(inputs['api-key']).toBe(
        expression(`secrets.${isReport ? 'DOCS_READ_KEY' : 'DOCS_API_KEY'}`),
      )
    }
    const ids = steps.map(({ id = '' }) => id)
    expect(ids).not.toContain('')
    expect(new Set(ids).size).toBe(ids.length)
    const called = jobs.filter(({ uses = '' }) => REUSABLE.test(uses))
    expect(ids.length + called.length).toBeGreaterThan(0)
    for (const [, id = '', output = ''] of text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)) {
      if (ids.includes(id)) expect(Object.keys(metadata.outputs)).toContain(output)
    }
  })
})

it('the reusable workflows differ in the job and step in the name of their commit status', () => {
  const jobs = reusable.flatMap(({ workflow }) => Object.entries(workflow.jobs))
  expect(jobs.map(([id, job]) => `${id}/${actionSteps(job)[0]?.id}`)).toEqual([
    'command/docs-command',
    'merge/docs-on-merge',
    'push/docs-on-push',
    'weekly/weekly',
  ])
})

it('the recipes use outputs of the action, in snippets of at most 8 lines', () => {
  const [, text = ''] = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8').split(
    '\n## Add to any recipe',
  )
  const outputs = text.match(/(?<=steps\.docs\.outputs\.)[\w-]+/g) ?? []
  expect(Object.keys(metadata.outputs)).toEqual(expect.arrayContaining(outputs))
  const blocks = text.match(/(?<=```yaml\n)[\s\S]+?(?=\n```)/g) ?? []
  expect(blocks.length).toBeGreaterThan(2)
  expect(blocks.filter((block) => block.split('\n').length > 8)).toEqual([])
  // A line of a script never holds an expression: outputs are text from outside.
  expect(blocks.filter((block) => /run:[\s\S]*\$\{\{/.test(block))).toEqual([])
})

/** Inputs of a reusable workflow itself, and defaults that suit it better than the action's. */
const OWN_INPUTS = ['later-label', 'app-client-id', 'docs-repositories', 'runs-on']
const OWN_DEFAULTS: Fields = {
  'docs-on-push timeout': '12m',
  'docs-on-push pause-after': '14d',
  'docs-on-merge timeout': '12m',
  'docs-command timeout': '12m',
  'docs-on-merge comment': 'always',
  'docs-on-merge ignore-authors': 'dependabot[bot], renovate[bot]',
  'weekly timeout': '1h',
  'weekly visitors-summary': true,
  'weekly content-gaps': 'report',
}

describe.each(reusable)('the reusable workflow $name', ({ name, workflow, call: declared }) => {
  const { inputs, outputs, secrets } = declared
  const [[id, job] = ['', {} as Job]] = Object.entries(workflow.jobs)
  const [step] = actionSteps(job)
  const granted = name === 'docs-command' ? COMMANDS : PULLS

  it('takes the key as a secret that can be inherited, and each input with its type and its default', () => {
    const optional = { DOCS_GITHUB_TOKEN: { required: false } }
    expect(secrets).toMatchObject({ DOCS_API_KEY: { required: true }, ...optional })
    expect(inputs['project-id']).toMatchObject({ type: 'string', required: true })
    for (const [input, { type, default: value, required }] of Object.entries(inputs)) {
      expect(['string', 'boolean', 'number']).toContain(type)
      if (OWN_INPUTS.includes(input) || input === 'prompt' || required === true) continue
      const own = input === 'matrix' ? '' : OWN_DEFAULTS[`${name} ${input}`]
      expect(`${value}`, input).toBe(`${own ?? metadata.inputs[input]?.default ?? ''}`)
    }
  })

  it('hands each input on to the action of its own version, and outputs of it back', () => {
    expect(step?.uses).toBe(`your-org/docs-agent-action@v${version}`)
    const passed = Object.keys(inputs).filter((input) => !OWN_INPUTS.includes(input))
    const app = name === 'weekly' ? '' : 'steps.app.outputs.token || '
    expect(step?.with).toEqual({
      'api-key': expression('secrets.DOCS_API_KEY'),
      'github-token': expression(`${app}secrets.DOCS_GITHUB_TOKEN || github.token`),
      ...Object.fromEntries(passed.map((input) => [input, expression(`inputs.${input}`)])),
    })
    expect(Object.keys(metadata.inputs)).toEqual(expect.arrayContaining(passed))
    const wanted = 'job-id result status pr-link pr-number pr-operation preview-url'.split(' ')
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(wanted))
    for (const [output, { value }] of Object.entries(outputs)) {
      expect(value).toBe(expression(`jobs.${id}.outputs.${output}`))
      expect(job.outputs?.[output]).toBe(expression(`steps.${step?.id}.outputs.${output}`))
      expect(Object.keys(metadata.outputs)).toContain(output)
    }
  })

  it('is called by a job that grants its permissions, with the events and the prompt of its example', () => {
    const start = /^docs-agent-[a-z]+-\$\{\{ inputs\.project-id \}\}-\$\{\{ inputs\.matrix \}\}/
    const group = expect.stringMatching(start)
    expect(job.concurrency).toMatchObject({ group, 'cancel-in-progress': false })
    const own = examples.find((example) => example.name === name)?.workflow
    const caller = parse(callingWorkflow(name)) as Workflow
    const [call] = Object.values(caller.jobs)
    expect(REUSABLE.exec(call?.uses ?? '')?.[1]).toBe(name)
    expect(caller.permissions).toEqual(granted)
    expect(call?.with).toMatchObject({ 'project-id': expression('vars.DOCS_PROJECT_ID') })
    expect(call?.secrets).toEqual({ DOCS_API_KEY: expression('secrets.DOCS_API_KEY') })
    expect(own?.on).toMatchObject(caller.on)
    const used = Object.values(own?.jobs ?? {}).flatMap(actionSteps)
    const prompt = used[0]?.with?.['prompt'] ?? ''
    const words = (text: unknown): string => `${text}`.replace(/\s+/g, ' ').trim()
    expect(words(inputs['prompt']?.default)).toBe(words(prompt))
  })

  it("takes its job's permissions from its caller, or an App's token with the same ones", () => {
    expect([workflow.permissions, job.permissions]).toEqual([undefined, undefined])
    const app = job.steps?.find(({ id: step }) => step === 'app')
    const permissions = Object.entries(app?.with ?? {}).flatMap(([input, value]) =>
      input.startsWith('permission-') ? [[input.slice('permission-'.length), value]] : [],
    )
    // GitHub lets an App request a review from a team only if it can read the organization's members.
    const members = expression("contains(inputs.pr-reviewers, '/') && 'read' || ''")
    expect(Object.fromEntries(permissions)).toEqual(
      name === 'weekly' ? {} : { ...granted, members },
    )
  })
})

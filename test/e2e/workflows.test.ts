import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readActionMetadata } from '../../scripts/action-metadata.ts'

const ROOT = join(import.meta.dirname, '../..')
const ACTION = 'your-org/docs-agent-action@v1'
const REUSABLE = /^your-org\/docs-agent-action\/\.github\/workflows\/([\w-]+)\.yml@v1$/
const metadata = readActionMetadata()

type Permissions = Readonly<Record<string, string>>
type Step = {
  readonly id?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
}
type Job = {
  readonly permissions?: Permissions
  readonly concurrency?: unknown
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
  readonly steps?: readonly Step[]
  readonly outputs?: Readonly<Record<string, string>>
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly secrets?: unknown
}
type Input = { readonly type: string; readonly required?: boolean; readonly default?: unknown }
type Trigger = {
  readonly inputs: Readonly<Record<string, Input>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly secrets: unknown
}
type Workflow = {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Permissions
  readonly concurrency?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}
type File = { readonly name: string; readonly text: string; readonly workflow: Workflow }

function readWorkflows(pattern: string): File[] {
  return globSync(pattern, { cwd: ROOT })
    .sort()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      return { name: basename(path, '.yml'), text, workflow: parse(text) as Workflow }
    })
}

const examples = readWorkflows('examples/*.yml')
const reusable = readWorkflows('.github/workflows/*.yml').filter(
  ({ workflow }) => 'workflow_call' in workflow.on,
)

function actionSteps({ steps = [] }: Job): Step[] {
  return steps.filter(({ uses }) => uses === ACTION)
}

function minutes(duration: unknown): number {
  const [, hours = '0', rest = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(String(duration)) ?? []
  return Number(hours) * 60 + Number(rest)
}

const DIFF = { contents: 'read', 'pull-requests': 'write' }
const SINCE_LAST_SUCCESS = { actions: 'read', contents: 'read', 'pull-requests': 'write' }
const CONVERSATION = { contents: 'read', issues: 'write', 'pull-requests': 'write' }

/** What each job needs of GitHub, and nothing more. */
const PERMISSIONS: Readonly<Record<string, Permissions>> = {
  'api-changelog/changelog': DIFF,
  'changes-since-last-run/docs': SINCE_LAST_SUCCESS,
  'collect-later/collect': { 'pull-requests': 'write', statuses: 'write' },
  'collect-later/find': { contents: 'read', statuses: 'read' },
  'docs-command/command': CONVERSATION,
  'docs-on-merge/docs': DIFF,
  'docs-on-push/docs': DIFF,
  'docs-on-release/docs': DIFF,
  'docs-wanted-label/docs': DIFF,
  'labels-and-reviewers/docs': DIFF,
  'many-projects/project': {},
  'release-gate/docs': SINCE_LAST_SUCCESS,
  'release-gate/publish': {},
  'report-to-chat/report': {},
  'reusable-docs-command/command': CONVERSATION,
  'reusable-docs-on-merge/docs': DIFF,
  'reusable-docs-on-push/docs': DIFF,
  'reusable-weekly/care': SINCE_LAST_SUCCESS,
  'submit-and-collect/collect': { 'pull-requests': 'write' },
  'submit-and-collect/submit': { contents: 'read', 'pull-requests': 'read' },
  'submit-and-collect/test': { contents: 'read' },
  'submit-only/submit': { contents: 'read', 'pull-requests': 'read', statuses: 'write' },
  'weekly/care': SINCE_LAST_SUCCESS,
}

// act can't show what GitHub does with permissions, concurrency and time limits; these tests hold that they are there.
describe('the examples', () => {
  it('ask for the permissions that each of their jobs needs, and for no more', () => {
    const granted = examples.flatMap(({ name, workflow }) =>
      Object.entries(workflow.jobs).map(([id, job]) => [
        `${name}/${id}`,
        job.permissions ?? workflow.permissions,
      ]),
    )
    expect(Object.fromEntries(granted)).toEqual(PERMISSIONS)
  })

  it('begin with a comment that says what they are for and what they cost', () => {
    for (const { name, text } of examples) {
      expect(text, name).toMatch(/^# \S.+\n(?:#.*\n)*# Cost: .+\n(?:#.*\n)*name: /)
    }
  })

  it('are all run with act', () => {
    const tests = globSync('*.e2e.ts', { cwd: import.meta.dirname })
      .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
      .join('')
    for (const { name } of examples) expect(tests).toContain(`runWorkflow('${name}'`)
  })
})

describe.each(examples)('the example $name', ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs)

  it('says what may run at the same time, and cancels no run', () => {
    for (const job of jobs.filter(({ uses }) => uses === undefined)) {
      const concurrency = job.concurrency ?? workflow.concurrency
      expect(concurrency).toMatchObject({ group: expect.any(String), 'cancel-in-progress': false })
    }
  })

  it('gives each job a time limit beyond that of the action', () => {
    for (const job of jobs.filter(({ uses }) => uses === undefined)) {
      const limit = job['timeout-minutes'] ?? 0
      expect(limit).toBeGreaterThan(0)
      for (const step of actionSteps(job)) {
        const waits = step.with?.['wait'] !== false && 'prompt' in (step.with ?? {})
        expect(limit).toBeGreaterThan(waits ? minutes(step.with?.['timeout'] ?? '30m') : 0)
      }
    }
  })

  it('gives the action inputs that it has, and the key from a secret', () => {
    for (const step of jobs.flatMap(actionSteps)) {
      expect(Object.keys(metadata.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})))
      expect(step.with?.['api-key']).toBe('$' + '{{ secrets.DOCS_API_KEY }}')
    }
  })

  it('uses the action or one of its reusable workflows', () => {
    const steps = jobs.flatMap(actionSteps)
    const calls = jobs.filter(({ uses }) => uses !== undefined && REUSABLE.test(uses))
    expect(steps.length + calls.length).toBeGreaterThan(0)
  })

  it('reads outputs that the action has', () => {
    const ids = jobs.flatMap(actionSteps).flatMap(({ id }) => (id === undefined ? [] : [id]))
    for (const [, id = '', output = ''] of text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)) {
      if (ids.includes(id)) expect(Object.keys(metadata.outputs)).toContain(output)
    }
  })

  it('pins the actions of others by commit, with the version beside it', () => {
    for (const [, use = ''] of text.matchAll(/^ +(?:- )?uses: (.*)$/gm)) {
      if (!use.startsWith('your-org/')) expect(use).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })

  it("stays within an hour's analytics requests, all legs of its matrix together", () => {
    for (const job of jobs) {
      for (const step of actionSteps(job).filter((one) => one.with?.['visitors-summary'] === true)) {
        const legs = Object.values(job.strategy?.matrix ?? {}).reduce((all, values) => all * values.length, 1)
        expect(legs * Number(step.with?.['visitors-max-requests'])).toBeLessThanOrEqual(100)
      }
    }
  })
})

it('the reusable workflows are these', () => {
  expect(reusable.map(({ name }) => name)).toEqual([
    'docs-command',
    'docs-on-merge',
    'docs-on-push',
    'weekly',
  ])
})

describe.each(reusable)('the reusable workflow $name', ({ name, text, workflow }) => {
  const { inputs, outputs, secrets } = workflow.on['workflow_call'] as Trigger
  const [[id, job] = ['', {} as Job]] = Object.entries(workflow.jobs)
  const [step] = job.steps ?? []

  /** Inputs of the workflow itself, and defaults that suit it better than the action's. */
  const OWN_INPUTS = ['runs-on', 'skip-label']
  const OWN_DEFAULTS: Readonly<Record<string, unknown>> = {
    'docs-on-merge comment': 'always',
    'docs-on-merge ignore-authors': 'mintlify[bot], dependabot[bot], renovate[bot]',
    'weekly timeout': '1h',
    'weekly visitors-summary': true,
  }

  it('runs one step: the action, by its major version', () => {
    expect(Object.keys(workflow.jobs)).toHaveLength(1)
    expect(job.steps).toHaveLength(1)
    expect(step).toMatchObject({ id: 'docs', uses: ACTION })
  })

  it('takes the key as a secret and each other input with its type', () => {
    expect(secrets).toMatchObject({ 'api-key': { required: true } })
    expect(step?.with?.['api-key']).toBe('$' + '{{ secrets.api-key }}')
    expect(inputs['project-id']).toMatchObject({ type: 'string', required: true })
    for (const input of Object.values(inputs)) expect(['string', 'boolean', 'number']).toContain(input.type)
  })

  it('hands each input on to the action', () => {
    const passed = Object.keys(inputs).filter((input) => !OWN_INPUTS.includes(input))
    expect(step?.with).toEqual({
      'api-key': '$' + '{{ secrets.api-key }}',
      ...Object.fromEntries(passed.map((input) => [input, `\${{ inputs.${input} }}`])),
    })
    expect(Object.keys(metadata.inputs)).toEqual(expect.arrayContaining(passed))
    for (const input of Object.keys(inputs)) expect(text).toContain(`inputs.${input}`)
  })

  it("has the action's defaults, with the exceptions named here", () => {
    for (const [input, { default: value, required }] of Object.entries(inputs)) {
      if (OWN_INPUTS.includes(input) || input === 'prompt' || required === true) continue
      const expected = OWN_DEFAULTS[`${name} ${input}`] ?? metadata.inputs[input]?.default ?? ''
      expect(String(value), input).toBe(String(expected))
    }
  })

  it('hands on outputs that the action has', () => {
    expect(Object.keys(outputs)).toEqual(
      expect.arrayContaining(['job-id', 'result', 'status', 'pr-link', 'pr-number']),
    )
    for (const [output, { value }] of Object.entries(outputs)) {
      expect(value).toBe(`\${{ jobs.${id}.outputs.${output} }}`)
      expect(job.outputs?.[output]).toBe(`\${{ steps.docs.outputs.${output} }}`)
      expect(Object.keys(metadata.outputs)).toContain(output)
    }
  })

  it('gives its job a concurrency group that cancels no run', () => {
    expect(job.concurrency).toMatchObject({
      group: expect.stringMatching(/^docs-agent-[a-z]+-\$\{\{ inputs\.project-id \}\}/),
      'cancel-in-progress': false,
    })
  })

  it('is called by an example that grants what its job needs, on the events of the example with steps', () => {
    const caller = examples.find((example) => example.name === `reusable-${name}`)
    const [call] = Object.values(caller?.workflow.jobs ?? {})
    expect(REUSABLE.exec(call?.uses ?? '')?.[1]).toBe(name)
    expect(call?.permissions).toEqual(job.permissions)
    expect(call?.with).toEqual({ 'project-id': '$' + '{{ vars.DOCS_PROJECT_ID }}' })
    expect(call?.secrets).toEqual({ 'api-key': '$' + '{{ secrets.DOCS_API_KEY }}' })
    expect(caller?.workflow.on).toEqual(examples.find((example) => example.name === name)?.workflow.on)
  })
})

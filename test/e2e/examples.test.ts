import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readActionMetadata } from '../../scripts/action-metadata.ts'

const ROOT = join(import.meta.dirname, '../..')
const OURS = 'your-org/docs-agent-action@v1'
const metadata = readActionMetadata()

type Step = {
  readonly id?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
}
type Job = {
  readonly permissions?: Readonly<Record<string, string>>
  readonly concurrency?: unknown
  readonly 'timeout-minutes'?: number
  readonly strategy?: {
    readonly 'max-parallel'?: number
    readonly matrix: Readonly<Record<string, readonly unknown[]>>
  }
  readonly steps: readonly Step[]
}
type Workflow = {
  readonly permissions?: Readonly<Record<string, string>>
  readonly concurrency?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const examples = globSync('examples/*.yml', { cwd: ROOT })
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return { name: basename(path, '.yml'), text, workflow: parse(text) as Workflow }
  })

function ourSteps(job: Job): Step[] {
  return job.steps.filter(({ uses }) => uses === OURS)
}

function minutes(duration: unknown): number {
  const [, hours = '0', rest = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(String(duration)) ?? []
  return Number(hours) * 60 + Number(rest)
}

// What GitHub does with these keys can't be shown by act; that each example has them can be held here.
describe.each(examples)('the example $name', ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs)

  it('asks for no more permissions than the action needs', () => {
    expect(workflow.permissions).toBeDefined()
    const asked = [workflow, ...jobs].flatMap(({ permissions = {} }) => Object.entries(permissions))
    const writes = asked.filter(([, level]) => level === 'write').map(([scope]) => scope)
    expect(
      writes.every((scope) => text.includes('issue_comment') && /^(issues|pull-requests)$/.test(scope)),
    ).toBe(true)
  })

  it('says what may run at the same time, and cancels no run under way', () => {
    for (const job of jobs) {
      const concurrency = job.concurrency ?? workflow.concurrency
      expect(concurrency).toMatchObject({ group: expect.any(String), 'cancel-in-progress': false })
    }
  })

  it('gives each job a time limit, past that of the action', () => {
    for (const job of jobs) {
      const limit = job['timeout-minutes'] ?? 0
      expect(limit).toBeGreaterThan(0)
      for (const step of ourSteps(job)) {
        const waits = step.with?.['wait'] !== false
        expect(limit).toBeGreaterThan(waits ? minutes(step.with?.['timeout'] ?? '30m') : 0)
      }
    }
  })

  it('gives the action inputs that it has, and the key from a secret', () => {
    const steps = jobs.flatMap(ourSteps)
    expect(steps.length).toBeGreaterThan(0)
    for (const step of steps) {
      expect(Object.keys(metadata.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})))
      expect(step.with?.['api-key']).toBe('$' + '{{ secrets.DOCS_API_KEY }}')
    }
  })

  it('reads outputs that the action has', () => {
    const ids = jobs.flatMap(ourSteps).flatMap(({ id }) => (id === undefined ? [] : [id]))
    for (const [, id = '', output = ''] of text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)) {
      if (ids.includes(id)) expect(Object.keys(metadata.outputs)).toContain(output)
    }
  })

  it('pins the actions of others by commit, with the version beside it', () => {
    for (const [, use = ''] of text.matchAll(/uses: (.*)$/gm)) {
      if (use !== OURS) expect(use).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })

  it("stays within an hour's analytics requests, all parts of its matrix together", () => {
    for (const job of jobs) {
      const parts = Object.values(job.strategy?.matrix ?? {}).reduce((all, values) => all * values.length, 1)
      for (const step of ourSteps(job)) {
        if (step.with?.['visitors-summary'] === true)
          expect(parts * Number(step.with['visitors-max-requests'])).toBeLessThanOrEqual(100)
      }
    }
  })
})

describe('the examples', () => {
  it('are all run by the end-to-end tests', () => {
    const files = ['examples.e2e.ts', 'docs-command.e2e.ts']
    const tests = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('')
    for (const { name } of examples) expect(tests).toContain(`runExample('${name}'`)
  })

  it('are all in the README, as they stand', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const missing = examples.filter(({ text }) => !readme.includes(`\`\`\`yaml\n${text.trimEnd()}\n\`\`\``))
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readActionMetadata } from '../../scripts/action-metadata.ts'
import { readExample, readRecipes } from '../../scripts/recipes.ts'

const FOLDER = import.meta.dirname
const ACTION = /^your-org\/docs-agent-action@/
const metadata = readActionMetadata()

type Fields = Readonly<Record<string, unknown>>
type Step = Readonly<{ id?: string; uses?: string; run?: string; with?: Fields }>
type Job = Readonly<{ permissions?: Fields; steps: readonly Step[] }>
type Workflow = Readonly<{ concurrency?: string; jobs: Readonly<Record<string, Job>> }>

const examples = globSync('examples/*.yml', { cwd: join(FOLDER, '../..') })
const names = examples.map((path) => basename(path, '.yml'))
const recipes = [...readRecipes()]

it('every example and every recipe is run with act', () => {
  const tests = globSync('*.e2e.ts', { cwd: FOLDER })
    .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
    .join('')
  for (const name of names) expect(tests).toContain(`readExample('${name}')`)
  for (const [heading] of recipes) expect(tests).toContain(heading)
})

describe.each([...names.map((name) => [name, readExample(name)] as const), ...recipes])(
  'the workflow "%s"',
  (_name, text) => {
    const { jobs } = parse(text) as Workflow
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    const own = steps.filter(({ uses = '' }) => ACTION.test(uses))

    it('gives the action an ID, inputs that it has, and the key from a secret', () => {
      for (const { id, with: inputs = {} } of own) {
        expect(id).toBe('docs')
        expect(Object.keys(metadata.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)))
        expect(inputs['api-key']).toBe(`$\{{ secrets.DOCS_API_KEY }}`)
      }
    })

    it('uses outputs that the action has, and no expression in a script', () => {
      for (const [, output = ''] of text.matchAll(/steps\.docs\.outputs\.([\w-]+)/g))
        expect(Object.keys(metadata.outputs)).toContain(output)
      expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([])
    })
  },
)

describe('the quick start', () => {
  const { concurrency = '', jobs } = parse(readExample('docs')) as Workflow

  it('grants the permissions that messages of the action name', () => {
    const rows = { issues: 'write', 'pull-requests': 'write', statuses: 'write' }
    expect(jobs['docs']?.permissions).toEqual({ contents: 'read', ...rows })
  })

  const ref = 'refs/heads/main'
  it.each([
    ['a push', {}, {}, ref],
    ['a schedule', {}, {}, ref],
    ['a job that was started by hand', {}, { 'dry-run': false }, ref],
    ['a dry run', {}, { 'dry-run': true }, 7],
    ['a comment', { comment: { body: 'Nice!' } }, {}, 7],
    ['a review', { review: { body: '' } }, {}, 7],
  ])('runs %s in the group of its branch, or in one of its own', (_case, event, inputs, group) => {
    const [, expression = ''] = /^docs-\$\{\{ (.+) \}\}$/.exec(concurrency) ?? []
    // These operators mean the same in JavaScript.
    const script = expression.replace('inputs.dry-run', "inputs['dry-run']")
    const github = { event, run_id: 7, ref }
    expect(runInNewContext(script, { github, inputs })).toBe(group)
  })
})

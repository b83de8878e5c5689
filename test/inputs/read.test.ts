import { describe, expect, it } from 'vitest'
import {
  type InputName,
  type InputProblem,
  InputsProblem,
  readInputs,
  secretsOf,
} from '../../src/inputs/table.ts'
import { VALUES, WRONG_VALUES } from './read.cases.ts'

const redact = (text: string): string => text.replaceAll('hush', '***')

function read(texts: Partial<Record<InputName, string>>) {
  return readInputs(new Map(Object.entries(texts)), redact)
}

function problemOf(input: InputName, text: string): InputProblem | undefined {
  const { problems } = read({ [input]: text })
  expect(problems.length).toBeLessThanOrEqual(1)
  return problems[0]
}

it.each<{ name: InputName; missing: unknown; empty?: unknown }>([
  { name: 'wait', missing: true },
  { name: 'timeout', missing: 1_800_000 },
  { name: 'fail-on', missing: new Set(['failed', 'timed-out']) },
  { name: 'allow-bots', missing: [] },
  { name: 'poll-interval', missing: undefined },
  { name: 'base-url', missing: new URL('https://api.mintlify.com') },
  { name: 'command', missing: '/docs', empty: '' },
  {
    name: 'ignore-authors',
    missing: ['mintlify[bot]', 'dependabot[bot]', 'renovate[bot]', 'pre-commit-ci[bot]'],
    empty: ['mintlify[bot]'],
  },
  { name: 'github-token', missing: '' },
])('$name is $missing if it is missing, or $empty if it is empty', (given) => {
  const { name, missing, empty = missing } = given
  expect(read({}).inputs[name]).toEqual(missing)
  expect(read({ [name]: '' }).inputs[name]).toEqual(empty)
})

it.each(VALUES)('a value of %s is read: %j', (name, text, expected) => {
  const { inputs, problems } = read({ [name]: text })
  expect(problems).toEqual([])
  expect(inputs[name]).toEqual(expected)
})

describe('a wrong value', () => {
  it.each(WRONG_VALUES)('of $input: $value $problem', ({ input, value, problem, quoted }) => {
    const found = problemOf(input, value)
    const name = quoted === '' ? 'The value' : `\`${quoted ?? value}\``
    expect(found?.problem).toBe(`${name} ${problem}.`)
    expect(found?.use).toMatch(/^\S.*[^.]$/)
  })

  it.each<[InputName, string, string]>([
    ['job-id', 'steps.a.outputs.job-id', `\`\${{ steps.a.outputs.job-id }}\``],
    ['project-id', `\${{ vars.X }`, `\`\${{ vars.X }}\``],
    ['base-url', 'api.example/v9', '`https://api.example/v9`'],
    ['base-url', 'my docs', 'an `https://` URL without credentials, query, or fragment'],
  ])('of %s: instead of %s, the error recommends %s', (name, text, use) => {
    expect(problemOf(name, text)?.use).toBe(use)
  })

  it('is quoted on one line, cut, and without secrets', () => {
    expect(problemOf('wait', 'a hush\n  b')?.problem).toBe("`a *** b` isn't a boolean.")
    expect(problemOf('wait', 'z'.repeat(5000))?.problem).toBe(
      `\`${'z'.repeat(80)}… (4,920 more characters)\` isn't a boolean.`,
    )
  })
})

it('a name with `_` is a problem, and any other that is unknown is none', () => {
  const given = { project_id: 'docs', 'prompt-files': 'a.md' }
  const { problems } = readInputs(new Map(Object.entries(given)), redact)
  expect(problems).toMatchObject([{ input: 'project_id', use: '`project-id`' }])
})

it('the problem of all wrong inputs has each with what to use, and one alone in its title', () => {
  const problemsOf = (texts: Readonly<Record<string, string>>) =>
    new InputsProblem(readInputs(new Map(Object.entries(texts)), redact).problems)
  const { title, text } = problemsOf({ wait: 'maybe', 'api-key': 'mint_us_1', timeout: '30' })
  expect(title).toBe('3 inputs need to be fixed')
  expect(text.split('\n- ')).toEqual([
    expect.stringContaining('Nothing was sent'),
    expect.stringMatching(/^`api-key`: The value is a search key .*\. Use an admin key .*\.$/),
    "`wait`: `maybe` isn't a boolean. Use `true` or `false`.",
    '`timeout`: `30` has no unit. Use `30s` or `30m`, for example.',
  ])
  expect(problemsOf({ wait: 'maybe' })).toMatchObject({
    title: 'The input `wait` is wrong',
    text: "`wait`: `maybe` isn't a boolean. Use `true` or `false`. Nothing was sent.",
  })
})

it.each([
  { texts: { 'api-key': ' mint_1\n', prompt: 'x' }, secrets: [' mint_1\n', 'mint_1'] },
  { texts: { 'api-key': 'mint_1', 'github-token': 'ghs_1' }, secrets: ['mint_1', 'ghs_1'] },
  {
    texts: { 'project-id': 'mint_1', 'job-id': 'ghp_0123456789abcdef' },
    secrets: ['mint_1', 'ghp_0123456789abcdef'],
  },
  {
    texts: { 'api-key': `\${{ secrets.KEY }}`, 'github-token': ' ', 'project-id': 'docs' },
    secrets: [],
  },
])('the secrets of $texts are $secrets', ({ texts, secrets }) => {
  expect(secretsOf(new Map(Object.entries(texts)))).toEqual(secrets)
})

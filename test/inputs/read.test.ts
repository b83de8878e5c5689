import { describe, expect, it } from 'vitest'
import {
  type InputName,
  type InputProblem,
  InputsError,
  readInputs,
  secretsOf,
} from '../../src/inputs/table.ts'
import { MAX_TITLE_LENGTH } from '../../src/lib/text.ts'
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

describe('an input that is not given or empty', () => {
  it.each<[InputName, unknown]>([
    ['wait', true],
    ['timeout', 1_800_000],
    ['fail-on', new Set(['failed', 'timed-out'])],
    ['allow-bots', []],
    ['site-url', undefined],
    ['base-url', new URL('https://api.mintlify.com')],
  ])('%s has its default', (name, expected) => {
    expect(read({}).inputs[name]).toEqual(expected)
    expect(read({ [name]: '' }).inputs[name]).toEqual(expected)
  })

  it.each<[InputName, unknown, unknown]>([
    ['command', '/docs', ''],
    ['ignore-authors', ['mintlify[bot]'], ['mintlify[bot]']],
    ['github-token', '', ''],
    ['matrix', '', ''],
  ])('%s is %j where it is missing, and %j where it is empty', (name, missing, empty) => {
    expect(read({}).inputs[name]).toEqual(missing)
    expect(read({ [name]: '' }).inputs[name]).toEqual(empty)
  })
})

describe('a value', () => {
  it.each(VALUES)('%s: %j is read', (name, text, expected) => {
    const { inputs, problems } = read({ [name]: text })
    expect(problems).toEqual([])
    expect(inputs[name]).toEqual(expected)
  })
})

describe('a wrong value', () => {
  it.each(WRONG_VALUES)('of $input: $value $problem', ({ input, value, problem, quoted }) => {
    const found = problemOf(input, value)
    const name = quoted === '' ? 'The value' : `\`${quoted ?? value}\``
    expect(found?.problem).toBe(`${name} ${problem}.`)
    expect(found?.use).toMatch(/^\S.*[^.]$/)
    expect(found?.title?.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH)
  })

  it.each<[InputName, string, string]>([
    [
      'api-key',
      'secrets.DOCS_API_KEY',
      `\`api-key: \${{ secrets.DOCS_API_KEY }}\` under \`with:\``,
    ],
    ['api-key', 'secrets.mint_a1b2c3', `\`api-key: \${{ … }}\` under \`with:\``],
    [
      'github-token',
      `\${{ steps.app.outputs.token }}`,
      `\`github-token: \${{ … }}\` under \`with:\``,
    ],
    ['project-id', `\${ vars.DOCS }`, `\`project-id: \${{ vars.DOCS }}\` under \`with:\``],
    ['prompt', `\${{ format('a{0}', 1) }}`, `\`prompt: \${{ … }}\` under \`with:\``],
    ['base-url', 'api.example/v9', '`https://api.example/v9`'],
    ['base-url', 'http://api.example:80', '`https://api.example:80`'],
    ['base-url', 'ftp://api.example', 'an `https://` URL without credentials, query, or fragment'],
    ['site-url', 'my docs', 'an `https://` URL without credentials, query, or fragment'],
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

describe('the error', () => {
  const errorAbout = (texts: Readonly<Record<string, string>>): InputsError =>
    new InputsError(readInputs(new Map(Object.entries(texts)), redact).problems)

  it('names all wrong inputs, each with its problem and what to use', () => {
    const error = errorAbout({ wait: 'maybe', 'api-key': 'mint_us_1', 'fail-on': 'failled' })
    expect(error.headline).toBe('3 inputs need to be fixed')
    expect(error.details.split('\n- ')).toEqual([
      expect.stringContaining('Nothing was sent'),
      expect.stringMatching(/^`api-key`: The value is a search key .*\. Use an admin key .*\.$/),
      "`wait`: `maybe` isn't a boolean. Use `true` or `false`.",
      expect.stringMatching(/^`fail-on`: `failled` isn't a known value\. Use `failed`, /),
    ])
  })

  it('about one input has it in its title', () => {
    const { headline, details } = errorAbout({ timeout: '30' })
    expect(headline).toBe('`timeout`: `30` has no unit')
    expect(details).toBe(
      '`timeout`: `30` has no unit. Use `30s` or `30m`, for example. Nothing was sent.',
    )
  })
})

it('secrets are the key, also one in the place of an id, and the token, with and without white space', () => {
  const secrets = (texts: Readonly<Record<string, string>>) =>
    secretsOf(new Map(Object.entries(texts)))
  expect(secrets({ 'api-key': 'mint_1', 'github-token': 'ghs_1', prompt: 'x' })).toEqual([
    'mint_1',
    'ghs_1',
  ])
  expect(secrets({ 'api-key': ' mint_1\n' })).toEqual([' mint_1\n', 'mint_1'])
  expect(secrets({ 'project-id': ' mint_1', 'job-id': 'ghp_0123456789abcdef' })).toEqual([
    ' mint_1',
    'mint_1',
    'ghp_0123456789abcdef',
  ])
  expect(secrets({ api_key: 'mint_1', github_token: 'ghs_1' })).toEqual(['mint_1', 'ghs_1'])
  expect(secrets({ 'api-key': ' ', 'github-token': '', 'project-id': 'docs' })).toEqual([])
})

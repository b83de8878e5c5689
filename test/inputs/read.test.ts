import { describe, expect, it } from 'vitest'
import {
  type InputName,
  type InputProblem,
  InputsError,
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
  it.each(WRONG_VALUES)(
    '%s: %j is refused with what is wrong and what is accepted',
    (name, text, problem) => {
      expect(problemOf(name, text)?.problem).toBe(problem)
      expect(problemOf(name, text)?.accepted).not.toBe('')
    },
  )

  it('counts as its default for what is decided before all inputs are judged', () => {
    expect(read({ command: 'a b', timeout: 'soon' }).inputs).toMatchObject({
      command: '/docs',
      timeout: 1_800_000,
    })
  })

  it('is quoted on one line, cut, and without secrets', () => {
    expect(problemOf('wait', 'a hush\n  b')?.problem).toBe('("a *** b") is neither true nor false')
    expect(problemOf('wait', 'z'.repeat(5000))?.problem).toBe(
      `("${'z'.repeat(80)}… (4920 more characters)") is neither true nor false`,
    )
  })
})

describe('the error', () => {
  const messageOf = (texts: Readonly<Record<string, string>>): string => {
    const given = new Map(Object.entries(texts))
    return new InputsError(readInputs(given, redact).problems).message
  }

  it('names each input with its problem and what is accepted', () => {
    const wrong = {
      wait: 'maybe',
      'api-key': 'mint_us_1',
      'fail-on': 'failled',
    }
    expect(messageOf(wrong)).toBe(
      '3 inputs are wrong, so nothing was sent:\n' +
        "- api-key is a search (index) key (it starts with mint_us_); accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret (`gh secret set NAME`, or Settings → Secrets and variables → Actions).\n" +
        '- wait ("maybe") is neither true nor false; accepted: true or false.\n' +
        '- fail-on ("failled") has unknown words, "failled"; accepted: any of failed, archived, timed-out, no-pull-request, or none alone (in lower case, separated by commas or line breaks).',
    )
  })

  it('of one input begins with it', () => {
    expect(messageOf({ timeout: '30' })).toBe(
      'timeout ("30") has no unit: did you mean 30s or 30m? Accepted: whole numbers with units, such as 250ms, 45s, 30m, 1h30m or 14d, in lower case and without spaces, up to 24 days. Nothing was sent.',
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
  expect(secrets({ 'project-id': ' mint_1', 'job-id': 'mint_2' })).toEqual([
    ' mint_1',
    'mint_1',
    'mint_2',
  ])
  expect(secrets({ api_key: 'mint_1', github_token: 'ghs_1' })).toEqual(['mint_1', 'ghs_1'])
  expect(secrets({ 'api-key': ' ', 'github-token': '', 'project-id': 'docs' })).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { type InputProblem, InputsError, readInputs, secretsOf } from '../../src/inputs/read.ts'
import type { InputName } from '../../src/inputs/table.ts'

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
    ['poll-interval', undefined],
    ['fail-on', new Set(['failed', 'timed-out'])],
    ['allow-bots', []],
    ['site-url', undefined],
    ['base-url', new URL('https://api.mintlify.com')],
  ])('%s has its default', (name, expected) => {
    expect(read({}).inputs[name]).toEqual(expected)
    expect(read({ [name]: '' }).inputs[name]).toEqual(expected)
  })

  it('means nothing where empty says something else than missing', () => {
    expect(read({}).inputs.command).toBe('/docs')
    expect(read({ command: '' }).inputs.command).toBe('')
    expect(read({}).inputs['ignore-authors']).toEqual(['mintlify[bot]'])
    expect(read({ 'ignore-authors': '' }).inputs['ignore-authors']).toEqual([])
  })

  it.each(['github-token', 'matrix'] as const)('%s is empty where nothing evaluates its default', (name) => {
    expect(read({}).inputs[name]).toBe('')
  })
})

describe('a value', () => {
  it.each<[InputName, string, unknown]>([
    ['wait', 'True', true],
    ['wait', 'FALSE', false],
    ['context', 'none', 'none'],
    ['timeout', '1h30m', 5_400_000],
    ['poll-interval', '100ms', 100],
    ['reader-signals', 'agent', 'agent'],
    ['prompt', '  a\n  b ', 'a\n  b'],
    ['api-key', ' \n', ''],
    ['fail-on', 'archived,\n failed', new Set(['archived', 'failed'])],
    ['fail-on', 'none', new Set()],
    ['visitors-trend', '52', 52],
    ['visitors-max-requests', '1000', 1000],
    ['prompt-file', ' a b.md \r\n\n c.md', ['a b.md', 'c.md']],
    ['allow-bots', 'renovate[bot], my-app[bot]', ['renovate[bot]', 'my-app[bot]']],
    ['command', '!docs', '!docs'],
    ['visitors-from', '2026-07-27', Date.UTC(2026, 6, 27)],
    ['base-url', 'http://127.0.0.1:8080/api', new URL('http://127.0.0.1:8080/api')],
    ['base-url', 'http://docs.localhost', new URL('http://docs.localhost')],
    ['base-url', 'http://127.9.8.7', new URL('http://127.9.8.7')],
    ['base-url', 'http://[::1]:80', new URL('http://[::1]')],
    ['site-url', 'https://acme.example/docs', new URL('https://acme.example/docs')],
    ['api-key', 'other_prefix-123', 'other_prefix-123'],
    ['github-token', '\u200B', ''],
    ['github-token', 'two words', ''],
    ['github-token', 'ghs_1', 'ghs_1'],
    ['job-id', 'mint_1', 'mint_1'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it comes where nothing evaluates it.
    ['matrix', '${{ toJSON(matrix) }}', ''],
    ['matrix', 'null', ''],
    ['matrix', '{}', ''],
    ['matrix', '[]', ''],
    ['matrix', '{\n  "os": "linux",\n  "node": 24,\n  "ok": true\n}', 'linux / 24 / true'],
    ['matrix', '{"b":{"x": [1, null]},"a":["y"],"none":null}', '{"x":[1,null]} / ["y"] / null'],
    ['matrix', '["b","a"]', 'b / a'],
    ['matrix', '"b"', 'b'],
    ['matrix', ' 3.10 ', '3.10'],
    ['matrix', '{ no JSON', '{ no JSON'],
  ])('%s: %j is read', (name, text, expected) => {
    const { inputs, problems } = read({ [name]: text })
    expect(problems).toEqual([])
    expect(inputs[name]).toEqual(expected)
  })
})

describe('a wrong value', () => {
  it.each<[InputName, string, string]>([
    ['wait', 'yes', '("yes") is not a boolean'],
    ['wait', 'tRUE', '("tRUE") is not a boolean'],
    ['context', 'true', '("true") is unknown'],
    ['reader-signals', 'all', '("all") is unknown'],
    ['timeout', '30', '("30") has no unit: did you mean 30s or 30m?'],
    ['timeout', '0s', '("0s") must be longer than zero'],
    ['poll-interval', '99ms', '("99ms") is shorter than 100ms'],
    ['fail-on', 'none, failed', '("none, failed") combines "none" with other values'],
    ['fail-on', 'failed, broken', '("failed, broken") has the unknown word "broken"'],
    ['fail-on', 'error,failled', '("error,failled") has the unknown words "error" and "failled"'],
    ['fail-on', ', ,', '(", ,") contains no word'],
    ['visitors-days', '367', '("367") is out of range'],
    ['visitors-days', '0', '("0") is out of range'],
    ['visitors-max-requests', '1001', '("1001") is out of range'],
    ['visitors-top', '101', '("101") is out of range'],
    ['visitors-trend', '53', '("53") is out of range'],
    ['visitors-trend', '1.5', '("1.5") is not a whole number'],
    ['visitors-from', '2026-02-30', '("2026-02-30") is not a valid date'],
    ['visitors-from', '2026-01-01T10:00Z', '("2026-01-01T10:00Z") is not a valid date'],
    ['visitors-from', 'yesterday', '("yesterday") is not a valid date'],
    ['command', '/docs please', '("/docs please") contains white space'],
    ['allow-bots', 'a[bot], *[bot]', '("a[bot], *[bot]") contains an invalid login, "*[bot]"'],
    ['required-permission', 'owner', '("owner") is unknown'],
    ['required-permission', 'Write', '("Write") is not in lower case: did you mean write?'],
    ['base-url', 'http://api.example', '("http://api.example") is not encrypted'],
    ['base-url', 'https://me:pw@api.example', '("https://***@api.example") contains a user name or password'],
    ['base-url', 'http://notlocalhost', '("http://notlocalhost") is not encrypted'],
    ['base-url', 'http://localhost.example.com', '("http://localhost.example.com") is not encrypted'],
    ['base-url', 'http://[::ffff:127.0.0.1]', '("http://[::ffff:127.0.0.1]") is not encrypted'],
    ['base-url', 'https://api.example/#top', '("https://api.example/#top") contains a query or fragment'],
    ['base-url', 'https://api.example?', '("https://api.example?") contains a query or fragment'],
    ['base-url', 'ftp://api.example', '("ftp://api.example") is not a URL'],
    ['site-url', 'acme.example', '("acme.example") is not a URL: did you mean `https://acme.example`?'],
    [
      'site-url',
      'docs.acme.example:8080/guides',
      '("docs.acme.example:8080/guides") is not a URL: did you mean `https://docs.acme.example:8080/guides`?',
    ],
    ['project-id', '..', '("..") is not an id'],
    ['project-id', 'https://acme.example/docs', '("https://acme.example/docs") is not an id'],
    ['project-id', 'mint_1', 'is an API key (it starts with mint_), which belongs in api-key'],
    ['project-id', ' "mint_1"', 'is an API key (it starts with mint_), which belongs in api-key'],
    ['job-id', '.', '(".") is not an id'],
    ['job-id', 'a\u0007b', '("a\u0007b") contains control characters'],
    ['api-key', 'mint_dsc_1', 'is an assistant key (it starts with mint_dsc_)'],
    ['api-key', 'mint_us_1', 'is a search (index) key (it starts with mint_us_)'],
    ['api-key', 'ghs_1', 'is a GitHub token (it starts with gh…_ or github_pat_)'],
    ['api-key', 'ghp_1', 'is a GitHub token (it starts with gh…_ or github_pat_)'],
    ['api-key', 'github_pat_1', 'is a GitHub token (it starts with gh…_ or github_pat_)'],
    ['api-key', ' mint_1', 'has white space around it'],
    ['api-key', '"mint_1"', 'has quotes around it'],
    ['api-key', 'Bearer mint_1', 'starts with "Bearer "'],
    ['api-key', '\u200B', 'contains white space or characters that no API key has'],
    ['api-key', 'mint_é', 'contains white space or characters that no API key has'],
  ])('%s: %j is refused with what is wrong and what is accepted', (name, text, problem) => {
    expect(problemOf(name, text)?.problem).toBe(problem)
    expect(problemOf(name, text)?.accepted).not.toBe('')
  })

  it('counts as its default for what is decided before all inputs are judged', () => {
    expect(read({ command: 'a b', timeout: 'soon' }).inputs).toMatchObject({
      command: '/docs',
      timeout: 1_800_000,
    })
  })

  it('is quoted on one line, cut, and without secrets', () => {
    expect(problemOf('wait', 'a hush\n  b')?.problem).toBe('("a *** b") is not a boolean')
    expect(problemOf('wait', 'z'.repeat(5000))?.problem).toBe(
      `("${'z'.repeat(80)}… (4920 more characters)") is not a boolean`,
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
        "- api-key is a search (index) key (it starts with mint_us_); accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret: `gh secret set DOCS_API_KEY`.\n" +
        '- wait ("maybe") is not a boolean; accepted: true or false.\n' +
        '- fail-on ("failled") has the unknown word "failled"; accepted: any of failed, archived, timed-out, no-pull-request, or none alone (in lower case, separated by commas or line breaks).',
    )
  })

  it('of one input begins with it', () => {
    expect(messageOf({ timeout: '30' })).toBe(
      'timeout ("30") has no unit: did you mean 30s or 30m? Accepted: whole numbers with units, such as 250ms, 45s, 30m or 1h30m, in lower case and without spaces. Nothing was sent.',
    )
    expect(messageOf({ wait: 'on', waits: 'x' })).toBe(
      'wait ("on") is not a boolean; accepted: true or false. Nothing was sent.',
    )
  })
})

it('secrets are the key, also one in the place of the project, and the token, with and without white space', () => {
  const secrets = (texts: Readonly<Record<string, string>>) => secretsOf(new Map(Object.entries(texts)))
  expect(secrets({ 'api-key': 'mint_1', 'github-token': 'ghs_1', prompt: 'x' })).toEqual(['mint_1', 'ghs_1'])
  expect(secrets({ 'api-key': ' mint_1\n' })).toEqual([' mint_1\n', 'mint_1'])
  expect(secrets({ 'project-id': ' mint_1', 'job-id': 'mint_2' })).toEqual([' mint_1', 'mint_1'])
  expect(secrets({ 'api-key': ' ', 'github-token': '', 'project-id': 'docs' })).toEqual([])
})

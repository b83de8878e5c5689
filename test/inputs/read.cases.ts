import type { InputName } from '../../src/inputs/table.ts'

/** Texts of inputs, and the values that they are read as. */
export const VALUES: readonly [InputName, string, unknown][] = [
  ['wait', 'True', true],
  ['timeout', '1h30m', 5_400_000],
  ['poll-interval', '100ms', 100],
  ['content-gaps', 'agent', 'agent'],
  ['prompt', '  a\n  b ', 'a\n  b'],
  ['api-key', ' \n', ''],
  ['api-key', 'mint_1\n', 'mint_1'],
  ['pause-after', '400d', 400 * 86_400_000],
  ['pause-after', '0s', 0],
  ['fail-on', 'archived,\n failed', new Set(['archived', 'failed'])],
  ['fail-on', 'none', new Set()],
  ['prompt-file', ' a b.md \r\n\n c.md', ['a b.md', 'c.md']],
  ['prompt-file', 'inputs.md', ['inputs.md']],
  ['allow-bots', 'renovate[bot], my-app[bot]', ['renovate[bot]', 'my-app[bot]']],
  ['ignore-authors', 'a\nb, c', ['mintlify[bot]', 'a', 'b', 'c']],
  [
    'pr-reviewers',
    'ada\nAcme/docs-team, source-authors,mona_acme, x1-',
    ['ada', 'Acme/docs-team', 'source-authors', 'mona_acme', 'x1-'],
  ],
  ['command', '!docs', '!docs'],
  ['base-url', 'http://127.0.0.1:8080/api', new URL('http://127.0.0.1:8080/api')],
  ['base-url', 'https://acme.example/docs', new URL('https://acme.example/docs')],
  // As it comes where nothing evaluates it.
  ['matrix', `\${{ toJSON(matrix) }}`, ''],
  ['matrix', 'Object', 'Object'],
  ['matrix', '{\n  "os": "linux",\n  "node": 24,\n  "ok": true\n}', 'linux / 24 / true'],
  ['matrix', '{"b":{"x": [1, null]},"a":["y"],"none":null}', '{"x":[1,null]} / ["y"] / null'],
  ['matrix', ' 3.10 ', '3.10'],
  ['matrix', '{ no JSON', '{ no JSON'],
]

type WrongValue = {
  readonly input: InputName
  readonly value: string
  /** Follows the value, or "The value" of a secret. */
  readonly problem: string
  /** What is quoted, if it isn't the value; empty for a secret. */
  readonly quoted?: string
}

function wrong(input: InputName, problem: string, ...values: readonly string[]): WrongValue[] {
  const isSecret = ['api-key', 'github-token'].includes(input)
  return values.map((value) => ({ input, value, problem, ...(isSecret && { quoted: '' }) }))
}

const IS_KEY = 'is a Mintlify API key (`mint_…`)'
const UNEVALUATED = "is the text of an expression that GitHub didn't evaluate"
const TOKEN = 'is a GitHub token (by its prefix)'
const BAD_ID = 'contains white space or control characters'
const UNKNOWN = "isn't a known value"

/** Values that are rejected. */
export const WRONG_VALUES: readonly WrongValue[] = [
  ...wrong('wait', "isn't a boolean", 'tRUE'),
  ...wrong('required-permission', UNKNOWN, 'Write'),
  ...wrong('timeout', 'has no unit', '30'),
  ...wrong('poll-interval', 'is shorter than `100ms`', '99ms'),
  ...wrong('fail-on', 'combines `none` with other values', 'none, failed'),
  { input: 'fail-on', value: 'failed,failled', problem: UNKNOWN, quoted: 'failled' },
  ...wrong('visitors-days', 'is out of range', '367', '0'),
  ...wrong('visitors-days', "isn't a whole number", '1.5'),
  ...wrong('command', 'contains white space', '/docs please'),
  ...wrong('command', 'contains quotes, commas, or pattern characters', '/docs|/doc'),
  ...wrong('allow-bots', "isn't a login", 'true', 'app/renovate', '../ada'),
  ...wrong(
    'pr-reviewers',
    "isn't a login or a team",
    '@ada',
    'acme/docs/team',
    'acme/../x',
    'a'.repeat(40),
  ),
  { input: 'allow-bots', value: 'a[bot], *[bot]', problem: "isn't a login", quoted: '*[bot]' },
  ...wrong(
    'base-url',
    "isn't encrypted (`http://`)",
    'http://notlocalhost',
    'http://localhost.example.com',
    'http://[::ffff:127.0.0.1]',
  ),
  {
    input: 'base-url',
    value: 'https://me:pw@api.example',
    problem: 'contains a user name or password',
    quoted: 'https://***@api.example',
  },
  ...wrong(
    'base-url',
    'contains a query or fragment',
    'https://api.example/#top',
    'https://api.example?',
  ),
  ...wrong('base-url', "isn't an `https://` URL", 'acme.example'),
  ...wrong('project-id', "isn't an ID", '..'),
  ...wrong('project-id', 'is a URL', 'https://acme.example/docs'),
  ...wrong('project-id', 'is in quotes', '"docs"'),
  ...wrong('project-id', BAD_ID, 'docs\u200B', 'my docs'),
  { input: 'project-id', value: ' "mint_1"', problem: IS_KEY, quoted: '' },
  { input: 'job-id', value: 'mint_1', problem: IS_KEY, quoted: '' },
  { input: 'project-id', value: 'ghp_0123456789abcdef', problem: TOKEN, quoted: '' },
  ...wrong('project-id', UNEVALUATED, 'vars.DOCS_PROJECT_ID', `\${{ vars.X }`),
  ...wrong('job-id', UNEVALUATED, 'steps.docs-agent.outputs.job-id'),
  ...wrong('prompt-file', UNEVALUATED, 'steps.plan.outputs.file'),
  ...wrong('matrix', UNEVALUATED, 'toJSON(matrix)'),
  ...wrong('api-key', UNEVALUATED, 'secrets.mint_a1b2c3', `\${{ secrets.DOCS_API_KEY }}`),
  ...wrong('github-token', IS_KEY, 'mint_12345678'),
  ...wrong('github-token', 'contains characters that no token has', 'two words'),
  ...wrong('api-key', 'is an assistant key (`mint_dsc_…`)', 'mint_dsc_1'),
  ...wrong('api-key', 'is a search key (`mint_us_…`)', 'mint_us_1'),
  ...wrong('api-key', TOKEN, 'ghs_1'),
  ...wrong('api-key', 'contains white space', 'mint_1\nmint_1'),
  ...wrong('api-key', 'is in quotes', '"mint_1"'),
  ...wrong('api-key', 'starts with `Bearer `', 'Bearer mint_1'),
  ...wrong('api-key', 'contains characters that no API key has', 'mint_é'),
]

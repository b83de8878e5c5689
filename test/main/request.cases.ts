type Texts = Readonly<Record<string, string>>

type Rejected = {
  readonly inputs: Texts
  /** The input that is wrong. */
  readonly names: string
  readonly title?: string
  /** A fact in the message. */
  readonly says: string
}

const SWAPPED = '`api-key` and `project-id` are swapped'
const NOTHING = 'No input requests a job or a report'
const GAPS = "adds the content gaps to this run's prompt"

/** Inputs that are rejected; the files a.md, empty.md, and half.md are there. */
export const REJECTED: readonly Rejected[] = [
  { inputs: {}, names: 'prompt', title: NOTHING, says: 'or a `/docs` comment to start a job' },
  { inputs: { prompts: 'x' }, names: 'prompt', title: NOTHING, says: '`Unexpected input(s)`' },
  { inputs: { 'job-id': '' }, names: 'prompt', title: NOTHING, says: 'expression may be empty' },
  ...['a.md', './a.md', ' a.md\n', 'half.md'].map((prompt) => ({
    inputs: { prompt },
    names: 'prompt',
    title: '`prompt` is only the name of a file',
    says: 'Use `prompt-file` to send the contents of the file.',
  })),
  {
    inputs: { prompt: 'x', paths: 'src/**\nsrc/[a' },
    names: 'paths',
    title: '`paths`: `src/[a` has a `[` without a `]`',
    says: '`src/[a` has a `[` without a `]`. Use `\\[` if you mean the character itself.',
  },
  {
    inputs: { prompt: 'x', 'prompt-file': 'steps.plan.outputs.file' },
    names: 'prompt-file',
    says: '`steps.plan.outputs.file` is the text of an expression.',
  },
  {
    inputs: { 'context-files': 'a.md', command: '' },
    names: 'prompt',
    title: NOTHING,
    says: '`prompt` or `prompt-file` to start a job',
  },
  {
    inputs: { prompt: 'x', 'api-key': '' },
    names: 'api-key',
    title: 'The input `api-key` is empty',
    says: 'The secret may be missing from this repository',
  },
  {
    inputs: { prompt: 'x', 'api-key': '', api_key: 'mint_0123456789' },
    names: 'api-key',
    says: 'spells it `api_key`. Use the name `api-key`.',
  },
  { inputs: { prompt_file: 'a.md' }, names: 'prompt-file', says: 'spells it `prompt_file`' },
  {
    inputs: { prompt: 'x', 'project-id': ' ' },
    names: 'project-id',
    title: 'The input `project-id` is empty',
    says: 'a variable and not a secret',
  },
  {
    inputs: { prompt: 'x', 'api-key': 'my docs', 'project-id': 'mint_12345678' },
    names: 'api-key',
    title: SWAPPED,
    says: 'Replace a key that was stored in a variable.',
  },
  {
    inputs: { prompt: 'x', 'api-key': 'same_1', 'project-id': 'same_1' },
    names: 'api-key',
    says: 'the same as that of `project-id`',
  },
  {
    inputs: { prompt: 'x', 'api-key': 'mint_12345678', 'project-id': 'mint_12345678' },
    names: 'project-id',
    says: 'is a Mintlify API key',
  },
  {
    inputs: { prompt: 'x', 'prompt-file': '../no.md' },
    names: 'prompt-file',
    says: "`../no.md` doesn't exist",
  },
  { inputs: { 'prompt-file': 'empty.md' }, names: 'prompt-file', says: 'The files are empty.' },
  {
    inputs: { prompt: 'x', 'prompt-file': '.\nno.md' },
    names: 'prompt-file',
    says: "`.` is a directory. `no.md` doesn't exist",
  },
  {
    inputs: { 'prompt-file': 'half.md', 'context-files': 'half.md' },
    names: 'context-files',
    says: '`half.md` is too large',
  },
  {
    inputs: { prompt: 'x', 'poll-interval': '10s', timeout: '8s' },
    names: 'poll-interval',
    says: '`10s` is longer than `timeout` (`8s`). Use at most `8s`.',
  },
  {
    inputs: { 'content-gaps': 'agent' },
    names: 'content-gaps',
    title: '`content-gaps: agent` needs a prompt',
    says: GAPS,
  },
  {
    inputs: { prompt: 'x', context: 'none', 'content-gaps': 'agent' },
    names: 'content-gaps',
    title: '`content-gaps: agent` needs another `context`',
    says: GAPS,
  },
  {
    inputs: { context: 'none', 'content-gaps': 'agent' },
    names: 'content-gaps',
    title: '`content-gaps: agent` needs a prompt and a `context`',
    says: 'so it needs a prompt and a `context` other than `none`',
  },
]

type Warned = {
  readonly inputs: Texts
  /** The warnings. */
  readonly warnings: readonly string[]
}

const noEffect = (names: string, why: string): string =>
  `${names} ${names.includes(' and ') ? 'have' : 'has'} no effect ${why}.`
const NO_JOB = 'without a job. To request one, set `prompt` or `job-id`'

/** Inputs that are valid, and what the run warns about. */
export const WARNED: readonly Warned[] = [
  {
    inputs: { prompt: '.github/prompt.md' },
    warnings: [
      "`prompt` looks like the name of a file that isn't in the workspace, so the agent gets only this name. To send the contents of a file, use `prompt-file`, and make sure that `actions/checkout` runs before this step.",
    ],
  },
  { inputs: { prompt: 'https://docs.example/prompt.md' }, warnings: [] },
  {
    inputs: { prompt: 'x', matrix: 'Object' },
    warnings: [
      `\`matrix\` is the text "Object", because \`\${{ matrix }}\` can't be passed directly. Use \`\${{ toJSON(matrix) }}\`, or remove the input.`,
    ],
  },
  {
    inputs: { prompt: 'x', 'pr-reviewers': 'ada, source-author' },
    warnings: [
      '`source-author` in `pr-reviewers` is used as a login. To ask the people whose changes the docs are about, use `source-authors`.',
    ],
  },
  {
    inputs: { prompt: 'x', command: 'docs' },
    warnings: [
      '`command: docs` is an ordinary word, so comments may start with it by accident. Use `/docs`, for example.',
    ],
  },
  {
    inputs: {
      'visitors-summary': 'true',
      'poll-interval': '1s',
      wait: 'false',
      'fail-on': 'timed-out, failed',
    },
    warnings: [noEffect('`wait` and `poll-interval`', NO_JOB)],
  },
  {
    inputs: { 'visitors-summary': 'true', paths: 'src/**', 'pause-after': '3d' },
    warnings: [noEffect('`paths` and `pause-after`', NO_JOB)],
  },
  {
    inputs: { prompt: 'x', 'poll-interval': '1s', wait: 'false', timeout: '1m' },
    warnings: [noEffect('`poll-interval`', 'with `wait: false`')],
  },
  ...[
    { 'job-id': 'j1', 'skip-labels': 'a', 'follow-up': 'false', 'pause-after': '3d' },
    { prompt: 'x', 'visitors-days': '3', 'site-url': 'https://a.example' },
    { prompt: 'x', 'follow-up': 'false', 'pause-after': '3d', 'skip-unchanged': 'true' },
    { 'job-id': 'j1', prompt: 'x', context: 'files', 'follow-up': 'false' },
  ].map((inputs) => ({ inputs, warnings: [] })),
]

const WAYS =
  'accepted: an instruction, here or in prompt-file; job-id, to wait for a job; visitors-summary, visitors-export or content-gaps, for a report alone'
const NOT_READ =
  'accepted: text files of the workspace, one per line (no commas), with / between folders'

/** What each of these inputs comes to; the files a.md, empty.md and half.md are there. */
export const REFUSED: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [
    {},
    `prompt is missing, and nothing else is requested; ${WAYS}; or a comment that starts with the command (/docs).`,
  ],
  [
    { 'context-files': 'a.md', command: '' },
    `prompt is missing, and nothing else is requested; ${WAYS}.`,
  ],
  [
    { prompt: 'x', 'api-key': '' },
    "api-key is missing: is its secret's name spelled as in the settings of this repository, its organization or the job's environment? In a reusable workflow, does the caller pass it with `secrets:`? Accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret (`gh secret set NAME`, or Settings → Secrets and variables → Actions).",
  ],
  [
    { prompt: 'x', 'api-key': '', api_key: 'mint_0123456789' },
    "api-key is written api_key in the workflow: write api-key; accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret (`gh secret set NAME`, or Settings → Secrets and variables → Actions).",
  ],
  [
    { prompt_file: 'a.md' },
    'prompt-file is written prompt_file in the workflow: write prompt-file; accepted: paths in the workspace, one per line.',
  ],
  [
    { prompt: 'x', 'project-id': ' ' },
    "project-id is missing: if it is taken from `vars.DOCS_PROJECT_ID`, is that set, as a variable and not as a secret (`gh variable set DOCS_PROJECT_ID`)? Accepted: the id alone, from the dashboard's API keys page.",
  ],
  [
    { prompt: 'x', 'api-key': 'my docs', 'project-id': 'mint_12345678' },
    'api-key is swapped with project-id, which starts with mint_, as API keys do; accepted: the key as api-key, from a secret, and the id as project-id; a key that stood in a variable must be replaced.',
  ],
  [
    { prompt: 'x', 'api-key': 'same_1', 'project-id': 'same_1' },
    "api-key has the same value as project-id; accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret (`gh secret set NAME`, or Settings → Secrets and variables → Actions).",
  ],
  [
    { prompt: 'x', 'prompt-file': '../no.md' },
    `prompt-file names "../no.md", which does not exist in the workspace (files outside the workspace are not read); ${NOT_READ}.`,
  ],
  [
    { 'prompt-file': 'empty.md' },
    'prompt-file names only empty files; accepted: files with instructions in them.',
  ],
  [
    { prompt: 'x', 'prompt-file': 'no.md\n.' },
    `prompt-file names "no.md", which does not exist in the workspace (check its letter case, and that actions/checkout runs before this step), and ".", which is a directory, not a file; ${NOT_READ}.`,
  ],
  [
    { 'prompt-file': 'half.md', 'context-files': 'half.md' },
    `context-files names "half.md", which is too large: all files of a run may have 1024 KiB together; ${NOT_READ}.`,
  ],
  [
    { prompt: 'x', 'poll-interval': '10s', timeout: '8s' },
    'poll-interval ("10s") is longer than timeout ("8s"); accepted: at most timeout.',
  ],
  ...[{ 'content-gaps': 'agent' }, { prompt: 'x', context: 'none', 'content-gaps': 'agent' }].map(
    (inputs) =>
      [
        inputs,
        'content-gaps ("agent") needs a prompt and a `context` other than `none`, as it is for the job of this run; accepted: report; or agent with a prompt and `context: diff` or `files`.',
      ] as const,
  ),
]

const NO_JOB = 'can have no effect without a job: request one with `prompt` or `job-id`.'

/** Inputs, and the warnings that some of them have no effect. */
export const WITHOUT_EFFECT: readonly [Readonly<Record<string, string>>, readonly string[]][] = [
  [
    { prompt: '.github/prompt.md' },
    ['`prompt` is the name of a file: to send its text, write it as `prompt-file`.'],
  ],
  [{ prompt: 'https://docs.example/prompt.md' }, []],
  [
    { prompt: 'x', matrix: 'Object' },
    [
      `\`matrix\` is \`Object\`, as \`\${{ matrix }}\` is for every leg alike. Write \`\${{ toJSON(matrix) }}\`, or leave the input out.`,
    ],
  ],
  [
    { prompt: 'x', command: 'docs' },
    [
      '`command: docs` starts with a letter or digit, so any comment may start with it by chance: write `/docs`, for example.',
    ],
  ],
  [
    {
      'visitors-summary': 'true',
      'poll-interval': '1s',
      wait: 'false',
      'fail-on': 'timed-out, failed',
    },
    [`\`wait\` and \`poll-interval\` ${NO_JOB}`],
  ],
  [
    {
      'visitors-summary': 'true',
      timeout: '1m',
      'fail-on': 'none',
      comment: 'always',
      'wait-for-preview': 'true',
      'skip-unchanged': 'true',
      'context-files': 'a.md',
    },
    [
      `\`context-files\`, \`skip-unchanged\`, \`timeout\`, \`wait-for-preview\`, \`fail-on\` and \`comment\` ${NO_JOB}`,
    ],
  ],
  [
    {
      prompt: 'x',
      'poll-interval': '1s',
      wait: 'false',
      'wait-for-preview': 'true',
      timeout: '1m',
    },
    ['`poll-interval` and `wait-for-preview` can have no effect with `wait: false`.'],
  ],
  [
    {
      'job-id': 'j1',
      'context-files': 'a.md',
      context: 'files',
      'skip-labels': 'a',
      'follow-up': 'false',
    },
    [
      '`context-files`, `context`, `skip-labels` and `follow-up` can have no effect without a prompt.',
    ],
  ],
  [
    { prompt: 'x', 'visitors-days': '3', 'site-url': 'https://a.example' },
    [
      '`visitors-days` can have no effect without `visitors-summary` or `visitors-export`.',
      '`site-url` can have no effect without a readers report.',
    ],
  ],
  [
    { 'job-id': 'j1', prompt: 'x', context: 'files', 'follow-up': 'false' },
    ['`follow-up` can have no effect with `job-id`.'],
  ],
]

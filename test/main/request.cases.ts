import { bareEvent, type Event, pullRequest, push } from '../support/events.ts'

const WAYS =
  'accepted: an instruction, here or in prompt-file; job-id, to wait for a job; visitors-summary, visitors-export or reader-signals, for a report alone; or a comment that starts with the command (/docs)'
const NOT_READ = 'accepted: text files of the workspace, one per line (no commas), with / between folders'
const FOR_AGENT = 'accepted: report; or agent with a prompt and `context: diff` or `files`'

/** What each of these inputs comes to; the files a.md, empty.md and half.md are there. */
export const REFUSED: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [{}, `prompt is missing, and nothing else is requested; ${WAYS}.`],
  [{ 'context-files': 'a.md' }, `prompt is missing: nothing is requested with context-files alone; ${WAYS}.`],
  [
    { 'visitors-days': '3', 'site-url': 'https://a.example' },
    `prompt is missing: nothing is requested with visitors-days and site-url alone; ${WAYS}.`,
  ],
  [
    { prompt: 'x', 'api-key': '' },
    "api-key is missing: is its secret's name spelled as in the settings of this repository, its organization or the job's environment? In a reusable workflow, does the caller pass it with `secrets:`? Accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret (`gh secret set NAME`, or Settings → Secrets and variables → Actions).",
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
    'poll-interval ("10s") is longer than timeout ("8s"); accepted: at most 8s, or a longer timeout.',
  ],
  [
    { 'reader-signals': 'agent' },
    `reader-signals ("agent") needs a prompt, as it is for the job of this run; ${FOR_AGENT}.`,
  ],
  [
    { prompt: 'x', context: 'none', 'reader-signals': 'agent' },
    `reader-signals ("agent") has no effect with \`context: none\`; ${FOR_AGENT}.`,
  ],
]

/** Inputs, and the warnings that some of them have no effect. */
export const WITHOUT_EFFECT: readonly [Readonly<Record<string, string>>, readonly string[]][] = [
  [
    { prompt: 'x', matrix: 'Object' },
    [
      `\`matrix\` is \`Object\`, as \`\${{ matrix }}\` is for every leg alike. Write \`\${{ toJSON(matrix) }}\`, or leave the input out.`,
    ],
  ],
  [
    { prompt: 'x', 'visitors-days': '3', 'site-url': 'https://a.example' },
    [
      '`visitors-days` and `site-url` have no effect without a visitors report: add `visitors-summary: true`, or remove them.',
    ],
  ],
  [
    { 'visitors-summary': 'true', 'poll-interval': '1s', wait: 'false' },
    [
      '`poll-interval` has no effect without a job. Remove it, or request a job with `prompt` or `job-id`.',
      '`wait` has no effect without a job. Remove it, or request a job with `prompt` or `job-id`.',
    ],
  ],
  [
    { prompt: 'x', 'poll-interval': '1s', wait: 'false' },
    ['`poll-interval` has no effect with `wait: false`. Remove one of the two.'],
  ],
  [
    { prompt: 'x', 'wait-for-preview': 'true', wait: 'false' },
    ['`wait-for-preview` has no effect with `wait: false`. Remove one of the two.'],
  ],
  [
    { 'job-id': 'j1', 'context-files': 'a.md' },
    ['`context-files` has no effect without a prompt: data alone requests nothing.'],
  ],
]

/** Lists of `ignore-authors`, inputs, the event, and how often the list is warned of. */
export const AUTHORS: readonly [string, Readonly<Record<string, string>>, Event, number][] = [
  ['lacks the agent, on a push', { 'ignore-authors': 'dependabot[bot]' }, push(), 1],
  ['lacks the agent, on a pull request', { 'ignore-authors': 'a' }, pullRequest(), 1],
  ['lacks the agent, on an event without loop guard', { 'ignore-authors': 'a' }, bareEvent('schedule'), 0],
  ['has the agent', { 'ignore-authors': 'a, Mintlify' }, push(), 0],
  ['is of another service', { 'ignore-authors': 'a', 'base-url': 'https://docs.example' }, push(), 0],
  [
    'lacks the agent where a job is waited for',
    { 'ignore-authors': 'a', prompt: '', 'job-id': 'j1' },
    push(),
    0,
  ],
]

import {
  API_KEY,
  anyOf,
  BASE_URL,
  BOOLEAN,
  COMMAND_WORD,
  duration,
  GITHUB_TOKEN,
  IGNORED_AUTHORS,
  type InputFormat,
  integer,
  JOB_ID,
  LABELS,
  LINES,
  LOGINS,
  MATRIX,
  oneOf,
  PROJECT_ID,
  TEXT,
} from './formats.ts'

/** Results that a user may want to fail the step. */
const FAIL_ON_RESULTS = ['failed', 'archived', 'timed-out', 'no-pull-request'] as const

/** Permissions on a repository, from the lowest to the highest. Source: GitHub's documentation, "Repository roles". */
export const PERMISSION_LEVELS = ['read', 'triage', 'write', 'maintain', 'admin'] as const

/** The groups that the documentation shows inputs in. */
type InputGroup = 'request' | 'wait' | 'comments' | 'visitors'

type InputSpec<T> = {
  readonly group: InputGroup
  readonly format: InputFormat<T>
  /** As in `action.yml`; empty if there is none. */
  readonly default: string
}

/** All inputs: what `action.yml` declares, and how each is read. */
export const INPUTS = {
  'api-key': input('request', API_KEY),
  'project-id': input('request', PROJECT_ID),
  'base-url': input('request', BASE_URL, 'https://api.mintlify.com'),
  prompt: input('request', TEXT),
  'prompt-file': input('request', LINES),
  'context-files': input('request', LINES),
  context: input('request', oneOf(['diff', 'files', 'none']), 'diff'),
  'job-id': input('request', JOB_ID),
  'dry-run': input('request', BOOLEAN, 'false'),
  'skip-unchanged': input('request', BOOLEAN, 'false'),

  wait: input('wait', BOOLEAN, 'true'),
  timeout: input('wait', duration(), '30m'),
  'poll-interval': optional('wait', duration(100)),
  'fail-on': input('wait', anyOf(FAIL_ON_RESULTS), 'failed, timed-out'),
  'wait-for-preview': input('wait', BOOLEAN, 'false'),

  command: input('comments', COMMAND_WORD, '/docs'),
  'required-permission': input('comments', oneOf(PERMISSION_LEVELS), 'write'),
  'allow-bots': input('comments', LOGINS),
  'ignore-authors': input('comments', IGNORED_AUTHORS),
  'skip-labels': input('comments', LABELS, 'no-docs'),
  'follow-up': input('comments', BOOLEAN, 'true'),
  comment: input('comments', oneOf(['auto', 'always', 'never']), 'auto'),
  'github-token': input('comments', GITHUB_TOKEN, `\${{ github.token }}`),
  matrix: input('comments', MATRIX, `\${{ toJSON(matrix) }}`),

  'visitors-summary': input('visitors', BOOLEAN, 'false'),
  'visitors-days': input('visitors', integer(1, 366), '7'),
  'visitors-export': input('visitors', TEXT),
  'site-url': optional('visitors', BASE_URL),
  'reader-signals': input('visitors', oneOf(['none', 'report', 'agent']), 'none'),
} as const

export type InputName = keyof typeof INPUTS

/** The value of every input, by its name. Durations are in milliseconds. */
export type Inputs = {
  readonly [Name in InputName]: (typeof INPUTS)[Name] extends InputSpec<infer T> ? T : never
}

/** Whether the inputs hold a prompt of their own, whatever started the run. */
export function hasPrompt(inputs: Inputs): boolean {
  return inputs.prompt !== '' || inputs['prompt-file'].length > 0
}

export const SECRET_INPUTS = ['api-key', 'github-token'] as const satisfies readonly InputName[]

function input<T>(group: InputGroup, format: InputFormat<T>, fallback = ''): InputSpec<T> {
  return { group, format, default: fallback }
}

/** An input that may be missing: then its value is `undefined`. */
function optional<T>(group: InputGroup, format: InputFormat<T>): InputSpec<T | undefined> {
  return { group, format, default: '' }
}

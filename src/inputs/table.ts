import {
  API_KEY,
  anyOf,
  BASE_URL,
  BOOLEAN,
  BOT_LOGINS,
  COMMAND_WORD,
  DATE,
  duration,
  GITHUB_TOKEN,
  type InputFormat,
  integer,
  LINES,
  LOGINS,
  oneOf,
  PATH_SEGMENT,
  TEXT,
} from './formats.ts'

/** Results that a user may want to fail the step. */
export const FAIL_ON_RESULTS = ['failed', 'archived', 'timed-out', 'no-pull-request'] as const

export type FailOnResult = (typeof FAIL_ON_RESULTS)[number]

/** Permissions on a repository, from the lowest to the highest. Source: GitHub's documentation, "Repository roles". */
export const PERMISSION_LEVELS = ['read', 'triage', 'write', 'maintain', 'admin'] as const

export type PermissionLevel = (typeof PERMISSION_LEVELS)[number]

/** The groups that the documentation shows inputs in. */
type InputGroup = 'request' | 'wait' | 'comments' | 'visitors'

type InputSpec<T> = {
  readonly group: InputGroup
  readonly format: InputFormat<T>
  /** As in `action.yml`; empty if there is none. */
  readonly default: string
  /** What an empty text means: a value of its own, or `undefined` for whatever the default means. */
  readonly empty: T | undefined
}

/** All inputs: what `action.yml` declares, and how each is read. */
export const INPUTS = {
  'api-key': text('request', API_KEY),
  'project-id': text('request', PATH_SEGMENT),
  'base-url': withDefault('request', BASE_URL, 'https://api.mintlify.com'),
  prompt: text('request', TEXT),
  'prompt-file': list('request', LINES),
  'context-files': list('request', LINES),
  context: withDefault('request', oneOf(['diff', 'files', 'none']), 'diff'),
  'job-id': text('request', PATH_SEGMENT),
  'dry-run': withDefault('request', BOOLEAN, 'false'),

  wait: withDefault('wait', BOOLEAN, 'true'),
  timeout: withDefault('wait', duration(), '30m'),
  'poll-interval': optional('wait', duration(100)),
  'fail-on': withDefault('wait', anyOf(FAIL_ON_RESULTS), 'failed, timed-out'),
  summary: withDefault('wait', BOOLEAN, 'true'),

  command: text('comments', COMMAND_WORD, '/docs'),
  'required-permission': withDefault('comments', oneOf(PERMISSION_LEVELS), 'write'),
  'allow-bots': list('comments', BOT_LOGINS),
  'ignore-authors': list('comments', LOGINS, 'mintlify[bot]'),
  'follow-up': withDefault('comments', BOOLEAN, 'true'),
  comment: withDefault('comments', oneOf(['auto', 'always', 'never']), 'auto'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's, as action.yml has it.
  'github-token': { ...text('comments', GITHUB_TOKEN), default: '${{ github.token }}' },

  'visitors-summary': withDefault('visitors', BOOLEAN, 'false'),
  'visitors-days': withDefault('visitors', integer(1, 366), '7'),
  'visitors-from': optional('visitors', DATE),
  'visitors-to': optional('visitors', DATE),
  'visitors-top': withDefault('visitors', integer(1, 100), '10'),
  'visitors-trend': withDefault('visitors', integer(1, 52), '8'),
  'visitors-max-requests': withDefault('visitors', integer(1, 1000), '40'),
  'visitors-export': text('visitors', TEXT),
  'site-url': optional('visitors', BASE_URL),
  'reader-signals': withDefault('visitors', oneOf(['none', 'report', 'agent']), 'none'),
} as const

export type InputName = keyof typeof INPUTS

/** The value of every input, by its name. Durations are in milliseconds. */
export type Inputs = {
  readonly [Name in InputName]: (typeof INPUTS)[Name] extends InputSpec<infer T> ? T : never
}

export const SECRET_INPUTS = ['api-key', 'github-token'] as const satisfies readonly InputName[]

function withDefault<T>(group: InputGroup, format: InputFormat<T>, fallback: string): InputSpec<T> {
  return { group, format, default: fallback, empty: undefined }
}

/** An input that may be missing: then its value is `undefined`. */
function optional<T>(group: InputGroup, format: InputFormat<T>): InputSpec<T | undefined> {
  return { group, format, default: '', empty: undefined }
}

/** A text whose emptiness says something. */
function text(group: InputGroup, format: InputFormat<string>, fallback = ''): InputSpec<string> {
  return { group, format, default: fallback, empty: '' }
}

/** A list that may be empty. */
function list(
  group: InputGroup,
  format: InputFormat<readonly string[]>,
  fallback = '',
): InputSpec<readonly string[]> {
  return { group, format, default: fallback, empty: [] }
}

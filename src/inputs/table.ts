import type { Redact } from '../lib/markdown.ts'
import { clip, EXPRESSION } from '../lib/text.ts'
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
  LINE_LIST,
  LOGINS,
  MATRIX,
  MINTLIFY_KEY,
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
  'prompt-file': input('request', LINE_LIST),
  'context-files': input('request', LINE_LIST),
  context: input('request', oneOf(['diff', 'files', 'none']), 'diff'),
  'job-id': input('request', JOB_ID),
  'dry-run': input('request', BOOLEAN, 'false'),
  'skip-unchanged': input('request', BOOLEAN, 'false'),

  wait: input('wait', BOOLEAN, 'true'),
  timeout: input('wait', duration(), '30m'),
  'poll-interval': optional('wait', duration({ minMs: 100 })),
  'fail-on': input('wait', anyOf(FAIL_ON_RESULTS), 'failed, timed-out'),
  'wait-for-preview': input('wait', BOOLEAN, 'false'),

  command: input('comments', COMMAND_WORD, '/docs'),
  'required-permission': input('comments', oneOf(PERMISSION_LEVELS), 'write'),
  'allow-bots': input('comments', LOGINS),
  'ignore-authors': input('comments', IGNORED_AUTHORS),
  'skip-labels': input('comments', LABELS, 'no-docs'),
  'follow-up': input('comments', BOOLEAN, 'true'),
  'pause-after': optional('comments', duration({ maxMs: Number.POSITIVE_INFINITY })),
  comment: input('comments', oneOf(['auto', 'always', 'never']), 'auto'),
  'github-token': input('comments', GITHUB_TOKEN, `\${{ github.token }}`),
  matrix: input('comments', MATRIX, `\${{ toJSON(matrix) }}`),

  'visitors-summary': input('visitors', BOOLEAN, 'false'),
  'visitors-days': input('visitors', integer(1, 366), '7'),
  'visitors-export': input('visitors', BOOLEAN, 'false'),
  'site-url': optional('visitors', BASE_URL),
  'content-gaps': input('visitors', oneOf(['none', 'report', 'agent']), 'none'),
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

/** Whether a run only waits for a job, and starts none. */
export function isWaitOnly(inputs: Inputs): boolean {
  return inputs['job-id'] !== '' && !hasPrompt(inputs)
}

/** Whether a run may write comments and reactions. */
export function canWriteComments(inputs: Inputs): boolean {
  return inputs.comment !== 'never' && !inputs['dry-run']
}

/** Whether any part of the readers report is requested. */
export function hasReport(inputs: Inputs): boolean {
  const { 'visitors-summary': summary, 'visitors-export': hasExport } = inputs
  return summary || hasExport || inputs['content-gaps'] !== 'none'
}

const SECRET_INPUTS: readonly InputName[] = ['api-key', 'github-token']

function input<T>(group: InputGroup, format: InputFormat<T>, fallback = ''): InputSpec<T> {
  return { group, format, default: fallback }
}

/** An input that may be missing: then its value is `undefined`. */
function optional<T>(group: InputGroup, format: InputFormat<T>): InputSpec<T | undefined> {
  return { group, format, default: '' }
}

export type InputProblem = {
  /** Its name, or that of a variable of the environment. */
  readonly input: string
  /** What is wrong with the value, to follow the input's name. */
  readonly problem: string
  /** What is accepted, to follow "accepted:". */
  readonly accepted: string
}

const UNEVALUATED = `is the text of an expression, not its value: write it as \`\${{ … }}\` below \`with:\`, and do not quote or escape it`

/** Everything that is wrong with the inputs. Its message names each with its problem and what is accepted. */
export class InputsError extends Error {
  override readonly name = 'InputsError'
  readonly problems: readonly InputProblem[]
  /** Whether the run was to do something about a job. */
  readonly wantsJob: boolean

  constructor(problems: readonly InputProblem[], wantsJob = true) {
    const [first = '', ...more] = problems.map(({ input, problem, accepted }) => {
      return `${input} ${problem}${problem.endsWith('?') ? ' Accepted' : '; accepted'}: ${accepted}.`
    })
    const head = `${problems.length} inputs are wrong, so nothing was sent:`
    super(more.length === 0 ? `${first} Nothing was sent.` : [head, first, ...more].join('\n- '))
    this.problems = problems
    this.wantsJob = wantsJob
  }
}

/** The texts of inputs by name, as they were given. A missing entry was not given at all. */
type InputTexts = ReadonlyMap<string, string>

/**
 * Reads every input by the rules of the table. `redact` keeps secrets out of what is quoted.
 *
 * @returns all inputs, and what is wrong with them; a wrong one has the value of its default
 */
export function readInputs(texts: InputTexts, redact: Redact) {
  const problems: InputProblem[] = []
  const readInput = (name: InputName): unknown => {
    const { format, default: fallback } = INPUTS[name]
    const parse = (text: string): unknown => {
      if (EXPRESSION.test(text) && text !== fallback && format !== LINE_LIST)
        throw new RangeError(UNEVALUATED)
      if (text !== '') return format.parse(text)
      return format.empty ?? (fallback === '' ? undefined : format.parse(fallback))
    }
    const underscored = name.replaceAll('-', '_')
    if (underscored !== name && texts.has(underscored)) {
      const problem = `is written ${underscored} in the workflow: write ${name}`
      problems.push({ input: name, problem, accepted: format.accepted })
      return parse(fallback)
    }
    const text = texts.get(name)
    // White space around a value means nothing, except around the key, which is refused with it.
    const given = (name === 'api-key' && text?.trim() !== '' ? text : text?.trim()) ?? fallback
    try {
      return parse(given)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const isSecret =
        SECRET_INPUTS.includes(name) || secretsOf(new Map([[name, given]])).length > 0
      const value = isSecret ? '' : `("${quoteValue(redact(given))}") `
      problems.push({ input: name, problem: `${value}${error.message}`, accepted: format.accepted })
      return parse(fallback)
    }
  }
  const values = Object.fromEntries(inputNames().map((name) => [name, readInput(name)]))
  return { inputs: values as Inputs, problems }
}

/** The names of all inputs, in the table's order. */
export function inputNames(): InputName[] {
  return Object.keys(INPUTS) as InputName[]
}

/** The texts of those inputs that are secrets, a key that was given as an id among them. */
export function secretsOf(texts: InputTexts): string[] {
  const ids = [texts.get('project-id') ?? '', texts.get('job-id') ?? '']
  const given = [
    ...SECRET_INPUTS.flatMap((name) => [
      texts.get(name) ?? '',
      texts.get(name.replaceAll('-', '_')) ?? '',
    ]),
    ...ids.filter((id) => MINTLIFY_KEY.test(id)),
  ]
  return [...new Set(given.flatMap((text) => [text, text.trim()]))].filter(
    (text) => text.trim() !== '' && !EXPRESSION.test(text.trim()),
  )
}

/** On one line, without a password, and not too long. */
function quoteValue(text: string): string {
  return clip(text.replace(/\/\/[^/\s]*@/g, '//***@').replace(/\s+/g, ' '), 80)
}

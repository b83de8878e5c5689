import type { Redact } from '../lib/markdown.ts'
import { clip, EXPRESSION, FailureError, inBackticks, MAX_TITLE_LENGTH } from '../lib/text.ts'
import {
  API_KEY,
  anyOf,
  BASE_URL,
  BOOLEAN,
  COMMAND_WORD,
  duration,
  GITHUB_TOKEN,
  GITHUB_TOKEN_FORM,
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
  REVIEWERS,
  TEXT,
  ValueError,
} from './formats.ts'
import { PATHS } from './paths.ts'

/** Results that a user may want to fail the step. */
const FAIL_ON_RESULTS = ['failed', 'archived', 'timed-out', 'no-pull-request']

/** Permissions on a repository, from the lowest to the highest. Source: GitHub's documentation, "Repository roles". */
export const PERMISSION_LEVELS = ['read', 'triage', 'write', 'maintain', 'admin'] as const

type InputSpec<T> = {
  readonly format: InputFormat<T>
  /** As in `action.yml`; may be empty. */
  readonly default: string
}

/** All inputs of `action.yml`, and how each is read. */
export const INPUTS = {
  'api-key': input(API_KEY),
  'project-id': input(PROJECT_ID),
  'base-url': input(BASE_URL, 'https://api.mintlify.com'),
  prompt: input(TEXT),
  'prompt-file': input(LINE_LIST),
  'context-files': input(LINE_LIST),
  context: input(oneOf(['diff', 'files', 'none']), 'diff'),
  'job-id': input(JOB_ID),
  'dry-run': input(BOOLEAN, 'false'),
  'skip-unchanged': input(BOOLEAN, 'false'),

  wait: input(BOOLEAN, 'true'),
  timeout: input(duration(), '30m'),
  'poll-interval': optional(duration({ minMs: 100 })),
  'fail-on': input(anyOf(FAIL_ON_RESULTS), 'failed, timed-out'),

  command: input(COMMAND_WORD, '/docs'),
  'required-permission': input(oneOf(PERMISSION_LEVELS), 'write'),
  'allow-bots': input(LOGINS),
  'ignore-authors': input(IGNORED_AUTHORS),
  'skip-labels': input(LABELS, 'no-docs'),
  paths: input(PATHS),
  'follow-up': input(BOOLEAN, 'true'),
  'pause-after': optional(
    duration({
      maxMs: Number.POSITIVE_INFINITY,
      use: 'a whole number with a unit, for example `14d`, or an empty value to never pause',
    }),
  ),
  'pr-reviewers': input(REVIEWERS),
  'pr-labels': input(LABELS),
  comment: input(oneOf(['auto', 'always', 'never']), 'auto'),
  'github-token': input(GITHUB_TOKEN, `\${{ github.token }}`),
  matrix: input(MATRIX, `\${{ toJSON(matrix) }}`),

  'visitors-summary': input(BOOLEAN, 'false'),
  'visitors-days': input(integer(1, 366), '7'),
  'visitors-export': input(BOOLEAN, 'false'),
  'site-url': optional(BASE_URL),
  'content-gaps': input(oneOf(['none', 'report', 'agent']), 'none'),
} as const

export type InputName = keyof typeof INPUTS

/** The value of every input, by its name. Durations are in milliseconds. */
export type Inputs = {
  readonly [Name in InputName]: (typeof INPUTS)[Name] extends InputSpec<infer T> ? T : never
}

/** Whether the inputs contain a prompt, whatever started the run. */
export function hasPrompt(inputs: Inputs): boolean {
  return inputs.prompt !== '' || inputs['prompt-file'].length > 0
}

/** Whether a run only waits for a job. */
export function isWaitOnly(inputs: Inputs): boolean {
  return inputs['job-id'] !== '' && !hasPrompt(inputs)
}

/** Whether a run may write comments and reactions. */
export function canWriteComments(inputs: Inputs): boolean {
  return inputs.comment !== 'never' && !inputs['dry-run']
}

/** Whether any part of the visitors report is requested. */
export function hasReport(inputs: Inputs): boolean {
  const { 'visitors-summary': summary, 'visitors-export': hasExport } = inputs
  return summary || hasExport || inputs['content-gaps'] !== 'none'
}

const SECRET_INPUTS: readonly InputName[] = ['api-key', 'github-token']

function input<T>(format: InputFormat<T>, fallback = ''): InputSpec<T> {
  return { format, default: fallback }
}

/** An input whose value is `undefined` if it is missing. */
function optional<T>(format: InputFormat<T>): InputSpec<T | undefined> {
  return { format, default: '' }
}

export type InputProblem = {
  /** Its name, or that of an environment variable. */
  readonly input: string
  /** A sentence that can be read alone, with the value first. */
  readonly problem: string
  /** What to use instead, to follow "Use". */
  readonly use: string
  /** Replaces the usual title if this is the only problem. */
  readonly title?: string | undefined
}

/** Everything that is wrong with the inputs. */
export class InputsError extends FailureError {
  override readonly name = 'InputsError'
  readonly problems: readonly InputProblem[]
  /** Whether the run was meant to do something about a job. */
  readonly wantsJob: boolean

  constructor(problems: readonly InputProblem[], wantsJob = true) {
    const lines = problems.map(
      ({ input, problem, use }) => `${inBackticks(input)}: ${problem} Use ${use}.`,
    )
    const [{ input = '', title = `The input ${inBackticks(input)} is wrong` } = {}] = problems
    const isOne = problems.length === 1
    super({
      headline: isOne ? title : `${problems.length} inputs need to be fixed`,
      details: isOne
        ? `${lines[0]} Nothing was sent.`
        : ['Nothing was sent, because these inputs need to be fixed:', ...lines].join('\n- '),
    })
    this.problems = problems
    this.wantsJob = wantsJob
  }
}

/** The texts of inputs by name, as they were given. A missing entry was not given at all. */
type InputTexts = ReadonlyMap<string, string>

/**
 * Reads every input by the rules of the table. `redact` keeps secrets out of quoted values.
 *
 * @returns all inputs, and their problems; a wrong one has the value of its default
 */
export function readInputs(texts: InputTexts, redact: Redact) {
  const problems: InputProblem[] = []
  const readInput = (name: InputName): unknown => {
    const { format, default: fallback } = INPUTS[name]
    const parse = (text: string): unknown => {
      if (EXPRESSION.test(text) && text !== fallback && format !== LINE_LIST) {
        throw new ValueError('is the text of an expression', { use: expressionFor(name, text) })
      }
      if (text !== '') return format.parse(text)
      return format.empty ?? (fallback === '' ? undefined : format.parse(fallback))
    }
    const underscored = name.replaceAll('-', '_')
    if (underscored !== name && texts.has(underscored)) {
      const problem = `The workflow spells it \`${underscored}\`.`
      const title = `\`${name}\` is misspelled as \`${underscored}\``
      problems.push({ input: name, problem, use: `the name \`${name}\``, title })
      return parse(fallback)
    }
    const text = texts.get(name)
    // White space around a value means nothing, except around the key, which is then rejected.
    const given = (name === 'api-key' && text?.trim() !== '' ? text : text?.trim()) ?? fallback
    try {
      return parse(given)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const { part = given, use = format.use } = error instanceof ValueError ? error : {}
      const isSecret =
        SECRET_INPUTS.includes(name) || secretsOf(new Map([[name, given]])).length > 0
      const value = isSecret ? 'The value' : inBackticks(quoteValue(redact(part)))
      const problem = `${value} ${error.message}`
      const withValue = `\`${name}\`: ${problem}`
      const isShort = !isSecret && withValue.length <= MAX_TITLE_LENGTH
      const title = isShort ? withValue : `\`${name}\` ${error.message}`
      problems.push({ input: name, problem: `${problem}.`, use, title })
      return parse(fallback)
    }
  }
  const values = Object.fromEntries(inputNames().map((name) => [name, readInput(name)]))
  return { inputs: values as Inputs, problems }
}

/** Writes an input's line with the expression that its value is the text of; the name of a secret may be a secret itself. */
function expressionFor(name: InputName, text: string): string {
  const inner = text.slice(0, 200).replace(/^\$\{+ ?|[} ]+$/g, '')
  const isShown = SECRET_INPUTS.includes(name)
    ? /^secrets\.[A-Z][A-Z\d_]*$/.test(inner)
    : /^[\w.-]+(?:\([\w.]*\))?$/.test(inner)
  return `\`${name}: \${{ ${isShown ? inner : '…'} }}\` under \`with:\``
}

/** Lists the names of all inputs, in the table's order. */
export function inputNames(): InputName[] {
  return Object.keys(INPUTS) as InputName[]
}

/** Finds the secrets among the texts of inputs, also a key that was given as an ID. */
export function secretsOf(texts: InputTexts): string[] {
  const ids = [texts.get('project-id') ?? '', texts.get('job-id') ?? '']
  const given = [
    ...SECRET_INPUTS.flatMap((name) => [
      texts.get(name) ?? '',
      texts.get(name.replaceAll('-', '_')) ?? '',
    ]),
    ...ids.filter((id) => MINTLIFY_KEY.test(id) || GITHUB_TOKEN_FORM.test(id)),
  ]
  return [...new Set(given.flatMap((text) => [text, text.trim()]))].filter(
    (text) => text.trim() !== '' && !EXPRESSION.test(text.trim()),
  )
}

/** Shortens a value to one line without a password. */
function quoteValue(text: string): string {
  return clip(text.replace(/\/\/[^/\s]*@/g, '//***@').replace(/\s+/g, ' '), 80)
}

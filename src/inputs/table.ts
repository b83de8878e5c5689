import type { Redact } from '../lib/markdown.ts'
import { clip, inBackticks, Problem } from '../lib/text.ts'
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
  PATHS,
  PROJECT_ID,
  REVIEWERS,
  TEXT,
  ValueError,
} from './formats.ts'

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

  wait: input(BOOLEAN, 'true'),
  timeout: input(duration(), '30m'),
  'poll-interval': optional(duration({ minMs: 100 })),
  'fail-on': input(anyOf(FAIL_ON_RESULTS), 'failed, timed-out'),

  command: input(COMMAND_WORD, '/docs'),
  'required-permission': input(oneOf(PERMISSION_LEVELS), 'write'),
  'allow-bots': input(LOGINS),
  'ignore-authors': input(IGNORED_AUTHORS, 'dependabot[bot], renovate[bot], pre-commit-ci[bot]'),
  'skip-labels': input(LABELS, 'no-docs'),
  paths: input(PATHS),
  'follow-up': input(BOOLEAN, 'true'),
  'pause-after': optional(
    duration({
      minMs: 0,
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
  return inputs['visitors-summary'] || inputs['content-gaps'] !== 'none'
}

const CERTAIN = /\$\{[{ ].*\}|(?:steps|needs)\.[\w-]+\.outputs\.[\w-]+|(?:to|from)JSON\(.*\)/
const CONTEXT = /(?:secrets|vars|env|inputs|matrix|github)\.[\w.-]+/
/** The text of an expression that GitHub didn't evaluate, and one that can't be a name, as `env.ts` can. */
const EXPRESSION = new RegExp(`^(?:${CERTAIN.source}|${CONTEXT.source})$`, 's')
const CERTAIN_EXPRESSION = new RegExp(`^(?:${CERTAIN.source})$`, 's')

/** Formats of lists of files and labels. */
const NAME_LISTS = new Set<InputFormat<unknown>>([LINE_LIST, PATHS, LABELS])

const SECRET_INPUTS: readonly InputName[] = ['api-key', 'github-token']

function input<T>(format: InputFormat<T>, fallback = ''): InputSpec<T> {
  return { format, default: fallback }
}

/** An input whose value is `undefined` if it is missing. */
function optional<T>(format: InputFormat<T>): InputSpec<T | undefined> {
  return { format, default: '' }
}

export type InputProblem = {
  /** Its name. */
  readonly input: string
  /** A sentence that can be read alone, with the value first. */
  readonly problem: string
  /** What to use instead, to follow "Use". */
  readonly use: string
}

/** Everything that is wrong with the inputs. */
export class InputsProblem extends Problem {
  override readonly name = 'InputsProblem'
  readonly problems: readonly InputProblem[]
  /** Whether the run was meant to do something about a job. */
  readonly wantsJob: boolean

  constructor(problems: readonly InputProblem[], wantsJob = true) {
    const lines = problems.map(
      ({ input, problem, use }) => `${inBackticks(input)}: ${problem} Use ${use}.`,
    )
    const [first] = problems
    const isOne = problems.length === 1
    super({
      title: isOne
        ? `The input ${inBackticks(first?.input ?? '')} is wrong`
        : `${problems.length} inputs need to be fixed`,
      text: isOne
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
      if (text !== '') return format.parse(text)
      return format.empty ?? (fallback === '' ? undefined : format.parse(fallback))
    }
    const given = texts.get(name)?.trim() ?? fallback
    try {
      const form = NAME_LISTS.has(format) ? CERTAIN_EXPRESSION : EXPRESSION
      if (format !== TEXT && given !== fallback && form.test(given))
        throw new ValueError("is the text of an expression that GitHub didn't evaluate", {
          use: inBackticks(`\${{ ${given.replace(/^\$?\{+\s*|\s*\}+$/g, '')} }}`),
        })
      return parse(given)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const { part = given, use = format.use } = error instanceof ValueError ? error : {}
      const isSecret =
        SECRET_INPUTS.includes(name) || secretsOf(new Map([[name, given]])).length > 0
      const value = isSecret ? 'The value' : inBackticks(quoteValue(redact(part)))
      problems.push({ input: name, problem: `${value} ${error.message}.`, use })
      return parse(fallback)
    }
  }
  const values = Object.fromEntries(inputNames().map((name) => [name, readInput(name)]))
  // GitHub passes inputs that don't exist, too.
  for (const given of texts.keys()) {
    const meant = inputNames().find((name) => name !== given && name === given.replaceAll('_', '-'))
    if (meant) {
      const problem = `There is no input \`${given}\`.`
      problems.push({ input: given, problem, use: `\`${meant}\`` })
    }
  }
  return { inputs: values as Inputs, problems }
}

/** Lists the names of all inputs, in the table's order. */
export function inputNames(): InputName[] {
  return Object.keys(INPUTS) as InputName[]
}

/** Finds the secrets among the texts of inputs, also a key that was given as an ID. */
export function secretsOf(texts: InputTexts): string[] {
  const ids = ['project-id', 'job-id', 'base-url'].map((name) => texts.get(name) ?? '')
  const given = [
    ...SECRET_INPUTS.flatMap((name) => [texts.get(name) ?? '']),
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

import type { Redact } from '../lib/markdown.ts'
import { clip, EXPRESSION } from '../lib/text.ts'
import { LINES, SERVICE_KEY } from './formats.ts'
import { INPUTS, type InputName, type Inputs, SECRET_INPUTS } from './table.ts'

export type InputProblem = {
  /** Its name, or that of a variable of the environment. */
  readonly input: string
  /** What is wrong with the value, to follow the input's name. */
  readonly problem: string
  /** What is accepted, to follow "accepted:". */
  readonly accepted: string
}

const UNEVALUATED = `is the text of an expression, not its value: write it as \`\${{ … }}\` below \`with:\``

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
      const isPath = name === 'visitors-export' || format === LINES
      if (EXPRESSION.test(text) && text !== fallback && !isPath) throw new RangeError(UNEVALUATED)
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
      const value = secretsOf(new Map([[name, given]])).length > 0 ? '' : `("${quoted(redact(given))}") `
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

/** The texts of those inputs that are secrets, a key that was given as the project's id among them. */
export function secretsOf(texts: InputTexts): string[] {
  const projectId = texts.get('project-id') ?? ''
  const given = [
    ...SECRET_INPUTS.flatMap((name) => [texts.get(name) ?? '', texts.get(name.replaceAll('-', '_')) ?? '']),
    SERVICE_KEY.test(projectId) ? projectId : '',
  ]
  return [...new Set(given.flatMap((text) => [text, text.trim()]))].filter((text) => text.trim() !== '')
}

/** On one line, without a password, and not too long. */
function quoted(text: string): string {
  return clip(text.replace(/\/\/[^/\s]*@/g, '//***@').replace(/\s+/g, ' '), 80)
}

import { clip } from '../lib/markdown.ts'
import type { Redact } from '../lib/redact.ts'

/** One wrong input. */
export type InputProblem = {
  readonly input: string
  /** What is wrong with the value, to follow the input's name. */
  readonly problem: string
  /** What is accepted, to follow "accepted:"; empty where the problem says it. */
  readonly accepted: string
}

/** Everything that is wrong with the inputs. Its message names each with its problem and cure. */
export class InputsError extends Error {
  override readonly name = 'InputsError'
  readonly problems: readonly InputProblem[]

  constructor(problems: readonly InputProblem[]) {
    const lines = problems.map(
      ({ input, problem, accepted }) =>
        `- ${input} ${problem}${accepted === '' ? '' : `; accepted: ${accepted}`}.`,
    )
    const [are, inputs] = problems.length === 1 ? ['is', 'One input'] : ['are', `${problems.length} inputs`]
    super(`${inputs} ${are} wrong, so nothing was sent:\n${lines.join('\n')}`)
    this.problems = problems
  }
}

/** How the value of one input is understood. */
export type InputFormat<T> = {
  /** Reads a value that is not empty. Throws a `RangeError` with the problem in words. */
  readonly parse: (text: string) => T
  readonly accepted: string
}

/** Reads inputs and collects what is wrong with them, so that all of it can be said at once. */
export type InputReader = {
  /** The text of an input; its default if it was not given. */
  text(name: string, fallback?: string): string
  /** The value of an input; that of its default if it is empty or wrong. */
  value<T>(name: string, format: InputFormat<T>, fallback: string): T
  /** The value of an input; `undefined` if it is empty or wrong. */
  optional<T>(name: string, format: InputFormat<T>): T | undefined
  /** Notes a problem that only a look at the whole shows. */
  report(problem: InputProblem): void
  readonly problems: readonly InputProblem[]
}

const LONGEST_QUOTE = 80

/** Opens a set of inputs for reading. `redact` keeps secrets out of the messages. */
export function openInputs(inputs: ReadonlyMap<string, string>, redact: Redact): InputReader {
  const problems: InputProblem[] = []
  const text = (name: string, fallback = ''): string => inputs.get(name) ?? fallback

  function optional<T>(name: string, { parse, accepted }: InputFormat<T>): T | undefined {
    const given = text(name)
    if (given === '') return undefined
    try {
      return parse(given)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const shown = clip(withoutPassword(redact(given)).replace(/\s+/g, ' '), LONGEST_QUOTE)
      problems.push({ input: name, problem: `("${shown}") ${error.message}`, accepted })
      return undefined
    }
  }

  return {
    text,
    optional,
    value: (name, format, fallback) => optional(name, format) ?? format.parse(fallback),
    report: (problem) => problems.push(problem),
    problems,
  }
}

function withoutPassword(text: string): string {
  return text.replace(/\/\/[^/\s]*@/g, '//***@')
}

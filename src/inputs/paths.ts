import { type InputFormat, splitList, ValueError } from './formats.ts'

/** The patterns of `paths` in their order; empty if every path is included. */
export type PathPatterns = readonly PathPattern[]

type PathPattern = {
  /** Whether the line began with `!`. */
  readonly excludes: boolean
  readonly steps: readonly Step[]
}

/** One step along a path. It takes one character, or any number of them if it repeats. */
type Step = {
  readonly takes: (character: string) => boolean
  readonly repeats: boolean
  /** How many steps can be left out from here, this one included; 0 if it can't be. */
  readonly skip: number
}

/** Patterns as in a workflow's `paths`, one per line. */
export const PATHS: InputFormat<PathPatterns> = {
  use: "patterns as in a workflow's `paths`, one per line, for example `src/**`",
  parse: (text) => {
    const patterns = splitList(text, /[\r\n]/).map(parsePattern)
    if (patterns.every(({ excludes }) => excludes))
      throw new ValueError('only excludes files', { use: '`**` as the first line' })
    return patterns
  },
  empty: [],
}

/**
 * Whether a path is included: the last pattern that matches it decides. A path of unusual length is included.
 *
 * @param path relative to the repository, with `/` between folders
 */
export function isIncluded(patterns: PathPatterns, path: string): boolean {
  if (patterns.length === 0 || path.length > MAX_MATCHED_LENGTH) return true
  const last = patterns.findLast(({ steps }) => matchesSteps(steps, path))
  return last !== undefined && !last.excludes
}

/** So that long names of many files can't keep a run busy. */
const MAX_MATCHED_LENGTH = 1000

/** Follows all ways through the steps at once, so that the time is linear in the length of the path. */
function matchesSteps(steps: readonly Step[], path: string): boolean {
  let reached = new Uint8Array(steps.length + 1)
  let next = reached.slice()
  reached[0] = 1
  for (const character of path) {
    for (let position = 0; position < steps.length; position++) {
      const step = steps[position]
      if (step === undefined || reached[position] === 0) continue
      reached[position] = 0
      if (step.skip > 0) reached[position + step.skip] = 1
      if (step.takes(character)) next[step.repeats ? position : position + 1] = 1
    }
    reached[steps.length] = 0
    const done = reached
    reached = next
    next = done
  }
  steps.forEach(({ skip }, position) => {
    if (reached[position] === 1) reached[position + skip] = 1
  })
  return reached[steps.length] === 1
}

/**
 * Reads a line by GitHub's "Filter pattern cheat sheet". No published JavaScript library knows its `?`, `+`, and sets.
 * With a pattern that is rejected here, GitHub rejects a workflow, or probably never runs it.
 *
 * @throws {ValueError} with the line and its problem
 */
function parsePattern(line: string): PathPattern {
  const excludes = line.startsWith('!')
  const text = excludes ? line.slice(1) : line
  const wrong = WRONG_PATTERNS.find(([form]) => form.test(text))
  if (wrong !== undefined) throw new ValueError(wrong[1], { part: line, use: wrong[2] })
  const elements = text.match(ELEMENTS) ?? []
  const steps: Step[] = []
  let before = '/'
  for (const element of elements) {
    const last = steps.at(-1)
    if (element === '?' || element === '+') {
      if (last === undefined || last.repeats || last.skip > 0)
        throw wrongPattern(line, `has a \`${element}\` that follows no character`, element)
      if (element === '?') steps.splice(-1, 1, { ...last, skip: 1 })
      else steps.push({ ...last, repeats: true, skip: 1 })
    } else if (element === '**/' && before.endsWith('/')) {
      // No folder, or any folders.
      steps.push({ ...ANYTHING, repeats: false, skip: 3 }, ANYTHING, exactly('/'))
    } else if (element.startsWith('**')) {
      steps.push(ANYTHING, ...(element.endsWith('/') ? [exactly('/')] : []))
    } else if (element === '*') {
      steps.push({ ...ANYTHING, takes: (character) => character !== '/' })
    } else if (element.startsWith('[')) {
      steps.push(readSet(line, element))
    } else {
      steps.push(exactly(element.replace(/^\\(?=.)/s, '')))
    }
    before = element
  }
  const isPlain = elements.every((element) => /^(?:\\.|[^*?+[])$/su.test(element))
  if (before.endsWith('/')) steps.push(ANYTHING)
  // A file, or a folder with all files below it.
  else if (isPlain) steps.push({ ...exactly('/'), skip: 2 }, ANYTHING)
  return { excludes, steps }
}

const ELEMENTS = /\*\*\/?|\[[^\]]*\]?|\\.?|./gsu
const ANYTHING: Step = { takes: () => true, repeats: true, skip: 1 }

function exactly(expected: string): Step {
  return { takes: (character) => character === expected, repeats: false, skip: 0 }
}

/** Reads a set such as `[a-z_]`. */
function readSet(line: string, element: string): Step {
  if (!element.endsWith(']')) throw wrongPattern(line, 'has a `[` without a `]`', '[')
  if (!/^\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\w)+\]$/.test(element))
    throw new ValueError('has a wrong set', { part: line, use: SET_USE })
  try {
    const set = new RegExp(element)
    return { takes: (character) => set.test(character), repeats: false, skip: 0 }
  } catch {
    throw new ValueError('has a backwards range', { part: line, use: SET_USE })
  }
}

const SET_USE =
  'only letters, digits, and ranges such as `a-z` in `[]`, and `\\[` for the character'

function wrongPattern(line: string, problem: string, special: string): ValueError {
  const use = `\`\\${special}\` if you mean the character itself`
  return new ValueError(problem, { part: line, use })
}

/** Forms of patterns that can't match a file, without a leading `!`. */
const WRONG_PATTERNS: readonly (readonly [form: RegExp, problem: string, use: string])[] = [
  [/^$/, 'excludes no file', 'a pattern after `!`'],
  [/^["'`]/, 'is in quotes', 'the pattern without quotes'],
  [/\$\{\{/, 'contains the text of an expression', `\`\${{ … }}\` under \`with:\``],
  [/^#\s/, 'is a comment', 'patterns only'],
  [
    /^\.{0,2}\//,
    'starts with `/`, `./`, or `../`',
    'a path in the repository, for example `src/**`',
  ],
  [
    /(?<!\\)\{[^{},]*,/,
    'has braces',
    "one line for each alternative, because GitHub's patterns don't support braces",
  ],
  [/(?<!\\),/, 'has a comma', 'one line for each pattern, and `\\,` for a comma in a name'],
  [
    /^(?:[^\\]|\\.)*\\(?:\w|$)/s,
    'has a `\\` between folders',
    '`/` between folders, and `\\\\` for a backslash in a name',
  ],
]

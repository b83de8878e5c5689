import { type InputFormat, splitList, ValueError } from './formats.ts'

/** The patterns of `paths` in their order; empty if every path is included. */
export type PathPatterns = readonly PathPattern[]

type PathPattern = {
  /** Whether the line began with `!`. */
  readonly excludes: boolean
  readonly steps: readonly Step[]
}

/** One step along a path: it takes one character, or several if it repeats. */
type Step = {
  readonly takes: (character: string) => boolean
  readonly repeats?: boolean
  /** How many steps can be left out from here, this one included. */
  readonly skip?: number
  /** Whether `?` and `+` can follow: it stands for a single character. */
  readonly isSingle?: boolean
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
 * Whether a path is included: the last pattern that matches it decides.
 *
 * @param path relative to the repository, with `/` between folders
 */
export function isIncluded(patterns: PathPatterns, path: string): boolean {
  if (patterns.length === 0) return true
  const last = patterns.findLast(({ steps }) => matchesSteps(steps, path))
  return last !== undefined && !last.excludes
}

/** Follows all ways through the steps at once, so that the time is linear in the length of the path. */
function matchesSteps(steps: readonly Step[], path: string): boolean {
  const reach = (positions: Set<number>, from: number): void => {
    let position = from
    let skip = 0
    do {
      position += skip
      positions.add(position)
      skip = steps[position]?.skip ?? 0
    } while (skip > 0)
  }
  let positions = new Set<number>()
  reach(positions, 0)
  for (const character of path) {
    const next = new Set<number>()
    for (const position of positions) {
      const step = steps[position]
      if (step?.takes(character)) reach(next, step.repeats ? position : position + 1)
    }
    if (next.size === 0) return false
    positions = next
  }
  return positions.has(steps.length)
}

/**
 * Reads a line by GitHub's "Filter pattern cheat sheet". No published JavaScript library knows its `?`, `+`, and sets.
 * GitHub rejects a workflow with what is rejected here, or probably never runs it.
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
      if (!last?.isSingle)
        throw wrongPattern(line, `has a \`${element}\` that follows no character`, element)
      const { takes } = last
      if (element === '?') steps.splice(-1, 1, { takes, skip: 1 })
      else steps.splice(-1, 1, { takes }, { takes, repeats: true, skip: 1 })
    } else if (element === '**/' && before.endsWith('/')) {
      // No folder, or any folders.
      steps.push({ takes: () => true, skip: 3 }, ANYTHING, character('/'))
    } else if (element.startsWith('**')) {
      steps.push(ANYTHING, ...(element.endsWith('/') ? [character('/')] : []))
    } else if (element === '*') {
      steps.push({ takes: (one) => one !== '/', repeats: true, skip: 1 })
    } else if (element.startsWith('[')) {
      steps.push(characterSet(line, element))
    } else {
      steps.push(character(element.replace(/^\\(?=.)/s, '')))
    }
    before = element
  }
  const isPlain = elements.every((element) => /^(?:\\.|[^*?+[])$/su.test(element))
  if (before.endsWith('/')) steps.push(ANYTHING)
  // A file, or a folder with all files below it.
  else if (isPlain) steps.push({ ...character('/'), skip: 2 }, ANYTHING)
  return { excludes, steps }
}

const ELEMENTS = /\*\*\/?|\[[^\]]*\]?|\\.?|./gsu
const ANYTHING: Step = { takes: () => true, repeats: true, skip: 1 }

function character(wanted: string): Step {
  return { takes: (one) => one === wanted, isSingle: true }
}

/** Reads `[a-z_]`. */
function characterSet(line: string, element: string): Step {
  if (!/^\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\w)+\]$/.test(element)) {
    if (!element.endsWith(']')) throw wrongPattern(line, 'has a `[` without a `]`', '[')
    throw new ValueError('has a wrong set', { part: line, use: SET_USE })
  }
  const isBackwards = element.match(/\w-\w/g)?.some(([first = '', , end = '']) => first > end)
  if (isBackwards) throw new ValueError('has a backwards range', { part: line, use: SET_USE })
  const set = new RegExp(element)
  return { takes: (one) => set.test(one), isSingle: true }
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
  [/^#\s/, 'is a comment', 'patterns only'],
  [/^\.{0,2}\//, 'starts with a `/` or `.`', 'a path in the repository, for example `src/**`'],
  [
    /(?<!\\)\{[^{},]*,/,
    'has braces',
    "one line for each, because GitHub's patterns have no braces",
  ],
  [/(?<!\\),/, 'has a comma', 'one line for each pattern, and `\\,` for a comma in a name'],
  [
    /^(?:[^\\]|\\.)*\\(?:\w|$)/s,
    'has a `\\` between folders',
    '`/` between folders, and `\\\\` for a backslash in a name',
  ],
]

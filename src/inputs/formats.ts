import { isPrivateTransport } from '../lib/http.ts'
import { parseJson } from '../lib/text.ts'
import { parseDuration } from '../lib/time.ts'

/** How the text of an input is understood. */
export type InputFormat<T> = {
  /** What is accepted, to follow "accepted:"; empty where any text is. */
  readonly accepted: string
  /** Reads a text that is not empty. Throws a `RangeError` with the problem, to follow the input's name. */
  readonly parse: (text: string) => T
  /** The value of an empty text, where that says something of its own; else it means the default. */
  readonly empty: T | undefined
}

function format<T>(accepted: string, parse: (text: string) => T, empty?: T): InputFormat<T> {
  return { accepted, parse, empty }
}

export const TEXT = format('any text', (text) => text, '')

export const LINE_LIST = format<readonly string[]>(
  'paths in the workspace, one per line',
  (text) => splitList(text, /[\r\n]/),
  [],
)

/** `true` or `false` as YAML 1.2's core schema spells them. */
export const BOOLEAN = format<boolean>('true or false', (text) => {
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  throw new RangeError('is neither true nor false')
})

/** A duration, in milliseconds. Without `maxMs`, the longest that a timer can wait. */
export function duration(limits: { minMs?: number; maxMs?: number } = {}): InputFormat<number> {
  const { minMs = 1, maxMs } = limits
  const limit = maxMs === undefined ? ', up to 24 days' : ''
  const accepted = `whole numbers with units, such as 250ms, 45s, 30m, 1h30m or 14d, in lower case and without spaces${limit}`
  return format(accepted, (text) => {
    const ms = parseDuration(text, maxMs)
    if (ms < minMs) throw new RangeError(`is shorter than ${minMs}ms`)
    return ms
  })
}

/** A whole number within limits, both included. */
export function integer(minimum: number, maximum: number): InputFormat<number> {
  return format(`a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = Number(text)
    if (!/^[+-]?\d+$/.test(text)) throw new RangeError('is not a whole number')
    if (value < minimum || value > maximum) throw new RangeError('is out of range')
    return value
  })
}

export function oneOf<const T extends string>(words: readonly T[]): InputFormat<T> {
  return format(words.join(', '), (text) => {
    const word = words.find((candidate) => candidate === text)
    if (word === undefined) throw new RangeError('is unknown')
    return word
  })
}

/** Any of a few words, or `none` alone. */
export function anyOf<const T extends string>(words: readonly T[]): InputFormat<ReadonlySet<T>> {
  const isKnown = (word: string): word is T => words.some((known) => known === word)
  const accepted = `any of ${words.join(', ')}, or none alone (in lower case, separated by commas or line breaks)`
  return format(accepted, (text) => {
    const given = splitList(text)
    const unknown = given.filter((word) => !isKnown(word) && word !== 'none')
    if (unknown.length > 0) throw new RangeError(`has unknown words, ${quote(unknown)}`)
    if (given.length > 1 && given.includes('none'))
      throw new RangeError('combines "none" with other values')
    if (given.length === 0) throw new RangeError('contains no word')
    return new Set(given.filter(isKnown))
  })
}

/** Logins, separated by commas or line breaks; no wildcard, since anyone may register a login that matches. */
export const LOGINS = format<readonly string[]>(
  'logins as GitHub shows them, such as renovate[bot], without @, separated by commas; no wildcard',
  (text) => {
    const logins = splitList(text)
    const invalid = logins.filter(
      (login) => !/^(?!(?:true|false)$)[\w.-]+(?:\[bot\])?$/i.test(login),
    )
    if (invalid.length > 0) throw new RangeError(`contains an invalid login, ${quote(invalid)}`)
    return logins
  },
  [],
)

/** The agent of the docs service. Its work never starts a job, whatever `ignore-authors` lists. */
const MINTLIFY_AUTHOR = 'mintlify[bot]'

/** For what only Mintlify does: `ignore-authors` also lists bots that have nothing to do with docs. */
export const MINTLIFY_ONLY = { 'ignore-authors': [MINTLIFY_AUTHOR] } as const

/** The logins given, and the service's own. */
export const IGNORED_AUTHORS: InputFormat<readonly string[]> = {
  ...LOGINS,
  parse: (text) => [MINTLIFY_AUTHOR, ...LOGINS.parse(text)],
  empty: [MINTLIFY_AUTHOR],
}

/** Labels, separated by commas or line breaks; compared without case. */
export const LABELS = format<readonly string[]>(
  'labels, separated by commas or lines',
  (text) => splitList(text),
  [],
)

/** A text that is refused where it matches one of these, which say what is wrong with it. */
function textWithout(
  accepted: string,
  ...problems: readonly [RegExp, string][]
): InputFormat<string> {
  const parse = (text: string): string => {
    for (const [pattern, problem] of problems) if (pattern.test(text)) throw new RangeError(problem)
    return text
  }
  return format(accepted, parse, '')
}

export const COMMAND_WORD = textWithout(
  'one word, such as /docs, or nothing to turn commands off',
  [/\s/, 'contains white space'],
  [/[|*()^,"']/, 'contains quotes, commas or marks of a pattern'],
)

const QUOTED = /^["'`]|["'`]$/

/** Refuses the name of a variable: `DOCS_API_KEY`, `$DOCS_API_KEY`. */
function nameIn(context: 'secrets' | 'vars'): [RegExp, string] {
  const name = /^\$?\{?[A-Z]+(?:_[A-Z]+)+\}?$/
  return [name, `is a name, not its value: in the workflow, write \`\${{ ${context}.NAME }}\``]
}

/** How the service's own keys begin, quotes aside. Source: the vendor's documentation (November 2026). */
export const MINTLIFY_KEY = /^[\s"'`]*mint_/

const IS_KEY: [RegExp, string] = [
  MINTLIFY_KEY,
  'is an API key (it starts with mint_), which belongs in api-key',
]

/** An id that becomes one segment of a URL's path. */
function idFrom(place: string, ...problems: readonly [RegExp, string][]): InputFormat<string> {
  return textWithout(
    `the id alone, from ${place}`,
    ...problems,
    [/^https?:/i, 'is a URL, not an id'],
    [/^\.\.?$/, 'is not an id'],
    [QUOTED, 'has quotes around it'],
    [/[\s\p{C}]/u, 'contains white space or control characters'],
  )
}

export const JOB_ID = idFrom('the output `job-id` of the step that started the job', IS_KEY)

export const PROJECT_ID = idFrom("the dashboard's API keys page", IS_KEY, nameIn('vars'))

/** An unknown prefix may be right: a server behind another `base-url` has its own. */
export const API_KEY = textWithout(
  "an admin API key (mint_…) from the dashboard's API keys page, alone in its secret (`gh secret set NAME`, or Settings → Secrets and variables → Actions)",
  [/^\s|\s$/, 'has white space around it'],
  [QUOTED, 'has quotes around it'],
  nameIn('secrets'),
  [/^Bearer\s/i, 'starts with "Bearer "'],
  [/^mint_dsc_/, 'is an assistant key (it starts with mint_dsc_)'],
  [/^mint_us_/, 'is a search (index) key (it starts with mint_us_)'],
  [/^(?:gh[opsur]|github_pat)_/, 'is a GitHub token (it starts with gh…_ or github_pat_)'],
  [/[^!-~]/, 'contains white space or characters that no API key has'],
)

export const GITHUB_TOKEN = format(
  `a token of GitHub, such as \`\${{ secrets.DOCS_GITHUB_TOKEN }}\`, or no input at all, for the \`github.token\` of the job`,
  (text) => {
    const [pattern, problem] = IS_KEY
    if (pattern.test(text)) throw new RangeError(problem)
    // The default, where nothing has evaluated it.
    if (text.startsWith('${{')) return ''
    const [isName, problemOfName] = nameIn('secrets')
    if (isName.test(text)) throw new RangeError(problemOfName)
    if (/[^!-~]/.test(text))
      throw new RangeError('contains white space or characters that no token has')
    return text
  },
  '',
)

/** The leg of a matrix, from `toJSON(matrix)`; empty if there is none, or nothing has evaluated the expression. */
export const MATRIX = format(
  `the matrix as JSON, from \`\${{ toJSON(matrix) }}\``,
  (text) => {
    const value = /^\$\{\{.*\}\}$/s.test(text) ? null : parseJson(text)
    // A number is taken as it is written: 3.10 is not 3.1.
    if (typeof value !== 'object') return typeof value === 'string' ? value : text
    const parts = Object.values(value ?? {})
    return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' / ')
  },
  '',
)

/** The address of a server: https, or http to this machine; a path is allowed, nothing else is. */
export const BASE_URL = format(
  'an https URL without credentials, query or fragment; http only for localhost, 127.0.0.0/8 and [::1]',
  (text) => {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new RangeError('is not a URL that starts with https://')
    }
    if (!isPrivateTransport(url)) throw new RangeError('is not encrypted')
    if (url.username !== '' || url.password !== '')
      throw new RangeError('contains a user name or password')
    if (url.search !== '' || /[?#]/.test(text)) throw new RangeError('contains a query or fragment')
    return url
  },
)

function splitList(text: string, separator = /[,\r\n]/): string[] {
  if (/^\[.*[,"'].*\]$|^- /s.test(text))
    throw new RangeError('is a list of YAML or JSON: write its entries alone, one per line')
  return text.split(separator).flatMap((entry) => entry.trim() || [])
}

function quote(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' and ')
}

import picomatch from 'picomatch'
import { isPrivateTransport } from '../lib/http.ts'
import { inBackticks, parseJson } from '../lib/text.ts'
import { parseDuration } from '../lib/time.ts'

/** How the text of an input is read. */
export type InputFormat<T> = {
  /** What to use, to follow "Use": `a whole number from 1 to 366`. */
  readonly use: string
  /** Reads a text that isn't empty. Throws a `RangeError` with the problem, to follow the value: `has no unit`. */
  readonly parse: (text: string) => T
  /** The value of an empty text; `undefined`: then the default. */
  readonly empty: T | undefined
  /** The only words that a value may consist of, if there are such. */
  readonly words?: readonly string[]
}

/** A problem with a part of the value, or with a fix of its own. */
export class ValueError extends RangeError {
  /** The wrong part, if it isn't the whole value. */
  readonly part: string | undefined
  /** Replaces what the format says. */
  readonly use: string | undefined

  constructor(problem: string, { part, use }: { part?: string; use?: string | undefined }) {
    super(problem)
    this.part = part
    this.use = use
  }
}

function format<T>(use: string, parse: (text: string) => T, empty?: T): InputFormat<T> {
  return { use, parse, empty }
}

export const TEXT = format('any text', (text) => text, '')

export const LINE_LIST = format<readonly string[]>(
  'paths in the workspace, one per line',
  (text) => splitList(text, /[\r\n]/),
  [],
)

/** `true` or `false` as YAML 1.2's core schema spells them. */
export const BOOLEAN = format<boolean>('`true` or `false`', (text) => {
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  throw new RangeError("isn't a boolean")
})

/** A duration, in milliseconds. Without `maxMs`, the longest that a timer can wait. With `minMs: 0`, `0s` is one. */
export function duration(
  limits: { minMs?: number; maxMs?: number; use?: string } = {},
): InputFormat<number> {
  const { minMs = 1, maxMs } = limits
  const usual =
    'whole numbers with units, for example `45s`, `30m`, `1h30m`, or `14d`, at most 24 days'
  return format(limits.use ?? usual, (text) => {
    if (/^\d+$/.test(text) && Number(text) > 0)
      throw new ValueError('has no unit', {
        use: limits.use ?? `\`${text}s\` or \`${text}m\`, for example`,
      })
    const ms = minMs === 0 && /^0(?:ms|[smhd])$/.test(text) ? 0 : parseDuration(text, maxMs)
    if (ms < minMs)
      throw new ValueError(`is shorter than \`${minMs}ms\``, { use: `at least \`${minMs}ms\`` })
    return ms
  })
}

/** A whole number within limits, both included. */
export function integer(minimum: number, maximum: number): InputFormat<number> {
  return format(`a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = Number(text)
    if (!/^[+-]?\d+$/.test(text)) throw new RangeError("isn't a whole number")
    if (value < minimum || value > maximum) throw new RangeError('is out of range')
    return value
  })
}

export function oneOf<const T extends string>(words: readonly T[]): InputFormat<T> {
  const parse = (text: string): T => {
    const word = words.find((candidate) => candidate === text)
    if (word === undefined) throw new RangeError("isn't a known value")
    return word
  }
  return { ...format(alternatives(words), parse), words }
}

/** Any of a few words, or `none` alone. */
export function anyOf(words: readonly string[]): InputFormat<ReadonlySet<string>> {
  const parse = (text: string): ReadonlySet<string> => {
    const given = splitList(text)
    const unknown = given.find((word) => ![...words, 'none'].includes(word))
    if (unknown !== undefined) throw new ValueError("isn't a known value", { part: unknown })
    if (given.length > 1 && given.includes('none'))
      throw new RangeError('combines `none` with other values')
    if (given.length === 0) throw new RangeError('contains no value')
    return new Set(given.filter((word) => word !== 'none'))
  }
  return { ...format(`${alternatives(words)}, separated by commas, or \`none\``, parse), words }
}

function alternatives(words: readonly string[]): string {
  const [last = '', ...others] = words.map(inBackticks).reverse()
  const comma = others.length > 1 ? ',' : ''
  return others.length === 0 ? last : `${others.reverse().join(', ')}${comma} or ${last}`
}

/** Entries that match a pattern, separated by commas or line breaks. */
function listMatching(
  use: string,
  pattern: RegExp,
  problem: string,
): InputFormat<readonly string[]> {
  const parse = (text: string): readonly string[] => {
    const entries = splitList(text)
    const part = entries.find((entry) => !pattern.test(entry))
    if (part !== undefined) throw new ValueError(problem, { part })
    return entries
  }
  return format(use, parse, [])
}

/** There are no wildcards, because anyone could register a login that matches. */
export const LOGINS = listMatching(
  'logins as GitHub shows them, for example `renovate[bot]`, without `@` and wildcards, separated by commas',
  /^(?!(?:true|false)$)[a-z\d][\w-]{0,38}(?:\[bot\])?$/i,
  "isn't a login",
)

/** In `pr-reviewers`: the people whose changes the docs pull request is about. */
export const SOURCE_AUTHORS = 'source-authors'

export const REVIEWERS = listMatching(
  'logins, teams (`org/team`), and `source-authors`, without `@`, separated by commas',
  /^(?!(?:true|false)$)[a-z\d][\w-]{0,38}(?:\/\w[\w-]{0,99}|\[bot\])?$/i,
  "isn't a login or a team",
)

/** Mintlify's agent. Its work never starts a job, whatever `ignore-authors` lists. */
export const AGENT = 'mintlify[bot]'

/** The given logins, and Mintlify's own. */
export const IGNORED_AUTHORS: InputFormat<readonly string[]> = {
  ...LOGINS,
  parse: (text) => [AGENT, ...LOGINS.parse(text)],
  empty: [AGENT],
}

/** Labels, separated by commas or line breaks; compared without case. */
export const LABELS = format<readonly string[]>(
  'labels, separated by commas or lines',
  (text) => splitList(text),
  [],
)

/**
 * Globs, one per line; the last one that matches decides. `undefined`: none are given.
 *
 * @returns whether a path is inside; one that is too long to be judged is
 */
export const PATHS = format<((path: string) => boolean) | undefined>(
  'globs, one per line, for example `src/**` and `!src/internal/**`',
  (text) => {
    const rules = splitList(text, /[\r\n]/).map((line) => {
      const isExcluded = line.startsWith('!')
      const glob = line
        .replace(/^!/, '')
        .replace(/^\.?\/|\/$/g, '')
        .replace(/[()|]/g, '\\$&')
        // `src/**.ts`, as GitHub's own filters have it.
        .replace(/\*\*(?=[^/,}])/g, '**/*')
      if (glob === '') throw new ValueError("isn't a glob", { part: line })
      // A name without wildcards is a file or a folder.
      const globs = /[*?{]/.test(glob) ? glob : [glob, `${glob}/**`]
      const options = {
        dot: true,
        nobracket: true,
        noextglob: true,
        nonegate: true,
        windows: false,
      }
      return { isExcluded, matches: picomatch(globs, options) }
    })
    const isAllExcluded = rules.every(({ isExcluded }) => isExcluded)
    return (path) => {
      if (path.length > MAX_PATH) return true
      const last = rules.findLast(({ matches }) => matches(path))
      return last ? !last.isExcluded : isAllExcluded
    }
  },
)
const MAX_PATH = 1000

/** A pattern of wrong values, the problem, and what to use if it differs from the format's own words. */
type WrongText = readonly [pattern: RegExp, problem: string, use?: string]

/** Rejects a text that matches one of the patterns. */
function textWithout(use: string, ...problems: readonly WrongText[]): InputFormat<string> {
  const parse = (text: string): string => {
    for (const [pattern, problem, ownUse] of problems)
      if (pattern.test(text)) throw new ValueError(problem, { use: ownUse })
    return text
  }
  return format(use, parse, '')
}

export const COMMAND_WORD = textWithout(
  'one word, for example `/docs`, or an empty value to turn commands off',
  [/\s/, 'contains white space'],
  [/[|*()^,"']/, 'contains quotes, commas, or pattern characters'],
)

const QUOTED: [RegExp, string] = [/^["'`]|["'`]$/, 'is in quotes']

/** The prefix of Mintlify's own keys, after quotes. Source: Mintlify's documentation (November 2026). */
export const MINTLIFY_KEY = /^[\s"'`]*mint_/

const IS_KEY: [RegExp, string] = [MINTLIFY_KEY, 'is a Mintlify API key (`mint_…`)']

/** Source: GitHub's documentation, "GitHub's token formats". */
export const GITHUB_TOKEN_FORM = /^[\s"'`]*(?:gh[opsur]|github_pat)_\w{16}/

const GITHUB_TOKEN_PROBLEM = 'is a GitHub token (by its prefix)'
const IS_GITHUB_TOKEN: [RegExp, string] = [GITHUB_TOKEN_FORM, GITHUB_TOKEN_PROBLEM]

/** An ID that becomes one segment of a URL's path. */
function idFrom(place: string, ...problems: readonly WrongText[]): InputFormat<string> {
  return textWithout(
    `only the ID, from ${place}`,
    ...problems,
    [/^https?:/i, 'is a URL'],
    [/^\.\.?$/, "isn't an ID"],
    QUOTED,
    [/[\s\p{C}]/u, 'contains white space or control characters'],
  )
}

export const JOB_ID = idFrom(
  'the output `job-id` of the step that started the job',
  IS_KEY,
  IS_GITHUB_TOKEN,
)

export const PROJECT_ID = idFrom(
  'the API keys page of the Mintlify dashboard',
  IS_KEY,
  IS_GITHUB_TOKEN,
)

/** An unknown prefix may be right, because a server behind another `base-url` has its own. */
export const API_KEY = textWithout(
  'an admin key (`mint_…`) from the API keys page of the Mintlify dashboard: run `gh secret set DOCS_API_KEY` and paste only the key',
  QUOTED,
  [/^Bearer\s/i, 'starts with `Bearer `'],
  [/^[A-Z_]+=/, 'starts with the name of a variable'],
  [/^mint_dsc_/, 'is an assistant key (`mint_dsc_…`)'],
  [/^mint_us_/, 'is a search key (`mint_us_…`)'],
  [/^(?:gh[opsur]|github_pat)_/, GITHUB_TOKEN_PROBLEM],
  [/\s/, 'contains white space'],
  [/[^!-~]/, 'contains characters that no API key has'],
)

const TOKEN = textWithout('', IS_KEY, [/[^!-~]/, 'contains characters that no token has'])

export const GITHUB_TOKEN: InputFormat<string> = {
  ...TOKEN,
  use: `a GitHub token, for example \`\${{ secrets.DOCS_GITHUB_TOKEN }}\`, or remove the input to use \`github.token\``,
  // The default, if GitHub didn't evaluate it.
  parse: (text) => (text.startsWith('${{') ? '' : TOKEN.parse(text)),
}

/** The values of a matrix job, from `toJSON(matrix)`; empty if there is no matrix, or GitHub didn't evaluate it. */
export const MATRIX = format(
  `the matrix as JSON, from \`\${{ toJSON(matrix) }}\``,
  (text) => {
    const value = /^\$\{\{.*\}\}$/s.test(text) ? null : parseJson(text)
    // A number is used as it is written: 3.10 isn't 3.1.
    if (typeof value !== 'object') return typeof value === 'string' ? value : text
    const parts = Object.values(value ?? {})
    return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' / ')
  },
  '',
)

/** The address of a server: https, or http to this machine; it may have a path. */
export const BASE_URL = format(
  'an `https://` URL without credentials, query, or fragment',
  (text) => {
    const url = URL.parse(text)
    const rest = text.replace(/^http:\/\//i, '')
    const isAddress = /^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(rest)
    const use = isAddress ? `\`https://${rest}\`` : undefined
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new ValueError("isn't an `https://` URL", { use })
    if (!isPrivateTransport(url)) throw new ValueError("isn't encrypted (`http://`)", { use })
    if (url.username !== '' || url.password !== '')
      throw new RangeError('contains a user name or password')
    if (url.search !== '' || /[?#]/.test(text)) throw new RangeError('contains a query or fragment')
    return url
  },
)

function splitList(text: string, separator = /[,\r\n]/): string[] {
  return text.split(separator).flatMap((entry) => entry.trim() || [])
}

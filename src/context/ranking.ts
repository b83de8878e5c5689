import { clipBytes, oneLine } from '../lib/text.ts'

/** A changed file, as GitHub lists it. */
export type ChangedFile = {
  /** `added`, `modified`, `removed`, `renamed`, … */
  readonly status: string
  readonly path: string
  /** Where it was before it was renamed or copied; else the same as `path`. */
  readonly oldPath: string
  /** Numbers of lines. */
  readonly added: number
  readonly removed: number
  /** Its hunks; empty if none are known, `undefined` if GitHub shows none: binary, empty or too large. */
  readonly patch: string | undefined
}

/**
 * How much readers of documentation would notice of a file, in the order in which files are shown.
 * `background` has little room, `named` is never more than named.
 */
export const RANKS = ['readers', 'source', 'background', 'named'] as const
export type Rank = (typeof RANKS)[number]

/** Longer lines and paths are not judged: nobody writes them. */
const MAX_JUDGED_LENGTH = 1000

const LANGUAGE =
  '(?:ar|bn|ca|cs|da|de|el|es|fa|fi|fr|he|hi|hu|id|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sv|th|tr|uk|vi|zh)(?:[-_][a-z]{2,4})?'

/** What is never more than named, by kind. */
const NAMED: Readonly<Record<string, RegExp>> = {
  // Package managers write them.
  'lock file':
    /(?:^|\/)(?:npm-shrinkwrap\.json|go(?:\.work)?\.sum|gradle\.lockfile|Package\.resolved|[\w.-]*[.-]lock(?:b|\.(?:json|ya?ml|hcl))?)$/i,
  // Their source says the same.
  'minified, compiled or vendored':
    /[.-]min\.(?:[cm]?js|css)$|\.bundle\.js$|\.(?:map|wasm|svg)$|(?:^|\/)(?:dist|node_modules|vendor|third_party)\//,
  // Generators and test runners write them.
  generated:
    /(?:^|\/)(?:generated|__generated__|(?:__)?snapshots(?:__)?)\/|(?:^|\/)zz_generated|\.(?:pb\.go|pb\.cc|pb\.h|g\.dart|freezed\.dart|designer\.cs|snap)$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:js|d\.ts)$|[._-](?:generated|gen)\.\w+$/i,
  // Their diff is one of a diff, or of JSON with pictures in it.
  'patch or notebook': /\.(?:patch|diff|ipynb)$/i,
}

const BACKGROUND: readonly RegExp[] = [
  // Tests, and what they work on. (A page on testing is none.)
  /^(?!(?:[^/]+\/){0,2}docs?\/)(?:.*\/)?(?:(?:tests?|__tests__|__mocks__|__e2e__|e2e|specs?|fixtures?|testdata|testing|test[-_]?(?:utils|helpers|kit)|integration|playgrounds?|mocks?|bench(?:es|marks?)?)\/.*|(?:test_[^/]*|conftest)\.py|[^/]*[._-](?:test|spec|bench)s?(?:-d)?\.\w+|[^/]*_test\.\w+|[^/]*Tests?\.(?:java|kt|cs|swift))$/i,
  // Translations: texts in any language but English; the original is documented.
  /(?:^|\/)(?:locales?|i18n|langs?|translations?|l10n)\/(?!(?:.*[/.])?en\b)(?:.*\/)?[^/]+\.(?:json|ya?ml|properties|toml|mdx?|ftl|strings)$|\.(?:po|pot|arb|xlf)$/i,
  // Translations, told by the code of a language.
  new RegExp(
    `(?:^|/)${LANGUAGE}/.*\\.(?:mdx?|rst|adoc|json|ya?ml)$|[/._-]${LANGUAGE}\\.(?:mdx?|rst|json|ya?ml|properties)$|(?:^|/)(?:locales?|i18n|langs?)/(?:.*/)?${LANGUAGE}\\.\\w+$`,
    'i',
  ),
  // Continuous integration, tools and guides of developers, licenses.
  /(?:^|\/)\.(?:github|gitlab|circleci|buildkite|vscode|idea|husky|devcontainer|claude|codex|cursor|gemini|agents)\/|(?:^|\/)\.[\w.-]*(?:rc|ignore|attributes)(?:\.\w+)?$|(?:^|\/)(?:renovate|tsconfig[\w.-]*|biome|turbo|nx|lerna)\.jsonc?$|(?:^|\/)(?:eslint|vitest|jest|prettier|playwright|knip|rollup)[\w.-]*\.config\.\w+$|(?:^|\/)(?:AGENTS|CLAUDE|CODEOWNERS|CONTRIBUTING|LICEN[CS]E|NOTICE)(?:[.-]\w+)*$|\.gitlab-ci\.yml$/,
]

const READERS: readonly RegExp[] = [
  // Documentation and changelogs: what has been said of the change, and how.
  /\.(?:mdx?|rst|adoc)$|(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY|NEWS|README|UPGRADING|MIGRATION)[\w.-]*$|(?:^|\/)\.changeset\//i,
  // API descriptions and schemas: references are made from them.
  /(?:openapi|swagger|asyncapi)[\w./-]*\.(?:ya?ml|json)$|\.(?:graphqls?|gql|proto|avsc|d\.ts|pyi)$|schema\.(?:json|ya?ml|ts|py|go|rs|prisma)$|(?:^|\/)schemas?\//i,
  // Command lines: commands, arguments, flags.
  /(?:^|\/)(?:cli|cmd|commands?|bin)\/|(?:^|[/._-])(?:cli|commands?|args?|arguments|flags?|main)\.\w+$/i,
  // Configuration and options: keys, defaults, environment variables.
  /(?:^|\/)(?:config|configuration|settings|options)\/|(?:^|[/._-])(?:config(?:uration)?s?|settings?|options?|props|defaults?|constants?|env(?:ironment)?|params?|preferences)\.\w+$|(?:^|\/)(?:values|action)\.ya?ml$|\.(?:sample|example)$/i,
  // What others call: entry points, public types, routes, errors.
  /(?:^|[/._-])(?:index|exports?|types?|api|public|mod|lib|__init__|routes?|router|handlers?|errors?|hooks?)\.\w+$|(?:^|\/)(?:api|public|routes?)\//i,
]

const PAGE = /\.(?:mdx?|rst|adoc)$/i
const NO_PAGE: readonly RegExp[] = [
  /(?:^|\/)(?:\.[^/]+\/|(?:CHANGELOG|CHANGES|HISTORY|AGENTS|CLAUDE|CONTRIBUTING)\b)/i,
  /(?:^|\/)(?:tests?|__tests__|e2e|fixtures?|playgrounds?|examples?)\/(?:.*\/)?README\b[^/]*$/i,
]

/** How a header of generated code begins, after the marks of a comment. */
const GENERATED =
  /^\W*(?:@generated\b|generated code - do not modify|(?:(?:this|the|all) )?(?:(?:code|file|client|sdk|module|types?|source) )?(?:(?:is|was|were|has been) )?(?:auto(?:matically)?[- ]?)?generated(?: (?:by|using|with|from|code|file)\b|\W*$|\W+do not\b))/i

/** Average length of a line from which on a file counts as minified. */
const MINIFIED_LINE_LENGTH = 500

/** @returns `kind`: why a file is only named: its path, its first lines, or lines that nobody could write */
export function rankOf({ path, patch = '' }: ChangedFile): {
  readonly rank: Rank
  readonly kind?: string
} {
  if (path.length > MAX_JUDGED_LENGTH) return { rank: 'source' }
  const fits = (pattern: RegExp): boolean => pattern.test(path)
  const [byPath] = Object.entries(NAMED).find(([, pattern]) => fits(pattern)) ?? []
  const isMinified = patch.length / patch.split('\n').length >= MINIFIED_LINE_LENGTH
  const byLines = isMinified ? 'taken for minified' : undefined
  const kind = byPath ?? (isGenerated(path, patch) ? 'generated' : byLines)
  if (kind !== undefined) return { rank: 'named', kind }
  if (BACKGROUND.some(fits)) return { rank: 'background' }
  return { rank: READERS.some(fits) ? 'readers' : 'source' }
}

/** Whether one of a file's first 10 lines is the header of generated code; of a page, in a comment alone. */
function isGenerated(path: string, patch: string): boolean {
  if (!/^@@ -\S+ \+[01](?!\d)/.test(patch)) return false
  // What a generator writes stands there in a text.
  const lines = patch.split('\n', 11).slice(1)
  const inText = lines.findIndex((line) => /`|=\s*["'(]/.test(line.slice(0, MAX_JUDGED_LENGTH)))
  return lines.slice(0, inText < 0 ? undefined : inText + 1).some((line) => {
    const isJudged = line.length <= MAX_JUDGED_LENGTH && (!PAGE.test(path) || line.includes('<!--'))
    return isJudged && GENERATED.test(line)
  })
}

/** Whether a page of documentation was changed, in whatever language. */
export function isPage({ path }: ChangedFile): boolean {
  return (
    path.length <= MAX_JUDGED_LENGTH &&
    PAGE.test(path) &&
    !NO_PAGE.some((pattern) => pattern.test(path))
  )
}

const WORD = /(?<![\p{L}\p{N}_$\\-])(?:--)?[\p{L}_$][\p{L}\p{N}_$]*(?:-[\p{L}\p{N}_$]+)*/gu
const MIN_NAME_LENGTH = 3
const MAX_NAME_LENGTH = 60

/**
 * What the names in a line weigh: how likely they then stand in documentation, measured on real changes. `text`: in
 * quotes or a comment.
 */
const WEIGHTS = { flag: 20, text: 16, backticks: 8, key: 8, use: 3, plain: 1 }
/** Readers look for what they can use now before what they could use. */
const REMOVED_FACTOR = 0.3
/** A name is told by a test only where no other file has it. Whole numbers: then equal sums are equal. */
const RANK_FACTORS = { readers: 1500, source: 1000, background: 10, named: 0 }

/** The names in a changed line of a diff, each with its weight. */
export function namesIn(line: string, rank: Rank): (readonly [name: string, weight: number])[] {
  if (!/^[+-]/.test(line) || line.length > MAX_JUDGED_LENGTH) return []
  const text = line.slice(1)
  const factor = RANK_FACTORS[rank] * (line.startsWith('-') ? REMOVED_FACTOR : 1)
  return [...text.matchAll(WORD)].flatMap(({ 0: name, index }) => {
    if (name.length < MIN_NAME_LENGTH || name.length > MAX_NAME_LENGTH) return []
    const weight = weightOf(name, text.slice(0, index), text.slice(index + name.length))
    return weight > 0 ? [[name, weight * factor] as const] : []
  })
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#|<!--|"""|--\s)/

/** Judges a name by its form, and by what stands before and after it in its line. */
function weightOf(name: string, before: string, after: string): number {
  if (name.startsWith('--')) return WEIGHTS.flag
  const isQuoted = /["'`]$/.test(before) && /^["'`,:=\s]/.test(after)
  const isKey = /^\s*[{,(|]?\s*$/.test(before) && /^["']?\??\s*[:=](?!=)/.test(after)
  const isCompound = /[a-z0-9][A-Z]|[\w$]_[\w$]/.test(name)
  if (!isCompound) {
    if (before.endsWith('`') && after.startsWith('`')) return WEIGHTS.backticks
    return isQuoted || isKey ? WEIGHTS.plain : 0
  }
  if (isQuoted || COMMENT.test(before)) return WEIGHTS.text
  return isKey ? WEIGHTS.key : WEIGHTS.use
}

const MAX_PATH_BYTES = 300

/** What happened to a file: `renamed src/a.ts to src/b.ts (+3 -1)`. */
export function describeFile(
  { status, path, oldPath, added, removed, patch }: ChangedFile,
  kind = '',
): string {
  const [from, to] = [oldPath, path].map((one) => clipBytes(oneLine(one), MAX_PATH_BYTES))
  const where = path === oldPath ? to : `${from} to ${to}`
  const why = patch === undefined ? ' (GitHub shows no diff)' : kind && ` (${kind}: only named)`
  return `${status} ${where}${lineCounts(added, removed)}${why}`
}

/** ` (+3 -1)`; empty for none. */
export function lineCounts(added: number, removed: number): string {
  return added + removed === 0 ? '' : ` (+${added} -${removed})`
}

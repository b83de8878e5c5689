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
  /** Its hunks; empty if there are none, `undefined` if GitHub shows none: binary, empty or too large. */
  readonly patch: string | undefined
}

/**
 * How much readers of documentation would notice of a file, in the order in which files are shown. `readers` counts
 * twice, `source` once; `background` comes after them; `named` is never more than named.
 */
export const RANKS = ['readers', 'source', 'background', 'named'] as const
export type Rank = (typeof RANKS)[number]

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

const MAX_PATH_BYTES = 300
/** Average length of a line from which on a file counts as minified. */
const MINIFIED_LINE_LENGTH = 500

export function rankOf(file: ChangedFile): Rank {
  const fits = (pattern: RegExp): boolean => pattern.test(file.path)
  if (kindOfNamed(file) !== undefined) return 'named'
  if (BACKGROUND.some(fits)) return 'background'
  return READERS.some(fits) ? 'readers' : 'source'
}

/** Why a file is only named: its path, its first 10 lines, or lines that nobody could write. `undefined` if it is not. */
export function kindOfNamed({ path, patch = '' }: ChangedFile): string | undefined {
  const byPath = Object.entries(NAMED).find(([, pattern]) => pattern.test(path))
  if (byPath !== undefined) return byPath[0]
  const [, firstLines = ''] = /^@@ -\S+ \+[01](?!\d)\S* @@.*\n((?:.*\n?){0,10})/.exec(patch) ?? []
  if (GENERATED.test(firstLines)) return 'generated'
  const isMinified = patch.length / patch.split('\n').length >= MINIFIED_LINE_LENGTH
  return isMinified ? 'taken for minified' : undefined
}

const GENERATED =
  /@generated\b|\b(?:code|file|client|sdk|module|types?) (?:(?:is|was|were|has been) )?(?:auto[- ]?)?generated\b|\bauto[- ]?generated (?:by|from|file|code)\b|\bgenerated by\b.*\bdo not edit\b/i

/** What happened to a file: `renamed src/a.ts to src/b.ts (+3 -1)`. */
export function describeFile(file: ChangedFile): string {
  const { status, path, oldPath, added, removed, patch } = file
  const where = path === oldPath ? shortPath(path) : `${shortPath(oldPath)} to ${shortPath(path)}`
  const kind = patch ? kindOfNamed(file) : undefined
  const without = patch === undefined ? ' (GitHub shows no diff)' : kind && ` (${kind}: only named)`
  return `${status} ${where}${lineCounts(added, removed)}${without ?? ''}`
}

/** ` (+3 -1)`; empty for none. */
export function lineCounts(added: number, removed: number): string {
  return added + removed === 0 ? '' : ` (+${added} -${removed})`
}

export function shortPath(path: string): string {
  return clipBytes(oneLine(path), MAX_PATH_BYTES)
}

const NO_PAGE: readonly RegExp[] = [
  /(?:^|\/)(?:\.[^/]+\/|(?:CHANGELOG|CHANGES|HISTORY|AGENTS|CLAUDE|CONTRIBUTING)\b)/i,
  /(?:^|\/)(?:tests?|__tests__|e2e|fixtures?|playgrounds?|examples?)\/(?:.*\/)?README\b[^/]*$/i,
]

/** Whether a page of documentation was changed, in whatever language. */
export function isPage({ path }: ChangedFile): boolean {
  return /\.(?:mdx?|rst|adoc)$/i.test(path) && !NO_PAGE.some((pattern) => pattern.test(path))
}

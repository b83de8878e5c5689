/** A changed file, as GitHub lists it or as it was found in the commits. */
export type ChangedFile = {
  /** `added`, `modified`, `removed`, `renamed`, … */
  readonly status: string
  readonly path: string
  /** The path before it was renamed or copied; otherwise the same as `path`. */
  readonly oldPath: string
  /** Numbers of lines; `undefined` if they are unknown. */
  readonly added: number | undefined
  readonly removed: number | undefined
  /** Its hunks; `undefined` if they are unknown because the file is binary or too large, or wasn't read. */
  readonly patch: string | undefined
  /** Whether the file begins as generated code does, if all of it was read. */
  readonly isGenerated?: boolean
}

/**
 * How likely readers of documentation are to notice a change in a file, in the order in which files are shown.
 * `background` files get little room; of `named` files, only the name is shown.
 */
export const RANKS = ['readers', 'source', 'background', 'named'] as const
export type Rank = (typeof RANKS)[number]

/** Longer lines and paths are not judged: people don't write them. */
export const MAX_JUDGED_LENGTH = 1000

/** A file with its rank. `kind`: why it is only named. */
export type RankedFile = {
  readonly file: ChangedFile
  readonly rank: Rank
  readonly kind?: string
}

/** Judges the files of one change. */
export function rankFiles(files: readonly ChangedFile[]): RankedFile[] {
  const translations = findTranslations(files)
  return files.map((file) => ({ file, ...rankOf(file, translations.has(file.path)) }))
}

/**
 * Judges a file by its path, its first lines, and the length of its lines.
 *
 * @returns `kind`: why a file is only named
 */
export function rankOf(file: ChangedFile, isTranslation = false): Omit<RankedFile, 'file'> {
  const { path, patch = '' } = file
  if (path.length > MAX_JUDGED_LENGTH) return { rank: 'source' }
  const fits = (pattern: RegExp): boolean => pattern.test(path)
  const isForReaders = isPage(file) || API_DESCRIPTION.test(path)
  const [byPath] = isForReaders
    ? []
    : (Object.entries(NAMED).find(([, pattern]) => fits(pattern)) ?? [])
  const isMinified = patch.length / patch.split('\n').length >= MINIFIED_LINE_LENGTH
  const byLines = isMinified ? 'taken for minified' : undefined
  const kind = byPath ?? (file.isGenerated || isGenerated(path, patch) ? 'generated' : byLines)
  if (kind !== undefined) return { rank: 'named', kind }
  if (isTranslation || (!isForReaders && (BACKGROUND.some(fits) || isLocalized(path))))
    return { rank: 'background' }
  return { rank: isForReaders || READERS.some(fits) ? 'readers' : 'source' }
}

/** Whether a whole text is generated code by its first lines. */
export function isGeneratedText(path: string, text: string): boolean {
  return isGenerated(path, `@@ -0,0 +1 @@\n${text}`.replaceAll('\n', '\n+'))
}

/** Whether one of a file's first lines is the header of generated code; of a page, in a comment alone. */
function isGenerated(path: string, patch: string): boolean {
  if (!/^@@ -[\d,]{1,20} \+[01](?!\d)/.test(patch)) return false
  const lines = patch.split('\n', MAX_HEADER_LINES.certainly + 1).slice(1)
  // A generator contains the header of its output in a text.
  const inText = lines.findIndex((line) =>
    /^(?!.\s*(?:\/\/|\/?\*|#)).*(?:(?:[=(,:]|\breturn)\s*["'`]|=\s*\()/.test(
      line.slice(0, MAX_JUDGED_LENGTH),
    ),
  )
  return lines.slice(0, inText < 0 ? undefined : inText + 1).some((line, index) => {
    const isJudged =
      line.length <= MAX_JUDGED_LENGTH && (!PAGE_PATH.test(path) || line.includes('<!--'))
    const isFirst = index < MAX_HEADER_LINES.generated
    return isJudged && ((isFirst && GENERATED.test(line)) || CERTAINLY_GENERATED.test(line))
  })
}

/** Whether a page of documentation was changed, in whatever language. */
export function isPage({ path }: ChangedFile): boolean {
  return (
    path.length <= MAX_JUDGED_LENGTH &&
    PAGE_PATH.test(path) &&
    !NO_PAGE.some((pattern) => pattern.test(path))
  )
}

const LANGUAGE =
  '(?:ar|bn|ca|cs|da|de|el|es|fa|fi|fr|he|hi|hu|id|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sv|th|tr|uk|vi|zh)(?:[-_][a-z]{2,4})?'

/** Files that are only named, by kind. A folder is listed only if its name always has this meaning. */
const NAMED: Readonly<Record<string, RegExp>> = {
  // Package managers write them.
  'lock file':
    /(?:^|\/)(?:npm-shrinkwrap\.json|go(?:\.work)?\.sum|gradle\.lockfile|Package\.resolved|[\w.-]*[.-]lock(?:b|\.(?:json|ya?ml|hcl))?)$/i,
  // Their source is shown instead.
  'minified, compiled or vendored':
    /[.-]min\.(?:[cm]?js|css)$|\.bundle\.js$|\.(?:map|wasm|svg)$|(?:^|\/)node_modules\/|^(?=.*\.(?:[cm]?js|css)$)(?:.*\/)?dist\/|^(?:vendor|third_party)\//,
  // Generators and test runners write them.
  generated:
    /(?:^|[/_-])generated(?:__)?\/|(?:^|\/)__snapshots__\/|(?:^|\/)zz_generated|\.(?:pb\.go|pb\.cc|pb\.h|g\.dart|freezed\.dart|designer\.cs|snap)$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:js|d\.ts)$|[._-](?:generated|gen)\.\w+$/i,
  // Their diff would be a diff of a diff, or of JSON that contains pictures.
  'patch or notebook': /\.(?:patch|diff|ipynb)$/i,
}

/** Continuous integration, developers' tools and guides, licenses. */
const TOOLING =
  /(?:^|\/)\.(?:github|gitlab|circleci|buildkite|vscode|idea|husky|devcontainer|claude|codex|cursor|gemini|agents)\/|(?:^|\/)\.[\w.-]*(?:rc|ignore|attributes)(?:\.\w+)?$|(?:^|\/)(?:renovate|tsconfig[\w.-]*|biome|turbo|nx|lerna)\.jsonc?$|(?:^|\/)(?:eslint|vitest|jest|prettier|playwright|knip|rollup)[\w.-]*\.config\.\w+$|(?:^|\/)(?:AGENTS|CLAUDE|CODEOWNERS|CONTRIBUTING|LICEN[CS]E|NOTICE)(?:[.-]\w+)*$|\.gitlab-ci\.yml$/

const BACKGROUND: readonly RegExp[] = [
  TOOLING,
  // Folders of tests, and of their data; some only at the top, as they have another meaning below it.
  /^(?!docs?\/)(?:.*\/)?(?:tests?|__tests__|__mocks__|__e2e__|e2e|fixtures?|testdata|testing|test[-_]?(?:utils|helpers|kit)|playgrounds?|mocks?|bench(?:es|marks?)?)\/|^(?:(?:packages|apps|gems|crates)\/[^/]+\/)?(?:specs?|integration)\//i,
  // Files of tests.
  /(?:^|\/)(?:test_[^/]*|conftest)\.py$|[._-](?:test|spec|bench)s?(?:-d)?\.\w+$|_test\.\w+$|Tests?\.(?:java|kt|cs|swift)$/i,
  // Texts in another language than English: the original is documented.
  /\.(?:po|pot|arb|xlf)$/i,
  new RegExp(`[/._-]${LANGUAGE}\\.(?:json|ya?ml|properties)$`, 'i'),
]

const LOCALES_FOLDER = /(?:^|\/)(?:locales?|i18n|langs?|translations?|l10n)\//i
const IN_LANGUAGE = new RegExp(`(?:^|/)${LANGUAGE}(?:/|\\.\\w+$)`, 'i')

/** Whether a file is in the folder of a language, below one that holds languages. */
function isLocalized(path: string): boolean {
  const { index = -1, 0: folder = '' } = LOCALES_FOLDER.exec(path) ?? {}
  return index >= 0 && /\.\w+$/.test(path) && IN_LANGUAGE.test(path.slice(index + folder.length))
}

/** API descriptions, from which references are made. */
const API_DESCRIPTION =
  /(?:^|[^\w.-])(?=[\w.-]*\.(?:ya?ml|json)$)[\w.-]*(?:openapi|swagger|asyncapi)|^(?:[^/]+\/)*specs?\/[^/]*\.(?:ya?ml|json)$|\.(?:graphqls|proto|avsc)$|(?:^|\/)schema\.(?:graphql|gql)$/i

const READERS: readonly RegExp[] = [
  // Documentation and changelogs: earlier texts about the change.
  /\.(?:mdx?|rst|adoc)$|(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY|NEWS|README|UPGRADING|MIGRATION)[\w.-]*$|(?:^|\/)\.changeset\//i,
  // Schemas, types, and further parts of API descriptions.
  /^(?=.*\.(?:ya?ml|json)$).*(?:openapi|swagger|asyncapi)\/|\.(?:graphql|gql|d\.ts|pyi)$|schema\.(?:json|ya?ml|ts|py|go|rs|prisma)$|(?:^|\/)schemas?\//i,
  // Command lines: commands, arguments, flags.
  /(?:^|\/)(?:cli|cmd|commands?|bin)\/|(?:^|[/._-])(?:cli|commands?|args?|arguments|flags?|main)\.\w+$/i,
  // Configuration and options: keys, defaults, environment variables.
  /(?:^|\/)(?:config|configuration|settings|options)\/|(?:^|[/._-])(?:config(?:uration)?s?|settings?|options?|props|defaults?|constants?|env(?:ironment)?|params?|preferences)\.\w+$|(?:^|\/)(?:values|action)\.ya?ml$|\.(?:sample|example)$/i,
  // The interface for other code: entry points, public types, routes, errors.
  /(?:^|[/._-])(?:index|exports?|types?|api|public|mod|lib|__init__|routes?|router|handlers?|errors?|hooks?)\.\w+$|(?:^|\/)(?:api|public|routes?)\//i,
]

const PAGE_PATH = /\.(?:mdx?|rst|adoc)$/i
const NO_PAGE: readonly RegExp[] = [
  /(?:^|\/)(?:\.[^/]+\/|(?:CHANGELOG|CHANGES|HISTORY|AGENTS|CLAUDE|CONTRIBUTING|LICEN[CS]E|NOTICE)\b)/i,
  /^(?=(?:.*\/)?README\b[^/]*$)(?:.*\/)?(?:tests?|__tests__|testdata|testing|e2e|fixtures?|integration|bench(?:es|marks?)?|playgrounds?|examples?)\//i,
]

/** How a header of generated code begins, after the marks of a comment. Bounds keep a line of marks from being tried again and again. */
const GENERATED_WARNING =
  '(?:(?:warning|note|notice|attention|caution|important)\\W{1,20})?(?:(?:please )?do not (?:edit|modify)\\b[^.!:;,-]{0,40}\\W{1,20})?'
const GENERATED_SUBJECT =
  '(?:(?:this|the|all|it) )?(?:is (?:an? )?)?(?:(?:code|file|class|client|content|form|model|module|package|sdk|source|types?) )?(?:(?:is|was|were|has been) (?:an? )?)?'
const GENERATED_VERB = '(?:auto(?:matically)?[- ]?)?@?generated'
const GENERATED_END =
  '(?: (?:by|using|with|from|via swagger|code|file|class)\\b|\\W*$|\\W{1,20}do not\\b)'
const GENERATED = new RegExp(
  `^\\W{0,100}(?:@generated\\b|smithy-\\w{1,40} generated code|${GENERATED_WARNING}${GENERATED_SUBJECT}${GENERATED_VERB}${GENERATED_END})`,
  'i',
)
/** A header that can also follow a license or a long description. Handwritten code has no such header. */
const CERTAINLY_GENERATED =
  /^[^"'`=(]*\bgenerated\b.{0,100}\bdo not (?:edit|modify)\b|^[^"'`=(]*\bgenerated by (?:the )?(?:openapi|swagger)\b/i
const MAX_HEADER_LINES = { generated: 10, certainly: 40 }

/** Average length of a line from which on a file is treated as minified. */
const MINIFIED_LINE_LENGTH = 500

/** Finds translations: pages that were also changed in another language. A folder such as `it/` alone need not be one. */
function findTranslations(files: readonly ChangedFile[]): ReadonlySet<string> {
  const judged = files.flatMap(({ path }) => (path.length > MAX_JUDGED_LENGTH ? [] : path))
  const pages = Map.groupBy(judged, (path) => path.replace(LANGUAGE_IN_PATH, ''))
  const translated = [...pages].flatMap(([page, paths]) =>
    paths.length < 2 ? [] : paths.filter((path) => path !== page && !IN_ENGLISH.test(path)),
  )
  return new Set(translated)
}

/** Where a path names a language: a folder, or the end of the file's name. */
const LANGUAGE_IN_PATH = new RegExp(
  `(?<=^|/)(?:(?:i18n|l10n|locales?|translations?)/)?(?:en(?:[-_][a-z]{2,4})?|${LANGUAGE})/|[._-]${LANGUAGE}(?=\\.\\w+$)`,
  'gi',
)
const IN_ENGLISH = /(?:^|\/)en(?:[-_][a-z]{2,4})?\//i

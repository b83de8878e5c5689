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
 * How much readers of documentation would notice of a file. `readers` counts twice, `source` once; `background` comes
 * after them; `named` is never more than named.
 */
export type Rank = 'readers' | 'source' | 'background' | 'named'

/** In the order in which they are shown. */
export const RANKS: readonly Rank[] = ['readers', 'source', 'background', 'named']

type Rule = { readonly rank: Rank; readonly reason: string; readonly path: RegExp }

const LANGUAGE =
  '(?:ar|bn|ca|cs|da|de|el|es|fa|fi|fr|he|hi|hu|id|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sv|th|tr|uk|vi|zh)(?:[-_][a-z]{2,4})?'

/** The first rule that fits a path counts. */
const RULES: readonly Rule[] = [
  {
    rank: 'named',
    reason: 'Lock files: package managers write them.',
    path: /(?:^|\/)(?:npm-shrinkwrap\.json|go(?:\.work)?\.sum|gradle\.lockfile|Package\.resolved|[\w.-]*[.-]lock(?:b|\.(?:json|ya?ml|hcl))?)$/i,
  },
  {
    rank: 'named',
    reason: 'Minified, compiled and vendored files: their source says the same.',
    path: /[.-]min\.(?:[cm]?js|css)$|\.bundle\.js$|\.(?:map|wasm|svg)$|(?:^|\/)(?:dist|node_modules|vendor|third_party)\//,
  },
  {
    rank: 'named',
    reason: 'Files that generators and test runners write.',
    path: /(?:^|\/)(?:generated|__generated__|(?:__)?snapshots(?:__)?)\/|(?:^|\/)zz_generated|\.(?:pb\.go|pb\.cc|pb\.h|g\.dart|freezed\.dart|designer\.cs|snap)$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:js|d\.ts)$|[._-](?:generated|gen)\.\w+$/i,
  },
  {
    rank: 'background',
    reason: 'Tests, and what they work on. (A page on testing is none.)',
    path: /^(?!(?:[^/]+\/){0,2}docs?\/)(?:.*\/)?(?:(?:tests?|__tests__|__mocks__|__e2e__|e2e|specs?|fixtures?|testdata|testing|test[-_]?(?:utils|helpers|kit)|integration|playgrounds?|mocks?|bench(?:es|marks?)?)\/.*|(?:test_[^/]*|conftest)\.py|[^/]*[._-](?:test|spec|bench)s?(?:-d)?\.\w+|[^/]*_test\.\w+|[^/]*Tests?\.(?:java|kt|cs|swift))$/i,
  },
  {
    rank: 'background',
    reason: 'Translations: texts in any language but English; the original is documented.',
    path: /(?:^|\/)(?:locales?|i18n|langs?|translations?|l10n)\/(?!(?:.*[/.])?en\b)(?:.*\/)?[^/]+\.(?:json|ya?ml|properties|toml|mdx?|ftl|strings)$|\.(?:po|pot|arb|xlf)$/i,
  },
  {
    rank: 'background',
    reason: 'Translations, told by the code of a language.',
    path: new RegExp(
      `(?:^|/)${LANGUAGE}/.*\\.(?:mdx?|rst|adoc|json|ya?ml)$|[/._-]${LANGUAGE}\\.(?:mdx?|rst|json|ya?ml|properties)$|(?:^|/)(?:locales?|i18n|langs?)/(?:.*/)?${LANGUAGE}\\.\\w+$`,
      'i',
    ),
  },
  {
    rank: 'background',
    reason: 'Continuous integration, tools and guides of developers, licenses.',
    path: /(?:^|\/)\.(?:github|gitlab|circleci|buildkite|vscode|idea|husky|devcontainer|claude|cursor|agents)\/|(?:^|\/)\.[\w.-]*(?:rc|ignore|attributes)(?:\.\w+)?$|(?:^|\/)(?:renovate|tsconfig[\w.-]*|biome|turbo|nx|lerna)\.jsonc?$|(?:^|\/)(?:eslint|vitest|jest|prettier|playwright|knip|rollup)[\w.-]*\.config\.\w+$|(?:^|\/)(?:AGENTS|CLAUDE|CODEOWNERS|CONTRIBUTING|LICEN[CS]E|NOTICE)(?:[.-]\w+)*$|\.gitlab-ci\.yml$/,
  },
  {
    rank: 'readers',
    reason: 'Documentation and changelogs: what has been said of the change, and how.',
    path: /\.(?:mdx?|rst|adoc)$|(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY|NEWS|README|UPGRADING|MIGRATION)[\w.-]*$|(?:^|\/)\.changeset\//i,
  },
  {
    rank: 'readers',
    reason: 'API descriptions and schemas: references are made from them.',
    path: /(?:openapi|swagger|asyncapi)[\w./-]*\.(?:ya?ml|json)$|\.(?:graphqls?|gql|proto|avsc|d\.ts|pyi)$|schema\.(?:json|ya?ml|ts|py|go|rs|prisma)$|(?:^|\/)schemas?\//i,
  },
  {
    rank: 'readers',
    reason: 'Command lines: commands, arguments, flags.',
    path: /(?:^|\/)(?:cli|cmd|commands?|bin)\/|(?:^|[/._-])(?:cli|commands?|args?|arguments|flags?|main)\.\w+$/i,
  },
  {
    rank: 'readers',
    reason: 'Configuration and options: keys, defaults, environment variables.',
    path: /(?:^|\/)(?:config|configuration|settings|options)\/|(?:^|[/._-])(?:config(?:uration)?s?|settings?|options?|props|defaults?|constants?|env(?:ironment)?|params?|preferences)\.\w+$|(?:^|\/)(?:values|action)\.ya?ml$|\.(?:sample|example)$/i,
  },
  {
    rank: 'readers',
    reason: 'What others call: entry points, public types, routes, errors.',
    path: /(?:^|[/._-])(?:index|exports?|types?|api|public|mod|lib|__init__|routes?|router|handlers?|errors?|hooks?)\.\w+$|(?:^|\/)(?:api|public|routes?)\//i,
  },
]

/** Average length of a line from which on a file counts as minified. */
const MINIFIED_LINE_LENGTH = 500

export function rankOf({ path, patch = '' }: ChangedFile): Rank {
  if (isGenerated(patch)) return 'named'
  return RULES.find((rule) => rule.path.test(path))?.rank ?? 'source'
}

/** Whether a page of documentation was changed, in whatever language. */
export function isPage({ path }: ChangedFile): boolean {
  return (
    /\.(?:mdx?|rst|adoc)$/i.test(path) &&
    !/(?:^|\/)(?:\.[^/]+\/|(?:CHANGELOG|CHANGES|HISTORY|AGENTS|CLAUDE|CONTRIBUTING)\b)/i.test(path)
  )
}

/** Whether a file says that no person writes it, or has lines that nobody could write. */
function isGenerated(patch: string): boolean {
  const lines = patch.split('\n')
  if (patch.length / lines.length >= MINIFIED_LINE_LENGTH) return true
  return /@generated\b|\bcode generated\b.*\bdo not edit\b/i.test(lines.slice(0, 10).join('\n'))
}

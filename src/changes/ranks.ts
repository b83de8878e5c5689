/** A changed file, as GitHub lists it or as git shows it. */
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
  /** SHA of its new contents, if it is known. */
  readonly blob?: string
}

/**
 * How likely readers of documentation are to notice a change in a file, in the order in which files are shown.
 * `background` files get little room; of `named` files, only the name is shown.
 */
export const RANKS = ['readers', 'source', 'background', 'named'] as const
export type Rank = (typeof RANKS)[number]

/** A file with its rank. */
export type RankedFile = {
  readonly file: ChangedFile
  readonly rank: Rank
  /** As the table names it; empty for other source. */
  readonly kind: string
  readonly needsDocs: boolean
}

/** Judges the files of one change. */
export function rankFiles(files: readonly ChangedFile[]): RankedFile[] {
  const kindOf = readKinds()
  const ranked = files.map((file): RankedFile => {
    const { path, oldPath, patch = '' } = file
    const { kind, rank, needsDocs = false } = kindOf(path)
    const known = { file, kind, rank, needsDocs: needsDocs || kindOf(oldPath).needsDocs === true }
    const start = patch.slice(0, MAX_START)
    if (kind !== DOCUMENTATION && kind !== CHANGELOGS && isGenerated(start))
      return { file, kind: 'generated files', rank: 'named', needsDocs: false }
    // It may be data that people maintain.
    const isLong = start.length / start.split('\n').length >= LONG_LINES
    return isLong ? { ...known, kind: needsDocs ? 'long lines' : kind, rank: 'named' } : known
  })
  const pages = ranked.filter(({ kind }) => kind === DOCUMENTATION)
  const translations = findTranslations(pages.map(({ file }) => file.path))
  return ranked.map((one) =>
    translations.has(one.file.path) ? { ...one, kind: 'translations', rank: 'background' } : one,
  )
}

/** Why none of some files needs docs. */
type NoDocs = {
  /** As the table names them; none if there are no files. */
  readonly kinds: readonly string[]
  /** Paths of the first files. */
  readonly names: readonly string[]
}

const MAX_NAMES = 3

/** Returns why none of the files of a change needs docs; `undefined` if one does. */
export function whyNoDocs(files: readonly ChangedFile[]): NoDocs | undefined {
  const ranked = rankFiles(files)
  if (ranked.some(({ needsDocs }) => needsDocs)) return undefined
  const kinds = [...new Set(ranked.map(({ kind }) => kind))]
  return { kinds, names: files.slice(0, MAX_NAMES).map(({ path }) => path) }
}

/** Files of one kind. The first kind that has the name of a file decides its rank, and whether a change to it needs docs. */
type Kind = {
  /** As a notice or the prompt names it. */
  readonly kind: string
  /** Why it has its rank, for contributors. */
  readonly why: string
  readonly rank: Rank
  readonly needsDocs?: true
  /**
   * Names as in `.gitignore`: `tests/` is a folder, `/vendor/` one at the top, `*.lock` a file; `{a,b}` is one of two,
   * `**` includes slashes. A name without capitals is found in any letter case. `<docs>`, `<tests>`, … are below.
   */
  readonly names: string
  /** Names of files that are of another kind all the same. */
  readonly except?: string
}

const DOCUMENTATION = 'documentation'
const CHANGELOGS = 'changelogs'
const DATA_OF_TESTS = '<tests>/**fixtures/ <tests>/**snapshots/ __fixtures__/ testdata/'

/** Add names to the kind that they belong to. A folder is listed if its name has one meaning in every repository. */
const KINDS: readonly Kind[] = [
  {
    kind: 'API descriptions',
    why: 'References are made from them, wherever they are.',
    rank: 'readers',
    needsDocs: true,
    names: `*{openapi,swagger,asyncapi}*.{yml,yaml,json} /{spec,specs}/*.{yml,yaml,json}
      *.{graphqls,proto,avsc} schema.{graphql,gql}`,
  },
  {
    kind: CHANGELOGS,
    why: 'They are earlier texts about a change that is in the code.',
    rank: 'readers',
    names: `{changelog,release*notes}{,*.{md,markdown,rst,txt}} {changes,history,news}{,.{md,markdown,rst,txt}}
      {.changeset,.changes,changelog,changelogs,changelog.d,changes,newsfragments,release*notes}/**.{md,markdown,rst,txt}`,
  },
  {
    kind: DOCUMENTATION,
    why: 'A person who edits a page needs no agent for it.',
    rank: 'readers',
    names: `*.{mdx,rst,adoc} {docs,mint}.json {readme,upgrading,migrat}{,*.{md,markdown,txt,rdoc}}
      *llms{,-full}.txt <docs>/**.{md,markdown,txt}`,
    except: DATA_OF_TESTS,
  },
  {
    kind: DOCUMENTATION,
    why: 'Pictures and notebooks in a docs folder: their diffs say little.',
    rank: 'named',
    names: '<docs>/**.{png,jpg,jpeg,gif,webp,avif,svg,ico,mp4,webm,pdf,drawio,excalidraw,ipynb}',
  },
  {
    kind: 'notebooks',
    why: 'They may be source, but their diffs contain pictures.',
    rank: 'named',
    needsDocs: true,
    names: '*.ipynb',
  },
  {
    kind: 'community files',
    why: 'They are for contributors.',
    rank: 'background',
    names: `{adopters,authors,code*of*conduct,codeowners,contributing,contributors,governance,maintainers}{,.*md,.txt}
      {security,support}.*md {LICENSE,LICENCE,COPYING,NOTICE}{,-*,.*} license{,.md,.txt} citation.cff owners funding.json`,
  },
  {
    kind: 'translations',
    why: 'The original is documented. The code of a language counts where languages are kept.',
    rank: 'background',
    names: `*.{po,pot,xlf,xliff} *<language>.{arb,resx} <language>.lproj/ values-<language>/ <languages>/<language>.*
      <languages>/**<language>{,/**}.{json,json5,yml,yaml,toml,properties,php,ftl,strings,html,txt,md,resx}
      {messages,strings,translations}{.,_,-}<language>.{json,yml,yaml,properties,php}`,
  },
  {
    kind: 'lock files',
    why: 'Package managers write them.',
    rank: 'named',
    names: `npm-shrinkwrap.json go.sum go.work.sum gradle.lockfile package.resolved *{.,-}lock{,b}
      *{.,-}lock.{json,yml,yaml,hcl} verification-metadata.xml`,
  },
  {
    kind: 'minified or vendored files',
    why: 'Their source is shown instead, here or elsewhere.',
    rank: 'named',
    names: `*{.,-}min.{js,cjs,mjs,css} *.bundle.js *.{map,wasm,svg} dist/**.{js,cjs,mjs,css} node_modules/
      /vendor/ /third_party/ *.{patch,diff}`,
  },
  {
    kind: 'generated files',
    why: 'Generators and test runners write them.',
    rank: 'named',
    names: `{,auto,auto-,*_}generated/ __generated__/ __snapshots__/ zz_generated* *.gen.* *{.,_}generated.* *_pb.{js,d.ts}
      *.{pb.go,pb.cc,pb.h,g.dart,freezed.dart,designer.cs,snap} *_pb2{,_grpc}.{py,pyi}`,
  },
  {
    kind: 'tests',
    why: 'People write them about code. A library for tests is source: packages/testing, django/test.',
    rank: 'background',
    names: `${DATA_OF_TESTS} {tests,__tests__,__mocks__,benches,benchmarks}/ /{test,e2e,fixtures,bench,benchmark}/
      <packages>/*/{test,e2e,fixtures}/ src/{test*,*Test,jmh}/{java,kotlin,groovy,scala,resources}/
      {acceptance,e2e,functional,integration,runtime,smoke,system,unit}{-,_}{test,tests}/ *.{Test,*Tests}/ spec/**.rb
      *.{test,tests,spec,specs,bench,test-d}.* *_{test,tests}.* *_spec.{rb,js,ts} test_*.py conftest.py tests.{py,rs}`,
  },
  {
    kind: 'CI',
    why: 'It builds and checks the code.',
    rank: 'background',
    names: `.{github,gitlab*,circleci,buildkite,semaphore,woodpecker,tekton}/ .{gitlab-ci,travis,drone,cirrus}*.yml
      {,.}{codecov,coveralls,appveyor}.y*ml azure-pipelines*.yml bitbucket-pipelines.yml cloudbuild*.y*ml jenkinsfile*
      sonar-project.properties`,
  },
  {
    kind: 'tooling',
    why: 'Developers and their assistants use it: hidden files, and the files of linters, formatters, bots, and release tools.',
    rank: 'background',
    names: `.*/ .* {AGENTS,CLAUDE,GEMINI,COPILOT,WARP,CONVENTIONS}.md renovate.json* release-please-config.json
      {biome,turbo,nx,lerna,typedoc,cspell,knip,dprint,pyrightconfig}.json{,c} {tsconfig,jsconfig}*.json
      {eslint,prettier,stylelint,commitlint,lint-staged,knip,oxlint}*.config.* commitlint* dangerfile*
      {vitest,jest,playwright,cypress,karma,wdio}.{,*.}{conf,config,setup,workspace}.* pnpm-workspace.yaml
      {clippy,cliff,deny,dist-workspace,lychee,mise,release-plz,ruff,rust-toolchain,rustfmt,taplo,typos,_typos}.toml
      {tox,pytest,mypy}.ini noxfile.py pylintrc {checkstyle,spotbugs,pmd,phpunit}*.xml* {phpstan,psalm,detekt}*.{neon,xml,yml}
      {mkdocs,lefthook,crowdin,antora,buf,buf.*,catalog-info,verdaccio}.y*ml {docusaurus.config,sidebars}.* book.toml
      gradlew{,.bat} mvnw{,.cmd} gradle/wrapper/ justfile brewfile`,
    // Settings for users, and what a project offers to the tools of others.
    except: '.env* .well-known/ .pre-commit-hooks.yaml .*-plugin/',
  },
  {
    kind: 'schemas and types',
    why: 'Readers use them as references.',
    rank: 'readers',
    needsDocs: true,
    names: `*{openapi,swagger,asyncapi}/**.{yml,yaml,json} *.{graphql,gql,d.ts,pyi}
      *schema.{json,yml,yaml,ts,py,go,rs,prisma} {schema,schemas}/`,
  },
  {
    kind: 'command lines',
    why: 'Readers type commands, arguments, and flags.',
    rank: 'readers',
    needsDocs: true,
    names: `{cli,cmd,command,commands,bin}/
      <word>{cli,command,commands,arg,args,arguments,flag,flags,main}.*`,
  },
  {
    kind: 'configuration',
    why: 'Readers set keys, options, and environment variables.',
    rank: 'readers',
    needsDocs: true,
    names: `{config,configuration,settings,options}/ {values,action}.{yml,yaml} *.{sample,example} .env*
      <word>{config,configs,configuration,setting,settings,option,options,props,default,defaults}.*
      <word>{constant,constants,env,environment,param,params,preferences}.*`,
  },
  {
    kind: 'interfaces',
    why: 'The code of readers calls them: entry points, public types, routes, errors.',
    rank: 'readers',
    needsDocs: true,
    names: `{api,public,route,routes}/ <word>{index,export,exports,type,types,api,public,mod,lib,__init__}.*
      <word>{route,routes,router,handler,handlers,error,errors,hook,hooks}.*`,
  },
]

/** Of a path, in characters. */
const MAX_JUDGED_PATH = 200
const OTHER_SOURCE = { kind: '', rank: 'source', needsDocs: true } as const

/** Codes of languages that documentation is translated into. */
const IN_EUROPE =
  'bg|ca|cs|da|de|el|es|et|eu|fi|fr|gl|hr|hu|is|it|lt|lv|mk|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk'
const ELSEWHERE = 'ar|bn|fa|he|hi|hy|id|ja|ka|ko|ms|ta|te|th|ur|uz|vi|zh'

/** What stands for a part of a name, as patterns. */
const PARTS: Readonly<Record<string, string>> = {
  '<docs>':
    '(?:docs?|documentation|guides?|manual|book|wiki|website|content|[^/]*-docs|docs-[^/]*)',
  '<packages>': '(?:apps|crates|gems|integrations|libs|modules|packages|plugins|projects|services)',
  '<tests>': '(?:tests?|testing|e2e|spec|__tests__)',
  '<languages>': '(?:_?locales?|i18n|l10n|intl|langs?|languages?|translations?)',
  '<language>': `(?<![a-z\\d])(?:${IN_EUROPE}|${ELSEWHERE})(?:[-_](?:[a-z]{2,4}|\\d{3}))?`,
  '<word>': '(?:[^/]*[._-])?',
  '**': '.*',
  '*': '[^/]*',
  '.': '\\.',
  '{': '(?:',
  ',': '|',
  '}': ')',
}

/** Makes one pattern of names. */
function toPattern(names: string): RegExp {
  const patterns = names.split(/\s+/).map((name) => {
    const body = name
      .replace(/^\//, '')
      .replace(/<\w+>|\*\*|[*.{},]/g, (part) => PARTS[part] ?? part)
    const pattern = `${name.startsWith('/') ? '^' : '(?:^|/)'}${body}${name.endsWith('/') ? '' : '$'}`
    return /[A-Z]/.test(name) ? pattern : `(?i:${pattern})`
  })
  return new RegExp(patterns.join('|'))
}

/** Makes the function that finds the kind of a path. */
function readKinds(): (path: string) => Pick<Kind, 'kind' | 'rank' | 'needsDocs'> {
  const kinds = KINDS.map((kind) => {
    return { kind, names: toPattern(kind.names), except: toPattern(kind.except ?? '') }
  })
  return (path) => {
    const judgedPath = path.slice(0, MAX_JUDGED_PATH)
    const isOne = ({ names, except }: (typeof kinds)[number]): boolean =>
      names.test(judgedPath) && !except.test(judgedPath)
    return kinds.find(isOne)?.kind ?? OTHER_SOURCE
  }
}

/** Finds translations: pages that were also changed in another language. A folder such as `it/` alone need not be one. */
function findTranslations(paths: readonly string[]): ReadonlySet<string> {
  const { '<languages>': places, '<language>': language } = PARTS
  const inPath = new RegExp(
    `(?<=^|/)(?:${places}/)?(?:en(?:[-_][a-z]{2,4})?|${language})/|[._-]${language}(?=\\.\\w+$)`,
    'gi',
  )
  const pages = Map.groupBy(paths, (path) => path.replace(inPath, ''))
  const translated = [...pages].flatMap(([page, same]) =>
    same.length < 2 ? [] : same.filter((path) => path !== page && !IN_ENGLISH.test(path)),
  )
  return new Set(translated)
}

const IN_ENGLISH = /(?:^|\/)en(?:[-_][a-z]{2,4})?\//i

/** How much of a diff is judged, in characters. */
const MAX_START = 16 * 1024
/** Average length of a line from which on a file is only named: it may be minified, or data. */
const LONG_LINES = 500

/** Whether one of a file's first lines is the header of generated code. */
function isGenerated(start: string): boolean {
  if (!/^@@ -[\d,]{1,20} \+[01](?!\d)/.test(start)) return false
  const lines = start.split('\n', MAX_HEADER_LINES.certainly + 1).slice(1)
  // A generator contains the header of its output in a text.
  const judgedLines = lines.map((line) => line.slice(0, MAX_HEADER_LENGTH))
  const inText = judgedLines.findIndex((line) => STARTS_TEXT.test(line))
  return judgedLines
    .slice(0, inText < 0 ? undefined : inText + 1)
    .some((line, index) =>
      (index < MAX_HEADER_LINES.generated ? GENERATED : CERTAINLY_GENERATED).test(line),
    )
}

const STARTS_TEXT = /^(?!.\s*(?:\/\/|\/?\*|#)).*(?:(?:[=(,:]|\breturn)\s*["'`]|=\s*\()/
/** A header that can also follow a license or a long description. Handwritten code has no such header. */
const CERTAINLY_GENERATED =
  /^[^"'`=(]*\bgenerated\b.{0,100}\bdo not (?:edit|modify)\b|^[^"'`=(]*\bgenerated by (?:the )?(?:openapi|swagger)\b/i
/** How a header of generated code begins, after the marks of a comment. Bounds keep a line of marks from being tried again and again. */
const GENERATED_WARNING =
  '(?:(?:warning|note|notice|attention|caution|important)\\W{1,20})?(?:(?:please )?do not (?:edit|modify)\\b[^.!:;,-]{0,40}\\W{1,20})?'
const GENERATED_SUBJECT =
  '(?:(?:this|the|all|it) )?(?:is (?:an? )?)?(?:(?:code|file|class|client|content|form|model|module|package|sdk|source|types?) )?(?:(?:is|was|were|has been) (?:an? )?)?'
const GENERATED_VERB = '(?:auto(?:matically)?[- ]?)?@?generated'
const GENERATED_END =
  '(?: (?:by|using|with|from|via swagger|code|file|class)\\b|\\W*$|\\W{1,20}do not\\b)'
const GENERATED = new RegExp(
  `${CERTAINLY_GENERATED.source}|^\\W{0,100}(?:@generated\\b|smithy-\\w{1,40} generated code|${GENERATED_WARNING}${GENERATED_SUBJECT}${GENERATED_VERB}${GENERATED_END})`,
  'i',
)
const MAX_HEADER_LENGTH = 200
const MAX_HEADER_LINES = { generated: 10, certainly: 40 }

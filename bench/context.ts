import { spawnSync } from 'node:child_process'
import { readOptions, refuse } from '../scripts/options.ts'
import type { ChangedFile } from '../src/changes/ranks.ts'
import { writeBlock } from '../src/prompt/block.ts'

const USAGE = `Measures how much of a change a prompt contains, on changes of people who changed code and documentation together.

  node bench/context.ts <git directory>:<folder of its documentation>[,<folder>] …

All diffs of a change are known, as git shows them.

shown of 100    of the identifiers that the documentation then used for the first time, those in the prompt with the rest of
                the change, if that does not fit: 1 for a line of the diff or a message, ½ for a bare name
noise of 100    bytes that show tests, lock and generated files, and translations, of those that show any file, in prompts
                that are full`

const MAX_COMMITS = 1500
/** Changes of each kind: at most so many, of three times as many that are looked at. */
const SAMPLE = 12
/** A change of more does not fit into a prompt. */
const MAX_PROMPT_BYTES = 128 * 1024

const NOISE =
  /(?:^|\/)(?:tests?|__tests__|__e2e__|e2e|spec|fixtures?|testdata|__snapshots__|testing|integration)\/|[._-](?:test|spec)s?\.|_test\.\w+$|(?:^|\/)test_\w+\.py$|\.snap$|(?:^|[/_-])generated(?:__)?\/|(?:\.pb\.go|_pb2\.py)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|go\.sum|[\w.-]+\.lock)$/
const TRANSLATION =
  /(?:^|\/)(?:locales?|i18n|translations?|messages)\/|\.po$|(?:^|\/)(?!en)[a-z]{2}(?:-[a-z]{2,4})?\/.*\.mdx?$/i
/** What quotes the documentation: that it has a word says nothing of the code. */
const QUOTES = /\.(?:patch|diff)$|(?:^|\/)\.changeset\//
/** Words that only code has: `--flag`, `camelCase`, `snake_case`, `CONSTANT`. */
const IDENTIFIER =
  /(?<![\w-])(?:--[a-z][a-z0-9-]+|[A-Za-z_$][\w$]*(?:_[\w$]+|[a-z0-9][A-Z][\w$]*)|[A-Z][A-Z0-9_]{3,})(?![\w-])/g

/** A repository whose people changed code and documentation together. Pages are Markdown files below these folders. */
type History = { readonly gitDirectory: string; readonly docs: readonly string[] }

/** Of one change. `facts`: identifiers that its documentation used for the first time. `bytes`, `noise`: of a full prompt. */
type Figures = Readonly<Record<'codeBytes' | 'facts' | 'shown' | 'bytes' | 'noise', number>>

/** Measures pushes, weeks and releases in which pages and other files were changed, at even distances, newest first. */
async function measureAll(history: History): Promise<Figures[]> {
  const log = git(history, 'log', '--first-parent', `-${MAX_COMMITS}`, '--format=%H %ct').split(
    '\n',
  )
  const mainline = log.map((line) => {
    const [sha = '', seconds = ''] = line.split(' ')
    return { sha, week: Math.floor(Number(seconds) / (7 * 24 * 3600)) }
  })
  const weekEnds = mainline.filter(
    ({ week }, index) => index > 0 && mainline[index - 1]?.week !== week,
  )
  const kinds = [
    mainline.slice(0, -1).map(({ sha }) => `${sha}^..${sha}`),
    weekEnds.slice(1).map(({ sha }, index) => `${sha}..${weekEnds[index]?.sha}`),
    releaseRanges(history, new Set(mainline.map(({ sha }) => sha))),
  ]
  const all: Figures[] = []
  for (const ranges of kinds) {
    const both = ranges.filter((range) => {
      const paths = git(history, 'diff', '--name-only', range).split('\n')
      return new Set(paths.map((path) => isPage(path, history))).size === 2
    })
    const step = Math.max(1, both.length / (SAMPLE * 3))
    const looked = both.filter(
      (_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
    )
    const found: Figures[] = []
    for (const range of looked) {
      const figures = found.length < SAMPLE ? await measure(range, history) : undefined
      if (figures !== undefined) found.push(figures)
    }
    all.push(...found)
  }
  return all
}

/** From each tag to the next one with the same prefix. */
function releaseRanges(history: History, mainline: ReadonlySet<string>): string[] {
  const format = '--format=%(refname:short) %(objectname) %(*objectname)'
  const next = new Map<string, string>()
  const tags = git(history, 'for-each-ref', '--sort=-creatordate', format, 'refs/tags').split('\n')
  return tags.flatMap((line) => {
    const [tag = '', object = '', commit = ''] = line.trim().split(' ')
    const [, prefix] = /^(.*?)v?\d+\.\d+\.\d+$/.exec(tag) ?? []
    const sha = commit || object
    if (!mainline.has(sha) || prefix === undefined) return []
    const head = next.get(prefix)
    next.set(prefix, sha)
    return head === undefined ? [] : [`${sha}..${head}`]
  })
}

/** `undefined` if nothing can be learned from the change. */
async function measure(range: string, history: History): Promise<Figures | undefined> {
  const files = readFiles(git(history, 'diff', '--no-ext-diff', '-M', range))
  const isCode = ({ path }: ChangedFile): boolean => !isPage(path, history)
  const pages = files.filter((file) => !isCode(file))
  const changed = identifiersIn(
    linesOf(
      files.filter((file) => isCode(file) && !QUOTES.test(file.path)),
      /^[+-]/,
    ),
  )
  const [base = ''] = range.split('..')
  const known = identifiersIn(git(history, 'grep', '-hI', '-e', '.', base, '--', ...history.docs))
  const used = [...identifiersIn(linesOf(pages, /^\+/))]
  // Documentation that was new or moved as a whole says nothing of what a change brought.
  const facts = known.size === 0 ? [] : used.filter((name) => !known.has(name) && changed.has(name))
  if (facts.length === 0) return undefined
  const [, ...messages] = git(history, 'log', '-250', '--reverse', '--format=%x00%B', range).split(
    '\0',
  )
  const code = files.filter(isCode)
  const codeBytes = code.reduce((sum, { patch = '' }) => sum + Buffer.byteLength(patch), 0)
  const shown = countShown(facts, promptOf(code, messages))
  const noise = measureNoise(files, promptOf(files, messages))
  return { codeBytes, facts: facts.length, shown, ...noise }
}

const HEADER = /^(?:added|modified|removed|renamed|copied|changed) (?:\S+ to )?(\S+?)(?::? |$)/

/** A name in a line of a diff or message counts 1, one in a header or a list of names ½. */
function countShown(facts: readonly string[], text: string): number {
  const isBare = (line: string): boolean => HEADER.test(line) || line.startsWith('… (')
  const { bare = [], whole = [] } = Object.groupBy(text.split('\n'), (line) =>
    isBare(line) ? 'bare' : 'whole',
  )
  const has = (lines: readonly string[], name: string): boolean =>
    new RegExp(`(?<![\\w-])${name.replace(/[.$]/g, '\\$&')}(?![\\w-])`).test(lines.join('\n'))
  return facts.reduce((sum, name) => sum + (has(whole, name) ? 1 : has(bare, name) ? 0.5 : 0), 0)
}

function measureNoise(
  files: readonly ChangedFile[],
  text: string,
): Pick<Figures, 'bytes' | 'noise'> {
  const isMinor = (path: string): boolean => NOISE.test(path) || TRANSLATION.test(path)
  const isFull = Buffer.byteLength(text) > 0.9 * MAX_PROMPT_BYTES
  if (!isFull || files.every(({ path }) => isMinor(path))) return { bytes: 0, noise: 0 }
  const [, shown = ''] = text.split(/^Changed files.*\n/m)
  let isNoise = false
  const noise = shown.split('\n').filter((line) => {
    const [, path] = HEADER.exec(line) ?? []
    if (path !== undefined) isNoise = isMinor(path)
    return isNoise
  })
  return { bytes: Buffer.byteLength(shown), noise: Buffer.byteLength(noise.join('\n')) }
}

function promptOf(files: readonly ChangedFile[], messages: readonly string[]): string {
  const commits = messages.map((message) => ({ sha: '0'.repeat(40), message, pulls: [] }))
  const changes = {
    since: '',
    url: '',
    commits,
    commitCount: commits.length,
    files,
    fileCount: files.length,
    isArbitrary: false,
    isWhole: true,
    isRewritten: false,
  }
  const options = { kind: 'run', detail: 'diff', promptBytes: 200, 'skip-labels': [] } as const
  return writeBlock({ facts: [], changes }, options).text
}

/** The files of git's own diff, as GitHub lists them. */
function readFiles(diff: string): ChangedFile[] {
  const [, ...texts] = diff.split(/^diff --git /m)
  return texts.map((text) => {
    const [head = ''] = text.split(/^@@ /m, 1)
    const find = (pattern: RegExp): string | undefined => pattern.exec(head)?.[1]
    const path =
      find(/^(?:\+\+\+ b\/|rename to )(.+?)\t?$/m) ??
      find(/^--- a\/(.+?)\t?$/m) ??
      find(/ b\/(.+)$/m) ??
      ''
    const oldPath = find(/^rename from (.+)$/m) ?? path
    const made = /^new file/m.test(head)
      ? 'added'
      : /^deleted file/m.test(head)
        ? 'removed'
        : 'modified'
    const status = oldPath === path ? made : 'renamed'
    const hunks = text.slice(head.length).trimEnd()
    const count = (sign: string): number =>
      hunks.split('\n').filter((line) => line.startsWith(sign)).length
    const patch = hunks === '' && status !== 'renamed' ? undefined : hunks
    return { status, path, oldPath, added: count('+'), removed: count('-'), patch }
  })
}

function isPage(path: string, { docs }: History): boolean {
  const isBelow = docs.some((folder) => path.startsWith(folder))
  return isBelow && /\.(?:mdx?|rst)$/.test(path) && !TRANSLATION.test(path)
}

function linesOf(files: readonly ChangedFile[], pattern: RegExp): string {
  return files
    .flatMap(({ patch = '' }) => patch.split('\n').filter((line) => pattern.test(line)))
    .join('\n')
}

function identifiersIn(text: string): Set<string> {
  return new Set([
    ...(text.match(IDENTIFIER) ?? []),
    ...(text.match(/(?<=`)[a-z][\w.-]{2,39}(?=`)/g) ?? []),
  ])
}

function git({ gitDirectory }: History, ...words: string[]): string {
  return readWhole(gitDirectory, words).trimEnd()
}

function readWhole(gitDirectory: string, words: readonly string[]): string {
  const all = ['-C', gitDirectory, '-c', 'core.quotePath=false', ...words]
  const { status, stdout, stderr } = spawnSync('git', all, { encoding: 'utf8', maxBuffer: 2 ** 30 })
  // `git grep` ends with 1 where it finds nothing.
  if (status !== 0 && status !== 1)
    refuse(`Failed to read ${gitDirectory}: ${stderr.trim()}`, USAGE)
  return stdout
}

function rowOf(repository: string, figures: readonly Figures[]) {
  const large = figures.filter(({ codeBytes }) => codeBytes > MAX_PROMPT_BYTES)
  const sum = (of: readonly Figures[], key: keyof Figures) =>
    of.reduce((total, one) => total + one[key], 0)
  const percent = (share: number) => (Number.isNaN(share) ? '' : Math.round(share * 1000) / 10)
  return {
    repository,
    'changes that do not fit': large.length,
    identifiers: sum(large, 'facts'),
    'shown of 100': percent(sum(large, 'shown') / sum(large, 'facts')),
    'noise of 100': percent(sum(figures, 'noise') / sum(figures, 'bytes')),
  }
}

const { positionals } = readOptions(USAGE, { allowPositionals: true })
if (positionals.length === 0) refuse('Name a repository.', USAGE)
const all: Figures[] = []
const rows: ReturnType<typeof rowOf>[] = []
for (const word of positionals) {
  const [gitDirectory = '', folders = ''] = word.split(':')
  const figures = await measureAll({ gitDirectory, docs: folders.split(',') })
  all.push(...figures)
  rows.push(rowOf(gitDirectory, figures))
}
const total = rowOf('all', all)
if (total.identifiers === 0)
  refuse('No change is too large to fit, so there is nothing to measure.', USAGE)
console.table([...rows, total])

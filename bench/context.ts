import { spawnSync } from 'node:child_process'
import { readOptions, refuse } from '../scripts/options.ts'
import type { ChangedFile } from '../src/context/ranking.ts'
import { MAX_BYTES, renderContext } from '../src/context/render.ts'

const USAGE = `Measures how much of a change the agent is told, on changes of people who changed code and documentation together.

  node bench/context.ts <git directory>:<folder of its documentation>[,<folder>] …

told of 100     of the identifiers that the documentation then used for the first time, those that the agent is told
                that is shown the rest of the change, where that does not fit into the block; their mean by change
noise of 100    bytes that show tests, lock files and translations, of those that show any file, in all changes`

const MAX_COMMITS = 1500
const MAX_FILES = 600
/** Changes of each kind: at most so many, of three times as many that are looked at. */
const SAMPLE = 12

const NOISE =
  /(?:^|\/)(?:tests?|__tests__|__e2e__|e2e|spec|fixtures?|testdata|__snapshots__|testing|integration)\/|[._-](?:test|spec)s?\.|_test\.\w+$|(?:^|\/)test_\w+\.py$|\.snap$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|go\.sum|[\w.-]+\.lock)$/
const TRANSLATION =
  /(?:^|\/)(?:locales?|i18n|translations?|messages)\/|\.po$|(?:^|\/)(?!en)[a-z]{2}(?:-[a-z]{2,4})?\/.*\.mdx?$/i
/** Words that only code has: `--flag`, `camelCase`, `snake_case`, `CONSTANT`. */
const IDENTIFIER =
  /(?<![\w-])(?:--[a-z][a-z0-9-]+|[A-Za-z_$][\w$]*(?:_[\w$]+|[a-z0-9][A-Z][\w$]*)|[A-Z][A-Z0-9_]{3,})(?![\w-])/g

/** A repository whose people changed code and documentation together. Pages are Markdown files below these folders. */
type History = { readonly gitDirectory: string; readonly docs: readonly string[] }

/** Of one change. `facts`: identifiers that its documentation used for the first time. Bytes show files, or noise. */
type Figures = Readonly<Record<'codeBytes' | 'facts' | 'told' | 'bytes' | 'noise', number>>

/** Measures pushes, weeks and releases in which pages and other files were changed, at even distances, newest first. */
function measureAll(history: History): Figures[] {
  const log = git(history, 'log', '--first-parent', `-${MAX_COMMITS}`, '--format=%H %ct').split('\n')
  const mainline = log.map((line) => {
    const [sha = '', seconds = ''] = line.split(' ')
    return { sha, week: Math.floor(Number(seconds) / (7 * 24 * 3600)) }
  })
  const weekEnds = mainline.filter(({ week }, index) => index > 0 && mainline[index - 1]?.week !== week)
  const kinds = [
    mainline.slice(0, -1).map(({ sha }) => `${sha}^..${sha}`),
    weekEnds.slice(1).map(({ sha }, index) => `${sha}..${weekEnds[index]?.sha}`),
    releaseRanges(history, new Set(mainline.map(({ sha }) => sha))),
  ]
  return kinds.flatMap((ranges) => {
    const both = ranges.filter((range) => {
      const paths = git(history, 'diff', '--name-only', range).split('\n')
      return new Set(paths.map((path) => isPage(path, history))).size === 2
    })
    const step = Math.max(1, both.length / (SAMPLE * 3))
    const looked = both.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
    return looked.flatMap((range) => measure(range, history) ?? []).slice(0, SAMPLE)
  })
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
function measure(range: string, history: History): Figures | undefined {
  const files = readFiles(git(history, 'diff', '--no-ext-diff', '-M', range))
  const isCode = ({ path }: ChangedFile): boolean => !isPage(path, history)
  const { code = [], pages = [] } = Object.groupBy(files, (file) => (isCode(file) ? 'code' : 'pages'))
  const [base = ''] = range.split('..')
  const known = identifiersIn(git(history, 'grep', '-hI', '-e', '.', base, '--', ...history.docs))
  const changed = identifiersIn(linesOf(code, /^[+-]/))
  const used = [...identifiersIn(linesOf(pages, /^\+/))]
  // Documentation that was new or moved as a whole says nothing of what a change brought.
  const facts = known.size === 0 ? [] : used.filter((name) => !known.has(name) && changed.has(name))
  if (facts.length === 0) return undefined
  const [, ...messages] = git(history, 'log', '-250', '--reverse', '--format=%x00%B', range).split('\0')
  const asked = files.slice(0, MAX_FILES)
  const text = tell(asked.filter(isCode), messages)
  const isTold = (name: string): boolean =>
    new RegExp(`(?<![\\w-])${name.replace(/[.$]/g, '\\$&')}(?![\\w-])`).test(text)
  const [, shown = ''] = tell(asked, messages).split(/^Changed files.*\n/m)
  let isNoise = false
  const noise = shown.split('\n').filter((line) => {
    const [, path] = /^[a-z]+ (?:\S+ to )?(\S+?)(?::? |$)/.exec(line) ?? []
    if (path !== undefined) isNoise = NOISE.test(path) || TRANSLATION.test(path)
    return isNoise
  })
  return {
    codeBytes: asked.filter(isCode).reduce((sum, { patch = '' }) => sum + Buffer.byteLength(patch), 0),
    facts: facts.length,
    told: facts.filter(isTold).length,
    bytes: Buffer.byteLength(shown),
    noise: Buffer.byteLength(noise.join('\n')),
  }
}

function tell(files: readonly ChangedFile[], messages: readonly string[]): string {
  const commits = messages.map((message) => ({ sha: '0'.repeat(40), message }))
  return renderContext({ facts: [], commits, files: { files, total: files.length } }, 'diff')
}

/** The files of git's own diff, as GitHub lists them. */
function readFiles(diff: string): ChangedFile[] {
  const [, ...texts] = diff.split(/^diff --git /m)
  return texts.map((text) => {
    const [head = ''] = text.split(/^@@ /m, 1)
    const find = (pattern: RegExp): string | undefined => pattern.exec(head)?.[1]
    const path =
      find(/^(?:\+\+\+ b\/|rename to )(.+?)\t?$/m) ?? find(/^--- a\/(.+?)\t?$/m) ?? find(/ b\/(.+)$/m) ?? ''
    const oldPath = find(/^rename from (.+)$/m) ?? path
    const made = /^new file/m.test(head) ? 'added' : /^deleted file/m.test(head) ? 'removed' : 'modified'
    const status = oldPath === path ? made : 'renamed'
    const hunks = text.slice(head.length).trimEnd()
    const count = (sign: string): number => hunks.split('\n').filter((line) => line.startsWith(sign)).length
    const patch = hunks === '' && status !== 'renamed' ? undefined : hunks
    return { status, path, oldPath, added: count('+'), removed: count('-'), patch }
  })
}

function isPage(path: string, { docs }: History): boolean {
  const isBelow = docs.some((folder) => path.startsWith(folder))
  return isBelow && /\.(?:mdx?|rst)$/.test(path) && !TRANSLATION.test(path)
}

function linesOf(files: readonly ChangedFile[], pattern: RegExp): string {
  return files.flatMap(({ patch = '' }) => patch.split('\n').filter((line) => pattern.test(line))).join('\n')
}

function identifiersIn(text: string): Set<string> {
  return new Set([...(text.match(IDENTIFIER) ?? []), ...(text.match(/(?<=`)[a-z][\w.-]{2,39}(?=`)/g) ?? [])])
}

function git({ gitDirectory }: History, ...words: string[]): string {
  const all = ['-C', gitDirectory, '-c', 'core.quotePath=false', ...words]
  const { status, stdout, stderr } = spawnSync('git', all, { encoding: 'utf8', maxBuffer: 2 ** 30 })
  // `git grep` ends with 1 where it finds nothing.
  if (status !== 0 && status !== 1) refuse(`Failed to read ${gitDirectory}: ${stderr.trim()}`, USAGE)
  return stdout.trimEnd()
}

function rowOf({ name, figures }: { readonly name: string; readonly figures: readonly Figures[] }) {
  const large = figures.filter(({ codeBytes }) => codeBytes > MAX_BYTES.diff)
  const sum = (of: readonly Figures[], key: keyof Figures) => of.reduce((all, one) => all + one[key], 0)
  const percent = (share: number) => (Number.isNaN(share) ? '' : Math.round(share * 1000) / 10)
  return {
    repository: name,
    'changes that do not fit': large.length,
    identifiers: sum(large, 'facts'),
    'told of 100': percent(sum(large, 'told') / sum(large, 'facts')),
    'mean by change': percent(large.reduce((all, { told, facts }) => all + told / facts, 0) / large.length),
    'noise of 100': percent(sum(figures, 'noise') / sum(figures, 'bytes')),
  }
}

const { positionals } = readOptions(USAGE, { allowPositionals: true })
if (positionals.length === 0) refuse('Name a repository.', USAGE)
const measured = positionals.map((word) => {
  const [gitDirectory = '', folders = ''] = word.split(':')
  return { name: gitDirectory, figures: measureAll({ gitDirectory, docs: folders.split(',') }) }
})
const rows = [...measured, { name: 'all', figures: measured.flatMap(({ figures }) => figures) }].map(rowOf)
if (rows.at(-1)?.identifiers === 0)
  refuse('No change is too large to fit, so there is nothing to measure.', USAGE)
console.table(rows)

import { spawnSync } from 'node:child_process'
import type { ChangedFile } from '../src/context/ranking.ts'

/** A repository whose people changed code and documentation together. Pages are Markdown files below these folders. */
export type History = { readonly gitDirectory: string; readonly docs: readonly string[] }

/** A change, and what its docs writers used for the first time along with it. */
export type Change = {
  /** As many as are asked of GitHub. */
  readonly files: readonly ChangedFile[]
  /** Oldest first. */
  readonly messages: readonly string[]
  /** Identifiers that are new to the documentation, and that other files of the change add or remove. */
  readonly facts: readonly string[]
}

const MAX_COMMITS = 1500
const MAX_FILES = 600
/** Changes of each kind: at most so many, of three times as many that are looked at. */
const SAMPLE = 12

export function isPage(path: string, { docs }: Pick<History, 'docs'>): boolean {
  return (
    /\.(?:mdx?|rst)$/.test(path) && docs.some((folder) => path.startsWith(folder)) && !isTranslation(path)
  )
}

export function isTranslation(path: string): boolean {
  const isText = /(?:^|\/)(?:locales?|i18n|translations?|messages)\/|\.po$/i.test(path)
  return isText || /(?:^|\/)(?!en)[a-z]{2}(?:-[a-z]{2,4})?\/.*\.mdx?$/i.test(path)
}

/** Pushes, weeks and releases in which pages and other files were changed, at even distances, newest first. */
export function* readChanges(history: History): Generator<Change> {
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
  for (const ranges of kinds) {
    const both = ranges.filter((range) => changesBoth(range, history))
    let found = 0
    for (const range of evenly(both, SAMPLE * 3)) {
      const change = readChange(range, history)
      if (change.facts.length === 0 || found === SAMPLE) continue
      found += 1
      yield change
    }
  }
}

/** From each tag to the next one with the same prefix. */
function releaseRanges(history: History, mainline: ReadonlySet<string>): string[] {
  const format = '--format=%(refname:short) %(objectname) %(*objectname)'
  const next = new Map<string, string>()
  return git(history, 'for-each-ref', '--sort=-creatordate', format, 'refs/tags')
    .split('\n')
    .flatMap((line) => {
      const [tag = '', object = '', commit = ''] = line.trim().split(' ')
      const [, prefix] = /^(.*?)v?\d+\.\d+\.\d+$/.exec(tag) ?? []
      const sha = commit === '' ? object : commit
      if (!mainline.has(sha) || prefix === undefined) return []
      const head = next.get(prefix)
      next.set(prefix, sha)
      return head === undefined ? [] : [`${sha}..${head}`]
    })
}

function changesBoth(range: string, history: History): boolean {
  const paths = git(history, 'diff', '--name-only', range).split('\n')
  return paths.some((path) => isPage(path, history)) && paths.some((path) => !isPage(path, history))
}

function readChange(range: string, history: History): Change {
  const [base = ''] = range.split('..')
  const files = readFiles(git(history, 'diff', '--no-ext-diff', '-M', range))
  const messages = git(history, 'log', '-250', '--reverse', '--format=%B%x00', range).split('\0')
  const known = identifiersIn(git(history, 'grep', '-hI', '-e', '.', base, '--', ...history.docs))
  const pages = files.filter(({ path }) => isPage(path, history))
  const code = files.filter(({ path }) => !isPage(path, history))
  const used = identifiersIn(linesOf(pages, /^\+/))
  const changed = identifiersIn(linesOf(code, /^[+-]/))
  return {
    files: files.slice(0, MAX_FILES),
    messages: messages.map((message) => message.trim()).filter(Boolean),
    // Documentation that was new or moved as a whole says nothing of what a change brought.
    facts: known.size === 0 ? [] : [...used].filter((name) => !known.has(name) && changed.has(name)),
  }
}

/** The files of git's own diff, as GitHub lists them. */
function readFiles(diff: string): ChangedFile[] {
  return diff
    .split(/^diff --git /m)
    .slice(1)
    .map((text) => {
      const [head = ''] = text.split(/^@@ /m, 1)
      const find = (pattern: RegExp): string | undefined => pattern.exec(head)?.[1]
      const path =
        find(/^(?:\+\+\+ b\/|rename to )(.+?)\t?$/m) ?? find(/^--- a\/(.+?)\t?$/m) ?? find(/ b\/(.+)$/m) ?? ''
      const oldPath = find(/^rename from (.+)$/m) ?? path
      const made = /^new file/m.test(head) ? 'added' : /^deleted file/m.test(head) ? 'removed' : 'modified'
      const patch = text.slice(head.length).trimEnd()
      const count = (sign: string): number => patch.split('\n').filter((line) => line.startsWith(sign)).length
      return {
        status: oldPath === path ? made : 'renamed',
        path,
        oldPath,
        added: count('+'),
        removed: count('-'),
        patch: patch === '' && oldPath === path ? undefined : patch,
      }
    })
}

function linesOf(files: readonly ChangedFile[], pattern: RegExp): string {
  return files.flatMap(({ patch = '' }) => patch.split('\n').filter((line) => pattern.test(line))).join('\n')
}

/** Words that only code has: `--flag`, `camelCase`, `snake_case`, `CONSTANT`; any word in backticks. */
function identifiersIn(text: string): Set<string> {
  const plain =
    /(?<![\w-])(?:--[a-z][a-z0-9-]+|[A-Za-z_$][\w$]*(?:_[\w$]+|[a-z0-9][A-Z][\w$]*)|[A-Z][A-Z0-9_]{3,})(?![\w-])/g
  const quoted = [...text.matchAll(/`([a-z][\w.-]{2,39})`/g)].map(([, name = '']) => name)
  return new Set([...(text.match(plain) ?? []), ...quoted])
}

function evenly<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, list.length / count)
  return list.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

function git({ gitDirectory }: History, ...words: string[]): string {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 30 } as const
  // `git grep` ends with 1 where it finds nothing.
  return spawnSync(
    'git',
    ['-C', gitDirectory, '-c', 'core.quotePath=false', ...words],
    options,
  ).stdout.trimEnd()
}

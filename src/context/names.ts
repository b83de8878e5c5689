import { byteLength } from '../lib/text.ts'
import { type ChangedFile, rankOf } from './ranking.ts'

/** A name that a change adds or removes, in the file and line that say most of it. */
export type Name = {
  readonly word: string
  readonly verb: 'adds' | 'removes'
  /** How likely the word is to stand in documentation. */
  readonly weight: number
  /** Index of the line in the file's patch. */
  readonly line: number
}

const WORD = /(?<![\p{L}\p{N}_$\\-])(?:--)?[\p{L}_$][\p{L}\p{N}_$]*(?:-[\p{L}\p{N}_$]+)*/gu
const MIN_LENGTH = 3
const MAX_LENGTH = 60
/** From which on a name counts as news of a file. */
const NEWS_WEIGHT = 3
/** Nobody writes longer lines. */
const MAX_LINE_LENGTH = 1000

/**
 * The names that a change brings or takes away, by file, best first: what stands in its added lines alone, or in its
 * removed lines alone, in whichever file. Each is one file's; none is of tests and CI.
 */
export function findNames(files: readonly ChangedFile[]): ReadonlyMap<ChangedFile, readonly Name[]> {
  const words = { '+': new Set<string>(), '-': new Set<string>(), ' ': new Set<string>() }
  for (const { patch = '' } of files) {
    for (const line of patch.split('\n')) {
      if (line.startsWith('@@')) continue
      const ofSign = words[line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ']
      for (const word of line.slice(1).match(WORD) ?? []) ofSign.add(word)
    }
  }
  const isOneSided = (word: string, verb: Name['verb']): boolean =>
    !words[verb === 'adds' ? '-' : '+'].has(word) && !words[' '].has(word)
  const best = new Map<string, Name & { readonly file: ChangedFile }>()
  for (const file of files) {
    for (const name of namesIn(file, isOneSided))
      if (name.weight > (best.get(name.word)?.weight ?? 0)) best.set(name.word, { ...name, file })
  }
  const byWeight = [...best.values()].toSorted((one, other) => other.weight - one.weight)
  return Map.groupBy(byWeight, ({ file }) => file)
}

function namesIn(file: ChangedFile, isWanted: (word: string, verb: Name['verb']) => boolean): Name[] {
  const rank = rankOf(file)
  if (rank !== 'readers' && rank !== 'source') return []
  const names: Name[] = []
  for (const [index, line] of (file.patch ?? '').split('\n').entries()) {
    if (!/^[+-]/.test(line) || line.length > MAX_LINE_LENGTH) continue
    const verb = line.startsWith('+') ? 'adds' : 'removes'
    const text = line.slice(1)
    // Readers look for what they can use now before what they could use.
    const bonus = (rank === 'readers' ? 1 : 0) - (verb === 'removes' ? 2 : 0)
    for (const match of text.matchAll(WORD)) {
      const [word] = match
      if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !isWanted(word, verb)) continue
      const weight = weightOf(word, text.slice(0, match.index), text.slice(match.index + word.length))
      if (weight > 0) names.push({ word, verb, weight: weight + bonus, line: index })
    }
  }
  return names
}

/** What stands before the name of an option where it is defined, by whichever library. */
const DEFINES_OPTION = /(?:option|arg(?:ument)?|flag|switch|param)\w*(?:\(\s*\)|\.\w+)*\s*[({[:=].*$/i

/** Judges a word by its form, and by what stands before and after it in its line. */
function weightOf(word: string, before: string, after: string): number {
  const isQuoted = /["'`]$/.test(before) && /^["'`,:=\s]/.test(after)
  if (isQuoted && DEFINES_OPTION.test(before)) return 6
  if (word.startsWith('--')) return 4
  if (/^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(word)) return 5
  const isCompound = /[a-z0-9][A-Z]|[\w$]_[\w$]/.test(word)
  const isDefined =
    /\b(?:class|def|enum|fn|func|function|interface|struct|trait|type)\s+(?:\([^)]*\)\s*)?$/.test(before) ||
    (/^\s*(?:export|pub|public)\b[^(=]*$/.test(before) && /^\s*[(=:{<]/.test(after))
  if (isDefined) return isCompound ? 4 : 2
  const isKey = /^\s*[{,(|]?\s*$/.test(before) && /^["']?\??\s*[:=](?!=)/.test(after)
  if (isQuoted || isKey) return isCompound || (isKey && word.includes('-')) ? 4 : 1
  return isCompound ? 2 : 0
}

/** How many names a file adds that readers are likely to look for. */
export function newsIn(names: readonly Name[]): number {
  return names.filter(({ verb, weight }) => verb === 'adds' && weight >= NEWS_WEIGHT).length
}

/**
 * Chooses the names to list for each of these files, in at most so many bytes: `adds --json, exportAll; removes --xml`.
 *
 * @param shownText what the prompt shows already: names in there are not listed again
 */
export function chooseNames(
  names: ReadonlyMap<ChangedFile, readonly Name[]>,
  { shownText, maxBytes }: { readonly shownText: string; readonly maxBytes: number },
): ReadonlyMap<ChangedFile, string> {
  const all = [...names].flatMap(([file, list]) => list.map((name) => ({ ...name, file })))
  const chosen = new Map<ChangedFile, { readonly adds: string[]; readonly removes: string[] }>()
  const done = new Set(shownText.match(WORD))
  let left = maxBytes
  for (const { word, verb, file } of all.toSorted((one, other) => other.weight - one.weight)) {
    const list = chosen.get(file) ?? { adds: [], removes: [] }
    // The comma or, for a file's first, the verb.
    const bytes = byteLength(word) + (list[verb].length > 0 ? 2 : `; ${verb} `.length)
    if (done.has(word) || bytes > left) continue
    left -= bytes
    done.add(word)
    list[verb].push(word)
    chosen.set(file, list)
  }
  const verbs = ['adds', 'removes'] as const
  const wordsOf = (list: Readonly<Record<Name['verb'], readonly string[]>>): string =>
    verbs.flatMap((verb) => (list[verb].length > 0 ? `${verb} ${list[verb].join(', ')}` : [])).join('; ')
  return new Map([...chosen].map(([file, list]) => [file, wordsOf(list)]))
}

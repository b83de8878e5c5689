import { byteLength, cleanHunks, clipBytes, oneLine, sumOf, takeFitting } from '../lib/text.ts'
import { type ChangedFile, MAX_JUDGED_LENGTH, RANKS, type Rank, rankFiles } from '../look/ranks.ts'

/** A part of the block, and how many files, commits, or texts it contains. */
export type Written = {
  readonly text: string
  readonly count: number
  /** Whether a part of a diff is left out. */
  readonly isCut?: boolean
}

/** The least room that a file's diff is shown in; smaller diffs are shown whole. */
const MIN_DIFF_BYTES = 600
/** For tests, CI, and translations with their headers; if everything else is shown whole, they have a quarter. */
const MAX_BACKGROUND_BYTES = 8 * 1024
/** For the headers of files without a diff. */
const MAX_LIST_BYTES = 8 * 1024
/** For the line with the number of files that are not named. */
const MAX_LEFT_OUT_NOTE_BYTES = 150
/** How many files are named at most. */
const MAX_FILES = 600
/** How many lines a piece has if no blank line ends it before. */
const MAX_HUNK_LINES = 4

/** Shows each file under a header, with as much of its diff as fits. */
export function renderFiles(files: readonly ChangedFile[], maxBytes: number): Written {
  const parts = toParts(files)
  const listBytes = Math.min(MAX_LIST_BYTES, Math.floor(maxBytes / 4))
  const withDiff = parts.filter(({ pieces }) => pieces.length > 0).slice(0, MAX_FILES)
  const tests = withDiff.filter(({ rank }) => rank === 'background')
  const code = withDiff.filter(({ rank }) => rank !== 'background')
  const main = takeFitting(code, minDiffBytes, maxBytes - listBytes)
  const others = parts.filter((part) => !main.includes(part))
  const unused = choosePieces(main, maxBytes - Math.min(listBytes, sumOf(others, headerBytes)))
  const isWhole = main.length === code.length && main.every(isShownWhole)
  const quarter = Math.floor(maxBytes / 4)
  const most = isWhole ? Math.max(quarter, MAX_BACKGROUND_BYTES) : MAX_BACKGROUND_BYTES
  // Those that are not shown are still named.
  const testBytes = Math.min(unused, most - sumOf(tests, headerBytes))
  const background = takeFitting(tests, minDiffBytes, testBytes)
  choosePieces(background, testBytes)
  const shown = [...main, ...background]
  const diffs = shown.map(writeDiff).join('')
  const rest = others.filter((part) => !background.includes(part))
  const list = listParts(rest, maxBytes - byteLength(diffs), MAX_FILES - shown.length)
  const isCut = !withDiff.every(isShownWhole)
  return { text: `${diffs}${list.text}`, count: shown.length + list.count, isCut }
}

/** Lists files by their headers alone. */
export function listFiles(files: readonly ChangedFile[], maxBytes: number): Written {
  return listParts(toParts(files), maxBytes, MAX_FILES)
}

function isShownWhole({ pieces }: Part): boolean {
  return pieces.every(({ isShown }) => isShown)
}

function headerBytes({ header }: Part): number {
  return byteLength(header)
}

/** Returns the least size that a file is shown in: with its diff or a useful piece of it. */
function minDiffBytes({ bytes }: Part): number {
  return Math.min(bytes, MIN_DIFF_BYTES)
}

/** A line of a diff, and the weight of the names in it. */
type Line = { readonly text: string; weight: number }

/** Adjacent lines of a diff that are shown together or not at all. */
type Piece = {
  readonly text: string
  readonly previous: Piece | undefined
  /** The weight of the names in it, for each byte. */
  readonly weight: number
  /** The order of pieces without names: from the top of each file in turn, imports and licenses last. */
  readonly turn: number
  isShown: boolean
}

type Part = {
  readonly rank: Rank
  /** `modified src/cli.ts (+12 -3)`, on a new line. */
  readonly header: string
  /** Of the diff; none if the file is only named, or if GitHub shows no diff. */
  readonly pieces: readonly Piece[]
  /** The weight of its names. */
  readonly worth: number
  /** Of header and diff. */
  readonly bytes: number
}

/** Sorts files into the order in which they are shown: by rank, then by the weight of their names. */
function toParts(files: readonly ChangedFile[]): Part[] {
  const ranked = rankFiles(files).map(({ file, rank, kind }) => {
    const texts = rank === 'named' || !file.patch ? [] : diffLines(file.patch)
    const lines = texts.map((text): Line => ({ text, weight: 0 }))
    return { rank, header: `\n${describeFile(file, kind)}`, lines }
  })
  // Each name is weighed once, in the line where it weighs most.
  const best = new Map<string, { readonly weight: number; readonly line: Line }>()
  for (const { rank, lines } of ranked) {
    for (const line of lines) {
      for (const [name, weight] of namesIn(line.text, rank))
        if (weight > (best.get(name)?.weight ?? 0)) best.set(name, { weight, line })
    }
  }
  for (const { weight, line } of best.values()) line.weight += weight
  const parts = ranked.map(({ rank, header, lines }) => {
    const pieces = divide(lines, rank)
    const bytes = byteLength(header) + sumOf(pieces, ({ text }) => byteLength(text))
    return { rank, header, pieces, worth: weightIn(lines), bytes }
  })
  const order = ({ rank }: Part): number => RANKS.indexOf(rank)
  return parts.toSorted((one, other) => order(one) - order(other) || other.worth - one.worth)
}

const MAX_PATH_BYTES = 300

/** Describes what happened to a file: `renamed src/a.ts to src/b.ts (+3 -1)`. */
function describeFile(
  { status, path, oldPath, added, removed, patch }: ChangedFile,
  kind = '',
): string {
  const [from, to] = [oldPath, path].map((one) => clipBytes(oneLine(one), MAX_PATH_BYTES))
  const where = path === oldPath ? to : `${from} to ${to}`
  const reason = patch === undefined ? ' (no diff)' : ''
  const why = kind === '' ? reason : ` (${kind}: only named)`
  return `${status} ${where}${lineCounts(added, removed)}${why}`
}

/** Renders numbers of lines, as in ` (+3 -1)`; empty if both are 0, or if one is unknown. */
export function lineCounts(added: number | undefined, removed: number | undefined): string {
  return Number(added) + Number(removed) > 0 ? ` (+${added} -${removed})` : ''
}

/** Splits a diff into the lines that are shown. */
export function diffLines(patch: string): string[] {
  return cleanHunks(patch).trimEnd().split('\n')
}

const IMPORT =
  /^.(?:import\b|from\s+\S+\s+import\b|(?:pub )?use\s+[\w:{]+|#include\b|using\s+[\w.]+;|package\s+[\w.]+;?$|(?:const|let|var)\s.*=\s*require\()/m
const LICENSE = /^.(?:\/[/*]|[#*]|<!--|--).*(?:copyright|SPDX-|licen[cs]e)/im

/** Whether a line starts a piece: a hunk's header or a blank line. */
function isFirstLine({ text }: Pick<Line, 'text'> = { text: '' }): boolean {
  return text.startsWith('@@') || text.replace(/^[+-]/, '').trim() === ''
}

/** Divides a diff into pieces: at hunks and blank lines, and after a few lines. */
function divide(lines: readonly Line[], rank: Rank): Piece[] {
  const pieces: Piece[] = []
  for (let start = 0, end = 0; start < lines.length; start = end) {
    do end++
    while (end < start + MAX_HUNK_LINES && !isFirstLine(lines[end]))
    const own = lines.slice(start, end)
    const text = own.map((line) => `\n${line.text}`).join('')
    const judged = own.map((line) => line.text.slice(0, MAX_JUDGED_LENGTH)).join('\n')
    const isMinor = IMPORT.test(judged) || LICENSE.test(judged)
    pieces.push({
      text,
      previous: pieces.at(-1),
      weight: weightIn(own) / byteLength(text),
      turn: isMinor ? Infinity : pieces.length / (rank === 'readers' ? 2 : 1),
      isShown: false,
    })
  }
  return pieces
}

function weightIn(lines: readonly Line[]): number {
  return sumOf(lines, ({ weight }) => weight)
}

/**
 * Chooses the pieces to show: all of small parts; of others first the pieces whose names weigh most for their bytes, then
 * pieces from the top of each part in turn.
 *
 * @returns how many bytes are left
 */
function choosePieces(parts: readonly Part[], maxBytes: number): number {
  const isAll = sumOf(parts, ({ bytes }) => bytes) <= maxBytes
  const isSmall = ({ bytes }: Part): boolean => isAll || bytes <= MIN_DIFF_BYTES
  for (const piece of parts.filter(isSmall).flatMap(({ pieces }) => pieces)) piece.isShown = true
  let left = maxBytes - byteLength(parts.map(writeDiff).join(''))
  const hidden = parts.flatMap(({ pieces }) => pieces.filter(({ isShown }) => !isShown))
  const inOrder = hidden.toSorted(
    (one, other) => other.weight - one.weight || one.turn - other.turn,
  )
  for (const piece of inOrder) {
    const bytes = byteLength(`${gapBefore(piece)}${piece.text}`)
    // Pieces without names are shown in their order, not by what happens to fit.
    if (bytes > left && piece.weight === 0) break
    if (bytes > left) continue
    left -= bytes
    piece.isShown = true
  }
  return left
}

function gapBefore({ previous }: Piece): string {
  return previous?.isShown === false ? '\n…' : ''
}

function writeDiff({ header, pieces }: Part): string {
  const texts = pieces.map((piece) => (piece.isShown ? `${gapBefore(piece)}${piece.text}` : ''))
  const left = sumOf(pieces, ({ text, isShown }) => (isShown ? 0 : text.split('\n').length - 1))
  const words = `${left} more ${left === 1 ? 'line' : 'lines'} of this file's diff, left out here`
  return [header, ...texts, left === 0 ? '' : `\n… (${words})`].join('')
}

/** Lists the headers of files without their diffs. */
function listParts(parts: readonly Part[], maxBytes: number, maxFiles: number): Written {
  const maxHeaderBytes = maxBytes - MAX_LEFT_OUT_NOTE_BYTES
  const shown = takeFitting(parts.slice(0, maxFiles), headerBytes, maxHeaderBytes)
  const more = parts.length - shown.length
  const note = more === 0 ? '' : `\n… (${more} more files, not named here)`
  const headers = shown.map(({ header }) => header)
  return { text: [...headers, note].join(''), count: shown.length }
}

const IDENTIFIER = /(?<![\p{L}\p{N}_$\\-])(?:--)?[\p{L}_$][\p{L}\p{N}_$]*(?:-[\p{L}\p{N}_$]+)*/gu
const MIN_NAME_LENGTH = 3
const MAX_NAME_LENGTH = 60

/** Weights of names: how likely documentation uses them, measured on real changes. `text`: in quotes or a comment. */
const WEIGHTS = { flag: 20, text: 16, backticks: 8, key: 8, use: 3, plain: 1 }
/** Names that were removed matter less to readers. */
const REMOVED_FACTOR = 0.3
/** A test shows a name only if no other file has it. Whole numbers, so that equal sums are equal. */
const RANK_FACTORS = { readers: 1500, source: 1000, background: 10, named: 0 }

/** Lists the names in a changed line of a diff, each with its weight. */
export function namesIn(line: string, rank: Rank): (readonly [name: string, weight: number])[] {
  if (!/^[+-]/.test(line) || line.length > MAX_JUDGED_LENGTH) return []
  const text = line.slice(1)
  const factor = RANK_FACTORS[rank] * (line.startsWith('-') ? REMOVED_FACTOR : 1)
  const commentStart = COMMENT.exec(text)?.[0].length ?? Infinity
  // At the start of a line or of a text in brackets.
  const keyPlaces = (KEY_PLACE.exec(text) ?? []).map((one) => one.length)
  return [...text.matchAll(IDENTIFIER)].flatMap(({ 0: name, index }) => {
    if (name.length < MIN_NAME_LENGTH || name.length > MAX_NAME_LENGTH) return []
    const weight = weightOf(name, {
      before: text.charAt(index - 1),
      after: text.slice(index + name.length),
      isComment: commentStart <= index,
      isAtStart: keyPlaces.includes(index),
    })
    return weight > 0 ? [[name, weight * factor] as const] : []
  })
}

const KEY_PLACE = /^(\s*)(?:[{,(|]\s*)?/
const COMMENT = /^\s*(?:\/\/|\/?\*|#|<!--|"""|--\s)/

/** The place of a name in its line. `before`: one character. */
type NamePlace = Readonly<
  Record<'before' | 'after', string> & Record<'isComment' | 'isAtStart', boolean>
>

/** Judges a name by its form and its place. */
function weightOf(name: string, { before, after, isComment, isAtStart }: NamePlace): number {
  if (name.startsWith('--')) return WEIGHTS.flag
  const isQuoted = /["'`]/.test(before) && /^["'`,:=\s]/.test(after)
  const isKey = isAtStart && /^["']?\??\s*[:=](?!=)/.test(after)
  const isCompound = /[a-z0-9][A-Z]|[\w$]_[\w$]/.test(name)
  if (!isCompound) {
    if (before === '`' && after.startsWith('`')) return WEIGHTS.backticks
    return isQuoted || isKey ? WEIGHTS.plain : 0
  }
  if (isQuoted || isComment) return WEIGHTS.text
  return isKey ? WEIGHTS.key : WEIGHTS.use
}

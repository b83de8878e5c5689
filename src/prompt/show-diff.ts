import { type ChangedFile, RANKS, type Rank, rankFiles } from '../changes/ranks.ts'
import {
  byteLength,
  cleanHunks,
  clipBytes,
  judged,
  oneLine,
  share,
  sumOf,
  takeFitting,
} from '../lib/text.ts'

/** A part of the block, and how many files, commits, or texts it contains. */
export type Written = {
  readonly text: string
  readonly count: number
  /** Whether a part of a diff is left out. */
  readonly isCut?: boolean
}

/** Maximum bytes of the diffs of `background` files; a quarter of the room if all others are shown whole. */
const MAX_BACKGROUND = 8 * 1024
const MAX_FILES = 600
/** Headers get one byte of so many. */
const HEADERS_SHARE = 8
const MAX_PIECE_LINES = 4
const MAX_SHOWN_PATH = 300
/** How much of all diffs is judged, in characters. The rest isn't shown, either. */
const MAX_RANKED = 2 * 1024 * 1024
/** Diffs of more lines are judged as if each line had at least `length` characters. */
const SHORT = { lines: 100, length: 8 }
/** Of the line with the number of files that are left out. */
const NOTE_BYTES = 60
/** Stands for lines that are left out. */
const GAP = '\n…'
const GAP_BYTES = 4

/** Adjacent lines of a diff that are shown together or not at all. */
type Piece = {
  readonly text: string
  readonly names: ReturnType<typeof namesIn>
  /** Of its names, for each byte. */
  weight: number
  /** The order of pieces without names: from the top of each file in turn, imports and licenses last. */
  readonly turn: number
  isShown: boolean
}

/** A file. `pieces`: none if it is only named, or has no diff; `worth`: the weight of its names. */
type Part = {
  readonly rank: Rank
  readonly header: string
  readonly pieces: readonly Piece[]
  /** Whether the diff has more than these. */
  readonly hasMore: boolean
  worth: number
}

/**
 * Shows each file under a header, with the pieces of its diff whose names matter most to readers of docs.
 *
 * @param fileCount how many files there are, with those that aren't known
 * @param hasDiffs whether more than the headers is shown
 */
export function showFiles(
  files: readonly ChangedFile[],
  maxBytes: number,
  { fileCount = files.length, hasDiffs = true } = {},
): Written {
  const all = toParts(files, hasDiffs)
  const order = ({ rank }: Part): number => RANKS.indexOf(rank)
  weigh(all)
  all.sort((one, other) => other.worth - one.worth || order(one) - order(other))
  const room = hasDiffs ? maxBytes / HEADERS_SHARE : maxBytes - NOTE_BYTES
  const parts = takeFitting(all.slice(0, MAX_FILES), headerBytes, room)
  // The names of files that aren't shown may be in others.
  weigh(parts)
  parts.sort((one, other) => order(one) - order(other) || other.worth - one.worth)
  const { background = [], rest = [] } = Object.groupBy(parts, ({ rank }) =>
    rank === 'background' ? rank : 'rest',
  )
  const left = choose(rest, maxBytes - NOTE_BYTES - sumOf(parts, headerBytes))
  choose(background, Math.min(left, rest.every(isShownWhole) ? maxBytes / 4 : MAX_BACKGROUND))
  const more = Math.max(fileCount, all.length) - parts.length
  const note = more === 0 ? '' : `\n… (${more} more files, not named here)`
  const isCut = more > 0 || !parts.every(isShownWhole)
  return { text: `${parts.map(writePart).join('')}${note}`, count: parts.length, isCut }
}

function headerBytes({ header }: Part): number {
  return byteLength(header)
}

function isShownWhole({ pieces, hasMore }: Part): boolean {
  return !hasMore && pieces.every(({ isShown }) => isShown)
}

/** Writes a file. A mark stands for lines that are left out, unless all are. */
function writePart({ header, pieces, hasMore }: Part): string {
  const isHidden = pieces.map(({ isShown }) => !isShown)
  if (hasMore) isHidden.push(true)
  if (!isHidden.includes(false)) return header
  const texts = isHidden.map((hidden, index) => {
    const gap = hidden && !isHidden[index - 1] ? GAP : ''
    return hidden ? gap : pieces[index]?.text
  })
  return [header, ...texts].join('')
}

/**
 * Shows the pieces whose names weigh most for their bytes, and then those from the top of each part in turn.
 *
 * @returns how many bytes are left
 */
function choose(parts: readonly Part[], maxBytes: number): number {
  const all = parts.flatMap(({ pieces }) =>
    pieces.map((piece, index) => ({ piece, previous: pieces[index - 1] })),
  )
  const isAll = sumOf(all, ({ piece }) => byteLength(piece.text)) <= maxBytes
  let left = maxBytes - (isAll ? 0 : GAP_BYTES * parts.length)
  all.sort(({ piece: a }, { piece: b }) => b.weight - a.weight || a.turn - b.turn)
  for (const { piece, previous } of all) {
    const bytes = byteLength(piece.text) + (isAll || previous?.isShown ? 0 : GAP_BYTES)
    // Pieces without names are shown in their order, not by what happens to fit.
    if (bytes > left && piece.weight === 0) break
    piece.isShown = bytes <= left
    if (piece.isShown) left -= bytes
  }
  return left
}

/** Divides the diffs of files into pieces. */
function toParts(files: readonly ChangedFile[], hasDiffs: boolean): Part[] {
  const ranked = rankFiles(files).map((one) => {
    const { rank, file } = one
    return { ...one, patch: (hasDiffs && rank !== 'named' && file.patch?.trimEnd()) || '' }
  })
  const granted = share(ranked, ({ patch }) => patch.length, MAX_RANKED)
  return granted.map(([{ file, rank, kind, patch }, size]): Part => {
    const lines = patch === '' ? [] : cleanHunks(patch.slice(0, size)).split('\n')
    const most = Math.min(lines.length, Math.max(SHORT.lines, size / SHORT.length))
    const hasMore = patch.length > size || most < lines.length
    const pieces = divide(lines.slice(0, hasMore ? most - 1 : most), rank)
    const header = `\n${describe(file, rank, kind)}`
    return { rank, header, pieces, hasMore, worth: 0 }
  })
}

/** Weighs each name once, in the piece where it weighs most. */
function weigh(parts: readonly Part[]): void {
  const best = new Map<
    string,
    { readonly weight: number; readonly piece: Piece; readonly part: Part }
  >()
  for (const part of parts) {
    part.worth = 0
    for (const piece of part.pieces) {
      piece.weight = 0
      for (const [name, weight] of piece.names)
        if (weight > (best.get(name)?.weight ?? 0)) best.set(name, { weight, piece, part })
    }
  }
  for (const { weight, piece, part } of best.values()) {
    piece.weight += weight / byteLength(piece.text)
    part.worth += weight
  }
}

/** Describes what happened to a file: `renamed src/a.ts to src/b.ts (+3 -1)`. */
function describe(
  { status, path, oldPath, added, removed, patch }: ChangedFile,
  rank: Rank,
  kind: string,
): string {
  const [from, to] = [oldPath, path].map((one) => clipBytes(oneLine(one), MAX_SHOWN_PATH))
  const reason = patch === undefined ? ' (no diff)' : ''
  const why = rank === 'named' ? ` (${kind}: only named)` : reason
  return `${status} ${path === oldPath ? to : `${from} to ${to}`}${lineCounts(added, removed)}${why}`
}

/** Renders numbers of lines, as in ` (+3 -1)`; empty if both are 0, or if one is unknown. */
export function lineCounts(added: number | undefined, removed: number | undefined): string {
  return Number(added) + Number(removed) > 0 ? ` (+${added} -${removed})` : ''
}

/** Divides a diff at hunks and blank lines, and after a few lines. */
function divide(all: readonly string[], rank: Rank): Piece[] {
  const pieces: string[][] = []
  for (const line of all) {
    const last = pieces.at(-1)
    const isFirst = line.startsWith('@@') || (isBlank(line) && !isBlank(last?.at(-1)))
    if (!last || isFirst || last.length >= MAX_PIECE_LINES) pieces.push([line])
    else last.push(line)
  }
  return pieces.map((lines, index) => {
    const text = lines.map((line) => `\n${line}`).join('')
    const turn = MINOR.test(judged(text)) ? Infinity : index / (rank === 'readers' ? 2 : 1)
    return { text, names: namesIn(judged(text), rank), weight: 0, turn, isShown: false }
  })
}

function isBlank(line = ''): boolean {
  return line.replace(/^[+-]/, '').trim() === ''
}

/** Imports and licenses. */
const IMPORTS = String.raw`import\b|from\s+\S+\s+import\b|(?:pub )?use\s+[\w:{]+|#include\b|using\s+[\w.]+;`
const REQUIRES = String.raw`package\s+[\w.]+;?$|(?:const|let|var)\s.*=\s*require\(`
const LICENSES = String.raw`(?:\/[/*]|[#*]|<!--|--).*(?:copyright|SPDX-|licen[cs]e)`
const MINOR = new RegExp(`^.(?:${IMPORTS}|${REQUIRES}|${LICENSES})`, 'im')

/** A name, with the marks around it that tell what it is. */
const NAME = new RegExp(
  [
    /(?<mark>["'`])?(?<![\p{L}\p{N}_$\\-])/u,
    /(?<name>(?:--)?[\p{L}_$][\p{L}\p{N}_$]*(?:-[\p{L}\p{N}_$]+)*)/u,
    /(?=(?<after>["']?\??\s*[:=](?!=))?)(?=(?<next>.?))/u,
  ]
    .map(({ source }) => source)
    .join(''),
  'gu',
)
const COMMENT_START = /^\s*(?:\/\/|\/?\*|#|<!--|"""|--\s)/
const RANK_FACTORS = { readers: 1500, source: 1000, background: 10, named: 0 }
/** Names that were removed matter less to readers. */
const REMOVED_FACTOR = 0.3

/** Lists the names in changed lines with their weights: how likely documentation uses them, measured on real changes. */
function namesIn(lines: string, rank: Rank): (readonly [name: string, weight: number])[] {
  return lines.split('\n').flatMap((line) => {
    if (!/^[+-]/.test(line)) return []
    const factor = RANK_FACTORS[rank] * (line.startsWith('-') ? REMOVED_FACTOR : 1)
    const text = line.slice(1)
    const isComment = COMMENT_START.test(text)
    const starts = (/^(\s*)(?:[{,(|]\s*)?/.exec(text) ?? []).map(({ length }) => length)
    return [...text.matchAll(NAME)].flatMap(({ index, groups = {} }) => {
      const { mark = '', name = '', after, next = '' } = groups
      if (name.length < 3 || name.length > 60) return []
      const isQuoted = mark !== '' && /^["'`,:=\s]/.test(next)
      const isKey = after !== undefined && starts.includes(index + mark.length)
      let weight = isQuoted || isKey ? 1 : 0
      if (mark === '`' && next === '`') weight = 8
      if (/[a-z0-9][A-Z]|[\w$]_[\w$]/.test(name))
        weight = isQuoted || isComment ? 16 : isKey ? 8 : 3
      if (name.startsWith('--')) weight = 20
      return weight > 0 ? [[name, weight * factor] as const] : []
    })
  })
}

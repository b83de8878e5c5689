import { byteLength, cleanHunks, clipBytes } from '../lib/text.ts'
import { type ChangedFile, describeFile, namesIn, RANKS, type Rank, rankOf } from './ranking.ts'

/** What a file must be able to have for its diff to be shown; smaller ones are shown whole. */
const MIN_DIFF_BYTES = 600
/** For tests, CI and translations together, headers included. */
const MAX_BACKGROUND_BYTES = 8 * 1024
/** For the headers of files without a diff. */
const MAX_LIST_BYTES = 8 * 1024
/** For the note of how many are not named. */
const MAX_NOTE_BYTES = 150
/** As many files as are named at most. */
const MAX_FILES = 600
/** As many lines are a piece, where no blank line ends it before. */
const MAX_LINES = 4
const GAP = '\n…'

/** A part of the block, and how many of its things are in it. */
export type Written = { readonly text: string; readonly count: number }

/** Neighbouring lines of a diff that are shown together or not at all. */
type Piece = {
  readonly start: number
  /** Index of the line after the last one. */
  readonly end: number
  readonly bytes: number
  /** What the names in it weigh; below zero for imports and licences. */
  readonly weight: number
  isShown: boolean
}

type Part = {
  readonly rank: Rank
  /** `modified src/cli.ts (+12 -3)` */
  readonly header: string
  /** Of the diff; none if it is not to be shown, or GitHub shows none. */
  readonly lines: readonly string[]
  readonly pieces: readonly Piece[]
  /** What its names weigh. */
  readonly worth: number
  /** Of header and lines. */
  readonly bytes: number
}

/** Each file under a header, with as much of its diff as fits. */
export function renderFiles(
  files: readonly ChangedFile[],
  maxBytes: number,
): Written & { readonly isCut: boolean } {
  const parts = toParts(files)
  const listBytes = Math.min(MAX_LIST_BYTES, Math.floor(maxBytes / 4))
  const withDiff = parts.filter(({ lines }) => lines.length > 0).slice(0, MAX_FILES)
  const isBackground = ({ rank }: Part): boolean => rank === 'background'
  const main = takeParts(
    withDiff.filter((part) => !isBackground(part)),
    maxBytes - listBytes,
  )
  const others = parts.filter((part) => !main.includes(part))
  const headerBytes = byteLength(others.map(({ header }) => `\n${header}`).join(''))
  const unused = choosePieces(main, maxBytes - Math.min(listBytes, headerBytes))
  const backgroundBytes = Math.min(unused, MAX_BACKGROUND_BYTES)
  const background = takeParts(withDiff.filter(isBackground), backgroundBytes)
  choosePieces(background, backgroundBytes)
  const shown = [...main, ...background]
  const diffs = shown.map(writeDiff).join('')
  const rest = others.filter((part) => !background.includes(part))
  const list = listParts(rest, maxBytes - byteLength(diffs), MAX_FILES - shown.length)
  const isCut = withDiff.some(({ pieces }) => pieces.some((piece) => !piece.isShown))
  return { text: `${diffs}${list.text}`, count: shown.length + list.count, isCut }
}

/** The headers alone. */
export function listFiles(files: readonly ChangedFile[], maxBytes: number): Written {
  return listParts(toParts(files), maxBytes, MAX_FILES)
}

/** In the order in which they are shown: by rank, then by what their names weigh. */
function toParts(files: readonly ChangedFile[]): Part[] {
  const ranked = files.map((file) => {
    const { rank, kind } = rankOf(file)
    const lines = rank === 'named' || !file.patch ? [] : linesOf(file.patch)
    return { rank, header: describeFile(file, kind), lines, weights: new Map<number, number>() }
  })
  // Each name counts once, in the line that says most of it.
  const best = new Map<string, { weight: number; line: number; weights: Map<number, number> }>()
  for (const { rank, lines, weights } of ranked) {
    for (const [line, text] of lines.entries()) {
      for (const [name, weight] of namesIn(text, rank))
        if (weight > (best.get(name)?.weight ?? 0)) best.set(name, { weight, line, weights })
    }
  }
  for (const { weight, line, weights } of best.values())
    weights.set(line, (weights.get(line) ?? 0) + weight)
  const parts = ranked.map(({ weights, ...part }) => ({
    ...part,
    pieces: divide(part.lines, weights),
    worth: [...weights.values()].reduce((sum, weight) => sum + weight, 0),
    bytes: byteLength(['', part.header, ...part.lines].join('\n')),
  }))
  const order = ({ rank }: Part): number => RANKS.indexOf(rank)
  return parts.toSorted((one, other) => order(one) - order(other) || other.worth - one.worth)
}

/** The first parts that can each have their diff or a useful piece of it. */
function takeParts(parts: readonly Part[], maxBytes: number): Part[] {
  let left = maxBytes
  const end = parts.findIndex(({ bytes }) => {
    left -= Math.min(bytes, MIN_DIFF_BYTES)
    return left < 0
  })
  return parts.slice(0, end < 0 ? undefined : end)
}

/**
 * Chooses what is shown of these parts: small ones whole; of all others first the pieces whose names weigh most for
 * their bytes, then each from its top in turn, with two turns for what readers notice.
 *
 * @returns how many bytes are left
 */
function choosePieces(parts: readonly Part[], maxBytes: number): number {
  const isAll = parts.reduce((sum, { bytes }) => sum + bytes, 0) <= maxBytes
  const [small = [], large = []] = [true, false].map((isSmall) =>
    parts.filter(({ bytes }) => (isAll || bytes <= MIN_DIFF_BYTES) === isSmall),
  )
  for (const piece of small.flatMap(({ pieces }) => pieces)) piece.isShown = true
  let left = maxBytes - byteLength(parts.map(writeDiff).join(''))
  const show = ({ pieces }: Part, at: number): boolean => {
    const piece = pieces[at]
    if (piece === undefined || piece.isShown) return true
    const opensGap = at > 0 && pieces[at - 1]?.isShown !== true
    const closesGap = pieces[at + 1]?.isShown === true
    const bytes = piece.bytes + byteLength(GAP) * (Number(opensGap) - Number(closesGap))
    if (bytes > left) return false
    left -= bytes
    piece.isShown = true
    return true
  }
  const all = large.flatMap((part) =>
    part.pieces.map(({ weight, bytes }, at) => ({ part, at, weight, density: weight / bytes })),
  )
  const named = all.filter(({ weight }) => weight > 0)
  for (const { part, at } of named.toSorted((one, other) => other.density - one.density))
    show(part, at)
  let queues = large.map((part) => {
    const isMinor = (at: number): boolean => (part.pieces[at]?.weight ?? 0) < 0
    const { main = [], minor = [] } = Object.groupBy(part.pieces.keys(), (at) =>
      isMinor(at) ? 'minor' : 'main',
    )
    const hidden = [...main, ...minor].filter((at) => part.pieces[at]?.isShown === false)
    return { part, hidden }
  })
  while (queues.length > 0) {
    queues = queues.filter(({ part, hidden }) => {
      const turn = hidden.splice(0, part.rank === 'readers' ? 2 : 1)
      return turn.length > 0 && turn.every((at) => show(part, at))
    })
  }
  return left
}

/** The lines of a diff as they are shown. */
function linesOf(patch: string): string[] {
  const isPlain = !/[^\t\n -~]/.test(patch)
  return (isPlain ? patch : cleanHunks(patch)).trimEnd().split('\n')
}

const IMPORT =
  /^(?:import\b|from\s+\S+\s+import\b|(?:pub )?use\s+[\w:{]+|#include\b|using\s+[\w.]+;|package\s+[\w.]+;?$|(?:const|let|var)\s.*=\s*require\()/
const LICENCE = /^(?:\/[/*]|[#*]|<!--|--).*(?:copyright|SPDX-|licen[cs]e)/i

function divide(lines: readonly string[], weights: ReadonlyMap<number, number>): Piece[] {
  const isMinor = markMinor(lines)
  const starts = [...lines.keys()].filter((at) => {
    const isFirst = /^(?:@@|[+\- ]?\s*$)/.test(lines[at] ?? '')
    return at === 0 || isFirst || isMinor[at] !== isMinor[at - 1]
  })
  return starts.flatMap((from, index) => {
    const to = starts[index + 1] ?? lines.length
    const pieces: Piece[] = []
    for (let start = from; start < to; start += MAX_LINES) {
      const end = Math.min(start + MAX_LINES, to)
      const own = lines.slice(start, end)
      const weight = own.reduce((sum, _, at) => sum + (weights.get(start + at) ?? 0), 0)
      const bytes = byteLength(['', ...own].join('\n'))
      pieces.push({ start, end, bytes, weight: isMinor[start] ? -1 : weight, isShown: false })
    }
    return pieces
  })
}

/** Which lines are imports, or name a licence. */
function markMinor(lines: readonly string[]): boolean[] {
  let isOpen = false
  return lines.map((line) => {
    const text = line.slice(1).trim()
    const isImport = !line.startsWith('@@') && (isOpen || IMPORT.test(text))
    isOpen = isImport && (isOpen ? !/^[)}]/.test(text) : /[({]$/.test(text))
    return isImport || LICENCE.test(text)
  })
}

function writeDiff({ header, lines, pieces }: Part): string {
  const shown = pieces.filter(({ isShown }) => isShown)
  const texts = shown.map(({ start, end }, index) => {
    const isGap = start > (shown[index - 1]?.end ?? 0)
    return `${isGap ? GAP : ''}\n${lines.slice(start, end).join('\n')}`
  })
  const left = shown.reduce((sum, { start, end }) => sum - (end - start), lines.length)
  const words = `${left} more ${left === 1 ? 'line' : 'lines'} of this file's diff, left out here`
  return [`\n${header}`, ...texts, left === 0 ? '' : `\n… (${words})`].join('')
}

/** Headers of files without a diff. */
function listParts(parts: readonly Part[], maxBytes: number, maxFiles: number): Written {
  let left = maxBytes - MAX_NOTE_BYTES
  const end = parts.slice(0, maxFiles).findIndex(({ header }) => {
    left -= byteLength(`\n${header}`)
    return left < 0
  })
  const shown = parts.slice(0, end < 0 ? maxFiles : end)
  const rest = parts.slice(shown.length)
  const minor = rest.filter(({ rank }) => rank === 'background' || rank === 'named').length
  const which = minor === 0 ? '' : `, ${minor} of them tests, translations, generated or the like`
  const note = rest.length === 0 ? '' : `\n… (${rest.length} more files, not named here${which})`
  return {
    text: `${shown.map(({ header }) => `\n${header}`).join('')}${note}`,
    count: shown.length,
  }
}

const HUNK_TITLE = '\nLines commented on (the comment is about the last one):'

/** Lines of a diff whose last one matters most: cut from the top, and said. */
export function renderHunk(hunk: string, maxBytes: number): string {
  if (hunk === '') return ''
  const lines = linesOf(hunk)
  const noteOf = (above: number): string =>
    above === 0 ? '' : `\n… (${above} ${above === 1 ? 'line' : 'lines'} above, left out here)`
  let left = maxBytes - byteLength(`${HUNK_TITLE}${noteOf(lines.length)}`)
  const above =
    lines.findLastIndex((line) => {
      left -= byteLength(`\n${line}`)
      return left < 0
    }) + 1
  // The line commented on is always there, cut if need be.
  const from = Math.min(above, lines.length - 1)
  return clipBytes([`${HUNK_TITLE}${noteOf(from)}`, ...lines.slice(from)].join('\n'), maxBytes)
}

import { byteLength } from '../lib/text.ts'
import type { Name } from './names.ts'

/** Neighbouring lines of a diff that are shown together or not at all. */
type Piece = { readonly first: number; readonly end: number; readonly bytes: number; readonly value: number }

/** As many lines are a piece, where no blank line ends it before. */
const MAX_LINES = 4
const GAP_BYTES = byteLength('\n…')

/**
 * Chooses what to show of a diff that is too large: first the lines that bring the most names for their bytes, then the
 * others from the top, imports and licences last.
 *
 * @returns indexes of lines, in order; with a line `…` for each gap they have at most so many bytes
 */
export function choosePieces(lines: readonly string[], names: readonly Name[], maxBytes: number): number[] {
  const pieces = divide(lines, names)
  const ratioOf = ({ value, bytes }: Piece): number => value / bytes
  const byValue = [...pieces.entries()].toSorted(([, one], [, other]) => ratioOf(other) - ratioOf(one))
  const chosen = new Set<number>()
  let left = maxBytes
  for (const [index, piece] of byValue) {
    const gaps = (index > 0 && !chosen.has(index - 1) ? 1 : 0) - (chosen.has(index + 1) ? 1 : 0)
    const bytes = piece.bytes + gaps * GAP_BYTES
    // Of those without names, what comes first is shown, not what happens to fit.
    if (bytes > left && piece.value <= 0) break
    if (bytes > left) continue
    left -= bytes
    chosen.add(index)
  }
  const shown = pieces.filter((_, index) => chosen.has(index))
  return shown.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, at) => first + at))
}

function divide(lines: readonly string[], names: readonly Name[]): Piece[] {
  const values = new Map<number, number>()
  for (const { line, weight } of names) values.set(line, (values.get(line) ?? 0) + weight)
  const isMinor = markMinor(lines)
  const pieces: Piece[] = []
  let [first, bytes, value] = [0, 0, 0]
  for (const [at, line] of lines.entries()) {
    bytes += byteLength(`\n${line}`)
    value += values.get(at) ?? 0
    const [end, next] = [at + 1, lines[at + 1]]
    const isEnd = next === undefined || next.startsWith('@@') || isMinor[end] !== isMinor[first]
    if (!isEnd && end - first < MAX_LINES && !/^[+\- ]?\s*$/.test(next)) continue
    // Below zero: after those without a name.
    pieces.push({ first, end, bytes, value: isMinor[first] ? -1 : value })
    ;[first, bytes, value] = [end, 0, 0]
  }
  return pieces
}

const IMPORT =
  /^(?:import\b|from\s+\S+\s+import\b|(?:pub )?use\s+[\w:{]+|#include\b|using\s+[\w.]+;|package\s+[\w.]+;?$|(?:const|let|var)\s.*=\s*require\()/
const LICENCE = /^(?:\/[/*]|[#*]|<!--|--).*(?:copyright|SPDX-|licen[cs]e)/i

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

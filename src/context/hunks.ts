import { byteLength, cleanHunks, clipBytes } from '../lib/text.ts'
import type { Name } from './names.ts'

/** Neighbouring lines of a diff, by their indexes, that are shown together or not at all. */
type Piece = { readonly lines: readonly number[]; readonly bytes: number; readonly value: number }

/** As many lines are a piece, where no blank line ends it before. */
const MAX_LINES = 4
const GAP = '\n…'

/** The lines of a diff as they are shown. */
export function linesOf(patch: string): string[] {
  const isPlain = !/[^\t\n -~]/.test(patch)
  return (isPlain ? patch : cleanHunks(patch)).trimEnd().split('\n')
}

/** Writes the lines with these indexes, each after a line break, with `…` for each gap. */
export function writeLines(lines: readonly string[], kept: readonly number[]): string {
  const isGap = (at: number, index: number): boolean => at > (kept[index - 1] ?? -1) + 1
  return kept.map((at, index) => `${isGap(at, index) ? GAP : ''}\n${lines[at]}`).join('')
}

/**
 * Chooses what to show of a diff that is too large: first the lines that bring the most names for their bytes, then the
 * others from the top, imports and licences last.
 *
 * @returns indexes of lines, in order; as `writeLines` writes them they have at most so many bytes
 */
export function chooseLines(lines: readonly string[], names: readonly Name[], maxBytes: number): number[] {
  const pieces = divide(lines, names)
  const ratioOf = ({ value, bytes }: Piece): number => value / bytes
  const byValue = [...pieces.entries()].toSorted(([, one], [, other]) => ratioOf(other) - ratioOf(one))
  const chosen = new Set<number>()
  let left = maxBytes
  for (const [index, piece] of byValue) {
    const gaps = (index > 0 && !chosen.has(index - 1) ? 1 : 0) - (chosen.has(index + 1) ? 1 : 0)
    const bytes = piece.bytes + gaps * byteLength(GAP)
    // Of those without names, what comes first is shown, not what happens to fit.
    if (bytes > left && piece.value <= 0) break
    if (bytes > left) continue
    left -= bytes
    chosen.add(index)
  }
  return pieces.flatMap((piece, index) => (chosen.has(index) ? piece.lines : []))
}

function divide(lines: readonly string[], names: readonly Name[]): Piece[] {
  const values = new Map<number, number>()
  for (const { line, weight } of names) values.set(line, (values.get(line) ?? 0) + weight)
  const isMinor = markMinor(lines)
  const groups: number[][] = []
  for (const [at, line] of lines.entries()) {
    const group = groups.at(-1)
    const isFirst = /^(?:@@|[+\- ]?\s*$)/.test(line) || isMinor[at] !== isMinor[at - 1]
    if (group === undefined || group.length === MAX_LINES || isFirst) groups.push([at])
    else group.push(at)
  }
  return groups.map((group) => {
    const bytes = group.reduce((sum, at) => sum + byteLength(`\n${lines[at]}`), 0)
    const value = group.reduce((sum, at) => sum + (values.get(at) ?? 0), 0)
    // Below zero: after those without a name.
    return { lines: group, bytes, value: isMinor[group[0] ?? 0] ? -1 : value }
  })
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

/** Lines of a diff whose last one matters most: cut from the top, and said. */
export function renderHunk(hunk: string, maxBytes: number): string {
  if (hunk === '') return ''
  const lines = linesOf(hunk)
  const write = (above: number): string => {
    const note = `\n… (${above} ${above === 1 ? 'line' : 'lines'} above, left out here)`
    const title = '\nLines commented on (the comment is about the last one):'
    return [`${title}${above === 0 ? '' : note}`, ...lines.slice(above)].join('\n')
  }
  let above = 0
  while (above < lines.length - 1 && byteLength(write(above)) > maxBytes) above++
  // The line commented on is always there, cut if need be.
  return clipBytes(write(above), maxBytes)
}

import { byteLength, cleanHunks, clipBytes, oneLine } from '../lib/text.ts'
import type { Written } from './commit-messages.ts'
import { chooseNames, findNames, type Name, newsIn } from './names.ts'
import { choosePieces } from './pieces.ts'
import { type ChangedFile, kindOfNamed, RANKS, type Rank, rankOf } from './ranking.ts'

/** The smallest part of a file's diff that is worth showing. */
const MIN_SHARE_BYTES = 1200
/** For tests, CI and translations together, headers included. */
const MAX_BACKGROUND_BYTES = 8 * 1024
/** For the names that the diffs of cut and omitted files add or remove; as much for the headers of files without a diff. */
const MAX_NAMES_BYTES = 8 * 1024
/** For the note of how many are not named. */
const MAX_NOTE_BYTES = 150
/** As many files as are named at most. */
const MAX_FILES = 600
const MAX_PATH_BYTES = 300
/** For the paths of files that have the same change as the one shown. */
const MAX_TWINS_BYTES = 500
/** Room that is not worth another arrangement. */
const MAX_UNUSED_BYTES = 100

/** One change, shown once for all files that have it. */
type Part = {
  readonly file: ChangedFile
  readonly rank: Rank
  /** `modified src/cli.ts (+12 -3)` */
  readonly header: string
  /** Of the diff; none if it is not to be shown, or GitHub shows none. */
  readonly lines: readonly string[]
  /** Other files with the same added and removed lines. */
  readonly twins: readonly ChangedFile[]
  readonly names: readonly Name[]
  /** How many of the names readers are likely to look for. */
  readonly news: number
  /** Of header, lines and notes, in bytes. */
  readonly size: number
}

/** `whole`: of how many files all is shown that there is to show. */
type ShownFiles = Written & { readonly isCut: boolean; readonly whole: number }

/**
 * Each file under a header, with as much of its diff as there is room for, and the names in what is left out.
 *
 * @param room `told`: what the prompt says beside the files: names in there are not told again
 */
export function renderFiles(
  files: readonly ChangedFile[],
  room: { readonly maxBytes: number; readonly told: string },
): ShownFiles {
  const parts = rankParts(files, true)
  const listBytes = Math.max(0, Math.min(MAX_NAMES_BYTES, Math.floor(room.maxBytes / 4)))
  let diffBytes = room.maxBytes - 2 * listBytes
  let best = arrange(parts, diffBytes, { ...room, listBytes })
  let unused = room.maxBytes - byteLength(best.text)
  // Room that names and headers do not need goes to the diffs; what changes thereby may take a part of it back.
  for (let round = 0; round < 4 && (unused < 0 || unused > MAX_UNUSED_BYTES); round++) {
    diffBytes += unused - MAX_UNUSED_BYTES / 2
    const next = arrange(parts, diffBytes, { ...room, listBytes })
    unused = room.maxBytes - byteLength(next.text)
    if (unused >= 0 && byteLength(next.text) > byteLength(best.text)) best = next
  }
  return best
}

/** The headers alone. */
export function listFiles(files: readonly ChangedFile[], maxBytes: number): Written {
  return listParts(rankParts(files, false), new Map(), { maxBytes, maxFiles: MAX_FILES })
}

/** Files with the same change are one part; the order is that in which they are shown. */
function rankParts(files: readonly ChangedFile[], withLines: boolean): Part[] {
  const names = findNames(files)
  const all = files.map((file) => {
    const rank = rankOf(file)
    return { file, rank, lines: withLines && rank !== 'named' && file.patch ? linesOf(file.patch) : [] }
  })
  const parts = [...Map.groupBy(all, changeOf).values()].flatMap(([one, ...others]) => {
    if (one === undefined) return []
    const own = names.get(one.file) ?? []
    const twins = others.map(({ file }) => file)
    const part = { ...one, header: describeFile(one.file), twins, names: own, news: newsIn(own) }
    return [{ ...part, size: byteLength(writeDiff(part, [...one.lines.keys()])) }]
  })
  const byRank = (one: Part, other: Part): number => RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank)
  return parts.toSorted((one, other) => byRank(one, other) || other.news - one.news)
}

/** The lines of a diff as they are shown. */
function linesOf(patch: string): string[] {
  const isPlain = !/[^\t\n -~]/.test(patch)
  return (isPlain ? patch : cleanHunks(patch)).trimEnd().split('\n')
}

/** What files of one rank with the same change have in common; the file itself where there is no diff to compare. */
function changeOf({ file, rank, lines }: Pick<Part, 'file' | 'rank' | 'lines'>): unknown {
  return lines.length === 0 ? file : [rank, ...lines.filter((line) => /^[+-]/.test(line))].join('\n')
}

/** What happened to a file: `renamed src/a.ts to src/b.ts (+3 -1)`. */
function describeFile(file: ChangedFile): string {
  const { status, path, oldPath, added, removed, patch } = file
  const where = path === oldPath ? shortPath(path) : `${shortPath(oldPath)} to ${shortPath(path)}`
  const lines = added + removed === 0 ? '' : ` (+${added} -${removed})`
  const kind = patch ? kindOfNamed(file) : undefined
  const without = patch === undefined ? ' (GitHub shows no diff)' : kind && ` (${kind}: only named)`
  return `${status} ${where}${lines}${without ?? ''}`
}

function shortPath(path: string): string {
  return clipBytes(oneLine(path), MAX_PATH_BYTES)
}

/** Shows diffs in so many bytes; names and headers of the rest come on top. */
function arrange(
  parts: readonly Part[],
  diffBytes: number,
  { listBytes, told }: { readonly listBytes: number; readonly told: string },
): ShownFiles {
  const shares = shareAmongParts(parts, diffBytes)
  const shown = parts.map((part) => ({ part, kept: linesThatFit(part, shares.get(part) ?? 0) }))
  const cut = shown.filter(({ part, kept }) => kept.length < part.lines.length)
  const names = chooseNames(new Map(cut.map(({ part }) => [part.file, part.names])), {
    told: [told, ...shown.flatMap(({ part, kept }) => kept.map((at) => part.lines[at]))].join('\n'),
    maxBytes: listBytes,
  })
  const withDiff = shown.filter(({ kept }) => kept.length > 0)
  const diffs = withDiff.map(({ part, kept }) => writeDiff(part, kept, names.get(part.file)))
  const rest = shown.filter(({ kept }) => kept.length === 0).map(({ part }) => part)
  const list = listParts(rest, names, { maxBytes: listBytes, maxFiles: MAX_FILES - withDiff.length })
  const whole = withDiff.filter(({ part, kept }) => kept.length === part.lines.length)
  const [count, wholeCount] = [countFiles(withDiff) + list.count, countFiles(whole)]
  return { text: [...diffs, list.text].join(''), isCut: cut.length > 0, count, whole: wholeCount }
}

function countFiles(shown: readonly { readonly part: Part }[]): number {
  return shown.reduce((sum, { part }) => sum + 1 + part.twins.length, 0)
}

/** How many bytes each part may have. Tests, CI and translations get what the others leave. */
function shareAmongParts(parts: readonly Part[], maxBytes: number): ReadonlyMap<Part, number> {
  const withDiff = parts.filter(({ lines }) => lines.length > 0).slice(0, MAX_FILES)
  const background = withDiff.filter(({ rank }) => rank === 'background')
  const main = withDiff.filter(({ rank }) => rank !== 'background')
  const newsFirst = main.toSorted((one, other) => Number(other.news > 0) - Number(one.news > 0))
  const shares = takeInOrder(newsFirst, maxBytes)
  const left = [...shares.values()].reduce((rest, share) => rest - share, maxBytes)
  // Those without a diff are still named.
  const headers = byteLength(background.map(({ header }) => `\n${header}`).join(''))
  const most = Math.min(left, MAX_BACKGROUND_BYTES - headers)
  return new Map([...shares, ...takeInOrder(background, most)])
}

/** Takes parts while each can have its diff or a useful part of it; those share what is left. */
function takeInOrder(parts: readonly Part[], maxBytes: number): Map<Part, number> {
  const least = ({ size }: Part): number => Math.min(size, MIN_SHARE_BYTES)
  const taken = parts.slice(0, countFitting(parts.map(least), maxBytes))
  const left = taken.reduce((rest, part) => rest - least(part), maxBytes)
  const weights = taken.map(({ rank, news }) => (rank === 'readers' ? 2 : 1) * (1 + news))
  const needs = taken.map((part) => part.size - least(part))
  const more = shareRoom(needs, left, weights)
  return new Map(taken.map((part, index) => [part, least(part) + (more[index] ?? 0)]))
}

function linesThatFit(part: Part, maxBytes: number): readonly number[] {
  if (part.size <= maxBytes) return [...part.lines.keys()]
  if (maxBytes === 0) return []
  return choosePieces(part.lines, part.names, maxBytes - byteLength(writeDiff(part, [])))
}

/** How many things of these sizes fit, taken in order. */
function countFitting(sizes: readonly number[], maxBytes: number): number {
  let left = maxBytes
  const tooMany = sizes.findIndex((size) => {
    left -= size
    return left < 0
  })
  return tooMany === -1 ? sizes.length : tooMany
}

/**
 * @param kept indexes of the lines to show
 * @param names those of the lines that are left out
 */
function writeDiff(
  { header, lines, twins }: Omit<Part, 'size'>,
  kept: readonly number[],
  names = '',
): string {
  const left = lines.length - kept.length
  const leftOut = `${left} more ${left === 1 ? 'line' : 'lines'} of this file's diff, left out here`
  const paths = clipBytes(twins.map(({ path }) => shortPath(path)).join(', '), MAX_TWINS_BYTES)
  return [
    `\n${header}`,
    ...kept.map((at, index) => `${at > (kept[index - 1] ?? -1) + 1 ? '\n…' : ''}\n${lines[at]}`),
    left === 0 ? '' : `\n… (${leftOut}${names === '' ? '' : `: ${names}`})`,
    twins.length === 0 ? '' : `\n… (the same change in ${twins.length} more: ${paths})`,
  ].join('')
}

/** Headers of files without a diff, each with the names in it; first those that have any. */
function listParts(
  parts: readonly Part[],
  names: ReadonlyMap<ChangedFile, string>,
  { maxBytes, maxFiles }: { readonly maxBytes: number; readonly maxFiles: number },
): Written {
  const lineOf = ({ header, twins }: Part): string =>
    `\n${header}${twins.length === 0 ? '' : `, the same change in ${twins.length} more`}`
  const namesOf = ({ file }: Part): string => (names.has(file) ? `: ${names.get(file)}` : '')
  const order = ({ file }: Part): number => (names.has(file) ? 0 : 1)
  const inOrder = parts.toSorted((one, other) => order(one) - order(other))
  const sizes = inOrder.map((part) => byteLength(lineOf(part)))
  const count = Math.min(maxFiles, countFitting(sizes, maxBytes - MAX_NOTE_BYTES))
  const shown = inOrder.slice(0, count)
  const lines = shown.map((part) => `${lineOf(part)}${namesOf(part)}`).join('')
  const rest = inOrder.slice(count).flatMap(({ rank, twins }) => [rank, ...twins.map(() => rank)])
  const minor = rest.filter((rank) => rank === 'background' || rank === 'named').length
  const which = minor === 0 ? '' : `, ${minor} of them tests, translations, generated or the like`
  const note = rest.length === 0 ? '' : `\n… (${rest.length} more files, not named here${which})`
  return { text: `${lines}${note}`, count: countFiles(shown.map((part) => ({ part }))) }
}

/** Lines of a diff whose last one matters most: cut from the top, and said. */
export function renderHunk(hunk: string, maxBytes: number): string {
  if (hunk === '') return ''
  const title = '\nLines commented on (the comment is about the last one):'
  const lines = cleanHunks(hunk).trimEnd().split('\n')
  const noteOf = (above: number): string =>
    above === 0 ? '' : `\n… (${above} ${above === 1 ? 'line' : 'lines'} above, left out here)`
  const left = maxBytes - byteLength(`${title}${noteOf(lines.length)}`)
  const sizes = lines.map((line) => byteLength(`\n${line}`))
  const kept = countFitting(sizes.toReversed(), left)
  // The line commented on is always there, cut if need be.
  const shown = kept > 0 ? lines.slice(-kept) : [clipBytes(lines.at(-1) ?? '', left - 1)]
  return [`${title}${noteOf(lines.length - shown.length)}`, ...shown].join('\n')
}

/**
 * Shares room among things of these sizes: small ones get what they need, large ones what is left, by weight.
 *
 * @returns what each may have, in bytes
 */
export function shareRoom(sizes: readonly number[], maxBytes: number, weights = sizes.map(() => 1)) {
  const shares = sizes.map(() => 0)
  let left = Math.max(0, maxBytes)
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0)
  const things = sizes.map((size, index) => ({ index, size, weight: weights[index] ?? 1 }))
  const smallestFirst = things.toSorted((one, other) => one.size / one.weight - other.size / other.weight)
  for (const { index, size, weight } of smallestFirst) {
    const share = Math.min(size, Math.floor((left * weight) / weightLeft))
    shares[index] = share
    left -= share
    weightLeft -= weight
  }
  return shares
}

import { byteLength, clipBytes } from '../lib/text.ts'
import { chooseLines, linesOf, writeLines } from './hunks.ts'
import { chooseNames, findNames, type Name, newsIn } from './names.ts'
import { type ChangedFile, describeFile, RANKS, type Rank, rankOf, shortPath } from './ranking.ts'

/** The smallest part of a file's diff that is worth showing. */
const MIN_DIFF_BYTES = 1200
/** For tests, CI and translations together, headers included. */
const MAX_BACKGROUND_BYTES = 8 * 1024
/** For the names that the diffs of cut and omitted files add or remove; as much for the headers of files without a diff. */
const MAX_NAMES_BYTES = 8 * 1024
/** For the note of how many are not named. */
const MAX_NOTE_BYTES = 150
/** As many files as are named at most. */
const MAX_FILES = 600
/** For the paths of files that have the same change as the one shown. */
const MAX_DUPLICATES_BYTES = 500
/** So few unused bytes are not worth another arrangement. */
const MAX_UNUSED_BYTES = 100
const MAX_ARRANGEMENTS = 5

/** A part of the block, and how many of its things are in it. */
export type Written = { readonly text: string; readonly count: number }

/** One change, shown once for all files that have it. */
type Part = {
  readonly file: ChangedFile
  readonly rank: Rank
  /** `modified src/cli.ts (+12 -3)` */
  readonly header: string
  /** Of the diff; none if it is not to be shown, or GitHub shows none. */
  readonly lines: readonly string[]
  /** Other files with the same added and removed lines. */
  readonly duplicates: readonly ChangedFile[]
  readonly names: readonly Name[]
  /** How many of the names readers are likely to look for. */
  readonly news: number
  /** Of header, lines and notes, in bytes. */
  readonly size: number
}

/** `whole`: of how many files all is shown that there is to show. */
type ShownFiles = Written & { readonly isCut: boolean; readonly whole: number }

/**
 * Each file under a header, with as much of its diff as fits, and the names in what is left out.
 *
 * @param shownText what the prompt says before the files: names in there are not shown again
 */
export function renderFiles(files: readonly ChangedFile[], maxBytes: number, shownText: string): ShownFiles {
  const parts = rankParts(files, true)
  const listBytes = Math.max(0, Math.min(MAX_NAMES_BYTES, Math.floor(maxBytes / 4)))
  let diffBytes = maxBytes - 2 * listBytes
  let best: ShownFiles = { text: '', isCut: files.length > 0, count: 0, whole: 0 }
  // Bytes that names and headers do not need go to the diffs; what changes thereby may take a part of it back.
  for (let round = 0; round < MAX_ARRANGEMENTS; round++) {
    const next = arrange(parts, { diffBytes, listBytes, shownText })
    const unused = maxBytes - byteLength(next.text)
    if (unused >= 0 && byteLength(next.text) > byteLength(best.text)) best = next
    if (unused >= 0 && unused <= MAX_UNUSED_BYTES) break
    diffBytes += unused - MAX_UNUSED_BYTES / 2
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
  const byChange = Map.groupBy(all, ({ file, rank, lines }) =>
    lines.length === 0 ? file : [rank, ...lines.filter((line) => /^[+-]/.test(line))].join('\n'),
  )
  const parts = [...byChange.values()].flatMap(([one, ...others]) => {
    if (one === undefined) return []
    const own = names.get(one.file) ?? []
    const duplicates = others.map(({ file }) => file)
    const part = { ...one, header: describeFile(one.file), duplicates, names: own, news: newsIn(own) }
    return [{ ...part, size: byteLength(writeDiff(part, [...one.lines.keys()])) }]
  })
  const byRank = (one: Part, other: Part): number => RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank)
  return parts.toSorted((one, other) => byRank(one, other) || other.news - one.news)
}

type Budget = { readonly diffBytes: number; readonly listBytes: number; readonly shownText: string }

/** Shows diffs in so many bytes; names and headers of the rest come on top. */
function arrange(parts: readonly Part[], { diffBytes, listBytes, shownText }: Budget): ShownFiles {
  const shares = shareAmongParts(parts, diffBytes)
  const shown = parts.map((part) => ({ part, kept: linesThatFit(part, shares.get(part) ?? 0) }))
  const cut = shown.filter(({ part, kept }) => kept.length < part.lines.length)
  const shownLines = shown.flatMap(({ part, kept }) => kept.map((at) => part.lines[at]))
  const names = chooseNames(new Map(cut.map(({ part }) => [part.file, part.names])), {
    shownText: [shownText, ...shownLines].join('\n'),
    maxBytes: listBytes,
  })
  const withDiff = shown.filter(({ kept }) => kept.length > 0)
  const diffs = withDiff.map(({ part, kept }) => writeDiff(part, kept, names.get(part.file)))
  const rest = shown.filter(({ kept }) => kept.length === 0).map(({ part }) => part)
  const list = listParts(rest, names, { maxBytes: listBytes, maxFiles: MAX_FILES - withDiff.length })
  const whole = withDiff.filter(({ part, kept }) => kept.length === part.lines.length)
  return {
    text: [...diffs, list.text].join(''),
    isCut: cut.length > 0,
    count: countFiles(withDiff.map(({ part }) => part)) + list.count,
    whole: countFiles(whole.map(({ part }) => part)),
  }
}

function countFiles(parts: readonly Part[]): number {
  return parts.reduce((sum, { duplicates }) => sum + 1 + duplicates.length, 0)
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
  const backgroundBytes = Math.min(left, MAX_BACKGROUND_BYTES - headers)
  return new Map([...shares, ...takeInOrder(background, backgroundBytes)])
}

/** Takes parts while each can have its diff or a useful part of it; those share what is left. */
function takeInOrder(parts: readonly Part[], maxBytes: number): Map<Part, number> {
  const minimumOf = ({ size }: Part): number => Math.min(size, MIN_DIFF_BYTES)
  const taken = parts.slice(0, countFitting(parts.map(minimumOf), maxBytes))
  const left = taken.reduce((rest, part) => rest - minimumOf(part), maxBytes)
  const weights = taken.map(({ rank, news }) => (rank === 'readers' ? 2 : 1) * (1 + news))
  const needs = taken.map((part) => part.size - minimumOf(part))
  const more = shareBytes(needs, left, weights)
  return new Map(taken.map((part, index) => [part, minimumOf(part) + (more[index] ?? 0)]))
}

function linesThatFit(part: Part, maxBytes: number): readonly number[] {
  if (part.size <= maxBytes) return [...part.lines.keys()]
  if (maxBytes === 0) return []
  return chooseLines(part.lines, part.names, maxBytes - byteLength(writeDiff(part, [])))
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
function writeDiff({ header, lines, duplicates }: Omit<Part, 'size'>, kept: readonly number[], names = '') {
  const left = lines.length - kept.length
  const leftOut = `${left} more ${left === 1 ? 'line' : 'lines'} of this file's diff, left out here`
  const paths = clipBytes(duplicates.map(({ path }) => shortPath(path)).join(', '), MAX_DUPLICATES_BYTES)
  return [
    `\n${header}${writeLines(lines, kept)}`,
    left === 0 ? '' : `\n… (${leftOut}${names === '' ? '' : `: ${names}`})`,
    duplicates.length === 0 ? '' : `\n… (the same change in ${duplicates.length} more: ${paths})`,
  ].join('')
}

/** Headers of files without a diff, each with the names in it; first those that have any. */
function listParts(
  parts: readonly Part[],
  names: ReadonlyMap<ChangedFile, string>,
  { maxBytes, maxFiles }: { readonly maxBytes: number; readonly maxFiles: number },
): Written {
  const lineOf = ({ header, duplicates }: Part): string =>
    `\n${header}${duplicates.length === 0 ? '' : `, the same change in ${duplicates.length} more`}`
  const namesOf = ({ file }: Part): string => (names.has(file) ? `: ${names.get(file)}` : '')
  const inOrder = [
    ...parts.filter(({ file }) => names.has(file)),
    ...parts.filter(({ file }) => !names.has(file)),
  ]
  const sizes = inOrder.map((part) => byteLength(lineOf(part)))
  const count = Math.min(maxFiles, countFitting(sizes, maxBytes - MAX_NOTE_BYTES))
  const shown = inOrder.slice(0, count)
  const rest = inOrder.slice(count)
  const lines = shown.map((part) => `${lineOf(part)}${namesOf(part)}`).join('')
  const minor = countFiles(rest.filter(({ rank }) => rank === 'background' || rank === 'named'))
  const which = minor === 0 ? '' : `, ${minor} of them tests, translations, generated or the like`
  const note = rest.length === 0 ? '' : `\n… (${countFiles(rest)} more files, not named here${which})`
  return { text: `${lines}${note}`, count: countFiles(shown) }
}

/**
 * Shares bytes among things of these sizes: small ones get what they need, large ones what is left, by weight.
 *
 * @returns what each may have
 */
export function shareBytes(sizes: readonly number[], maxBytes: number, weights = sizes.map(() => 1)) {
  const shares = sizes.map(() => 0)
  let left = Math.max(0, maxBytes)
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0)
  const things = sizes.map((size, index) => ({ index, size, weight: weights[index] ?? 1 }))
  for (const { index, size, weight } of things.toSorted((a, b) => a.size / a.weight - b.size / b.weight)) {
    const share = Math.min(size, Math.floor((left * weight) / weightLeft))
    shares[index] = share
    left -= share
    weightLeft -= weight
  }
  return shares
}

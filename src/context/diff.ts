import { byteLength, cleanHunks, clipBytes, oneLine } from '../lib/text.ts'

/** A changed file, as GitHub lists it. */
export type ChangedFile = {
  /** `added`, `modified`, `removed`, `renamed`, … */
  readonly status: string
  readonly path: string
  /** Where it was before it was renamed or copied; else the same as `path`. */
  readonly oldPath: string
  /** Its hunks; empty if there are none to show, `undefined` if GitHub has none: binary, empty or too large. */
  readonly patch: string | undefined
}

/** Maximum number of bytes of a path. */
const MAX_PATH_BYTES = 300
/** Maximum number of bytes of a note that names files. */
const MAX_NOTE_BYTES = 1000

/** What happened to a file: `modified src/flag.ts`. */
export function describeFile({ status, path, oldPath }: ChangedFile): string {
  if (path === oldPath) return `${status} ${shortPath(path)}`
  return `${status} ${shortPath(oldPath)} to ${shortPath(path)}`
}

/**
 * Shares room among things of these sizes: the small ones get what they need, the large ones equal parts of what is
 * left. Returns what each may have.
 */
export function shareRoom(sizes: readonly number[], room: number): number[] {
  const shares = sizes.map(() => 0)
  let left = Math.max(0, room)
  const smallestFirst = [...sizes.entries()].sort(([, one], [, other]) => one - other)
  for (const [rank, [index, size]] of smallestFirst.entries()) {
    const share = Math.min(size, Math.floor(left / (sizes.length - rank)))
    shares[index] = share
    left -= share
  }
  return shares
}

/**
 * The diff of files, each under a `diff --git` line, in at most `room` bytes. Files that people don't write come last
 * and get what the others leave. What is left out is said. Empty if there is nothing to say.
 */
export function renderDiff(files: readonly ChangedFile[], room: number): string {
  const title = '\nDiff:'
  const hidden = files.filter(({ patch }) => patch === undefined).map(({ path }) => shortPath(path))
  const hiddenNote = namingNote('binary, empty or too large for GitHub to show', hidden)
  const diffs = files.filter(({ patch = '' }) => patch !== '').map(fileDiff)
  const body = showFiles(diffs, room - byteLength(title) - byteLength(hiddenNote))
  const text = `${title}${body}${hiddenNote}`
  return text === title || byteLength(text) > room ? '' : text
}

/** Shows what there is room for, and names the files that there is none for. */
function showFiles(diffs: readonly FileDiff[], room: number): string {
  let noteBytes = 0
  for (;;) {
    const shown = shareAmong(diffs, room - noteBytes)
    const omitted = shown.filter(({ text }) => text === '').map(({ path }) => path)
    const note = namingNote('no room for the diff of', omitted)
    if (byteLength(note) <= noteBytes) return [...shown.map(({ text }) => text), note].join('')
    noteBytes = byteLength(note)
  }
}

type ShownDiff = { readonly path: string; readonly text: string }

/** What people write gets room first; lock files, minified and generated ones share what is left. */
function shareAmong(diffs: readonly FileDiff[], room: number): ShownDiff[] {
  const written = diffs.filter(({ isWritten }) => isWritten)
  const generated = diffs.filter(({ isWritten }) => !isWritten)
  const shares = shareRoom(
    written.map(({ size }) => size),
    room,
  )
  const left = shares.reduce((rest, share) => rest - share, room)
  const sharesOfRest = shareRoom(
    generated.map(({ size }) => size),
    left,
  )
  return [
    ...written.map((file, index) => cutDiff(file, shares[index] ?? 0)),
    ...generated.map((file, index) => cutDiff(file, sharesOfRest[index] ?? 0)),
  ]
}

/** A hunk whose last line is the one that matters: cut from the top, and said. */
export function renderHunk(hunk: string, room: number): string {
  if (hunk === '') return ''
  const title = '\nLines commented on (the comment is about the last one):'
  const lines = cleanHunks(hunk).trimEnd().split('\n')
  let left = room - byteLength(title) - byteLength(`\n${linesAboveNote(lines.length)}`)
  let from = lines.length
  while (from > 0) {
    left -= byteLength(`\n${lines[from - 1]}`)
    if (left < 0) break
    from -= 1
  }
  const [last = ''] = lines.slice(-1)
  // The line commented on is always there, cut if need be.
  const isCut = from === lines.length
  const shown = isCut ? [clipBytes(last, left + byteLength(last))] : lines.slice(from)
  const linesAbove = isCut ? from - 1 : from
  const above = linesAbove === 0 ? [] : [linesAboveNote(linesAbove)]
  return [title, ...above, ...shown].join('\n')
}

type FileDiff = {
  readonly path: string
  readonly header: string
  readonly lines: readonly string[]
  /** Of header and lines, in bytes. */
  readonly size: number
  /** Whether people write this file. */
  readonly isWritten: boolean
}

function fileDiff(file: ChangedFile): FileDiff {
  const [path, oldPath] = [shortPath(file.path), shortPath(file.oldPath)]
  const header = `\ndiff --git a/${oldPath} b/${path}`
  const hunks = cleanHunks(file.patch ?? '').trimEnd()
  const size = byteLength(`${header}\n${hunks}`)
  return { path, header, lines: hunks.split('\n'), size, isWritten: !isGenerated(file) }
}

/** As many of a file's lines as fit, and how many are left out; empty if none fits. */
function cutDiff({ path, header, lines, size }: FileDiff, room: number): ShownDiff {
  if (size <= room) return { path, text: [header, ...lines].join('\n') }
  let left = room - byteLength(header) - byteLength(`\n${moreLinesNote(lines.length)}`)
  let kept = 0
  while (kept < lines.length) {
    left -= byteLength(`\n${lines[kept]}`)
    if (left < 0) break
    kept += 1
  }
  const shown = [header, ...lines.slice(0, kept), moreLinesNote(lines.length - kept)].join('\n')
  return { path, text: kept === 0 ? '' : shown }
}

function moreLinesNote(count: number): string {
  return `… (${count} more ${count === 1 ? 'line' : 'lines'} of this file's diff, left out here)`
}

function linesAboveNote(count: number): string {
  return `… (${count} ${count === 1 ? 'line' : 'lines'} above, left out here)`
}

/** `… (no room for the diff of: a, b and 3 more)`; empty without paths. */
function namingNote(what: string, paths: readonly string[]): string {
  if (paths.length === 0) return ''
  const note = (named: number): string => {
    const more = paths.length - named
    const rest = more === 0 ? '' : `${named === 0 ? '' : ' and '}${more}${named === 0 ? ' files' : ' more'}`
    return `\n… (${what}: ${paths.slice(0, named).join(', ')}${rest})`
  }
  let named = 0
  while (named < paths.length && byteLength(note(named + 1)) <= MAX_NOTE_BYTES) named += 1
  return note(named)
}

function shortPath(path: string): string {
  return clipBytes(oneLine(path), MAX_PATH_BYTES)
}

const GENERATED_PATHS: readonly RegExp[] = [
  // Lock files.
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|packages\.lock\.json|bun\.lockb|go(?:\.work)?\.sum|gradle\.lockfile|\.terraform\.lock\.hcl|Package\.resolved)$/,
  /\.lock$/,
  // Minified and compiled.
  /[.-]min\.(?:js|mjs|cjs|css)$|\.bundle\.js$|\.map$/,
  /(?:^|\/)(?:dist|node_modules|vendor|generated|__generated__|__snapshots__)\//,
  // Written by generators.
  /\.(?:pb\.go|pb\.cc|pb\.h|g\.dart|freezed\.dart|designer\.cs|snap)$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:js|d\.ts)$/,
  /[._-](?:generated|gen)\.\w+$/,
]

/** Average length of a line from which on a file counts as minified. */
const MINIFIED_LINE_LENGTH = 500

/** Whether people don't write a file: lock files, minified and generated ones. */
export function isGenerated({ path, patch = '' }: ChangedFile): boolean {
  if (GENERATED_PATHS.some((pattern) => pattern.test(path))) return true
  const lines = patch.split('\n')
  if (patch.length / lines.length >= MINIFIED_LINE_LENGTH) return true
  return /@generated\b|\bcode generated\b.*\bdo not edit\b/i.test(lines.slice(0, 10).join('\n'))
}

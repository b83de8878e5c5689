import type { FromGitHub, GitHub, Maybe } from '../github/client.ts'
import { GitHubError, graphqlError, isTooLarge } from '../github/github-errors.ts'
import type { ComparedCommit, Comparison } from '../github/pull-requests.ts'
import { takeFitting } from '../lib/text.ts'
import { type ChangedFile, isGeneratedText, RANKS, rankFiles } from './ranks.ts'

/** The calls that are made to GitHub. */
type Reader = Pick<GitHub, 'call' | 'graphql' | 'attempt' | 'repository'>

/** The two commits of a change, as SHAs or names. Without `base`, the head commit is the first one. */
type Ends = { readonly base: string | undefined; readonly head: string }

/** What GitHub lists of a change. */
type Listing = {
  readonly files: readonly ChangedFile[]
  /** How many files GitHub lists at most. */
  readonly maxFiles: number
  /** Finds the commits to compare; called only if something is missing. `undefined` if they can't be known. */
  readonly findEnds: () => Promise<Ends | undefined>
  /** Whether a file's diff is wanted. */
  readonly isWanted: (file: ChangedFile) => boolean
  /** How many requests were made already because the change is large. */
  readonly spent?: number
}

type WholeChange = {
  readonly files: readonly ChangedFile[]
  /** How many files have changed; `undefined` if there may be more than these. */
  readonly fileCount: number | undefined
}

/** How many requests a large change takes at most. */
const MAX_EXTRA_REQUESTS = 5
const TREE_REQUESTS = 2
const MAX_FILE_REQUESTS = 3
const FILES_A_REQUEST = 40

/**
 * Adds what GitHub leaves out of a large change: the files that it doesn't list, from the trees of both commits, and the
 * diffs of the files that readers notice most, from their texts.
 *
 * @throws {GitHubError}
 */
export async function completeFiles(listing: Listing, github: Reader): Promise<WholeChange> {
  const { files: listed, maxFiles, findEnds, isWanted, spent = 0 } = listing
  const isListedWhole = listed.length < maxFiles
  const asListed = { files: listed, fileCount: isListedWhole ? listed.length : undefined }
  // A file that was only renamed has no diff, either.
  const lacksDiffs = chooseFiles(listed.filter(isWanted)).some(
    (file) => hasCounts(file) || file.status !== 'renamed',
  )
  if (isListedWhole && !lacksDiffs) return asListed
  const ends = await findEnds()
  if (ends === undefined) return asListed
  const trees = isListedWhole ? undefined : await readTrees(ends, github)
  const files = trees ? addUnlisted(listed, trees) : listed
  const left = MAX_EXTRA_REQUESTS - spent - (isListedWhole ? 0 : TREE_REQUESTS)
  const maxRequests = Math.min(MAX_FILE_REQUESTS, left)
  const wanted = chooseFiles(files.filter(isWanted), trees).slice(0, FILES_A_REQUEST * maxRequests)
  const read = await readDiffs({ wanted, ends, maxRequests, trees }, github)
  const shown = files.map((file) => read.get(file.path) ?? withoutFalseCounts(file))
  return { files: shown, fileCount: isListedWhole || trees ? files.length : undefined }
}

/** Whether GitHub couldn't make a diff, as of a very large change: its files can still be found in the trees. */
export function isTooLargeToCompare({ message }: GitHubError): boolean {
  return /\bdiff\b|taking too long|too large/i.test(message)
}

/**
 * Finds the commit where one branch left another; `undefined` if GitHub doesn't know one of them or can't compare them.
 *
 * @throws {GitHubError}
 */
export async function findMergeBase(
  base: string,
  head: string,
  github: Reader,
): Promise<string | undefined> {
  const basehead = `${base}...${head}`
  const compared = await github.attempt(() =>
    github.call<Maybe<Comparison>>(({ rest }) =>
      // Only the first page has files, which are known already.
      rest.repos.compareCommitsWithBasehead({
        ...github.repository,
        basehead,
        per_page: 1,
        page: 2,
      }),
    ),
  )
  if (compared.known) return compared.value?.merge_base_commit?.sha ?? undefined
  if (compared.error.status === 404 || isTooLargeToCompare(compared.error)) return undefined
  throw compared.error
}

/** How many commits are listed if GitHub can't compare. */
const MAX_COMMITS_LISTED = 100

/**
 * Lists the commits of a change that GitHub can't compare, oldest first.
 *
 * @returns `isWhole`: whether the base was found, so that these are all
 * @throws {GitHubError}
 */
export async function listCommitsSince(base: string, head: string, github: Reader) {
  const listed = await github.call<readonly ComparedCommit[]>(({ rest }) =>
    rest.repos.listCommits({ ...github.repository, sha: head, per_page: MAX_COMMITS_LISTED }),
  )
  const end = listed.findIndex(({ sha }) => sha === base)
  const commits = listed.slice(0, end < 0 ? undefined : end).toReversed()
  return { commits, isWhole: end >= 0 || listed.length < MAX_COMMITS_LISTED }
}

/** Files of these types have no lines. */
const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|zst|7z|tar|jar|war|whl|woff2?|ttf|otf|eot|mp[34]|m4a|mov|avi|webm|wav|ogg|flac|bin|exe|dll|so|dylib|a|o|class|pyc|parquet|sqlite3?|db|onnx|pt|docx?|xlsx?|pptx?)$/i

function hasCounts({ added = 0, removed = 0 }: ChangedFile): boolean {
  return added + removed > 0
}

/** Removes the counts of a file if GitHub shows neither its diff nor its lines. */
function withoutFalseCounts(file: ChangedFile): ChangedFile {
  const isUnknown = file.patch === undefined && !hasCounts(file) && !BINARY.test(file.path)
  return isUnknown ? { ...file, added: undefined, removed: undefined } : file
}

/** A file in a commit. `type`: `blob`, or `commit` for a submodule. `mode`: `120000` for a symbolic link. */
type TreeEntry = FromGitHub<{ path: string; mode: string; type: string; sha: string; size: number }>

type TreeAnswer = FromGitHub<{ tree: readonly Maybe<TreeEntry>[]; truncated: boolean }>

type Tree = ReadonlyMap<string, TreeEntry>
type Trees = { readonly before: Tree; readonly after: Tree }

/** Reads the files of both commits; `undefined` if GitHub doesn't list all of them. */
async function readTrees({ base, head }: Ends, github: Reader): Promise<Trees | undefined> {
  const [before, after] = await Promise.all([
    base === undefined ? new Map() : readTree(base, github),
    readTree(head, github),
  ])
  return before && after && { before, after }
}

async function readTree(ref: string, github: Reader): Promise<Tree | undefined> {
  const read = await github.attempt(() =>
    github.call<TreeAnswer>(({ rest }) =>
      rest.git.getTree({ ...github.repository, tree_sha: ref, recursive: '1' }),
    ),
  )
  // The commit may be gone meanwhile.
  if (!read.known && read.error.status === 404) return undefined
  if (!read.known) throw read.error
  const { tree, truncated } = read.value
  if (!Array.isArray(tree)) throw new GitHubError('GitHub returned something that is not a tree')
  if (truncated === true) return undefined
  const entries = tree.filter((entry) => entry != null && entry.type !== 'tree')
  return new Map(entries.map((entry) => [entry.path ?? '', entry]))
}

/** Adds the changed files that aren't listed. One that was moved without a change is renamed. */
function addUnlisted(listed: readonly ChangedFile[], { before, after }: Trees): ChangedFile[] {
  const known = new Set(listed.flatMap(({ path, oldPath }) => [path, oldPath]))
  const isUnlisted = ([path]: readonly [string, TreeEntry]): boolean => !known.has(path)
  const kept = [...after].filter(isUnlisted)
  const removed = [...before].filter(isUnlisted).filter(([path]) => !after.has(path))
  const bySha = new Map(removed.map(([path, { sha }]) => [sha, path]))
  const files: ChangedFile[] = []
  for (const [path, entry] of kept) {
    const old = before.get(path)
    if (old?.sha === entry.sha && old?.mode === entry.mode) continue
    const oldPath = old ? path : bySha.get(entry.sha)
    if (old === undefined) bySha.delete(entry.sha)
    const isMoved = old === undefined && oldPath !== undefined
    const status = isMoved ? 'renamed' : old ? 'modified' : 'added'
    // The same text under another path, or with another mode, has an empty diff.
    const patch = isMoved || old?.sha === entry.sha ? '' : submodulePatch(old, entry)
    files.push(fileOf(status, path, patch, oldPath))
  }
  const moved = new Set(files.map(({ oldPath }) => oldPath))
  const gone = removed.filter(([path]) => !moved.has(path))
  return [
    ...listed,
    ...files,
    ...gone.map(([path, entry]) => fileOf('removed', path, submodulePatch(entry, undefined))),
  ]
}

function fileOf(
  status: string,
  path: string,
  patch: string | undefined,
  oldPath = path,
): ChangedFile {
  return { status, path, oldPath, ...countLines(patch), patch }
}

/** Describes a change of a submodule as git does; `undefined` if neither version is one. */
function submodulePatch(before: Maybe<TreeEntry>, after: Maybe<TreeEntry>): string | undefined {
  const [old, made] = [before, after].map((entry) => (entry?.type === 'commit' ? entry.sha : null))
  if (!old && !made) return undefined
  const removed = old ? `\n-Subproject commit ${old}` : ''
  const added = made ? `\n+Subproject commit ${made}` : ''
  return `@@ -${old ? '1' : '0,0'} +${made ? '1' : '0,0'} @@${removed}${added}`
}

/** Counts the lines of a diff without its hunks' headers. */
function countLines(patch: string | undefined): Pick<ChangedFile, 'added' | 'removed'> {
  if (patch === undefined) return { added: undefined, removed: undefined }
  const lines = patch.split('\n')
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
  return { added: count('+'), removed: count('-') }
}

/** A longer text is data, and GitHub cuts it. */
const MAX_FILE_BYTES = 512 * 1024
/** For the texts in one answer, which are in memory several times. */
const MAX_REQUEST_BYTES = 3 * 1024 * 1024

/** Returns the sizes of a file in both commits; 0 if they are unknown. */
function sizesOf({ path, oldPath }: ChangedFile, trees: Trees | undefined) {
  return [trees?.before.get(oldPath)?.size ?? 0, trees?.after.get(path)?.size ?? 0] as const
}

/**
 * Chooses the files to read, first those that readers notice most. Files of one rank come from each folder in turn, so that
 * a large folder leaves room for others; removed files come last.
 */
function chooseFiles(files: readonly ChangedFile[], trees?: Trees): ChangedFile[] {
  const candidates = rankFiles(files).filter(({ file, rank }) => {
    const isShown = rank === 'readers' || rank === 'source'
    return (
      isShown &&
      file.patch === undefined &&
      !BINARY.test(file.path) &&
      Math.max(...sizesOf(file, trees)) <= MAX_FILE_BYTES
    )
  })
  const turns = new Map<string, number>()
  const inTurn = candidates.map(({ file, rank }) => {
    const isRemoved = file.status === 'removed'
    const folder = `${isRemoved} ${file.path.slice(0, file.path.lastIndexOf('/') + 1)}`
    const turn = turns.get(folder) ?? 0
    turns.set(folder, turn + 1)
    return { file, group: RANKS.indexOf(rank) + (isRemoved ? RANKS.length : 0), turn }
  })
  return inTurn
    .toSorted((one, other) => one.group - other.group || one.turn - other.turn)
    .map(({ file }) => file)
}

/** A text in a commit. `text`: null if the file is binary, GraphQL's answer is null if there is no such file. */
type Blob = FromGitHub<{ text: string; isBinary: boolean; isTruncated: boolean }>

/** `aN`, `bN`: the N-th file at the base and at the head. */
type BlobsAnswer = FromGitHub<{ repository: Readonly<Record<string, Maybe<Blob>>> }>

/** Reads files at both commits and compares them. Files that can't be read or compared have no entry. */
async function readDiffs(
  {
    wanted,
    ends,
    maxRequests,
    trees,
  }: {
    /** First those that matter most. */
    readonly wanted: readonly ChangedFile[]
    readonly ends: Ends
    readonly maxRequests: number
    readonly trees: Trees | undefined
  },
  github: Reader,
): Promise<ReadonlyMap<string, ChangedFile>> {
  const found = new Map<string, ChangedFile>()
  if (wanted.length === 0) return found
  const bytesOf = (file: ChangedFile): number => {
    const [before, after] = sizesOf(file, trees)
    return before + after
  }
  const compare = await loadComparer()
  let left = wanted
  let size = FILES_A_REQUEST
  for (let request = 0; request < maxRequests && left.length > 0; request++) {
    const fitting = takeFitting(left.slice(0, size), bytesOf, MAX_REQUEST_BYTES)
    const some = fitting.length > 0 ? fitting : left.slice(0, 1)
    const blobs = await readBlobs(some, ends, github)
    // Fewer files may fit into an answer.
    if (blobs === undefined) size = Math.ceil(size / 4)
    else left = left.slice(some.length)
    let received = 0
    for (const [index, file] of (blobs ? some : []).entries()) {
      const [before, after] = [blobs?.[`a${index}`], blobs?.[`b${index}`]].map(wholeText)
      received += (before?.length ?? 0) + (after?.length ?? 0)
      const read = compare(file, before, after)
      if (read) found.set(file.path, read)
    }
    size = Math.ceil(size * Math.min(1, MAX_REQUEST_BYTES / received))
  }
  return found
}

/** Returns the text of a whole file; `undefined` if there is none. */
function wholeText(blob: Maybe<Blob>): string | undefined {
  const isWhole = blob?.isBinary !== true && blob?.isTruncated !== true
  return (isWhole ? blob?.text : undefined) ?? undefined
}

/** Reads both versions of files; `undefined` if the answer is too large. @throws {GitHubError} */
async function readBlobs(files: readonly ChangedFile[], { base, head }: Ends, github: Reader) {
  const blob = (alias: string, expression: string): string =>
    `${alias}: object(expression: ${JSON.stringify(expression)}) { ...text }`
  const fields = files.flatMap(({ status, path, oldPath }, index) => [
    base === undefined || status === 'added' ? [] : blob(`a${index}`, `${base}:${oldPath}`),
    status === 'removed' ? [] : blob(`b${index}`, `${head}:${path}`),
  ])
  const query = `query ChangedFiles($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) { ${fields.flat().join('\n')} }
  }
  fragment text on Blob { text isBinary isTruncated }`
  try {
    const { data, errors } = await github.graphql<BlobsAnswer>(query, github.repository)
    const aliases = data.repository ?? {}
    // A path that doesn't exist is null without an error. If only some files have one, the others are shown.
    const [first] = errors
    if (first !== undefined && Object.values(aliases).every((one) => one == null))
      throw graphqlError(first)
    return aliases
  } catch (error) {
    if (isTooLarge(error)) return undefined
    throw error
  }
}

/** How many lines of one file may differ, and the sum of the squares of these numbers over all files: the work it takes. */
const MAX_EDITS = 1500
const MAX_WORK = 2 * MAX_EDITS ** 2
/** Lines of both texts times their edits: each edit can take time for each line of a text that repeats itself. */
const MAX_STEPS = 100_000_000

/** Loads the library that compares texts, and returns a function that does it within a limit for all files together. */
async function loadComparer() {
  const { createTwoFilesPatch, OMIT_HEADERS } = await import('diff')
  let workLeft = MAX_WORK
  return (file: ChangedFile, before: string | undefined, after: string | undefined) => {
    const isReadable =
      (before !== undefined || file.status === 'added') &&
      (after !== undefined || file.status === 'removed')
    if (!isReadable) return undefined
    const takesWork = Boolean(before && after)
    const lineCount = (before ?? '').split('\n').length + (after ?? '').split('\n').length
    const maxWork = Math.min(MAX_EDITS, MAX_STEPS / lineCount, Math.sqrt(workLeft))
    const maxEditLength = takesWork ? Math.floor(maxWork) : Infinity
    const options = { context: 3, maxEditLength, headerOptions: OMIT_HEADERS }
    const made = createTwoFilesPatch('', '', before ?? '', after ?? '', '', '', options)
    const patch = made?.trimEnd()
    const counts = countLines(patch)
    // A comparison that was given up has used the whole limit of a file.
    const { added = MAX_EDITS, removed = 0 } = counts
    if (takesWork) workLeft = Math.max(0, workLeft - (added + removed) ** 2)
    if (patch === undefined) return undefined
    const isGenerated = isGeneratedText(file.path, after ?? before ?? '')
    return { ...file, ...counts, patch: isGenerated ? '' : patch, isGenerated }
  }
}

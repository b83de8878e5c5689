import {
  type GitHubEvent,
  isSha,
  type PushedCommit,
  readSubject,
  type Subject,
} from '../event/event.ts'
import type {
  CommitFile,
  ComparedCommit,
  Comparison,
  GitHub,
  Maybe,
  PullRequest,
} from '../github/client.ts'
import { GitHubError, notStartedProblem } from '../github/github-errors.ts'
import { hashOf, MAX_SEARCHED_COMMITS, type Memory } from '../record/record.ts'
import type { Run } from '../runner/run.ts'
import { readGitDiff } from './git-diff.ts'
import { type ChangedFile, RANKS, type RankedFile, rankFiles } from './ranks.ts'
import { type Commit, readMergedPulls } from './sources.ts'
import { listPublished, onOtherCommits, type Tags } from './tags.ts'

/** What has changed. */
export type Changes = {
  /** The base of the comparison, for the prompt; empty if the event contains it. */
  readonly since: string
  /** Its SHA, for the record; empty or missing if later changes don't follow it. */
  readonly base?: string
  /** Where the whole diff is; may be empty. */
  readonly url: string
  /** Oldest first; GitHub lists the newest 250, of a pull request the oldest 250. */
  readonly commits: readonly Commit[]
  readonly commitCount: number
  /** Those inside `paths`. */
  readonly files: readonly ChangedFile[]
  /** `undefined` if there may be more than the files that are listed. */
  readonly fileCount: number | undefined
  /** Whether these are only the last commits, because no starting point is known. */
  readonly isArbitrary: boolean
  /** Whether these are all commits. */
  readonly isWhole: boolean
  /** Whether commits were removed from the branch. */
  readonly isRewritten: boolean
  /** Whether they aren't listed, because an earlier job of the step was about the same commit. */
  readonly wereSent?: boolean
  /** The pull request as it is now, the SHA of its head, and a hash of its changed lines; `undefined` or empty if the event is about none. */
  readonly pull?: Subject | undefined
  readonly pullHead?: string
  readonly lines?: string
}

const NO_CHANGES: Changes = {
  since: '',
  url: '',
  commits: [],
  commitCount: 0,
  files: [],
  fileCount: 0,
  isArbitrary: false,
  isWhole: true,
  isRewritten: false,
}

export const READ_CHANGES = { purpose: 'read the changes', permission: 'contents: read' }

/**
 * Reads the changes that an event is about; `undefined` if it is about none.
 *
 * @param tags those before the event's; `undefined` if it is about none
 * @throws {Problem}
 */
export async function readChanges(
  event: GitHubEvent,
  memory: Memory,
  tags: Tags | undefined,
  run: Run,
): Promise<Changes | undefined> {
  const { about, subject, head } = event
  if (about === 'pull-request') return subject && (await readPullChanges(event, subject, run))
  if (about === 'issue' || about === 'none') return undefined
  if (tags && memory.base?.sha === head) return { ...NO_CHANGES, wereSent: true }
  for (const list of listBases(event, memory, tags, run)) {
    const bases = await run.github.need(READ_CHANGES, list)
    for (const base of bases.slice(0, MAX_TRIED)) {
      const compared = await compare(base, tags ? event.tag : head, run)
      // A tag's base doesn't precede the next push.
      if (compared) return tags ? { ...compared, base: '' } : compared
    }
  }
  const message = 'GitHub knows none of the commits to compare with'
  throw notStartedProblem(
    READ_CHANGES,
    new GitHubError(message, {
      kind: 'refused',
      explanation: 'To start a job about the branch, run the workflow by hand.',
    }),
  )
}

/** A commit, branch, or tag that a change is compared with. */
type Base = {
  /** Empty: only the head commit is shown. */
  readonly ref: string
  /** How the prompt names it; empty if it doesn't. */
  readonly words: string
  /** Whether the base was on the branch before: then commits that only the base has were removed. */
  readonly wasOnBranch?: boolean
  readonly isArbitrary?: boolean
  /** How many commits the change must have; by default any number. */
  readonly min?: number
  readonly max?: number
  /** Shown instead of those that GitHub compares. */
  readonly commits?: readonly Commit[]
}

/** How many bases of one kind are compared at most. */
const MAX_TRIED = 10
/** How many commits back a release may be. */
const MAX_COMMITS_AHEAD = 250
/** How many commits are compared if there is neither a job nor a release. */
const LAST_COMMITS = 10

/** Lists the bases of an event, one kind after the other. */
function listBases(
  { about, head, before, branch, mainBranch, commits: pushed }: GitHubEvent,
  { base: job, reachedLimit }: Memory,
  tags: Tags | undefined,
  { github }: Run,
): (() => Promise<readonly Base[]>)[] {
  const tagged = async (names: readonly string[], base: (ref: string) => Omit<Base, 'ref'>) =>
    (await onOtherCommits(names, head, github)).map((ref) => ({ ref, min: 1, ...base(ref) }))
  if (tags) {
    const alone: Base = { ref: '', words: 'none', isArbitrary: true }
    return [() => tagged(tags.before, (ref) => ({ words: ref })), async () => [alone]]
  }
  const known = job && !job.isNewer && job.sha !== before ? [jobBase(job.sha)] : []
  const left: Base[] =
    mainBranch && branch && branch !== mainBranch
      ? [{ ref: mainBranch, words: `the branch left ${mainBranch}` }]
      : []
  if (about === 'push') {
    known.push(...(before ? [{ ref: before, words: '', wasOnBranch: true }] : left))
    const commits = pushed.map(readPushedCommit)
    const [first] = commits
    if (known.length === 0 && isSha(first?.sha) && first.sha !== head)
      known.push({ ref: first.sha, words: 'the first commit', commits })
    const why = before ? "GitHub doesn't have the commit before it" : 'there is nothing before it'
    return [async () => known, () => lastCommits(head, why, github)]
  }
  let why = 'this step has no earlier job'
  if (reachedLimit) why = `no earlier job was found on the newest ${MAX_SEARCHED_COMMITS} commits`
  if (job) why = "the commit of this step's last job doesn't exist anymore"
  if (job?.isNewer) why = "this step's last job was about a newer commit"
  const releases = async () => {
    const names = await listPublished(() => true, github)
    return await tagged(names, (ref) => ({
      words: `the release ${ref} (${why})`,
      max: MAX_COMMITS_AHEAD,
    }))
  }
  return [async () => [...known, ...left], releases, () => lastCommits(head, why, github)]
}

function jobBase(sha: string): Base {
  const words = `the commit after which no job of this step has succeeded (${sha.slice(0, 7)})`
  return { ref: sha, words, wasOnBranch: true }
}

/** Finds the commit before the last ones; of a younger branch the first commit, which isn't compared itself. */
async function lastCommits(head: string, why: string, github: GitHub): Promise<Base[]> {
  const listed = await github.call<readonly ComparedCommit[]>(({ rest }) =>
    rest.repos.listCommits({ ...github.repository, sha: head, per_page: LAST_COMMITS + 1 }),
  )
  const [first, ...commits] = listed.map(readCommit).toReversed()
  const isArbitrary = true
  if (first === undefined || commits.length === 0)
    return [
      { ref: '', words: `the start of the branch, which has one commit (${why})`, isArbitrary },
    ]
  const words =
    commits.length < LAST_COMMITS ? 'the first commit' : `${LAST_COMMITS} commits before`
  return [{ ref: first.sha, words: `${words} (${why})`, commits, isArbitrary }]
}

/** As many files as GitHub compares at most, without their total number, and lists of a pull request. */
const MAX_COMPARED = 300
const MAX_LISTED = 3000

/** Compares the head with a base; `undefined` if GitHub doesn't know one of them, or if the number of commits doesn't fit. */
async function compare(base: Base, head: string, run: Run): Promise<Changes | undefined> {
  const { ref, words, wasOnBranch, isArbitrary = false, min = 0, max = Infinity, commits } = base
  const found =
    ref === head
      ? { total_commits: 0, commits: [], files: [] }
      : await run.github.needIfFound(READ_CHANGES, () => requestComparison(ref, head, run.github))
  const shown = commits ?? found?.commits?.map(readCommit) ?? []
  const count = found?.total_commits ?? shown.length
  if (!found || count < min || count > max) return undefined
  const ends = {
    base: found.merge_base_commit?.sha ?? ref,
    head: found.commits?.at(-1)?.sha ?? head,
  }
  const listed = { files: found.files, maxFiles: MAX_COMPARED, findEnds: async () => ends }
  const read = await readFiles(listed, run.inputs.paths, run)
  const pulls = await readMergedPulls(
    shown.filter(({ sha }) => isSha(sha)),
    run.github,
  )
  return {
    since: words,
    base: ends.base,
    url: found.html_url ?? '',
    commits: shown.map((one) => ({ ...one, pulls: pulls.get(one.sha) ?? [] })),
    commitCount: commits?.length ?? count,
    ...read,
    // Files of the base's own commit aren't compared.
    ...(commits?.[0]?.sha === ref && { fileCount: undefined }),
    isArbitrary,
    isWhole: shown.length >= count && !isArbitrary,
    isRewritten: (found.behind_by ?? 0) > 0 && wasOnBranch === true,
  }
}

/** How many commits are listed if GitHub can't compare them. */
const MAX_COMMITS_LISTED = 100

/**
 * Asks GitHub to compare two commits; without a base it is asked for the head alone.
 *
 * @throws {GitHubError}
 */
async function requestComparison(base: string, head: string, github: GitHub): Promise<Comparison> {
  const { repository } = github
  if (base === '') {
    const commit = await github.call<ComparedCommit>(({ rest }) =>
      rest.repos.getCommit({ ...repository, ref: head }),
    )
    const { parents, files, html_url } = commit
    return {
      commits: [commit],
      merge_base_commit: { sha: parents?.[0]?.sha ?? '' },
      files,
      html_url,
    }
  }
  const asked = await github.attempt(() =>
    github.call<Maybe<Comparison>>(({ rest }) =>
      rest.repos.compareCommitsWithBasehead({ ...repository, basehead: `${base}...${head}` }),
    ),
  )
  // Without commits it would look like a comparison without changes.
  if (asked.known && Array.isArray(asked.value?.commits)) return asked.value
  if (asked.known) throw new GitHubError('GitHub returned no comparison')
  if (!isTooLargeToCompare(asked.error)) throw asked.error
  const listed = await github.call<readonly ComparedCommit[]>(({ rest }) =>
    rest.repos.listCommits({ ...repository, sha: head, per_page: MAX_COMMITS_LISTED }),
  )
  const end = listed.findIndex(({ sha }) => sha === base)
  const commits = listed.slice(0, end < 0 ? undefined : end).toReversed()
  const total_commits = end < 0 ? Infinity : commits.length
  return { commits, total_commits, merge_base_commit: { sha: base } }
}

/** Whether GitHub couldn't make a diff, as of a very large change. */
function isTooLargeToCompare({ message }: GitHubError): boolean {
  return /\bdiff\b|taking too long|too large/i.test(message.slice(0, 300))
}

type Ends = { readonly base: string; readonly head: string }

/** What GitHub lists of a change. `files`: `undefined` if it can't. */
type Listing = {
  readonly files: Maybe<readonly Maybe<CommitFile>[]>
  readonly maxFiles: number
  /** Finds the commits to compare; `undefined` if they can't be known. */
  readonly findEnds: () => Promise<Ends | undefined>
}

/** Reads the changed files inside `paths`: as GitHub lists them, and what it leaves out by git. */
async function readFiles(
  { files: listed, maxFiles, findEnds }: Listing,
  paths: Run['inputs']['paths'],
  run: Run,
) {
  const { inputs, environment, log, cancel } = run
  let files = (listed ?? []).flatMap((one) => (one ? [readFile(one)] : []))
  let isWhole = listed != null && files.length < maxFiles
  const isInside = ({ path, oldPath }: ChangedFile): boolean =>
    !paths || paths(path) || paths(oldPath)
  const choose = (all: readonly ChangedFile[]): ChangedFile[] => {
    const ranked = rankFiles(all.filter(isInside))
    const order = ({ rank, file }: RankedFile): number =>
      RANKS.indexOf(rank) + (file.status === 'removed' ? RANKS.length : 0)
    const noticed = ranked.filter(({ rank }) => rank === 'readers' || rank === 'source')
    return noticed.toSorted((one, other) => order(one) - order(other)).map(({ file }) => file)
  }
  const ends = isWhole && !choose(files).some(lacksDiff) ? undefined : await findEnds()
  if (ends) {
    const { serverUrl, repository, tempFolder: folder, variables: env } = environment
    const url = `${serverUrl}/${repository}`
    const source = { url, token: inputs['github-token'], folder, env, cancel }
    const read = await readGitDiff(source, ends, choose)
    if (read.files) [files, isWhole] = [addDiffs(read.files, files), true]
    if (read.problem)
      log.warnOnlyInSummary(
        `GitHub shows only a part of this large change, and git could not read the rest: ${read.problem}. The prompt includes what GitHub shows.`,
      )
  }
  const inside = files.filter(isInside)
  return { files: inside, fileCount: isWhole ? inside.length : undefined }
}

/** Keeps the diffs that only GitHub has shown. */
function addDiffs(files: readonly ChangedFile[], listed: readonly ChangedFile[]): ChangedFile[] {
  const known = new Map(listed.map((file) => [file.path, file]))
  return files.map((file) => (file.patch === undefined ? (known.get(file.path) ?? file) : file))
}

/** Files of these types have no lines. */
const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|icns|pdf|zip|gz|tgz|xz|zst|jar|whl|woff2?|ttf|otf|mp[34]|mov|webm|wasm|bin|exe|dll|so|dylib|pyc|sqlite3?|db)$/i

/** Whether GitHub shows no diff of a file that has one. A file that was only renamed has none. */
function lacksDiff({ path, patch, status, added = 0, removed = 0 }: ChangedFile): boolean {
  if (patch !== undefined || BINARY.test(path.slice(-300))) return false
  return status !== 'renamed' || added + removed > 0
}

/** The hash of a file without content. */
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

function readFile({
  filename,
  previous_filename: oldPath,
  status,
  patch,
  ...file
}: CommitFile): ChangedFile {
  const { additions, deletions, sha } = file
  // Of a file without its diff, GitHub may count 0 lines.
  const isUnknown = patch == null && !additions && !deletions
  return {
    status: status ?? 'changed',
    path: filename ?? '',
    oldPath: oldPath ?? filename ?? '',
    added: isUnknown ? undefined : (additions ?? undefined),
    removed: isUnknown ? undefined : (deletions ?? undefined),
    patch: patch ?? (sha === EMPTY_BLOB ? '' : undefined),
    blob: sha ?? '',
  }
}

function readCommit({ sha, html_url: url, commit, author }: ComparedCommit): Commit {
  const { message, author: written } = commit ?? {}
  return { sha: sha ?? '', message: message ?? '', url, author, email: written?.email, pulls: [] }
}

function readPushedCommit({ id, message, url, author }: PushedCommit): Commit {
  // An App's name ends in `[bot]` there.
  const user = { login: author?.username, type: 'User' }
  return {
    sha: id ?? '',
    message: message ?? '',
    url,
    author: user,
    email: author?.email,
    pulls: [],
  }
}

/** Reads the files and commits of a pull request: a request for each hundred of them. */
async function readPullChanges(
  { command }: GitHubEvent,
  { number }: Subject,
  run: Run,
): Promise<Changes> {
  const { github, environment } = run
  const call = { purpose: 'read the pull request', permission: 'pull-requests: read' }
  const path = `pulls/${number}`
  const pull = await github.need(call, () =>
    github.call<PullRequest>(({ rest }) =>
      rest.pulls.get({ ...github.repository, pull_number: number }),
    ),
  )
  const listFiles = async () => {
    const listed = await github.attempt(() => github.list<CommitFile>(`${path}/files`, MAX_LISTED))
    if (!listed.known && !isTooLargeToCompare(listed.error)) throw listed.error
    return listed.known ? listed.value : undefined
  }
  const [files, commits] = await Promise.all([
    github.need({ ...call, purpose: READ_CHANGES.purpose }, listFiles),
    github.need({ ...call, purpose: READ_CHANGES.purpose }, () =>
      github.list<ComparedCommit>(`${path}/commits`),
    ),
  ])
  const [base, head] = [pull.base?.sha ?? '', pull.head?.sha ?? '']
  // A command is about the whole pull request.
  const paths = command ? undefined : run.inputs.paths
  const findEnds = async () => {
    const compared = await github.attempt(() => requestComparison(base, head, github))
    const start = compared.known ? compared.value.merge_base_commit?.sha : undefined
    return start ? { base: start, head } : undefined
  }
  const read = await readFiles({ files, maxFiles: MAX_LISTED, findEnds }, paths, run)
  return {
    ...NO_CHANGES,
    url: pull.html_url ? `${pull.html_url}/files` : '',
    commits: commits.map(readCommit),
    // A list below GitHub's limit is complete, and newer than the pull request's number.
    commitCount: Math.max(commits.length, commits.length < 250 ? 0 : (pull.commits ?? 0)),
    ...read,
    pull: readSubject(pull, true, environment.repository),
    pullHead: head,
    lines: read.fileCount === undefined ? '' : hashLines(read.files),
  }
}

/** Hashes the changed lines of files, wherever they stand, and of a file without a diff its contents. */
function hashLines(files: readonly ChangedFile[]): string {
  const all = files.map(({ status, path, oldPath, patch, blob }) => {
    const lines = patch?.split('\n').filter((line) => /^[+-]/.test(line))
    return [status, path, oldPath, lines ?? blob]
  })
  const isKnown = files.every(({ patch, blob }) => patch !== undefined || blob)
  return isKnown ? hashOf(JSON.stringify(all)) : ''
}

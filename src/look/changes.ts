import type { GitHub, Maybe, User } from '../github/client.ts'
import { GitHubError, NeededCallError } from '../github/github-errors.ts'
import {
  type CommitFile,
  type ComparedCommit,
  type MergedPull,
  type PullRequest,
  readMergedPulls,
  requestComparison,
} from '../github/pull-requests.ts'
import { isIncluded } from '../inputs/paths.ts'
import type { Inputs } from '../inputs/table.ts'
import { isRerun, type Run } from '../runner/run.ts'
import { type EarlierRuns, MAX_SEARCHED_COMMITS } from './earlier-runs.ts'
import {
  followedBranch,
  type GitHubEvent,
  isOfPullRequest,
  isSha,
  type Payload,
  type PushedCommit,
  tagOf,
} from './event.ts'
import type { ChangedFile } from './ranks.ts'
import { statusCommit } from './status.ts'
import { listPublished, onOtherCommits, type Tags } from './tags.ts'
import {
  completeFiles,
  findMergeBase,
  isTooLargeToCompare,
  listCommitsSince,
} from './whole-diff.ts'

export type Commit = {
  /** May be empty, as may be the URL. */
  readonly sha: string
  readonly url?: Maybe<string>
  readonly message: string
  readonly author?: Maybe<User>
  readonly email?: Maybe<string>
  /** The merged pull requests that it came in. */
  readonly pulls: readonly MergedPull[]
}

/** What has changed, as far as GitHub lists it. */
export type Changes = {
  /** The base of the comparison, for the prompt; empty if the event contains it. */
  readonly since: string
  /** Where the whole diff is; may be empty. */
  readonly url: string
  /** Oldest first; GitHub lists the newest 250, of a pull request the oldest 250. */
  readonly commits: readonly Commit[]
  readonly commitCount: number
  readonly files: readonly ChangedFile[]
  /** `undefined` if there may be more than the files that are listed. */
  readonly fileCount: number | undefined
  /** Numbers of lines in all files, if GitHub gives them. */
  readonly lines?: { readonly added: number; readonly removed: number } | undefined
  /** Whether these are only the last commits, because no starting point is known. */
  readonly isArbitrary: boolean
  /** Whether these are all commits. */
  readonly isWhole: boolean
  /** Whether commits were removed from the branch. */
  readonly isRewritten: boolean
  /** Whether they aren't listed, because an earlier job of the step was about the same commit. */
  readonly wereSent?: boolean
  /** The pull request as it is now; `undefined` if the event is about none. */
  readonly pull?: PullRequest | undefined
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

/**
 * Reads the changes that an event is about; `undefined` if it is about none.
 *
 * @param tags those before the event's; `undefined` if it is about none
 * @throws {NeededCallError}
 */
export async function readChanges(
  event: GitHubEvent,
  earlier: EarlierRuns,
  tags: Tags | undefined,
  run: Run,
): Promise<Changes | undefined> {
  const { row, payload } = event
  const { environment, inputs } = run
  const sha = statusCommit(event, environment)
  if (tags) {
    const wereSent = earlier.lastJob?.sha === sha && inputs.paths.length === 0
    if (wereSent) return { ...NO_CHANGES, wereSent }
    return await compareWithFirst(basesOfTag(sha, tags, run), tagOf(event), run)
  }
  switch (row.subject) {
    case 'push': {
      const head = payload.after ?? sha
      return await compareWithFirst(basesOfPush(payload, head, earlier, run), head, run)
    }
    case 'branch':
      return await changesOfBranch(sha, earlier, run)
    case 'workflow-run':
      return followedBranch(event, environment) === undefined
        ? undefined
        : await changesOfBranch(sha, earlier, run)
    case 'pull-request':
    case 'issue':
      return await changesOfPull(event, run)
    default:
      return undefined
  }
}

/** A commit, branch, or tag that a change is compared with. */
type Base = {
  /** Empty if the head commit is the first one: then that commit is shown. */
  readonly ref: string
  /** How the prompt names it; empty if it doesn't. */
  readonly words: string
  /** Whether the base was on the branch before: then commits that only the base has were removed. */
  readonly wasOnBranch?: boolean
  /** Shown instead of those that GitHub compares. */
  readonly commits?: readonly Commit[]
}

/** Bases of one kind, in the order in which they are tried. */
type Candidates = {
  readonly list: () => Promise<readonly Base[]>
  /** How many commits the change must have; by default any number. */
  readonly min?: number
  readonly max?: number
  readonly areArbitrary?: boolean
}

/** How many bases of one kind are compared at most. */
const MAX_TRIED = 10
/** How many commits back a release may be. */
const MAX_COMMITS_AHEAD = 250
/** How many commits are compared if there is neither a job nor a release. */
const LAST_COMMITS = 10

/** Lists the last job, the commit before a push, of a new branch the default branch, and the last commits. */
function basesOfPush(
  payload: Payload,
  head: string,
  { lastJob }: EarlierRuns,
  { github }: Run,
): Candidates[] {
  const { before, ref, repository } = payload
  const main = repository?.default_branch
  const known: Base[] = []
  if (lastJob && !lastJob.isNewer && lastJob.sha !== before) known.push(jobBase(lastJob))
  if (isSha(before)) known.push({ ref: before, words: '', wasOnBranch: true })
  else if (main && ref !== `refs/heads/${main}`)
    known.push({ ref: main, words: `the branch left ${main}` })
  const commits = (payload.commits ?? []).map(readPushedCommit)
  const [first] = commits
  if (known.length === 0 && isSha(first?.sha) && first.sha !== head)
    known.push({ ref: first.sha, words: 'the first commit', commits })
  return [{ list: async () => known }, lastCommits(head, 'there is nothing before it', github)]
}

function readPushedCommit({ id, message, url, author }: PushedCommit): Commit {
  // An app's name ends in `[bot]` there.
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

function jobBase({ sha, createdAtMs }: NonNullable<EarlierRuns['lastJob']>): Base {
  const when = createdAtMs === 0 ? '' : `, ${new Date(createdAtMs).toISOString().slice(0, 16)}Z`
  const words = `this step's last job (commit ${sha.slice(0, 7)}${when})`
  return { ref: sha, words, wasOnBranch: true }
}

/** Reads the changes of a branch since this step's last job, the newest release, or the last commits. */
async function changesOfBranch(
  head: string,
  { lastJob, reachedLimit }: EarlierRuns,
  run: Run,
): Promise<Changes> {
  const { github } = run
  let why = 'this step has no earlier job'
  if (reachedLimit) why = `no earlier job was found on the newest ${MAX_SEARCHED_COMMITS} commits`
  if (lastJob) why = "the commit of this step's last job doesn't exist anymore"
  const releases = async () => {
    const tags = await listPublished(({ prerelease }) => prerelease !== true, github)
    const others = await onOtherCommits(tags, head, github)
    return others.map((ref) => ({ ref, words: `the release ${ref} (${why})` }))
  }
  const candidates: Candidates[] = [
    { list: async () => (lastJob ? [jobBase(lastJob)] : []) },
    { list: releases, min: 1, max: MAX_COMMITS_AHEAD },
    lastCommits(head, why, github),
  ]
  return await compareWithFirst(candidates, head, run)
}

/** Finds the commit before the last ones; of a younger branch the first commit, which isn't compared itself. */
function lastCommits(head: string, why: string, github: GitHub): Candidates {
  const list = async (): Promise<Base[]> => {
    const listed = await github.call<readonly ComparedCommit[]>(({ rest }) =>
      rest.repos.listCommits({ ...github.repository, sha: head, per_page: LAST_COMMITS + 1 }),
    )
    const [first, ...commits] = listed.map(readCommit).toReversed()
    if (first === undefined || commits.length === 0)
      return [{ ref: '', words: `the start of the branch, which has one commit (${why})` }]
    const words =
      commits.length < LAST_COMMITS ? 'the first commit' : `${LAST_COMMITS} commits before`
    return [{ ref: first.sha, words: `${words} (${why})`, commits }]
  }
  return { list, areArbitrary: true }
}

/** Lists the tags before a tag, and last the tag's own commit alone, in case it is the first tag of all. */
function basesOfTag(sha: string, { before }: Tags, { github }: Run): Candidates[] {
  const list = async () => {
    const others = await onOtherCommits(before, sha, github)
    return others.map((ref) => ({ ref, words: ref }))
  }
  return [
    { list, min: 1 },
    { list: async () => [{ ref: '', words: 'none' }], areArbitrary: true },
  ]
}

const READ_CHANGES = { purpose: 'read the changes', permission: 'contents: read' }

/** Reads the changes since the first base that fits, with the merged pull requests of its commits. */
async function compareWithFirst(
  candidates: readonly Candidates[],
  head: string,
  run: Run,
): Promise<Changes> {
  const { github } = run
  for (const { list, min = 0, max = Infinity, areArbitrary = false } of candidates) {
    const bases = await github.need(READ_CHANGES, list)
    for (const { ref, words, wasOnBranch, commits } of bases.slice(0, MAX_TRIED)) {
      const compared = await compareIfKnown(ref, head, run)
      if (compared === undefined) continue
      const { commitCount } = compared
      if (commitCount < min || commitCount > max) continue
      const ownCommits = commits ? { commits, commitCount: commits.length } : {}
      // Files of the base's own commit aren't compared.
      const ownCount = commits?.[0]?.sha === ref ? { fileCount: undefined } : {}
      const isWhole = compared.isWhole && !areArbitrary
      const isRewritten = compared.isRewritten && wasOnBranch === true
      const about = { since: words, isArbitrary: areArbitrary, isWhole, isRewritten }
      return await addPulls({ ...compared, ...ownCommits, ...ownCount, ...about }, run)
    }
  }
  const message = 'GitHub knows none of the commits to compare with'
  throw new NeededCallError(READ_CHANGES, new GitHubError(message, { kind: 'refused' }))
}

/** Compares the head with a base; `undefined` if GitHub doesn't know one of them: a tag or commit may be gone. */
async function compareIfKnown(base: string, head: string, run: Run): Promise<Compared | undefined> {
  try {
    return await run.github.need(READ_CHANGES, () => compare(base, head, run))
  } catch (error) {
    if (error instanceof NeededCallError && error.cause.status === 404) return undefined
    throw error
  }
}

/** Adds the merged pull requests that the commits came in. */
async function addPulls(changes: Changes, { github, inputs }: Run): Promise<Changes> {
  const named = changes.commits.filter(({ sha }) => isSha(sha))
  const pulls = await readMergedPulls(named, inputs.paths.length > 0, github)
  const withPulls = changes.commits.map((one) => ({ ...one, pulls: pulls.get(one.sha) ?? [] }))
  return { ...changes, commits: withPulls }
}

/** As many files as GitHub compares at most, without their total number. */
const MAX_COMPARED = 300

type Compared = Omit<Changes, 'since' | 'isArbitrary'>

/** Compares the head with a base. Or a GitHubError. */
async function compare(base: string, head: string, run: Run): Promise<Compared> {
  const { github } = run
  if (base === head) return NO_CHANGES
  if (base === '') return await readSingleCommit(head, run)
  try {
    const compared = await requestComparison(base, head, github)
    const commits = compared.commits ?? []
    const { html_url: url, total_commits: total, merge_base_commit: start } = compared
    const ends = { base: start?.sha ?? base, head: commits.at(-1)?.sha ?? head }
    const files = readChangedFiles(compared.files)
    const isWanted = diffFilter(run)
    const listing = { files, maxFiles: MAX_COMPARED, findEnds: async () => ends, isWanted }
    return {
      url: url ?? '',
      commits: commits.map(readCommit),
      commitCount: total ?? commits.length,
      ...(await completeFiles(listing, github)),
      isWhole: commits.length >= (total ?? Infinity),
      isRewritten: (compared.behind_by ?? 0) > 0,
    }
  } catch (error) {
    if (error instanceof GitHubError && isTooLargeToCompare(error))
      return await readWithoutComparison(base, head, run)
    throw error
  }
}

/** Reads a change that GitHub can't compare: its commits from their list, its files from the trees. */
async function readWithoutComparison(base: string, head: string, run: Run): Promise<Compared> {
  const { github } = run
  const { commits, isWhole } = await listCommitsSince(base, head, github)
  const isWanted = diffFilter(run)
  const findEnds = async () => ({ base, head })
  const listing = { files: [], maxFiles: 0, findEnds, isWanted, spent: 1 }
  return {
    url: '',
    commits: commits.map(readCommit),
    commitCount: commits.length,
    ...(await completeFiles(listing, github)),
    isWhole,
    isRewritten: false,
  }
}

async function readSingleCommit(ref: string, run: Run): Promise<Compared> {
  const { github } = run
  const commit = await github.call<ComparedCommit>(({ rest }) =>
    rest.repos.getCommit({ ...github.repository, ref }),
  )
  const ends = { base: commit.parents?.[0]?.sha ?? undefined, head: commit.sha ?? ref }
  const files = readChangedFiles(commit.files)
  const isWanted = diffFilter(run)
  const listing = { files, maxFiles: MAX_COMPARED, findEnds: async () => ends, isWanted }
  const url = commit.html_url ?? ''
  const commits = [readCommit(commit)]
  return { ...NO_CHANGES, url, commits, commitCount: 1, ...(await completeFiles(listing, github)) }
}

/** Makes the check whether the prompt may show a file's diff. */
function diffFilter({ inputs }: Run): (file: ChangedFile) => boolean {
  const isInside = isInsidePaths(inputs)
  return (file) => inputs.context === 'diff' && isInside(file)
}

/** Makes the check whether a file is inside `paths`. A renamed file counts by both paths. */
export function isInsidePaths({ paths }: Pick<Inputs, 'paths'>): (file: ChangedFile) => boolean {
  return ({ path, oldPath }) => isIncluded(paths, path) || isIncluded(paths, oldPath)
}

/** The hash of a file without content. */
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

function readChangedFiles(listed: Maybe<readonly CommitFile[]>): ChangedFile[] {
  return (listed ?? []).map(({ filename, previous_filename: oldPath, status, patch, ...file }) => ({
    status: status ?? 'changed',
    path: filename ?? '',
    oldPath: oldPath ?? filename ?? '',
    added: file.additions ?? undefined,
    removed: file.deletions ?? undefined,
    patch: patch ?? (file.sha === EMPTY_BLOB ? '' : undefined),
  }))
}

function readCommit({ sha, html_url: url, commit, author }: ComparedCommit): Commit {
  const { message, author: written } = commit ?? {}
  return { sha: sha ?? '', message: message ?? '', url, author, email: written?.email, pulls: [] }
}

/** Maximum numbers of files and commits that GitHub lists for a pull request. */
const MAX_LISTED_FILES = 3000

/** Reads the files and commits of a pull request: a request for each hundred of them. */
async function changesOfPull(event: GitHubEvent, run: Run): Promise<Changes | undefined> {
  const { pull_request: given, issue } = event.payload
  const { github } = run
  const call = { purpose: 'read the pull request', permission: 'pull-requests: read' }
  const number = given?.number ?? (issue?.pull_request ? issue.number : undefined)
  if (number == null) return undefined
  // The payload of a comment on the main thread has only the issue. That of a re-run is as old as the first attempt.
  const isCurrent = given != null && !(isOfPullRequest(event) && isRerun(run.environment))
  const request = { ...github.repository, pull_number: number }
  const pull = isCurrent
    ? given
    : await github.need(call, () => github.call<PullRequest>(({ rest }) => rest.pulls.get(request)))
  const purpose = { ...call, purpose: READ_CHANGES.purpose }
  const path = `${github.path}/pulls/${number}/commits`
  const [files, commits] = await Promise.all([
    github.need(purpose, () => readFilesOfPull({ ...pull, number }, run)),
    github.need(purpose, () => github.list<ComparedCommit>(path)),
  ])
  const { additions: added, deletions: removed, changed_files: fileCount } = pull
  return {
    since: '',
    url: pull.html_url ? `${pull.html_url}/files` : '',
    commits: commits.map(readCommit),
    // A list below GitHub's limit is complete, and newer than the payload's number.
    commitCount: Math.max(commits.length, commits.length < 250 ? 0 : (pull.commits ?? 0)),
    files: files.files,
    fileCount: fileCount ?? files.fileCount,
    ...(added != null && removed != null && { lines: { added, removed } }),
    isArbitrary: false,
    isWhole: false,
    isRewritten: false,
    pull,
  }
}

/** Reads the files of a pull request. Or a GitHubError. */
async function readFilesOfPull({ number, base, head }: PullRequest, run: Run) {
  const { github } = run
  const path = `${github.path}/pulls/${number}/files`
  const listed = await github.attempt(() => github.list<CommitFile>(path, MAX_LISTED_FILES))
  if (!listed.known && !isTooLargeToCompare(listed.error)) throw listed.error
  const files = readChangedFiles(listed.known ? listed.value : [])
  const maxFiles = listed.known ? MAX_LISTED_FILES : 0
  const findEnds = async () => {
    const [from, to] = [base?.sha, head?.sha]
    const start = from && to ? await findMergeBase(from, to, github) : undefined
    return start && to ? { base: start, head: to } : undefined
  }
  return await completeFiles(
    { files, maxFiles, findEnds, isWanted: diffFilter(run), spent: 1 },
    github,
  )
}

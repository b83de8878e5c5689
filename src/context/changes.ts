import type { Payload } from '../events/event-table.ts'
import type { GitHub } from '../github/client.ts'
import { GitHubError } from '../github/errors.ts'
import type { Commit, CommitFile, Comparison, Maybe, PullRequest } from '../github/types.ts'
import { type CommitSummary, withoutBody } from './messages.ts'
import type { ChangedFile } from './ranking.ts'
import type { EventFacts, Fact } from './render.ts'

/** As many files as GitHub compares at most, without saying how many there are. */
const MAX_COMPARED = 300
/** As many files of a pull request as GitHub lists at most. */
const MAX_LISTED = 3000

/** What `read` says, else what is known without it: one failure costs all that has changed. */
export async function readChanges(
  github: GitHub,
  known: Partial<EventFacts>,
  read: () => Promise<EventFacts>,
  permission = 'contents: read',
): Promise<EventFacts> {
  const lacks = known.commits?.length ? 'the' : 'the commits,'
  const cost = `the agent is not told ${lacks} files and diff`
  const call = { purpose: 'read what has changed', permission, cost }
  const changes = await github.attempt(call, read)
  return changes.known ? changes.value : unknownChanges(changes.why, known)
}

export function unknownChanges(why: string, known: Partial<EventFacts> = {}): EventFacts {
  return { facts: [], ...known, files: { files: [], total: undefined, problem: why } }
}

/** What a change is compared with: a commit, branch or tag, and how the agent is told of it. */
export type Base = { readonly ref: string; readonly since: Fact }

/** What has changed since a base: three requests where there are more files than GitHub compares. */
export async function compare(
  { ref, since }: Base,
  head: string,
  github: GitHub,
): Promise<EventFacts> {
  const compared = await requestComparison(ref, head, github)
  const { html_url, commits, total_commits: commitCount } = compared
  const url = html_url ?? ''
  const listed = commits ?? []
  const files = readFiles(compared.files)
  const isWhole = files.length < MAX_COMPARED
  const halves = await github.read(async () =>
    isWhole ? [] : await compareHalves(ref, head, listed, github),
  )
  const inHalves = halves.known ? halves.value : []
  const more = inHalves.filter(({ path }) => !files.some((file) => file.path === path))
  return {
    facts: [since, ['Compare', url]],
    commits: listed.map(summaryOf),
    commitCount: commitCount ?? 0,
    files: { files: [...files, ...more], total: isWhole ? files.length : undefined, url },
  }
}

/** Source: GitHub's REST API, "Compare two commits": without paging the newest 250 commits, oldest first. */
async function requestComparison(base: string, head: string, github: GitHub): Promise<Comparison> {
  const basehead = `${base}...${head}`
  const compared = await github.call<Maybe<Comparison>>(({ rest }) =>
    rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead }),
  )
  // Without them it would read as if nothing had changed.
  if (!Array.isArray(compared?.commits)) throw new GitHubError('GitHub returned no comparison')
  return compared
}

/** Asks for a change in two parts, up to a commit in its middle and from there; no files if there is no such commit. */
async function compareHalves(
  base: string,
  head: string,
  commits: readonly Commit[],
  github: GitHub,
): Promise<ChangedFile[]> {
  // A merge, if there are any: it is on the branch itself.
  const inside = commits.slice(0, -1)
  const merges = inside.filter(({ parents }) => (parents?.length ?? 0) > 1)
  const candidates = merges.length > 0 ? merges : inside
  const middle = candidates[Math.floor(candidates.length / 2)]?.sha
  if (middle == null) return []
  const [first, second] = await Promise.all([
    requestComparison(base, middle, github),
    requestComparison(middle, head, github),
  ])
  // A commit that lacks something of the base would tell it as a part of the change.
  return first.behind_by === 0 ? unite(readFiles(first.files), readFiles(second.files)) : []
}

/** The files of two changes, one after the other; of a file in both, the second diff. */
export function unite(
  first: readonly ChangedFile[],
  second: readonly ChangedFile[],
): ChangedFile[] {
  const files = new Map(first.map((file) => [file.path, file]))
  for (const file of second) {
    const earlier = files.get(file.path)
    const both = earlier && {
      ...file,
      status: file.status === 'modified' ? earlier.status : file.status,
      added: earlier.added + file.added,
      removed: earlier.removed + file.removed,
    }
    files.set(file.path, both ?? file)
  }
  return [...files.values()]
}

/** The files of one answer of GitHub's. */
export function readFiles(listed: Maybe<readonly CommitFile[]>): ChangedFile[] {
  return (listed ?? []).map(({ filename, previous_filename: oldPath, status, patch, ...file }) => ({
    status: status ?? 'changed',
    path: filename ?? '',
    oldPath: oldPath ?? filename ?? '',
    added: file.additions ?? 0,
    removed: file.deletions ?? 0,
    patch: patch ?? undefined,
  }))
}

export function summaryOf({ sha, html_url: url, commit, author }: Commit): CommitSummary {
  return { sha: sha ?? '', message: commit?.message ?? '', url, author }
}

/** The files and commits of a pull request: a request for each hundred of them. */
export async function changesOfPull(
  { number, changed_files: counted, html_url: url }: PullRequest,
  github: GitHub,
): Promise<EventFacts> {
  const path = `${github.path}/pulls/${number}`
  const [listed, commits] = await Promise.all([
    github.list<CommitFile>(`${path}/files`, MAX_LISTED),
    github.list<Commit>(`${path}/commits`),
  ])
  const files = readFiles(listed)
  const total = counted ?? (files.length < MAX_LISTED ? files.length : undefined)
  return {
    facts: [],
    // The description tells what the bodies of its messages would.
    commits: commits.map(summaryOf).map(withoutBody),
    files: { files, total, url: url ? `${url}/files` : '' },
  }
}

/** The commits that the payload of a push has; of a new tag, the one that it is on. */
export function pushedCommits({ commits, head_commit: tip }: Payload): CommitSummary[] {
  const pushed = commits?.length ? commits : tip == null ? [] : [tip]
  return pushed.map(({ id, message, url, author }) => ({
    sha: id ?? '',
    message: message ?? '',
    url,
    // An app's name ends in `[bot]` there.
    author: { login: author?.username, type: 'User' },
  }))
}

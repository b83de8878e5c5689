import type { Payload } from '../events/event-table.ts'
import type { GitHub, GitHubCall, Known } from '../github/client.ts'
import { GitHubError } from '../github/errors.ts'
import type { Commit, CommitFile, Comparison, Maybe, PullRequest } from '../github/types.ts'
import { type CommitSummary, withoutBody } from './messages.ts'
import type { ChangedFile } from './ranking.ts'
import type { EventFacts, Fact } from './render.ts'

/** As many files as GitHub compares at most, without saying how many there are. */
const MAX_COMPARED = 300
/** As many files of a pull request as GitHub lists at most. */
const MAX_LISTED = 3000
const PULL_PERMISSION = 'pull-requests: read'

export function unknownChanges(why: string, facts: readonly Fact[] = []): EventFacts {
  return { facts, files: { files: [], total: undefined, problem: `not known: ${why}` } }
}

/** Source: GitHub's REST API, "Compare two commits": without paging the newest 250 commits, oldest first. */
export function requestComparison(
  base: string,
  head: string,
  github: GitHub,
  ifItFails: Partial<GitHubCall> = { cost: 'the agent is not told the commits, files and diff' },
): Promise<Known<Comparison>> {
  const call = { purpose: 'compare two commits', permission: 'contents: read', ...ifItFails }
  const basehead = `${base}...${head}`
  return github.attempt(call, async () => {
    const compared = await github.call<Maybe<Comparison>>(({ rest }) =>
      rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead }),
    )
    // Without them it would read as if nothing had changed.
    if (!Array.isArray(compared?.commits)) throw new GitHubError('GitHub returned no comparison')
    return compared
  })
}

/** What two commits, branches or tags differ in: three requests where there are more files than GitHub compares. */
export async function compare(
  base: string,
  head: string,
  github: GitHub,
): Promise<Known<EventFacts>> {
  const compared = await requestComparison(base, head, github)
  if (!compared.known) return compared
  return { known: true, value: await readComparison(compared.value, base, head, github) }
}

export async function readComparison(
  { html_url, commits, total_commits: commitCount, files: compared }: Comparison,
  base: string,
  head: string,
  github: GitHub,
): Promise<EventFacts> {
  const url = html_url ?? ''
  const listed = commits ?? []
  const files = readFiles(compared)
  const isWhole = files.length < MAX_COMPARED
  const halves = isWhole ? [] : await compareHalves(base, head, listed, github)
  const more = halves.filter(({ path }) => !files.some((file) => file.path === path))
  return {
    facts: [['Compare', url]],
    commits: listed.map(summaryOf),
    commitCount: commitCount ?? listed.length,
    files: { files: [...files, ...more], total: isWhole ? files.length : undefined, url },
  }
}

/** Asks for a change in two parts, up to a commit in its middle and from there; no files if there is no such commit. */
async function compareHalves(
  base: string,
  head: string,
  commits: readonly Commit[],
  github: GitHub,
) {
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
  if (!first.known || !second.known || first.value.behind_by !== 0) return []
  return unite(readFiles(first.value.files), readFiles(second.value.files))
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
  return { sha: sha ?? '', message: commit?.message ?? '', url: url ?? '', author }
}

export function readPull(number: number, github: GitHub): Promise<Known<PullRequest>> {
  const cost = 'the agent is not told what it changes'
  const call = { purpose: 'look up the pull request', permission: PULL_PERMISSION, cost }
  return github.attempt(call, () =>
    github.call<PullRequest>(({ rest }) =>
      rest.pulls.get({ ...github.repository, pull_number: number }),
    ),
  )
}

/** The files and commits of a pull request: a request for each hundred of them. */
export async function changesOfPull(
  { number, changed_files: counted, html_url: url }: PullRequest,
  github: GitHub,
): Promise<Pick<EventFacts, 'commits' | 'files'>> {
  const path = `${github.path}/pulls/${number}`
  const list = <T>(what: string, cost: string, max?: number): Promise<Known<readonly T[]>> => {
    const call = {
      purpose: `list the pull request's ${what}`,
      permission: PULL_PERMISSION,
      cost,
    }
    return github.attempt(call, () => github.list<T>(`${path}/${what}`, max))
  }
  const [listed, commitsListed] = await Promise.all([
    list<CommitFile>(
      'files',
      'the agent is not told which files it changes, nor the diff',
      MAX_LISTED,
    ),
    list<Commit>('commits', 'the agent is not told their messages'),
  ])
  // The description tells what the bodies of its messages would.
  const commits = commitsListed.known ? commitsListed.value.map(summaryOf).map(withoutBody) : []
  if (!listed.known) return { ...unknownChanges(listed.why), commits }
  const files = readFiles(listed.value)
  const total = counted ?? (files.length < MAX_LISTED ? files.length : undefined)
  return { commits, files: { files, total, url: url ? `${url}/files` : '' } }
}

/** The commits and files of a push as its payload has them; the files are often missing there. */
export function changesInPayload(
  { commits, head_commit: tip }: Payload,
  problem: string,
): EventFacts {
  const pushed = commits?.length ? commits : tip == null ? [] : [tip]
  const changed = pushed.flatMap((commit) =>
    (['added', 'modified', 'removed'] as const).flatMap((status) =>
      (commit[status] ?? []).map((filename) => ({ filename, status, patch: '' })),
    ),
  )
  const files = readFiles([...new Map(changed.map((file) => [file.filename, file])).values()])
  const summaries = pushed.map(({ id, message }) => ({ sha: id ?? '', message: message ?? '' }))
  return { facts: [], commits: summaries, files: { files, total: files.length, problem } }
}

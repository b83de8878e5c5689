import { type GitHub, GitHubError, type Lookup } from '../github/client.ts'
import { type MergedPulls, readMergedPulls } from '../github/pull-requests.ts'
import type {
  CommitFile,
  ComparedCommit,
  Comparison,
  Maybe,
  PullRequest,
  Release,
} from '../github/types.ts'
import { hasSkipLabel, MAX_DESCRIBED } from '../look/commits.ts'
import { isSha, type Payload } from '../look/event.ts'
import type { Run } from '../runner/run.ts'
import type { ChangedFile } from './files.ts'
import { type CommitSummary, type EventFacts, type Fact, withoutBody, withPulls } from './render.ts'

/** This step's last successful job: the commit that it was about, and when it ended. */
export type LastJob = {
  readonly sha: string
  /** Milliseconds since the epoch; 0 if not known. */
  readonly createdAtMs: number
  /** Whether the commit is newer than the run's, which then is an older run that was started again. */
  readonly isNewer: boolean
}

/** In a repository of many packages, the release before may be far back. */
const MAX_RELEASES = 300
/** How many tags are compared at most to find one that serves. */
const MAX_TAGS = 5
/** On the first run: the release to compare with is at most so far back; where there is none, so many commits are told. */
const MAX_COMMITS_AHEAD = 250
const LAST_COMMITS = 10
const NO_BASE = 'there is nothing to compare with'

/** What a push brought, with the merged pull requests that its commits came in. */
export async function factsOfPush(
  payload: Payload,
  { lastJob, mergedPulls }: { lastJob: Lookup<LastJob | undefined>; mergedPulls: MergedPulls },
  { inputs, github }: Run,
): Promise<EventFacts> {
  const [, tag] = /^refs\/tags\/(.+)$/.exec(payload.ref ?? '') ?? []
  if (tag !== undefined && !isSha(payload.before)) {
    return await changesSinceTag(tag, payload, github)
  }
  const changes = await changesOfPush(payload, lastJob, github)
  const { commits: listed = [] } = changes
  // Those of earlier pushes, whose runs were dropped or skipped.
  const unread = listed.filter(({ sha }) => isSha(sha) && !mergedPulls.has(sha))
  const options = {
    withText: true,
    effect: 'the agent does not know which pull requests the commits came in',
  }
  const earlier = await readMergedPulls(unread.slice(-MAX_DESCRIBED), options, github)
  const origins = new Map([...earlier, ...mergedPulls])
  const skipped = listed
    .toReversed()
    .flatMap(({ sha }) => origins.get(sha) ?? [])
    .filter(({ labels }) => hasSkipLabel(labels, inputs))
    .map(({ number }) => `#${number}`)
  const facts: Fact[] = [
    ...changes.facts,
    ['Forced push', payload.forced ? 'commits were removed from the branch' : ''],
    [
      'Pull requests that need no documentation (pass over their changes)',
      [...new Set(skipped)].join(', '),
    ],
  ]
  return { ...changes, facts, commits: withPulls(listed, origins, inputs) }
}

/** Since this step's last job, else since the push before. */
async function changesOfPush(
  payload: Payload,
  lastJob: Lookup<LastJob | undefined>,
  github: GitHub,
): Promise<EventFacts> {
  const { before, after, compare: url } = payload
  const commits = pushedCommits(payload)
  // A new branch; a local run may have any payload.
  if (!isSha(before) || !isSha(after)) return unknownChanges(NO_BASE, { commits })
  const job = baseOfJob(lastJob)
  const base: Base =
    job === undefined || job.ref === before ? { ref: before, since: ['Changes since', ''] } : job
  const known: EventFacts = { facts: [['Compare', url ?? '']], commits }
  return await readChanges(github, known, () => compare(base, after, github))
}

function baseOfJob(lastJob: Lookup<LastJob | undefined>): Base | undefined {
  if (!lastJob.known || lastJob.value === undefined) return undefined
  const { sha, createdAtMs } = lastJob.value
  const when = createdAtMs === 0 ? '' : `, ${new Date(createdAtMs).toISOString().slice(0, 16)}Z`
  const job = `this step's last job (commit ${sha.slice(0, 7)}${when})`
  return { ref: sha, since: ['Changes since', job] }
}

/** What has changed on the run's branch since this step's last job; without one, what was done last. */
export async function factsOfBranch(
  lastJob: Lookup<LastJob | undefined>,
  { environment: { sha }, github }: Run,
): Promise<EventFacts> {
  if (!isSha(sha)) return unknownChanges(NO_BASE)
  const base = baseOfJob(lastJob)
  const facts = base ? [base.since] : []
  if (base?.ref === sha) return { facts, files: { files: [], total: 0 } }
  return await readChanges(github, { facts }, async () => {
    if (base) return await compare(base, sha, github)
    const call = { purpose: 'compare with the releases', permission: 'contents: read' }
    const changes = await github.attempt({ ...call, level: 'notice' }, () =>
      changesSinceRelease(sha, github),
    )
    return (changes.known && changes.value) || (await lastCommits(sha, github))
  })
}

/** Since the newest release that is neither on this commit nor too far back, if there is one. */
async function changesSinceRelease(sha: string, github: GitHub): Promise<EventFacts | undefined> {
  const bases = (await listPublished(github))
    .filter(({ prerelease }) => prerelease !== true)
    // GitHub's times are all in UTC and of one length: they sort as text.
    .toSorted((one, other) => ((one.published_at ?? '') < (other.published_at ?? '') ? 1 : -1))
    .map(({ tag_name: tag }): Base => {
      const since = `the release ${tag} (this step has no earlier job)`
      return { ref: tag ?? '', since: ['Changes since', since] }
    })
  return await compareWithFirst(bases, sha, github, MAX_COMMITS_AHEAD)
}

async function listPublished(github: GitHub): Promise<Release[]> {
  const releases = await github.list<Release>(`${github.path}/releases`, MAX_RELEASES)
  return releases.filter(({ draft }) => draft !== true)
}

/** What has changed since the first of these that is 1 to so many commits back; `undefined` if none is. */
async function compareWithFirst(
  bases: readonly Base[],
  head: string,
  github: GitHub,
  maxCommits = Infinity,
): Promise<EventFacts | undefined> {
  for (const base of bases.slice(0, MAX_TAGS)) {
    const changes = await compare(base, head, github)
    const { commitCount = 0 } = changes
    // Another tag may be on the same commit.
    if (commitCount > 0 && commitCount <= maxCommits) return changes
  }
  return undefined
}

/** What the last commits changed, of a young branch all. */
async function lastCommits(sha: string, github: GitHub): Promise<EventFacts> {
  const { repository } = github
  const listed = await github.call<readonly ComparedCommit[]>(({ rest }) =>
    rest.repos.listCommits({ ...repository, sha, per_page: LAST_COMMITS + 1 }),
  )
  const ref = listed.at(-1)?.sha ?? sha
  const isAll = listed.length <= LAST_COMMITS
  const words = isAll ? 'the first commit, included' : `${LAST_COMMITS} commits before`
  const why = 'this step has no earlier job'
  const changes = await compare({ ref, since: ['Changes since', `${words} (${why})`] }, sha, github)
  if (!isAll) return changes
  // Nothing can be compared with what was before the first commit.
  const first = await github.call<ComparedCommit>(({ rest }) =>
    rest.repos.getCommit({ ...repository, ref }),
  )
  const files = unite(readChangedFiles(first.files), changes.files?.files ?? [])
  const commits = listed.map(summaryOf).toReversed()
  return { facts: changes.facts, commits, files: { files, total: files.length } }
}

/** A release, and what has changed since the one before. */
export async function factsOfRelease(payload: Payload, github: GitHub): Promise<EventFacts> {
  const release = payload.release ?? {}
  const tag = release.tag_name ?? ''
  const changes = await changesSinceVersion('Release before', tag, payload, github, async () =>
    (await listPublished(github)).map(({ tag_name: name }) => name ?? ''),
  )
  const facts: Fact[] = [
    ['Release', release.name ?? ''],
    ['Tag', tag],
    ['URL', release.html_url ?? ''],
    ...changes.facts,
  ]
  return { ...changes, facts, texts: release.body ? [['Notes', release.body]] : [] }
}

async function changesSinceTag(tag: string, payload: Payload, github: GitHub): Promise<EventFacts> {
  const [, prefix = ''] = /^(\D*)\d/.exec(tag) ?? []
  const ref = `tags/${prefix}`.replace(/\/$/, '')
  return await changesSinceVersion('Tag before', tag, payload, github, async () => {
    const refs = await github.call(({ rest }) =>
      rest.git.listMatchingRefs({ ...github.repository, ref }),
    )
    return refs.map((one) => one.ref.replace(/^refs\/tags\//, ''))
  })
}

/** What has changed since the version before, else what the payload has. */
async function changesSinceVersion(
  label: string,
  tag: string,
  payload: Payload,
  github: GitHub,
  listTags: () => Promise<readonly string[]>,
): Promise<EventFacts> {
  const commits = pushedCommits(payload)
  return await readChanges(github, { facts: [[label, 'not known']], commits }, async () => {
    const bases = tagsBefore(tag, await listTags()).map((ref): Base => {
      return { ref, since: [label, ref] }
    })
    const changes = await compareWithFirst(bases, tag, github)
    return changes ?? unknownChanges(NO_BASE, { facts: [[label, 'none']], commits })
  })
}

/** The tags before one, the nearest first: lower versions with the same prefix. */
export function tagsBefore(tag: string, tags: readonly string[]): string[] {
  const [version] = readVersion(tag)
  if (version === undefined) return []
  const lower = tags
    .flatMap(readVersion)
    .filter((one) => one.prefix === version.prefix && compareVersions(one, version) < 0)
  return lower.toSorted((one, other) => compareVersions(other, one)).map((one) => one.tag)
}

/** `@scope/pkg@1.2.0-rc.1`: prefix `@scope/pkg@`, numbers `1.2.0`, suffix `-rc.1`. */
type Version = Readonly<Record<'tag' | 'prefix' | 'numbers' | 'suffix', string>>

const VERSION =
  /^(.*?)v?(?<![\d.])(\d+(?:\.\d+){0,3})((?:[-.]|a|b|rc|alpha|beta|pre|dev)[\w.-]*)?(?:\+.*)?$/i

/** None if the tag is no version's. */
function readVersion(tag: string): Version[] {
  const [match, prefix = '', numbers = '', suffix = ''] = VERSION.exec(tag) ?? []
  return match === undefined ? [] : [{ tag, prefix, numbers, suffix }]
}

/** Below zero if the first is lower. A version with a suffix comes before the one without it. */
function compareVersions(one: Version, other: Version): number {
  const { compare: natural } = new Intl.Collator('en', { numeric: true })
  const isFinal = one.suffix === '' || other.suffix === ''
  const bySuffix = isFinal
    ? other.suffix.length - one.suffix.length
    : natural(one.suffix, other.suffix)
  return natural(one.numbers, other.numbers) || bySuffix
}

/** As many files as GitHub compares at most, without saying how many there are. */
const MAX_COMPARED = 300
/** As many files of a pull request as GitHub lists at most. */
const MAX_LISTED_FILES = 3000

/** What `read` says, else what is known without it: one failure costs all that has changed. */
export async function readChanges(
  github: GitHub,
  known: Partial<EventFacts>,
  read: () => Promise<EventFacts>,
  permission = 'contents: read',
): Promise<EventFacts> {
  const lacks = known.commits?.length ? 'the' : 'the commits,'
  const effect = `the agent is not told ${lacks} files and diff`
  const call = { purpose: 'read what has changed', permission, effect }
  const changes = await github.attempt(call, read)
  return changes.known ? changes.value : unknownChanges(changes.why, known)
}

export function unknownChanges(why: string, known: Partial<EventFacts> = {}): EventFacts {
  return { facts: [], ...known, files: { files: [], total: undefined, problem: why } }
}

/** What a change is compared with: a commit, branch or tag, and how the agent is told of it. */
type Base = { readonly ref: string; readonly since: Fact }

/** What has changed since a base: three requests where there are more files than GitHub compares. */
async function compare({ ref, since }: Base, head: string, github: GitHub): Promise<EventFacts> {
  const compared = await requestComparison(ref, head, github)
  const { html_url, commits, total_commits: commitCount } = compared
  const url = html_url ?? ''
  const listed = commits ?? []
  const files = readChangedFiles(compared.files)
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
  commits: readonly ComparedCommit[],
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
  return first.behind_by === 0
    ? unite(readChangedFiles(first.files), readChangedFiles(second.files))
    : []
}

/** The files of two changes, one after the other; of a file in both, the second diff. */
function unite(first: readonly ChangedFile[], second: readonly ChangedFile[]): ChangedFile[] {
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
function readChangedFiles(listed: Maybe<readonly CommitFile[]>): ChangedFile[] {
  return (listed ?? []).map(({ filename, previous_filename: oldPath, status, patch, ...file }) => ({
    status: status ?? 'changed',
    path: filename ?? '',
    oldPath: oldPath ?? filename ?? '',
    added: file.additions ?? 0,
    removed: file.deletions ?? 0,
    patch: patch ?? undefined,
  }))
}

export function summaryOf({ sha, html_url: url, commit, author }: ComparedCommit): CommitSummary {
  return { sha: sha ?? '', message: commit?.message ?? '', url, author }
}

/** The files and commits of a pull request: a request for each hundred of them. */
export async function changesOfPull(
  { number, changed_files: counted, html_url: url }: PullRequest,
  github: GitHub,
): Promise<EventFacts> {
  const path = `${github.path}/pulls/${number}`
  const [listed, commits] = await Promise.all([
    github.list<CommitFile>(`${path}/files`, MAX_LISTED_FILES),
    github.list<ComparedCommit>(`${path}/commits`),
  ])
  const files = readChangedFiles(listed)
  const total = counted ?? (files.length < MAX_LISTED_FILES ? files.length : undefined)
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

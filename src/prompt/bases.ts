import type { GitHub, Maybe } from '../github/client.ts'
import { GitHubError, type Lookup } from '../github/github-errors.ts'
import {
  type CommitFile,
  type ComparedCommit,
  type Comparison,
  type MergedPulls,
  readMergedPulls,
} from '../github/pull-requests.ts'
import { MAX_SEARCHED_COMMITS } from '../look/earlier-runs.ts'
import { isSha, type Payload, type Release } from '../look/event.ts'
import type { LastJob } from '../look/status.ts'
import { findSkipLabel } from '../look/trigger.ts'
import type { Run } from '../runner/run.ts'
import type { ChangedFile } from './files.ts'
import {
  type CommitSummary,
  type EventFacts,
  type Fact,
  pushedCommits,
  summaryOf,
  withPulls,
} from './render.ts'

/** What a run already knows of earlier jobs and merged pull requests. */
export type EarlierChanges = {
  readonly lastJob: Lookup<LastJob | undefined>
  /** Whether the search for it ended at its limit, so that an older job may exist. */
  readonly reachedLimit: boolean
  /** Those that the pushed commits came in. */
  readonly mergedPulls: MergedPulls
}

/** A commit, branch, or tag that a change is compared with. */
type Base = {
  /** Empty if nothing is before the head commit: then that commit is shown. */
  readonly ref: string
  /** How the block names it; empty if it doesn't. */
  readonly words: string
  /** How many commits the change must have; by default any number. */
  readonly min?: number
  readonly max?: number
  /** Shown instead of those that GitHub compares, or if the comparison fails. */
  readonly commits?: readonly CommitSummary[]
}

/** Bases of one kind, in the order in which they are tried. */
type Candidates = {
  /** What they are, to follow "Could not compare with". */
  readonly what: string
  readonly list: () => Promise<readonly Base[]>
  /** Whether they are taken because no job or release is known. */
  readonly areArbitrary?: boolean
}

/** How many bases of one kind are compared at most. */
const MAX_TRIED = 10
/** How many of the newest releases are listed. */
const MAX_RELEASES = 300
/** How many commits back a release may be. */
const MAX_COMMITS_AHEAD = 250
/** How many commits are compared if there is neither a job nor a release. */
const LAST_COMMITS = 10
const NO_BASE = 'there is nothing to compare with'

/** Describes what a push brought. */
export async function factsOfPush(
  payload: Payload,
  earlier: EarlierChanges,
  run: Run,
): Promise<EventFacts> {
  const { before, after, compare: url, forced } = payload
  const known = { facts: [], commits: pushedCommits(payload) }
  const [, tag] = /^refs\/tags\/(.+)$/.exec(payload.ref ?? '') ?? []
  if (tag !== undefined && !isSha(before)) {
    const changes = await changesOfTag('Tag before', tag, known, run)
    return await addMergedPulls(changes, earlier, run)
  }
  // A local run may have any payload.
  if (!isSha(after)) return unknownChanges(NO_BASE, known)
  const { lastJob } = earlier
  const job = lastJob.known && lastJob.value?.isNewer !== true ? lastJob.value : undefined
  const bases = baseOfPush(payload)
  const candidates = [
    ...(job === undefined || job.sha === before ? [] : [jobCandidate(job)]),
    { what: 'the commit before the push', list: async () => bases },
  ]
  const linked: EventFacts = { ...known, facts: [['Compare', url ?? '']] }
  const changes = await compareWithFirst(candidates, after, { known: linked }, run.github)
  const force: Fact = ['Forced push', forced ? 'commits were removed from the branch' : '']
  return await addMergedPulls({ ...changes, facts: [...changes.facts, force] }, earlier, run)
}

/** The commit before a push; of a new branch the default branch, and of a new default branch the first commit. */
function baseOfPush(payload: Payload): Base[] {
  const { before, after, ref, repository } = payload
  if (isSha(before)) return [{ ref: before, words: '' }]
  const main = repository?.default_branch
  if (main && ref !== `refs/heads/${main}`) return [{ ref: main, words: `the branch left ${main}` }]
  const commits = pushedCommits(payload)
  const [first] = commits
  if (!main || !isSha(first?.sha)) return []
  return [
    first.sha === after ? ONLY_COMMIT : { ref: first.sha, words: 'the first commit', commits },
  ]
}

const ONLY_COMMIT: Base = { ref: '', words: 'the start of the branch, which has one commit' }

function jobCandidate({ sha, createdAtMs }: LastJob): Candidates {
  const when = createdAtMs === 0 ? '' : `, ${new Date(createdAtMs).toISOString().slice(0, 16)}Z`
  const words = `this step's last job (commit ${sha.slice(0, 7)}${when})`
  return { what: "the commit of this step's last job", list: async () => [{ ref: sha, words }] }
}

/** Describes what has changed on a branch since this step's last job; without one, the newest changes. */
export async function factsOfBranch(
  head: string,
  earlier: EarlierChanges,
  run: Run,
): Promise<EventFacts> {
  if (!isSha(head)) return unknownChanges(NO_BASE)
  const { lastJob, reachedLimit } = earlier
  const { github } = run
  const job = lastJob.known ? lastJob.value : undefined
  let why = 'this step has no earlier job'
  if (reachedLimit) why = `no earlier job was found on the newest ${MAX_SEARCHED_COMMITS} commits`
  if (!lastJob.known) why = `the last job is unknown: ${lastJob.why}`
  if (job !== undefined) why = "the changes since this step's last job could not be read"
  const candidates: Candidates[] = [
    ...(job === undefined ? [] : [jobCandidate(job)]),
    { what: 'the newest releases', list: () => listReleases(why, github) },
    {
      what: 'the last commits',
      list: () => listLastCommits(head, why, github),
      areArbitrary: true,
    },
  ]
  const changes = await compareWithFirst(candidates, head, { known: { facts: [] } }, github)
  return await addMergedPulls(changes, earlier, run)
}

async function listReleases(why: string, github: GitHub): Promise<Base[]> {
  const releases = await listPublished(({ prerelease }) => prerelease !== true, github)
  return releases.map((ref) => {
    return { ref, words: `the release ${ref} (${why})`, min: 1, max: MAX_COMMITS_AHEAD }
  })
}

/** Lists the tags of the newest releases that fit, by the time of their publication. Or a GitHubError. */
async function listPublished(fits: (one: Release) => boolean, github: GitHub): Promise<string[]> {
  const releases = await github.list<Release>(`${github.path}/releases`, MAX_RELEASES)
  const found = releases.filter((one) => one.draft !== true && fits(one))
  if (found.length === 0 && releases.length >= MAX_RELEASES)
    throw new GitHubError(`none of the newest ${MAX_RELEASES} releases can be compared with`)
  // GitHub's times are all in UTC and of one length: they sort as text.
  const timeOf = ({ published_at: at }: Release): string => at ?? ''
  return found
    .toSorted((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1))
    .map(({ tag_name: tag }) => tag ?? '')
}

/** The commit before the last ones; of a younger branch the first commit, which isn't compared itself. */
async function listLastCommits(head: string, why: string, github: GitHub): Promise<Base[]> {
  const listed = await github.call<readonly ComparedCommit[]>(({ rest }) =>
    rest.repos.listCommits({ ...github.repository, sha: head, per_page: LAST_COMMITS + 1 }),
  )
  const [first, ...commits] = listed.map(summaryOf).toReversed()
  if (first === undefined) return []
  if (commits.length === 0)
    return [{ ...ONLY_COMMIT, words: `${ONLY_COMMIT.words} (${why})`, commits: [first] }]
  const words =
    commits.length < LAST_COMMITS ? 'the first commit' : `${LAST_COMMITS} commits before`
  return [{ ref: first.sha, words: `${words} (${why})`, commits }]
}

/** Describes a release, and what has changed since the previous one. */
export async function factsOfRelease(
  payload: Payload,
  earlier: EarlierChanges,
  run: Run,
): Promise<EventFacts> {
  const { tag_name: tag, name, html_url: url, body, published_at: at } = payload.release ?? {}
  const found = await changesOfTag('Release before', tag ?? '', { facts: [] }, run, at)
  const changes = await addMergedPulls(found, earlier, run)
  const facts: Fact[] = [
    ['Release', name ?? ''],
    ['Tag', tag ?? ''],
    ['URL', url ?? ''],
    ...changes.facts,
  ]
  return { ...changes, facts, texts: body ? [['Notes', body]] : [] }
}

/**
 * Compares a tag with the version before it; a tag that isn't a version with the newest release before it.
 *
 * @param publishedAt when its release was published, if that is known
 */
async function changesOfTag(
  label: string,
  tag: string,
  known: EventFacts,
  { github }: Run,
  publishedAt?: Maybe<string>,
): Promise<EventFacts> {
  const isEarlier = ({ tag_name: name, published_at: at }: Release): boolean =>
    name !== tag && (!publishedAt || (at ?? '') < publishedAt)
  const list = async (): Promise<Base[]> => {
    const tags =
      readVersion(tag).length > 0
        ? tagsBefore(tag, await listTags(tag, github))
        : await listPublished(isEarlier, github)
    return tags.map((ref) => ({ ref, words: ref, min: 1 }))
  }
  const candidates = [{ what: 'the tags before', list }]
  return await compareWithFirst(candidates, tag, { label, known }, github)
}

/** Lists the tags that begin as one does before its first digit: a repository may have thousands of others. */
async function listTags(tag: string, github: GitHub): Promise<string[]> {
  const [prefix = ''] = /^\D*/.exec(tag) ?? []
  const asked = { ...github.repository, ref: `tags/${prefix}`.replace(/\/$/, '') }
  const refs = await github.call(async ({ paginate, rest }) => {
    return { data: await paginate(rest.git.listMatchingRefs, asked) }
  })
  return refs.map(({ ref }) => ref.replace(/^refs\/tags\//, ''))
}

/** `@scope/pkg@1.2.0-rc.1`: prefix `@scope/pkg@`, numbers 1, 2, and 0, suffix `-rc.1`. */
type Version = Readonly<Record<'tag' | 'prefix' | 'suffix', string>> & {
  readonly numbers: readonly number[]
  /** -1 for a prerelease, 1 for a post-release. */
  readonly stage: number
}

const VERSION =
  /^(.*?)v?(?<!\d|\d\.)(\d+(?:\.\d+){0,3})((?:[-+.]|a|b|rc|alpha|beta|pre|dev|post)[\w.+-]*)?$/i
const POST_RELEASE =
  /^(?:\+|[-.]?(?:post|hotfix|hf|patch|fix|final|release|ga|sp|rev|r|p)(?:[-.\d]|$))/i

/** Reads a tag; nothing if it isn't a version. */
function readVersion(tag: string): Version[] {
  const [match, prefix = '', numbers = '', suffix = ''] = VERSION.exec(tag) ?? []
  // `re2-supervisor-main` is a name.
  const isName = !numbers.includes('.') && !/^(?:$|[-+.]?[a-z]{0,6}[-.]?\d)/i.test(suffix)
  if (match === undefined || isName) return []
  const stageOfSuffix = POST_RELEASE.test(suffix) ? 1 : -1
  const stage = suffix === '' ? 0 : stageOfSuffix
  return [{ tag, prefix, numbers: numbers.split('.').map(Number), suffix, stage }]
}

/** Lists the lower versions with a tag's prefix, highest first; for a stable version only the stable ones. */
export function tagsBefore(tag: string, tags: readonly string[]): string[] {
  const [version] = readVersion(tag)
  if (version === undefined) return []
  const { compare: natural } = new Intl.Collator('en', { numeric: true })
  const order = (one: Version, other: Version): number => {
    const differences = [0, 1, 2, 3].map((at) => (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0))
    const ofNumbers = differences.find((difference) => difference !== 0) ?? 0
    return ofNumbers || one.stage - other.stage || natural(one.suffix, other.suffix)
  }
  return tags
    .flatMap(readVersion)
    .filter((one) => one.prefix === version.prefix && order(one, version) < 0)
    .filter((one) => version.stage < 0 || one.stage >= 0)
    .toSorted((one, other) => order(other, one))
    .map((one) => one.tag)
}

/** Reads what has changed since the first base that the change fits; if there is none, `known` has the rest. */
async function compareWithFirst(
  candidates: readonly Candidates[],
  head: string,
  { label, known }: { readonly label?: string; readonly known: EventFacts },
  github: GitHub,
): Promise<EventFacts> {
  const permission = 'contents: read'
  const call = { purpose: 'read what has changed', permission, effect: lackOf(known.commits) }
  const withFirst = (value: string): EventFacts =>
    label === undefined ? known : { ...known, facts: [[label, value], ...known.facts] }
  let shown = withFirst('not known')
  let failure: { readonly error: GitHubError; readonly what: string } | undefined
  const limits: Fact[] = []
  const changes = await github.attempt(call, async () => {
    for (const { what, list, areArbitrary: isArbitrary = false } of candidates) {
      const found = await github.read(list)
      const bases = found.known ? found.value : []
      let error = found.known ? undefined : found.error
      for (const base of bases.slice(0, MAX_TRIED)) {
        const { words, commits, min = 0, max = Infinity } = base
        const since: Fact = [label ?? 'Changes since', words]
        const compared = await github.read(() => compare(base, head, github))
        if (compared.known) {
          const { commitCount = 0 } = compared.value
          if (commitCount < min || commitCount > max) continue
          const facts = [since, ...limits, ...compared.value.facts]
          const listed = commits && { commits, commitCount: commits.length }
          return { ...compared.value, ...listed, facts, isArbitrary }
        }
        error = compared.error
        if (commits) shown = { ...known, facts: [since], commits, isArbitrary }
        // A tag or commit may be gone; anything else would fail again.
        if (error.status !== 404) break
      }
      if (bases.length > MAX_TRIED) limits.push([`Tried of ${what}`, `${MAX_TRIED}`])
      if (error) failure ??= { error, what }
    }
    call.effect = lackOf(shown.commits)
    if (failure) throw failure.error
    return undefined
  })
  if (!changes.known) return unknownChanges(changes.why, shown)
  if (failure) {
    const effect = 'the prompt may not include all changes'
    github.report(failure.error, { purpose: `compare with ${failure.what}`, permission, effect })
  }
  if (changes.value) return changes.value
  const { facts, ...none } = withFirst('none')
  return unknownChanges(NO_BASE, { ...none, facts: [...facts, ...limits] })
}

/** Says what a prompt lacks that has only these commits. */
export function lackOf(commits: readonly unknown[] = []): string {
  return `the prompt lacks the ${commits.length > 0 ? 'files and diff' : 'commits, files, and diff'}`
}

export function unknownChanges(why: string, known: Partial<EventFacts> = {}): EventFacts {
  return { facts: [], ...known, files: { files: [], total: undefined, problem: why } }
}

/** Adds the merged pull requests that commits came in, and names those that don't need docs. */
async function addMergedPulls(
  changes: EventFacts,
  { mergedPulls: known }: EarlierChanges,
  { inputs, github }: Run,
): Promise<EventFacts> {
  const { commits: listed = [] } = changes
  // On a push, those of earlier pushes, whose runs were dropped or skipped.
  const unread = listed.filter(({ sha }) => isSha(sha) && !known.has(sha))
  const effect = 'the agent does not know which pull requests the commits came in'
  const read = await readMergedPulls(unread, { withText: true, effect }, github)
  const origins = new Map([...read, ...known])
  const skipped = listed
    .toReversed()
    .flatMap(({ sha }) => origins.get(sha) ?? [])
    .filter(({ labels }) => findSkipLabel(labels, inputs))
    .map(({ number }) => `#${number}`)
  const ignored: Fact = [
    "Pull requests that don't need documentation (ignore their changes)",
    [...new Set(skipped)].join(', '),
  ]
  const facts = [...changes.facts, ignored]
  return { ...changes, facts, commits: withPulls(listed, origins, inputs) }
}

/** As many files as GitHub compares at most, without saying how many there are. */
const MAX_COMPARED = 300

/** Compares the head with a base: three requests if there are more files than GitHub compares. */
async function compare({ ref }: Base, head: string, github: GitHub): Promise<EventFacts> {
  if (ref === head) return { facts: [], files: { files: [], total: 0 } }
  if (ref === '') return await readCommit(head, github)
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
    facts: [['Compare', url]],
    commits: listed.map(summaryOf),
    commitCount: commitCount ?? 0,
    files: { files: [...files, ...more], total: isWhole ? files.length : undefined, url },
  }
}

async function readCommit(ref: string, github: GitHub): Promise<EventFacts> {
  const commit = await github.call<ComparedCommit>(({ rest }) =>
    rest.repos.getCommit({ ...github.repository, ref }),
  )
  const files = readChangedFiles(commit.files)
  const total = files.length < MAX_COMPARED ? files.length : undefined
  const url = commit.html_url ?? ''
  return { facts: [], commits: [summaryOf(commit)], commitCount: 1, files: { files, total, url } }
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

/** Reads a change in two parts, up to a commit in its middle and from there; no files if there is no such commit. */
async function compareHalves(
  base: string,
  head: string,
  commits: readonly ComparedCommit[],
  github: GitHub,
): Promise<ChangedFile[]> {
  // Merges are on the branch itself.
  const inside = commits.slice(0, -1)
  const merges = inside.filter(({ parents }) => (parents?.length ?? 0) > 1)
  const candidates = merges.length > 0 ? merges : inside
  const middle = candidates[Math.floor(candidates.length / 2)]?.sha
  if (middle == null) return []
  const [first, second] = await Promise.all([
    requestComparison(base, middle, github),
    requestComparison(middle, head, github),
  ])
  // Otherwise the second part would include changes of the base.
  return first.behind_by === 0
    ? unite(readChangedFiles(first.files), readChangedFiles(second.files))
    : []
}

/** Joins the files of two changes, one after the other; of a file in both, the second diff is shown. */
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

export function readChangedFiles(listed: Maybe<readonly CommitFile[]>): ChangedFile[] {
  return (listed ?? []).map(({ filename, previous_filename: oldPath, status, patch, ...file }) => ({
    status: status ?? 'changed',
    path: filename ?? '',
    oldPath: oldPath ?? filename ?? '',
    added: file.additions ?? 0,
    removed: file.deletions ?? 0,
    patch: patch ?? undefined,
  }))
}

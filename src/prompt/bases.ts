import type { GitHub, Maybe } from '../github/client.ts'
import { GitHubError } from '../github/github-errors.ts'
import {
  type CommitFile,
  type ComparedCommit,
  type MergedPulls,
  readMergedPulls,
  requestComparison,
} from '../github/pull-requests.ts'
import { type EarlierRuns, MAX_SEARCHED_COMMITS } from '../look/earlier-runs.ts'
import { isSha, type Payload, type Release } from '../look/event.ts'
import type { ChangedFile } from '../look/ranks.ts'
import type { LastJob } from '../look/status.ts'
import { findSkipLabel } from '../look/trigger.ts'
import { completeFiles, isTooLargeToCompare, listCommitsSince } from '../look/whole-diff.ts'
import type { Run } from '../runner/run.ts'
import {
  type CommitSummary,
  type EventFacts,
  type Fact,
  pushedCommits,
  summaryOf,
  withPulls,
} from './render.ts'

/** What a run already knows of earlier jobs and merged pull requests. */
export type EarlierChanges = Pick<EarlierRuns, 'lastJob' | 'reachedLimit'> & {
  /** Those that the pushed commits came in. */
  readonly mergedPulls: MergedPulls
}

/** A commit, branch, or tag that a change is compared with. */
type Base = {
  /** Empty if nothing is before the head commit: then that commit is shown. */
  readonly ref: string
  /** How the block names it; empty if it doesn't. */
  readonly words: string
  /** Shown instead of those that GitHub compares, or if the comparison fails. */
  readonly commits?: readonly CommitSummary[]
}

/** Bases of one kind, in the order in which they are tried. */
type Candidates = {
  /** What they are, to follow "Could not compare with". */
  readonly what: string
  readonly list: () => Promise<readonly Base[]>
  /** How many commits the change must have; by default any number. */
  readonly min?: number
  readonly max?: number
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
    const start = { label: 'Tag before', known }
    return await compareWithFirst([tagCandidates(tag, run)], tag, start, earlier, run)
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
  const start = { known: { ...known, facts: [['Compare', url ?? '']] } } as const
  const changes = await compareWithFirst(candidates, after, start, earlier, run)
  const force: Fact = ['Forced push', forced ? 'commits were removed from the branch' : '']
  return { ...changes, facts: [...changes.facts, force] }
}

/** Finds the commit before a push; of a new branch the default branch, and of a new default branch the first commit. */
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
    {
      what: 'the newest releases',
      list: () => listReleases(why, github),
      min: 1,
      max: MAX_COMMITS_AHEAD,
    },
    {
      what: 'the last commits',
      list: () => listLastCommits(head, why, github),
      areArbitrary: true,
    },
  ]
  return await compareWithFirst(candidates, head, { known: { facts: [] } }, earlier, run)
}

async function listReleases(why: string, github: GitHub): Promise<Base[]> {
  const releases = await listPublished(({ prerelease }) => prerelease !== true, github)
  return releases.map((ref) => ({ ref, words: `the release ${ref} (${why})` }))
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

/** Finds the commit before the last ones; of a younger branch the first commit, which isn't compared itself. */
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
  const { tag_name, name, html_url: url, body, published_at: at } = payload.release ?? {}
  const tag = tag_name ?? ''
  const start = { label: 'Release before', known: { facts: [] } }
  const changes = await compareWithFirst([tagCandidates(tag, run, at)], tag, start, earlier, run)
  const facts: Fact[] = [
    ['Release', name ?? ''],
    ['Tag', tag],
    ['URL', url ?? ''],
    ...changes.facts,
  ]
  return { ...changes, facts, texts: body ? [['Notes', body]] : [] }
}

/**
 * Makes candidates of the versions before a tag, or, if it isn't a version, of the releases before it, the newest first.
 *
 * @param publishedAt when its release was published, if that is known
 */
function tagCandidates(tag: string, { github }: Run, publishedAt?: Maybe<string>): Candidates {
  const isEarlier = ({ tag_name: name, published_at: at }: Release): boolean =>
    name !== tag && (!publishedAt || (at ?? '') < publishedAt)
  const list = async (): Promise<Base[]> => {
    const tags =
      readVersion(tag) === undefined
        ? await listPublished(isEarlier, github)
        : tagsBefore(tag, await listTags(tag, github))
    return tags.map((ref) => ({ ref, words: ref }))
  }
  return { what: 'the tags before', list, min: 1 }
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

/** `@scope/pkg@1.2.0-rc.1`: prefix `@scope/pkg@`, numbers `1.2.0.0`, suffix `-rc.1`. */
type Version = Readonly<Record<'tag' | 'prefix' | 'numbers' | 'suffix', string>> & {
  /** -1 for a prerelease, 1 for a post-release. */
  readonly stage: number
}

/** A name in git is at most this long. */
const MAX_TAG_LENGTH = 255

const VERSION =
  /^(.*?)v?(?<!\d|\d\.)(\d+(?:\.\d+){0,3})((?:[-+.]|a|b|rc|alpha|beta|pre|dev|post)[\w.+-]*)?$/i
const POST_RELEASE =
  /^(?:\+|[-.]?(?:post|hotfix|hf|patch|fix|final|release|ga|sp|rev|r|p)(?:[-.\d]|$))/i

/** Reads a tag; `undefined` if it isn't a version. */
function readVersion(tag: string): Version | undefined {
  const [match, prefix = '', numbers = '', suffix = ''] =
    VERSION.exec(tag.slice(0, MAX_TAG_LENGTH)) ?? []
  // `re2-supervisor-main` is a name.
  const isName = !numbers.includes('.') && !/^(?:$|[-+.]?[a-z]{0,6}[-.]?\d)/i.test(suffix)
  if (match === undefined || isName) return undefined
  const stageOfSuffix = POST_RELEASE.test(suffix) ? 1 : -1
  const stage = suffix === '' ? 0 : stageOfSuffix
  // `v4` is `v4.0.0.0`.
  const padded = [...numbers.split('.'), 0, 0, 0].slice(0, 4).join('.')
  return { tag, prefix, numbers: padded, suffix, stage }
}

/** Lists the lower versions with a tag's prefix, highest first; for a stable version only the stable ones. */
export function tagsBefore(tag: string, tags: readonly string[]): string[] {
  const version = readVersion(tag)
  if (version === undefined) return []
  const { compare: natural } = new Intl.Collator('en', { numeric: true })
  const order = (one: Version, other: Version): number =>
    natural(one.numbers, other.numbers) ||
    one.stage - other.stage ||
    natural(one.suffix, other.suffix)
  return tags
    .flatMap((one) => readVersion(one) ?? [])
    .filter((one) => one.prefix === version.prefix && order(one, version) < 0)
    .filter((one) => version.stage < 0 || one.stage >= 0)
    .toSorted((one, other) => order(other, one))
    .map((one) => one.tag)
}

/**
 * Reads what has changed since the first base that the change fits.
 *
 * @param start.label what the base is to the event; by default, the block says since what the changes are
 * @param start.known what is shown if the change could not be read
 */
async function compareWithFirst(
  candidates: readonly Candidates[],
  head: string,
  { label, known }: { readonly label?: string; readonly known: EventFacts },
  earlier: EarlierChanges,
  run: Run,
): Promise<EventFacts> {
  const { github } = run
  const permission = 'contents: read'
  // Another base may do; in the end, the first failure is reported.
  const call = { purpose: 'read what has changed', permission, isReported: () => true }
  const withBase = (words: string): EventFacts =>
    label === undefined ? known : { ...known, facts: [[label, words], ...known.facts] }
  let shown = withBase('not known')
  let failure: { readonly error: GitHubError; readonly what: string } | undefined
  const limits: Fact[] = []
  for (const { what, list, min = 0, max = Infinity, areArbitrary = false } of candidates) {
    const found = await github.read(list)
    const bases = found.known ? found.value : []
    let error = found.known ? undefined : found.error
    for (const { ref, words, commits } of bases.slice(0, MAX_TRIED)) {
      const since: Fact = [label ?? 'Changes since', words]
      const compared = await github.attempt(call, () => compare(ref, head, github))
      if (compared.known) {
        const { commitCount = 0 } = compared.value
        if (commitCount < min || commitCount > max) continue
        if (failure) {
          const effect = 'the prompt may not include all changes'
          const purpose = `compare with ${failure.what}`
          github.report(failure.error, { purpose, permission, effect })
        }
        const facts = [since, ...limits, ...compared.value.facts]
        const listed = commits && { commits, commitCount: commits.length }
        const changes = { ...compared.value, ...listed, facts, isArbitrary: areArbitrary }
        return await addMergedPulls(changes, earlier, run)
      }
      error = compared.error
      if (commits) shown = { ...known, facts: [since], commits, isArbitrary: areArbitrary }
      // A tag or commit may be gone; anything else would fail again.
      if (error.status !== 404) break
    }
    if (bases.length > MAX_TRIED) limits.push([`Tried of ${what}`, `${MAX_TRIED}`])
    if (error) failure ??= { error, what }
  }
  if (failure) {
    const { error } = failure
    github.report(error, { ...call, effect: lackOf(shown.commits) })
    return await addMergedPulls(unknownChanges(error.message, shown), earlier, run)
  }
  const { facts, ...none } = withBase('none')
  const changes = unknownChanges(NO_BASE, { ...none, facts: [...facts, ...limits] })
  return await addMergedPulls(changes, earlier, run)
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

/** Compares the head with a base. */
async function compare(base: string, head: string, github: GitHub): Promise<EventFacts> {
  if (base === head) return { facts: [], files: { files: [], total: 0 } }
  if (base === '') return await readCommit(head, github)
  try {
    const compared = await requestComparison(base, head, github)
    const { html_url, commits, total_commits: commitCount, merge_base_commit: start } = compared
    const url = html_url ?? ''
    const ends = { base: start?.sha ?? base, head: commits?.at(-1)?.sha ?? head }
    const files = readChangedFiles(compared.files)
    const listing = { files, maxFiles: MAX_COMPARED, findEnds: async () => ends }
    return {
      facts: [['Compare', url]],
      commits: (commits ?? []).map(summaryOf),
      commitCount: commitCount ?? 0,
      files: { ...(await completeFiles(listing, github)), url },
    }
  } catch (error) {
    if (error instanceof GitHubError && isTooLargeToCompare(error))
      return await readWithoutComparison(base, head, github)
    throw error
  }
}

/** Reads a change that GitHub can't compare: its commits from their list, its files from the trees. */
async function readWithoutComparison(
  base: string,
  head: string,
  github: GitHub,
): Promise<EventFacts> {
  const { commits } = await listCommitsSince(base, head, github)
  const listing = { files: [], maxFiles: 0, findEnds: async () => ({ base, head }), spent: 1 }
  const { files, total } = await completeFiles(listing, github)
  const problem = "GitHub can't compare these commits, and doesn't list all of their files"
  return {
    facts: [],
    commits: commits.map(summaryOf),
    commitCount: commits.length,
    files: { files, total, ...(total === undefined && { problem }) },
  }
}

async function readCommit(ref: string, github: GitHub): Promise<EventFacts> {
  const commit = await github.call<ComparedCommit>(({ rest }) =>
    rest.repos.getCommit({ ...github.repository, ref }),
  )
  const ends = { base: commit.parents?.[0]?.sha ?? undefined, head: commit.sha ?? ref }
  const files = readChangedFiles(commit.files)
  const listing = { files, maxFiles: MAX_COMPARED, findEnds: async () => ends }
  const whole = await completeFiles(listing, github)
  const url = commit.html_url ?? ''
  return { facts: [], commits: [summaryOf(commit)], commitCount: 1, files: { ...whole, url } }
}

/** The hash of a file without content. */
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

export function readChangedFiles(listed: Maybe<readonly CommitFile[]>): ChangedFile[] {
  return (listed ?? []).map(({ filename, previous_filename: oldPath, status, patch, ...file }) => ({
    status: status ?? 'changed',
    path: filename ?? '',
    oldPath: oldPath ?? filename ?? '',
    added: file.additions ?? undefined,
    removed: file.deletions ?? undefined,
    patch: patch ?? (file.sha === EMPTY_BLOB ? '' : undefined),
  }))
}

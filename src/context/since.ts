import { isSha, type Payload } from '../events/event-table.ts'
import { hasSkipLabel, MAX_DESCRIBED } from '../events/loop-guard.ts'
import type { GitHub, Known } from '../github/client.ts'
import { type MergedPulls, readMergedPulls } from '../github/pull-requests.ts'
import type { Commit, Release } from '../github/types.ts'
import type { Run } from '../runner/run.ts'
import {
  type Base,
  compare,
  pushedCommits,
  readChanges,
  readFiles,
  summaryOf,
  unite,
  unknownChanges,
} from './changes.ts'
import { withPulls } from './messages.ts'
import type { EventFacts, Fact } from './render.ts'

/** This step's last successful job: the commit it was about, its pull request or run, and when. */
export type LastJob = {
  readonly sha: string
  readonly targetUrl: string
  /** Milliseconds since the epoch; 0 if not known. */
  readonly createdAtMs: number
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
  { lastJob, mergedPulls }: { lastJob: Known<LastJob | undefined>; mergedPulls: MergedPulls },
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
    cost: 'the agent is not told which pull requests the commits came in',
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
  lastJob: Known<LastJob | undefined>,
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

function baseOfJob(lastJob: Known<LastJob | undefined>): Base | undefined {
  if (!lastJob.known || lastJob.value === undefined) return undefined
  const { sha, createdAtMs } = lastJob.value
  const when = createdAtMs === 0 ? '' : `, ${new Date(createdAtMs).toISOString().slice(0, 16)}Z`
  const job = `this step's last job (commit ${sha.slice(0, 7)}${when})`
  return { ref: sha, since: ['Changes since', job] }
}

/** What has changed on the run's branch since this step's last job; without one, what was done last. */
export async function factsOfBranch(
  lastJob: Known<LastJob | undefined>,
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
  const listed = await github.call<readonly Commit[]>(({ rest }) =>
    rest.repos.listCommits({ ...repository, sha, per_page: LAST_COMMITS + 1 }),
  )
  const ref = listed.at(-1)?.sha ?? sha
  const isAll = listed.length <= LAST_COMMITS
  const words = isAll ? 'the first commit, included' : `${LAST_COMMITS} commits before`
  const why = 'this step has no earlier job'
  const changes = await compare({ ref, since: ['Changes since', `${words} (${why})`] }, sha, github)
  if (!isAll) return changes
  // Nothing can be compared with what was before the first commit.
  const first = await github.call<Commit>(({ rest }) =>
    rest.repos.getCommit({ ...repository, ref }),
  )
  const files = unite(readFiles(first.files), changes.files?.files ?? [])
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

import { isSha, type Payload } from '../events/event-table.ts'
import { hasSkipLabel, MAX_DESCRIBED, originsOf } from '../events/loop-guard.ts'
import type { GitHub, Known } from '../github/client.ts'
import { type MergedPulls, readMergedPulls } from '../github/pull-requests.ts'
import type { Commit, Release } from '../github/types.ts'
import type { Run } from '../runner/run.ts'
import {
  changesInPayload,
  compare,
  readComparison,
  readFiles,
  requestComparison,
  summaryOf,
  unite,
  unknownChanges,
} from './changes.ts'
import { type CommitSummary, withoutBody } from './messages.ts'
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
const MAX_COMPARED = 5
/** On the first run: the release to compare with is at most so far back; where there is none, so many commits are told. */
const MAX_COMMITS_AHEAD = 250
const LAST_COMMITS = 10

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
  const { commits = [] } = changes
  const earlier = await readEarlierPulls(payload, commits, github)
  const origins = new Map([...earlier, ...mergedPulls])
  const pulls = new Map([...origins.values()].flat().map((pull) => [pull.number, pull]))
  const { skipped = [], told = [] } = Object.groupBy(
    [...pulls.values()].toReversed(),
    ({ labels }) => (hasSkipLabel(labels, inputs) ? 'skipped' : 'told'),
  )
  const passOver: Fact = [
    'Pull requests that need no documentation (pass over their changes)',
    skipped.map(({ number }) => `#${number}`).join(', '),
  ]
  return {
    ...changes,
    facts: [...changes.facts, passOver],
    mergedPulls: told,
    commits: commits.map((one) => (origins.get(one.sha)?.length ? withoutBody(one) : one)),
  }
}

/** The merged pull requests of the commits that earlier pushes brought, whose runs were dropped or skipped. */
async function readEarlierPulls(
  payload: Payload,
  commits: readonly CommitSummary[],
  github: GitHub,
): Promise<MergedPulls> {
  const pushed = new Set(originsOf(payload.commits).map(({ sha }) => sha))
  const earlier = commits.filter(({ sha }) => isSha(sha) && !pushed.has(sha)).slice(-MAX_DESCRIBED)
  if (earlier.length === 0) return new Map()
  const consequence =
    'The agent is not told which pull requests the commits of earlier pushes came in.'
  return await readMergedPulls(earlier, { withText: true, consequence }, github)
}

/** Since this step's last job, else since the push before. */
async function changesOfPush(
  payload: Payload,
  lastJob: Known<LastJob | undefined>,
  github: GitHub,
): Promise<EventFacts> {
  const { before, after } = payload
  // A local run may have any payload.
  if (!isSha(after))
    return changesInPayload(payload, 'not known: the payload names no commit to compare')
  if (!isSha(before))
    return changesInPayload(payload, 'a new branch has nothing to be compared with')
  const job = lastJob.known ? lastJob.value : undefined
  const compared = await compare(job?.sha ?? before, after, github)
  const since = job !== undefined && job.sha !== before ? [factOfJob(job)] : []
  const unknown = compared.known ? '' : `not known: ${compared.why}`
  const changes = compared.known
    ? compared.value
    : withFact(changesInPayload(payload, unknown), 'Compare', payload.compare ?? '')
  const forced: Fact = ['Forced push', payload.forced ? 'commits were removed from the branch' : '']
  return { ...changes, facts: [...(compared.known ? since : []), ...changes.facts, forced] }
}

function factOfJob({ sha, createdAtMs }: LastJob): Fact {
  const when = createdAtMs === 0 ? '' : `, ${new Date(createdAtMs).toISOString().slice(0, 16)}Z`
  return ['Changes since', `this step's last job (commit ${sha.slice(0, 7)}${when})`]
}

/** What has changed on the run's branch since this step's last job; without one, what was done last. */
export async function factsOfBranch(
  lastJob: Known<LastJob | undefined>,
  { environment: { sha }, github }: Run,
): Promise<EventFacts> {
  if (!isSha(sha)) return unknownChanges('the run names no commit')
  const job = lastJob.known ? lastJob.value : undefined
  if (job === undefined)
    return (await changesSinceRelease(sha, github)) ?? (await lastCommits(sha, github))
  const [label, value] = factOfJob(job)
  if (job.sha === sha) return { facts: [[label, value]], files: { files: [], total: 0 } }
  const compared = await compare(job.sha, sha, github)
  return withFact(compared.known ? compared.value : unknownChanges(compared.why), label, value)
}

/** @returns `undefined` if there is no release to compare with, or none that can be read */
async function changesSinceRelease(sha: string, github: GitHub): Promise<EventFacts | undefined> {
  const call = {
    purpose: 'list the releases',
    permission: 'contents: read',
    level: 'notice',
  } as const
  const listed = await github.attempt(call, () =>
    github.list<Release>(`${github.path}/releases`, MAX_RELEASES),
  )
  const published = (listed.known ? listed.value : [])
    .filter(({ draft, prerelease }) => draft !== true && prerelease !== true)
    .map(({ tag_name: tag, published_at: at }) => ({ tag: tag ?? '', at: at ?? '' }))
    // GitHub's times are all in UTC and of one length: they sort as text.
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))
  for (const { tag } of published.slice(0, MAX_COMPARED)) {
    const compared = await requestComparison(tag, sha, github, { level: 'notice' })
    if (!compared.known) return undefined
    const ahead = compared.value.ahead_by ?? 0
    if (ahead < 1 || ahead > MAX_COMMITS_AHEAD) continue
    const changes = await readComparison(compared.value, tag, sha, github)
    return withFact(changes, 'Changes since', `the release ${tag} (this step has no earlier job)`)
  }
  return undefined
}

/** What the last commits changed, of a young branch all. */
async function lastCommits(sha: string, github: GitHub): Promise<EventFacts> {
  const cost = 'the agent is not told what has changed'
  const call = { purpose: 'list the last commits', permission: 'contents: read', cost }
  const { repository } = github
  const listed = await github.attempt(call, () =>
    github.call<readonly Commit[]>(({ rest }) =>
      rest.repos.listCommits({ ...repository, sha, per_page: LAST_COMMITS + 1 }),
    ),
  )
  if (!listed.known) return unknownChanges(listed.why)
  const base = listed.value.at(-1)?.sha ?? sha
  const isAll = listed.value.length <= LAST_COMMITS
  const words = isAll ? 'the first commit, included' : `${LAST_COMMITS} commits before`
  const why = 'this step has no earlier job, and no release to compare with'
  const compared = await compare(base, sha, github)
  if (!compared.known) return unknownChanges(compared.why)
  const changes = withFact(compared.value, 'Changes since', `${words} (${why})`)
  if (!isAll) return changes
  // Nothing can be compared with what was before the first commit.
  const first = await github.attempt(call, () =>
    github.call<Commit>(({ rest }) => rest.repos.getCommit({ ...repository, ref: base })),
  )
  const firstFiles = first.known ? readFiles(first.value.files) : []
  const files = unite(firstFiles, changes.files?.files ?? [])
  const commits = listed.value.map(summaryOf).toReversed()
  return { ...changes, commits, commitCount: commits.length, files: { files, total: files.length } }
}

function withFact(changes: EventFacts, ...fact: Fact): EventFacts {
  return { ...changes, facts: [fact, ...changes.facts] }
}

/** A release, and what has changed since the one before. */
export async function factsOfRelease(payload: Payload, github: GitHub): Promise<EventFacts> {
  const release = payload.release ?? {}
  const tag = release.tag_name ?? ''
  const consequence = 'The agent is not told what has changed since the release before.'
  const call = { purpose: 'list the releases', permission: 'contents: read', consequence }
  const before = await github.attempt(call, async () => {
    const releases = await github.list<Release>(`${github.path}/releases`, MAX_RELEASES)
    const published = releases.filter(({ draft }) => draft !== true)
    return tagsBefore(
      tag,
      published.map(({ tag_name }) => tag_name ?? ''),
    )
  })
  const changes = await changesSinceNearest(before, tag, 'Release before', payload, github)
  const facts: Fact[] = [
    ['Release', release.name ?? ''],
    ['Tag', tag],
    ['URL', release.html_url ?? ''],
    ...changes.facts,
  ]
  return { ...changes, facts, release, texts: release.body ? [['Notes', release.body]] : [] }
}

/** What has changed since the version tag before this one. */
async function changesSinceTag(tag: string, payload: Payload, github: GitHub): Promise<EventFacts> {
  const [, prefix = ''] = /^(\D*)\d/.exec(tag) ?? []
  const ref = `tags/${prefix}`.replace(/\/$/, '')
  const consequence = 'The agent is not told what has changed since the tag before.'
  const call = { purpose: 'list the tags', permission: 'contents: read', consequence }
  const before = await github.attempt(call, async () => {
    const refs = await github.call(({ rest }) =>
      rest.git.listMatchingRefs({ ...github.repository, ref }),
    )
    const tags = refs.map((one) => one.ref.replace(/^refs\/tags\//, ''))
    return tagsBefore(tag, tags)
  })
  return await changesSinceNearest(before, tag, 'Tag before', payload, github)
}

/** What has changed since the first of these tags that is on another commit; else what the payload has. */
async function changesSinceNearest(
  before: Known<string[]>,
  tag: string,
  label: string,
  payload: Payload,
  github: GitHub,
): Promise<EventFacts> {
  const inPayload = (why: string, since: string): EventFacts =>
    withFact(changesInPayload(payload, `not known: ${why}`), label, since)
  if (!before.known) return inPayload(before.why, 'not known')
  for (const name of before.value.slice(0, MAX_COMPARED)) {
    const compared = await compare(name, tag, github)
    if (!compared.known) return inPayload(compared.why, name)
    // Another tag may be on the same commit.
    if (compared.value.commitCount !== 0) return withFact(compared.value, label, name)
  }
  return inPayload('there is nothing to compare with', 'none')
}

/** The tags before one, the nearest first: lower versions with the same prefix. */
export function tagsBefore(tag: string, tags: readonly string[]): string[] {
  const version = readVersion(tag)
  const versions = tags.map(readVersion).filter((one) => one !== undefined)
  const lower = versions.filter(
    (one) => one.prefix === version?.prefix && compareVersions(one, version) < 0,
  )
  return lower.toSorted((one, other) => compareVersions(other, one)).map((one) => one.tag)
}

/** `@scope/pkg@1.2.0-rc.1`: prefix `@scope/pkg@`, numbers `1.2.0`, suffix `-rc.1`. */
type Version = Readonly<Record<'tag' | 'prefix' | 'numbers' | 'suffix', string>>

const VERSION =
  /^(.*?)v?(?<![\d.])(\d+(?:\.\d+){0,3})((?:[-.]|a|b|rc|alpha|beta|pre|dev)[\w.-]*)?(?:\+.*)?$/i

function readVersion(tag: string): Version | undefined {
  const [, prefix, numbers, suffix = ''] = VERSION.exec(tag) ?? []
  return prefix === undefined || numbers === undefined
    ? undefined
    : { tag, prefix, numbers, suffix }
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

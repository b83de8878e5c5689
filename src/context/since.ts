import { isSha, type Payload } from '../events/event-table.ts'
import { MAX_DESCRIBED, originsOf } from '../events/loop-guard.ts'
import type { GitHub, Known } from '../github/client.ts'
import { type MergedPull, type MergedPulls, readMergedPulls } from '../github/merged-pulls.ts'
import type { Release } from '../github/types.ts'

type Since = { lastJob: Known<LastJob | undefined> }
type StepStatus = LastJob
export type LastJob = { readonly sha: string; readonly targetUrl: string; readonly createdAtMs: number }

import type { Run } from '../runner/run.ts'
import { changesInPayload, compare, requestComparison, unknownChanges } from './changes.ts'
import { withoutBody } from './messages.ts'
import type { EventFacts, Fact } from './render.ts'

/** In a repository of many packages, the release before may be far back. */
const MAX_RELEASES = 300
/** How many tags on the same commit are passed over. */
const MAX_COMPARED = 3

/** What a push brought, with the merged pull requests that its commits came in. */
export async function factsOfPush(
  payload: Payload,
  { since, mergedPulls }: { readonly since: Since; readonly mergedPulls: MergedPulls },
  github: GitHub,
): Promise<EventFacts> {
  const changes = await changesOfPush(payload, since, github)
  const earlier = await readEarlierPulls(payload, changes, github)
  const pulls = new Map([...earlier, ...[...mergedPulls.values()].flat()].map((pull) => [pull.number, pull]))
  // What a pull request's description tells, its commits need not tell again.
  const commits = changes.commits?.map((one) => (mergedPulls.get(one.sha)?.length ? withoutBody(one) : one))
  const texts = [...pulls.values()].toReversed().map(textOfPull)
  return { ...changes, texts, mergedPulls: texts.length, commits: commits ?? [] }
}

/** Of more pull requests of earlier pushes than this, the titles alone are told, of the newest. */
const MAX_EARLIER_WHOLE = 3
const MAX_EARLIER = 20

/** The merged pull requests of the commits that earlier pushes brought, whose runs were dropped or skipped. */
async function readEarlierPulls(
  { commits: pushed }: Payload,
  { commits = [] }: EventFacts,
  github: GitHub,
): Promise<readonly MergedPull[]> {
  const own = new Set(originsOf(pushed).map(({ sha }) => sha))
  const earlier = commits.filter(({ sha }) => isSha(sha) && !own.has(sha)).slice(-MAX_DESCRIBED)
  if (earlier.length === 0) return []
  const consequence = 'The agent is not told which pull requests the commits of earlier pushes came in.'
  const merged = await readMergedPulls(earlier, { withText: true, consequence }, github)
  const pulls = [...new Map([...merged.values()].flat().map((pull) => [pull.number, pull])).values()]
  if (pulls.length <= MAX_EARLIER_WHOLE) return pulls
  return pulls.slice(-MAX_EARLIER).map((pull) => ({ ...pull, body: '' }))
}

function textOfPull({ number, title, url, author, labels, body }: MergedPull): Fact {
  const by = author.login === '' ? '' : `, by ${author.login}`
  const labelled = labels.length === 0 ? '' : `, labels: ${labels.join(', ')}`
  return [`Merged pull request #${number}: ${title} (${url}${by}${labelled})`, body]
}

/** Since this step's last job, since the push before, or since the tag before. */
async function changesOfPush(payload: Payload, { lastJob }: Since, github: GitHub): Promise<EventFacts> {
  const { before, after } = payload
  const [, tag] = /^refs\/tags\/(.+)$/.exec(payload.ref ?? '') ?? []
  if (tag !== undefined && !isSha(before)) return await changesSinceTag(tag, payload, github)
  // A local run may have any payload.
  if (!isSha(after)) return changesInPayload(payload, 'not known: the payload names no commit to compare')
  if (!isSha(before)) return changesInPayload(payload, 'a new branch has nothing to be compared with')
  const job = lastJob.known ? lastJob.value : undefined
  const base = job?.sha ?? before
  const compared = await compare(base, after, github)
  const facts: Fact[] = compared.known ? [...compared.value.facts] : [['Compare', payload.compare ?? '']]
  if (compared.known && job !== undefined && base !== before) facts.unshift(factOfJob(job))
  if (payload.forced) {
    const pushed = base === before ? compared : await requestComparison(before, after, github)
    const gone = pushed.known ? pushed.value.behind_by : undefined
    const commits = gone === 1 ? 'commit was' : 'commits were'
    facts.push(['Forced push', `${gone ?? 'an unknown number of'} ${commits} removed from the branch`])
  }
  const changes = compared.known ? compared.value : changesInPayload(payload, `not known: ${compared.why}`)
  return { ...changes, facts }
}

function factOfJob({ sha, createdAtMs }: StepStatus): Fact {
  const when = createdAtMs === 0 ? '' : `, ${new Date(createdAtMs).toISOString().slice(0, 16)}Z`
  return ['Changes since', `this step's last job (commit ${sha.slice(0, 7)}${when})`]
}

/** What has changed on the run's branch since this step's last job, or else since this workflow last succeeded on it. */
export async function factsSinceLastJob(history: Since, { environment, github }: Run): Promise<EventFacts> {
  const { sha } = environment
  const job = history.lastJob.known ? history.lastJob.value : undefined
  const base = job?.sha
  if (base === undefined || !isSha(sha)) return unknownChanges(whyUnknown(history, environment.ref))
  const since: Fact = job === undefined ? ['', ''] : factOfJob(job)
  if (base === sha) return { facts: [since], files: { files: [], total: 0 } }
  const compared = await compare(base, sha, github)
  if (!compared.known) return unknownChanges(compared.why, [since])
  return { ...compared.value, facts: [since, ...compared.value.facts] }
}

function whyUnknown({ lastJob }: Since, ref: string): string {
  if (!ref.startsWith('refs/heads/')) return 'this run is not on a branch'
  if (!lastJob.known) return lastJob.why
  return 'neither this step nor this workflow has succeeded on this branch before'
}

/** A release, and what has changed since the one before. */
export async function factsOfRelease(payload: Payload, github: GitHub): Promise<EventFacts> {
  const release = payload.release ?? {}
  const tag = release.tag_name ?? ''
  const consequence = 'The agent is not told what has changed since the release before.'
  const call = { purpose: 'list the releases', permission: 'contents: read', consequence }
  const before = await github.attempt(call, async () => {
    const releases = await github.list<Release>(`${github.path}/releases`, MAX_RELEASES)
    return releasesBefore(release, releases)
  })
  const changes = await changesSinceNearest(before, tag, 'Release before', payload, github)
  const facts: Fact[] = [
    ['Release', release.name ?? ''],
    ['Tag', tag],
    ['URL', release.html_url ?? ''],
    ...changes.facts,
  ]
  return { ...changes, facts, texts: release.body ? [['Notes', release.body]] : [] }
}

/** What has changed since the version tag before this one. */
async function changesSinceTag(tag: string, payload: Payload, github: GitHub): Promise<EventFacts> {
  const [, prefix = ''] = /^(\D*)\d/.exec(tag) ?? []
  const ref = `tags/${prefix}`.replace(/\/$/, '')
  const consequence = 'The agent is not told what has changed since the tag before.'
  const call = { purpose: 'list the tags', permission: 'contents: read', consequence }
  const before = await github.attempt(call, async () => {
    const refs = await github.call(({ rest }) => rest.git.listMatchingRefs({ ...github.repository, ref }))
    const tags = refs.map((one) => one.ref.replace(/^refs\/tags\//, ''))
    return tagsBefore(tag, tags)
  })
  return await changesSinceNearest(before, tag, 'Tag before', payload, github)
}

/** What has changed since the first of these tags that is on another commit; else what the payload has. */
async function changesSinceNearest(
  before: Known<string[]>,
  tag: string,
  label: 'Tag before' | 'Release before',
  payload: Payload,
  github: GitHub,
): Promise<EventFacts> {
  const inPayload = (why: string, since: string): EventFacts => {
    return { ...changesInPayload(payload, `not known: ${why}`), facts: [[label, since]] }
  }
  if (!before.known) return inPayload(before.why, 'not known')
  for (const name of before.value.slice(0, MAX_COMPARED)) {
    const compared = await compare(name, tag, github)
    if (!compared.known) return inPayload(compared.why, name)
    const { status, facts, ...changes } = compared.value
    if (status !== 'identical') return { ...changes, facts: [[label, name], ...facts] }
  }
  return inPayload('there is nothing to compare with', 'none')
}

/** The tags of the releases before one, the nearest first: by version or, where tags are no versions, by time. */
export function releasesBefore(release: Release, releases: readonly Release[]): string[] {
  const tagOf = ({ tag_name }: Release): string => tag_name ?? ''
  // GitHub's times are all in UTC and of one length: they sort as text.
  const timeOf = ({ published_at }: Release): string => published_at ?? ''
  const published = releases.filter(({ draft }) => draft !== true)
  if (readVersion(tagOf(release)) !== undefined) return tagsBefore(tagOf(release), published.map(tagOf))
  const earlier = published.filter((one) => timeOf(one) < timeOf(release))
  return earlier.toSorted((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1)).map(tagOf)
}

/** The tags before one, the nearest first: lower versions with the same prefix. */
export function tagsBefore(tag: string, tags: readonly string[]): string[] {
  const version = readVersion(tag)
  const versions = tags.map(readVersion).filter((one) => one !== undefined)
  const lower = versions.filter((one) => one.prefix === version?.prefix && compareVersions(one, version) < 0)
  return lower.toSorted((one, other) => compareVersions(other, one)).map((one) => one.tag)
}

/** `@scope/pkg@1.2.0-rc.1`: prefix `@scope/pkg@`, numbers `1.2.0`, suffix `-rc.1`. */
type Version = Readonly<Record<'tag' | 'prefix' | 'numbers' | 'suffix', string>>

const VERSION = /^(.*?)v?(?<![\d.])(\d+(?:\.\d+){0,3})((?:[-.]|a|b|rc|alpha|beta|pre|dev)[\w.-]*)?(?:\+.*)?$/i

function readVersion(tag: string): Version | undefined {
  const [, prefix, numbers, suffix = ''] = VERSION.exec(tag) ?? []
  return prefix === undefined || numbers === undefined ? undefined : { tag, prefix, numbers, suffix }
}

/** Below zero if the first is lower. A version with a suffix comes before the one without it. */
function compareVersions(one: Version, other: Version): number {
  const { compare: natural } = new Intl.Collator('en', { numeric: true })
  const isFinal = one.suffix === '' || other.suffix === ''
  const bySuffix = isFinal ? other.suffix.length - one.suffix.length : natural(one.suffix, other.suffix)
  return natural(one.numbers, other.numbers) || bySuffix
}

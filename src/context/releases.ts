import type { GitHub } from '../github/client.ts'
import { listAll } from '../github/comments.ts'
import type { Maybe, Release } from '../github/types.ts'
import { ask, type Changes, compare, unknownChanges } from './changes.ts'

/** What has changed since the release before this one. */
export async function changesSinceRelease(release: Release, github: GitHub): Promise<Changes> {
  const label = 'Release before'
  const { owner, repo } = github.repository
  const list = (maxEntries: number) =>
    ask(github, LIST_RELEASES, () => listAll<Release>(github, `/repos/${owner}/${repo}/releases`, maxEntries))
  const newest = await list(NEWEST)
  if (!newest.known) return unknownChanges(newest.why, [[label, `not known: ${newest.why}`]])
  const near = releasesBefore(release, newest.value)
  if (near.length > 0 || newest.value.length < NEWEST)
    return compareWithNearest(near, release.tag_name ?? '', label, github)
  // In a repository of many packages, the one before may be far back.
  const all = await list(MAX_RELEASES)
  const far = all.known ? releasesBefore(release, all.value) : []
  return compareWithNearest(far, release.tag_name ?? '', label, github)
}

const LIST_RELEASES = {
  purpose: 'list the releases',
  permission: 'contents: read',
  consequence: 'The agent is not told what has changed since the release before.',
} as const

/** A page of GitHub's. */
const NEWEST = 100
const MAX_RELEASES = 500

/** What has changed since the version tag before this one. */
export async function changesSinceTag(tag: string, github: GitHub): Promise<Changes> {
  const label = 'Tag before'
  const version = readVersion(tag)
  if (version === undefined) return unknownChanges('the tag is not a version', [[label, 'not known']])
  const { owner, repo } = github.repository
  const path = `/repos/${owner}/${repo}/git/matching-refs/tags/${encodeURI(version.prefix)}`
  const refs = await ask(github, LIST_TAGS, () => listAll<{ readonly ref?: Maybe<string> }>(github, path))
  if (!refs.known) return unknownChanges(refs.why, [[label, `not known: ${refs.why}`]])
  const tags = refs.value.map(({ ref }) => ref?.replace(/^refs\/tags\//, '') ?? '')
  return compareWithNearest(tagsBefore(tag, tags), tag, label, github)
}

const LIST_TAGS = {
  purpose: 'list the tags',
  permission: 'contents: read',
  consequence: 'The agent is not told what has changed since the tag before.',
} as const

/** Tags on the same commit that are passed over. */
const MAX_COMPARED = 3

async function compareWithNearest(
  before: readonly string[],
  tag: string,
  label: string,
  github: GitHub,
): Promise<Changes> {
  for (const name of before.slice(0, MAX_COMPARED)) {
    const compared = await compare(name, tag, github)
    if (!compared.known) return unknownChanges(compared.why, [[label, name]])
    const { isSame, facts, ...changes } = compared.value
    if (!isSame) return { ...changes, facts: [[label, name], ...facts] }
  }
  return unknownChanges('there is nothing to compare it with', [[label, 'none']])
}

/** The tags of the releases before one, the nearest first. */
export function releasesBefore(release: Release, releases: readonly Release[]): readonly string[] {
  const tag = release.tag_name ?? ''
  const published = releases.filter(
    (one) => one.draft !== true && one.tag_name != null && one.tag_name !== tag,
  )
  if (readVersion(tag) !== undefined)
    return tagsBefore(
      tag,
      published.map((one) => one.tag_name ?? ''),
    )
  // GitHub's times are all in UTC and of one length: they sort as text.
  const timeOf = (one: Release): string => one.published_at ?? one.created_at ?? ''
  const earlier = published.filter((one) => timeOf(one) < timeOf(release))
  return earlier.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).map((one) => one.tag_name ?? '')
}

/** A tag as a version: `@scope/pkg@1.2.0-rc.1` is 1.2.0-rc.1 of `@scope/pkg@`. */
type Version = { readonly prefix: string; readonly numbers: readonly number[]; readonly suffix: string }

/** Reads a tag; `undefined` if it is no version. */
export function readVersion(tag: string): Version | undefined {
  const [, prefix, numbers, suffix] =
    /^(.*?)(?<![\d.])(\d+(?:\.\d+){0,3})((?:[-.]|a|b|rc|alpha|beta|pre|dev)[\w.-]*)?(?:\+.*)?$/.exec(tag) ??
    []
  if (prefix === undefined || numbers === undefined) return undefined
  return { prefix: prefix.replace(/v$/i, ''), numbers: numbers.split('.').map(Number), suffix: suffix ?? '' }
}

/** Below zero if the first is lower. A version with a suffix comes before the one without it. */
export function compareVersions(one: Version, other: Version): number {
  const length = Math.max(one.numbers.length, other.numbers.length)
  for (let index = 0; index < length; index++) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (one.suffix === '' || other.suffix === '') return other.suffix.length - one.suffix.length
  return one.suffix.localeCompare(other.suffix, 'en', { numeric: true })
}

/** Those of the tags that come before one, the nearest first: lower versions of the same prefix. */
export function tagsBefore(tag: string, tags: readonly string[]): readonly string[] {
  const version = readVersion(tag)
  if (version === undefined) return []
  const found = tags.flatMap((name) => {
    const other = readVersion(name)
    const isBefore = other?.prefix === version.prefix && compareVersions(other, version) < 0
    return isBefore ? [{ name, version: other }] : []
  })
  return found.toSorted((a, b) => compareVersions(b.version, a.version)).map(({ name }) => name)
}

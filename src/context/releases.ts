import type { GitHub } from '../github/client.ts'
import { listAll } from '../github/comments.ts'
import type { Maybe, Release } from '../github/types.ts'
import { ask, type Changes, compare, unknownChanges } from './changes.ts'

/** In a repository of many packages, the release before may be far back. */
const MAX_RELEASES = 300
/** How many tags on the same commit are passed over. */
const MAX_COMPARED = 3

/** What has changed since the release before this one. */
export async function changesSinceRelease(release: Release, github: GitHub): Promise<Changes> {
  const { owner, repo } = github.repository
  const releases = await ask(github, LIST_RELEASES, () =>
    listAll<Release>(github, `/repos/${owner}/${repo}/releases`, MAX_RELEASES),
  )
  if (!releases.known) return unknownChanges(releases.why, [['Release before', 'not known']])
  const before = releasesBefore(release, releases.value)
  return compareWithNearest(before, release.tag_name ?? '', 'Release before', github)
}

const LIST_RELEASES = {
  purpose: 'list the releases',
  permission: 'contents: read',
  consequence: 'The agent is not told what has changed since the release before.',
} as const

/** What has changed since the version tag before this one. */
export async function changesSinceTag(tag: string, github: GitHub): Promise<Changes> {
  const [, prefix = ''] = /^(\D*)\d/.exec(tag) ?? []
  const ref = `tags/${prefix}`.replace(/\/$/, '')
  const refs = await ask(github, LIST_TAGS, async () => {
    const { data } = await github.request<{ readonly data: readonly { readonly ref?: Maybe<string> }[] }>(
      ({ rest }) => rest.git.listMatchingRefs({ ...github.repository, ref }),
    )
    return data.map((one) => one.ref?.replace(/^refs\/tags\//, '') ?? '')
  })
  if (!refs.known) return unknownChanges(refs.why, [['Tag before', 'not known']])
  return compareWithNearest(tagsBefore(tag, refs.value), tag, 'Tag before', github)
}

const LIST_TAGS = {
  purpose: 'list the tags',
  permission: 'contents: read',
  consequence: 'The agent is not told what has changed since the tag before.',
} as const

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
  return unknownChanges('there is nothing to compare with', [[label, 'none']])
}

/** The tags of the releases before one, the nearest first: by version or, where tags are no versions, by time. */
export function releasesBefore(release: Release, releases: readonly Release[]): readonly string[] {
  const tag = release.tag_name ?? ''
  // GitHub's times are all in UTC and of one length: they sort as text.
  const published = releases
    .filter((one) => one.draft !== true && one.tag_name !== tag)
    .map((one) => ({ tag: one.tag_name ?? '', time: one.published_at ?? '' }))
    .toSorted((one, other) => (one.time < other.time ? 1 : -1))
  const tags = published.map((one) => one.tag)
  if (readVersion(tag) !== undefined) return tagsBefore(tag, tags)
  return published.filter(({ time }) => time < (release.published_at ?? '')).map((one) => one.tag)
}

/** The tags before one, the nearest first: lower versions with the same prefix. */
export function tagsBefore(tag: string, tags: readonly string[]): readonly string[] {
  const version = readVersion(tag)
  const lower = tags.flatMap((name) => {
    const other = readVersion(name)
    if (version === undefined || other?.prefix !== version.prefix) return []
    return compareVersions(other, version) < 0 ? [{ name, other }] : []
  })
  return lower.toSorted((a, b) => compareVersions(b.other, a.other)).map(({ name }) => name)
}

/** `@scope/pkg@1.2.0-rc.1`: prefix `@scope/pkg@`, numbers `1.2.0`, suffix `-rc.1`. */
type Version = { readonly prefix: string; readonly numbers: string; readonly suffix: string }

const VERSION = /^(.*?)v?(?<![\d.])(\d+(?:\.\d+){0,3})((?:[-.]|a|b|rc|alpha|beta|pre|dev)[\w.-]*)?(?:\+.*)?$/i

function readVersion(tag: string): Version | undefined {
  const [, prefix, numbers, suffix = ''] = VERSION.exec(tag) ?? []
  return prefix === undefined || numbers === undefined ? undefined : { prefix, numbers, suffix }
}

/** Below zero if the first is lower. A version with a suffix comes before the one without it. */
function compareVersions(one: Version, other: Version): number {
  const natural = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })
  const byNumbers = natural(one.numbers, other.numbers)
  if (byNumbers !== 0) return byNumbers
  const isFinal = one.suffix === '' || other.suffix === ''
  return isFinal ? other.suffix.length - one.suffix.length : natural(one.suffix, other.suffix)
}

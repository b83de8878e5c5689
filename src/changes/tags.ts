import type { GitHubEvent, Release } from '../event/event.ts'
import type { FromGitHub, GitHub, Maybe } from '../github/client.ts'
import type { Run } from '../runner/run.ts'

/** The tags that matter to a push of a tag, or to a release. */
export type Tags = {
  /** Those before it, the newest first. */
  readonly before: readonly string[]
  /** Whether it isn't a full version: `v1`, which moves from release to release. */
  readonly isMoving: boolean
}

const LIST_TAGS = { purpose: 'list the tags', permission: 'contents: read' }

/**
 * Reads the tags before an event's: of a version the lower ones, otherwise those of earlier releases.
 *
 * @throws {Problem}
 */
export async function readTags(event: GitHubEvent, { github }: Run): Promise<Tags> {
  const { name, tag, before, subject } = event
  const publishedAt = subject?.publishedAt
  const version = readVersion(tag)
  if (version === undefined) {
    const isEarlier = ({ tag_name: other, published_at: at }: Release): boolean =>
      other !== tag && (!publishedAt || (at ?? '') < publishedAt)
    const earlier = await github.need(LIST_TAGS, () => listPublished(isEarlier, github))
    // Such a tag that was there before moves as `v1` does: `nightly`.
    return { before: earlier, isMoving: name === 'push' && before !== '' }
  }
  const tags = await github.need(LIST_TAGS, () => listTags(tag, github))
  return { before: tagsBefore(version, tags), isMoving: isMoving(tag, tags) }
}

/** How many tags are resolved to their commits in one request. */
const MAX_RESOLVED = 100

/**
 * Leaves out tags on a commit, and of several on one commit all but the first: a repository may publish dozens of releases
 * at once.
 *
 * @throws {GitHubError}
 */
export async function onOtherCommits(
  tags: readonly string[],
  sha: string,
  github: GitHub,
): Promise<readonly string[]> {
  if (tags.length === 0) return []
  const some = tags.slice(0, MAX_RESOLVED)
  const fields = some.map(
    (tag, index) =>
      `t${index}: object(expression: ${JSON.stringify(`refs/tags/${tag}^{commit}`)}) { ... on Commit { oid } }`,
  )
  const found = await github.askRepository<
    Readonly<Record<string, Maybe<FromGitHub<{ oid: string }>>>>
  >(fields.join(' '))
  const seen = new Set([sha])
  return some.filter((_, index) => {
    const oid = found[`t${index}`]?.oid ?? ''
    const isNew = !seen.has(oid)
    if (oid !== '') seen.add(oid)
    return isNew
  })
}

/** How many of the newest releases are listed. */
const MAX_RELEASES = 300

/** Lists the tags of the newest releases that fit, by the time of their publication. @throws {GitHubError} */
export async function listPublished(
  fits: (one: Release) => boolean,
  github: GitHub,
): Promise<string[]> {
  const releases = await github.list<Release>('releases', MAX_RELEASES)
  const found = releases.filter((one) => one.draft !== true && fits(one))
  // GitHub's times are all in UTC and of one length: they sort as text.
  const timeOf = ({ published_at: at }: Release): string => at ?? ''
  return found
    .toSorted((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1))
    .map(({ tag_name: tag }) => tag ?? '')
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

/** GitHub's limit for a tag is about this. */
const MAX_TAG_LENGTH = 255

const VERSION =
  /^(.*?v?)(?<!\d|\d\.)(\d+(?:\.\d+){0,3})((?:[-+.]|a|b|rc|alpha|beta|pre|dev|post)[\w.+-]*)?$/i
const POST_RELEASE =
  /^(?:\+|[-.]?(?:post|hotfix|hf|patch|fix|final|release|ga|sp|rev|r|p)(?:[-.\d]|$))/i

/** Reads a tag; `undefined` if it isn't a version. */
function readVersion(tag: string): Version | undefined {
  if (tag.length > MAX_TAG_LENGTH) return undefined
  const [match, prefix = '', numbers = '', suffix = ''] = VERSION.exec(tag) ?? []
  // `re2-supervisor-main` is a name.
  const isName = !numbers.includes('.') && !/^(?:$|[-+.]?[a-z]{0,6}[-.]?\d)/i.test(suffix)
  if (match === undefined || isName) return undefined
  const stageOfSuffix = POST_RELEASE.test(suffix) ? 1 : -1
  const stage = suffix === '' ? 0 : stageOfSuffix
  // `v4` is `v4.0.0.0`.
  const padded = [...numbers.split('.'), 0, 0, 0].slice(0, 4).join('.')
  return { tag, prefix, numbers: padded, suffix, stage }
}

/** Lists the lower versions with the same prefix, highest first; for a stable version only the stable ones. */
function tagsBefore(version: Version, tags: readonly string[]): string[] {
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
 * Whether a tag isn't a full version, so that it moves with each release: `v1` next to `v1.2.0`, or alone. Of projects that
 * number their releases (`v41`, `v42`) each tag is a version.
 */
function isMoving(tag: string, tags: readonly string[]): boolean {
  const [, prefix = '', numbers = ''] = /^(\D*)(\d+(?:\.\d+)?)$/.exec(tag) ?? []
  if (numbers === '') return false
  const isNumbered = (one: string): boolean =>
    one !== tag && one.startsWith(prefix) && /^\d+$/.test(one.slice(prefix.length))
  return (
    tags.some((one) => one.startsWith(`${tag}.`)) ||
    (!numbers.includes('.') && !tags.some(isNumbered))
  )
}

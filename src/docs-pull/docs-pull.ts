import { type FromGitHub, type Maybe, nodesOf, type Paged } from '../github/client.ts'
import { SOURCE_AUTHORS } from '../inputs/formats.ts'
import { locatePullRequest } from '../lib/http.ts'
import { listOf } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'

/** As the output `pr-files` has it; `status` as in GitHub's REST API. */
type PullFile = {
  readonly path: string
  readonly status: string
  readonly additions: number
  readonly deletions: number
}

/** A docs pull request on this GitHub server, as GitHub shows it after its job. Titles and paths come from outside. */
export type DocsPull = {
  /** `owner/name`, as the repository is called now. */
  readonly repository: string
  readonly number: number
  readonly url: string
  /** Whether it is in the run's repository. */
  readonly isOwn: boolean
  /** Whether more people can read it than the run's repository, or that is unknown. */
  readonly isExposed: boolean
  /** Whether more people can read the run's repository, or that is unknown: then the docs aren't shown there. */
  readonly isHidden: boolean
  /** Whether the token can't read it. */
  readonly isInvisible: boolean
  readonly title: string
  /** `undefined` if it is open, or if that is unknown. */
  readonly ended: 'merged' | 'closed' | undefined
  /** Milliseconds since the epoch; `undefined` if unknown. */
  readonly createdAtMs: number | undefined
  /** SHA of its newest commit; empty if unknown. */
  readonly head: string
  readonly fileCount: number
  /** Pages first; `undefined` if they can't be read. */
  readonly files: readonly PullFile[] | undefined
}

const QUERY = `query DocsPull($owner: String!, $repo: String!, $number: Int!, $ownOwner: String!, $ownRepo: String!, $after: String) {
  own: repository(owner: $ownOwner, name: $ownRepo) { visibility }
  docs: repository(owner: $owner, name: $repo) { nameWithOwner visibility pullRequest(number: $number) {
    title state createdAt changedFiles headRefOid files(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor } nodes { path additions deletions changeType } } } } }`

type FileNode = FromGitHub<
  Record<'path' | 'changeType', string> & Record<'additions' | 'deletions', number>
>
type PullNode = FromGitHub<{
  title: string
  state: string
  createdAt: string
  changedFiles: number
  headRefOid: string
  files: Paged<FileNode>
}>
type Answer = FromGitHub<{
  own: FromGitHub<{ visibility: string }>
  docs: FromGitHub<{ nameWithOwner: string; visibility: string; pullRequest: PullNode }>
}>

/** Of a list of 100 files each. */
const MAX_REQUESTS = 3
const VISIBILITIES = ['private', 'internal', 'public']

/** Asks GitHub for a docs pull request; `undefined` if it isn't on this server. What can't be read is left out. */
export async function readDocsPull(
  prLink: string,
  visibility: string,
  run: Run,
): Promise<DocsPull | undefined> {
  const { github } = run
  const place = locatePullRequest(prLink, github)
  if (!place) return undefined
  const { owner, repo, number } = place
  const { owner: ownOwner, repo: ownRepo } = github.repository
  const call = { purpose: "read the job's result", permission: 'pull-requests: read' }
  const pages: Answer[] = []
  let after: Maybe<string>
  let isInvisible = false
  do {
    const variables = { owner, repo, number, ownOwner, ownRepo, ...(after && { after }) }
    const read = await github.optional(call, () => github.graphql<Answer>(QUERY, variables))
    if (!read.known) break
    const { data, errors } = read.value
    pages.push(data)
    isInvisible = errors.some(
      ({ path, type }) => path === 'docs' && /^(?:NOT_FOUND|FORBIDDEN)$/.test(type),
    )
    const { hasNextPage, endCursor } = data.docs?.pullRequest?.files?.pageInfo ?? {}
    after = hasNextPage ? endCursor : undefined
  } while (after && pages.length < MAX_REQUESTS)
  const [{ own, docs } = {} as Answer] = pages
  const repository = docs?.nameWithOwner ?? place.repository
  const isOwn = repository.toLowerCase() === github.name.toLowerCase()
  const rank = (word: Maybe<string>) => VISIBILITIES.indexOf(`${word}`.toLowerCase())
  const [ofDocs, ofRun] = [rank(docs?.visibility), rank(own?.visibility ?? visibility)]
  const isUnknown = ofDocs < 0 || ofRun < 0
  const pulls = pages.flatMap((page) => page.docs?.pullRequest ?? [])
  return {
    repository,
    number,
    url: `${github.serverUrl}/${repository}/pull/${number}`,
    isOwn,
    isExposed: !isOwn && (isUnknown || ofDocs > ofRun),
    isHidden: !isOwn && (isUnknown || ofDocs < ofRun),
    isInvisible,
    ...readPull(pulls),
  }
}

/** @param pages the same pull request with one page of its files each */
function readPull(pages: readonly PullNode[]) {
  const [pull = {} as PullNode] = pages
  const files = pages.flatMap((page) => nodesOf(page.files)).map(readFileNode)
  const fileCount = pull.changedFiles ?? files.length
  return {
    title: `${pull.title ?? ''}`,
    ended: (['merged', 'closed'] as const).find((word) => word.toUpperCase() === pull.state),
    createdAtMs: Date.parse(pull.createdAt ?? '') || undefined,
    head: pull.headRefOid ?? '',
    fileCount,
    files: files.length === 0 && pull.changedFiles !== 0 ? undefined : pagesFirst(files),
  }
}

function readFileNode({ path, changeType, additions, deletions }: FileNode): PullFile {
  const status = changeType === 'DELETED' ? 'removed' : (changeType ?? '').toLowerCase()
  return { path: `${path ?? ''}`, status, additions: additions ?? 0, deletions: deletions ?? 0 }
}

/** Whether Mintlify makes a page of a file. */
export function isPageFile({ path }: Pick<PullFile, 'path'>): boolean {
  return /\.mdx?$/i.test(path.slice(-5))
}

function pagesFirst(files: readonly PullFile[]): readonly PullFile[] {
  return files.toSorted((one, other) => Number(isPageFile(other)) - Number(isPageFile(one)))
}

/**
 * Requests reviews and adds labels, one by one. Who can't be asked is a line in the summary.
 *
 * @param authors the people whose changes the docs pull request is about
 */
export async function requestReviews(
  { repository, number, isExposed }: DocsPull,
  authors: readonly string[],
  run: Run,
): Promise<void> {
  const { github, inputs, log } = run
  const { 'pr-reviewers': named, 'pr-labels': labels } = inputs
  const wantsAuthors = named.includes(SOURCE_AUTHORS)
  if (wantsAuthors && isExposed)
    log.notice(
      "The people who wrote the changes weren't asked to review the docs pull request, because more people can read its repository, or that isn't known. Name reviewers in `pr-reviewers` instead.",
      '`source-authors` asked no one',
    )
  const others = named.filter((name) => name !== SOURCE_AUTHORS)
  const reviewers = new Set([...others, ...(wantsAuthors && !isExposed ? authors : [])])
  const failed: string[] = []
  let isUngranted = false
  const send = async (path: string, body: Readonly<Record<string, unknown>>, what: string) => {
    const sent = await github.attempt(() =>
      github.call((octokit) => octokit.request(`POST /repos/${repository}/${path}`, body)),
    )
    if (sent.known) return
    failed.push(`${what} (${sent.error.message})`)
    isUngranted ||= sent.error.kind === 'permission'
  }
  for (const label of labels)
    await send(`issues/${number}/labels`, { labels: [label] }, `add the label \`${label}\``)
  for (const name of reviewers) {
    const [owner = '', team] = name.split('/')
    const body = team === undefined ? { reviewers: [owner] } : { team_reviewers: [team] }
    await send(`pulls/${number}/requested_reviewers`, body, `ask ${name} for a review`)
  }
  if (failed.length > 0)
    log.warnOnlyInSummary(
      `The action could not ${listOf(failed)}.${isUngranted ? ` To change ${repository}, the token needs \`pull-requests: write\` there.` : ''}`,
    )
}

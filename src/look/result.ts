import {
  type FromGitHub,
  type GitHub,
  type Maybe,
  type Nodes,
  nodesOf,
  normalizeLogin,
  type Paged,
} from '../github/client.ts'
import { type GraphqlError, graphqlError } from '../github/github-errors.ts'
import { type GitActor, locatePullRequest, numberInSubject } from '../github/pull-requests.ts'
import { MINTLIFY_ONLY } from '../inputs/formats.ts'
import { cleanMarkdown, clip, errorMessage } from '../lib/text.ts'
import type { Job } from '../mintlify/mintlify-client.ts'
import type { Run } from '../runner/run.ts'
import { ownAuthor, type Trigger } from './trigger.ts'

/** What GitHub shows of a finished job. Titles, names, and words come from outside. */
export type PullReport =
  | DocsPull
  /** The agent committed directly to the default branch. */
  | {
      readonly kind: 'published'
      readonly branch: string
      readonly commits: number
      readonly url: string
    }
  | { readonly kind: 'unchanged' }
  /** A pull request in a repository that `github-token` can't read. */
  | { readonly kind: 'invisible'; readonly repository: string }
  | { readonly kind: 'unknown' }

/** A docs pull request as GitHub shows it after its job. */
export type DocsPull = {
  readonly kind: 'pull-request'
  readonly url: string
  readonly title: string
  /** `undefined` if it is open, or if that is unknown. */
  readonly ended: 'merged' | 'closed' | undefined
  /** Milliseconds since the epoch; `undefined` if unknown. */
  readonly createdAtMs: number | undefined
  /** Empty if unknown. */
  readonly headSha: string
  readonly fileCount: number
  /** Pages first; `undefined` if they can't be read. */
  readonly files: readonly PullFile[] | undefined
  readonly preview: Preview
}

/** As the output `pr-files` has it; `status` as in GitHub's REST API. */
export type PullFile = {
  readonly path: string
  readonly status: string
  readonly additions: number
  readonly deletions: number
}

/** Where the docs are on this GitHub server. */
export type DocsPlace = {
  readonly owner: string
  readonly repo: string
  /** `owner/name`, as the repository is called now. */
  readonly repository: string
  /** Empty if unknown. */
  readonly repositoryId: string
  /** Of the docs pull request; `undefined` if the job has none. */
  readonly number: number | undefined
  /** Whether it is the run's repository. */
  readonly isOwn: boolean
  /** Whether more people can read it than the run's repository, or that is unknown. */
  readonly isExposed: boolean
  /** Whether more people can read the run's repository, or that is unknown: then the docs aren't shown there. */
  readonly isHidden: boolean
}

const VISIBILITY = `query DocsRepository($owner: String!, $repo: String!, $ownOwner: String!, $ownRepo: String!) {
  docs: repository(owner: $owner, name: $repo) { databaseId nameWithOwner visibility }
  own: repository(owner: $ownOwner, name: $ownRepo) { visibility } }`

type VisibilityNode = FromGitHub<{ databaseId: number; nameWithOwner: string; visibility: string }>
type VisibilityAnswer = FromGitHub<{ docs: VisibilityNode; own: VisibilityNode }>

const VISIBILITIES = ['private', 'internal', 'public']

/**
 * Finds out where a docs pull request is, or the repository of a job that completed without one, and who can read it;
 * `undefined` if it isn't on this GitHub.
 *
 * @param prLink as Mintlify names it; empty if the job has none
 */
export async function findDocsPlace(
  job: Job | undefined,
  prLink: string,
  { event: { payload } }: Trigger,
  { github, environment }: Run,
): Promise<DocsPlace | undefined> {
  const place = prLink === '' ? placeOfJob(job, github) : locatePullRequest(prLink, github)
  if (place === undefined) return undefined
  const { owner, repo, number } = place
  const isRunsOwn = (name: string) => name.toLowerCase() === environment.repository.toLowerCase()
  const own = { isOwn: true, isExposed: false, isHidden: false }
  const name = `${owner}/${repo}`
  const { repositoryId } = environment
  if (isRunsOwn(name)) return { owner, repo, number, repository: name, repositoryId, ...own }
  const { owner: ownOwner, repo: ownRepo } = github.repository
  const answer = await github.attempt(() =>
    github.graphql<VisibilityAnswer>(VISIBILITY, { owner, repo, ownOwner, ownRepo }),
  )
  const { docs, own: ofRun } = answer.known ? answer.value.data : {}
  const repository = docs?.nameWithOwner ?? name
  const ids = { owner, repo, number, repository, repositoryId: `${docs?.databaseId ?? ''}` }
  if (isRunsOwn(repository)) return { ...ids, ...own }
  const rank = (word: Maybe<string>) => VISIBILITIES.indexOf(`${word}`.toLowerCase())
  const docsRank = rank(docs?.visibility)
  const runRank = rank(ofRun?.visibility ?? payload.repository?.visibility)
  const isUnknown = docsRank < 0 || runRank < 0
  return {
    ...ids,
    isOwn: false,
    isExposed: isUnknown || docsRank > runRank,
    isHidden: isUnknown || docsRank < runRank,
  }
}

/** Reads the repository of a job that completed without a pull request; `undefined` if it isn't on this GitHub. */
function placeOfJob(job: Job | undefined, { serverUrl }: GitHub) {
  const url = URL.parse(job?.repository ?? '')
  const [, owner, repo] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? []
  const isHere = url?.origin === URL.parse(serverUrl)?.origin
  if (!isHere || job?.status !== 'completed' || !owner || !repo) return undefined
  return { owner, repo, number: undefined }
}

/** A finished job, and when this run sent its message, in milliseconds since the epoch; `undefined` if it sent none. */
type FinishedJob = { readonly job: Job; readonly messageAtMs: number | undefined }

const UNKNOWN = { kind: 'unknown' } as const

/** Asks GitHub what it shows of a finished job. What can't be read is left out. */
export async function readPullReport(
  finished: FinishedJob,
  place: DocsPlace | undefined,
  run: Run,
): Promise<PullReport> {
  try {
    return place ? await askForReport(finished, place, run) : UNKNOWN
  } catch (error) {
    // Answers are not checked field by field.
    run.log.notice(
      `GitHub returned unexpected data about the job's result (${errorMessage(error)}), so its pages and preview aren't shown.`,
      "The job's result on GitHub can't be read",
    )
    return UNKNOWN
  }
}

async function askForReport(
  { job, messageAtMs }: FinishedJob,
  { owner, repo, number, repository }: DocsPlace,
  run: Run,
): Promise<PullReport> {
  const { github, log } = run
  const sinceMs = messageAtMs ?? (Date.parse(job.createdAt ?? '') || undefined)
  if (number === undefined && sinceMs === undefined) return UNKNOWN
  const query =
    number === undefined
      ? `$commits: String) { ${REPOSITORY_FIELDS} ${branchCommitFields(sinceMs ?? 0)} } }`
      : `$files: String, $comments: String) { ${REPOSITORY_FIELDS} ${pullReportFields(number)} } }`
  const answer = await github.attempt(() =>
    github.graphqlPages<PullReportAnswer>(
      `query PullReport($owner: String!, $repo: String!, ${query}`,
      { owner, repo },
      listsOf,
    ),
  )
  if (!answer.known) {
    const permission = number === undefined ? 'contents: read' : 'pull-requests: read'
    github.report(answer.error, { purpose: "read the job's result", permission })
    return UNKNOWN
  }
  const { pages, errors, isWhole } = answer.value
  const isInvisible = errors.some(
    ({ path, type }) => path === 'repository' && /^(?:NOT_FOUND|FORBIDDEN)$/.test(type),
  )
  if (isInvisible) return number === undefined ? UNKNOWN : { kind: 'invisible', repository }
  reportErrors(errors, run)
  if (!isWhole)
    log.info("GitHub's lists of files, comments, or commits were too long to be read to the end.")
  if (number === undefined) {
    const branches = pages.flatMap((page) => page.repository?.defaultBranchRef ?? [])
    return errors.length > 0 || !isWhole ? UNKNOWN : readBranch(branches, repository, run)
  }
  const pulls = pages.flatMap((page) => page.repository?.pullRequest ?? [])
  const url = `${github.serverUrl}/${repository}/pull/${number}`
  return pulls.length === 0 ? UNKNOWN : readPull(pulls, url, sinceMs)
}

const DEPLOYMENT = 'Mintlify Deployment'
const REPOSITORY_FIELDS = 'repository(owner: $owner, name: $repo) { nameWithOwner'
const PAGE = 'pageInfo { hasNextPage endCursor }'
const COMMENT_FIELDS = 'body createdAt lastEditedAt author { __typename login }'

/** Asks for Mintlify's check by name, whichever others there are. */
const CHECK_FIELDS = `checkSuites(first: 100, filterBy: { checkName: "${DEPLOYMENT}" }) { nodes { app { slug }
    checkRuns(first: 10, filterBy: { checkName: "${DEPLOYMENT}", checkType: LATEST }) {
      nodes { databaseId name status conclusion title summary url startedAt } } } }`

function pullReportFields(number: number): string {
  return `pullRequest(number: ${number}) { title state createdAt changedFiles headRefOid
    newest: comments(last: 100) { nodes { ${COMMENT_FIELDS} } }
    comments(first: 100, after: $comments) { ${PAGE} nodes { ${COMMENT_FIELDS} } }
    files(first: 100, after: $files) { ${PAGE} nodes { path additions deletions changeType } }
    commits(last: 1) { nodes { commit { oid ${CHECK_FIELDS} } } } }`
}

function branchCommitFields(sinceMs: number): string {
  const since = new Date(sinceMs).toISOString().replace(/\.\d+/, '')
  return `defaultBranchRef { name target { ... on Commit {
    history(first: 100, after: $commits, since: "${since}") { ${PAGE} nodes {
      oid message author { email user { login } } associatedPullRequests(first: 1) { nodes { number } }
    } } } } }`
}

type CheckRun = FromGitHub<
  Record<'name' | 'status' | 'conclusion' | 'title' | 'summary' | 'url' | 'startedAt', string> & {
    databaseId: number
  }
>
type CheckSuite = FromGitHub<{ app: FromGitHub<{ slug: string }>; checkRuns: Nodes<CheckRun> }>
type CheckedCommit = FromGitHub<{ oid: string; checkSuites: Nodes<CheckSuite> }>
type PullComment = FromGitHub<{
  body: string
  createdAt: string
  lastEditedAt: string
  author: FromGitHub<{ __typename: string; login: string }>
}>
type PullReportNode = FromGitHub<{
  title: string
  state: string
  createdAt: string
  changedFiles: number
  headRefOid: string
  newest: Nodes<PullComment>
  comments: Paged<PullComment>
  files: Paged<
    FromGitHub<{ path: string; changeType: string; additions: number; deletions: number }>
  >
  commits: Nodes<FromGitHub<{ commit: CheckedCommit }>>
}>
type BranchCommit = FromGitHub<{
  oid: string
  message: string
  author: GitActor
  associatedPullRequests: Nodes<unknown>
}>
type Branch = FromGitHub<{ name: string; target: FromGitHub<{ history: Paged<BranchCommit> }> }>
type PullReportAnswer = FromGitHub<{
  repository: FromGitHub<{
    nameWithOwner: string
    pullRequest: PullReportNode
    defaultBranchRef: Branch
  }>
}>

/** The lists of an answer by the variable of their cursor. */
function listsOf({ repository }: PullReportAnswer) {
  const { comments, newest, files } = repository?.pullRequest ?? {}
  const isFound = [comments, newest].some((list) => nodesOf(list).some(isPreviewComment))
  return {
    files,
    comments: isFound ? undefined : comments,
    commits: repository?.defaultBranchRef?.target?.history,
  }
}

/** Reports a missing permission as one notice. */
function reportErrors(errors: readonly GraphqlError[], { github }: Run): void {
  const areaOf = ({ path }: GraphqlError): string => {
    if (path.includes('checkSuites')) return 'checks'
    return /pullRequest/i.test(path) ? 'pull-requests' : 'contents'
  }
  for (const area of ['checks', 'pull-requests', 'contents']) {
    const error = errors.find((one) => areaOf(one) === area)
    const call = { purpose: "read the job's result", permission: `${area}: read` }
    if (error) github.report(graphqlError(error), call)
  }
}

/**
 * @param pages the same pull request with one page of its lists each
 * @param sinceMs of the job or message, in milliseconds since the epoch, if known: anything older is out of date
 */
function readPull(
  pages: readonly PullReportNode[],
  url: string,
  sinceMs: number | undefined,
): DocsPull {
  const [pull = {}] = pages
  // The check of another commit isn't about the head.
  const commit = nodesOf(pull.commits).find((one) => one.commit?.oid === pull.headRefOid)?.commit
  const all = pages.flatMap((page) => nodesOf(page.files))
  const files = all.map(({ path, changeType, additions, deletions }) => {
    const status = changeType === 'DELETED' ? 'removed' : (changeType ?? '').toLowerCase()
    return { path: `${path ?? ''}`, status, additions: additions ?? 0, deletions: deletions ?? 0 }
  })
  // Without a known start, each check is believed, but no comment.
  const deployment = readDeployment(commit ?? {}, sinceMs ?? 0)
  return {
    kind: 'pull-request',
    url,
    title: `${pull.title ?? ''}`,
    ended: (['merged', 'closed'] as const).find((word) => word.toUpperCase() === pull.state),
    createdAtMs: Date.parse(pull.createdAt ?? '') || undefined,
    headSha: pull.headRefOid ?? '',
    fileCount: pull.changedFiles ?? files.length,
    files: files.length === 0 && pull.changedFiles !== 0 ? undefined : pagesFirst(files),
    preview: readPreview(deployment, pages, sinceMs ?? Infinity),
  }
}

/** Files that Mintlify makes pages of. */
export const PAGE_FILE = /\.mdx?$/i

/** Pages, navigation, API descriptions, the rest. */
const FILE_ORDER = [PAGE_FILE, /(?:^|\/)(?:docs|mint)\.json$/i, /(?:open|async)api|swagger/i, /^/]

function pagesFirst(files: readonly PullFile[]): readonly PullFile[] {
  const rank = ({ path }: PullFile): number => FILE_ORDER.findIndex((name) => name.test(path))
  return files.toSorted((one, other) => rank(one) - rank(other))
}

/** Counts the agent's commits that came in no pull request: by GitHub's index, which lags behind, and by their subjects. */
function readBranch(branches: readonly Branch[], repository: string, { github }: Run): PullReport {
  const name = branches[0]?.name
  if (!name || branches.some(({ target }) => target?.history == null)) return UNKNOWN
  const commits = branches.flatMap(({ target }) => nodesOf(target?.history))
  const [newest, ...older] = commits.filter(({ author, message, associatedPullRequests }) => {
    const isOfAgent = ownAuthor(author ?? {}, MINTLIFY_ONLY) !== undefined
    const namesPull = numberInSubject(message ?? '') !== ''
    return isOfAgent && !namesPull && nodesOf(associatedPullRequests).length === 0
  })
  if (!newest) return { kind: 'unchanged' }
  const url = `${github.serverUrl}/${repository}/commit${older.length === 0 ? '' : 's'}/${newest.oid}`
  return { kind: 'published', branch: name, commits: older.length + 1, url }
}

/** A preview, as Mintlify's check run or comment shows it. */
type Preview = {
  readonly state: 'ready' | 'building' | 'failed' | 'skipped' | 'unknown'
  /** An https link; empty if there is none. */
  readonly url: string
  /** The check run on the head commit; `words`: its own. */
  readonly check: { readonly words: string; readonly url: string } | undefined
}

/**
 * Reads Mintlify's check on a commit. Any job of any workflow may have its name, so that the App decides. A build that
 * started before the job or message isn't about it.
 */
function readDeployment({ checkSuites }: CheckedCommit, sinceMs: number): Preview | undefined {
  const [newest] = nodesOf(checkSuites)
    .filter(({ app }) => app?.slug === 'mintlify')
    .flatMap(({ checkRuns }) => nodesOf(checkRuns))
    .filter(
      ({ name, startedAt }) => name === DEPLOYMENT && !(Date.parse(startedAt ?? '') < sinceMs),
    )
    .toSorted((one, other) => (other.databaseId ?? 0) - (one.databaseId ?? 0))
  const check = newest && { words: checkWords(newest), url: `${newest.url ?? ''}` }
  return newest && { state: deploymentState(newest), url: '', check }
}

function deploymentState({ status, conclusion }: CheckRun): Preview['state'] {
  if (status !== 'COMPLETED') return 'building'
  if (conclusion === 'SUCCESS') return 'ready'
  if (conclusion === 'FAILURE' || conclusion === 'TIMED_OUT') return 'failed'
  return conclusion === 'SKIPPED' ? 'skipped' : 'unknown'
}

/** The first line of the summary, or the title. */
function checkWords({ summary, title }: CheckRun): string {
  const [line = ''] = (cleanMarkdown(summary ?? '') || (title ?? '')).split('\n')
  return clip(line.trim(), 300)
}

/**
 * Reads the state from the check, and the link from Mintlify's comment.
 *
 * @param sinceMs a comment that was last edited before this shows the state of an earlier build
 */
function readPreview(
  deployment: Preview | undefined,
  pages: readonly PullReportNode[],
  sinceMs: number,
): Preview {
  const comment = pages
    .flatMap(({ comments, newest }) => [...nodesOf(comments), ...nodesOf(newest)])
    .find(isPreviewComment)
  const isCurrent = Date.parse(comment?.lastEditedAt ?? comment?.createdAt ?? '') >= sinceMs
  const rows = readPreviewRows(comment?.body ?? '')
  const row = rows.find(({ isReady }) => isReady) ?? rows[0]
  const state = deployment?.state ?? (isCurrent && row?.isReady ? 'ready' : 'unknown')
  return { state, url: (state !== 'skipped' && row?.url) || '', check: deployment?.check }
}

function isPreviewComment({ body, author }: PullComment): boolean {
  return (
    body?.startsWith('<!-- mintlify-preview-comment') === true &&
    author?.__typename === 'Bot' &&
    normalizeLogin(author.login ?? '') === 'mintlify'
  )
}

/** Reads the rows of the table `Project | Status | Preview | Updated (UTC)` that have a link. */
function readPreviewRows(
  body: string,
): readonly { readonly url: string; readonly isReady: boolean }[] {
  return body.split('\n').flatMap((line) => {
    const [, status = '', address = ''] =
      /\|([^|]*)\|\s*\[View Preview\]\(([^\s()]+)\)\s*\|/.exec(line) ?? []
    const url = URL.parse(address)
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return []
    return [{ url: url.href, isReady: /^[^\p{L}]*Ready[^\p{L}]*$/u.test(status) }]
  })
}

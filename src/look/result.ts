import {
  type FromGitHub,
  type GitActor,
  type Maybe,
  type Nodes,
  nodesOf,
  normalizeLogin,
  type Paged,
} from '../github/client.ts'
import { type GraphqlError, graphqlError } from '../github/github-errors.ts'
import { locatePullRequest, numberInSubject } from '../github/pull-requests.ts'
import { MINTLIFY_ONLY } from '../inputs/formats.ts'
import { cleanMarkdown, clip, errorMessage, sumOf } from '../lib/text.ts'
import type { Job } from '../mintlify/mintlify-client.ts'
import type { Run } from '../runner/run.ts'
import { ownAuthor } from './trigger.ts'

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
  readonly checks: CommitChecks
}

/** As the output `pr-files` has it; `status` as in GitHub's REST API. */
export type PullFile = {
  readonly path: string
  readonly status: string
  readonly additions: number
  readonly deletions: number
}

/** A finished job, and when this run sent its message, in milliseconds since the epoch; `undefined` if it sent none. */
type FinishedJob = { readonly job: Job; readonly messageAtMs: number | undefined }

const UNKNOWN = { kind: 'unknown' } as const

/** Asks GitHub what it shows of a finished job. What can't be read is left out. */
export async function readPullReport(finished: FinishedJob, run: Run): Promise<PullReport> {
  try {
    return await askForReport(finished, run)
  } catch (error) {
    // Answers are not checked field by field.
    run.log.notice(
      `GitHub returned unexpected data about the job's result (${errorMessage(error)}), so its pages and preview aren't shown.`,
      "The job's result on GitHub can't be read",
    )
    return UNKNOWN
  }
}

async function askForReport(finished: FinishedJob, run: Run): Promise<PullReport> {
  const { github, log } = run
  const place = findPlace(finished, run)
  const sinceMs = finished.messageAtMs ?? (Date.parse(finished.job.createdAt ?? '') || undefined)
  if (!place || (place.number === undefined && sinceMs === undefined)) return UNKNOWN
  const { owner, repo, number } = place
  const query =
    number === undefined
      ? `$commits: String) { ${REPOSITORY_FIELDS} ${branchCommitFields(sinceMs ?? 0)} } }`
      : `$files: String, $comments: String, $suites: String) { ${REPOSITORY_FIELDS} ${pullReportFields(number)} } }`
  const answer = await github.read(() =>
    github.graphqlPages<PullReportAnswer>(
      `query PullReport($owner: String!, $repo: String!, ${query}`,
      { owner, repo },
      listsOf,
    ),
  )
  if (!answer.known) {
    const permission = number === undefined ? 'contents: read' : 'pull-requests: read'
    github.report(answer.error, { purpose: "read the job's result", permission, level: 'notice' })
    return UNKNOWN
  }
  const { pages, errors, isWhole } = answer.value
  const isInvisible = errors.some(
    ({ path, type }) => path === 'repository' && /^(?:NOT_FOUND|FORBIDDEN)$/.test(type),
  )
  if (isInvisible) {
    const repository = `${owner}/${repo}`
    log.info(
      `\`github-token\` can't read ${repository}, so the job's result on GitHub is unknown. To let a later run update a docs pull request there, set \`github-token\` to a token that can read it, such as a GitHub App's.`,
    )
    return number === undefined ? UNKNOWN : { kind: 'invisible', repository }
  }
  reportErrors(errors, run)
  if (!isWhole)
    log.info(
      "GitHub's lists of files, comments, checks, or commits were too long to be read to the end.",
    )
  // A renamed repository answers with its new name.
  const repository = pages[0]?.repository?.nameWithOwner ?? `${owner}/${repo}`
  if (number === undefined) {
    const branches = pages.flatMap((page) => page.repository?.defaultBranchRef ?? [])
    return errors.length > 0 || !isWhole ? UNKNOWN : readBranch(branches, repository, run)
  }
  const pulls = pages.flatMap((page) => page.repository?.pullRequest ?? [])
  const url = `${github.serverUrl}/${repository}/pull/${number}`
  return pulls.length === 0 ? UNKNOWN : readPull(pulls, url, sinceMs ?? Infinity)
}

/** Finds the pull request, or the repository of a job that completed without one; `undefined` if it isn't on this GitHub. */
function findPlace({ job: { prLink, repository, status } }: FinishedJob, { github }: Run) {
  if (prLink !== null) return locatePullRequest(prLink, github)
  const url = URL.parse(repository ?? '')
  const [, owner, repo] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? []
  const isHere = url?.origin === URL.parse(github.serverUrl)?.origin
  if (!isHere || status !== 'completed' || !owner || !repo) return undefined
  return { owner, repo, number: undefined }
}

const DEPLOYMENT = 'Mintlify Deployment'
const FAILED = ['FAILURE', 'TIMED_OUT', 'STARTUP_FAILURE']
const REPOSITORY_FIELDS = 'repository(owner: $owner, name: $repo) { nameWithOwner'
const PAGE = 'pageInfo { hasNextPage endCursor }'
const COMMENT_FIELDS = 'body createdAt lastEditedAt author { __typename login }'

/** Asks for Mintlify's check by name, whichever others there are. `checkSuite.workflowRun` would need `actions: read`. */
const CHECK_FIELDS = `deploymentSuites: checkSuites(first: 100, filterBy: { checkName: "${DEPLOYMENT}" }) { nodes { app { slug }
    checkRuns(first: 10, filterBy: { checkName: "${DEPLOYMENT}", checkType: LATEST }) {
      nodes { databaseId name status conclusion title summary url } } } }
  checkSuites(first: 100, after: $suites) { ${PAGE} nodes { app { slug }
    checkRuns(first: 50, filterBy: { checkType: LATEST, conclusions: [${FAILED}] }) {
      totalCount nodes { name conclusion url } } } }`

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
  Record<'name' | 'status' | 'conclusion' | 'title' | 'summary' | 'url', string> & {
    databaseId: number
  }
>
type CheckSuite = FromGitHub<{
  app: FromGitHub<{ slug: string }>
  checkRuns: Nodes<CheckRun> & { totalCount?: Maybe<number> }
}>
type CheckedCommit = FromGitHub<{
  oid: string
  deploymentSuites: Nodes<CheckSuite>
  checkSuites: Paged<CheckSuite>
}>
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
  const { comments, newest, files, commits } = repository?.pullRequest ?? {}
  const isFound = [comments, newest].some((list) => nodesOf(list).some(isPreviewComment))
  return {
    files,
    comments: isFound ? undefined : comments,
    suites: nodesOf(commits).at(-1)?.commit?.checkSuites,
    commits: repository?.defaultBranchRef?.target?.history,
  }
}

/** Reports a missing permission as one notice. */
function reportErrors(errors: readonly GraphqlError[], { github }: Run): void {
  const areaOf = ({ path }: GraphqlError): string => {
    if (/checkSuites|deploymentSuites/.test(path)) return 'checks'
    return /pullRequest/i.test(path) ? 'pull-requests' : 'contents'
  }
  for (const area of ['checks', 'pull-requests', 'contents']) {
    const error = errors.find((one) => areaOf(one) === area)
    const note = area === 'checks' ? 'The summary shows no preview state and no failed checks.' : ''
    const call = { purpose: "read the job's result", permission: `${area}: read`, note }
    if (error) github.report(graphqlError(error), { ...call, level: 'notice' })
  }
}

/**
 * @param pages the same pull request with one page of its lists each
 * @param sinceMs of the job or message, in milliseconds since the epoch: what Mintlify said before is out of date
 */
function readPull(pages: readonly PullReportNode[], url: string, sinceMs: number): DocsPull {
  const [pull = {}] = pages
  const commits = pages.flatMap(({ commits }) => nodesOf(commits).at(-1)?.commit ?? [])
  // The checks of another commit say nothing of the head.
  const checks = readChecks(commits.filter(({ oid }) => oid === pull.headRefOid))
  const all = pages.flatMap((page) => nodesOf(page.files))
  const files = all.map(({ path, changeType, additions, deletions }) => {
    const status = changeType === 'DELETED' ? 'removed' : (changeType ?? '').toLowerCase()
    return { path: `${path ?? ''}`, status, additions: additions ?? 0, deletions: deletions ?? 0 }
  })
  return {
    kind: 'pull-request',
    url,
    title: `${pull.title ?? ''}`,
    ended: (['merged', 'closed'] as const).find((word) => word.toUpperCase() === pull.state),
    createdAtMs: Date.parse(pull.createdAt ?? '') || undefined,
    headSha: pull.headRefOid ?? '',
    fileCount: pull.changedFiles ?? files.length,
    files: files.length === 0 && pull.changedFiles !== 0 ? undefined : pagesFirst(files),
    preview: readPreview(checks, pages, sinceMs),
    checks,
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

/** What Mintlify's check run on a commit says; `words`: its own. */
type Deployment = {
  readonly state: 'ready' | 'building' | 'failed' | 'skipped' | 'unknown'
  readonly words: string
  readonly url: string
}

type CommitChecks = ReturnType<typeof readChecks>

/** `url`: an https link; empty if there is none. */
type Preview = Pick<Deployment, 'state' | 'url'>

/** Any job of any workflow may have the name of Mintlify's check. */
function isMintlifyApp({ app }: CheckSuite): boolean {
  return app?.slug === 'mintlify'
}

/** @param pages the same commit with one page of its check suites each */
function readChecks(pages: readonly CheckedCommit[]) {
  const [newest] = nodesOf(pages[0]?.deploymentSuites)
    .filter(isMintlifyApp)
    .flatMap(({ checkRuns }) => nodesOf(checkRuns))
    .filter(({ name }) => name === DEPLOYMENT)
    .toSorted((one, other) => (other.databaseId ?? 0) - (one.databaseId ?? 0))
  const suites = pages.flatMap(({ checkSuites }) => nodesOf(checkSuites))
  const failed = suites.flatMap((suite) =>
    nodesOf(suite.checkRuns).filter(
      ({ name, conclusion }) =>
        FAILED.includes(conclusion ?? '') && !(isMintlifyApp(suite) && name === DEPLOYMENT),
    ),
  )
  const unlisted = sumOf(suites, ({ checkRuns }) =>
    Math.max(0, (checkRuns?.totalCount ?? 0) - nodesOf(checkRuns).length),
  )
  const deployment: Deployment | undefined = newest && {
    state: deploymentState(newest),
    words: checkWords(newest),
    url: `${newest.url ?? ''}`,
  }
  return {
    isRead: pages[0]?.checkSuites != null,
    deployment,
    /** Others that have failed, and how many there are. */
    failed: failed.map(({ name, url }) => ({ name: `${name ?? ''}`, url: `${url ?? ''}` })),
    failedCount: failed.length + unlisted,
  }
}

function deploymentState({ status, conclusion }: CheckRun): Deployment['state'] {
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
  { deployment }: CommitChecks,
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
  return { state, url: (state !== 'skipped' && row?.url) || '' }
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

import {
  type CommitFile,
  type Maybe,
  type Nodes,
  nodesOf,
  normalizeLogin,
  type Sent,
} from '../github/types.ts'
import { cleanMarkdown, clip } from '../lib/text.ts'
import { isLoopbackHost } from '../lib/transport.ts'

export type PullReport = {
  readonly kind: 'pull-request'
  readonly url: string
  readonly title: string
  readonly headSha: string
  readonly fileCount: number
  /** The first 100, pages first; `undefined` where they could not be read. */
  readonly files: readonly PullFile[] | undefined
  /** Those that changed since this run's message; `undefined` without one, or where they are not known. */
  readonly filesSince: readonly PullFile[] | undefined
  readonly preview: Preview
  readonly checks: CommitChecks
}

/** As GitHub's REST API lists it. */
export type PullFile = Pick<CommitFile, 'filename' | 'status' | 'additions' | 'deletions'>

/** What the docs service's check run on a commit says; `words`: its own. */
type Deployment = {
  readonly state: 'ready' | 'building' | 'failed' | 'skipped' | 'unknown'
  readonly words: string
  readonly url: string
}

export type CommitChecks = {
  readonly isRead: boolean
  readonly deployment: Deployment | undefined
  /** Others that have failed. */
  readonly failed: readonly { readonly name: string; readonly url: string }[]
}

/** `url`: an https link; empty if there is none. */
type Preview = Pick<Deployment, 'state' | 'url'>

const DEPLOYMENT = 'Mintlify Deployment'
const FAILED = ['FAILURE', 'TIMED_OUT', 'STARTUP_FAILURE']

/** What a query asks of a commit. `checkSuite.workflowRun` would need the permission `actions: read`. */
export const CHECK_FIELDS = `checkSuites(first: 100) { nodes { app { slug }
  deployments: checkRuns(first: 10, filterBy: { checkName: "${DEPLOYMENT}", checkType: LATEST }) {
    nodes { databaseId name status conclusion title summary url }
  }
  failures: checkRuns(first: 50, filterBy: { checkType: LATEST, conclusions: [${FAILED}] }) {
    nodes { name conclusion url }
  } } }`

const COMMENT_FIELDS =
  'comments(first: 100) { nodes { body createdAt lastEditedAt author { __typename login } } }'

export function pullFields(number: number): string {
  return `pullRequest(number: ${number}) { title changedFiles headRefOid ${COMMENT_FIELDS}
    files(first: 100) { nodes { path additions deletions changeType } }
    commits(last: 1) { nodes { commit { oid ${CHECK_FIELDS} } } } }`
}

type CheckRun = Sent<
  Record<'name' | 'status' | 'conclusion' | 'title' | 'summary' | 'url', string> & { databaseId: number }
>
type CheckSuite = Sent<{
  app: { slug?: Maybe<string> }
  deployments: Nodes<CheckRun>
  failures: Nodes<CheckRun>
}>

/** A commit as far as `CHECK_FIELDS` ask for it. */
export type CheckedCommit = Sent<{ oid: string; checkSuites: Nodes<CheckSuite> }>

type Author = Sent<{ __typename: string; login: string }>
type PullComments = Nodes<Sent<{ body: string; createdAt: string; lastEditedAt: string; author: Author }>>

type GraphqlFile = Sent<{ path: string; additions: number; deletions: number; changeType: string }>
/** A pull request as far as `pullFields` ask for it. */
export type Pull = Sent<{ title: string; changedFiles: number; headRefOid: string; comments: PullComments }> &
  Sent<{ files: Nodes<GraphqlFile>; commits: Nodes<Sent<{ commit: CheckedCommit }>> }>

/** @param sinceMs of the job or message, in milliseconds since the epoch; `apps`: the service's */
export function readPullReport(
  pull: Pull,
  { sinceMs, apps }: { readonly sinceMs: number; readonly apps: ReadonlySet<string> },
): Omit<PullReport, 'url' | 'filesSince'> {
  const commit = nodesOf(pull.commits).at(-1)?.commit
  // The checks of another commit say nothing of the head.
  const checks = readChecks(commit?.oid === pull.headRefOid ? commit : { checkSuites: { nodes: [] } }, apps)
  const files = nodesOf(pull.files).map(({ path, changeType, additions, deletions }) => {
    const status = changeType === 'DELETED' ? 'removed' : changeType?.toLowerCase()
    return { filename: path, status, additions, deletions }
  })
  return {
    kind: 'pull-request',
    title: pull.title ?? '',
    headSha: pull.headRefOid ?? '',
    fileCount: pull.changedFiles ?? files.length,
    files: files.length === 0 && pull.changedFiles !== 0 ? undefined : pagesFirst(files),
    preview: readPreview(checks, pull.comments, { sinceMs, apps }),
    checks,
  }
}

/** What the service makes a page of. */
export const PAGE = /\.mdx?$/i

/** Pages, navigation, API descriptions, the rest. */
const FILE_ORDER = [PAGE, /(?:^|\/)(?:docs|mint)\.json$/i, /(?:open|async)api|swagger/i, /^/]

export function pagesFirst(files: readonly PullFile[]): readonly PullFile[] {
  const rank = ({ filename }: PullFile): number => FILE_ORDER.findIndex((name) => name.test(filename ?? ''))
  return files.toSorted((one, other) => rank(one) - rank(other))
}

/** @param apps the service's: any job of any workflow may be named like its check */
export function readChecks(commit: Maybe<CheckedCommit>, apps: ReadonlySet<string>): CommitChecks {
  const suites = nodesOf(commit?.checkSuites).map((suite) => {
    return { ...suite, isService: apps.has(normalizeLogin(suite.app?.slug ?? '')) }
  })
  const deployments = suites.flatMap((suite) => (suite.isService ? nodesOf(suite.deployments) : []))
  const [newest] = deployments
    .filter(({ name }) => name === DEPLOYMENT)
    .toSorted((one, other) => (other.databaseId ?? 0) - (one.databaseId ?? 0))
  const failed = suites.flatMap(({ isService, failures }) =>
    nodesOf(failures).filter(
      ({ name, conclusion }) => FAILED.includes(conclusion ?? '') && !(isService && name === DEPLOYMENT),
    ),
  )
  return {
    isRead: commit?.checkSuites != null,
    deployment: newest && { state: stateOf(newest), words: wordsOf(newest), url: newest.url ?? '' },
    failed: failed.map(({ name, url }) => ({ name: name ?? '', url: url ?? '' })),
  }
}

function stateOf({ status, conclusion }: CheckRun): Deployment['state'] {
  if (status !== 'COMPLETED') return 'building'
  if (conclusion === 'SUCCESS') return 'ready'
  if (conclusion === 'FAILURE' || conclusion === 'TIMED_OUT') return 'failed'
  return conclusion === 'SKIPPED' ? 'skipped' : 'unknown'
}

/** The first line of the summary, else the title. */
function wordsOf({ summary, title }: CheckRun): string {
  const lines = `${cleanMarkdown(summary ?? '')}\n${title ?? ''}`.split('\n')
  return clip(lines.find((line) => line.trim() !== '')?.trim() ?? '', 300)
}

/**
 * The check decides on the state; the service's comment has the link.
 *
 * @param sinceMs a comment that was last edited before this shows the state of an earlier build
 */
export function readPreview(
  { deployment }: CommitChecks,
  comments: Maybe<PullComments>,
  { sinceMs, apps }: { readonly sinceMs: number; readonly apps: ReadonlySet<string> },
): Preview {
  const comment = nodesOf(comments).find(
    ({ body, author }) =>
      body?.startsWith('<!-- mintlify-preview-comment') === true &&
      author?.__typename === 'Bot' &&
      apps.has(normalizeLogin(author.login ?? '')),
  )
  const isCurrent = Date.parse(comment?.lastEditedAt ?? comment?.createdAt ?? '') >= sinceMs
  const rows = readRows(comment?.body ?? '')
  const row = rows.find(({ isReady }) => isReady) ?? rows[0]
  const state = deployment?.state ?? (isCurrent && row?.isReady === true ? 'ready' : 'unknown')
  return { state, url: (state !== 'skipped' && row?.url) || '' }
}

/** Rows of the table `Project | Status | Preview | Updated (UTC)` that have a link. */
function readRows(body: string): readonly { readonly url: string; readonly isReady: boolean }[] {
  return body.split('\n').flatMap((line) => {
    const [, status = '', address = ''] = /\|([^|]*)\|\s*\[View Preview\]\(([^\s()]+)\)\s*\|/.exec(line) ?? []
    const url = URL.parse(address)
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return []
    return [{ url: url.href, isReady: /^[^\p{L}]*Ready[^\p{L}]*$/u.test(status) }]
  })
}

const PULL_REQUEST_PATH =
  /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|merge_requests|pullrequest)\/(\d+)(?:\/|$)/

/**
 * Reads the URL of a pull request (GitHub) or merge request (GitLab).
 *
 * @returns `number`: empty if the URL has none; `name`: short, such as `acme/docs#12`, with the host before it unless that
 * is well known, or the URL's host and path where that form is not known
 */
export function readPullRequest(prLink: string): { readonly number: string; readonly name: string } {
  const url = URL.parse(prLink)
  if (url === null) return { number: '', name: prLink }
  const { host, hostname, pathname } = url
  const [, project, number = ''] = PULL_REQUEST_PATH.exec(pathname) ?? []
  if (project === undefined) return { number, name: `${host}${pathname}` }
  // Any other host could pass for one of these.
  const isKnown = ['github.com', 'gitlab.com', 'bitbucket.org'].includes(hostname) || isLoopbackHost(hostname)
  const mark = pathname.includes('/merge_requests/') ? '!' : '#'
  return { number, name: `${isKnown ? '' : `${host}/`}${project}${mark}${number}` }
}

import { createHash } from 'node:crypto'
import { ownAuthor } from '../events/loop-guard.ts'
import { type GraphqlError, graphqlError } from '../github/client.ts'
import { locatePullRequest, numberInSubject } from '../github/pull-requests.ts'
import {
  type FromGitHub,
  type GitActor,
  type Maybe,
  type Nodes,
  nodesOf,
  normalizeLogin,
} from '../github/types.ts'
import { code, joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import {
  cleanMarkdown,
  clip,
  countOf,
  errorMessage,
  type Failure,
  inBackticks,
  shorten,
} from '../lib/text.ts'
import type { Job } from '../mintlify/mintlify-client.ts'
import type { OutputValues, Run } from '../runner/run.ts'

/** What GitHub shows of a finished job, as plain data. Titles, names and words are other people's. */
export type PullReport =
  | {
      readonly kind: 'pull-request'
      readonly url: string
      readonly title: string
      /** What became of it since; `undefined` where it is open, or that is not known. */
      readonly ended: 'merged' | 'closed' | undefined
      /** Milliseconds since the epoch; `undefined` where it is not known. */
      readonly createdAtMs: number | undefined
      readonly fileCount: number
      /** The first 100, pages first; `undefined` where they could not be read. */
      readonly files: readonly PullFile[] | undefined
      readonly preview: Preview
      readonly checks: CommitChecks
    }
  /** The agent committed straight to the default branch. */
  | {
      readonly kind: 'published'
      readonly branch: string
      readonly commits: number
      readonly url: string
    }
  | { readonly kind: 'unchanged'; readonly branch: string }
  /** A pull request in a repository that `github-token` can't see. */
  | { readonly kind: 'invisible'; readonly repository: string }
  | { readonly kind: 'unknown' }

/** As the output `pr-files` has it; `status` as in GitHub's REST API. */
type PullFile = {
  readonly path: string
  readonly status: string
  readonly additions: number
  readonly deletions: number
}

/** A finished job, and when this run sent its message, in milliseconds since the epoch; `undefined` if it sent none. */
type FinishedJob = { readonly job: Job; readonly messageAtMs: number | undefined }

type PullPlace = { readonly owner: string; readonly repo: string; readonly number?: number }

const UNKNOWN = { kind: 'unknown' } as const

/** Asks GitHub, in one request, what it shows of a finished job. What can't be read is left out. */
export async function readPullReport(finished: FinishedJob, run: Run): Promise<PullReport> {
  try {
    return await askForReport(finished, run)
  } catch (error) {
    // Answers are not checked field by field.
    run.log.notice(
      `Failed to read the job's result on GitHub: it returned unexpected data (${errorMessage(error)}).`,
    )
    return UNKNOWN
  }
}

async function askForReport(finished: FinishedJob, run: Run): Promise<PullReport> {
  const { github } = run
  const place = findPlace(finished, run)
  const sinceMs = finished.messageAtMs ?? (Date.parse(finished.job.createdAt ?? '') || undefined)
  if (place === undefined || (place.number === undefined && sinceMs === undefined)) return UNKNOWN
  const { owner, repo, number } = place
  const fields = number === undefined ? branchCommitFields(sinceMs ?? 0) : pullReportFields(number)
  const answer = await github.read(() =>
    github.graphql<PullReportAnswer>(
      `query PullReport($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { ${fields} } }`,
      { owner, repo },
    ),
  )
  if (!answer.known) {
    const permission = number === undefined ? 'contents: read' : 'pull-requests: read'
    github.report(answer.error, { purpose: "read the job's result", permission, level: 'notice' })
    return UNKNOWN
  }
  const { data, errors } = answer.value
  const repository = `${owner}/${repo}`
  const isInvisible = errors.some(
    ({ path, type }) => path === 'repository' && /^(?:NOT_FOUND|FORBIDDEN)$/.test(type),
  )
  if (isInvisible) {
    run.log.info(
      `The job's result on GitHub is unknown: \`github-token\` can't see ${repository}. To let a later run continue a pull request there, set \`github-token\` to a token that can read it, such as a GitHub App's.`,
    )
    return number === undefined ? UNKNOWN : { kind: 'invisible', repository }
  }
  reportErrors(errors, run)
  const { pullRequest, defaultBranchRef } = data.repository ?? {}
  if (number === undefined)
    return errors.length > 0 ? UNKNOWN : readBranch(defaultBranchRef, place, run)
  if (pullRequest == null) return UNKNOWN
  const url = `${github.serverUrl}/${repository}/pull/${number}`
  return { ...readPull(pullRequest, sinceMs ?? Infinity, run), url }
}

const PREVIEW_PAUSE_MS = 10_000
const MAX_WAIT_MS = 300_000
/** How long to wait for a first sign of a build. */
const MAX_SILENCE_MS = 60_000

/**
 * Waits until the preview is built, or will not be.
 *
 * @param times by our clock, in milliseconds since the epoch; `endedAtMs`: when the job was observed to be finished
 */
export async function waitForPreview(
  finished: FinishedJob,
  first: PullReport,
  times: { readonly endedAtMs: number; readonly deadlineMs: number },
  run: Run,
): Promise<PullReport> {
  let report = first
  while (report.kind === 'pull-request') {
    const isBuilding = report.preview.state === 'building'
    const isPending = isBuilding || (report.preview.state === 'unknown' && report.checks.isRead)
    const untilMs = Math.min(
      times.deadlineMs,
      times.endedAtMs + (isBuilding ? MAX_WAIT_MS : MAX_SILENCE_MS),
    )
    const pauseMs = Math.min(PREVIEW_PAUSE_MS, untilMs - run.clock.now())
    if (!isPending || pauseMs <= 0) break
    await run.clock.sleep(pauseMs, run.cancel).catch(() => undefined)
    if (run.cancel.aborted) break
    const next = await readPullReport(finished, run)
    if (next.kind !== 'pull-request') break
    report = next
  }
  const isNever =
    report.kind === 'pull-request' && report.checks.isRead && report.preview.state === 'unknown'
  if (isNever && run.clock.now() >= times.endedAtMs + MAX_SILENCE_MS)
    run.log.notice(
      '`wait-for-preview` has ended: GitHub shows no build of a preview. Does the plan include previews, and did a page change?',
    )
  return report
}

/** The pull request, else the repository of a job that completed without one; `undefined` if it is not on this GitHub. */
function findPlace(
  { job: { prLink, repository, status } }: FinishedJob,
  { github }: Run,
): PullPlace | undefined {
  if (prLink !== null) return locatePullRequest(prLink, github)
  const url = URL.parse(repository ?? '')
  const [, owner, repo] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? []
  const isHere = url?.origin === URL.parse(github.serverUrl)?.origin
  return isHere && status === 'completed' && owner && repo ? { owner, repo } : undefined
}

function pullReportFields(number: number): string {
  return `pullRequest(number: ${number}) { title state createdAt changedFiles headRefOid ${COMMENT_FIELDS}
    files(first: 100) { nodes { path additions deletions changeType } }
    commits(last: 1) { nodes { commit { oid ${CHECK_FIELDS} } } } }`
}

function branchCommitFields(sinceMs: number): string {
  const since = new Date(sinceMs).toISOString().replace(/\.\d+/, '')
  return `defaultBranchRef { name target { ... on Commit {
    history(first: 100, since: "${since}") { pageInfo { hasNextPage } nodes {
      oid message author { email user { login } } associatedPullRequests(first: 1) { nodes { number } }
    } } } } }`
}

type GraphqlFile = FromGitHub<{
  path: string
  additions: number
  deletions: number
  changeType: string
}>
type PullReportNode = FromGitHub<{
  title: string
  state: string
  createdAt: string
  changedFiles: number
  headRefOid: string
}> &
  FromGitHub<{
    comments: PullComments
    files: Nodes<GraphqlFile>
    commits: Nodes<FromGitHub<{ commit: CheckedCommit }>>
  }>
type BranchCommit = FromGitHub<{ oid: string; message: string; author: GitActor }> &
  FromGitHub<{ associatedPullRequests: Nodes<unknown> }>
type BranchHistory = Nodes<BranchCommit> &
  FromGitHub<{ pageInfo: FromGitHub<{ hasNextPage: boolean }> }>
type Branch = FromGitHub<{ name: string; target: FromGitHub<{ history: BranchHistory }> }>
type PullReportAnswer = FromGitHub<{
  repository: FromGitHub<{ pullRequest: PullReportNode; defaultBranchRef: Branch }>
}>

/** A missing permission is a notice. */
function reportErrors(errors: readonly GraphqlError[], { github }: Run): void {
  const areaOf = ({ path }: GraphqlError): string => {
    if (path.includes('checkSuites')) return 'checks'
    return /pullRequest/i.test(path) ? 'pull-requests' : 'contents'
  }
  for (const [area, [error]] of Map.groupBy(errors, areaOf)) {
    if (error === undefined) continue
    const call = { purpose: `read the job's result (${area})`, permission: `${area}: read` }
    github.report(graphqlError(error), { ...call, level: 'notice' })
  }
}

/** @param sinceMs of the job or message, in milliseconds since the epoch: what the service said before is out of date */
function readPull(pull: PullReportNode, sinceMs: number, { inputs }: Run) {
  const apps = new Set(inputs['ignore-authors'].map(normalizeLogin))
  const commit = nodesOf(pull.commits).at(-1)?.commit
  // The checks of another commit say nothing of the head.
  const checks = readChecks(
    commit?.oid === pull.headRefOid ? commit : { checkSuites: { nodes: [] } },
    apps,
  )
  const files = nodesOf(pull.files).map(({ path, changeType, additions, deletions }) => {
    const status = changeType === 'DELETED' ? 'removed' : (changeType ?? '').toLowerCase()
    return { path: `${path ?? ''}`, status, additions: additions ?? 0, deletions: deletions ?? 0 }
  })
  return {
    kind: 'pull-request',
    title: `${pull.title ?? ''}`,
    ended: (['merged', 'closed'] as const).find((word) => word.toUpperCase() === pull.state),
    createdAtMs: Date.parse(pull.createdAt ?? '') || undefined,
    fileCount: pull.changedFiles ?? files.length,
    files: files.length === 0 && pull.changedFiles !== 0 ? undefined : pagesFirst(files),
    preview: readPreview(checks, pull.comments, { sinceMs, apps }),
    checks,
  } as const
}

/** What the service makes a page of. */
const PAGE_FILE = /\.mdx?$/i

/** Pages, navigation, API descriptions, the rest. */
const FILE_ORDER = [PAGE_FILE, /(?:^|\/)(?:docs|mint)\.json$/i, /(?:open|async)api|swagger/i, /^/]

function pagesFirst(files: readonly PullFile[]): readonly PullFile[] {
  const rank = ({ path }: PullFile): number => FILE_ORDER.findIndex((name) => name.test(path))
  return files.toSorted((one, other) => rank(one) - rank(other))
}

/** Counts the agent's commits that came in no pull request: by GitHub's index, which lags behind, and by their subjects. */
function readBranch(
  branch: Maybe<Branch>,
  { owner, repo }: PullPlace,
  { github, inputs }: Run,
): PullReport {
  const history = branch?.target?.history
  if (!branch?.name || history?.pageInfo?.hasNextPage !== false) return UNKNOWN
  const [newest, ...older] = nodesOf(history).filter(
    ({ author, message, associatedPullRequests }) => {
      const isOwn =
        ownAuthor({ login: author?.user?.login, email: author?.email }, inputs) !== undefined
      const namesPull = numberInSubject(message ?? '') !== ''
      return isOwn && !namesPull && nodesOf(associatedPullRequests).length === 0
    },
  )
  if (newest === undefined) return { kind: 'unchanged', branch: branch.name }
  const url = `${github.serverUrl}/${owner}/${repo}/commit${older.length === 0 ? '' : 's'}/${newest.oid}`
  return { kind: 'published', branch: branch.name, commits: older.length + 1, url }
}

/** What the docs service's check run on a commit says; `words`: its own. */
type Deployment = {
  readonly state: 'ready' | 'building' | 'failed' | 'skipped' | 'unknown'
  readonly words: string
  readonly url: string
}

type CommitChecks = {
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
const CHECK_FIELDS = `checkSuites(first: 100) { nodes { app { slug }
  deployments: checkRuns(first: 10, filterBy: { checkName: "${DEPLOYMENT}", checkType: LATEST }) {
    nodes { databaseId name status conclusion title summary url }
  }
  failures: checkRuns(first: 50, filterBy: { checkType: LATEST, conclusions: [${FAILED}] }) {
    nodes { name conclusion url }
  } } }`

const COMMENT_FIELDS =
  'comments(first: 100) { nodes { body createdAt lastEditedAt author { __typename login } } }'

type CheckRun = FromGitHub<
  Record<'name' | 'status' | 'conclusion' | 'title' | 'summary' | 'url', string> & {
    databaseId: number
  }
>
type CheckSuite = FromGitHub<{
  app: { slug?: Maybe<string> }
  deployments: Nodes<CheckRun>
  failures: Nodes<CheckRun>
}>

/** A commit as far as `CHECK_FIELDS` ask for it. */
type CheckedCommit = FromGitHub<{ oid: string; checkSuites: Nodes<CheckSuite> }>

type Author = FromGitHub<{ __typename: string; login: string }>
type PullComments = Nodes<
  FromGitHub<{ body: string; createdAt: string; lastEditedAt: string; author: Author }>
>

/** @param apps the service's: any job of any workflow may be named like its check */
function readChecks(commit: Maybe<CheckedCommit>, apps: ReadonlySet<string>): CommitChecks {
  const suites = nodesOf(commit?.checkSuites).map((suite) => {
    return { ...suite, isService: apps.has(normalizeLogin(suite.app?.slug ?? '')) }
  })
  const deployments = suites.flatMap((suite) => (suite.isService ? nodesOf(suite.deployments) : []))
  const [newest] = deployments
    .filter(({ name }) => name === DEPLOYMENT)
    .toSorted((one, other) => (other.databaseId ?? 0) - (one.databaseId ?? 0))
  const failed = suites.flatMap(({ isService, failures }) =>
    nodesOf(failures).filter(
      ({ name, conclusion }) =>
        FAILED.includes(conclusion ?? '') && !(isService && name === DEPLOYMENT),
    ),
  )
  return {
    isRead: commit?.checkSuites != null,
    deployment: newest && {
      state: deploymentState(newest),
      words: checkWords(newest),
      url: `${newest.url ?? ''}`,
    },
    failed: failed.map(({ name, url }) => ({ name: `${name ?? ''}`, url: `${url ?? ''}` })),
  }
}

function deploymentState({ status, conclusion }: CheckRun): Deployment['state'] {
  if (status !== 'COMPLETED') return 'building'
  if (conclusion === 'SUCCESS') return 'ready'
  if (conclusion === 'FAILURE' || conclusion === 'TIMED_OUT') return 'failed'
  return conclusion === 'SKIPPED' ? 'skipped' : 'unknown'
}

/** The first line of the summary, else the title. */
function checkWords({ summary, title }: CheckRun): string {
  const lines = `${cleanMarkdown(summary ?? '')}\n${title ?? ''}`.split('\n')
  return clip(lines.find((line) => line.trim() !== '')?.trim() ?? '', 300)
}

/**
 * The check decides on the state; the service's comment has the link.
 *
 * @param sinceMs a comment that was last edited before this shows the state of an earlier build
 */
function readPreview(
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
  const rows = readPreviewRows(comment?.body ?? '')
  const row = rows.find(({ isReady }) => isReady) ?? rows[0]
  const state = deployment?.state ?? (isCurrent && row?.isReady === true ? 'ready' : 'unknown')
  return { state, url: (state !== 'skipped' && row?.url) || '' }
}

/** Rows of the table `Project | Status | Preview | Updated (UTC)` that have a link. */
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

const MAX_NAMED_FILES = 10
const MAX_NAMED_CHECKS = 5
/** Of a file or check, in characters: a comment holds 65,536. */
const MAX_NAME = 200

type PullWordsPull = Extract<PullReport, { kind: 'pull-request' }>

/** What became of a job without a pull request; `undefined` where GitHub does not show it. */
export function noPullRequestWords(report: PullReport): Failure | undefined {
  if (report.kind === 'unchanged')
    return { headline: `Changed nothing on ${inBackticks(report.branch)}`, details: '' }
  if (report.kind !== 'published') return undefined
  const headline = `Published straight to ${inBackticks(report.branch)}: ${countOf(report.commits, 'commit')}`
  return { headline, details: 'The agent committed to the branch without a pull request.' }
}

/** What a reviewer looks at first, as paragraphs for the summary and the comments. */
export function pullSummary(report: PullReport): readonly Markdown[] {
  if (report.kind === 'published')
    return [link(`Show ${countOf(report.commits, 'commit')}`, report.url)]
  if (report.kind === 'invisible') {
    const lost =
      'so the pages and the preview are not known. With a token that can, a later run also continues the pull request.'
    return [md`${code('github-token')} can't read pull requests of ${report.repository}, ${lost}`]
  }
  if (report.kind !== 'pull-request') return []
  const title = md`${report.title}`
  return [
    title.source === '' ? md`` : md`**${title}**`,
    filesText(report),
    previewText(report),
    failedText(report),
  ]
}

export function pullOutputs(report: PullReport): OutputValues {
  const pull = report.kind === 'pull-request' ? report : undefined
  const { url = '', state = '' } = pull?.preview ?? {}
  return {
    'pr-title': pull?.title ?? '',
    'pr-files': pull?.files ? JSON.stringify(pull.files) : '',
    'preview-url': url,
    'preview-status': ['ready', 'building', 'failed'].includes(state) ? state : '',
  }
}

function filesText(pull: PullWordsPull): Markdown {
  if (pull.files === undefined) return md``
  if (pull.fileCount === 0) return md`The pull request changes no file.`
  return md`${filesCount(pull)}: ${filesList(pull.files, pull)}`
}

/** `3 pages, 1 other file`; pages are counted where all files are known. */
function filesCount({ files = [], fileCount }: PullWordsPull): string {
  const pages =
    fileCount > files.length ? 0 : files.filter(({ path }) => PAGE_FILE.test(path)).length
  if (pages === 0) return countOf(fileCount, 'file')
  const others = fileCount === pages ? '' : `, ${countOf(fileCount - pages, 'other file')}`
  return `${countOf(pages, 'page')}${others}`
}

function filesList(files: readonly PullFile[], { url, fileCount }: PullWordsPull): Markdown {
  const named = files.slice(0, MAX_NAMED_FILES).map(({ path, additions, deletions }) => {
    const anchor = createHash('sha256').update(path).digest('hex')
    return md`${link(code(shorten(path, MAX_NAME)), `${url}/files#diff-${anchor}`)} (+${additions} −${deletions})`
  })
  return andMore(named, fileCount)
}

function previewText({ preview: { state, url }, checks }: PullWordsPull): Markdown {
  const name = url === '' ? md`Preview` : link('Preview', url)
  if (state === 'ready') return md`${name} ready`
  if (state === 'building') return md`${name} being built`
  if (state === 'failed') return md`${name} failed${checkFailureText(checks.deployment)}`
  return url === '' ? md`` : name
}

function failedText({ checks: { failed } }: PullWordsPull): Markdown {
  if (failed.length === 0) return md``
  const count = failed.length === 1 ? '1 check fails' : `${failed.length} checks fail`
  const named = failed
    .slice(0, MAX_NAMED_CHECKS)
    .map(({ name, url }) => link(md`${shorten(name, MAX_NAME)}`, url))
  return md`${count}: ${andMore(named, failed.length)}`
}

function andMore(named: readonly Markdown[], total: number): Markdown {
  const left = total - named.length
  return joinMarkdown([...named, left > 0 ? md`and ${left} more` : md``], ', ')
}

/** What the service's check says, to follow a statement. */
function checkFailureText(check: PullWordsPull['checks']['deployment']): Markdown {
  if (check === undefined) return md``
  const name = link('check', check.url)
  return check.words === '' ? md` (${name})` : md`: ${check.words} (${name})`
}

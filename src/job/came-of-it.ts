import { type GraphqlError, graphqlError } from '../github/errors.ts'
import { readPullRequestUrl } from '../github/pull-requests.ts'
import { type Comparison, type Maybe, normalizeLogin, type Sent } from '../github/types.ts'
import { joinSentences } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { Job } from '../service/docs-service.ts'
import {
  CHECK_FIELDS,
  type CheckSuites,
  COMMENT_FIELDS,
  type Deployment,
  type FailedCheck,
  findDeployment,
  findFailedChecks,
  findPreview,
  type Nodes,
  nodesOf,
  type Preview,
  type PullComments,
} from './preview.ts'

/** `status`: in the words of GitHub's REST API. Lines: added and removed. */
export type PullFile = {
  readonly path: string
  readonly status: string
  readonly additions: number
  readonly deletions: number
}

/** What GitHub shows of a finished job, as plain data. Titles, names and words are other people's. */
export type CameOfIt = {
  readonly found: PullReport | BranchReport
  /** Of the step's earlier pull request, merged since; `undefined` where it is not known. */
  readonly published: Published | undefined
}

export type PullReport = {
  readonly kind: 'pull-request'
  readonly url: string
  readonly title: string
  readonly headSha: string
  readonly fileCount: number
  /** At most the first 100, pages first; `undefined` where they could not be read. */
  readonly files: readonly PullFile[] | undefined
  /** Files that changed since this run's message; `undefined` without one, and where it is not known. */
  readonly filesSinceMessage: readonly PullFile[] | undefined
  readonly preview: Preview
  /** Whether the checks of the head commit could be read. */
  readonly hasChecks: boolean
  readonly failedChecks: readonly FailedCheck[]
}

/** Without a pull request: whether the agent published straight to the default branch. */
export type BranchReport =
  | {
      readonly kind: 'published'
      readonly branch: string
      readonly commitCount: number
      readonly url: string
    }
  | { readonly kind: 'unchanged'; readonly branch: string }
  | { readonly kind: 'unknown' }

export type Published = {
  readonly value: boolean
  /** Short name and URL of the earlier pull request: `acme/docs#12`. */
  readonly pullName: string
  readonly pullUrl: string
  readonly deployment: Deployment
}

export type OutcomeQuestion = {
  readonly job: Job
  /** When this run sent its message, by our clock, in milliseconds since the epoch; `undefined` if it sent none. */
  readonly messageAtMs?: number | undefined
  /** SHA of the pull request's head before the message, where it is known. */
  readonly headBefore?: string | undefined
  /** The step's pull request before this job's, once it is merged. */
  readonly earlierPull?: { readonly prLink: string; readonly mergeCommit: string } | undefined
}

type RepositoryName = { readonly owner: string; readonly repo: string }
type Target = RepositoryName & { readonly number: number | undefined }

const UNKNOWN: CameOfIt = { found: { kind: 'unknown' }, published: undefined }

/** Asks GitHub, in one request, what came of a finished job. What can't be read is left out. */
export async function readCameOfIt(question: OutcomeQuestion, run: Run): Promise<CameOfIt> {
  const { github, inputs, log } = run
  const target = targetOf(question, run)
  const earlier = earlierOf(question, run)
  const fields = [
    target && inRepository('job', target, targetFields(target, question)),
    earlier &&
      inRepository(
        'earlier',
        earlier,
        `object(oid: "${earlier.mergeCommit}") { ... on Commit { ${CHECK_FIELDS} } }`,
      ),
  ].filter((field) => field !== undefined)
  if (fields.length === 0) return UNKNOWN
  const answer = await github.read(() => github.graphql<Answer>(`query CameOfIt { ${fields.join(' ')} }`))
  if (!answer.known) {
    const permission = target?.number === undefined ? 'contents: read' : 'pull-requests: read'
    github.report(answer.error, { purpose: 'read what came of the job', permission, level: 'notice' })
    return UNKNOWN
  }
  const { data, errors } = answer.value
  reportErrors(errors, { job: target, earlier }, run)
  const deployment = findDeployment(data.earlier?.object?.checkSuites, inputs['ignore-authors'])
  const published = earlier && readPublished(earlier, deployment)
  if (published?.value === false) log.warning(unpublishedText(published))
  if (target === undefined || data.job == null) return { ...UNKNOWN, published }
  const { pullRequest, defaultBranchRef } = data.job
  const hasUnreadCommits = errors.some(({ path }) => path.startsWith('job.defaultBranchRef'))
  if (target.number === undefined) {
    const found = hasUnreadCommits ? UNKNOWN.found : readBranch(defaultBranchRef, target, run)
    return { found, published }
  }
  if (pullRequest == null) return { ...UNKNOWN, published }
  const pull = readPull(pullRequest, target, question, run)
  return {
    found: { ...pull, filesSinceMessage: await readFilesSince(pull, target, question, run) },
    published,
  }
}

const LOOK_PAUSE_MS = 10_000
const MAX_PREVIEW_WAIT_MS = 300_000
/** How long to wait for a first sign of a build, from the look that saw the job's end. */
const MAX_SILENCE_MS = 60_000

/**
 * Waits until the preview is built, or will not be.
 *
 * @param endedAtMs when the job was seen to be over; like `deadlineMs` by our clock, in milliseconds since the epoch
 */
export async function waitForPreview(
  question: OutcomeQuestion,
  cameOfIt: CameOfIt,
  { endedAtMs, deadlineMs }: { readonly endedAtMs: number; readonly deadlineMs: number },
  run: Run,
): Promise<CameOfIt> {
  const { clock, cancel, log } = run
  const lastMs = Math.min(deadlineMs, endedAtMs + MAX_PREVIEW_WAIT_MS)
  let { found } = cameOfIt
  for (let looks = 0; found.kind === 'pull-request'; looks++) {
    const { state } = found.preview
    const untilMs = state === 'building' ? lastMs : Math.min(lastMs, endedAtMs + MAX_SILENCE_MS)
    const isPending = state === 'building' || (state === 'unknown' && found.hasChecks)
    const leftMs = untilMs - clock.now()
    if (!isPending || leftMs <= 0) break
    if (looks === 0) log.info(`Waiting for the preview of ${found.url}.`)
    await clock.sleep(Math.min(LOOK_PAUSE_MS, leftMs), cancel).catch(() => undefined)
    if (cancel.aborted) break
    const next = await readCameOfIt({ ...question, headBefore: undefined, earlierPull: undefined }, run)
    if (cancel.aborted || next.found.kind !== 'pull-request') break
    found = { ...next.found, filesSinceMessage: found.filesSinceMessage }
  }
  return { ...cameOfIt, found }
}

/** The pull request, else the repository of a job that completed without one, if it is on this GitHub. */
function targetOf({ job, messageAtMs }: OutcomeQuestion, { github }: Run): Target | undefined {
  if (job.prLink !== null) return readPullRequestUrl(job.prLink, github)
  const url = URL.parse(job.repository ?? '')
  const [, owner, repo] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? []
  const isHere = url !== null && url.origin === URL.parse(github.serverUrl)?.origin
  const isDated = Number.isFinite(sinceMsOf({ job, messageAtMs }))
  if (!isHere || !isDated || job.status !== 'completed' || !owner || !repo) return undefined
  return { owner, repo, number: undefined }
}

type Earlier = RepositoryName & {
  readonly number: number
  readonly url: string
  readonly mergeCommit: string
}

function earlierOf({ earlierPull }: OutcomeQuestion, { github }: Run): Earlier | undefined {
  const { prLink: url = '', mergeCommit = '' } = earlierPull ?? {}
  const name = readPullRequestUrl(url, github)
  return name && /^[0-9a-f]{40}$/.test(mergeCommit) ? { ...name, url, mergeCommit } : undefined
}

/** Not a number if it is not known. */
function sinceMsOf({ job, messageAtMs }: Pick<OutcomeQuestion, 'job' | 'messageAtMs'>): number {
  return messageAtMs ?? Date.parse(job.createdAt ?? '')
}

function inRepository(alias: string, { owner, repo }: RepositoryName, fields: string): string {
  return `${alias}: repository(owner: "${owner}", name: "${repo}") { ${fields} }`
}

function targetFields({ number }: Target, question: OutcomeQuestion): string {
  if (number !== undefined) {
    return `pullRequest(number: ${number}) { title changedFiles headRefOid
      files(first: 100) { nodes { path additions deletions changeType } } ${COMMENT_FIELDS}
      commits(last: 1) { nodes { commit { oid ${CHECK_FIELDS} } } } }`
  }
  const since = new Date(Math.floor(sinceMsOf(question) / 1000) * 1000).toISOString()
  return `defaultBranchRef { name target { ... on Commit { history(first: 100, since: "${since}") {
    pageInfo { hasNextPage }
    nodes { oid message author { email user { login } } associatedPullRequests(first: 1) { nodes { number } } }
  } } } }`
}

type Commit = Sent<{ oid: string; checkSuites: CheckSuites }>

type BranchCommit = Sent<{
  oid: string
  message: string
  author: Sent<{ email: string; user: Sent<{ login: string }> }>
  associatedPullRequests: Nodes<unknown>
}>

type Branch = Sent<{
  name: string
  target: Sent<{ history: Nodes<BranchCommit> & Sent<{ pageInfo: Sent<{ hasNextPage: boolean }> }> }>
}>

type Pull = Sent<{
  title: string
  changedFiles: number
  headRefOid: string
  files: Nodes<Sent<{ path: string; additions: number; deletions: number; changeType: string }>>
  comments: PullComments
  commits: Nodes<Sent<{ commit: Commit }>>
}>

type Answer = Sent<{
  job: Sent<{ pullRequest: Pull; defaultBranchRef: Branch }>
  earlier: Sent<{ object: Commit }>
}>

/** A missing permission is a notice; a repository that the token can't see, a line in the log. */
function reportErrors(
  errors: readonly GraphqlError[],
  asked: Readonly<Record<string, RepositoryName | undefined>>,
  { github, log }: Run,
): void {
  const reported = new Set<string>()
  for (const error of errors) {
    const { type, path } = error
    const repository = asked[path]
    if (repository !== undefined && (type === 'NOT_FOUND' || type === 'FORBIDDEN')) {
      const name = `${repository.owner}/${repository.repo}`
      log.info(`\`github-token\` can't see ${name}, so this run can't tell what came of the job there.`)
      continue
    }
    const [purpose, permission] = path.includes('checkSuites')
      ? (['read the check runs', 'checks: read'] as const)
      : /pullRequest/i.test(path)
        ? (['read the pull request', 'pull-requests: read'] as const)
        : (['read the commits', 'contents: read'] as const)
    if (!reported.has(permission))
      github.report(graphqlError(error), { purpose, permission, level: 'notice' })
    reported.add(permission)
  }
}

function readPull(
  pull: Pull,
  { owner, repo, number }: Target,
  question: OutcomeQuestion,
  { github, inputs }: Run,
): PullReport {
  const ignoredAuthors = inputs['ignore-authors']
  const commit = nodesOf(pull.commits).at(-1)?.commit
  // What is known of another commit says nothing of the head.
  const suites = commit?.oid === pull.headRefOid ? commit?.checkSuites : undefined
  const files = nodesOf(pull.files).map(({ path, changeType, additions, deletions }) => ({
    path: path ?? '',
    status: changeType === 'DELETED' ? 'removed' : (changeType?.toLowerCase() ?? ''),
    additions: additions ?? 0,
    deletions: deletions ?? 0,
  }))
  const deployment = findDeployment(suites, ignoredAuthors)
  return {
    kind: 'pull-request',
    url: `${github.serverUrl}/${owner}/${repo}/pull/${number}`,
    title: pull.title ?? '',
    headSha: pull.headRefOid ?? '',
    fileCount: pull.changedFiles ?? files.length,
    files: pull.files == null && pull.changedFiles !== 0 ? undefined : pagesFirst(files),
    filesSinceMessage: undefined,
    preview: findPreview(deployment, pull.comments, { sinceMs: sinceMsOf(question), ignoredAuthors }),
    hasChecks: commit?.checkSuites != null,
    failedChecks: findFailedChecks(suites, ignoredAuthors),
  }
}

/** Pages, then navigation, API descriptions, the rest. */
const FILE_ORDER = [
  /\.mdx?$/i,
  /(?:^|\/)(?:docs|mint)\.json$/i,
  /(?:openapi|swagger|asyncapi)[\w./-]*\.(?:ya?ml|json)$/i,
  /^/,
]

function pagesFirst(files: readonly PullFile[]): readonly PullFile[] {
  const rank = ({ path }: PullFile): number => FILE_ORDER.findIndex((pattern) => pattern.test(path))
  return files.toSorted((one, other) => rank(one) - rank(other))
}

/** Source: GitHub's REST API, "Compare two commits". */
async function readFilesSince(
  { headSha }: PullReport,
  { owner, repo }: RepositoryName,
  { messageAtMs, headBefore = '' }: OutcomeQuestion,
  { github }: Run,
): Promise<readonly PullFile[] | undefined> {
  if (messageAtMs === undefined || headBefore === '' || headSha === '') return undefined
  if (headBefore === headSha) return []
  const basehead = `${headBefore}...${headSha}`
  const answer = await github.read(() =>
    github.call<Comparison>(({ rest }) => rest.repos.compareCommitsWithBasehead({ owner, repo, basehead })),
  )
  if (!answer.known) {
    const purpose = 'compare the pull request with what it was before the message'
    github.report(answer.error, { purpose, permission: 'contents: read', level: 'notice' })
    return undefined
  }
  const { status, files, commits } = answer.value
  // After a forced push or a merge of the base branch, a comparison also shows what others changed.
  const isOwnWork = status === 'ahead' && commits?.every((commit) => (commit?.parents?.length ?? 0) < 2)
  if (!isOwnWork || files == null) return undefined
  const own = files.map(({ filename, status, additions, deletions }) => ({
    path: filename ?? '',
    status: status ?? '',
    additions: additions ?? 0,
    deletions: deletions ?? 0,
  }))
  return pagesFirst(own)
}

/** Commits of the agent that came in no pull request, by GitHub's index, which lags behind, and by their subjects. */
function readBranch(branch: Maybe<Branch>, { owner, repo }: RepositoryName, run: Run): BranchReport {
  const { name, target } = branch ?? {}
  if (!name || target?.history == null || target.history.pageInfo?.hasNextPage !== false)
    return { kind: 'unknown' }
  const authors = run.inputs['ignore-authors'].map(normalizeLogin)
  const direct = nodesOf(target.history).filter(({ author, message, associatedPullRequests }) => {
    const email = /^(?:\d+\+)?([^@]+)@users\.noreply\./.exec(author?.email ?? '')
    const isOwn = authors.includes(normalizeLogin(author?.user?.login ?? email?.[1] ?? ''))
    const subject = message?.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
    const isNamed = /^Merge pull request #\d+ |\(#\d+\)$/.test(subject)
    return isOwn && !isNamed && nodesOf(associatedPullRequests).length === 0
  })
  const [newest] = direct
  if (newest === undefined) return { kind: 'unchanged', branch: name }
  const path = direct.length === 1 ? 'commit' : 'commits'
  const url = `${run.github.serverUrl}/${owner}/${repo}/${path}/${newest.oid}`
  return { kind: 'published', branch: name, commitCount: direct.length, url }
}

function readPublished({ owner, repo, number, url }: Earlier, deployment: Deployment | undefined) {
  if (deployment?.state !== 'ready' && deployment?.state !== 'failed') return undefined
  const value = deployment.state === 'ready'
  return { value, pullName: `${owner}/${repo}#${number}`, pullUrl: url, deployment }
}

function unpublishedText({ pullName, deployment: { words, url } }: Published): string {
  const said = words === '' ? '.' : `: ${words.replace(/[.\s]+$/, '')}.`
  return joinSentences(
    `The pull request ${pullName} was merged, but the service's check failed${said}`,
    `The pages may be published all the same: see ${url}`,
  )
}

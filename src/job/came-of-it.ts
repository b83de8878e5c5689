import { ownAuthor } from '../events/loop-guard.ts'
import { type GraphqlError, graphqlError } from '../github/errors.ts'
import { numberInSubject } from '../github/merged-pulls.ts'
import { readPullRequestUrl } from '../github/pull-requests.ts'
import {
  type Comparison,
  type Maybe,
  type Nodes,
  nodesOf,
  normalizeLogin,
  type Sent,
} from '../github/types.ts'
import { joinSentences } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { Job } from '../service/docs-service.ts'
import {
  CHECK_FIELDS,
  type CheckedCommit,
  type CommitChecks,
  type Pull,
  type PullFile,
  type PullReport,
  pagesFirst,
  pullFields,
  readChecks,
  readPullReport,
} from './pull-report.ts'

/** What GitHub shows of a finished job, as plain data. Titles, names and words are other people's. */
export type CameOfIt = {
  readonly found: PullReport | BranchReport | InvisiblePull
  /** Whether the step's earlier pull request is published; `undefined` where it is not known. */
  readonly published: Published | undefined
}

/** Without a pull request: whether the agent published straight to the default branch. */
type BranchReport =
  | { readonly kind: 'published'; readonly branch: string; readonly commits: number; readonly url: string }
  | { readonly kind: 'unchanged'; readonly branch: string }
  | { readonly kind: 'unknown' }

/** A pull request in a repository that `github-token` can't see. */
type InvisiblePull = { readonly kind: 'invisible'; readonly repository: string }

/** `pull`: the name of the earlier pull request, `acme/docs#12`. */
export type Published = { value: boolean; pull: string; pullUrl: string; words: string; url: string }

export type JobQuestion = {
  readonly job: Job
  /** When this run sent its message, by our clock, in milliseconds since the epoch; `undefined` if it sent none. */
  readonly messageAtMs?: number | undefined
  /** SHA of the pull request's head before that, where it is known. */
  readonly headBefore?: string | undefined
  /** The step's pull request before this job, once it is merged. */
  readonly earlierPull?: { readonly prLink: string; readonly mergeCommit: string } | undefined
}

type Place = { readonly owner: string; readonly repo: string; readonly number?: number }

const UNKNOWN = { kind: 'unknown' } as const

/** Asks GitHub, in one request, what came of a finished job. What can't be read is left out. */
export async function readCameOfIt(question: JobQuestion, run: Run): Promise<CameOfIt> {
  const { github } = run
  const { prLink = '', mergeCommit = '' } = question.earlierPull ?? {}
  const place = placeOf(question, run)
  const earlier = /^[0-9a-f]{40}$/.test(mergeCommit) ? readPullRequestUrl(prLink, github) : undefined
  const fields = place?.number === undefined ? branchFields(question) : pullFields(place.number)
  const mergeFields = `object(oid: "${mergeCommit}") { ... on Commit { ${CHECK_FIELDS} } }`
  const query = inRepository('job', place, fields) + inRepository('earlier', earlier, mergeFields)
  if (query === '') return { found: UNKNOWN, published: undefined }
  const answer = await github.read(() => github.graphql<Answer>(`query CameOfIt { ${query} }`))
  if (!answer.known) {
    const permission = place?.number === undefined ? 'contents: read' : 'pull-requests: read'
    github.report(answer.error, { purpose: 'read what came of the job', permission, level: 'notice' })
    return { found: UNKNOWN, published: undefined }
  }
  const { data, errors } = answer.value
  reportErrors(errors, { job: place, earlier }, run)
  const apps = new Set(['mintlify', ...run.inputs['ignore-authors'].map(normalizeLogin)])
  const published = earlier && readPublished(earlier, prLink, readChecks(data.earlier?.object, apps))
  if (published?.value === false) run.log.warning(unpublishedText(published))
  const { pullRequest, defaultBranchRef } = data.job ?? {}
  if (place?.number === undefined) {
    const isWhole = !errors.some(({ path }) => path.startsWith('job.'))
    return { found: place && isWhole ? readBranch(defaultBranchRef, place, run) : UNKNOWN, published }
  }
  if (pullRequest == null) {
    const repository = `${place.owner}/${place.repo}`
    const isInvisible = errors.some(({ path, type }) => path === 'job' && type === 'NOT_FOUND')
    return { found: isInvisible ? { kind: 'invisible', repository } : UNKNOWN, published }
  }
  const found = readPullReport(pullRequest, { sinceMs: sinceMsOf(question), apps })
  const url = `${github.serverUrl}/${place.owner}/${place.repo}/pull/${place.number}`
  const filesSince = await readFilesSince(found.headSha, place, question, run)
  return { found: { ...found, url, filesSince }, published }
}

function readPublished(
  { owner, repo, number }: Place,
  pullUrl: string,
  { deployment }: CommitChecks,
): Published | undefined {
  if (deployment?.state !== 'ready' && deployment?.state !== 'failed') return undefined
  const { words, url } = deployment
  return { value: deployment.state === 'ready', pull: `${owner}/${repo}#${number}`, pullUrl, words, url }
}

function unpublishedText({ pull, words, url }: Published): string {
  const said = words === '' ? '' : `: ${words.replace(/\.+$/, '')}`
  const failed = `The pull request ${pull} was merged, but the service's check failed${said}.`
  return joinSentences(failed, 'The pages may still have been published.', url)
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
  question: JobQuestion,
  cameOfIt: CameOfIt,
  times: { readonly endedAtMs: number; readonly deadlineMs: number },
  run: Run,
): Promise<CameOfIt> {
  let { found } = cameOfIt
  while (found.kind === 'pull-request') {
    const isBuilding = found.preview.state === 'building'
    const isPending = isBuilding || (found.preview.state === 'unknown' && found.checks.isRead)
    const untilMs = Math.min(times.deadlineMs, times.endedAtMs + (isBuilding ? MAX_WAIT_MS : MAX_SILENCE_MS))
    const pauseMs = Math.min(PREVIEW_PAUSE_MS, untilMs - run.clock.now())
    if (!isPending || pauseMs <= 0) break
    await run.clock.sleep(pauseMs, run.cancel).catch(() => undefined)
    if (run.cancel.aborted) break
    const next = await readCameOfIt({ ...question, headBefore: undefined, earlierPull: undefined }, run)
    if (next.found.kind !== 'pull-request') break
    found = { ...next.found, filesSince: found.filesSince }
  }
  return { ...cameOfIt, found }
}

/** The pull request, else the repository of a job that completed without one; `undefined` if it is not on this GitHub. */
function placeOf(question: JobQuestion, { github }: Run): Place | undefined {
  const { prLink, repository, status } = question.job
  if (prLink !== null) return readPullRequestUrl(prLink, github)
  const url = URL.parse(repository ?? '')
  const [, owner, repo] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? []
  const isHere = url?.origin === URL.parse(github.serverUrl)?.origin
  return isHere && status === 'completed' && owner && repo ? { owner, repo } : undefined
}

function sinceMsOf({ job, messageAtMs }: JobQuestion): number {
  return messageAtMs ?? (Date.parse(job.createdAt ?? '') || Number.POSITIVE_INFINITY)
}

function inRepository(alias: string, place: Place | undefined, fields: string): string {
  if (place === undefined || fields === '') return ''
  return `${alias}: repository(owner: "${place.owner}", name: "${place.repo}") { ${fields} } `
}

/** Empty where it is not known since when. */
function branchFields(question: JobQuestion): string {
  const sinceMs = sinceMsOf(question)
  if (!Number.isFinite(sinceMs)) return ''
  const since = new Date(sinceMs).toISOString().replace(/\.\d+/, '')
  return `defaultBranchRef { name target { ... on Commit {
    history(first: 100, since: "${since}") { pageInfo { hasNextPage } nodes {
      oid message author { email user { login } } associatedPullRequests(first: 1) { nodes { number } }
    } } } } }`
}

type GitAuthor = Sent<{ email: string; user: Sent<{ login: string }> }>
type BranchCommit = Sent<{ oid: string; message: string; author: GitAuthor }> &
  Sent<{ associatedPullRequests: Nodes<unknown> }>
type History = Nodes<BranchCommit> & Sent<{ pageInfo: Sent<{ hasNextPage: boolean }> }>
type Branch = Sent<{ name: string; target: Sent<{ history: History }> }>
type Answer = Sent<{
  job: Sent<{ pullRequest: Pull; defaultBranchRef: Branch }>
  earlier: Sent<{ object: CheckedCommit }>
}>

/** A missing permission is a notice; a repository that the token can't see, a line in the log. */
function reportErrors(
  errors: readonly GraphqlError[],
  places: Readonly<Record<string, Place | undefined>>,
  { github, log }: Run,
): void {
  const reported = new Set<string>()
  for (const error of errors) {
    const { type, path } = error
    const place = places[path]
    const isRequest = /pullRequest/i.test(path)
    const area = path.includes('checkSuites') ? 'checks' : isRequest ? 'pull-requests' : 'contents'
    if (place !== undefined && (type === 'NOT_FOUND' || type === 'FORBIDDEN')) {
      log.info(
        `The job's result on GitHub is unknown: \`github-token\` can't see ${place.owner}/${place.repo}. To let a later run continue a pull request there, set \`github-token\` to a token that can read it, such as a GitHub App's.`,
      )
    } else if (!reported.has(area)) {
      const call = { purpose: `read what came of the job (${area})`, permission: `${area}: read` }
      github.report(graphqlError(error), { ...call, level: 'notice' })
      reported.add(area)
    }
  }
}

/** Source: GitHub's REST API, "Compare two commits". */
async function readFilesSince(
  head: string,
  { owner, repo }: Place,
  { messageAtMs, headBefore }: JobQuestion,
  { github }: Run,
): Promise<readonly PullFile[] | undefined> {
  if (messageAtMs === undefined || !headBefore || head === '') return undefined
  if (headBefore === head) return []
  const options = { owner, repo, basehead: `${headBefore}...${head}` }
  const purpose = 'compare the pull request with its head before the message'
  const compared = await github.attempt({ purpose, permission: 'contents: read', level: 'notice' }, () =>
    github.call<Comparison>(({ rest }) => rest.repos.compareCommitsWithBasehead(options)),
  )
  if (!compared.known) return undefined
  const { status, files, commits } = compared.value
  // After a forced push or a merge of the base branch, a comparison has the work of others, too.
  const isOwnWork = status === 'ahead' && commits?.every((commit) => (commit?.parents?.length ?? 0) < 2)
  return isOwnWork && files ? pagesFirst(files.filter((file) => file != null)) : undefined
}

/** Counts the agent's commits that came in no pull request: by GitHub's index, which lags behind, and by their subjects. */
function readBranch(branch: Maybe<Branch>, { owner, repo }: Place, { github, inputs }: Run): BranchReport {
  const history = branch?.target?.history
  if (!branch?.name || history?.pageInfo?.hasNextPage !== false) return UNKNOWN
  const [newest, ...older] = nodesOf(history).filter(({ author, message, associatedPullRequests }) => {
    const isOwn = ownAuthor({ login: author?.user?.login, email: author?.email }, inputs) !== undefined
    const namesPull = numberInSubject(message ?? '') !== ''
    return isOwn && !namesPull && nodesOf(associatedPullRequests).length === 0
  })
  if (newest === undefined) return { kind: 'unchanged', branch: branch.name }
  const url = `${github.serverUrl}/${owner}/${repo}/commit${older.length === 0 ? '' : 's'}/${newest.oid}`
  return { kind: 'published', branch: branch.name, commits: older.length + 1, url }
}

import { type FromGitHub, type Maybe, nodesOf, type Paged } from '../github/client.ts'
import { GitHubError, graphqlError } from '../github/github-errors.ts'
import type { CommentRef, ThreadComment } from '../github/pull-requests.ts'
import { isRerun, type Run } from '../runner/run.ts'
import { followedBranch, type GitHubEvent, tagOf } from './event.ts'
import {
  hasStatusRecord,
  listStatuses,
  type NamedJob,
  readStatus,
  type Status,
  type StatusFacts,
  type StepStatus,
  type Success,
  statusCommit,
  statusName,
} from './status.ts'
import { type Tags, tagCommit } from './tags.ts'

/** What earlier attempts of this run recorded. */
export type Attempt =
  /** Nothing was started. */
  | { readonly kind: 'none' }
  /** Runs like this one have no record. */
  | { readonly kind: 'not-recorded' }
  | { readonly kind: 'job'; readonly job: NamedJob }
  /** A job may have been started or sent a message, or there are two. `why`: the reason, as sentences. */
  | { readonly kind: 'unclear'; readonly why: string }

/** The comments of a command's thread. */
type CommandThread = {
  /** Oldest first, including the action's own. */
  readonly comments: readonly ThreadComment[]
  readonly ownIds: ReadonlySet<number>
  /** ID of the last one that the earlier job's prompts included. */
  readonly lastIncludedId: number | undefined
}

/** What is recorded of earlier runs and attempts. */
export type EarlierRuns = StatusFacts & {
  readonly attempt: Attempt
  /** An earlier attempt's reply to the command. */
  readonly reply?: CommentRef | undefined
  /** The step's newest job that succeeded or is running: whether it was about the run's commit, or a newer one. */
  readonly lastSent?: 'same' | 'newer' | 'older' | undefined
  /** How many commits back the record is; 0 if there is none. */
  readonly commitsBack: number
  /** Whether the search ended at its limit without a result, so that an older job may exist. */
  readonly reachedLimit: boolean
  /** Where an earlier run wrote that may have started a job which it doesn't name: a page; empty if none did. */
  readonly unnamed: string
  /** On a docs pull request: jobs from markers that this run can't verify, for Mintlify to confirm. */
  readonly unsignedJobs?: readonly NamedJob[]
  /** Of a review: whether another step has answered it already. */
  readonly isAnswered?: true
  /** The comments of a command's thread; `undefined` if there is none, or it isn't needed. */
  readonly thread?: CommandThread
}

/** Runs whose record is empty, or that keep none. */
export const NOTHING_EARLIER: EarlierRuns = {
  attempt: { kind: 'none' },
  earlierJob: undefined,
  lastJob: undefined,
  commitsBack: 0,
  reachedLimit: false,
  unnamed: '',
}

const FIND_JOB = { purpose: 'look for an earlier job', permission: 'statuses: read' }

/** Reads the step's record of earlier attempts and runs in commit statuses. @throws {NeededCallError} */
export async function findInStatuses(
  event: GitHubEvent,
  tags: Tags | undefined,
  run: Run,
): Promise<EarlierRuns> {
  const { environment, github } = run
  if (!hasStatusRecord(event, run)) {
    const kind = isRerun(environment) ? 'not-recorded' : 'none'
    return { ...NOTHING_EARLIER, attempt: { kind } }
  }
  const sha = statusCommit(event, environment)
  if (sha === '') return NOTHING_EARLIER
  const name = statusName(event, run)
  // The newest status of a commit may be another run's, or another release's.
  const isListed = isRerun(environment) || tags !== undefined
  const listed = isListed ? await github.need(FIND_JOB, () => listStatuses(sha, name, run)) : []
  const parts: SearchPart[] = []
  const find = (found: readonly SearchPart[]) => {
    const unsorted = [...listed, ...found.flatMap((part) => part.statuses)]
    // GitHub's times are whole seconds, within which the order stays.
    const statuses = unsorted.toSorted((one, other) => other.createdAtMs - one.createdAtMs)
    const visited = new Set(found.flatMap((part) => part.visited))
    return {
      statuses,
      earlierJob: findEarlierJob(event, statuses, run),
      lastJob: findLastJob(event, statuses, visited, run),
    }
  }
  // Called before `part` is in `parts`. If both jobs are known, older statuses can't add anything.
  const isEnough = (part: SearchPart): boolean => {
    const { earlierJob, lastJob } = find([...parts, part])
    return earlierJob !== undefined && lastJob !== undefined
  }
  for await (const part of searchStatuses(event, sha, tags, isEnough, run)) {
    const isLast = isEnough(part)
    parts.push(part)
    if (isLast) break
  }
  const { statuses, earlierJob, lastJob } = find(parts)
  const history = parts.flatMap((part) => part.history)
  const newer = history.slice(0, Math.max(0, history.indexOf(sha)))
  const recorded = statuses.find((one) => !isOwn(one, run) && (one.job ?? one.lastJob))
  return {
    attempt: readAttempt(listed, run),
    earlierJob,
    lastJob: lastJob && { ...lastJob, isNewer: newer.includes(lastJob.sha) },
    lastSent: readLastSent(event, statuses, newer, run),
    commitsBack: Math.max(0, history.indexOf(recorded?.sha ?? '')),
    reachedLimit: !(earlierJob && lastJob) && parts.at(-1)?.reachedLimit === true,
    unnamed: findUnnamed(statuses, run),
  }
}

/** Names the permission for a query's field that GitHub could not resolve. */
function permissionFor(path: string): string {
  if (path === '' || path.endsWith('status')) return 'statuses: read'
  return path.startsWith('repository.pull') ? 'pull-requests: read' : 'contents: read'
}

/** A part of a search for the step's statuses. */
type SearchPart = {
  /** The newest of each commit, newest first. */
  readonly statuses: readonly StepStatus[]
  /** SHAs of the branch, newest first. */
  readonly history: readonly string[]
  /** SHAs of all commits that were looked at. */
  readonly visited: readonly string[]
  /** Whether there may be older ones that are not searched. */
  readonly reachedLimit: boolean
  /** Why something could not be read. */
  readonly failure?: GitHubError | undefined
}

/** A page of a branch's commits. */
const PAGE_SIZE = 100
/** As many commits of a branch are searched at most besides its newest one. */
export const MAX_SEARCHED_COMMITS = 500
/** Maximum number of versions to search: a release from a branch isn't an ancestor of the next release. */
const MAX_SEARCHED_VERSIONS = 10

/**
 * Searches the run's own commit and its branch; an open pull request; a merged one, and then its base branch; of a tag or
 * release also the versions before it. Missing parts are asked for again, unless the others are enough.
 *
 * @throws {NeededCallError}
 */
async function* searchStatuses(
  event: GitHubEvent,
  sha: string,
  tags: Tags | undefined,
  isEnough: (part: SearchPart) => boolean,
  run: Run,
): AsyncGenerator<SearchPart> {
  const need = <Part extends SearchPart>(read: () => Promise<Part>) =>
    run.github.need(FIND_JOB, async () => {
      const part = await read()
      if (part.failure && !isEnough(part)) throw part.failure
      return part
    })
  const { number, merged } = event.payload.pull_request ?? {}
  if (number != null) yield await need(() => searchPull(event, number, run))
  if (number != null && !merged) return
  const name = statusName(event, run)
  const tip = branchTip(event, sha, run)
  let left = MAX_SEARCHED_COMMITS + 1
  let after: Maybe<string>
  let reachedLimit: boolean
  do {
    const variables = { name, sha, tip, first: Math.min(PAGE_SIZE, left), ...(after && { after }) }
    const page = await need(() => searchBranch(variables, left, run))
    after = page.after
    left -= page.history.length
    reachedLimit = page.reachedLimit
    yield page
  } while (after && !reachedLimit)
  const before = tags?.before.slice(0, MAX_SEARCHED_VERSIONS) ?? []
  if (before.length > 0) yield await need(() => searchTags(before, reachedLimit, name, run))
}

/**
 * Searches the run's own commit and a page of its branch.
 *
 * @param left how many commits are searched at most
 */
async function searchBranch(
  variables: Readonly<Record<'name' | 'sha' | 'tip', string>> & { readonly first: number },
  left: number,
  run: Run,
): Promise<SearchPart & { readonly after: Maybe<string> }> {
  const { repository, failure } = await askForStatuses(BRANCH_QUERY, variables, run)
  const { own, branch } = repository
  const nodes = nodesOf(branch?.history)
  const unknown = own == null ? new GitHubError('GitHub does not know the commit') : undefined
  const found = await readStatuses([own, ...nodes], failure ?? unknown, variables.name, run)
  const { hasNextPage, endCursor } = branch?.history?.pageInfo ?? {}
  const after = hasNextPage ? endCursor : undefined
  return {
    ...found,
    history: nodes.map(({ oid }) => oid ?? ''),
    reachedLimit: found.reachedLimit || (!!after && left <= nodes.length),
    after,
  }
}

/** Searches the commits of tags. */
async function searchTags(
  tags: readonly string[],
  reachedLimit: boolean,
  name: string,
  run: Run,
): Promise<SearchPart> {
  const fields = tags.map((tag, index) => `t${index}: ${tagCommit(tag)} { ${STATUS_FIELDS} } }`)
  const query = `query TagStatuses($owner: String!, $repo: String!, $name: String!) {
    repository(owner: $owner, name: $repo) { ${fields.join(' ')} } }`
  const { repository, failure } = await askForStatuses(query, { name }, run)
  const commits = Object.values(repository as Readonly<Record<string, Maybe<CommitNode>>>)
  const found = await readStatuses(commits, failure, name, run)
  return { ...found, history: [], reachedLimit: reachedLimit || found.reachedLimit }
}

/** Searches the commits of a pull request, and those that forced pushes replaced: as many as one request can ask for. */
async function searchPull(event: GitHubEvent, number: number, run: Run): Promise<SearchPart> {
  const name = statusName(event, run, false)
  const { repository, failure } = await askForStatuses(PULL_QUERY, { name, number }, run)
  const { commits, timelineItems: pushes } = repository.pull ?? {}
  const replaced = nodesOf(pushes).flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history))
  const own = nodesOf(commits)
    .toReversed()
    .map(({ commit }) => commit)
  const unknown = repository.pull
    ? undefined
    : new GitHubError('GitHub does not know the pull request')
  const found = await readStatuses([...own, ...replaced], failure ?? unknown, name, run)
  const hasMore = [commits, pushes].some((list) => list?.pageInfo?.hasPreviousPage)
  // A merged pull request passes its job on, but its commits may not be on the base branch.
  const visited = event.payload.pull_request?.merged ? [] : found.visited
  return { ...found, visited, history: [], reachedLimit: found.reachedLimit || hasMore }
}

/** Returns the commit or branch where the search begins. */
function branchTip(event: GitHubEvent, sha: string, { environment }: Run): string {
  const { row, payload, followsTag } = event
  const followed = followsTag
    ? payload.repository?.default_branch
    : followedBranch(event, environment)
  const base = payload.pull_request?.base?.ref ?? followed
  if (base != null) return `refs/heads/${base}`
  const isOnBranch = row.subject !== 'release' && environment.ref.startsWith('refs/heads/')
  return isOnBranch ? environment.ref : sha
}

const STATUS_FIELDS =
  'oid status { context(name: $name) { target_url: targetUrl created_at: createdAt } }'

const BRANCH_QUERY = `query StepStatuses($owner: String!, $repo: String!, $name: String!, $sha: GitObjectID!, $tip: String!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    own: object(oid: $sha) { ... on Commit { ${STATUS_FIELDS} } }
    branch: object(expression: $tip) { ... on Commit { history(first: $first, after: $after) {
      pageInfo { hasNextPage endCursor } nodes { ${STATUS_FIELDS} }
    } } }
  } }`

const PULL_QUERY = `query StepStatuses($owner: String!, $repo: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pull: pullRequest(number: $number) {
    commits(last: 100) { pageInfo { hasPreviousPage } nodes { commit { ${STATUS_FIELDS} } } }
    timelineItems(last: 100, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { pageInfo { hasPreviousPage } nodes {
      ... on HeadRefForcePushedEvent { beforeCommit { history(first: 100) { nodes { ${STATUS_FIELDS} } } } }
    } }
  } } }`

type CommitNode = FromGitHub<{ oid: string; status: FromGitHub<{ context: Status }> }>
type StatusHistory = FromGitHub<{ history: Paged<CommitNode> }>
type StatusesAnswer = FromGitHub<{
  own: CommitNode
  branch: StatusHistory
  pull: FromGitHub<{
    commits: Paged<FromGitHub<{ commit: CommitNode }>>
    timelineItems: Paged<FromGitHub<{ beforeCommit: StatusHistory }>>
  }>
}>

/** Sends a query. The data of an answer with errors is believed. */
async function askForStatuses(
  query: string,
  variables: Readonly<Record<string, string | number>>,
  { github }: Run,
): Promise<{ readonly repository: StatusesAnswer; readonly failure: GitHubError | undefined }> {
  const answer = await github.attempt(() =>
    github.graphql<FromGitHub<{ repository: StatusesAnswer }>>(query, {
      ...github.repository,
      ...variables,
    }),
  )
  if (!answer.known) return { repository: {}, failure: answer.error }
  const { data, errors } = answer.value
  const [first] = errors
  const failure = first && graphqlError(first, permissionFor(first.path))
  return { repository: data.repository ?? {}, failure }
}

/** Maximum number of commits whose statuses are listed because the newest one may hide others. */
const MAX_HIDING_COMMITS = 5

/**
 * Reads the newest status of each commit, and all those of a commit whose newest one may hide others.
 *
 * @param failure why the commits may not be all
 */
async function readStatuses(
  commits: readonly Maybe<CommitNode>[],
  failure: GitHubError | undefined,
  name: string,
  run: Run,
): Promise<Omit<SearchPart, 'history'>> {
  const visited: string[] = []
  const statuses: StepStatus[] = []
  const hiding: string[] = []
  for (const { oid, status } of commits.filter((commit) => commit != null)) {
    if (!oid || visited.includes(oid)) continue
    visited.push(oid)
    if (!status?.context) continue
    const newest = readStatus(status.context, oid, name)
    // One that no run of the step has set may hide others.
    if (newest.runId === '') hiding.push(oid)
    else statuses.push(newest)
  }
  for (const sha of hiding.slice(0, MAX_HIDING_COMMITS)) {
    const listed = await run.github.attempt(() => listStatuses(sha, name, run))
    if (!listed.known)
      return { statuses, visited, reachedLimit: false, failure: failure ?? listed.error }
    statuses.push(...listed.value)
  }
  return { statuses, visited, reachedLimit: hiding.length > MAX_HIDING_COMMITS, failure }
}

function isOwn({ runId }: StepStatus, { environment }: Run): boolean {
  return runId === environment.runId
}

/** Reads the outcome of this run's earlier attempts from the statuses of its commit, newest first. */
function readAttempt(statuses: readonly StepStatus[], run: Run): Attempt {
  const own = isRerun(run.environment) ? statuses.filter((status) => isOwn(status, run)) : []
  const [newest] = own
  if (!newest) return { kind: 'none' }
  // The job of one attempt stays the same, so a second one belongs to another step of this name.
  const isShared = own.some(({ attempt, job }) => {
    const last = own.find((status) => status.attempt === attempt)
    return job !== undefined && job.id !== last?.job?.id
  })
  if (isShared) return { kind: 'unclear', why: TWO_JOBS }
  if (newest.job) return { kind: 'job', job: newest.job }
  return hasStartedNothing(newest) ? { kind: 'none' } : MAYBE_STARTED
}

/** Whether a status without a job records that none was started. */
function hasStartedNothing({ state }: StepStatus): boolean {
  return state === 'failure' || state === 'success'
}

/** The outcome of an attempt that was killed or got no response. */
export const MAYBE_STARTED: Attempt = {
  kind: 'unclear',
  why: 'An earlier attempt of this run was interrupted, or got no response, while it was starting a job or sending a message.',
}
const TWO_JOBS =
  'An attempt of this run shows two jobs. To tell two jobs of one workflow run apart, give each step an `id`, and pass the matrix of the caller to a reusable workflow (`matrix`).'

/**
 * Finds the newest job of another run: first under the name of the pull request before its merge, then of its branch. On
 * a first attempt, a status of this same run is another matrix job's.
 */
function findEarlierJob(
  event: GitHubEvent,
  statuses: readonly StepStatus[],
  run: Run,
): NamedJob | undefined {
  const names = new Set([statusName(event, run, false), statusName(event, run)])
  const jobs = [...names].flatMap((name) =>
    statuses.flatMap((status) => {
      const job = isOwn(status, run) ? undefined : status.job
      return status.name === name ? (job ?? status.earlierJob ?? []) : []
    }),
  )
  return jobs[0]
}

/**
 * Finds the newest successful job on a commit that was there before this event.
 *
 * @param visited SHAs of the commits that were searched: a status may name any other
 */
function findLastJob(
  event: GitHubEvent,
  statuses: readonly StepStatus[],
  visited: ReadonlySet<string>,
  run: Run,
): Success | undefined {
  const { after, commits } = tagOf(event) === '' ? event.payload : {}
  const pushed = new Set([after, ...(commits ?? []).map(({ id }) => id)])
  const successes = statuses.flatMap((status) => {
    const { state, sha, createdAtMs, lastJob } = status
    const own = state === 'success' && !isOwn(status, run) ? { sha, createdAtMs } : []
    return [own, lastJob ?? []].flat()
  })
  return successes.find(({ sha }) => !pushed.has(sha) && visited.has(sha))
}

/**
 * Reads where the step's newest job is that succeeded or is running. A tag or release is the same only with its name.
 *
 * @param newer SHAs that are newer than the run's commit
 */
function readLastSent(
  event: GitHubEvent,
  statuses: readonly StepStatus[],
  newer: readonly string[],
  run: Run,
): EarlierRuns['lastSent'] {
  const tag = tagOf(event)
  const isSent = (one: StepStatus): boolean =>
    !isOwn(one, run) && (one.state === 'success' || (one.state === 'pending' && !!one.job))
  const sent = statuses.filter((one) => isSent(one) && (tag === '' || one.tag === tag))
  const ownSha = statusCommit(event, run.environment)
  // A later run that failed hides the success before it, and carries it.
  const isCarried = tag === '' && statuses.some(({ lastJob }) => lastJob?.sha === ownSha)
  if (isCarried || sent.some(({ sha }) => sha === ownSha)) return 'same'
  const [newest] = sent
  if (newest === undefined) return undefined
  return newer.includes(newest.sha) ? 'newer' : 'older'
}

/** Finds the page of a newer run than the earlier job's that may have started a job which its status doesn't name. */
function findUnnamed(statuses: readonly StepStatus[], run: Run): string {
  const others = statuses.filter((status) => !isOwn(status, run))
  const newest = others.find((status) => status.job !== undefined || !hasStartedNothing(status))
  return newest && !newest.job ? newest.page : ''
}

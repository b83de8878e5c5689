import { type FromGitHub, type Maybe, nodesOf, type Paged } from '../github/client.ts'
import {
  failedLookup,
  GitHubError,
  graphqlError,
  type Lookup,
  NOT_FOUND,
} from '../github/github-errors.ts'
import type { CommentRef, ThreadComment } from '../github/pull-requests.ts'
import { isRerun, type Run } from '../runner/run.ts'
import { followedBranch, type GitHubEvent } from './event.ts'
import {
  hasStatusRecord,
  type NamedJob,
  readStatus,
  type Status,
  type StatusFacts,
  type StepStatus,
  type Success,
  statusCommit,
  statusName,
} from './status.ts'

/** What earlier attempts of this run recorded. */
export type Attempt =
  /** Nothing was started. */
  | { readonly kind: 'none' }
  /** Runs like this one have no record. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'job'; readonly job: NamedJob }
  /** A job may have been started or sent a message. */
  | { readonly kind: 'maybe-started' }
  /** `why` follows a colon. `error` is set if GitHub couldn't be asked. */
  | { readonly kind: 'unknown'; readonly why: string; readonly error?: GitHubError }

/** The comments of a command's thread. */
type CommandThread = {
  /** Oldest first, including the action's own. */
  readonly comments: readonly ThreadComment[]
  readonly ownIds: ReadonlySet<number>
  /** ID of the last one that the earlier job's prompts included. */
  readonly lastToldId: number | undefined
}

/** What is recorded of earlier runs and attempts. */
export type EarlierRuns = StatusFacts & {
  readonly attempt: Attempt
  /** An earlier attempt's reply to the command. */
  readonly reply?: CommentRef | undefined
  /** Whether the search ended at its limit without what it looked for, so that an older job may exist. */
  readonly reachedLimit: boolean
  /** Where an earlier run wrote that may have started a job which it doesn't name: a page; empty if none did. */
  readonly unnamed: string
  /** The comments of a command's thread; `undefined` without a command, or if they weren't read. */
  readonly thread?: CommandThread
}

/** Reads what the step's commit statuses record of earlier attempts and runs. */
export async function findInStatuses(event: GitHubEvent, run: Run): Promise<EarlierRuns> {
  const { environment, github } = run
  const hasRecord = hasStatusRecord(event, run)
  const sha = hasRecord ? statusCommit(event, environment) : ''
  // The newest status of a commit may be another run's.
  const ofAttempts: Lookup<readonly StepStatus[]> =
    sha !== '' && isRerun(environment)
      ? await github.read(() => listStatuses(sha, statusName(event, run), run))
      : { known: true, value: [] }
  const listed = ofAttempts.known ? ofAttempts.value : []
  let searched: readonly StepStatus[] = []
  let statuses = listed
  const history: string[] = []
  let earlierJob: NamedJob | undefined
  let lastJob: Success | undefined
  let reachedLimit = false
  let failure: GitHubError | undefined
  for await (const part of searchStatuses(event, sha, run)) {
    // GitHub's times are whole seconds, within which the order stays.
    const newestFirst = (some: readonly StepStatus[]) =>
      some.toSorted((one, other) => other.createdAtMs - one.createdAtMs)
    searched = newestFirst([...searched, ...part.statuses])
    statuses = newestFirst([...listed, ...searched])
    history.push(...part.history)
    failure ??= part.failure
    earlierJob = findEarlierJob(event, statuses, run)
    lastJob = findLastJob(event, statuses, run)
    // No older status can say more.
    const isComplete =
      findEarlierJob(event, searched, run) !== undefined &&
      findLastJob(event, searched, run) !== undefined
    reachedLimit = part.reachedLimit && !isComplete
    if (isComplete) break
  }
  const runAt = history.indexOf(sha)
  const newer = history.slice(0, runAt < 0 ? undefined : runAt)
  const without = failure ? failedLookup(failure) : NOT_FOUND
  return {
    attempt:
      isRerun(environment) && !hasRecord ? { kind: 'forgotten' } : readAttempt(ofAttempts, run),
    earlierJob: earlierJob ? { known: true, value: earlierJob } : without,
    lastJob: lastJob
      ? { known: true, value: { ...lastJob, isNewer: newer.includes(lastJob.sha) } }
      : without,
    reachedLimit,
    unnamed: findUnnamed(statuses, run),
  }
}

/** A part of a search for the step's statuses. */
type SearchPart = {
  /** The newest of each commit, newest first. */
  readonly statuses: readonly StepStatus[]
  /** SHAs of the branch, newest first. */
  readonly history: readonly string[]
  /** Whether there may be older ones that are not searched. */
  readonly reachedLimit: boolean
  /** Why something could not be read. */
  readonly failure?: GitHubError | undefined
}

/** A page of a branch's commits. */
const PAGE_SIZE = 100
/** As many commits of a branch are searched at most besides its newest one. */
export const MAX_SEARCHED_COMMITS = 500

/** Searches the run's own commit and its branch; an open pull request; or a merged one, and then its base branch. */
async function* searchStatuses(
  event: GitHubEvent,
  sha: string,
  run: Run,
): AsyncGenerator<SearchPart> {
  if (sha === '') return
  const { number, merged } = event.payload.pull_request ?? {}
  if (number != null) yield await searchPull(event, number, run)
  if (number != null && !merged) return
  const name = statusName(event, run)
  const tip = branchTip(event, sha, run)
  let left = MAX_SEARCHED_COMMITS + 1
  let after: Maybe<string>
  let part: SearchPart
  do {
    const variables = { name, sha, tip, first: Math.min(PAGE_SIZE, left), ...(after && { after }) }
    const { repository, failure } = await askForStatuses(BRANCH_QUERY, variables, run)
    const { own, branch } = repository
    const nodes = nodesOf(branch?.history)
    const unknown = own == null ? new GitHubError('GitHub does not know the commit') : undefined
    const found = await readStatuses([own, ...nodes], failure ?? unknown, name, run)
    const { hasNextPage, endCursor } = branch?.history?.pageInfo ?? {}
    after = hasNextPage ? endCursor : undefined
    left -= nodes.length
    part = {
      ...found,
      history: nodes.map(({ oid }) => oid ?? ''),
      reachedLimit: found.reachedLimit || (!!after && left <= 0),
    }
    yield part
  } while (after && !part.reachedLimit && !part.failure)
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
  return { ...found, history: [], reachedLimit: found.reachedLimit || hasMore }
}

/** What is asked about a branch: where its search begins. */
function branchTip(event: GitHubEvent, sha: string, { environment }: Run): string {
  const { row, payload } = event
  const base = payload.pull_request?.base?.ref ?? followedBranch(event, environment)
  if (base != null) return `refs/heads/${base}`
  const isOnBranch = row.subject !== 'release' && environment.ref.startsWith('refs/heads/')
  return isOnBranch ? environment.ref : sha
}

const STATUS_FIELDS =
  'oid status { context(name: $name) { state target_url: targetUrl created_at: createdAt } }'

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

/** Sends a query. What an answer with errors contains is believed. */
async function askForStatuses(
  query: string,
  variables: Readonly<Record<string, string | number>>,
  { github }: Run,
): Promise<{ readonly repository: StatusesAnswer; readonly failure: GitHubError | undefined }> {
  const answer = await github.read(() =>
    github.graphql<FromGitHub<{ repository: StatusesAnswer }>>(query, {
      ...github.repository,
      ...variables,
    }),
  )
  if (!answer.known) return { repository: {}, failure: answer.error }
  const { data, errors } = answer.value
  return { repository: data.repository ?? {}, failure: errors[0] && graphqlError(errors[0]) }
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
  const newest = new Map<string, StepStatus>()
  for (const commit of commits) {
    const { oid, status } = commit ?? {}
    if (oid && status?.context) newest.set(oid, readStatus(status.context, oid, name, run))
  }
  const statuses = [...newest.values()]
  const hiding = statuses.filter(
    ({ hidesOlder, job, state }) => hidesOlder && !(job && state === 'success'),
  )
  for (const { sha } of hiding.slice(0, MAX_HIDING_COMMITS)) {
    const listed = await run.github.read(() => listStatuses(sha, name, run))
    if (!listed.known) return { statuses, reachedLimit: false, failure: failure ?? listed.error }
    statuses.push(...listed.value)
  }
  return { statuses, reachedLimit: hiding.length > MAX_HIDING_COMMITS, failure }
}

/** Lists all statuses of a name on a commit, newest first. Or a GitHubError. */
async function listStatuses(sha: string, name: string, run: Run): Promise<readonly StepStatus[]> {
  const { github } = run
  const all = await github.list<Status>(`${github.path}/commits/${sha}/statuses`)
  return all
    .filter(({ context }) => context === name)
    .map((status) => readStatus(status, sha, name, run))
}

function isOwn({ runId }: StepStatus, { environment }: Run): boolean {
  return runId !== '' && runId === environment.runId
}

/** Reads what this run's earlier attempts did from the statuses of its commit, newest first. */
function readAttempt(statuses: Lookup<readonly StepStatus[]>, run: Run): Attempt {
  if (!statuses.known) return { kind: 'unknown', ...statuses }
  const own = statuses.value.filter((status) => isOwn(status, run))
  const [newest] = own
  if (!newest) return { kind: 'none' }
  const isShared = own.some(({ attempt, job }) => {
    const last = own.find((status) => status.attempt === attempt)
    return job !== undefined && job.id !== last?.job?.id
  })
  if (isShared)
    return { kind: 'unknown', why: `an attempt of this run shows two jobs. ${TELL_APART}` }
  if (newest.job) return { kind: 'job', job: newest.job }
  return { kind: newest.state === 'failure' ? 'none' : 'maybe-started' }
}

const TELL_APART =
  'To tell two jobs of one workflow run apart, give each step an `id`, and pass the matrix of the caller to a reusable workflow (`matrix`)'

/**
 * Finds the job of another run, of the run's pull request first: in statuses, newest first. On a first attempt, a status
 * of this same run is another matrix job's.
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

/** Finds the newest successful job on a commit that was there before this event. */
function findLastJob(
  { payload }: GitHubEvent,
  statuses: readonly StepStatus[],
  run: Run,
): Success | undefined {
  const pushed = new Set([payload.after, ...(payload.commits ?? []).map(({ id }) => id)])
  const successes = statuses.flatMap((status) => {
    const { state, sha, createdAtMs, lastJob } = status
    const own = state === 'success' && !isOwn(status, run) ? { sha, createdAtMs } : []
    return [own, lastJob ?? []].flat()
  })
  return successes.find(({ sha }) => !pushed.has(sha))
}

/** Finds the page of a newer run than the earlier job's that may have started a job which its status doesn't name. */
function findUnnamed(statuses: readonly StepStatus[], run: Run): string {
  const others = statuses.filter((status) => status.runId !== '' && !isOwn(status, run))
  const newest = others.find(({ job, state }) => job !== undefined || state !== 'failure')
  return newest && !newest.job ? newest.page : ''
}

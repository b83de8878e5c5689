import { createHash } from 'node:crypto'
import {
  failedLookup,
  type GitHubCall,
  GitHubError,
  graphqlError,
  type Lookup,
  NOT_FOUND,
} from '../github/client.ts'
import type { CommentRef, ThreadComment } from '../github/comments.ts'
import { parsePullRequest } from '../github/pull-requests.ts'
import {
  type FromGitHub,
  type Maybe,
  type Nodes,
  nodesOf,
  type Octokit,
  type Status,
} from '../github/types.ts'
import { hasPrompt } from '../inputs/table.ts'
import { shorten, visibleText } from '../lib/text.ts'
import { attemptIn, type Environment, isRerun, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { originsOf } from './commits.ts'
import { followedBranch, type GitHubEvent, isSha } from './event.ts'

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type NamedJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** When it was recorded first, in milliseconds since the epoch. */
  readonly namedAtMs: number
}

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

/** This step's last successful job: the commit that it was about, and when it ended. */
export type LastJob = {
  readonly sha: string
  /** Milliseconds since the epoch; 0 if not known. */
  readonly createdAtMs: number
  /** Whether the commit is newer than the run's, which then is an older run that was started again. */
  readonly isNewer: boolean
}

/** What is recorded of earlier runs and attempts. */
export type EarlierRuns = {
  readonly attempt: Attempt
  /** An earlier attempt's reply to the command. */
  readonly reply?: CommentRef | undefined
  /** The job that an earlier run was about, and that this one may continue. */
  readonly earlierJob: Lookup<NamedJob | undefined>
  /** The step's last successful job before the event: what the context compares with. */
  readonly lastJob: Lookup<LastJob | undefined>
  /** Whether the search ended at its limit without what it looked for, so that an older job may exist. */
  readonly reachedLimit: boolean
  /** Where an earlier run wrote that may have started a job which it doesn't name: a page; empty if none did. */
  readonly unnamed: string
  /** The comments of a command's thread; `undefined` without a command, or if they weren't read. */
  readonly thread: CommandThread | undefined
}

/** A commit status that records a job. Without one, `failure` says that none was started, anything else that one may have been. */
type StepStatus = {
  readonly sha: string
  /** Its context: see `statusName`. */
  readonly name: string
  /** `pending`, `success`, `failure`, `error`. */
  readonly state: string
  /** The job that it names. */
  readonly job: NamedJob | undefined
  /** The job before its run, and the last successful one, as that run knew them. */
  readonly earlierJob: NamedJob | undefined
  readonly lastJob: Success | undefined
  /** Of the workflow run that set it; empty if that isn't a run of this repository. */
  readonly runId: string
  readonly attempt: string
  /** Its target, which may be empty. */
  readonly page: string
  /** Whether older statuses on its commit may record what it doesn't know. */
  readonly hidesOlder: boolean
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAtMs: number
}

type Success = Omit<LastJob, 'isNewer'>

/** Whether the step records its job of this run in a commit status. */
export function hasStatusRecord(event: GitHubEvent, { inputs, environment }: Run): boolean {
  const isRecorded = event.row.remembers || followedBranch(event, environment) !== undefined
  return isRecorded && hasPrompt(inputs)
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140
const MAX_CONTEXT = 255

/** Returns the name of this run's statuses. Those of another pull request or branch have another name. */
export function statusName(event: GitHubEvent, run: Run): string {
  const { pull_request: pull } = event.payload
  if (pull?.number == null || pull.merged === true) return nameFor(branchScope(event, run), run)
  return nameFor([`#${pull.number}`], run)
}

/** Returns the name for a merged pull request's statuses before the merge; `undefined` without one. */
function nameBeforeMerge(
  { payload: { pull_request: pull } }: GitHubEvent,
  run: Run,
): string | undefined {
  return pull?.merged === true && pull.number != null
    ? nameFor([`#${pull.number}`], run)
    : undefined
}

function nameFor(scope: readonly string[], { inputs, environment, redact }: Run): string {
  const { workflow, job, step } = stepNames(environment)
  const parts = [workflow, job, step, ...scope, ...(inputs.matrix === '' ? [] : [inputs.matrix])]
  const name = withinBmp(redact(`Docs agent: ${inputs['project-id']} (${parts.join(', ')})`))
  if (name.length <= MAX_CONTEXT) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${shorten(name, MAX_CONTEXT - hash.length)}${hash}`
}

/** Writes a character that GitHub rejects in a status (one above U+FFFF) by its number: names stay apart. */
function withinBmp(text: string): string {
  return text.replace(
    /[\u{10000}-\u{10FFFF}]/gu,
    (character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase()}`,
  )
}

/** Returns the branch that a run is about if it is known not to be the default one. */
function branchScope(event: GitHubEvent, { environment }: Run): readonly string[] {
  const { name, row, payload } = event
  const isOnBranch = row.subject === 'push' || (row.subject === 'branch' && name !== 'schedule')
  const [, ofRun] = /^refs\/heads\/(.+)$/.exec(isOnBranch ? environment.ref : '') ?? []
  const base = row.subject === 'pull-request' ? payload.pull_request?.base?.ref : undefined
  const branch = base ?? followedBranch(event, environment) ?? ofRun
  const main = payload.repository?.default_branch
  return branch && main && branch !== main ? [`branch ${branch}`] : []
}

/** The commit that the step's status is set on; empty if there is none. */
export function statusCommit({ row, payload }: GitHubEvent, { sha }: Environment): string {
  const { pull_request: pull, workflow_run: followed } = payload
  let found: Maybe<string> = sha
  if (row.subject === 'pull-request')
    found = pull?.merged === true ? pull.merge_commit_sha : pull?.head?.sha
  if (row.subject === 'workflow-run') found = followed?.head_sha
  return isSha(found) ? found : ''
}

/** Joins a headline, cut to fit, with the job's ID in parentheses. An ID that doesn't fit is left out. */
export function statusDescription(headline: string, jobId = ''): string {
  const id = /^[^\s()]+$/.test(jobId) && jobId.length + 2 <= MAX_DESCRIPTION ? `(${jobId})` : ''
  const maxLength = MAX_DESCRIPTION - id.length - 1
  if (maxLength < 2) return id
  const words = withinBmp(visibleText(headline)).replaceAll('`', '').replace(/\s+/g, ' ')
  // Only a job's ID may be in parentheses at the end.
  const text = id === '' ? words.replace(/ ?\(([^()]*)\)$/, ', $1').replace(/\)$/, '') : words
  return `${shorten(text, maxLength)} ${id}`.trim()
}

/** A commit status as Octokit takes it. */
export type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

export const STATUS_PERMISSION = 'statuses: write'
export const WITHOUT_STATUS = 'every run opens another docs pull request'

export async function setStatus(
  status: NewStatus,
  ifItFails: Partial<GitHubCall>,
  { github }: Run,
): Promise<Lookup<unknown>> {
  const purpose = 'set the commit status that lets the next run find this job'
  return await github.attempt({ purpose, permission: STATUS_PERMISSION, ...ifItFails }, () =>
    github.call(({ rest }) => rest.repos.createCommitStatus(status)),
  )
}

/** Whether GitHub rejected a status because its commit has 1,000 of that name. */
export function isFull({ status, message }: GitHubError): boolean {
  return status === 422 && /maximum number of statuses/i.test(message)
}

/** A commit status as GraphQL names its fields. */
type RawStatus = FromGitHub<Record<'state' | 'description' | 'targetUrl' | 'createdAt', string>>

/** What a status records for later runs besides its job. */
export type StatusFacts = Pick<EarlierRuns, 'earlierJob' | 'lastJob'>

/** No longer link is carried from status to status. */
const MAX_CARRIED_LINK = 500

/** Returns the target of a status: a page, with the facts for later runs in its fragment. */
export function statusTarget(page: string, facts: StatusFacts, { environment }: Run): string {
  const { runId, runAttempt } = environment
  const { earlierJob, lastJob } = facts
  const carried = new URLSearchParams({ run: runId, attempt: runAttempt || '1' })
  if (!earlierJob.known || !lastJob.known) carried.set('before', 'unknown')
  if (earlierJob.known && earlierJob.value !== undefined) {
    const { id, prLink, namedAtMs } = earlierJob.value
    carried.set('job', id)
    carried.set('named', `${namedAtMs}`)
    if (prLink !== '' && prLink.length <= MAX_CARRIED_LINK) carried.set('pull', prLink)
  }
  if (lastJob.known && lastJob.value !== undefined) {
    carried.set('success', lastJob.value.sha)
    carried.set('ended', `${lastJob.value.createdAtMs}`)
  }
  return page === '' || runId === '' ? page : `${page}#${carried}`
}

/** Must be one segment of a URL's path. */
const JOB_ID = /^(?!\.{1,2}$)[^\s()]+$/

function readStatus(
  status: RawStatus,
  sha: string,
  name: string,
  { environment }: Run,
): StepStatus {
  const [page = '', fragment = ''] = (status.targetUrl ?? '').split('#')
  const carried = new URLSearchParams(fragment)
  const read = (fact: string): string => carried.get(fact) ?? ''
  const readMs = (fact: string): number => Number(/^\d{1,15}$/.exec(read(fact))?.[0] ?? 0)
  const createdAtMs = Date.parse(status.createdAt ?? '') || 0
  const earlierId = read('job')
  const earlierJob = JOB_ID.test(earlierId)
    ? { id: earlierId, prLink: pullRequestLink(read('pull')), namedAtMs: readMs('named') }
    : undefined
  const [, id = ''] = /\(([^()]*)\)$/.exec(status.description ?? '') ?? []
  const isSame = earlierJob?.id === id
  const job = JOB_ID.test(id)
    ? {
        id,
        prLink: pullRequestLink(page) || (isSame ? earlierJob.prLink : ''),
        namedAtMs: isSame ? earlierJob.namedAtMs : createdAtMs,
      }
    : undefined
  const success = read('success')
  const ofPage = attemptIn(page, environment)
  return {
    sha,
    name,
    state: status.state?.toLowerCase() ?? '',
    job,
    earlierJob,
    lastJob: isSha(success) ? { sha: success, createdAtMs: readMs('ended') } : undefined,
    runId: read('run') || (ofPage?.runId ?? ''),
    attempt: read('attempt') || (ofPage?.attempt ?? ''),
    page,
    hidesOlder: read('run') === '' || read('before') === 'unknown',
    createdAtMs,
  }
}

function pullRequestLink(url: string): string {
  return parsePullRequest(url).number === '' ? '' : url
}

/** A page of a branch's commits. */
const PAGE_SIZE = 100
/** As many commits of a branch are searched at most besides its newest one. */
export const MAX_SEARCHED_COMMITS = 500

/** What a search of the step's statuses has found so far. */
type Search = {
  /** The newest of each commit, newest first. */
  readonly statuses: readonly StepStatus[]
  /** SHAs of the branch, newest first. */
  readonly history: readonly string[]
  readonly reachedLimit: boolean
  /** Why a part could not be read. */
  readonly failure: GitHubError | undefined
}

const NOTHING: Search = { statuses: [], history: [], reachedLimit: false, failure: undefined }

/** Reads what the step's commit statuses record of earlier attempts and runs. */
export async function findInStatuses(event: GitHubEvent, run: Run): Promise<EarlierRuns> {
  const { environment, github } = run
  const hasRecord = hasStatusRecord(event, run)
  const sha = hasRecord ? statusCommit(event, environment) : ''
  const name = statusName(event, run)
  // The newest status of a commit may be another run's.
  const ofAttempts: Lookup<readonly StepStatus[]> =
    sha !== '' && isRerun(environment)
      ? await github.read(() => listStatuses(sha, name, run))
      : { known: true, value: [] }
  const search = sha === '' ? NOTHING : await searchStatuses(event, sha, run)
  const listed = ofAttempts.known ? ofAttempts.value : []
  const statuses = newestFirst([...listed, ...search.statuses])
  const earlierJob = findEarlierJob(event, statuses, run)
  const lastJob = findLastJob(event, statuses, run)
  const jobAt = search.history.indexOf(lastJob?.sha ?? '')
  const runAt = search.history.indexOf(sha)
  const isNewer = jobAt !== runAt && jobAt !== -1 && (runAt === -1 || jobAt < runAt)
  const without = search.failure === undefined ? NOT_FOUND : failedLookup(search.failure)
  return {
    attempt: hasRecord || !isRerun(environment) ? readAttempt(ofAttempts, run) : FORGOTTEN,
    earlierJob: earlierJob ? { known: true, value: earlierJob } : without,
    lastJob: lastJob ? { known: true, value: { ...lastJob, isNewer } } : without,
    reachedLimit: search.reachedLimit,
    unnamed: findUnnamed(statuses, run),
    thread: undefined,
  }
}

const FORGOTTEN = { kind: 'forgotten' } as const

/** Lists all statuses of a name on a commit, newest first. Or a GitHubError. */
async function listStatuses(sha: string, name: string, run: Run): Promise<readonly StepStatus[]> {
  const { github } = run
  const all = await github.list<Status>(`${github.path}/commits/${sha}/statuses`)
  return all
    .filter(({ context }) => context === name)
    .map(({ state, description, target_url: targetUrl, created_at: createdAt }) =>
      readStatus({ state, description, targetUrl, createdAt }, sha, name, run),
    )
}

/** Searches the run's own commit and its branch; an open pull request; or a merged one, and then its base branch. */
async function searchStatuses(event: GitHubEvent, sha: string, run: Run): Promise<Search> {
  const { number, merged } = event.payload.pull_request ?? {}
  const ofPull = number == null ? NOTHING : await searchPull(event, number, run)
  if (number != null && (merged !== true || isComplete(event, ofPull, run))) return ofPull
  const name = statusName(event, run)
  let search: Search = { ...ofPull, reachedLimit: false }
  let after: Maybe<string>
  do {
    const first = Math.min(PAGE_SIZE, MAX_SEARCHED_COMMITS + 1 - search.history.length)
    const variables = { name, sha, tip: branchTip(event, sha, run), first, ...(after && { after }) }
    const { repository, failure } = await askForStatuses(BRANCH_QUERY, variables, run)
    const { own, branch } = repository
    const nodes = nodesOf(branch?.history)
    const found = await readStatuses([own, ...nodes], name, run)
    const unknown = own == null ? new GitHubError('GitHub does not know the commit') : undefined
    const { hasNextPage, endCursor } = branch?.history?.pageInfo ?? {}
    after = hasNextPage === true ? endCursor : undefined
    const history = [...search.history, ...nodes.map(({ oid }) => oid ?? '')]
    search = {
      statuses: [...search.statuses, ...found.statuses],
      history,
      failure: search.failure ?? failure ?? found.failure ?? unknown,
      reachedLimit: found.reachedLimit || (!!after && history.length > MAX_SEARCHED_COMMITS),
    }
    if (isComplete(event, search, run)) return { ...search, reachedLimit: false }
  } while (after && !search.reachedLimit && search.failure === undefined)
  return search
}

/** Whether no older status can say more. */
function isComplete(event: GitHubEvent, { statuses }: Search, run: Run): boolean {
  const newest = newestFirst(statuses)
  return (
    findEarlierJob(event, newest, run) !== undefined &&
    findLastJob(event, newest, run) !== undefined
  )
}

/** Searches the commits of a pull request, and those that forced pushes replaced: as many as one request can ask for. */
async function searchPull(event: GitHubEvent, number: number, run: Run): Promise<Search> {
  const name = nameBeforeMerge(event, run) ?? statusName(event, run)
  const { repository, failure } = await askForStatuses(PULL_QUERY, { name, number }, run)
  const { commits, timelineItems: pushes } = repository.pull ?? {}
  const replaced = nodesOf(pushes).flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history))
  // Newest first, as a branch's: GitHub's times are whole seconds.
  const own = nodesOf(commits).toReversed()
  const found = await readStatuses([...own.map(({ commit }) => commit), ...replaced], name, run)
  const unknown = repository.pull
    ? undefined
    : new GitHubError('GitHub does not know the pull request')
  const hasMore = [commits, pushes].some((list) => list?.pageInfo?.hasPreviousPage === true)
  const reachedLimit = found.reachedLimit || hasMore
  return { ...found, history: [], reachedLimit, failure: failure ?? found.failure ?? unknown }
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
  'oid status { context(name: $name) { state description targetUrl createdAt } }'

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

type CommitNode = FromGitHub<{ oid: string; status: FromGitHub<{ context: RawStatus }> }>
type PageInfo = { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string }
type Paged<T> = Nodes<T> & FromGitHub<{ pageInfo: FromGitHub<PageInfo> }>
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
const MAX_LISTED_COMMITS = 5

/** Reads the newest status of each commit, and all those of a commit whose newest one may hide others. */
async function readStatuses(
  commits: readonly Maybe<CommitNode>[],
  name: string,
  run: Run,
): Promise<Omit<Search, 'history'>> {
  const newest = new Map<string, StepStatus>()
  for (const commit of commits) {
    const { oid, status } = commit ?? {}
    if (oid && status?.context) newest.set(oid, readStatus(status.context, oid, name, run))
  }
  const statuses = [...newest.values()]
  const hiding = statuses.filter(
    ({ hidesOlder, job, state }) => hidesOlder && !(job && state === 'success'),
  )
  for (const { sha } of hiding.slice(0, MAX_LISTED_COMMITS)) {
    const listed = await run.github.read(() => listStatuses(sha, name, run))
    if (!listed.known) return { statuses, reachedLimit: false, failure: listed.error }
    statuses.push(...listed.value)
  }
  return { statuses, reachedLimit: hiding.length > MAX_LISTED_COMMITS, failure: undefined }
}

/** Sorts by time; GitHub's are whole seconds, within which the order stays. */
function newestFirst(statuses: readonly StepStatus[]): StepStatus[] {
  return statuses.toSorted((one, other) => other.createdAtMs - one.createdAtMs)
}

function isOwn({ runId }: StepStatus, { environment }: Run): boolean {
  return runId !== '' && runId === environment.runId
}

/** Reads what this run's earlier attempts did from the statuses of its commit, newest first. */
function readAttempt(statuses: Lookup<readonly StepStatus[]>, run: Run): Attempt {
  if (!statuses.known) return { kind: 'unknown', why: statuses.why, error: statuses.error }
  const own = statuses.value.filter((status) => isOwn(status, run))
  const [newest] = own
  if (newest === undefined) return { kind: 'none' }
  const attempts = Map.groupBy(own, ({ attempt }) => attempt)
  const isShared = [...attempts.values()].some((ofAttempt) => {
    const jobs = new Set(ofAttempt.flatMap(({ job }) => job?.id ?? []))
    return jobs.size > 1 || (jobs.size === 1 && ofAttempt[0]?.job === undefined)
  })
  if (isShared)
    return { kind: 'unknown', why: `an attempt of this run shows two jobs. ${TELL_APART}` }
  if (newest.job !== undefined) return { kind: 'job', job: newest.job }
  return { kind: newest.state === 'failure' ? 'none' : 'maybe-started' }
}

const TELL_APART =
  'To tell two jobs of one workflow run apart, give each step an `id`, and pass the caller’s matrix to a reusable workflow (`matrix`)'

/**
 * Finds the job of another run, of the run's pull request first: in statuses, newest first. On a first attempt, a status
 * of this same run is another matrix job's.
 */
function findEarlierJob(
  event: GitHubEvent,
  statuses: readonly StepStatus[],
  run: Run,
): NamedJob | undefined {
  const names = [nameBeforeMerge(event, run) ?? [], statusName(event, run)].flat()
  const jobs = names.flatMap((name) =>
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
  const pushed = new Set([payload.after, ...originsOf(payload.commits).map(({ sha }) => sha)])
  const successes = statuses.flatMap((status) => {
    const { state, sha, createdAtMs, lastJob } = status
    const own = state === 'success' && !isOwn(status, run) ? [{ sha, createdAtMs }] : []
    return [...own, ...(lastJob ? [lastJob] : [])]
  })
  return successes.find(({ sha }) => !pushed.has(sha))
}

/** Finds the page of a newer run than the earlier job's that may have started a job which its status doesn't name. */
function findUnnamed(statuses: readonly StepStatus[], run: Run): string {
  const others = statuses.filter((status) => status.runId !== '' && !isOwn(status, run))
  const newest = others.find(({ job, state }) => job !== undefined || state !== 'failure')
  return newest?.job === undefined ? (newest?.page ?? '') : ''
}

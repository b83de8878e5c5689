import { createHash } from 'node:crypto'
import {
  type GitHub,
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
  type WorkflowRun,
} from '../github/types.ts'
import { hasPrompt } from '../inputs/table.ts'
import { shorten, visibleText } from '../lib/text.ts'
import { originsOf } from '../look/commits.ts'
import { followedBranch, type GitHubEvent, isRepository, isSha } from '../look/event.ts'
import type { LastJob } from '../prompt/bases.ts'
import { type Environment, isRerun, runIdIn, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type NamedJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** When GitHub was first told of it, in milliseconds since the epoch. */
  readonly namedAtMs: number
}

/** What earlier attempts of this very run have left. */
export type Attempt =
  /** Nothing was begun: this attempt may begin. */
  | { readonly kind: 'none' }
  /** Runs like this one remember nothing. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'job'; readonly job: NamedJob }
  /** A job was about to be started or sent a message, and nobody knows whether it was. */
  | { readonly kind: 'maybe-started' }
  /** `why` follows a colon; `error`: where GitHub did not tell. */
  | { readonly kind: 'unknown'; readonly why: string; readonly error?: GitHubError }

/** The comments of a command's thread. */
type CommandThread = {
  /** Oldest first, ours among them. */
  readonly comments: readonly ThreadComment[]
  readonly ownIds: ReadonlySet<number>
  /** Id of the last one that the job to continue was told of. */
  readonly lastToldId: number | undefined
}

/** What a run finds of the ones before it. */
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
  /** The comments of a command's thread; `undefined` without a command, or where they are not read. */
  readonly thread: CommandThread | undefined
}

/**
 * A commit status by which a step remembers its job. `pending` and `error` without a job: one may have been started;
 * `failure` without a job: none was.
 */
type StepStatus = {
  readonly sha: string
  /** Its context: see `statusName`. */
  readonly name: string
  /** `pending`, `success`, `failure`, `error`. */
  readonly state: string
  /** Empty where the status does not name it. */
  readonly jobId: string
  /** May be empty. */
  readonly targetUrl: string
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAtMs: number
}

/** Whether the step records its job of this run in a commit status. */
export function hasStatusRecord(event: GitHubEvent, { inputs, environment }: Run): boolean {
  const isRecorded = event.row.remembers || followedBranch(event, environment) !== undefined
  return isRecorded && hasPrompt(inputs)
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140
const MAX_CONTEXT = 255

/** The name of the statuses of this run: what another pull request or branch started has another one. */
export function statusName(event: GitHubEvent, run: Run): string {
  const { pull_request: pull } = event.payload
  if (pull?.number == null || pull.merged === true) return nameFor(branchScope(event, run), run)
  return nameFor([`#${pull.number}`], run)
}

/** The name that the run's pull request had before it was merged; `undefined` without a merged one. */
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
  const name = redact(`Docs agent: ${inputs['project-id']} (${parts.join(', ')})`)
  if (name.length <= MAX_CONTEXT) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${shorten(name, MAX_CONTEXT - hash.length)}${hash}`
}

/** The branch that a run is about, where it is known not to be the default one. */
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

/** A headline with the job's id in brackets. The headline is cut to fit; an id that does not fit is left out. */
export function statusDescription(headline: string, jobId = ''): string {
  const id = /^[^\s()]+$/.test(jobId) && jobId.length + 2 <= MAX_DESCRIPTION ? `(${jobId})` : ''
  const maxLength = MAX_DESCRIPTION - id.length - 1
  if (maxLength < 2) return id
  const words = visibleText(headline).replaceAll('`', '').replace(/\s+/g, ' ')
  // Nothing but a job's id stands in brackets at the end.
  const text = id === '' ? words.replace(/ ?\(([^()]*)\)$/, ', $1').replace(/\)$/, '') : words
  return `${shorten(text, maxLength)} ${id}`.trim()
}

/** A commit status as Octokit takes it. */
export type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

export const STATUS_PERMISSION = 'statuses: write'
export const WITHOUT_STATUS =
  "this step can't remember its job: each run opens another pull request"

export async function setStatus(
  status: NewStatus,
  ifItFails: Partial<GitHubCall>,
  { github }: Run,
): Promise<Lookup<unknown>> {
  const purpose = 'set the commit status by which the next run finds this job'
  return await github.attempt({ purpose, permission: STATUS_PERMISSION, ...ifItFails }, () =>
    github.call(({ rest }) => rest.repos.createCommitStatus(status)),
  )
}

/** The statuses of a name on a commit, newest first: of so many of all names at most. Or a GitHubError. */
async function listStatuses(
  sha: string,
  name: string,
  github: GitHub,
  maxEntries?: number,
): Promise<readonly StepStatus[]> {
  const all = await github.list<Status>(`${github.path}/commits/${sha}/statuses`, maxEntries)
  return all
    .filter(({ context }) => context === name)
    .map(({ state, description, target_url: targetUrl, created_at: createdAt }) =>
      readStatus({ state, description, targetUrl, createdAt }, sha, name),
    )
}

/** A status as GraphQL names its fields. */
type RawStatus = FromGitHub<Record<'state' | 'description' | 'targetUrl' | 'createdAt', string>>

function readStatus(status: RawStatus, sha: string, name: string): StepStatus {
  const { state, description, targetUrl, createdAt } = status
  return {
    sha,
    name,
    state: state?.toLowerCase() ?? '',
    // An id must be one segment of a URL's path.
    jobId: /\((?!\.{1,2}\))([^\s()]+)\)$/.exec(description ?? '')?.[1] ?? '',
    targetUrl: targetUrl ?? '',
    createdAtMs: Date.parse(createdAt ?? '') || 0,
  }
}

/** Of a first attempt, as many of the newest statuses of a commit, of all names, are read. */
const MAX_LISTED_STATUSES = 100
/** How many older commits are looked at closely whose newest status names no job. */
const MAX_UNNAMED = 5

/** The statuses of a step. */
type StepStatuses = {
  /** On the run's own commit, newest first. */
  readonly own: Lookup<readonly StepStatus[]>
  /** The newest on each other commit, of the branch before the run's and of its pull request. */
  readonly others: Lookup<readonly StepStatus[]>
}

const NO_STATUSES: StepStatuses = {
  own: { known: true, value: [] },
  others: { known: true, value: [] },
}

/** Reads what the step's commit statuses tell: two requests, and more only where those don't tell. */
export async function findInStatuses(event: GitHubEvent, run: Run): Promise<EarlierRuns> {
  const { inputs, environment } = run
  const remembers = hasStatusRecord(event, run)
  const sha = statusCommit(event, environment)
  const hasStatuses = remembers && sha !== ''
  const statuses = hasStatuses ? await readStepStatuses(event, sha, run) : NO_STATUSES
  const attempt = findAttempt(statuses.own, remembers, run)
  const mayContinue =
    hasStatuses && inputs['follow-up'] && inputs['job-id'] === '' && attempt.kind === 'none'
  const earlier = mayContinue ? await findEarlier(event, statuses, run) : NOT_FOUND
  return {
    attempt,
    earlierJob: earlier,
    lastJob: findLastJob(event, statuses, run),
    reachedLimit: false,
    thread: undefined,
  }
}

async function readStepStatuses(event: GitHubEvent, sha: string, run: Run): Promise<StepStatuses> {
  const { environment, github } = run
  const name = statusName(event, run)
  const [own, others] = await Promise.all([
    github.read(() =>
      listStatuses(sha, name, github, isRerun(environment) ? undefined : MAX_LISTED_STATUSES),
    ),
    github.read(() => readOthers(event, sha, run)),
  ])
  return { own, others }
}

const commit = (name: '$name' | '$pullName'): string =>
  `oid status { context(name: ${name}) { state description targetUrl createdAt } }`

/** The newest 100 commits up to one. */
const branchFields = (sha: string): string =>
  `branch: object(oid: "${sha}") { ... on Commit { history(first: 100) { nodes { ${commit('$name')} } } } }`

/** The commits of a pull request, and those that forced pushes replaced. */
const pullFields = (number: number): string => `pull: pullRequest(number: ${number}) {
  commits(last: 100) { nodes { commit { ${commit('$pullName')} } } }
  timelineItems(last: 20, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes {
    ... on HeadRefForcePushedEvent { beforeCommit { history(first: 10) { nodes { ${commit('$pullName')} } } } }
  } } }`

/** Reads the newest status on each commit before the run's, and on those of its pull request. Or a GitHubError. */
async function readOthers(event: GitHubEvent, sha: string, run: Run): Promise<StepStatus[]> {
  const { github } = run
  const { number, merged } = event.payload.pull_request ?? {}
  const onBranch = number == null || merged === true
  const name = statusName(event, run)
  const pullName = nameBeforeMerge(event, run) ?? name
  const asked = [
    ...(onBranch ? [{ declared: '$name: String!', fields: branchFields(sha) }] : []),
    ...(number == null ? [] : [{ declared: '$pullName: String!', fields: pullFields(number) }]),
  ]
  const variables = asked.map(({ declared }) => declared).join(', ')
  const fields = asked.map((one) => one.fields).join(' ')
  const { data, errors } = await github.graphql<StatusesAnswer>(
    `query StepStatuses($owner: String!, $repo: String!, ${variables}) {
      repository(owner: $owner, name: $repo) { ${fields} } }`,
    {
      ...github.repository,
      ...(onBranch && { name }),
      ...(number != null && { pullName }),
    },
  )
  const [error] = errors
  if (error !== undefined) throw graphqlError(error)
  const { branch, pull } = data.repository ?? {}
  if ((onBranch && branch == null) || (number != null && pull == null))
    throw new GitHubError('GitHub does not know the commit or pull request')
  const ofPull = [
    // Newest first, as a branch's: GitHub's times are whole seconds.
    ...nodesOf(pull?.commits)
      .toReversed()
      .map(({ commit }) => commit),
    ...nodesOf(pull?.timelineItems).flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history)),
  ]
  const read = (commits: readonly Maybe<CommitNode>[], ofName: string) =>
    commits.flatMap((commit) => {
      const { oid, status } = commit ?? {}
      return oid && status?.context ? [readStatus(status.context, oid, ofName)] : []
    })
  const all = [...read(ofPull, pullName), ...read(nodesOf(branch?.history), name)]
  // `own` has all those of the run's name on its own commit.
  return all.filter((status) => status.sha !== sha || status.name !== name)
}

type CommitNode = FromGitHub<{ oid: string; status: FromGitHub<{ context: RawStatus }> }>
type StatusHistory = FromGitHub<{ history: Nodes<CommitNode> }>
type PullNode = FromGitHub<{
  commits: Nodes<FromGitHub<{ commit: CommitNode }>>
  timelineItems: Nodes<FromGitHub<{ beforeCommit: StatusHistory }>>
}>
type StatusesAnswer = FromGitHub<{
  repository: FromGitHub<{ branch: StatusHistory; pull: PullNode }>
}>

/** What a run's earlier attempts have left. A run without such a memory can't tell. */
function findAttempt(own: StepStatuses['own'], remembers: boolean, run: Run): Attempt {
  if (!isRerun(run.environment)) return { kind: 'none' }
  if (!remembers) return { kind: 'forgotten' }
  if (!own.known) return { kind: 'unknown', why: own.why, error: own.error }
  const ofRun = own.value.filter(
    (status) => runOf(status, own.value, run) === run.environment.runId,
  )
  const attempts = Map.groupBy(ofRun, (status) => pageOf(status, own.value, run))
  const isShared = [...attempts.values()].some((statuses) => {
    const jobs = new Set(statuses.flatMap(({ jobId }) => jobId || []))
    return jobs.size > 1 || (jobs.size === 1 && statuses[0]?.jobId === '')
  })
  if (isShared)
    return { kind: 'unknown', why: `an attempt of this run shows two jobs. ${TELL_APART}` }
  const [newest] = ofRun
  if (newest === undefined || (newest.jobId === '' && newest.state === 'failure'))
    return { kind: 'none' }
  if (newest.jobId === '') return { kind: 'maybe-started' }
  return { kind: 'job', job: jobNamedBy(newest, own.value) }
}

const TELL_APART =
  'To tell two jobs of one workflow run apart, give each step an `id`, and pass the caller’s matrix to a reusable workflow (`matrix`)'

/** The page of the attempt that set a status: its target, or that of the `pending` status before it for the same job. */
function pageOf(status: StepStatus, statuses: readonly StepStatus[], { environment }: Run): string {
  const { jobId, targetUrl } = status
  if (runIdIn(targetUrl, environment) !== undefined) return targetUrl
  const before = statuses.slice(statuses.indexOf(status) + 1)
  const accepted = before.find(
    (one) => jobId !== '' && one.state === 'pending' && one.jobId === jobId,
  )
  return accepted?.targetUrl ?? ''
}

function runOf(status: StepStatus, statuses: readonly StepStatus[], run: Run): string | undefined {
  return runIdIn(pageOf(status, statuses, run), run.environment)
}

/**
 * The newest status of each other run on a commit. On a first attempt, one of this very run is another leg's, or another
 * call's of the same workflow.
 */
function newestOfOtherRuns(statuses: readonly StepStatus[], run: Run): StepStatus[] {
  const known = new Set<unknown>([run.environment.runId])
  return statuses.filter((status) => {
    const id = runOf(status, statuses, run) ?? status
    const isNewest = !known.has(id)
    known.add(id)
    return isNewest
  })
}

/** The job that an earlier run was about: by the newest status that names one, else by the workflow's last success. */
async function findEarlier(
  event: GitHubEvent,
  statuses: StepStatuses,
  run: Run,
): Promise<EarlierRuns['earlierJob']> {
  const { own, others } = statuses
  const listed = own.known ? own.value : []
  const elsewhere = others.known ? others.value : []
  const all = [...listed, ...elsewhere]
  const candidates = [...newestOfOtherRuns(listed, run), ...elsewhere]
  for (const name of [nameBeforeMerge(event, run) ?? [], statusName(event, run)].flat()) {
    const ofName = candidates.filter((status) => status.name === name)
    const found = await findNewest(ofName, all, statusCommit(event, run.environment), run)
    if (!found.known || found.value !== undefined) return found
  }
  if (!own.known) return own
  return others.known ? await findBySuccess(event, all, run) : others
}

/** The newest job that statuses name. A run that started nothing hides none: then the commit's other statuses are read. */
async function findNewest(
  statuses: readonly StepStatus[],
  all: readonly StepStatus[],
  ownSha: string,
  run: Run,
): Promise<EarlierRuns['earlierJob']> {
  const looked = new Set([ownSha])
  for (const status of newestFirst(statuses)) {
    const { sha, name, jobId, state, targetUrl } = status
    if (jobId !== '') return { known: true, value: jobNamedBy(status, all) }
    // A status that belongs to no run is ignored.
    const isOfRun = runIdIn(targetUrl, run.environment) !== undefined
    if (isOfRun && state !== 'failure') noticeUnnamedStatus(status, run)
    if (looked.has(sha) || looked.size > MAX_UNNAMED) continue
    looked.add(sha)
    const found = await findOnCommit(sha, name, all, run)
    if (!found.known || found.value !== undefined) return found
  }
  return NOT_FOUND
}

async function findOnCommit(
  sha: string,
  name: string,
  all: readonly StepStatus[],
  { github }: Run,
): Promise<EarlierRuns['earlierJob']> {
  const list = await github.read(() => listStatuses(sha, name, github, MAX_LISTED_STATUSES))
  if (!list.known) return list
  const named = list.value.find(({ jobId }) => jobId !== '')
  return { known: true, value: named && jobNamedBy(named, [...list.value, ...all]) }
}

function noticeUnnamedStatus({ targetUrl }: StepStatus, { log }: Run): void {
  log.notice(
    `An earlier run (${targetUrl}) may have started a job that its commit status does not name, so this run can't continue that one. The dashboard of the docs service shows it.`,
  )
}

/** Without the permission to list the workflow's runs, there is none. */
async function findBySuccess(
  event: GitHubEvent,
  all: readonly StepStatus[],
  run: Run,
): Promise<EarlierRuns['earlierJob']> {
  const { environment, github, log } = run
  const [, branch] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  if (branch === undefined) return NOT_FOUND
  const page = { branch, status: 'success', per_page: 20, exclude_pull_requests: true } as const
  const workflow_id = stepNames(environment).workflow
  const runs = await github.read(async () => {
    const { workflow_runs: found } = await github.call<{
      workflow_runs?: Maybe<readonly WorkflowRun[]>
    }>(({ rest }) => rest.actions.listWorkflowRuns({ ...github.repository, workflow_id, ...page }))
    if (!Array.isArray(found)) throw new GitHubError('GitHub returned no list of runs')
    return found
  })
  if (!runs.known) {
    log.info(
      `Failed to look up when this workflow last succeeded: ${runs.why}. (It takes \`actions: read\`.)`,
    )
    return runs.error.kind === 'permission' ? NOT_FOUND : runs
  }
  // The branch of a fork's pull request may have the same name.
  const last = runs.value.find((one) => isRepository(one?.head_repository, environment.repository))
  const sha = last?.head_sha
  if (!isSha(sha) || sha === environment.sha || all.some((one) => one.sha === sha)) return NOT_FOUND
  return await findOnCommit(sha, statusName(event, run), all, run)
}

function jobNamedBy(
  { jobId: id, createdAtMs }: StepStatus,
  statuses: readonly StepStatus[],
): NamedJob {
  const ofJob = statuses.filter(({ jobId }) => jobId === id)
  const prLink =
    ofJob.find(({ targetUrl }) => parsePullRequest(targetUrl).number !== '')?.targetUrl ?? ''
  return { id, prLink, namedAtMs: Math.min(createdAtMs, ...ofJob.map((one) => one.createdAtMs)) }
}

function newestFirst(statuses: readonly StepStatus[]): StepStatus[] {
  return statuses.toSorted((one, other) => other.createdAtMs - one.createdAtMs)
}

/** The newest success, on a commit that was there before this event: what the context compares with. */
function findLastJob(
  { payload }: GitHubEvent,
  { own, others }: StepStatuses,
  run: Run,
): EarlierRuns['lastJob'] {
  const pushed = new Set([payload.after, ...originsOf(payload.commits).map(({ sha }) => sha)])
  const listed = own.known ? newestOfOtherRuns(own.value, run) : []
  const successes = [...listed, ...(others.known ? others.value : [])].filter(
    ({ state, sha }) => state === 'success' && !pushed.has(sha),
  )
  const [newest] = newestFirst(successes)
  if (newest !== undefined) return { known: true, value: { ...newest, isNewer: false } }
  return own.known ? (others.known ? NOT_FOUND : others) : own
}

import { type GitHubEvent, isRepository, isSha } from '../events/event-table.ts'
import { originsOf } from '../events/loop-guard.ts'
import { type Known, NONE } from '../github/client.ts'
import { GitHubError, graphqlError } from '../github/errors.ts'
import { parsePullRequest } from '../github/pull-requests.ts'
import { type Maybe, type Nodes, nodesOf, type Sent, type WorkflowRun } from '../github/types.ts'
import { isRerun, runIdIn, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  type Attempt,
  type Found,
  listStatuses,
  type NamedJob,
  nameBeforeMerge,
  type RawStatus,
  readStatus,
  remembersByStatus,
  type StepStatus,
  statusCommit,
  statusName,
} from './memory.ts'

/** Of a first attempt, as many of the newest statuses of a commit, of all names, are read. */
const MAX_LISTED = 100
/** How many older commits are looked at closely whose newest status names no job. */
const MAX_UNNAMED = 5

/** The statuses of a step. */
type StepStatuses = {
  /** On the run's own commit, newest first. */
  readonly own: Known<readonly StepStatus[]>
  /** The newest on each other commit, of the branch before the run's and of its pull request. */
  readonly others: Known<readonly StepStatus[]>
}

const NO_STATUSES: StepStatuses = {
  own: { known: true, value: [] },
  others: { known: true, value: [] },
}

/** Reads what the step's commit statuses tell: two requests, and more only where those don't tell. */
export async function findInStatuses(event: GitHubEvent, run: Run): Promise<Found> {
  const { inputs, environment } = run
  const remembers = remembersByStatus(event, inputs)
  const sha = statusCommit(event, environment)
  const hasStatuses = remembers && sha !== ''
  const statuses = hasStatuses ? await readStepStatuses(event, sha, run) : NO_STATUSES
  const attempt = findAttempt(statuses.own, remembers, run)
  const mayContinue =
    hasStatuses && inputs['follow-up'] && inputs['job-id'] === '' && attempt.kind === 'none'
  const earlier = mayContinue ? await findEarlier(event, statuses, run) : NONE
  return { attempt, earlier, lastJob: findLastJob(event, statuses, run), thread: undefined }
}

async function readStepStatuses(event: GitHubEvent, sha: string, run: Run): Promise<StepStatuses> {
  const { environment, github } = run
  const name = statusName(event, run)
  const [own, others] = await Promise.all([
    github.read(() =>
      listStatuses(sha, name, github, isRerun(environment) ? undefined : MAX_LISTED),
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
  const { data, errors } = await github.graphql<Answer>(
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

type CommitNode = Sent<{ oid: string; status: Sent<{ context: RawStatus }> }>
type History = Sent<{ history: Nodes<CommitNode> }>
type PullNode = Sent<{
  commits: Nodes<Sent<{ commit: CommitNode }>>
  timelineItems: Nodes<Sent<{ beforeCommit: History }>>
}>
type Answer = Sent<{ repository: Sent<{ branch: History; pull: PullNode }> }>

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
  return { kind: 'job', job: namedBy(newest, own.value) }
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
): Promise<Found['earlier']> {
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
): Promise<Found['earlier']> {
  const looked = new Set([ownSha])
  for (const status of newestFirst(statuses)) {
    const { sha, name, jobId, state, targetUrl } = status
    if (jobId !== '') return { known: true, value: namedBy(status, all) }
    // A status that belongs to no run is ignored.
    const isOfRun = runIdIn(targetUrl, run.environment) !== undefined
    if (isOfRun && state !== 'failure') noticeUnnamed(status, run)
    if (looked.has(sha) || looked.size > MAX_UNNAMED) continue
    looked.add(sha)
    const found = await findOn(sha, name, all, run)
    if (!found.known || found.value !== undefined) return found
  }
  return NONE
}

async function findOn(
  sha: string,
  name: string,
  all: readonly StepStatus[],
  { github }: Run,
): Promise<Found['earlier']> {
  const list = await github.read(() => listStatuses(sha, name, github, MAX_LISTED))
  if (!list.known) return list
  const named = list.value.find(({ jobId }) => jobId !== '')
  return { known: true, value: named && namedBy(named, [...list.value, ...all]) }
}

function noticeUnnamed({ targetUrl }: StepStatus, { log }: Run): void {
  log.notice(
    `An earlier run (${targetUrl}) may have started a job that its commit status does not name, so this run can't continue that one. The dashboard of the docs service shows it.`,
  )
}

/** Without the permission to list the workflow's runs, there is none. */
async function findBySuccess(
  event: GitHubEvent,
  all: readonly StepStatus[],
  run: Run,
): Promise<Found['earlier']> {
  const { environment, github, log } = run
  const [, branch] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  if (branch === undefined) return NONE
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
    return runs.error.kind === 'permission' ? NONE : runs
  }
  // The branch of a fork's pull request may have the same name.
  const last = runs.value.find((one) => isRepository(one?.head_repository, environment.repository))
  const sha = last?.head_sha
  if (!isSha(sha) || sha === environment.sha || all.some((one) => one.sha === sha)) return NONE
  return await findOn(sha, statusName(event, run), all, run)
}

function namedBy(
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
): Found['lastJob'] {
  const pushed = new Set([payload.after, ...originsOf(payload.commits).map(({ sha }) => sha)])
  const listed = own.known ? newestOfOtherRuns(own.value, run) : []
  const successes = [...listed, ...(others.known ? others.value : [])].filter(
    ({ state, sha }) => state === 'success' && !pushed.has(sha),
  )
  const [newest] = newestFirst(successes)
  if (newest !== undefined) return { known: true, value: newest }
  return own.known ? (others.known ? NONE : others) : own
}

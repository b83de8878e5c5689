import type { GitHubEvent } from '../events/event-table.ts'
import { isRepository, isSha } from '../events/event-table.ts'
import { hasPrompt, type Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { GitHubError, type GraphqlError, graphqlError } from '../github/errors.ts'
import type { Maybe, Sent, Status, WorkflowRun } from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import { visibleText } from '../lib/text.ts'
import { type Environment, isRerun, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** What a step remembers of its job, as read from a commit status. */
export type StepStatus = {
  readonly state: string
  /** Empty where the status does not name it. */
  readonly jobId: string
  /** The pull request, else the workflow run. */
  readonly targetUrl: string
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAtMs: number
  readonly sha: string
}

/** What the step's statuses say. What the run does not need is not asked for, and is none. */
export type StepHistory = {
  /** At most one for each commit, newest commit first. */
  readonly statuses: Known<readonly StepStatus[]>
  /** The step's last job that succeeded, on the newest commit that was there before this event. */
  readonly lastJob: Known<StepStatus | undefined>
  /** On schedules and dispatches: when this workflow last succeeded on the run's branch. */
  readonly lastSuccess: Known<
    { readonly sha: string; readonly url: string; readonly createdAt: string } | undefined
  >
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140

/** A headline with the job's id in brackets. The headline is cut to fit; an id that does not fit is left out. */
export function statusDescription(headline: string, jobId: string): string {
  const id = /^[^\s()]+$/.test(jobId) && jobId.length + 2 <= MAX_DESCRIPTION ? `(${jobId})` : ''
  const room = MAX_DESCRIPTION - id.length - 1
  if (room < 2) return id
  const words = visibleText(headline).replaceAll('`', '').replace(/\s+/g, ' ')
  const shown = words.length <= room ? words : `${words.slice(0, room - 1).toWellFormed()}…`
  return `${shown} ${id}`.trim()
}

/** Reads a status, of whatever context and creator. */
export function readStatus(status: Status, sha: string): StepStatus {
  return {
    state: status.state?.toLowerCase() ?? '',
    jobId: /\(([^\s()]+)\)$/.exec(status.description ?? '')?.[1] ?? '',
    targetUrl: status.target_url ?? '',
    createdAtMs: Date.parse(status.created_at ?? '') || 0,
    sha,
  }
}

/** Whether the step remembers its job of this run in a commit status. */
export function usesMemory({ event, command }: Trigger, inputs: Inputs): boolean {
  return event.row.remembers && command === undefined && inputs['follow-up'] && hasPrompt(inputs)
}

/** The name of the step's statuses: another one for each leg of a matrix over projects. */
export function stepContext(inputs: Inputs, environment: Environment): string {
  const { workflow, job, step } = stepNames(environment)
  return `Docs agent: ${inputs['project-id']} (${workflow}, ${job}, ${step})`
}

/** Asks GitHub for the step's statuses, where the memory or the context needs them. Never fails. */
export async function loadStepHistory(trigger: Trigger, run: Run): Promise<StepHistory> {
  const { event } = trigger
  const { inputs, environment, github } = run
  const { subject } = event.row
  const writesContext = hasPrompt(inputs) && inputs.context !== 'none'
  const isSince = subject === 'branch'
  const remembers = usesMemory(trigger, inputs)
  const findsJob = remembers && inputs['job-id'] === ''
  // A re-run finds its job on its own commit.
  const needsSuccess = isSince && (writesContext || (findsJob && !isRerun(environment)))
  const needsStatuses = findsJob || (remembers && writesContext && (isSince || subject === 'push'))

  const lastSuccess = needsSuccess ? await loadLastSuccess(run) : NONE
  const query = needsStatuses ? statusQuery(event, lastSuccess, run) : undefined
  const permission = 'statuses: write'
  const call = { purpose: "read the step's commit statuses", permission, level: 'notice' } as const
  const statuses =
    query === undefined ? NO_STATUSES : await github.attempt(call, () => queryStatuses(query, run))
  const pushed = new Set(event.payload.commits?.map(({ id }) => id))
  const isLastJob = ({ state, sha }: StepStatus): boolean => state === 'success' && !pushed.has(sha)
  const lastJob = statuses.known ? { known: true as const, value: statuses.value.find(isLastJob) } : statuses
  const isMissed = !lastJob.known || lastJob.value === undefined
  if (!lastSuccess.known && lastSuccess.error !== undefined && isMissed) {
    const purpose = 'look up when this workflow last succeeded'
    github.report(lastSuccess.error, { purpose, permission: 'actions: read', level: 'notice' })
  }
  return { statuses, lastJob, lastSuccess }
}

type LastSuccess = StepHistory['lastSuccess']

const NONE: LastSuccess = { known: true, value: undefined }
const NO_STATUSES: StepHistory['statuses'] = { known: true, value: [] }

/** Source: GitHub's REST API, "List workflow runs for a workflow". */
async function loadLastSuccess({ environment, github }: Run): Promise<LastSuccess> {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  if (branch === undefined) return NONE
  const page = { branch, status: 'success', per_page: 20, exclude_pull_requests: true } as const
  const workflow_id = stepNames(environment).workflow
  return await github.read(async () => {
    const { workflow_runs: runs } = await github.call<{ workflow_runs?: Maybe<readonly WorkflowRun[]> }>(
      ({ rest }) => rest.actions.listWorkflowRuns({ ...github.repository, workflow_id, ...page }),
    )
    if (!Array.isArray(runs)) throw new GitHubError('GitHub returned no list of runs')
    // The branch of a fork's pull request may have the same name.
    const last = runs.find((one) => isRepository(one?.head_repository, environment.repository))
    const { head_sha: sha, html_url: url, created_at: createdAt } = last ?? {}
    return isSha(sha) ? { sha, url: url ?? '', createdAt: createdAt ?? '' } : undefined
  })
}

/** The statuses of this name on a pull request, else on commits and so many before each. */
type StatusQuery = {
  readonly context: string
  readonly pull?: number
  readonly heads: readonly { readonly sha: string; readonly count: number }[]
}

/**
 * Where the step's statuses are: on a pull request's commits, else on the run's commit and those before it, on those
 * that a forced push replaced, and on the commit of the workflow's last success.
 */
function statusQuery(
  { row, payload }: GitHubEvent,
  lastSuccess: LastSuccess,
  { inputs, environment }: Run,
): StatusQuery | undefined {
  const { sha } = environment
  const context = stepContext(inputs, environment)
  const number = row.subject === 'pull-request' ? payload.pull_request?.number : undefined
  if (number != null) return { context, pull: number, heads: [] }
  if (!isSha(sha)) return undefined
  const heads = [{ sha, count: 100 }]
  if (payload.forced === true && isSha(payload.before)) heads.push({ sha: payload.before, count: 100 })
  if (lastSuccess.known && lastSuccess.value) heads.push({ sha: lastSuccess.value.sha, count: 1 })
  return { context, heads }
}

async function queryStatuses(query: StatusQuery, { github }: Run): Promise<readonly StepStatus[]> {
  const text = `query StepStatuses($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) { ${statusFields(query).join(' ')} }
  }`
  const { data, errors } = await github.graphql<Answer>(text, github.repository)
  if (data.repository == null) throw graphqlError(errors[0] ?? { type: '', message: 'no repository' })
  return readStatuses(data.repository, errors)
}

function statusFields(query: StatusQuery): string[] {
  const status = `oid status { context(name: ${JSON.stringify(query.context)}) {
    state description targetUrl createdAt
  } }`
  if (query.pull === undefined) {
    return query.heads.map(
      ({ sha, count }, index) =>
        `h${index}: object(oid: "${sha}") { ... on Commit { history(first: ${count}) { nodes { ${status} } } } }`,
    )
  }
  // What a forced push replaced goes on into the base branch, whose statuses are not this pull request's.
  return [
    `pull: pullRequest(number: ${query.pull}) {
      mergeCommit { ${status} }
      commits(last: 100) { nodes { commit { ${status} } } }
      timelineItems(last: 20, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes {
        ... on HeadRefForcePushedEvent { beforeCommit { history(first: 10) { nodes { ${status} } } } }
      } }
      baseRef { target { ... on Commit { history(first: 100) { nodes { oid } } } } }
    }`,
  ]
}

type Nodes<T> = Sent<{ nodes: readonly Maybe<T>[] }>

/** A commit or a pull request, as far as the query asks for it. */
type Node = Sent<{
  oid: string
  status: Sent<{
    context: Sent<{ state: string; description: string; targetUrl: string; createdAt: string }>
  }>
  history: Nodes<Node>
  mergeCommit: Node
  commits: Nodes<Sent<{ commit: Node }>>
  timelineItems: Nodes<Sent<{ beforeCommit: Node }>>
  baseRef: Sent<{ target: Node }>
}>

type Aliases = Readonly<Record<string, Maybe<Node>>>

type Answer = Sent<{ repository: Aliases }>

function readStatuses(
  { h0: head, h1: further, pull }: Aliases,
  errors: readonly GraphqlError[],
): readonly StepStatus[] {
  const ofBase = new Set(nodesOf(pull?.baseRef?.target?.history).map(({ oid }) => oid))
  const forced = nodesOf(pull?.timelineItems).toReversed()
  const replaced = forced.flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history))
  const ofPull = nodesOf(pull?.commits).map(({ commit }) => commit)
  const commits = [
    ...nodesOf(head?.history),
    ...nodesOf(further?.history),
    pull?.mergeCommit,
    ...ofPull.toReversed(),
    ...replaced.filter(({ oid }) => !ofBase.has(oid)),
  ]
  const statuses = new Map<string, StepStatus>()
  for (const commit of commits) {
    const { oid, status } = commit ?? {}
    if (status?.context == null || oid == null) continue
    const { state, description, targetUrl: target_url, createdAt: created_at } = status.context
    statuses.set(oid, readStatus({ state, description, target_url, created_at }, oid))
  }
  // Where nothing came, an error means that it can't be told.
  const [failed] = errors
  if (statuses.size === 0 && failed !== undefined) throw graphqlError(failed)
  if (statuses.size === 0 && head == null && pull == null) {
    throw new GitHubError('GitHub does not know the commit')
  }
  return [...statuses.values()]
}

function nodesOf<T>(connection: Maybe<Nodes<T>>): T[] {
  return (connection?.nodes ?? []).filter((node) => node != null)
}

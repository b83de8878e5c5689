import type { Known } from '../github/client.ts'
import { GitHubError, graphqlError } from '../github/errors.ts'
import {
  type HistoryAnswer,
  type HistoryQuery,
  type MergedPull,
  queryHistory,
  type StepStatus,
} from '../github/history.ts'
import type { Maybe, WorkflowRun } from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import { type Environment, isRerun, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { needsLoopGuard } from './loop-guard.ts'
import { type GitHubEvent, isRepository, isSha } from './payload.ts'
import { hasPrompt, type Trigger } from './trigger.ts'

/** What GitHub knows of the commits that a run is about. What the run does not need is not asked for, and is none. */
export type History = {
  /** This step's statuses: at most one for each commit, newest commit first. */
  readonly statuses: Known<readonly StepStatus[]>
  /** The step's last job that succeeded, on the newest commit that was there before this event. */
  readonly lastJob: Known<StepStatus | undefined>
  /** On schedules and dispatches: when this workflow last succeeded on the run's branch. */
  readonly lastSuccess: Known<LastSuccess | undefined>
  /** On pushes: the merged pull requests that each of the newest commits came in, by SHA. Unknown without an entry. */
  readonly merged: ReadonlyMap<string, readonly MergedPull[]>
}

/** A successful run of this workflow. */
type LastSuccess = { readonly sha: string; readonly url: string; readonly createdAt: string }

/** Of a push, the pull requests of so many commits are asked for: the newest. */
const MAX_COMMITS = 20

/** Whether the step remembers its job of this run in a commit status. */
export function usesMemory({ event, command }: Trigger, inputs: Inputs): boolean {
  return event.row.remembers && command === undefined && inputs['follow-up'] && hasPrompt(inputs)
}

/** The name of the step's statuses: another one for each leg of a matrix over projects. */
export function stepContext(inputs: Inputs, environment: Environment): string {
  const { workflow, job, step } = stepNames(environment)
  return `Docs agent: ${inputs['project-id']} (${workflow}, ${job}, ${step})`
}

/**
 * Asks GitHub for what the loop guard, the step's memory and the context need: one GraphQL request, after one REST
 * request on schedules and dispatches; none where nothing of it is needed. Never fails.
 */
export async function loadHistory(trigger: Trigger, run: Run): Promise<History> {
  const { event } = trigger
  const needs = needsOf(trigger, run)
  const lastSuccess: LoadedSuccess = needs.lastSuccess ? await loadLastSuccess(run) : NONE
  const query: HistoryQuery = {
    statuses: needs.statuses ? statusQuery(event, lastSuccess, run) : undefined,
    commits: needs.guard || needs.merged ? newestCommits(event) : [],
    withWords: needs.merged,
  }
  const { statuses, merged } = await load(query, needs.guard, run)
  const pushed = new Set(event.payload.commits?.map(({ id }) => id))
  const isLastJob = ({ state, sha }: StepStatus): boolean => state === 'success' && !pushed.has(sha)
  const lastJob = statuses.known ? { known: true as const, value: statuses.value.find(isLastJob) } : statuses
  const isMissed = !lastJob.known || lastJob.value === undefined
  if (!lastSuccess.known && isMissed) run.github.report(lastSuccess.error, LAST_SUCCESS)
  return { statuses, lastJob, lastSuccess, merged }
}

/** What it costs that a step's commit status can't be read or set. */
export const NOT_REMEMBERED = 'Until it can be, the next run starts a new job and a new pull request.'

type Needs = Readonly<Record<'guard' | 'merged' | 'statuses' | 'lastSuccess', boolean>>

function needsOf(trigger: Trigger, { inputs, environment }: Run): Needs {
  const { event } = trigger
  const { tells } = event.row
  const writesContext = hasPrompt(inputs) && inputs.context !== 'none'
  const isSince = tells === 'since-last-job'
  const findsJob = inputs['job-id'] === ''
  return {
    guard: needsLoopGuard(event, inputs),
    merged: tells === 'push' && writesContext,
    statuses: usesMemory(trigger, inputs) && (findsJob || (writesContext && (isSince || tells === 'push'))),
    // A re-run finds its job on its own commit.
    lastSuccess:
      isSince && (writesContext || (usesMemory(trigger, inputs) && findsJob && !isRerun(environment))),
  }
}

type LoadedSuccess =
  | { readonly known: true; readonly value: LastSuccess | undefined }
  | { readonly known: false; readonly why: string; readonly error: GitHubError }

const NONE = { known: true, value: undefined } as const

const LAST_SUCCESS = {
  purpose: 'look up when this workflow last succeeded',
  permission: 'actions: read',
  level: 'notice',
} as const

/** Source: GitHub's REST API, "List workflow runs for a workflow". */
async function loadLastSuccess({ environment, github }: Run): Promise<LoadedSuccess> {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  if (branch === undefined) return NONE
  const page = {
    workflow_id: stepNames(environment).workflow,
    branch,
    status: 'success',
    per_page: 20,
  } as const
  try {
    const { data } = await github.request<{ readonly data: RunsAnswer }>(({ rest }) =>
      rest.actions.listWorkflowRuns({ ...github.repository, ...page, exclude_pull_requests: true }),
    )
    if (data.workflow_runs == null)
      throw new GitHubError('GitHub returned no list of runs', { kind: 'other' })
    // The branch of a fork's pull request may have the same name.
    const last = data.workflow_runs.find((one) => isRepository(one.head_repository, environment.repository))
    const { head_sha: sha, html_url: url, created_at: createdAt } = last ?? {}
    return isSha(sha) ? { known: true, value: { sha, url: url ?? '', createdAt: createdAt ?? '' } } : NONE
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return { known: false, why: error.message, error }
  }
}

type RunsAnswer = { readonly workflow_runs?: Maybe<readonly WorkflowRun[]> }

/**
 * The step's statuses on a pull request's commits, else on the run's commit and those before it: with those that a forced
 * push replaced, and the commit of the workflow's last success.
 */
function statusQuery(
  { row, payload }: GitHubEvent,
  lastSuccess: LoadedSuccess,
  { inputs, environment: { sha }, environment }: Run,
): HistoryQuery['statuses'] {
  const context = stepContext(inputs, environment)
  const number = row.tells === 'pull-request' ? payload.pull_request?.number : undefined
  if (number != null) return { context, pull: number, heads: [] }
  if (!isSha(sha)) return undefined
  const heads = [{ sha, count: 100 }]
  if (payload.forced === true && isSha(payload.before)) heads.push({ sha: payload.before, count: 100 })
  if (lastSuccess.known && lastSuccess.value) heads.push({ sha: lastSuccess.value.sha, count: 1 })
  return { context, heads }
}

function newestCommits({ payload }: GitHubEvent): HistoryQuery['commits'] {
  const commits = payload.commits?.filter(({ id }) => isSha(id)).slice(-MAX_COMMITS) ?? []
  return commits.map(({ id, message }) => {
    const subject = message?.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
    const [, merged, squashed] = /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? []
    const digits = merged ?? squashed
    return { sha: id ?? '', number: digits === undefined ? undefined : Number(digits) }
  })
}

async function load(query: HistoryQuery, isGuarded: boolean, { github }: Run): Promise<HistoryAnswer> {
  const { statuses, commits } = query
  if (statuses === undefined && commits.length === 0) {
    return { statuses: { known: true, value: [] }, merged: new Map(), errors: [] }
  }
  function report(error: GitHubError, field: string): void {
    const isAboutMerged = /^repository\.[cp]\d/.test(field)
    const missed = isGuarded
      ? "A commit of unknown origin counts as a person's (`ignore-authors`)."
      : 'The agent is not told which pull requests the commits came in.'
    github.report(error, {
      purpose: "read the commits' statuses and pull requests",
      permission: permissionFor(field),
      level: isAboutMerged && (isGuarded || error.kind !== 'permission') ? 'warning' : 'notice',
      consequence: isAboutMerged ? missed : field.includes('.status') ? NOT_REMEMBERED : '',
    })
  }
  try {
    const answer = await queryHistory(query, github)
    const errors = new Map(answer.errors.map((error) => [permissionFor(error.path), error]))
    for (const error of errors.values()) report(graphqlError(error), error.path)
    return answer
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    const field = commits.length > 0 ? 'c0' : statuses?.pull === undefined ? 'commits' : 'pull'
    report(error, `repository.${field}`)
    return { statuses: { known: false, why: error.message }, merged: new Map(), errors: [] }
  }
}

/** The permission that a field of the query needs. Whoever reads a status is about to set one. */
function permissionFor(field: string): string {
  if (field.includes('.status')) return 'statuses: write'
  return /^repository\.(?:[cp]\d|pull)/.test(field) ? 'pull-requests: read' : 'contents: read'
}

import type { GitHub, Known } from '../github/client.ts'
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
import { joinSentences } from '../lib/text.ts'
import { type Environment, isRerun, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { type GitHubEvent, isRepository, isSha } from './event-table.ts'
import { guardedCommits, MAX_COMMITS } from './loop-guard.ts'
import { hasPrompt, type Trigger } from './trigger.ts'

/** What GitHub knows of the commits that a run is about. What the run does not need is not asked for, and is none. */
export type History = {
  /** This step's statuses: at most one for each commit, newest commit first. */
  readonly statuses: Known<readonly StepStatus[]>
  /** The step's last job that succeeded, on the newest commit that was there before this event. */
  readonly lastJob: Known<StepStatus | undefined>
  /** On schedules and dispatches: when this workflow last succeeded on the run's branch. */
  readonly lastSuccess: Known<
    { readonly sha: string; readonly url: string; readonly createdAt: string } | undefined
  >
  /** On pushes: the merged pull requests that each of the newest commits came in, by SHA. Unknown without an entry. */
  readonly merged: ReadonlyMap<string, readonly MergedPull[]>
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

/**
 * Asks GitHub for what the loop guard, the step's memory and the context need: one GraphQL request, after one REST
 * request on schedules and dispatches; none where nothing of it is needed. Never fails.
 */
export async function loadHistory(trigger: Trigger, run: Run): Promise<History> {
  const { event } = trigger
  const { inputs, environment, github } = run
  const { subject } = event.row
  const writesContext = hasPrompt(inputs) && inputs.context !== 'none'
  const isSince = subject === 'branch'
  const remembers = usesMemory(trigger, inputs)
  const findsJob = remembers && inputs['job-id'] === ''
  const isGuarded = guardedCommits(event, inputs).length > 0
  const withWords = subject === 'push' && writesContext
  // A re-run finds its job on its own commit.
  const needsSuccess = isSince && (writesContext || (findsJob && !isRerun(environment)))
  const needsStatuses = findsJob || (remembers && writesContext && (isSince || subject === 'push'))

  const lastSuccess = needsSuccess ? await loadLastSuccess(run) : NONE
  const query: HistoryQuery = {
    statuses: needsStatuses ? statusQuery(event, lastSuccess, run) : undefined,
    commits: isGuarded || withWords ? newestCommits(event) : [],
    withWords,
  }
  const { statuses, merged } = await load(query, { isGuarded, writesContext }, github)
  const pushed = new Set(event.payload.commits?.map(({ id }) => id))
  const isLastJob = ({ state, sha }: StepStatus): boolean => state === 'success' && !pushed.has(sha)
  const lastJob = statuses.known ? { known: true as const, value: statuses.value.find(isLastJob) } : statuses
  const isMissed = !lastJob.known || lastJob.value === undefined
  if (lastSuccess.error !== undefined && isMissed) {
    const purpose = 'look up when this workflow last succeeded'
    github.report(lastSuccess.error, { purpose, permission: 'actions: read', level: 'notice' })
  }
  return { statuses, lastJob, lastSuccess, merged }
}

type LastSuccess = History['lastSuccess'] & { readonly error?: GitHubError }

const NONE: LastSuccess = { known: true, value: undefined }

/** Source: GitHub's REST API, "List workflow runs for a workflow". */
async function loadLastSuccess({ environment, github }: Run): Promise<LastSuccess> {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  if (branch === undefined) return NONE
  const page = { branch, status: 'success', per_page: 20, exclude_pull_requests: true } as const
  const workflow_id = stepNames(environment).workflow
  try {
    const { workflow_runs: runs } = await github.call<{ workflow_runs?: Maybe<readonly WorkflowRun[]> }>(
      ({ rest }) => rest.actions.listWorkflowRuns({ ...github.repository, workflow_id, ...page }),
    )
    if (!Array.isArray(runs)) throw new GitHubError('GitHub returned no list of runs')
    // The branch of a fork's pull request may have the same name.
    const last = runs.find((one) => isRepository(one?.head_repository, environment.repository))
    const { head_sha: sha, html_url: url, created_at: createdAt } = last ?? {}
    return isSha(sha) ? { known: true, value: { sha, url: url ?? '', createdAt: createdAt ?? '' } } : NONE
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return { known: false, why: error.message, error }
  }
}

/**
 * Where the step's statuses are: on a pull request's commits, else on the run's commit and those before it, on those
 * that a forced push replaced, and on the commit of the workflow's last success.
 */
function statusQuery(
  { row, payload }: GitHubEvent,
  lastSuccess: LastSuccess,
  { inputs, environment }: Run,
): HistoryQuery['statuses'] {
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

function newestCommits({ payload }: GitHubEvent): HistoryQuery['commits'] {
  const commits = payload.commits?.filter(({ id }) => isSha(id)).slice(-MAX_COMMITS) ?? []
  return commits.map(({ id, message }) => {
    const subject = message?.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
    const [, merged, squashed] = /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? []
    const digits = merged ?? squashed
    return { sha: id ?? '', number: digits === undefined ? undefined : Number(digits) }
  })
}

async function load(
  query: HistoryQuery,
  { isGuarded, writesContext }: { readonly isGuarded: boolean; readonly writesContext: boolean },
  github: GitHub,
): Promise<HistoryAnswer> {
  const { statuses, commits } = query
  const nothing = { merged: new Map(), errors: [] }
  if (statuses === undefined && commits.length === 0) {
    return { ...nothing, statuses: { known: true, value: [] } }
  }
  function report(error: GitHubError, field: string): void {
    const permission = permissionFor(field)
    const isMissing = error.kind === 'permission'
    // Nor can the commits be compared.
    const isAllLost = error.kind === 'setup' || (isMissing && permission === 'contents: read')
    const isAboutMerged = /^repository\.[cp]\d/.test(field)
    const isWarning = error.kind === 'setup' || (isAboutMerged && (isGuarded || !isMissing))
    const missed = isGuarded
      ? "A commit of unknown origin counts as a person's (`ignore-authors`)."
      : 'The agent is not told which pull requests the commits came in.'
    const notTold = 'The agent is not told the commits, files and diff.'
    github.report(error, {
      purpose: "read the commits' statuses and pull requests",
      permission,
      level: isWarning ? 'warning' : 'notice',
      consequence: joinSentences(isAboutMerged ? missed : '', isAllLost && writesContext ? notTold : ''),
    })
  }
  try {
    const answer = await queryHistory(query, github)
    const errors = new Map(answer.errors.map((error) => [error.path.replace(/\d+/g, ''), error]))
    for (const error of errors.values()) report(graphqlError(error), error.path)
    return answer
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    const field =
      commits.length > 0 ? 'c0.associatedPullRequests' : statuses?.pull === undefined ? 'commits' : 'pull'
    report(error, `repository.${field}`)
    return { ...nothing, statuses: { known: false, why: error.message } }
  }
}

/** The permission that a field of the query needs. Whoever reads a status is about to set one. */
function permissionFor(field: string): string {
  if (field.includes('.status')) return 'statuses: write'
  return /^repository\.(?:c\d+\.|p\d|pull)/.test(field) ? 'pull-requests: read' : 'contents: read'
}

import type { Known } from '../github/client.ts'
import { GitHubError, graphqlError } from '../github/errors.ts'
import {
  findLastSuccess,
  type HistoryAnswer,
  type HistoryQuery,
  type LastSuccess,
  type MergedPull,
  queryHistory,
  type StatusSource,
} from '../github/history.ts'
import { type StepStatus, statusContext } from '../github/statuses.ts'
import type { Inputs } from '../inputs/table.ts'
import { type Environment, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { needsLoopGuard } from './loop-guard.ts'
import type { GitHubEvent } from './payload.ts'
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

/** Of a push, the pull requests of so many commits are asked for: the newest. */
const MAX_COMMITS = 20

/** Whether the step remembers its job of this run in a commit status. */
export function usesMemory({ event, command }: Trigger, inputs: Inputs): boolean {
  return event.row.remembers && command === undefined && inputs['follow-up'] && hasPrompt(inputs)
}

/** The name of the step's statuses. */
export function stepContext(inputs: Inputs, environment: Environment): string {
  return statusContext(inputs['project-id'], stepNames(environment))
}

/**
 * Asks GitHub for what the loop guard, the step's memory and the context need: one GraphQL request, after one REST
 * request on schedules and dispatches; none where nothing of it is needed. Never fails.
 */
export async function loadHistory(trigger: Trigger, run: Run): Promise<History> {
  const { inputs, environment, github } = run
  const { event } = trigger
  const needs: Needs = {
    guard: needsLoopGuard(event, inputs),
    memory: usesMemory(trigger, inputs),
    context: hasPrompt(inputs) && inputs.context !== 'none',
  }
  const needsSuccess = event.row.tells === 'since-last-job' && (needs.memory || needs.context)
  const lastSuccess: Attempt<LastSuccess | undefined> = needsSuccess ? await loadLastSuccess(run) : NONE
  const also = lastSuccess.known ? lastSuccess.value?.sha : undefined
  const of = statusSource(event, environment, also)
  const needsPulls = event.row.tells === 'push' && (needs.guard || needs.context)
  const { statuses, merged } = await load(
    {
      statuses: needs.memory ? { context: stepContext(inputs, environment), of } : undefined,
      commits: needsPulls ? newestCommits(event) : [],
      withWords: needs.context,
    },
    needs,
    run,
  )
  const pushed = new Set(event.payload.commits?.map(({ id }) => id))
  const isLastJob = ({ state, sha }: StepStatus): boolean => state === 'success' && !pushed.has(sha)
  const lastJob = statuses.known ? { known: true as const, value: statuses.value.find(isLastJob) } : statuses
  const isMissed = !lastJob.known || lastJob.value === undefined
  if (!lastSuccess.known && isMissed) github.report(lastSuccess.error, LAST_SUCCESS)
  return { statuses, lastJob, lastSuccess, merged }
}

/** What the history is needed for. */
type Needs = { readonly guard: boolean; readonly memory: boolean; readonly context: boolean }

type Attempt<T> = Known<T> & ({ readonly known: true } | { readonly error: GitHubError })

const NONE = { known: true, value: undefined } as const

const LAST_SUCCESS = {
  purpose: 'look up when this workflow last succeeded',
  permission: 'actions: read',
  level: 'notice',
} as const

async function loadLastSuccess({ environment, github }: Run): Promise<Attempt<LastSuccess | undefined>> {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  if (branch === undefined) return NONE
  try {
    const { workflow } = stepNames(environment)
    return { known: true, value: await findLastSuccess({ workflow, branch }, github) }
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return { known: false, why: error.message, error }
  }
}

/** The commits among whose statuses the step's are: a pull request's, else the run's and those before it. */
function statusSource(
  { row, payload }: GitHubEvent,
  { sha }: Environment,
  also: string | undefined,
): StatusSource {
  const number = row.tells === 'pull-request' ? payload.pull_request?.number : undefined
  return number == null ? { kind: 'commit', sha, also } : { kind: 'pull', number }
}

function newestCommits({ payload }: GitHubEvent): HistoryQuery['commits'] {
  return (payload.commits ?? []).slice(-MAX_COMMITS).flatMap(({ id, message }) => {
    const subject = message?.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
    const [, merged, squashed] = /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? []
    const number = Number(merged ?? squashed)
    return id ? [{ sha: id, number: Number.isNaN(number) ? undefined : number }] : []
  })
}

async function load(query: HistoryQuery, needs: Needs, { github }: Run): Promise<HistoryAnswer> {
  if (query.statuses === undefined && query.commits.length === 0) {
    return { statuses: { known: true, value: [] }, merged: new Map(), errors: [] }
  }
  const report = (error: GitHubError, permission: string): void => {
    const isAboutPulls = permission === 'pull-requests: read'
    const missed = needs.guard
      ? "A commit of unknown origin counts as a person's (`ignore-authors`)."
      : 'The agent is not told which pull requests the commits came in.'
    github.report(error, {
      purpose: "read the commits' statuses and pull requests",
      permission,
      level: isAboutPulls && (needs.guard || error.kind !== 'permission') ? 'warning' : 'notice',
      consequence: isAboutPulls ? missed : '',
    })
  }
  try {
    const answer = await queryHistory(query, github)
    const byPermission = new Map(answer.errors.map((error) => [permissionFor(error.path), error]))
    for (const [permission, error] of byPermission) report(graphqlError(error), permission)
    return answer
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    report(error, query.commits.length > 0 ? 'pull-requests: read' : 'contents: read')
    return { statuses: { known: false, why: error.message }, merged: new Map(), errors: [] }
  }
}

/** The permission that a field of the query needs. Whoever reads a status is about to set one. */
function permissionFor(path: string): string {
  if (path.includes('.status')) return 'statuses: write'
  return /^repository\.[cp]\d/.test(path) ? 'pull-requests: read' : 'contents: read'
}

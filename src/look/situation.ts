import { type FromGitHub, type GitActor, type Nodes, nodesOf } from '../github/client.ts'
import { GitHubError, graphqlError, NeededCallError } from '../github/github-errors.ts'
import { locatePullRequest } from '../github/pull-requests.ts'
import { type Inputs, isWaitOnly } from '../inputs/table.ts'
import { inBackticks } from '../lib/text.ts'
import { formatAge, formatDuration, RetryError, retry } from '../lib/time.ts'
import type { Job } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  hasStatus,
  isRetryable,
  limitPauseMs,
  notStartedFailure,
  retryAfterMsOf,
} from '../mintlify/mintlify-errors.ts'
import type { Run } from '../runner/run.ts'
import { type Changes, readChanges } from './changes.ts'
import { findInComments, type PriorPosts, selectPosts } from './comments.ts'
import { type EarlierRuns, findInStatuses, NOTHING_EARLIER } from './earlier-runs.ts'
import type { NamedJob } from './status.ts'
import { type LineComment, ownAuthor, readLineComments, type Trigger } from './trigger.ts'

/** A docs pull request of an earlier job. */
export type PullState = {
  readonly prLink: string
  /** `invisible`: GitHub knows none that the token can read; `elsewhere`: not on this GitHub server. */
  readonly state: 'open' | 'merged' | 'closed' | 'invisible' | 'elsewhere'
  /** If it is open: when it was opened, or a person last reviewed it, commented, or committed, by GitHub's clock. */
  readonly waitingSinceMs?: number
  /** Whether it is approved, or is merged as soon as its checks pass. */
  readonly isApproved?: boolean
  /** Such as `, open for 3 days`; empty if unknown. */
  readonly openFor: string
}

/** A job of an earlier run or attempt, as Mintlify and GitHub show it now. */
export type ObservedJob = NamedJob & {
  /** `gone`: Mintlify doesn't know it; `unknown`: it wasn't asked, or its status is unknown to this version. */
  readonly state: 'active' | 'completed' | 'failed' | 'archived' | 'gone' | 'unknown'
  /** As Mintlify shows it. */
  readonly job?: Job
  /** Why it could not be looked up at Mintlify. */
  readonly failure?: ReturnType<typeof notStartedFailure>
  /** Its docs pull request, if it has one and that was asked for. */
  readonly pull?: PullState | undefined
}

/** Everything that GitHub and Mintlify say before a job is started. */
export type Situation = {
  readonly trigger: Trigger
  /** Whether the inputs or the command contain instructions. */
  readonly hasInstructions: boolean
  readonly earlier: EarlierRuns
  readonly nowMs: number
  /** The job of an earlier attempt of this run, and that of an earlier run if it matters. */
  readonly ownJob?: ObservedJob | undefined
  readonly earlierJob?: ObservedJob | undefined
  /** What the event is about; `undefined` if it is about no changes, or they aren't needed. */
  readonly changes?: Changes | undefined
  /** Of a review that requests changes. */
  readonly lineComments: readonly LineComment[]
  /** The comments before a command; `undefined` if there are none, or they can't be read. */
  readonly conversation?: PriorPosts | undefined
}

/**
 * Looks at all that decides what the run does, and at the changes that the prompt describes.
 *
 * @throws {NeededCallError} if something can't be read that the run can't do without
 */
export async function look(
  { trigger, hasInstructions }: Pick<Situation, 'trigger' | 'hasInstructions'>,
  run: Run,
): Promise<Situation> {
  const { inputs, clock } = run
  const { event, command } = trigger
  const earlier = await findEarlier(trigger, run)
  const isReview = command?.kind === 'review'
  const jobs = inputs['job-id'] === '' ? await observeJobs(earlier, trigger, run) : {}
  // The job knows the changes already, and gets only the command.
  const isReply = command !== undefined && canTakeMessage(jobs.earlierJob)
  const isUnclear = earlier.attempt.kind === 'unclear'
  const needsChanges = !isWaitOnly(inputs) && !isReview && !isReply && !isUnclear
  return {
    trigger,
    hasInstructions,
    earlier,
    ...jobs,
    changes: needsChanges ? await readChanges(event, earlier, run) : undefined,
    lineComments: isReview ? await readLineComments(command, run) : [],
    conversation: inputs.context === 'none' ? undefined : selectPosts(trigger, earlier, isReply),
    nowMs: clock.now(),
  }
}

/** Finds what earlier runs recorded. With `follow-up: false`, a run can do without it. */
async function findEarlier({ event, command }: Trigger, run: Run): Promise<EarlierRuns> {
  if (command) return await findInComments(command, run)
  try {
    return await findInStatuses(event, run)
  } catch (error) {
    if (run.inputs['follow-up'] || !(error instanceof NeededCallError)) throw error
    run.github.report(error.cause, error)
    return NOTHING_EARLIER
  }
}

async function observeJobs(
  { attempt, earlierJob: found }: EarlierRuns,
  { command }: Trigger,
  run: Run,
): Promise<Pick<Situation, 'ownJob' | 'earlierJob'>> {
  if (attempt.kind === 'unclear') return {}
  const ownJob = attempt.kind === 'job' ? await observeJob(attempt.job, true, run) : undefined
  const mayContinue = command !== undefined || run.inputs['follow-up']
  const isNeeded = ownJob === undefined || (hasEnded(ownJob) && found?.id !== ownJob.id)
  const earlierJob =
    found && mayContinue && isNeeded ? await observeJob(found, false, run) : undefined
  return { ownJob, earlierJob }
}

/** Whether a job can be sent a message: it and its docs pull request have not ended. */
export function canTakeMessage(job: ObservedJob | undefined): job is ObservedJob {
  if (job === undefined || hasEnded(job)) return false
  return job.pull?.state !== 'merged' && job.pull?.state !== 'closed'
}

/** Whether a job has ended so that it can't be continued. */
export function hasEnded({ state }: ObservedJob): boolean {
  return state === 'failed' || state === 'archived' || state === 'gone'
}

/** @param isOwn whether it is this run's: then its pull request matters only if it has ended */
async function observeJob(named: NamedJob, isOwn: boolean, run: Run): Promise<ObservedJob> {
  // A dry run asks only GitHub.
  const isAsked = !run.inputs['dry-run']
  const shown = isAsked ? await getEarlierJob(named, run) : ({ state: 'unknown' } as const)
  const observed: ObservedJob = { ...named, ...shown }
  const prLink = observed.job?.prLink ?? named.prLink
  if (prLink === '' || observed.failure || (isOwn && !hasEnded(observed))) return observed
  return { ...observed, pull: await readPullState(prLink, run) }
}

/** How long looking up an earlier job is retried. */
const MAX_LOOKUP_MS = 120_000
/** How long after it was recorded Mintlify may not know a job yet. */
export const EARLY_MS = 60_000

async function getEarlierJob(
  { id, namedAtMs }: NamedJob,
  run: Run,
): Promise<Pick<ObservedJob, 'state' | 'job' | 'failure'>> {
  const { clock, cancel, inputs, log, mintlify, service } = run
  const name = inBackticks(id)
  const lookupMs = Math.min(MAX_LOOKUP_MS, inputs.timeout)
  const deadlineMs = clock.now() + lookupMs
  const isNew = (error: unknown): boolean =>
    hasStatus(error, 404) && clock.now() - namedAtMs < EARLY_MS
  try {
    const job = await retry(
      () => service.getJob(id, cancel),
      {
        isRetryable: (error) => isRetryable(error) || isNew(error),
        retryAfterMs: retryAfterMsOf,
        pauseMs: limitPauseMs,
        deadlineMs: () => deadlineMs,
        onRetry: (error, pauseMs) =>
          log.info(
            `Could not get the earlier job ${name}: ${describeFailure(error, mintlify).headline}. Trying again in ${formatDuration(pauseMs)}.`,
          ),
      },
      run,
    )
    const states = ['active', 'completed', 'failed', 'archived'] as const
    return { state: states.find((state) => state === job.status) ?? 'unknown', job }
  } catch (error) {
    if (!(error instanceof RetryError) || error.reason === 'cancelled') throw error
    if (hasStatus(error.cause, 404)) return { state: 'gone' }
    const note = `The request was about the earlier job ${name}.`
    const limit = `the limit of ${formatDuration(lookupMs)}`
    return { state: 'unknown', failure: notStartedFailure(error, { limit, note, mintlify }) }
  }
}

/** Asks GitHub for the state of a pull request in any repository, and when a person last did something about it. */
async function readPullState(prLink: string, run: Run): Promise<PullState> {
  const { github, inputs } = run
  const place = locatePullRequest(prLink, github)
  const none = { prLink, openFor: '' }
  if (!place) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = place
  const call = { purpose: 'read the docs pull request', permission: 'pull-requests: read' }
  const { data, errors } = await github.need(call, () =>
    github.graphql<PullStateAnswer>(PULL_STATE, { owner, repo, number }),
  )
  const pull = data.repository?.pullRequest
  const states = ['open', 'merged', 'closed'] as const
  const state = states.find((word) => word.toUpperCase() === pull?.state)
  if (!pull || !state) {
    const [error] = errors
    if (errors.some(({ type }) => type === 'NOT_FOUND')) return { ...none, state: 'invisible' }
    const words = 'GitHub returned something that is not a pull request'
    throw new NeededCallError(call, error ? graphqlError(error) : new GitHubError(words))
  }
  if (state !== 'open') return { ...none, state }
  const ageMs = run.clock.now() - Date.parse(pull.createdAt ?? '')
  return {
    ...none,
    state,
    waitingSinceMs: lastAttentionMs(pull, inputs),
    isApproved: pull.reviewDecision === 'APPROVED' || pull.autoMergeRequest != null,
    openFor: Number.isNaN(ageMs) ? '' : `, open for ${formatAge(ageMs)}`,
  }
}

const PULL_STATE = `query PullState($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    state createdAt reviewDecision autoMergeRequest { enabledAt }
    reviews(last: 100) { nodes { at: submittedAt author { __typename login } } }
    comments(last: 100) { nodes { at: createdAt author { __typename login } } }
    commits(last: 100) { nodes { commit { committedDate authors(first: 100) { nodes { email user { login } } } } } } } } }`

type AuthoredCommit = FromGitHub<{
  committedDate: string
  authors: Nodes<GitActor>
}>
/** A review or a comment. */
type Contribution = FromGitHub<{
  at: string
  author: FromGitHub<{ __typename: string; login: string }>
}>
type PullStateNode = FromGitHub<{
  state: string
  createdAt: string
  reviewDecision: string
  autoMergeRequest: FromGitHub<{ enabledAt: string }>
  reviews: Nodes<Contribution>
  comments: Nodes<Contribution>
  commits: Nodes<FromGitHub<{ commit: AuthoredCommit }>>
}>
type PullStateAnswer = FromGitHub<{ repository: FromGitHub<{ pullRequest: PullStateNode }> }>

/** Returns when it was opened, or when a person last did something about it: of each the newest 100. */
function lastAttentionMs(pull: PullStateNode, inputs: Inputs): number {
  const contributions = [...nodesOf(pull.reviews), ...nodesOf(pull.comments)].filter(
    ({ author }) => author?.__typename === 'User' && isPersonsWork({ user: author }, inputs),
  )
  const commits = nodesOf(pull.commits).filter(({ commit }) =>
    nodesOf(commit?.authors).some((author) => isPersonsWork(author, inputs)),
  )
  const times = [
    pull.createdAt,
    ...contributions.map(({ at }) => at),
    ...commits.map(({ commit }) => commit?.committedDate),
  ]
  return Math.max(...times.map((time) => Date.parse(time ?? '') || 0))
}

function isPersonsWork(author: GitActor, inputs: Inputs): boolean {
  const { user, email } = author
  const isApp = /\[bot\](?:$|@users\.noreply\.)/.test(user?.login ?? email ?? '')
  return !isApp && ownAuthor(author, inputs) === undefined
}

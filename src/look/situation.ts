import { type FromGitHub, type GitActor, type Nodes, nodesOf } from '../github/client.ts'
import { graphqlError } from '../github/github-errors.ts'
import { locatePullRequest } from '../github/pull-requests.ts'
import type { Inputs } from '../inputs/table.ts'
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
import type { EarlierRuns } from './earlier-runs.ts'
import { hasStatusRecord, type NamedJob } from './status.ts'
import { findUnchanged, ownAuthor, type Trigger } from './trigger.ts'

/** A docs pull request of an earlier job. */
export type PullState = {
  readonly prLink: string
  /** `invisible`: GitHub knows none that the token can read; `elsewhere`: not on this GitHub server. */
  readonly state: 'open' | 'merged' | 'closed' | 'invisible' | 'unknown' | 'elsewhere'
  /** Why it is unknown, to follow a colon; otherwise empty. */
  readonly why: string
  /** If it is open: when it was opened, or a person last reviewed it, commented, or committed, by GitHub's clock. */
  readonly waitingSinceMs?: number
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

/** Everything that GitHub and Mintlify say before a job is started. A failed lookup is a value. */
export type Situation = {
  readonly trigger: Trigger
  /** Whether the inputs or the command contain instructions. */
  readonly hasInstructions: boolean
  /** Whether jobs of such runs are recorded in commit statuses. */
  readonly hasRecord: boolean
  readonly earlier: EarlierRuns
  /** Why there is nothing to document (`skip-unchanged`). */
  readonly unchanged: string | undefined
  readonly nowMs: number
  /** The job of an earlier attempt of this run, and that of an earlier run if it matters. */
  readonly ownJob?: ObservedJob | undefined
  readonly earlierJob?: ObservedJob | undefined
}

/** Looks at the jobs of earlier attempts and runs. */
export async function look(
  earlier: EarlierRuns,
  { trigger, hasInstructions }: Pick<Situation, 'trigger' | 'hasInstructions'>,
  run: Run,
): Promise<Situation> {
  const { inputs, clock } = run
  const { attempt } = earlier
  const unchanged = await findUnchanged(trigger.event, earlier.lastJob, run)
  const hasRecord = hasStatusRecord(trigger.event, run)
  const facts = { trigger, hasInstructions, hasRecord, earlier, unchanged }
  const isUnclear = attempt.kind === 'maybe-started' || attempt.kind === 'unknown'
  if (unchanged !== undefined || inputs['job-id'] !== '' || isUnclear)
    return { ...facts, nowMs: clock.now() }
  const ownJob = attempt.kind === 'job' ? await observeJob(attempt.job, true, run) : undefined
  const found = earlier.earlierJob.known ? earlier.earlierJob.value : undefined
  const mayContinue = trigger.command !== undefined || inputs['follow-up']
  const isNeeded = ownJob === undefined || (hasEnded(ownJob) && found?.id !== ownJob.id)
  const earlierJob =
    found && mayContinue && isNeeded ? await observeJob(found, false, run) : undefined
  return { ...facts, nowMs: clock.now(), ownJob, earlierJob }
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
  const none = { prLink, why: '', openFor: '' }
  if (!place) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = place
  const answer = await github.read(() =>
    github.graphql<PullStateAnswer>(PULL_STATE, { owner, repo, number }),
  )
  if (!answer.known) return { ...none, state: 'unknown', why: answer.why }
  const { data, errors } = answer.value
  const pull = data.repository?.pullRequest
  const states = ['open', 'merged', 'closed'] as const
  const state = states.find((word) => word.toUpperCase() === pull?.state)
  if (!pull || !state) {
    const [error] = errors
    if (errors.some(({ type }) => type === 'NOT_FOUND')) return { ...none, state: 'invisible' }
    const why = error
      ? graphqlError(error).message
      : 'GitHub returned something that is not a pull request'
    return { ...none, state: 'unknown', why }
  }
  if (state !== 'open') return { ...none, state }
  const ageMs = run.clock.now() - Date.parse(pull.createdAt ?? '')
  return {
    ...none,
    state,
    waitingSinceMs: lastAttentionMs(pull, inputs),
    openFor: Number.isNaN(ageMs) ? '' : `, open for ${formatAge(ageMs)}`,
  }
}

const PULL_STATE = `query PullState($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    state createdAt
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

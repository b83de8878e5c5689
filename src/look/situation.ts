import {
  type FromGitHub,
  type GitActor,
  type Maybe,
  type Nodes,
  nodesOf,
  type Paged,
} from '../github/client.ts'
import { graphqlError } from '../github/github-errors.ts'
import { locatePullRequest } from '../github/pull-requests.ts'
import type { Inputs } from '../inputs/table.ts'
import { type Failure, inBackticks, listOf } from '../lib/text.ts'
import { formatAge, formatDuration, RetryError, retry } from '../lib/time.ts'
import type { Job, MintlifyClient } from '../mintlify/mintlify-client.ts'
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
  /** Whether it conflicts with its base branch; `undefined` if unknown. */
  readonly conflicts?: boolean
  /** If it is open: when it was opened, or a person last reviewed it, commented, or committed, by GitHub's clock. */
  readonly waitingSinceMs?: number
  /** Such as `, open for 3 days`; empty if unknown. */
  readonly openFor: string
  /** `owner/name`, by the name that the repository has now; empty if the link isn't one of this GitHub's. */
  readonly repository: string
  /** Why it is unknown, to follow a colon; otherwise empty. */
  readonly why: string
  /** The people who have committed to it: `ada, bob, and someone`; empty if there are none. */
  readonly editors: string
}

/** A job of an earlier run or attempt, as Mintlify and GitHub show it now. */
export type ObservedJob = NamedJob & {
  /** `gone`: Mintlify doesn't know it; `unknown`: it wasn't asked, or its status is unknown to this version. */
  readonly state: 'active' | 'completed' | 'failed' | 'archived' | 'gone' | 'unknown'
  /** As Mintlify shows it. */
  readonly job: Job | undefined
  /** Its docs pull request, if it has one and that was asked for. */
  readonly pull: PullState | undefined
  /** Why it could not be looked up at Mintlify. */
  readonly failure: LookupFailure | undefined
}

type LookupFailure = Failure & {
  readonly kind: 'stop'
  readonly maybeStarted: false
  readonly isTransient: boolean
}

/** Everything that GitHub and Mintlify say before a job is started. A failed lookup is a value. */
export type Situation = {
  readonly trigger: Trigger
  /** Whether the inputs or the command contain instructions. */
  readonly hasInstructions: boolean
  /** Whether jobs of such runs are recorded in commit statuses. */
  readonly hasRecord: boolean
  readonly earlier: EarlierRuns
  /** The job of an earlier attempt of this run, and that of an earlier run if it matters. */
  readonly ownJob: ObservedJob | undefined
  readonly earlierJob: ObservedJob | undefined
  /** Why there is nothing to document (`skip-unchanged`). */
  readonly unchanged: string | undefined
  readonly nowMs: number
}

/**
 * Looks at the jobs of earlier attempts and runs.
 *
 * @param service `undefined` in a dry run, which asks only GitHub
 */
export async function look(
  earlier: EarlierRuns,
  { trigger, hasInstructions }: Pick<Situation, 'trigger' | 'hasInstructions'>,
  service: MintlifyClient | undefined,
  run: Run,
): Promise<Situation> {
  const { inputs } = run
  const { attempt, earlierJob } = earlier
  const unchanged = await findUnchanged(trigger.event, earlier.lastJob, run)
  const isGiven = inputs['job-id'] !== ''
  const isOver = isGiven || unchanged !== undefined
  const ownJob =
    !isOver && attempt.kind === 'job'
      ? await observeJob(attempt.job, true, service, run)
      : undefined
  const found = earlierJob.known ? earlierJob.value : undefined
  const mayContinue = trigger.command !== undefined || inputs['follow-up']
  const isNeeded =
    ownJob === undefined
      ? attempt.kind === 'none' || attempt.kind === 'forgotten'
      : hasEnded(ownJob) && found?.id !== ownJob.id
  return {
    trigger,
    hasInstructions,
    hasRecord: hasStatusRecord(trigger.event, run),
    earlier,
    ownJob,
    earlierJob:
      !isOver && found && isNeeded && mayContinue
        ? await observeJob(found, false, service, run)
        : undefined,
    unchanged,
    nowMs: run.clock.now(),
  }
}

/** Whether a job has ended so that it can't be continued. */
export function hasEnded({ state }: ObservedJob): boolean {
  return state === 'failed' || state === 'archived' || state === 'gone'
}

/** @param isOwn whether it is this run's: then its pull request matters only if it has ended */
async function observeJob(
  named: NamedJob,
  isOwn: boolean,
  service: MintlifyClient | undefined,
  run: Run,
): Promise<ObservedJob> {
  const { job, failure } = service ? await getEarlierJob(named, service, run) : {}
  const states = ['active', 'completed', 'failed', 'archived'] as const
  const known = states.find((state) => state === job?.status) ?? 'unknown'
  const state = service && job === undefined && failure === undefined ? 'gone' : known
  const observed: ObservedJob = { ...named, state, job, pull: undefined, failure }
  const prLink = job?.prLink ?? named.prLink
  if (prLink === '' || failure !== undefined || (isOwn && !hasEnded(observed))) return observed
  return { ...observed, pull: await readPullState(prLink, run) }
}

/** How long looking up an earlier job is retried. */
const MAX_LOOKUP_MS = 120_000
/** How long after it was recorded Mintlify may not know a job yet. */
export const EARLY_MS = 60_000

/** Gets an earlier job; neither a job nor a failure if Mintlify doesn't know it (404). */
async function getEarlierJob(
  { id, namedAtMs }: NamedJob,
  service: MintlifyClient,
  run: Run,
): Promise<{ readonly job?: Job; readonly failure?: LookupFailure }> {
  const { clock, cancel, inputs, log, mintlify } = run
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
    return { job }
  } catch (error) {
    if (!(error instanceof RetryError) || error.reason === 'cancelled') throw error
    if (hasStatus(error.cause, 404)) return {}
    const note = `The request was about the earlier job ${name}.`
    const limit = `the limit of ${formatDuration(lookupMs)}`
    const failure = notStartedFailure(error, { limit, note, mintlify })
    return { failure: { kind: 'stop', maybeStarted: false, ...failure } }
  }
}

/** How long GitHub has to find out whether a pull request conflicts, before it is asked once more. */
const CONFLICT_PAUSE_MS = 3000
const MAX_NAMED_EDITORS = 10

/** Asks GitHub for the state of a pull request in any repository, and who has committed to it. */
async function readPullState(prLink: string, run: Run): Promise<PullState> {
  const { github } = run
  const place = locatePullRequest(prLink, github)
  const none = { prLink, repository: place?.repository ?? '', why: '', openFor: '', editors: '' }
  if (place === undefined) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = place
  const ask = async () =>
    await github.read(() =>
      github.graphqlPages<PullStateAnswer>(
        PULL_STATE,
        { owner, repo, number },
        ({ repository }) => ({
          commits: repository?.pullRequest?.commits,
        }),
      ),
    )
  const first = await ask()
  if (!first.known) return { ...none, state: 'unknown', why: first.why }
  const { pages, errors } = first.value
  const pulls = pages.flatMap((page) => page.repository?.pullRequest ?? [])
  const [pull] = pulls
  none.repository = pages[0]?.repository?.nameWithOwner ?? none.repository
  const state = (['OPEN', 'MERGED', 'CLOSED'] as const).find((word) => word === pull?.state)
  if (pull == null || state === undefined) {
    if (errors.some(({ type }) => type === 'NOT_FOUND')) return { ...none, state: 'invisible' }
    const why = errors[0]
      ? graphqlError(errors[0]).message
      : 'GitHub returned something that is not a pull request'
    return { ...none, state: 'unknown', why }
  }
  if (state !== 'OPEN') return { ...none, state: state === 'MERGED' ? 'merged' : 'closed' }
  const ageMs = run.clock.now() - Date.parse(pull.createdAt ?? '')
  const openFor = Number.isNaN(ageMs) ? '' : `, open for ${formatAge(ageMs)}`
  const people = findEditors(pulls, run.inputs)
  const more = people.length - MAX_NAMED_EDITORS
  const editors = listOf([
    ...people.slice(0, MAX_NAMED_EDITORS),
    ...(more > 0 ? [`${more} more`] : []),
  ])
  let { mergeable } = pull
  if (mergeable === 'UNKNOWN') {
    await github.pause(CONFLICT_PAUSE_MS)
    const again = await ask()
    mergeable = again.known ? again.value.pages[0]?.repository?.pullRequest?.mergeable : undefined
  }
  const isKnown = mergeable === 'CONFLICTING' || mergeable === 'MERGEABLE'
  const conflicts = isKnown ? { conflicts: mergeable === 'CONFLICTING' } : {}
  const waitingSinceMs = lastAttentionMs(pulls, run.inputs)
  return { ...none, state: 'open', openFor, editors, waitingSinceMs, ...conflicts }
}

/** 250 commits are all that GitHub lists of a pull request. */
const PULL_STATE = `query PullState($owner: String!, $repo: String!, $number: Int!, $commits: String) {
  repository(owner: $owner, name: $repo) { nameWithOwner pullRequest(number: $number) {
    mergeable state createdAt
    reviews(last: 100) { nodes { submittedAt author { __typename login } } }
    comments(last: 100) { nodes { createdAt author { __typename login } } }
    commits(first: 100, after: $commits) { pageInfo { hasNextPage endCursor } nodes { commit {
      committedDate parents { totalCount } authors(first: 100) { nodes { email user { login } } } } } } } } }`

type AuthoredCommit = FromGitHub<{
  committedDate: string
  parents: FromGitHub<{ totalCount: number }>
  authors: Nodes<GitActor>
}>
type PullActor = FromGitHub<{ __typename: string; login: string }>
type PullStateNode = FromGitHub<{
  state: string
  createdAt: string
  mergeable: string
  reviews: Nodes<FromGitHub<{ submittedAt: string; author: PullActor }>>
  comments: Nodes<FromGitHub<{ createdAt: string; author: PullActor }>>
  commits: Paged<FromGitHub<{ commit: AuthoredCommit }>>
}>
type PullStateAnswer = FromGitHub<{
  repository: FromGitHub<{ nameWithOwner: string; pullRequest: PullStateNode }>
}>

/** Finds who wrote the commits, except merges, and isn't an App or in `ignore-authors`. `someone` has no account. */
function findEditors(pages: readonly PullStateNode[], inputs: Inputs): string[] {
  const commits = pages.flatMap((page) => nodesOf(page.commits))
  const own = commits.filter(({ commit }) => (commit?.parents?.totalCount ?? 1) < 2)
  const people = own
    .flatMap(({ commit }) => nodesOf(commit?.authors))
    .filter((author) => isPerson(author, inputs))
  const logins = people.flatMap(({ user }) => user?.login || [])
  return [...new Set(logins), ...(logins.length < people.length ? ['someone'] : [])]
}

function isPerson({ email, user }: GitActor, inputs: Inputs): boolean {
  const isApp = /\[bot\](?:$|@users\.noreply\.)/.test(user?.login ?? email ?? '')
  return !isApp && ownAuthor({ login: user?.login, email }, inputs) === undefined
}

/** Returns when it was opened, or when a person last did something about it: of reviews and comments the newest 100. */
function lastAttentionMs(pages: readonly PullStateNode[], inputs: Inputs): number {
  const [pull] = pages
  const isByPerson = (author: Maybe<PullActor>): boolean =>
    author?.__typename === 'User' && isPerson({ user: author }, inputs)
  const commits = pages.flatMap((page) => nodesOf(page.commits))
  const times = [
    pull?.createdAt,
    ...nodesOf(pull?.reviews).map((one) => isByPerson(one.author) && one.submittedAt),
    ...nodesOf(pull?.comments).map((one) => isByPerson(one.author) && one.createdAt),
    ...commits.map(
      ({ commit }) =>
        nodesOf(commit?.authors).some((author) => isPerson(author, inputs)) &&
        commit?.committedDate,
    ),
  ]
  return Math.max(...times.map((time) => Date.parse(time || '') || 0))
}

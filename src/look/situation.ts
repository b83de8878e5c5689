import {
  type FromGitHub,
  type GitActor,
  type Nodes,
  nodesOf,
  type Paged,
} from '../github/client.ts'
import { graphqlError } from '../github/github-errors.ts'
import { locatePullRequest } from '../github/pull-requests.ts'
import type { Inputs } from '../inputs/table.ts'
import { inBackticks, listOf } from '../lib/text.ts'
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
  /** Why it is unknown, to follow a colon; otherwise empty. */
  readonly why: string
  /** Whether it is known to conflict with its base branch. */
  readonly conflicts?: boolean
  /** If it is open: when it was opened, or a person last reviewed it, commented, or committed, by GitHub's clock. */
  readonly waitingSinceMs?: number
  /** Such as `, open for 3 days`; empty if unknown. */
  readonly openFor: string
  /** The people who have committed to it: `ada, bob, and someone`; empty if there are none. */
  readonly editors: string
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
  const { inputs, clock } = run
  const { attempt } = earlier
  const unchanged = await findUnchanged(trigger.event, earlier.lastJob, run)
  const hasRecord = hasStatusRecord(trigger.event, run)
  const facts = { trigger, hasInstructions, hasRecord, earlier, unchanged }
  const isUnclear = attempt.kind === 'maybe-started' || attempt.kind === 'unknown'
  if (unchanged !== undefined || inputs['job-id'] !== '' || isUnclear)
    return { ...facts, nowMs: clock.now() }
  const ownJob =
    attempt.kind === 'job' ? await observeJob(attempt.job, true, service, run) : undefined
  const found = earlier.earlierJob.known ? earlier.earlierJob.value : undefined
  const mayContinue = trigger.command !== undefined || inputs['follow-up']
  const isNeeded = ownJob === undefined || (hasEnded(ownJob) && found?.id !== ownJob.id)
  const earlierJob =
    found && mayContinue && isNeeded ? await observeJob(found, false, service, run) : undefined
  return { ...facts, nowMs: clock.now(), ownJob, earlierJob }
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
  const shown = service ? await getEarlierJob(named, service, run) : ({ state: 'unknown' } as const)
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
  service: MintlifyClient,
  run: Run,
): Promise<Pick<ObservedJob, 'state' | 'job' | 'failure'>> {
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

/** How long GitHub has to find out whether a pull request conflicts, before it is asked once more. */
const CONFLICT_PAUSE_MS = 3000

/** Asks GitHub for the state of a pull request in any repository, and who has committed to it. */
async function readPullState(prLink: string, run: Run, isAgain = false): Promise<PullState> {
  const { github, inputs } = run
  const place = locatePullRequest(prLink, github)
  const none = { prLink, why: '', openFor: '', editors: '' }
  if (!place) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = place
  const commitsOf = ({ repository }: PullStateAnswer) => ({
    commits: repository?.pullRequest?.commits,
  })
  const answer = await github.read(() =>
    github.graphqlPages(PULL_STATE, { owner, repo, number }, commitsOf),
  )
  if (!answer.known) return { ...none, state: 'unknown', why: answer.why }
  const { pages, errors } = answer.value
  const pulls = pages.flatMap((page) => page.repository?.pullRequest ?? [])
  const [pull] = pulls
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
  if (pull.mergeable === 'UNKNOWN' && !isAgain) {
    await github.pause(CONFLICT_PAUSE_MS)
    const next = await readPullState(prLink, run, true)
    if (next.state !== 'unknown') return next
  }
  const ageMs = run.clock.now() - Date.parse(pull.createdAt ?? '')
  return {
    ...none,
    state,
    conflicts: pull.mergeable === 'CONFLICTING',
    waitingSinceMs: lastAttentionMs(pulls, inputs),
    openFor: Number.isNaN(ageMs) ? '' : `, open for ${formatAge(ageMs)}`,
    editors: listEditors(pulls, inputs),
  }
}

/** 250 commits are all that GitHub lists of a pull request. */
const PULL_STATE = `query PullState($owner: String!, $repo: String!, $number: Int!, $commits: String) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    mergeable state createdAt
    reviews(last: 100) { nodes { at: submittedAt author { __typename login } } }
    comments(last: 100) { nodes { at: createdAt author { __typename login } } }
    commits(first: 100, after: $commits) { pageInfo { hasNextPage endCursor } nodes { commit {
      committedDate parents { totalCount } authors(first: 100) { nodes { email user { login } } } } } } } } }`

type AuthoredCommit = FromGitHub<{
  committedDate: string
  parents: FromGitHub<{ totalCount: number }>
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
  mergeable: string
  reviews: Nodes<Contribution>
  comments: Nodes<Contribution>
  commits: Paged<FromGitHub<{ commit: AuthoredCommit }>>
}>
type PullStateAnswer = FromGitHub<{ repository: FromGitHub<{ pullRequest: PullStateNode }> }>

function commitsIn(pages: readonly PullStateNode[]): AuthoredCommit[] {
  return pages.flatMap((page) => nodesOf(page.commits)).flatMap(({ commit }) => commit ?? [])
}

/** Returns when it was opened, or when a person last did something about it: of reviews and comments the newest 100. */
function lastAttentionMs(pages: readonly PullStateNode[], inputs: Inputs): number {
  const [pull] = pages
  const contributions = [...nodesOf(pull?.reviews), ...nodesOf(pull?.comments)].filter(
    ({ author }) => author?.__typename === 'User' && isPersonsWork({ user: author }, inputs),
  )
  const commits = commitsIn(pages).filter(({ authors }) =>
    nodesOf(authors).some((author) => isPersonsWork(author, inputs)),
  )
  const times = [
    pull?.createdAt,
    ...contributions.map(({ at }) => at),
    ...commits.map(({ committedDate }) => committedDate),
  ]
  return Math.max(...times.map((time) => Date.parse(time ?? '') || 0))
}

const MAX_NAMED_EDITORS = 10

/** Names who wrote the commits, except merges, and isn't an App or in `ignore-authors`. `someone` has no account. */
function listEditors(pages: readonly PullStateNode[], inputs: Inputs): string {
  const people = commitsIn(pages)
    .filter(({ parents }) => (parents?.totalCount ?? 1) < 2)
    .flatMap(({ authors }) => nodesOf(authors))
    .filter((author) => isPersonsWork(author, inputs))
  const logins = people.flatMap(({ user }) => user?.login ?? [])
  const names = [...new Set(logins)]
  if (logins.length < people.length) names.push('someone')
  const more = names.length - MAX_NAMED_EDITORS
  if (more > 0) names.splice(MAX_NAMED_EDITORS, more, `${more} more`)
  return listOf(names)
}

function isPersonsWork(author: GitActor, inputs: Inputs): boolean {
  const { user, email } = author
  const isApp = /\[bot\](?:$|@users\.noreply\.)/.test(user?.login ?? email ?? '')
  return !isApp && ownAuthor(author, inputs) === undefined
}

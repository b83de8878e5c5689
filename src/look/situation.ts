import { type FromGitHub, type Nodes, nodesOf } from '../github/client.ts'
import { GitHubError, graphqlError, NeededCallError } from '../github/github-errors.ts'
import { type GitActor, locatePullRequest } from '../github/pull-requests.ts'
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
import { isRerun, type Run } from '../runner/run.ts'
import { type Changes, readChanges } from './changes.ts'
import { findInComments, isInsider, type PriorPosts, readPosts } from './comments.ts'
import { type EarlierRuns, findInStatuses, NOTHING_EARLIER } from './earlier-runs.ts'
import { followedBranch, type GitHubEvent } from './event.ts'
import { hasStatusRecord, type NamedJob } from './status.ts'
import { readTags, type Tags } from './tags.ts'
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

/** Everything that GitHub and Mintlify show before a job is started. */
export type Situation = {
  readonly trigger: Trigger
  /** Whether the inputs or the command contain instructions. */
  readonly hasInstructions: boolean
  readonly earlier: EarlierRuns
  /** Of a push of a tag, or of a release. */
  readonly tags?: Tags | undefined
  readonly nowMs: number
  /** The job of an earlier attempt of this run, and that of an earlier run if it matters. */
  readonly ownJob?: ObservedJob | undefined
  readonly earlierJob?: ObservedJob | undefined
  /** What the event is about; `undefined` if it is about no changes, or they aren't needed. */
  readonly changes?: Changes | undefined
  /** Of a review that requests changes. */
  readonly lineComments: readonly LineComment[]
  /** The comments before a command; `undefined` if there are none, or they aren't needed. */
  readonly conversation?: PriorPosts | undefined
}

/**
 * Looks at the record and at the changes, which may already decide to skip the run.
 *
 * @throws {NeededCallError} if something can't be read that the run can't do without
 */
export async function look(
  { trigger: given, hasInstructions }: Pick<Situation, 'trigger' | 'hasInstructions'>,
  run: Run,
): Promise<Situation> {
  const { command } = given
  const isRecorded = !command && hasStatusRecord(given.event, run)
  const event = isRecorded ? await markFollowedTag(given.event, run) : given.event
  const trigger = { event, command }
  const tags = isRecorded ? await run.github.need(READ_TAGS, () => readTags(event, run)) : undefined
  const earlier = await findEarlier(trigger, tags, run)
  const nowMs = run.clock.now()
  const start = { trigger, hasInstructions, tags, earlier, nowMs, lineComments: [] }
  // Otherwise the job of the command, or of the earlier attempt, decides whether the changes matter.
  const canDecideByChanges = command === undefined && earlier.attempt.kind !== 'job'
  return canDecideByChanges ? { ...start, changes: await readNeededChanges(start, run) } : start
}

const READ_TAGS = { purpose: 'list the tags', permission: 'contents: read' }

const FOLLOWED_REFS = `query FollowedRefs($owner: String!, $repo: String!, $branch: String!, $tag: String!) {
  repository(owner: $owner, name: $repo) { branch: ref(qualifiedName: $branch) { name } tag: ref(qualifiedName: $tag) { name } } }`

type RefAnswer = FromGitHub<{
  repository: FromGitHub<Record<'branch' | 'tag', FromGitHub<{ name: string }>>>
}>

/** Finds out whether the run that a `workflow_run` follows was about a tag, which the payload names like a branch. */
async function markFollowedTag(
  event: GitHubEvent,
  { github, environment }: Run,
): Promise<GitHubEvent> {
  const name = followedBranch(event, environment)
  if (name === undefined || name === event.payload.repository?.default_branch) return event
  const refs = { branch: `refs/heads/${name}`, tag: `refs/tags/${name}` }
  const { branch, tag } = await github.need(READ_TAGS, async () => {
    const variables = { ...github.repository, ...refs }
    const { data, errors } = await github.graphql<RefAnswer>(FOLLOWED_REFS, variables)
    // A ref that doesn't exist is null without an error.
    if (errors[0]) throw graphqlError(errors[0])
    return data.repository ?? {}
  })
  return { ...event, followsTag: tag != null && branch == null }
}

/**
 * Looks at the jobs of earlier attempts and runs and at their docs pull requests, and at what is needed for the prompt.
 *
 * @throws {NeededCallError} as `look`
 */
export async function lookAtJobs(start: Situation, run: Run): Promise<Situation> {
  const { inputs, clock } = run
  const { trigger, earlier } = start
  const { command } = trigger
  const jobs = inputs['job-id'] === '' ? await observeJobs(earlier, trigger, run) : {}
  const observed = { ...start, ...jobs, nowMs: clock.now() }
  if (command?.kind === 'review') {
    const canSend = canTakeMessage(jobs.ownJob ?? jobs.earlierJob)
    return { ...observed, lineComments: canSend ? await readLineComments(command, run) : [] }
  }
  // The job knows the changes already, and gets only the command.
  const isReply = command !== undefined && canTakeMessage(jobs.earlierJob)
  const changes = isReply ? undefined : (start.changes ?? (await readNeededChanges(observed, run)))
  const isPlain = inputs.context === 'none'
  const conversation = isPlain ? undefined : await readPosts(trigger, earlier, isReply, run)
  return { ...observed, changes, conversation }
}

/** Reads the changes. A run that waits for the job of an earlier attempt can do without them. */
async function readNeededChanges(
  { trigger, hasInstructions, earlier, tags, ownJob }: Situation,
  run: Run,
): Promise<Changes | undefined> {
  const isUnused =
    !hasInstructions || earlier.attempt.kind === 'unclear' || trigger.command?.kind === 'review'
  if (isUnused) return undefined
  const read = () => readChanges(trigger.event, earlier, tags, run)
  const isOptional = ownJob !== undefined && !hasEnded(ownJob)
  return isOptional ? await readOptional(read, undefined, () => true, run) : await read()
}

/** Makes a required lookup optional if its failure permits that. */
async function readOptional<T>(
  read: () => Promise<T>,
  otherwise: T,
  canDoWithout: (error: GitHubError) => boolean,
  { github }: Run,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof NeededCallError && canDoWithout(error.cause))) throw error
    github.report(error.cause, error)
    return otherwise
  }
}

/**
 * Finds what earlier runs recorded. With `follow-up: false`, a run can do without it; a re-run only if the first attempt
 * couldn't record anything either, because a permission is missing.
 */
async function findEarlier(
  { event, command }: Trigger,
  tags: Tags | undefined,
  run: Run,
): Promise<EarlierRuns> {
  if (command) return await findInComments(command, run)
  const find = () => findInStatuses(event, tags, run)
  if (run.inputs['follow-up']) return await find()
  const isAgain = isRerun(run.environment)
  const kind = isAgain ? 'not-recorded' : 'none'
  const unknown: EarlierRuns = { ...NOTHING_EARLIER, attempt: { kind } }
  return await readOptional(find, unknown, (error) => !isAgain || error.kind === 'permission', run)
}

async function observeJobs(
  { attempt, earlierJob: found, unsignedJobs = [] }: EarlierRuns,
  { command }: Trigger,
  run: Run,
): Promise<Pick<Situation, 'ownJob' | 'earlierJob'>> {
  if (attempt.kind === 'unclear') return {}
  const ownJob = attempt.kind === 'job' ? await observeJob(attempt.job, true, run) : undefined
  const mayContinue = command !== undefined || run.inputs['follow-up']
  // The run's own job, unless it has ended, needs no earlier one. The same job isn't looked at twice.
  const isNeeded = ownJob === undefined || (hasEnded(ownJob) && found?.id !== ownJob.id)
  if (!mayContinue || !isNeeded) return { ownJob }
  const earlierJob = found
    ? await observeJob(found, false, run)
    : await findConfirmedJob(unsignedJobs, run)
  return { ownJob, earlierJob }
}

/** Finds the first job that opened its pull request, as Mintlify shows it: while it is active, Mintlify may not show that. */
async function findConfirmedJob(
  jobs: readonly NamedJob[],
  run: Run,
): Promise<ObservedJob | undefined> {
  const [first] = jobs
  // A dry run asks only GitHub.
  if (run.inputs['dry-run']) return first && (await observeJob(first, false, run))
  const deadlineMs = run.clock.now() + run.inputs.timeout
  for (const named of jobs) {
    let shown = await getEarlierJob(named, run, isUnknownJob)
    while (shown.state === 'active' && !shown.job?.prLink && run.clock.now() < deadlineMs) {
      await run.clock.sleep(CONFIRM_PAUSE_MS, run.cancel)
      shown = await getEarlierJob(named, run, isUnknownJob)
    }
    if (shown.failure) return { ...named, ...shown }
    if (await isSamePull(shown.job?.prLink ?? '', named.prLink, run))
      return { ...named, ...shown, pull: await readPullState(named.prLink, run) }
  }
  return undefined
}

/** Between two looks at a job that has not named its pull request yet. */
const CONFIRM_PAUSE_MS = 10_000

/** Whether Mintlify rejects the ID of a job: anyone can write one into a comment. */
function isUnknownJob(error: unknown): boolean {
  return [400, 404, 405, 410, 414, 422].some((status) => hasStatus(error, status))
}

const REPOSITORY_ID = `query RepositoryId($owner: String!, $repo: String!) {
  repository(owner: $owner, name: $repo) { databaseId } }`

type RepositoryAnswer = FromGitHub<{ repository: FromGitHub<{ databaseId: number }> }>

/** Whether a link is one to a pull request of the run's repository, which may have been renamed since. */
async function isSamePull(link: string, ownLink: string, run: Run): Promise<boolean> {
  const { github, environment } = run
  const [place, own] = [locatePullRequest(link, github), locatePullRequest(ownLink, github)]
  if (!place || !own || place.number !== own.number) return false
  if (place.repository.toLowerCase() === own.repository.toLowerCase()) return true
  const { owner, repo } = place
  const call = { purpose: 'identify the docs repository', permission: 'metadata: read' }
  return await github.need(call, async () => {
    const { data, errors } = await github.graphql<RepositoryAnswer>(REPOSITORY_ID, { owner, repo })
    // A repository that the token can't see is another one.
    const error = errors.find(({ type }) => type !== 'NOT_FOUND')
    if (error) throw graphqlError(error)
    const id = data.repository?.databaseId
    return id != null && `${id}` === environment.repositoryId
  })
}

/** Whether a job can be sent a message: it and its docs pull request have not ended. */
export function canTakeMessage(job: ObservedJob | undefined): job is ObservedJob {
  return job !== undefined && !hasEnded(job) && !isOver(job.pull)
}

/** Whether a docs pull request was merged or closed, so that it can't be updated. */
export function isOver(
  pull: PullState | undefined,
): pull is PullState & { readonly state: 'merged' | 'closed' } {
  return pull?.state === 'merged' || pull?.state === 'closed'
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

/** @param isGone whether an error means that there is no such job */
async function getEarlierJob(
  { id, recordedAtMs }: NamedJob,
  run: Run,
  isGone = (error: unknown): boolean => hasStatus(error, 404),
): Promise<Pick<ObservedJob, 'state' | 'job' | 'failure'>> {
  const { clock, cancel, inputs, log, mintlify, service } = run
  const name = inBackticks(id)
  const lookupMs = Math.min(MAX_LOOKUP_MS, inputs.timeout)
  const deadlineMs = clock.now() + lookupMs
  const isNew = (error: unknown): boolean =>
    hasStatus(error, 404) && clock.now() - recordedAtMs < EARLY_MS
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
    if (isGone(error.cause)) return { state: 'gone' }
    const note = `The request was about the earlier job ${name}.`
    const limit = `the limit of ${formatDuration(lookupMs)}`
    return { state: 'unknown', failure: notStartedFailure(error, { limit, note, mintlify }) }
  }
}

/** Asks GitHub for the state of a pull request in any repository, and when a person last did something about it. */
async function readPullState(prLink: string, run: Run): Promise<PullState> {
  const { github, clock, inputs } = run
  const place = locatePullRequest(prLink, github)
  const none = { prLink, openFor: '' }
  if (!place) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = place
  const call = { purpose: 'read the docs pull request', permission: 'pull-requests: read' }
  return await github.need(call, async () => {
    const { data, errors } = await github.graphql<PullStateAnswer>(PULL_STATE, {
      owner,
      repo,
      number,
    })
    const pull = data.repository?.pullRequest
    const states = ['open', 'merged', 'closed'] as const
    const state = states.find((word) => word.toUpperCase() === pull?.state)
    if (!pull || !state) {
      const [error] = errors
      if (errors.some(({ type }) => type === 'NOT_FOUND')) return { ...none, state: 'invisible' }
      const words = 'GitHub returned something that is not a pull request'
      throw error ? graphqlError(error) : new GitHubError(words)
    }
    if (state !== 'open') return { ...none, state }
    // It could be approved, or, with `pause-after`, have a person's newer comment or commit.
    const { reviews, comments, commits } = pull
    const isPart = !reviews || (inputs['pause-after'] && !(comments && commits))
    if (errors[0] && isPart) throw graphqlError(errors[0])
    const ageMs = clock.now() - Date.parse(pull.createdAt ?? '')
    return {
      ...none,
      state,
      waitingSinceMs: lastAttentionMs(pull, clock.now(), inputs),
      isApproved: isApproved(pull),
      openFor: Number.isNaN(ageMs) ? '' : `, open for ${formatAge(ageMs)}`,
    }
  })
}

const PULL_STATE = `query PullState($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    state createdAt autoMergeRequest { enabledAt }
    reviews(last: 100) { nodes { at: submittedAt state authorCanPushToRepository author { __typename login } } }
    comments(last: 100) { nodes { at: createdAt authorAssociation author { __typename login } } }
    commits(last: 100) { nodes { commit { committedDate authors(first: 100) { nodes { email user { login } } } } } } } } }`

type AuthoredCommit = FromGitHub<{
  committedDate: string
  authors: Nodes<GitActor>
}>
/** A review or a comment. */
type Contribution = FromGitHub<{
  at: string
  state: string
  authorCanPushToRepository: boolean
  authorAssociation: string
  author: FromGitHub<{ __typename: string; login: string }>
}>
type PullStateNode = FromGitHub<{
  state: string
  createdAt: string
  autoMergeRequest: FromGitHub<{ enabledAt: string }>
  reviews: Nodes<Contribution>
  comments: Nodes<Contribution>
  commits: Nodes<FromGitHub<{ commit: AuthoredCommit }>>
}>
type PullStateAnswer = FromGitHub<{ repository: FromGitHub<{ pullRequest: PullStateNode }> }>

/** Returns the reviews by people who can push. */
function reviewsOfWriters({ reviews }: PullStateNode): Contribution[] {
  return nodesOf(reviews).filter(
    ({ author, authorCanPushToRepository: canPush }) => canPush && author?.__typename === 'User',
  )
}

/** Whether it is merged as soon as its checks pass, or people who can push approve it and request no changes. */
function isApproved(pull: PullStateNode): boolean {
  // The newest of each author counts; a comment isn't an opinion.
  const opinions = reviewsOfWriters(pull).filter(({ state }) => state !== 'COMMENTED')
  const states = [...new Map(opinions.map(({ author, state }) => [author?.login, state])).values()]
  const areForIt = states.includes('APPROVED') && !states.includes('CHANGES_REQUESTED')
  return pull.autoMergeRequest != null || areForIt
}

/**
 * Returns when it was opened, or when a person who has a say last did something about it: of each the newest 100. Anyone
 * can date a commit, so that times in the future are left out.
 */
function lastAttentionMs(pull: PullStateNode, nowMs: number, inputs: Inputs): number {
  const comments = nodesOf(pull.comments).filter(
    ({ author, authorAssociation }) =>
      author?.__typename === 'User' && isInsider(authorAssociation),
  )
  const commits = nodesOf(pull.commits).filter(({ commit }) =>
    nodesOf(commit?.authors).some((author) => isPersonsWork(author, inputs)),
  )
  const times = [
    pull.createdAt,
    ...[...reviewsOfWriters(pull), ...comments].map(({ at }) => at),
    ...commits.map(({ commit }) => commit?.committedDate),
  ].map((time) => Date.parse(time ?? '') || 0)
  return Math.max(...times.filter((time) => time <= nowMs))
}

function isPersonsWork(author: GitActor, inputs: Inputs): boolean {
  const { user, email } = author
  const isApp = /\[bot\](?:$|@users\.noreply\.)/.test(user?.login ?? email ?? '')
  return !isApp && ownAuthor(author, inputs) === undefined
}

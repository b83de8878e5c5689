import { type Changes, READ_CHANGES, readChanges } from '../changes/changes.ts'
import { listNeededPulls } from '../changes/sources.ts'
import { readTags, type Tags } from '../changes/tags.ts'
import type { GitHubEvent } from '../event/event.ts'
import { type FromGitHub, type Nodes, nodesOf } from '../github/client.ts'
import { GitHubError, type GraphqlError, graphqlError } from '../github/github-errors.ts'
import { locatePullRequest, parsePullRequest } from '../lib/http.ts'
import { inBackticks, joinSentences, Problem } from '../lib/text.ts'
import { formatAge, formatDuration, RetryError, retry } from '../lib/time.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  describeLimit,
  EARLY_MS,
  hasStatus,
  isRetryable,
  type MintlifyError,
  PAUSES,
} from '../mintlify/mintlify-errors.ts'
import {
  FIND,
  type Memory,
  type NamedJob,
  NO_MEMORY,
  readMemory,
  readSharedJobs,
} from '../record/record.ts'
import type { Run } from '../runner/run.ts'
import { type QuotedComment, readOpenReviews, readPosts } from './conversation.ts'

/** A docs pull request of an earlier job. */
export type PullState = {
  readonly prLink: string
  /** `invisible`: GitHub knows none that the token can read; `elsewhere`: not on this GitHub server. */
  readonly state: 'open' | 'merged' | 'closed' | 'invisible' | 'elsewhere'
  /** How long ago it was opened, in milliseconds; 0 if unknown. */
  readonly ageMs: number
  /** Whether it is approved, or is merged as soon as its checks pass. */
  readonly isApproved: boolean
  /** Whether a person closed it without merging it. */
  readonly isRejected: boolean
}

/** A job of an earlier run or attempt, as Mintlify and GitHub show it now. */
export type ObservedJob = NamedJob & {
  /** `gone`: Mintlify doesn't know it; `unknown`: it wasn't asked, or its status is unknown to this version. */
  readonly state: 'active' | 'completed' | 'failed' | 'archived' | 'gone' | 'unknown'
  /** As Mintlify shows it. */
  readonly job?: Job | undefined
  /** Why it could not be looked up at Mintlify. */
  readonly problem?: Problem | undefined
  /** Its docs pull request, if it has one and that was asked for. */
  readonly pull?: PullState | undefined
  /** Whether Mintlify itself has named the docs pull request. */
  readonly isNamed: boolean
}

/** Everything that GitHub and Mintlify show before a job is started. */
export type Situation = {
  readonly event: GitHubEvent
  /** Whether the inputs or the command contain instructions. */
  readonly hasInstructions: boolean
  readonly memory: Memory
  /** Whether a command is on a docs pull request. */
  readonly isOnDocs: boolean
  /** Of a push of a tag, or of a release. */
  readonly tags?: Tags | undefined
  /** What the event is about; `undefined` if it is about no changes, or they aren't needed. */
  readonly changes?: Changes | undefined
  /** The docs pull request of the first of `memory.jobs`, if its record names one. */
  readonly docs?: PullState | undefined
  /** When Mintlify was asked first about a job, in milliseconds since the epoch; `undefined` if it wasn't. */
  readonly askedAtMs?: number
  /** The job of an earlier attempt of this run; those of earlier runs, up to the first that can be continued. */
  readonly ownJob?: ObservedJob | undefined
  readonly earlierJobs: readonly ObservedJob[]
  /** Of a command on a docs pull request: the comments of unresolved threads. */
  readonly reviews: readonly QuotedComment[]
  /** The comments before a command, oldest first. */
  readonly posts: readonly QuotedComment[]
}

/**
 * Looks at the record, the changes, and the docs pull request, which may already decide to skip the run.
 *
 * @throws {Problem} if something can't be read that the run can't do without
 */
export async function look(
  event: GitHubEvent,
  hasInstructions: boolean,
  run: Run,
): Promise<Situation> {
  const { inputs } = run
  const start = {
    event,
    hasInstructions,
    isOnDocs: event.isDocsPull,
    earlierJobs: [],
    reviews: [],
    posts: [],
  }
  if (inputs['job-id'] !== '' && !hasInstructions) return { ...start, memory: NO_MEMORY }
  const tags = event.tag ? await readTags(event, run) : undefined
  const memory = await readRecord(event, run)
  const named = locatePullRequest(memory.last?.link ?? '', run.github)
  const isHere = named?.repository.toLowerCase() === run.github.name.toLowerCase()
  const isOnDocs = event.isDocsPull || (isHere && named.number === event.subject?.number)
  const reviews = isOnDocs && event.command ? await readOpenReviews(event, run) : []
  const situation = { ...start, isOnDocs, memory, tags, reviews }
  const { kind } = memory.attempt
  // Otherwise the job of the command, or of the earlier attempt, decides whether the changes matter.
  const areNeeded = !event.command && kind !== 'job' && kind !== 'unclear'
  if (!areNeeded) return situation
  const changes = await readChanges(event, memory, tags, run)
  const [{ id = '', prLink = '' } = {}, ...others] = memory.jobs
  // Of several jobs, Mintlify decides.
  const isOnly = others.every((other) => other.id === id)
  const docs = prLink && isOnly ? await readPullState(prLink, run) : undefined
  return { ...situation, changes, docs }
}

/** Reads the record. A run that follows up nothing can do without it. */
async function readRecord(event: GitHubEvent, run: Run): Promise<Memory> {
  const read = () => readMemory(event, run)
  if (run.inputs['follow-up']) return await read()
  const known = await run.github.optional(FIND, read)
  return known.known ? known.value : NO_MEMORY
}

/** Looks at the jobs of earlier attempts and runs, at their docs pull requests, and at what the prompt needs. */
export async function lookAtJobs(known: Situation, run: Run): Promise<Situation> {
  const { event, memory } = known
  const { attempt } = memory
  const { command } = event
  if (run.inputs['job-id'] !== '' || attempt.kind === 'unclear') return known
  const start = { ...known, askedAtMs: run.clock.now() }
  const ownJob = attempt.kind === 'job' ? await observe(attempt.job, undefined, run) : undefined
  if (ownJob && !isUnusable(ownJob)) {
    // The re-run repeats what its job is about.
    const read = () => readChanges(event, memory, start.tags, run)
    const changes = !command ? await run.github.optional(READ_CHANGES, read) : undefined
    return { ...start, ownJob, changes: changes?.known ? changes.value : undefined }
  }
  const earlierJobs = await lookAtEarlierJobs(start, run)
  const situation = { ...start, ownJob, earlierJobs }
  // The job knows the changes already, and gets only the command.
  const isReply = hasOwnRequest(situation) && findContinued(situation) !== undefined
  const areRead = start.changes !== undefined || isReply
  const changes = areRead ? start.changes : await readChanges(event, memory, start.tags, run)
  const posts = command ? await readPosts(event, memory, isReply, run) : []
  return { ...situation, changes, posts }
}

async function lookAtEarlierJobs(start: Situation, run: Run): Promise<readonly ObservedJob[]> {
  const { event, memory, changes, docs } = start
  const seen = new Set<string>()
  const found: ObservedJob[] = []
  /** Returns whether one of the jobs ends the search. */
  const observeAll = async (jobs: readonly NamedJob[]): Promise<boolean> => {
    for (const named of jobs) {
      if (seen.has(named.id)) continue
      seen.add(named.id)
      const job = await observe(named, docs, run)
      found.push(job)
      if (job.problem || isBlocking(job) || canContinue(job, start)) return true
    }
    return false
  }
  const isDone = await observeAll(memory.jobs)
  // A run on a branch continues the docs job of the newest merged pull request that it is about.
  const isOnBranch = event.about === 'push' || event.about === 'branch'
  const mayShare = isOnBranch && run.inputs['follow-up'] && run.inputs.matrix === ''
  const [newest] = mayShare ? listNeededPulls(changes?.commits.toReversed() ?? [], run.inputs) : []
  if (!isDone && newest && memory.sha) await observeAll(await readSharedJobs(newest.number, run))
  return found
}

/** Whether a command asks for more than the workflow's prompt. */
export function hasOwnRequest({ event: { command }, reviews }: Situation): boolean {
  return command !== undefined && (command.request !== '' || reviews.length > 0)
}

/** Finds the earlier job that gets a message. */
export function findContinued(situation: Situation): ObservedJob | undefined {
  return situation.earlierJobs.find((job) => canContinue(job, situation))
}

/** Whether a job can be continued: it takes messages, and its docs pull request is open, or it may still open one. */
function canContinue(job: ObservedJob, { event: { command }, isOnDocs }: Situation): boolean {
  const { pull, state } = job
  if (job.problem || isUnusable(job)) return false
  // On a docs pull request, a job that opened another one isn't continued.
  const { number } = parsePullRequest(job.job?.prLink ?? '')
  if (command && isOnDocs && number && Number(number) !== command.thread.number) return false
  if (pull?.state === 'open' || pull?.state === 'elsewhere') return true
  if (pull?.state === 'merged' || pull?.state === 'closed') return false
  return !isBlocking(job) && (command !== undefined || state === 'active' || state === 'unknown')
}

/** Whether a docs pull request that Mintlify names can't be read, so that no run can continue its job. */
export function isBlocking(job: ObservedJob): boolean {
  return job.pull?.state === 'invisible' && job.isNamed && !isUnusable(job)
}

/** Whether a job failed, was archived, or is gone, so that it takes no message. */
export function isUnusable({ state }: ObservedJob): boolean {
  return state === 'failed' || state === 'archived' || state === 'gone'
}

/** @param docs a docs pull request that is known already */
async function observe(
  named: NamedJob,
  docs: PullState | undefined,
  run: Run,
): Promise<ObservedJob> {
  const { inputs } = run
  const readPull = async (link: string): Promise<PullState | undefined> =>
    link === docs?.prLink ? docs : link ? await readPullState(link, run) : undefined
  // A dry run asks only GitHub.
  if (inputs['dry-run']) {
    return { ...named, state: 'unknown', pull: await readPull(named.prLink), isNamed: true }
  }
  const answer = await readEarlierJob(named, run)
  if (answer instanceof Problem)
    return { ...named, state: 'unknown', problem: answer, isNamed: false }
  const states = ['active', 'completed', 'failed', 'archived'] as const
  const state = answer ? (states.find((one) => one === answer.status) ?? 'unknown') : 'gone'
  const isNamed = answer?.prLink != null
  // A job that has ended without a docs pull request has none, whatever a status says.
  const ofStatus = answer && isTerminal(answer.status) ? '' : named.prLink
  const prLink = answer?.prLink ?? ofStatus
  return { ...named, prLink, state, job: answer, isNamed, pull: await readPull(prLink) }
}

/** How long looking up an earlier job is retried. */
const MAX_LOOKUP_MS = 120_000

/** Asks Mintlify for an earlier job: `undefined` if there is none, a problem if that can't be known. */
async function readEarlierJob(
  { id, recordedAtMs }: NamedJob,
  run: Run,
): Promise<Job | Problem | undefined> {
  const { clock, cancel, inputs, log, mintlifyName, mintlify } = run
  const name = inBackticks(id)
  const lookupMs = Math.min(MAX_LOOKUP_MS, inputs.timeout)
  const deadlineMs = clock.now() + lookupMs
  const isNew = (error: unknown): boolean =>
    hasStatus(error, 404) && clock.now() - recordedAtMs < EARLY_MS
  const policy = {
    isRetryable: (error: unknown) => isRetryable(error) || isNew(error),
    ...PAUSES,
    deadlineMs: () => deadlineMs,
    onRetry: (error: unknown, pauseMs: number) =>
      log.info(
        `Could not get the earlier job ${name}: ${describeFailure(error, mintlifyName).title}. Trying again in ${formatDuration(pauseMs)}.`,
      ),
  }
  try {
    return await retry(() => mintlify.getJob(id, cancel), policy, run)
  } catch (error) {
    if (!(error instanceof RetryError) || error.reason === 'cancelled') throw error
    const { cause, reason } = error
    if (hasStatus(cause, 404) && !(cause as MintlifyError).isPage) return undefined
    const { title, text, isTransient } = describeFailure(cause, mintlifyName)
    const note = `The request was about the earlier job ${name}.`
    const limit =
      reason === 'deadline' ? describeLimit(cause, formatDuration(lookupMs), mintlifyName) : ''
    const again = isTransient ? 'To try again, re-run this job.' : ''
    const all = joinSentences(text, note, limit, 'Nothing was started.', again)
    return new Problem({ title, text: all, isTransient, cause })
  }
}

/** Asks GitHub for the state of a pull request in any repository. @throws {Problem} */
async function readPullState(prLink: string, run: Run): Promise<PullState> {
  const { github, clock } = run
  const place = locatePullRequest(prLink, github)
  const none = { prLink, ageMs: 0, isApproved: false, isRejected: false }
  if (!place) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = place
  const call = { purpose: 'read the docs pull request', permission: 'pull-requests: read' }
  return await github.need(call, async () => {
    const variables = { owner, repo, number }
    const { data, errors } = await github.graphql<PullStateAnswer>(PULL_STATE, variables)
    const pull = data.repository?.pullRequest
    const states = ['open', 'merged', 'closed'] as const
    const state = states.find((word) => word.toUpperCase() === pull?.state)
    const [error] = errors
    if (!pull || !state) {
      const isInvisible = ({ type, path }: GraphqlError): boolean =>
        type === 'NOT_FOUND' || (type === 'FORBIDDEN' && path === 'repository')
      if (errors.some(isInvisible)) return { ...none, state: 'invisible' }
      throw error ? graphqlError(error) : new GitHubError('GitHub returned no pull request')
    }
    // It could be approved.
    if (error && state === 'open') throw graphqlError(error)
    const reviews = nodesOf(pull.reviews).map((one) => one.state)
    const isReviewed = reviews.includes('APPROVED') && !reviews.includes('CHANGES_REQUESTED')
    const [closing] = nodesOf(pull.timelineItems)
    return {
      prLink,
      state,
      ageMs: Math.max(0, clock.now() - (Date.parse(pull.createdAt ?? '') || clock.now())),
      isApproved: isReviewed || pull.autoMergeRequest != null,
      isRejected: state === 'closed' && closing?.actor?.__typename !== 'Bot',
    }
  })
}

const PULL_STATE = `query PullState($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    state createdAt autoMergeRequest { enabledAt }
    reviews: latestOpinionatedReviews(first: 100, writersOnly: true) { nodes { state } }
    timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) { nodes { ... on ClosedEvent { actor { __typename } } } } } } }`

type PullStateAnswer = FromGitHub<{
  repository: FromGitHub<{
    pullRequest: FromGitHub<{
      state: string
      createdAt: string
      autoMergeRequest: unknown
      reviews: Nodes<FromGitHub<{ state: string }>>
      timelineItems: Nodes<FromGitHub<{ actor: FromGitHub<{ __typename: string }> }>>
    }>
  }>
}>

/** Writes how long a docs pull request has been open: `, open for 3 days`; empty if unknown. */
export function openFor({ ageMs, state }: PullState): string {
  return ageMs === 0 || state !== 'open' ? '' : `, open for ${formatAge(ageMs)}`
}

export function jobName({ id }: NamedJob): string {
  return `The earlier job ${inBackticks(id)}`
}

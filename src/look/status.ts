import { createHash } from 'node:crypto'
import type { GitHubCall, Maybe, Octokit, RestData } from '../github/client.ts'
import type { GitHubError } from '../github/github-errors.ts'
import { parsePullRequest } from '../github/pull-requests.ts'
import { hasPrompt } from '../inputs/table.ts'
import { shorten, visibleText } from '../lib/text.ts'
import { attemptIn, type Environment, type Run, stepNames } from '../runner/run.ts'
import { followedBranch, type GitHubEvent, isSha } from './event.ts'

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type NamedJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** When it was recorded first, in milliseconds since the epoch. */
  readonly namedAtMs: number
}

/** A successful job: the commit that it was about, and when it ended. */
export type Success = {
  readonly sha: string
  /** Milliseconds since the epoch; 0 if not known. */
  readonly createdAtMs: number
}

/** This step's last successful job. */
export type LastJob = Success & {
  /** Whether the commit is newer than the run's, which then is an older run that was started again. */
  readonly isNewer: boolean
}

/** Whether the step records its job of this run in a commit status. */
export function hasStatusRecord(
  event: GitHubEvent,
  { inputs, environment }: Pick<Run, 'inputs' | 'environment'>,
): boolean {
  const isRecorded = event.row.remembers || followedBranch(event, environment) !== undefined
  return isRecorded && hasPrompt(inputs)
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140
const MAX_CONTEXT = 255

/**
 * Returns the name of this run's statuses, or of a merged pull request's before the merge. Those of another pull request
 * or branch have another name.
 */
export function statusName(
  event: GitHubEvent,
  run: Run,
  isMerged = event.payload.pull_request?.merged === true,
): string {
  const number = event.payload.pull_request?.number
  const isOfPull = number != null && !isMerged
  return nameFor(isOfPull ? `#${number}` : branchScope(event, run), run)
}

function nameFor(scope: string, { inputs, environment, redact }: Run): string {
  const { workflow, job, step } = stepNames(environment)
  const parts = [workflow, job, step, scope, inputs.matrix].filter((part) => part)
  const name = withinBmp(redact(`Docs agent: ${inputs['project-id']} (${parts.join(', ')})`))
  if (name.length <= MAX_CONTEXT) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${shorten(name, MAX_CONTEXT - hash.length)}${hash}`
}

/** Names the branch that a run is about if it is known not to be the default one. */
function branchScope(event: GitHubEvent, { environment }: Run): string {
  const { name, row, payload } = event
  const isOnBranch = row.subject === 'push' || (row.subject === 'branch' && name !== 'schedule')
  const [, ofRun] = /^refs\/heads\/(.+)$/.exec(isOnBranch ? environment.ref : '') ?? []
  const base = payload.pull_request?.base?.ref
  const branch = base ?? followedBranch(event, environment) ?? ofRun
  const main = payload.repository?.default_branch
  return branch && main && branch !== main ? `branch ${branch}` : ''
}

/** Writes a character that GitHub rejects in a status (one above U+FFFF) by its number: names stay apart. */
function withinBmp(text: string): string {
  return text.replace(
    /[\u{10000}-\u{10FFFF}]/gu,
    (character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase()}`,
  )
}

/** The commit that the step's status is set on; empty if there is none. */
export function statusCommit({ row, payload }: GitHubEvent, { sha }: Environment): string {
  const { pull_request: pull, workflow_run: followed } = payload
  let found: Maybe<string> = sha
  if (row.subject === 'pull-request') found = pull?.merged ? pull.merge_commit_sha : pull?.head?.sha
  if (row.subject === 'workflow-run') found = followed?.head_sha
  return isSha(found) ? found : ''
}

/** Joins a headline, cut to fit, with the job's ID in parentheses. */
export function statusDescription(headline: string, jobId = ''): string {
  const words = withinBmp(visibleText(headline)).replaceAll('`', '').replace(/\s+/g, ' ')
  const id = jobId === '' ? '' : ` (${shorten(withinBmp(jobId), 60)})`
  return `${shorten(words, MAX_DESCRIPTION - id.length)}${id}`
}

/** What a status records for later runs besides its job. */
export type StatusFacts = {
  /** The job that an earlier run was about, and that this one may continue. */
  readonly earlierJob: NamedJob | undefined
  /** The step's last successful job before the event: what the context compares with. */
  readonly lastJob: LastJob | undefined
}

/** No longer link is carried from status to status. */
const MAX_CARRIED_LINK = 500

/** Returns the target of a status: a page, with the facts for later runs in its fragment. */
export function statusTarget(
  page: string,
  ownId: string,
  { earlierJob, lastJob }: StatusFacts,
  { environment: { runId, runAttempt } }: Run,
): string {
  if (runId === '') return page
  const carried = new URLSearchParams({ run: runId, attempt: runAttempt || '1' })
  if (ownId !== '') carried.set('own', ownId)
  if (earlierJob) {
    const { id, prLink, namedAtMs } = earlierJob
    carried.set('job', id)
    carried.set('named', `${namedAtMs}`)
    if (prLink !== '' && prLink.length <= MAX_CARRIED_LINK) carried.set('pull', prLink)
  }
  if (lastJob) {
    carried.set('success', lastJob.sha)
    carried.set('ended', `${lastJob.createdAtMs}`)
  }
  return `${page}#${carried}`
}

/** A commit status as Octokit takes it. */
export type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

export const SET_STATUS: GitHubCall = {
  purpose: 'set the commit status that lets the next run find this job',
  permission: 'statuses: write',
}

/** Sets a commit status. Or throws a GitHubError. */
export async function setStatus(status: NewStatus, { github }: Run): Promise<unknown> {
  return await github.call(({ rest }) => rest.repos.createCommitStatus(status))
}

/** Whether GitHub rejected a status because its commit has 1,000 of that name. */
export function isFull({ status, message }: GitHubError): boolean {
  return status === 422 && /maximum number of statuses/i.test(message)
}

/** A commit status as REST names its fields. Its `state` is in upper case in GraphQL. */
export type Status = NonNullable<RestData<'repos', 'listCommitStatusesForRef'>[number]>

/** Must be one segment of a URL's path. */
const JOB_ID_SEGMENT = /^(?!\.{1,2}$)\S+$/

/** A commit status that records a job. Without one, `failure` says that none was started, anything else that one may have been. */
export type StepStatus = Readonly<ReturnType<typeof readStatus>>

export function readStatus(
  { state, target_url: target, created_at: createdAt }: Status,
  sha: string,
  name: string,
  { environment }: Run,
) {
  const [page = '', fragment = ''] = (target ?? '').split('#')
  const carried = new URLSearchParams(fragment)
  const read = (fact: string): string => carried.get(fact) ?? ''
  const readMs = (fact: string): number => Number(/^\d{1,15}$/.exec(read(fact))?.[0] ?? 0)
  const createdAtMs = Date.parse(createdAt ?? '') || 0
  const earlierId = read('job')
  const earlierJob: NamedJob | undefined = JOB_ID_SEGMENT.test(earlierId)
    ? { id: earlierId, prLink: pullRequestLink(read('pull')), namedAtMs: readMs('named') }
    : undefined
  const id = read('own')
  const before = earlierJob?.id === id ? earlierJob : { prLink: '', namedAtMs: createdAtMs }
  const prLink = pullRequestLink(page) || before.prLink
  const success = read('success')
  const ofPage = attemptIn(page, environment)
  return {
    sha,
    /** Its context: see `statusName`. */
    name,
    /** `pending`, `success`, `failure`, `error`. */
    state: state?.toLowerCase() ?? '',
    /** The job that it names. */
    job: JOB_ID_SEGMENT.test(id) ? { id, prLink, namedAtMs: before.namedAtMs } : undefined,
    /** The job before its run, and the last successful one, as that run knew them. */
    earlierJob,
    lastJob: isSha(success) ? { sha: success, createdAtMs: readMs('ended') } : undefined,
    /** Of the workflow run that set it; empty if that isn't a run of this repository. */
    runId: read('run') || (ofPage?.runId ?? ''),
    attempt: read('attempt') || (ofPage?.attempt ?? ''),
    /** Its target, which may be empty. */
    page,
    /** Whether older statuses on its commit may record what it doesn't know. */
    hidesOlder: read('run') === '',
    /** Milliseconds since the epoch, by GitHub's clock. */
    createdAtMs,
  }
}

function pullRequestLink(url: string): string {
  return parsePullRequest(url).number === '' ? '' : url
}

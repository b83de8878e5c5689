import { createHash } from 'node:crypto'
import type { Maybe, Octokit } from '../github/client.ts'
import type { GitHubCall, GitHubError } from '../github/github-errors.ts'
import { parsePullRequest, type RestData } from '../github/pull-requests.ts'
import { hasPrompt } from '../inputs/table.ts'
import { shorten, visibleText } from '../lib/text.ts'
import { attemptUrlOf, type Environment, type Run, stepNames } from '../runner/run.ts'
import { followedBranch, type GitHubEvent, isSha, tagOf } from './event.ts'

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type NamedJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** When it was recorded first, in milliseconds since the epoch. */
  readonly recordedAtMs: number
}

/** A successful job: the commit that it was about, and when its last status was created. */
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
  const isRecorded = event.row.recordsJob || followedBranch(event, environment) !== undefined
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

/** Names the branch that a run is about if it is known not to be the default one. CI on a tag is about the default one. */
function branchScope(event: GitHubEvent, { environment }: Run): string {
  const { name, row, payload, followsTag } = event
  const isOnBranch = row.subject === 'push' || (row.subject === 'branch' && name !== 'schedule')
  const [, ofRun] = /^refs\/heads\/(.+)$/.exec(isOnBranch ? environment.ref : '') ?? []
  const base = payload.pull_request?.base?.ref
  const branch = base ?? (followsTag ? undefined : followedBranch(event, environment)) ?? ofRun
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

/** Returns a headline as a status may show it. */
export function statusDescription(headline: string): string {
  const words = withinBmp(visibleText(headline)).replaceAll('`', '').replace(/\s+/g, ' ')
  return shorten(words, MAX_DESCRIPTION)
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

/** How far a run is: about to send something or waiting, done, failed with nothing left running, or unclear. */
export type RecordState = 'pending' | 'success' | 'failure' | 'error'

/** The record of a run. `job`: `undefined` while the run has none. */
export type OwnRecord = { readonly state: RecordState; readonly job: NamedJob | undefined }

/**
 * Returns the target of a status: the job's pull request, otherwise the page of the run's attempt, with all that later
 * runs read in its fragment. GitHub's state is always `success`, so that the record holds up no deployment.
 */
export function statusTarget(
  { state, job }: OwnRecord,
  { earlierJob, lastJob }: StatusFacts,
  event: GitHubEvent,
  { environment }: Run,
): string {
  const { runId, runAttempt } = environment
  const link = carriedLink(job?.prLink)
  // The record is the only fragment.
  const [page = ''] = (link || attemptUrlOf(environment)).split('#')
  if (runId === '') return page
  // Of this run: `own` and `link`. Of the earlier job: `job`, `named`, and `pull`. Of the last job: `success` and `ended`.
  const carried = new URLSearchParams({ run: runId, attempt: runAttempt || '1', state })
  const tag = tagOf(event)
  if (tag !== '') carried.set('tag', tag)
  if (job) carried.set('own', job.id)
  if (link !== '') carried.set('link', link)
  if (earlierJob) {
    carried.set('job', earlierJob.id)
    carried.set('named', `${earlierJob.recordedAtMs}`)
    const pull = carriedLink(earlierJob.prLink)
    if (pull !== '') carried.set('pull', pull)
  }
  if (lastJob) {
    carried.set('success', lastJob.sha)
    carried.set('ended', `${lastJob.createdAtMs}`)
  }
  return `${page}#${carried}`
}

function carriedLink(link = ''): string {
  return link.length > MAX_CARRIED_LINK ? '' : link
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

/** A commit status as REST names its fields. */
export type Status = NonNullable<RestData<'repos', 'listCommitStatusesForRef'>[number]>

/** Whether a text can be a job's ID: one segment of a URL's path. */
export function isJobId(text: unknown): text is string {
  return typeof text === 'string' && /^(?!\.{1,2}$)\S{1,200}$/.test(text) && text.isWellFormed()
}

/** A commit status that records a run of the step. */
export type StepStatus = Readonly<ReturnType<typeof readStatus>>

const STATES: readonly RecordState[] = ['pending', 'success', 'failure', 'error']

/** Reads a commit status: its target alone. */
export function readStatus(
  { target_url: target, created_at: createdAt }: Status,
  sha: string,
  name: string,
) {
  const [page = '', fragment = ''] = (target ?? '').split('#')
  const carried = new URLSearchParams(fragment)
  const read = (fact: string): string => carried.get(fact) ?? ''
  const readMs = (fact: string): number => Number(/^\d{1,15}$/.exec(read(fact))?.[0] ?? 0)
  const createdAtMs = Date.parse(createdAt ?? '') || 0
  const earlierJob = namedJob(read('job'), read('pull'), readMs('named'))
  const id = read('own')
  const isContinued = earlierJob !== undefined && earlierJob.id === id
  const job = namedJob(
    id,
    read('link') || (isContinued ? earlierJob.prLink : ''),
    isContinued ? earlierJob.recordedAtMs : createdAtMs,
  )
  const success = read('success')
  return {
    sha,
    /** Its context: see `statusName`. */
    name,
    state: STATES.find((state) => state === read('state')),
    /** The job that it names. */
    job,
    /** The job before its run, and the last successful one, as that run knew them. */
    earlierJob,
    lastJob: isSha(success) ? { sha: success, createdAtMs: readMs('ended') } : undefined,
    /** The tag that it was about; empty if it was about none. */
    tag: read('tag'),
    /** Of the workflow run that set it; empty if no run of the step did: such a status is ignored. */
    runId: read('run'),
    attempt: read('attempt'),
    /** Its target without the record, which may be empty. */
    page,
    /** Milliseconds since the epoch, by GitHub's clock. */
    createdAtMs,
  }
}

/** Lists all statuses that runs of the step have set on a commit, newest first. Or throws a GitHubError. */
export async function listStatuses(
  sha: string,
  name: string,
  run: Run,
): Promise<readonly StepStatus[]> {
  const { github } = run
  const all = await github.list<Status>(`${github.path}/commits/${sha}/statuses`)
  return all
    .filter(({ context }) => context === name)
    .map((status) => readStatus(status, sha, name))
    .filter(({ runId }) => runId !== '')
}

function namedJob(id: string, link: string, recordedAtMs: number): NamedJob | undefined {
  const prLink = parsePullRequest(link).number === '' ? '' : link
  return isJobId(id) ? { id, prLink, recordedAtMs } : undefined
}

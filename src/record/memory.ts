import { createHash } from 'node:crypto'
import type { LastJob } from '../context/since.ts'
import { type GitHubEvent, isSha } from '../events/event-table.ts'
import type { GitHub, GitHubCall, Known } from '../github/client.ts'
import type { CommentRef, ThreadComment } from '../github/comments.ts'
import type { GitHubError } from '../github/errors.ts'
import type { Octokit, Sent, Status } from '../github/types.ts'
import { hasPrompt, type Inputs } from '../inputs/table.ts'
import { shorten, visibleText } from '../lib/text.ts'
import { type Environment, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type NamedJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** When GitHub was first told of it, in milliseconds since the epoch. */
  readonly namedAtMs: number
}

/** What earlier attempts of this very run have left. */
export type Attempt =
  /** Nothing was begun: this attempt may begin. */
  | { readonly kind: 'none' }
  /** Runs like this one remember nothing. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'job'; readonly job: NamedJob }
  /** A job was about to be started or sent a message, and nobody knows whether it was. */
  | { readonly kind: 'maybe-started' }
  /** `why` follows a colon; `error`: where GitHub did not tell. */
  | { readonly kind: 'unknown'; readonly why: string; readonly error?: GitHubError }

/** The comments of a command's thread. */
type CommandThread = {
  /** Oldest first, ours among them. */
  readonly comments: readonly ThreadComment[]
  readonly ownIds: ReadonlySet<number>
  /** Id of the last one that the job to continue was told of. */
  readonly lastToldId: number | undefined
}

/** What a run finds of the ones before it. */
export type Found = {
  readonly attempt: Attempt
  /** An earlier attempt's reply to the command. */
  readonly reply?: CommentRef | undefined
  /** The job that an earlier run was about, and that this one may continue. */
  readonly earlier: Known<NamedJob | undefined>
  /** The step's last successful job before the event: what the context compares with. */
  readonly lastJob: Known<LastJob | undefined>
  /** The comments of a command's thread; `undefined` without a command, or where they are not read. */
  readonly thread: CommandThread | undefined
}

/**
 * A commit status by which a step remembers its job. `pending` and `error` without a job: one may have been started;
 * `failure` without a job: none was.
 */
export type StepStatus = {
  readonly sha: string
  /** Its context: see `statusName`. */
  readonly name: string
  /** `pending`, `success`, `failure`, `error`. */
  readonly state: string
  /** Empty where the status does not name it. */
  readonly jobId: string
  /** May be empty. */
  readonly targetUrl: string
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAtMs: number
}

/** Whether the step remembers its job of this run in a commit status. */
export function remembersByStatus({ row }: GitHubEvent, inputs: Inputs): boolean {
  return row.remembers && hasPrompt(inputs)
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140
const MAX_CONTEXT = 255

/** The name of the statuses of this run: what another pull request or branch started has another one. */
export function statusName(event: GitHubEvent, run: Run): string {
  const { pull_request: pull } = event.payload
  if (pull?.number == null || pull.merged === true) return nameFor(branchScope(event, run), run)
  return nameFor([`#${pull.number}`], run)
}

/** The name that the run's pull request had before it was merged; `undefined` without a merged one. */
export function nameBeforeMerge(
  { payload: { pull_request: pull } }: GitHubEvent,
  run: Run,
): string | undefined {
  return pull?.merged === true && pull.number != null
    ? nameFor([`#${pull.number}`], run)
    : undefined
}

function nameFor(scope: readonly string[], { inputs, environment, redact }: Run): string {
  const { workflow, job, step } = stepNames(environment)
  const parts = [workflow, job, step, ...scope, ...(inputs.matrix === '' ? [] : [inputs.matrix])]
  const name = redact(`Docs agent: ${inputs['project-id']} (${parts.join(', ')})`)
  if (name.length <= MAX_CONTEXT) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${shorten(name, MAX_CONTEXT - hash.length)}${hash}`
}

/** The branch that a run is about, where it is known not to be the default one. */
function branchScope({ name, row, payload }: GitHubEvent, { environment }: Run): readonly string[] {
  const isOnBranch = row.subject === 'push' || (row.subject === 'branch' && name !== 'schedule')
  const [, ofRun] = /^refs\/heads\/(.+)$/.exec(isOnBranch ? environment.ref : '') ?? []
  const branch = row.subject === 'pull-request' ? payload.pull_request?.base?.ref : ofRun
  const main = payload.repository?.default_branch
  return branch && main && branch !== main ? [`branch ${branch}`] : []
}

/** The commit that the step's status stands on; empty if there is none. */
export function statusCommit({ row, payload }: GitHubEvent, { sha }: Environment): string {
  const { merged, merge_commit_sha: mergeCommit, head } = payload.pull_request ?? {}
  const found = row.subject !== 'pull-request' ? sha : merged === true ? mergeCommit : head?.sha
  return isSha(found) ? found : ''
}

/** A headline with the job's id in brackets. The headline is cut to fit; an id that does not fit is left out. */
export function statusDescription(headline: string, jobId = ''): string {
  const id = /^[^\s()]+$/.test(jobId) && jobId.length + 2 <= MAX_DESCRIPTION ? `(${jobId})` : ''
  const maxLength = MAX_DESCRIPTION - id.length - 1
  if (maxLength < 2) return id
  const words = visibleText(headline).replaceAll('`', '').replace(/\s+/g, ' ')
  // Nothing but a job's id stands in brackets at the end.
  const text = id === '' ? words.replace(/ ?\(([^()]*)\)$/, ', $1').replace(/\)$/, '') : words
  return `${shorten(text, maxLength)} ${id}`.trim()
}

/** A commit status as Octokit takes it. */
export type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

export const STATUS_PERMISSION = 'statuses: write'
export const STATUS_COST = "this step can't remember its job: each run opens another pull request"

export async function setStatus(
  status: NewStatus,
  ifItFails: Partial<GitHubCall>,
  { github }: Run,
): Promise<Known<unknown>> {
  const purpose = 'set the commit status by which the next run finds this job'
  return await github.attempt({ purpose, permission: STATUS_PERMISSION, ...ifItFails }, () =>
    github.call(({ rest }) => rest.repos.createCommitStatus(status)),
  )
}

/** The statuses of a name on a commit, newest first: of so many of all names at most. Or a GitHubError. */
export async function listStatuses(
  sha: string,
  name: string,
  github: GitHub,
  maxEntries?: number,
): Promise<readonly StepStatus[]> {
  const all = await github.list<Status>(`${github.path}/commits/${sha}/statuses`, maxEntries)
  return all
    .filter(({ context }) => context === name)
    .map(({ state, description, target_url: targetUrl, created_at: createdAt }) =>
      readStatus({ state, description, targetUrl, createdAt }, sha, name),
    )
}

/** A status as GraphQL names its fields. */
export type RawStatus = Sent<Record<'state' | 'description' | 'targetUrl' | 'createdAt', string>>

export function readStatus(status: RawStatus, sha: string, name: string): StepStatus {
  const { state, description, targetUrl, createdAt } = status
  return {
    sha,
    name,
    state: state?.toLowerCase() ?? '',
    // An id must be one segment of a URL's path.
    jobId: /\((?!\.{1,2}\))([^\s()]+)\)$/.exec(description ?? '')?.[1] ?? '',
    targetUrl: targetUrl ?? '',
    createdAtMs: Date.parse(createdAt ?? '') || 0,
  }
}

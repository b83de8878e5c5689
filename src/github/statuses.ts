import { visibleText } from '../lib/text.ts'
import type { GitHub } from './client.ts'
import { listAll } from './comments.ts'
import type { Status } from './types.ts'

/** What a step remembers of its job, as read from a commit status. */
export type StepStatus = {
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  /** Empty where the status does not name it. */
  readonly jobId: string
  /** The pull request, else the workflow run. */
  readonly targetUrl: string
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAtMs: number
  readonly sha: string
}

export type NewStatus = {
  readonly sha: string
  readonly context: string
  readonly state: 'pending' | 'success' | 'failure'
  readonly description: string
  /** May be empty. */
  readonly targetUrl: string
}

/** Name of a step's statuses: one for each leg of a matrix over projects. */
export function statusContext(
  projectId: string,
  names: { readonly workflow: string; readonly job: string; readonly step: string },
): string {
  return `Docs agent: ${projectId} (${names.workflow}, ${names.job}, ${names.step})`
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140

/** A headline with the job's id in brackets. The headline is cut to fit; an id that does not fit is left out. */
export function statusDescription(headline: string, jobId: string): string {
  const id = /^[^\s()]+$/.test(jobId) && jobId.length + 2 <= MAX_DESCRIPTION ? `(${jobId})` : ''
  const words = visibleText(headline).replaceAll('`', '').replace(/\s+/g, ' ')
  const room = MAX_DESCRIPTION - id.length - 1
  const shown = words.length <= room ? words : `${words.slice(0, Math.max(0, room - 1)).toWellFormed()}…`
  return room > 1 ? `${shown} ${id}`.trim() : id
}

/** Reads a status, of whatever context and creator. */
export function readStatus(status: Status, sha: string): StepStatus {
  const [, jobId = ''] = /\(([^\s()]+)\)$/.exec(status.description ?? '') ?? []
  const state = status.state?.toLowerCase()
  return {
    state: state === 'success' || state === 'failure' || state === 'error' ? state : 'pending',
    jobId,
    targetUrl: status.target_url ?? '',
    createdAtMs: Date.parse(status.created_at ?? '') || 0,
    sha,
  }
}

/**
 * All statuses of a commit, newest first. Source: GitHub's REST API, "List commit statuses for a reference".
 *
 * @throws {GitHubError}
 */
export function listStatuses(github: GitHub, sha: string): Promise<readonly Status[]> {
  const { owner, repo } = github.repository
  return listAll(github, `/repos/${owner}/${repo}/commits/${sha}/statuses`)
}

/** @throws {GitHubError} */
export async function createStatus(github: GitHub, status: NewStatus): Promise<void> {
  const { sha, context, state, description, targetUrl } = status
  const target = targetUrl === '' ? {} : { target_url: targetUrl }
  await github.request(({ rest }) =>
    rest.repos.createCommitStatus({ ...github.repository, sha, context, state, description, ...target }),
  )
}

import { isRepository, isSha } from '../events/event-table.ts'
import type { Known } from '../github/client.ts'
import { GitHubError } from '../github/errors.ts'
import type { Maybe, WorkflowRun } from '../github/types.ts'
import { stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** A run of this workflow that succeeded. */
export type WorkflowSuccess = { readonly sha: string; readonly url: string; readonly createdAt: string }

/** GitHub keeps commit statuses, and with them what a step remembers, for this long unless it is set otherwise. */
const RETENTION_MS = 90 * 86_400_000

const PERMISSION = 'actions: read'

/**
 * Asks for this workflow's last success on the run's branch.
 * Source: GitHub's REST API, "List workflow runs for a workflow".
 *
 * @param isForContext whether the agent is to be told what has changed since, so that a failure is an annotation
 */
export async function loadLastSuccess(
  { environment, inputs, github, clock, log }: Run,
  isForContext: boolean,
): Promise<Known<WorkflowSuccess | undefined>> {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  if (branch === undefined) return { known: true, value: undefined }
  const created = `>=${new Date(clock.now() - RETENTION_MS).toISOString().slice(0, 10)}`
  const page = { branch, created, status: 'success', per_page: 20, exclude_pull_requests: true } as const
  const workflow_id = stepNames(environment, inputs.matrix).workflow
  const found = await github.read(async () => {
    const { workflow_runs: runs } = await github.call<{ workflow_runs?: Maybe<readonly WorkflowRun[]> }>(
      ({ rest }) => rest.actions.listWorkflowRuns({ ...github.repository, workflow_id, ...page }),
    )
    if (!Array.isArray(runs)) throw new GitHubError('GitHub returned no list of runs')
    // The branch of a fork's pull request may have the same name.
    const last = runs.find((one) => isRepository(one?.head_repository, environment.repository))
    const { head_sha: sha, html_url: url, created_at: createdAt } = last ?? {}
    return isSha(sha) ? { sha, url: url ?? '', createdAt: createdAt ?? '' } : undefined
  })
  const purpose = 'look up when this workflow last succeeded'
  if (!found.known && isForContext) {
    const consequence = 'The agent is not told what has changed since.'
    github.report(found.error, { purpose, permission: PERMISSION, consequence })
  } else if (!found.known) {
    log.info(`Failed to ${purpose}: ${found.why}. (It takes the permission \`${PERMISSION}\`.)`)
  }
  return found
}

import type { Environment } from './environment.ts'

/** URL of the workflow run; empty outside of one. */
export function runUrlOf({ serverUrl, repository, runId }: Environment): string {
  return runId === '' ? '' : `${serverUrl}/${repository}/actions/runs/${runId}`
}

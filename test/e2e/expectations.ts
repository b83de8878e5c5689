import { expect } from 'vitest'
import type { WorkflowRun } from './run-workflow.ts'

/** The requests that the docs service got, as `POST /path`. */
export function serviceRequests({ docs }: WorkflowRun): string[] {
  return docs.requests.map(({ method, path }) => `${method} ${path}`)
}

/** The jobs that were created, in order; `at` in epoch milliseconds. */
export function createdJobs({ docs }: WorkflowRun): { path: string; prompt: string; at: number }[] {
  return docs.requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/job'))
    .map(({ path, body, at }) => ({ path, prompt: (body as { prompt: string }).prompt, at }))
}

/** The requests that GitHub got, as `POST /path`. */
export function githubRequests({ github }: WorkflowRun): string[] {
  return github.requests.map(({ line }) => line)
}

/** The bodies of GitHub requests with this line. */
export function githubBodies({ github }: WorkflowRun, wanted: string): unknown[] {
  return github.requests.filter(({ line }) => line === wanted).map(({ body }) => body)
}

/** The run reached no host but the docs service, GitHub and the chat. */
export function expectNoOtherHost({ refused }: WorkflowRun): void {
  expect(refused).toEqual([])
}

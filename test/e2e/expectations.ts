import { expect } from 'vitest'
import type { ExampleRun } from './run-example.ts'

/** The requests that the docs service got, as `POST /path`. */
export function asked({ docs }: ExampleRun): string[] {
  return docs.requests.map(({ method, path }) => `${method} ${path}`)
}

/** The jobs that were asked for, in order; `at` is when, in epoch milliseconds. */
export function creates({ docs }: ExampleRun): { path: string; prompt: string; at: number }[] {
  return docs.requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/job'))
    .map(({ path, body, at }) => ({ path, prompt: (body as { prompt: string }).prompt, at }))
}

/** Every run ends with this: the action asked nobody but the docs service and the GitHub it was given. */
export function expectNothingElseAsked({ refused }: ExampleRun): void {
  expect(refused).toEqual([])
}

import type { AnalyticsQuery } from './analytics/query.ts'
import type { Fault } from './faults.ts'
import type { RecordedRequest, Reply } from './http.ts'

/** All options, complete. Times are milliseconds. */
export type Settings = {
  /** 0 picks a free port. */
  readonly port: number
  /** The admin key. */
  readonly key: string
  /** How long a job stays active. */
  readonly jobTimeMs: number
  /** Pages of the site in the visitors report. */
  readonly pages: number
  /** The clock, epoch milliseconds: all job times and dates come from it. */
  readonly now: () => number
  /** `git`: real commits in a temporary repository. `none`: links only, for thousands of quick runs. */
  readonly agent: 'git' | 'none'
  /** Where the pull requests are, such as `https://github.com/acme/docs`; empty: on pages of the service. */
  readonly repository: string
  /** Answers a visitors query instead of the generated site; `undefined` leaves it to the site. */
  readonly visitors: (
    query: AnalyticsQuery,
  ) => { readonly status: number; readonly body: unknown } | undefined
  /** Faults set from the start. */
  readonly faults: readonly Fault[]
  /** Called at the end of every request. */
  readonly onAnswer: (request: RecordedRequest, reply: Reply) => void
}

export type DocsServiceOptions = Partial<Settings>

export function settingsFrom(options: DocsServiceOptions): Settings {
  return {
    port: 0,
    key: 'mint_demo',
    jobTimeMs: 3000,
    pages: 120,
    now: Date.now,
    agent: 'git',
    repository: '',
    visitors: () => undefined,
    faults: [],
    onAnswer: () => undefined,
    ...options,
  }
}

import type { AnalyticsQuery } from './analytics/query.ts'
import type { Fault } from './faults.ts'
import type { RecordedRequest, Reply } from './http/server.ts'

/** An API key and what it may do. A key that is in no list is unknown: 401. */
export type ServiceKey = {
  readonly key: string
  /** `read` answers 403 to every POST. Default `admin`. */
  readonly scope?: 'admin' | 'read'
  /** Answers 401 to everything. */
  readonly expired?: boolean
}

/** How many requests a sliding hour allows; `Infinity` for no limit. Only requests that succeed count. */
export type ServiceLimits = {
  /** Job creates, per project. */
  readonly jobsPerHour: number
  /** Follow-up messages, per project. */
  readonly messagesPerHour: number
  /** Analytics requests of all kinds and projects together: the service is one organisation. */
  readonly analyticsPerHour: number
  /** Whether a 429 says `Retry-After`. */
  readonly retryAfter: boolean
}

/** Answers a valid visitors query in place of the generated site; `undefined` leaves it to the generated site. */
export type VisitorsOverride = (
  query: AnalyticsQuery & { readonly projectId: string },
) => { readonly status: number; readonly body: unknown } | undefined

/** Times are milliseconds. */
export type DocsServiceOptions = {
  /** 0 picks a free port. */
  readonly port?: number
  /** The admin key. */
  readonly key?: string
  readonly keys?: readonly ServiceKey[]
  /** Projects that exist; any other is 404. */
  readonly projects?: readonly string[]
  /** How long a job stays active, unless its prompt says `[agent: takes …]`. */
  readonly jobTimeMs?: number
  /** How long the build of a preview takes; 0: none is built. */
  readonly buildTimeMs?: number
  /** Right after a message, answers show the old finished job for this long. */
  readonly staleMs?: number
  /** Pages of the site in the visitors report. */
  readonly pages?: number
  /** Job ids and analytics are the same for the same seed: a whole number of 32 bits. */
  readonly seed?: number
  /** The clock, epoch milliseconds: all job times, limits and dates come from it. */
  readonly now?: () => number
  /** `git`: real commits in a temporary repository. `none`: links only, for thousands of quick runs. */
  readonly agent?: 'git' | 'none'
  /** Where the pull requests are, such as `https://github.com/acme/docs`; empty: on pages of the service. */
  readonly repository?: string
  readonly limits?: Partial<ServiceLimits>
  readonly visitors?: VisitorsOverride
  /** Faults set from the start. */
  readonly faults?: readonly Fault[]
  /** Told of every request at its end; `reply` is the service's own, if it handled the request at all. */
  readonly onAnswer?: (request: RecordedRequest, reply: Reply | undefined) => void
}

/** The options, complete. */
export type Settings = Required<Omit<DocsServiceOptions, 'limits'>> & {
  readonly limits: ServiceLimits
}

export function settingsFrom(options: DocsServiceOptions): Settings {
  const limits = { jobsPerHour: 100, messagesPerHour: 100, analyticsPerHour: 100, retryAfter: true }
  return {
    port: 0,
    key: 'mint_demo',
    keys: [],
    projects: ['docs'],
    jobTimeMs: 3000,
    buildTimeMs: 0,
    staleMs: 0,
    pages: 120,
    seed: 1,
    now: Date.now,
    agent: 'git',
    repository: '',
    visitors: () => undefined,
    faults: [],
    onAnswer: () => undefined,
    ...options,
    limits: { ...limits, ...options.limits },
  }
}

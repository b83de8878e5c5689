import type { Fault } from './faults/fault.ts'
import type { RecordedRequest, Reply } from './http.ts'
import type { VisitorsQuery } from './visitors/query.ts'

/** An API key and what it may do. A key that is in no list is unknown: 401. */
export type ServiceKey = {
  key: string
  /** `read` answers 403 to every POST. Default `admin`. */
  scope?: 'admin' | 'read'
  /** Answers 401 to everything. */
  expired?: boolean
  /** As if the caller's address were not on the key's list: answers 403 to everything. */
  forbiddenIp?: boolean
}

/** How many requests a sliding hour allows; `Infinity` for no limit. Only requests that succeed count. */
export type ServiceLimits = {
  /** Job creates, per project. */
  jobsPerHour: number
  /** Follow-up messages, per project. */
  messagesPerHour: number
  /** Analytics requests, of all projects together: the service is one organisation. */
  analyticsPerHour: number
  /** Whether a 429 says `Retry-After`. */
  retryAfter: boolean
}

/** Answers a valid visitors query in place of the generated site; `undefined` leaves it to the generated site. */
export type VisitorsOverride = (
  query: VisitorsQuery & { projectId: string },
) => { status: number; body: unknown } | undefined

/** `git`: real commits in a temporary repository. `none`: links only, for thousands of quick runs. */
export type AgentKind = 'git' | 'none'

/** All of it optional; the defaults are in {@link settingsFrom}. Times are milliseconds. */
export type DocsServiceOptions = {
  /** 0 picks a free port. */
  port?: number
  /** A loopback host. */
  host?: string
  /** The admin key. */
  key?: string
  /** Further keys. */
  keys?: readonly ServiceKey[]
  /** Projects that exist; any other is 404. */
  projects?: readonly string[]
  /** How long a job stays active, unless its prompt says `[agent: takes …]`. */
  jobTimeMs?: number
  /** Right after a create, looks answer 404 for this long. */
  notFoundMs?: number
  /** Right after a message, answers show the old finished job for this long. */
  staleMs?: number
  /** Pages of the site in the visitors report, 0 to 1,000,000. */
  pages?: number
  /** Job ids and visitors are the same for the same seed: a whole number of 32 bits. */
  seed?: number
  /** The clock, epoch milliseconds: all job times, limits and dates come from it. */
  now?: () => number
  agent?: AgentKind
  /** The git program; only worth changing where `git` is not on the PATH. */
  gitProgram?: string
  limits?: Partial<ServiceLimits>
  visitors?: VisitorsOverride
  /** Faults set from the start. */
  faults?: readonly Fault[]
  /** Told of every request when all is over; `reply` is the service's own, if it handled the request at all. */
  onAnswer?: (request: RecordedRequest, reply: Reply | undefined) => void
}

/** The options with every gap filled. */
export type Settings = Required<Omit<DocsServiceOptions, 'limits' | 'keys'>> & {
  limits: ServiceLimits
  keys: readonly ServiceKey[]
}

/** Fills the gaps. Throws a `RangeError` for a host that is not loopback or a number of pages out of range. */
export function settingsFrom(options: DocsServiceOptions): Settings {
  const settings: Settings = {
    port: 0,
    host: '127.0.0.1',
    key: 'mint_demo',
    projects: ['docs'],
    jobTimeMs: 3000,
    notFoundMs: 0,
    staleMs: 0,
    pages: 120,
    seed: 1,
    now: Date.now,
    agent: 'git',
    gitProgram: 'git',
    visitors: () => undefined,
    faults: [],
    onAnswer: () => undefined,
    ...options,
    keys: options.keys ?? [],
    limits: {
      jobsPerHour: 100,
      messagesPerHour: 100,
      analyticsPerHour: 100,
      retryAfter: true,
      ...options.limits,
    },
  }
  refuseOutOfRange(settings)
  return settings
}

function refuseOutOfRange({ host, pages }: Settings): void {
  if (!isLoopback(host)) {
    throw new RangeError(
      `The docs service listens on loopback only, not on '${host}': use 127.0.0.1, localhost or ::1.`,
    )
  }
  if (!Number.isInteger(pages) || pages < 0 || pages > 1_000_000) {
    throw new RangeError(`The site can have 0 to 1000000 pages, not ${pages}.`)
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

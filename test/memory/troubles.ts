import fc from 'fast-check'
import type { FaultName, GitHubFault } from '../support/github.ts'

/** The requests of a run, by what they are for. */
const REQUESTS: Readonly<Record<string, RegExp>> = {
  anything: /./,
  'the permission': /\/permission$/,
  'the history': /History$/,
  'whose token it is': /graphql$/,
  'a pull request': /^GET .*\/pulls\/\d+$/,
  'its files': /\/files\b/,
  'its commits': /\/pulls\/\d+\/commits\b/,
  'a comparison': /\/compare\//,
  'the last success': /\/actions\//,
  'the comments': /^GET \/(?:issues|pulls)\/\d+\/comments/,
  'a new comment': /^POST .*\/(?:comments|replies)$/,
  'an edit': /^PATCH /,
  'a deletion': /^DELETE /,
  'the eyes': /eyes$/,
  'the last reaction': /(?:rocket|\+1|confused)$/,
  'the reactions': /^GET .*\/reactions/,
  'the statuses': /^GET .*\/statuses$/,
  'the first status': /pending$/,
  'the last status': /(?:success|failure)$/,
}

/** With these a run ends what it began: half of all troubles are theirs. */
const LAST_REQUESTS = ['an edit', 'the last reaction', 'the reactions', 'the last status', 'a deletion']

const UNREADABLE = /GitHub returned 200 without a readable body/
const LOST = /[Tt]he connection to 127\.0\.0\.1:\d+ closed before the response was complete/

/** How a log names each fault. */
const CAUSES: Readonly<Record<FaultName, RegExp>> = {
  '401': /GitHub returned 401 \("Bad credentials"\)/,
  '403': /GitHub returned 403 \("Forbidden"\)/,
  'secondary-limit': /GitHub returned 403 \("You have exceeded a secondary rate limit\..*"\), its rate limit/,
  'primary-limit': /GitHub returned 403 \("API rate limit exceeded .*"\), its rate limit/,
  '404': /GitHub returned 404 \("Not Found"\)|\(404\)/,
  '422': /GitHub returned 422 \("Validation Failed"\)/,
  '429': /GitHub returned 429 \("You have exceeded a secondary rate limit\..*"\), its rate limit/,
  '500': /GitHub returned 500 \("Server Error"\)/,
  '502': /GitHub returned 502 \("Server Error"\)/,
  '503': /GitHub returned 503/,
  html: UNREADABLE,
  empty: UNREADABLE,
  'data-null': /GitHub returned "Something went wrong"/,
  partial: /GitHub returned "Something went wrong while executing your query\."/,
  slow: /(?!)/,
  reset: LOST,
  lost: LOST,
  hang: /[Tt]he request timed out after 10 s/,
}

/** A fault that meets some requests. */
export type Trouble = {
  readonly request: string
  readonly end: FaultName
  /** How many it meets; `undefined`: all until GitHub recovers. */
  readonly times: number | undefined
}

const names = Object.keys(CAUSES).filter((name): name is FaultName => name in CAUSES)

export const troubles: fc.Arbitrary<readonly Trouble[]> = fc.array(
  fc.record({
    request: fc.oneof(fc.constantFrom(...Object.keys(REQUESTS)), fc.constantFrom(...LAST_REQUESTS)),
    end: fc.constantFrom(...names),
    times: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 1 }),
  }),
  { minLength: 1, maxLength: 3 },
)

export function faultOf({ request, end, times }: Trouble): GitHubFault {
  const isOfGraphql = end === 'data-null' || end === 'partial'
  const match = isOfGraphql ? /graphql/ : (REQUESTS[request] ?? /(?!)/)
  return times === undefined ? { match, end } : { match, end, times }
}

/** What a line of the log that tells of a failure may name. */
export function causesOf(all: readonly Trouble[]): RegExp[] {
  return all.map(({ end }) => CAUSES[end])
}

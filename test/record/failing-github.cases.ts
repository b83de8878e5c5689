import type { FaultName } from '../support/github.ts'

/** With these requests a run ends what it began. */
export const LAST = [/^PATCH /, /(?:success|failure)$/]
const READS = [
  /\/permission$/,
  /^GET .*\/pulls\/\d+$/,
  /^GET \/(?:issues|pulls)\/\d+\/comments/,
  /\/statuses$/,
]
const QUERIES = [
  /(?:StepStatuses|MergedPulls|PullState|PullReport)$/,
  /graphql$/,
  /\/(?:files|commits|compare|actions)\b/,
]
const BEGINNINGS = [/^POST .*\/(?:comments|replies)$/, /eyes$/, /pending$/]
export const REQUESTS = [...LAST, ...READS, ...QUERIES, ...BEGINNINGS, /./]

const UNREADABLE = /GitHub returned 20\d without a (?:readable )?body/
const LOST = /[Tt]he connection to 127\.0\.0\.1:\d+ closed before the response was complete/

/** How a log names each fault. */
export const CAUSES: Readonly<Record<FaultName, RegExp>> = {
  '401': /GitHub refused `github-token` \(401, "Bad credentials"\)/,
  '403': /GitHub returned 403 \("Forbidden"\)/,
  'secondary-limit': /GitHub returned 403, its rate limit/,
  'primary-limit': /GitHub returned 403, its rate limit/,
  '404': /GitHub returned 404 \("Not Found"\)|\(404\)/,
  '204': /GitHub returned (?:204|something that is not)/,
  '409': /GitHub returned (?:409 \("Conflict"\)|something that is not a list)/,
  '422': /GitHub returned 422 \("Validation Failed"\)/,
  '429': /GitHub returned 429, its rate limit/,
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
export const FAULTS = Object.keys(CAUSES).filter((name): name is FaultName => name in CAUSES)

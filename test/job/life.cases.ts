import type { Reply } from '../support/scripted-service.ts'

/** After these, nothing runs that did not run before. */
export const REFUSALS: readonly Reply[] = [
  { refused: true },
  { status: 429 },
  { status: 429, headers: { 'retry-after': '20' } },
  { status: 429, headers: { 'retry-after': '86400' } },
  { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
  { status: 401 },
  { status: 404 },
]
/** After these, nobody knows. */
export const UNCLEAR: readonly Reply[] = [
  { breaks: 'before' },
  { breaks: 'before', takesMs: 29_000 },
  { status: 500 },
  { status: 504, takesMs: 20_000 },
  { status: 503, headers: { 'retry-after': '40' } },
  { body: 'nonsense' },
  { body: '{"id":', breaks: 'after' },
]
const prLink = 'https://github.com/acme/docs/pull/7'
export const JOBS: readonly Reply[] = [
  ...['active', 'failed', 'archived', 'completed', 'reviewing'],
  { body: { status: 'completed', prLink } },
  { body: { status: 'active', prLink }, breaks: 'after' },
  { body: { status: 'active' }, takesMs: 25_000 },
]

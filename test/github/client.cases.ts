import type { isSameAccount } from '../../src/github/comments.ts'

type Account = Parameters<typeof isSameAccount>[0]

/** An answer: a status, or what is said here; `lost` closes the connection, `hangs` leaves it open. */
export type Reply =
  | number
  | 'lost'
  | 'hangs'
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> }

export const said = (status: number, message: string): Reply => ({ status, body: { message } })
export const FORBIDDEN = said(403, 'Resource not accessible by integration')
export const HTML = { headers: { 'content-type': 'text/html' }, body: '<html>Unicorn!' }
export const retryAfter = (status: number, s: number): Reply => ({
  status,
  headers: { 'retry-after': `${s}` },
})

const unreadable = 'other undefined: GitHub returned 200 without a readable body'
const withoutData = 'other undefined: GitHub returned a response without data'
const failing = (type?: string) => ({ body: { data: null, errors: [{ type, message: 'No.' }] } })

/** A call and its answer; how often it is made, and the kind, status and message of its failure. */
export const FAILING: readonly [string, Reply, number, string][] = [
  ['POST /graphql', HTML, 3, unreadable],
  ['GET /x', { body: '"text"' }, 3, unreadable],
  ['POST /graphql', { body: {} }, 3, unreadable],
  ['GET /x', 204, 3, 'other undefined: GitHub returned 204 without a readable body'],
  ['POST /graphql', { body: { data: [] } }, 3, withoutData],
  ['POST /graphql', failing(), 3, 'other undefined: GitHub returned "No."'],
  ['POST /graphql', failing('RATE_LIMITED'), 3, 'rate-limit undefined: GitHub returned "No."'],
  ['POST /graphql', failing('FORBIDDEN'), 1, 'permission undefined: GitHub returned "No."'],
  ['POST /graphql', said(404, 'Not Found'), 1, 'setup 404: this server has no GraphQL API (404)'],
  ['POST /graphql', { ...HTML, status: 405 }, 1, 'setup 405: this server has no GraphQL API (405)'],
  [
    'GET /x',
    { status: 302, headers: { location: '/y' } },
    3,
    'other undefined: GitHub redirected the request (302)',
  ],
  [
    'POST /graphql',
    said(401, 'Bad credentials'),
    1,
    'setup 401: GitHub refused `github-token` (401, "Bad credentials")',
  ],
  [
    'GET /x',
    FORBIDDEN,
    1,
    'permission 403: GitHub returned 403 ("Resource not accessible by integration")',
  ],
  ['GET /x', said(404, 'Not Found'), 1, 'permission 404: GitHub returned 404 ("Not Found")'],
  [
    'GET /x',
    said(404, 'No common ancestor.'),
    1,
    'other 404: GitHub returned 404 ("No common ancestor.")',
  ],
  ['GET /x', 409, 1, 'other 409: GitHub returned 409'],
  ['GET /x', said(429, 'Slow down'), 3, 'rate-limit 429: GitHub returned 429, its rate limit'],
  [
    'PATCH /x',
    said(403, 'The issue is locked.'),
    1,
    'refused 403: GitHub returned 403 ("The issue is locked.")',
  ],
  ['PATCH /x', 410, 1, 'refused 410: GitHub returned 410'],
  [
    'POST /x',
    {
      status: 422,
      body: { message: 'Failed', errors: [{ message: 'context is too long' }, 'y', {}] },
    },
    1,
    'refused 422: GitHub returned 422 ("Failed: context is too long: y")',
  ],
  [
    'POST /x',
    said(422, 'x'.repeat(300)),
    1,
    `refused 422: GitHub returned 422 ("${'x'.repeat(200)}… (100 more characters)")`,
  ],
]

const usedUp = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }

/** An answer, and when the call is made, in seconds. */
export const AGAIN: readonly [Reply, number[]][] = [
  [500, [0, 3, 12]],
  ['lost', [0, 3, 12]],
  [429, [0, 3, 12]],
  [said(403, 'You have exceeded a secondary rate limit.'), [0, 3, 12]],
  [retryAfter(403, 7), [0, 7, 14]],
  [{ status: 403, headers: usedUp }, [0, 7, 16]],
  [retryAfter(403, 15), [0, 15, 30]],
  [retryAfter(403, 16), [0]],
]

/** A call and its answers, what becomes of it, and whether it may have taken effect. */
export const AFTER_502: readonly [string, readonly Reply[], unknown, boolean?][] = [
  ['GET /x', [502, retryAfter(403, 5), 200], { ok: true }],
  ['GET /x', [502, 404], 'permission 404: GitHub returned 404', false],
  [
    'POST /graphql',
    ['lost', failing('FORBIDDEN')],
    'permission undefined: GitHub returned "No."',
    false,
  ],
  ['PATCH /x', [502, 404], 'other 404: GitHub returned 404', true],
  ['PATCH /x', ['lost', 422], 'other 422: GitHub returned 422', true],
  ['PATCH /x', [429, 404], 'permission 404: GitHub returned 404', false],
  ['POST /x', [502], 'other 502: GitHub returned 502', true],
]

/** What is refused for good: where the permission has not worked, and where it has. */
export const FOR_GOOD: readonly [Reply, [boolean, boolean]][] = [
  [404, [true, false]],
  [FORBIDDEN, [true, false]],
  [said(403, 'Unable to create comment because issue is locked.'), [true, true]],
  [422, [true, true]],
  [401, [false, false]],
  [retryAfter(403, 99), [false, false]],
  [502, [false, false]],
]

/** Two accounts, and whether they are the same. */
export const ACCOUNTS: readonly [Account, Account, boolean][] = [
  [{ id: 1, login: 'a' }, { id: 1, login: 'renamed' }, true],
  [{ id: 1, login: 'a' }, { id: 2, login: 'a' }, false],
  [{ databaseId: 1, login: 'a' }, { id: 1, login: 'a[bot]' }, true],
  [{ login: 'GitHub-Actions' }, { id: 41898282, login: 'github-actions[bot]' }, true],
  [{ login: 'github-actions' }, { id: 7, login: 'github-actions-fan' }, false],
  [{ login: '[bot]x' }, { login: 'x' }, false],
  [{ login: '' }, { login: '' }, false],
  [{ id: 1, login: 'a' }, null, false],
]

const EXPIRED = 'It is invalid or has expired; the token of a GitHub App expires after one hour.'
const EMPTY =
  'If it is taken from a secret, is that set, and its name spelled correctly? Without the input, `github.token` is used.'
const LIMITED = 'GitHub says: "API rate limit exceeded for installation."'

/** What the cause is, answers and options of the client, the cause in a few words, and what explains it. */
export const CAUSES: readonly [string, Reply, Record<string, string>, string, string][] = [
  ['an empty token', 200, { token: '' }, '`github-token` is empty', EMPTY],
  ['a refused token', 401, {}, 'GitHub refused `github-token` (401)', EXPIRED],
  [
    'a rate limit',
    said(403, 'API rate limit exceeded for installation.'),
    {},
    'GitHub returned 403, its rate limit',
    LIMITED,
  ],
  ['a failing server', 502, {}, 'GitHub returned 502', ''],
]

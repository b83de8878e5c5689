import { docsLink } from '../../src/lib/text.ts'

export const KEY = 'mint_secret_0123'

export type Rejection = {
  /** By default, `create`. */
  readonly call?: 'get' | 'message' | 'visitors'
  readonly status: number
  /** Of the response; by default an error with this text. */
  readonly said?: string
  readonly body?: string
  readonly title: string
  /** The likely cause and the fix. */
  readonly fix: string
}

const NEW_KEY = `Create an admin key in the dashboard and save it in the secret that \`api-key\` reads ${docsLink('manage.md#rotate-the-api-key')}.`
const PLAN = {
  title: "Your plan doesn't include this request",
  fix: `Pro and Enterprise include the API and analytics ${docsLink('requirements.md')}. Change the plan in the dashboard, or remove the inputs that need it.`,
}
const NO_CREDITS = {
  title: 'Your Mintlify credits are used up',
  fix: `Add credits in the dashboard, or wait until the next billing period ${docsLink('cost.md')}.`,
}
export const WEB_PAGE = {
  title: 'Got a web page instead of an API response',
  fix: "A firewall or a proxy may have sent it. Check the runner's proxy (`HTTPS_PROXY`, `HTTP_PROXY`). If you set `base-url`, check it.",
}
const LIMIT = 'You reached the rate limit of Mintlify'
const FEWER = `Start fewer runs, or try again later ${docsLink('cost.md')}.`
const INVALID = 'Mintlify rejected the request as invalid'

export const REJECTIONS: readonly Rejection[] = [
  {
    status: 401,
    said: 'no',
    title: 'Mintlify rejected the API key',
    fix: `The key may be mistyped, deleted, or expired (keys last 90 days by default), or your plan may not include the API. ${NEW_KEY}`,
  },
  {
    status: 401,
    said: 'Key expired',
    title: 'The API key has expired',
    fix: NEW_KEY,
  },
  {
    call: 'get',
    status: 401,
    said: 'Key was revoked',
    title: 'The API key was deleted',
    fix: NEW_KEY,
  },
  { status: 401, said: 'Your trial has expired', ...PLAN },
  {
    status: 401,
    said: 'Missing Authorization header',
    title: 'Mintlify received no API key',
    fix: 'A proxy may be removing the `Authorization` header. Exempt this host from the proxy, or configure the proxy to keep the header.',
  },
  { status: 402, body: '', ...NO_CREDITS },
  {
    status: 402,
    said: 'invoice overdue',
    title: 'Mintlify requires payment',
    fix: 'Check your credits and invoices in the dashboard.',
  },
  { status: 403, said: 'Insufficient credits', ...NO_CREDITS },
  { call: 'visitors', status: 403, said: 'Not in your plan', ...PLAN },
  {
    status: 403,
    said: 'IP not allowed',
    title: "The API key's IP allow list doesn't include this runner",
    fix: "Add the runner's address to the list in the dashboard, or use a runner whose address is on it.",
  },
  {
    status: 403,
    said: 'Key has scope: read',
    title: "The API key's scope doesn't allow this request",
    fix: `A job needs a key with full access; for a report, the scope \`read\` is enough. ${NEW_KEY}`,
  },
  {
    status: 403,
    said: 'The GitHub App is not installed',
    title: "Mintlify's GitHub App isn't installed",
    fix: `Install it on the docs repository ${docsLink('requirements.md')}. The dashboard has a link to the App.`,
  },
  {
    status: 403,
    said: 'no',
    title: 'Mintlify denied the request',
    fix: 'Check the key, its scope, and your plan in the dashboard.',
  },
  {
    status: 403,
    said: 'Forbidden',
    title: 'Mintlify denied the request',
    fix: "The key may have the scope `read` (a job needs a key with full access), or have an IP allow list that doesn't include this runner. Check the key and your plan in the dashboard.",
  },
  {
    call: 'get',
    status: 403,
    body: '',
    title: 'Mintlify denied the request',
    fix: "The key may have an IP allow list that doesn't include this runner. Check the key and your plan in the dashboard.",
  },
  {
    status: 403,
    body: '<p>Error code: 1010</p>',
    title: 'A firewall in front of Mintlify blocked the request',
    fix: "The firewall rejected the action's user agent before Mintlify saw the API key. If a proxy changes the `User-Agent` header, exempt this host from it. Otherwise, ask Mintlify's support to allow `docs-agent-action`.",
  },
  { status: 403, body: '<html>Your plan', ...WEB_PAGE },
  {
    status: 404,
    said: 'Project acme-credits of the trial not found',
    title: 'Mintlify has no project `docs`',
    fix: 'Compare `project-id` (`docs`) with the ID on the API keys page of the dashboard, and make sure that the API key belongs to the same organization. If you set `base-url`, check it, too.',
  },
  {
    call: 'get',
    status: 404,
    said: 'no',
    title: "Job `j1` wasn't found",
    fix: "The job isn't in the project `docs`, or was deleted.",
  },
  {
    call: 'get',
    status: 404,
    body: '{"error":"Not Found","message":"Route GET:/v2/x not found"}',
    title: 'Mintlify has no such endpoint',
    fix: 'Check the path in `base-url`: the action appends its own paths to it.',
  },
  {
    call: 'message',
    status: 400,
    said: 'Job is archived',
    title: "The job doesn't accept messages anymore",
    fix: 'To start a new job, run the workflow again. If you set `job-id`, remove it first; if that fails again, set `follow-up: false`.',
  },
  {
    status: 400,
    said: 'Job creation failed: prompt is empty',
    title: INVALID,
    fix: 'If no input of this step explains this, check the project in the dashboard, or update the action.',
  },
  {
    call: 'get',
    status: 422,
    said: 'no',
    title: INVALID,
    fix: 'If no input of this step explains this, check the project in the dashboard, or update the action.',
  },
  {
    call: 'get',
    status: 408,
    said: 'no',
    title: 'Mintlify timed out waiting for the request',
    fix: "The runner's network or its proxy may be slow.",
  },
  {
    call: 'message',
    status: 409,
    said: 'busy',
    title: "Mintlify can't do this right now",
    fix: 'Try again later.',
  },
  {
    status: 413,
    said: 'no',
    title: 'The request is too large for Mintlify',
    fix: "The prompt is small, so a proxy or a wrong `base-url` is the likely cause. Check the runner's proxy (`HTTPS_PROXY`, `HTTP_PROXY`), and `base-url` if you set it.",
  },
  {
    call: 'get',
    status: 429,
    said: 'Too many, buy credits',
    title: LIMIT,
    fix: `This is the limit of this API key. ${FEWER}`,
  },
  {
    call: 'message',
    status: 429,
    body: 'Too many',
    title: LIMIT,
    fix: `This is the limit of your organization, for all its API keys. ${FEWER}`,
  },
  {
    status: 429,
    said: '100 jobs per project',
    title: LIMIT,
    fix: `The documented limit is 100 jobs per project and hour. ${FEWER}`,
  },
  {
    call: 'visitors',
    status: 429,
    body: 'Too many',
    title: LIMIT,
    fix: `This is the limit of this API key or of your organization. The documented limit is 100 analytics requests per hour for the whole organization. ${FEWER}`,
  },
  {
    call: 'get',
    status: 503,
    said: 'no',
    title: 'Mintlify failed (503)',
    fix: 'The cause is Mintlify or a proxy in front of it, not your workflow. Try again later.',
  },
  {
    call: 'get',
    status: 418,
    said: 'no',
    title: 'Unexpected response from Mintlify (418)',
    fix: "This status isn't documented. If you set `base-url`, check it. Otherwise, update the action, because it may be older than the API.",
  },
]

export const PAGE = 'with a web page'

/** Bodies, and how they are quoted or described. */
export const BODIES: readonly { readonly body: string; readonly shown: string }[] = [
  {
    body: '{"error":"too short","details":[{"message":"at least 1"},{}]}',
    shown: '"too short; at least 1"',
  },
  { body: '{"error":{"message":"nested"}}', shown: '"nested"' },
  { body: '{"error":"No","message":"No"}', shown: '"No"' },
  { body: '"just a string"', shown: '"just a string"' },
  { body: ' Too\r\nmany, \t`wait` ', shown: `"Too many, 'wait'"` },
  {
    body: `{"error":"${'x'.repeat(400)}"}`,
    shown: `"${'x'.repeat(300)}… (100 more characters)"`,
  },
  { body: `{"error":"wrong key mint_\\u0073ecret_0123"}`, shown: '"wrong key ***"' },
  { body: 'Oops <b>no</b>', shown: PAGE },
  { body: 'x'.repeat(301), shown: "with text that isn't JSON" },
  { body: '{"code":7}', shown: "with JSON that doesn't match the documentation" },
  { body: '', shown: 'with an empty body' },
]

import type { FaultName } from '../support/github.ts'
import type { RunOptions } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

export type Ended = RunOptions & {
  /** The reply to the create or message. */
  readonly post?: Reply
  /** How GitHub fails to set commit statuses. */
  readonly statuses?: FaultName
}

export const PR_LINK = 'https://github.com/acme/docs/pull/12'
export const PR = `[acme/docs#\u200b12](${PR_LINK})`

export const job = (status: string, fields: object = {}): Reply => ({ body: { status, ...fields } })
const ready = job('completed', { prLink: PR_LINK })
export const denied: Reply = { status: 403 }

const failOn = (results: string): Ended => ({ inputs: { 'fail-on': results } })
/** A message to a job, and a run that only waits for it. */
const message = { 'job-id': 'j1' }
const wait = { ...message, prompt: '' }
const noWait = (inputs: Ended['inputs'] = {}): Ended => ({ inputs: { ...inputs, wait: 'false' } })

const HOW = 'To wait for it, run this action with `job-id: j1`.'
const RUNNING = `The job is still running. ${HOW}`
const MAYBE = `The job may still be running. ${HOW}`
const ABOUT = 'The request was about job j1.'
const LATER = 'A longer `timeout` gives the next run more time.'
const fails = (result: string): string => ` The step fails because \`fail-on\` names \`${result}\`.`
const NO_PULL =
  'Completed without a pull request (job j1). Either no file needed a change, or the agent published straight to the branch.'
const FAILED =
  "The agent's job failed (job j1). The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job."
const DENIED =
  'The docs service does not allow this (403). The request to get the job was answered with an empty body. The dashboard shows why: the key may have a list of IP addresses that this runner is not on, or the plan may not include this.'
const CREATE_DENIED =
  'The docs service does not allow this (403). The request to create a job was answered with an empty body. The dashboard shows why: the key may have the scope `read` (a job takes a key with full access), or may have a list of IP addresses that this runner is not on, or the plan may not include this. Nothing was started.'
const NOT_REMEMBERED =
  'To try again, start the workflow anew instead of re-running it: as this run could not write its commit status or reply, a re-run would not know that.'
const UNSEEN =
  'Not finished within 30m. The last poll failed. The docs service failed (503). The request to get the job was answered with an empty body. The cause is the service or a proxy before it, not this workflow.'
const GONE =
  'No job `j1` in project `docs` (404). The request to get the job was answered with an empty body. The service may have deleted it. Check `project-id`, and `job-id` if it is set.'
const OWN_GONE = `${GONE} The service had accepted this job, which may be running.`
const ARCHIVED =
  "The agent's job was archived (job j1). It was archived in the dashboard or by the service, and does no further work."

/** The end of a run: its result, the sign of its summary, its commit status, and its annotation. */
export const ENDS: readonly [string, Reply, Ended, string][] = [
  [
    'a pull request',
    ready,
    failOn('failed, archived, timed-out, no-pull-request'),
    `pull-request ✅ success notice: Pull request ready for review (job j1): ${PR_LINK}`,
  ],
  [
    'no pull request',
    'completed',
    failOn('failed, archived, timed-out'),
    `no-pull-request ✅ success notice: ${NO_PULL}`,
  ],
  [
    'no pull request, which `fail-on` names',
    'completed',
    failOn('no-pull-request'),
    `no-pull-request ❌ success error: ${NO_PULL}${fails('no-pull-request')}`,
  ],
  [
    'no pull request, which `fail-on` names, and no commit status',
    'completed',
    { ...failOn('no-pull-request'), statuses: '403' },
    `no-pull-request ❌ none error: ${NO_PULL}${fails('no-pull-request')}`,
  ],
  ['a failed job', 'failed', {}, `failed ❌ failure error: ${FAILED}${fails('failed')}`],
  [
    'a failed job where `fail-on` is none',
    'failed',
    failOn('none'),
    `failed ❌ failure warning: ${FAILED}`,
  ],
  ['an archived job', 'archived', {}, `archived 🗄️ failure warning: ${ARCHIVED}`],
  [
    'an archived job with a pull request',
    job('archived', { prLink: PR_LINK }),
    failOn('archived'),
    `archived ❌ failure error: ${ARCHIVED}${fails('archived')} Pull request: ${PR_LINK}`,
  ],
  [
    'the deadline',
    'active',
    {},
    `timed-out ⏱️ failure error: Not finished within 30m. ${RUNNING} ${LATER}${fails('timed-out')}`,
  ],
  [
    'the deadline where `fail-on` is none',
    'active',
    { inputs: { timeout: ' 1h30m ', 'fail-on': 'none' } },
    `timed-out ⏱️ failure warning: Not finished within 1h30m. ${RUNNING} ${LATER}`,
  ],
  [
    'the deadline, and no poll that shows the job',
    { status: 503 },
    { inputs: wait },
    `timed-out ⏱️ none error: ${UNSEEN} ${MAYBE}${fails('timed-out')}`,
  ],
  [
    'a cancel while it waits',
    'active',
    { cancelAtMs: 6000 },
    `cancelled 🛑 failure error: Cancelled. ${RUNNING}`,
  ],
  [
    'a cancel before the create',
    'active',
    { statuses: 'slow', cancelAtMs: 1000 },
    `cancelled 🛑 failure error: Cancelled. Nothing was started.`,
  ],
  [
    'a new job that is not waited for',
    'active',
    noWait(),
    `submitted 🚀 success notice: Job started; not waiting for it. ${RUNNING}`,
  ],
  [
    'a message to a job that is not waited for',
    'active',
    noWait(message),
    `submitted 🚀 success notice: Message sent; not waiting for the job. ${RUNNING}`,
  ],
  [
    'a single poll of a running job',
    'active',
    noWait(wait),
    `submitted ⏳ none notice: ${RUNNING}`,
  ],
  ['a poll that is refused', denied, {}, `error ❌ failure error: ${DENIED} ${MAYBE}`],
  [
    'a first poll that is refused',
    denied,
    { inputs: wait },
    `error ❌ none error: ${DENIED} ${ABOUT}`,
  ],
  [
    'a given job that is unknown',
    { status: 404 },
    { inputs: wait },
    `error ❌ none error: ${GONE}`,
  ],
  [
    'an own job that is unknown',
    { status: 404 },
    { inputs: { 'poll-interval': '2m' } },
    `error ❌ failure error: ${OWN_GONE}`,
  ],
  [
    'a create that is refused',
    'active',
    { post: denied },
    `error ❌ failure error: ${CREATE_DENIED}`,
  ],
  [
    'a create that is refused, of which a re-run would not know',
    'active',
    { post: denied, statuses: '403' },
    `error ❌ none error: ${CREATE_DENIED} ${NOT_REMEMBERED}`,
  ],
]

/** What the summary says. */
export const SAID: readonly [string, Reply, Ended, string][] = [
  [
    'the repository without a branch',
    job('completed', { prLink: PR_LINK, source: { repository: 'https://github.com/acme/docs' } }),
    {},
    'changed [acme/docs](https://github.com/acme/docs).\n',
  ],
  [
    'the pull request of a failure',
    job('failed', { prLink: PR_LINK }),
    {},
    `\n\nIts pull request: ${PR}\n\n`,
  ],
  ['why the step fails', 'failed', {}, `\n\n${fails('failed').trim()}\n\n`],
  [
    'no prompt of a mere wait',
    'failed',
    { inputs: wait },
    '<details><summary>Job</summary>\n\n| Job',
  ],
  [
    'the prompt of a refused create, and no job',
    'active',
    { post: denied },
    '</sub>\n\n<details><summary>Prompt</summary>',
  ],
  ['no duration below a second', 'active', noWait(), '<sub>Docs agent · project `docs`</sub>'],
  ['no duration beside the deadline', 'active', {}, '<sub>Docs agent · project `docs`</sub>'],
]

/** Links to pull requests, their number and name. */
export const LINKS = [
  ['https://github.com/acme/docs/pull/12/files', '12', 'acme/docs#12'],
  ['http://127.0.0.1:4010/acme/docs/pull/12', '12', 'acme/docs#12'],
  ['https://gitlab.com/group/sub/docs/-/merge_requests/7', '7', 'group/sub/docs!7'],
  ['https://bitbucket.org/acme/docs/pull-requests/3', '3', 'acme/docs#3'],
  ['https://dev.example/acme/_git/docs/pullrequest/4', '4', 'dev.example/acme/_git/docs#4'],
  ['https://example.com/reviews/5', '', 'example.com/reviews/5'],
  ['https://github.com/acme/docs/pull/x1', '', 'github.com/acme/docs/pull/x1'],
] as const

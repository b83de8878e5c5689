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
const FINDS = 'To wait for it now, run this action with `job-id: j1`.'
const RUNNING = `The job is still running. ${HOW}`
const MAYBE = `The job may still be running. ${HOW}`
const FAIL_ON = 'This step failed because `fail-on` includes'
const NOTHING = 'Nothing was started.'

type End = {
  readonly what: string
  /** How polls show the job. */
  readonly shown: Reply
  readonly options?: Ended
  /** The result, the sign of the summary, the recorded state, and the level of the annotation. */
  readonly ends: string
  readonly title: string
  /** Facts in the annotation's text. */
  readonly says: readonly string[]
}

/** How runs end. */
export const ENDS: readonly End[] = [
  {
    what: 'a pull request',
    shown: ready,
    options: failOn('failed, archived, timed-out, no-pull-request'),
    ends: 'pull-request ✅ success notice',
    title: 'Docs pull request ready for review',
    says: [`Docs pull request ready for review: ${PR_LINK}`],
  },
  {
    what: 'no pull request',
    shown: 'completed',
    options: failOn('failed, archived, timed-out'),
    ends: 'no-pull-request ✅ success notice',
    title: 'The job completed without a pull request',
    says: ['The job completed without a pull request.', 'pushed directly to the branch'],
  },
  {
    what: 'no pull request, which `fail-on` includes, and no commit status',
    shown: 'completed',
    options: { ...failOn('no-pull-request'), statuses: '403' },
    ends: 'no-pull-request ❌ none error',
    title: 'The job completed without a pull request',
    says: [`${FAIL_ON} \`no-pull-request\`.`],
  },
  {
    what: 'a pull request link that can not be read',
    shown: job('completed', { prLink: 'acme/docs#12' }),
    ends: 'no-pull-request ⚠️ success warning',
    title: 'The pull request link could not be read',
    says: ['You can find the pull request in the dashboard.'],
  },
  {
    what: 'a failed job',
    shown: 'failed',
    ends: 'failed ❌ failure error',
    title: "The agent's job failed",
    says: [
      'job `j1` failed, but gave no reason',
      'GitHub App',
      'credits',
      `${FAIL_ON} \`failed\`.`,
    ],
  },
  {
    what: 'an archived job',
    shown: 'archived',
    ends: 'archived 🗄️ failure warning',
    title: "The agent's job was archived",
    says: ['Job `j1` was archived', 'To start a new job, run the workflow again.'],
  },
  {
    what: 'an archived job with a pull request',
    shown: job('archived', { prLink: PR_LINK }),
    options: failOn('archived'),
    ends: 'archived ❌ failure error',
    title: "The agent's job was archived",
    says: [`${FAIL_ON} \`archived\`. Pull request: ${PR_LINK}`],
  },
  {
    what: 'the deadline',
    shown: 'active',
    ends: 'timed-out ⏱️ running error',
    title: 'The job did not finish within 30m',
    says: [RUNNING, 'increase `timeout`', `${FAIL_ON} \`timed-out\`.`],
  },
  {
    what: 'the deadline of a job that the next run finds',
    shown: 'active',
    options: { inputs: { 'follow-up': 'true' } },
    ends: 'timed-out ⏱️ running error',
    title: 'The job did not finish within 30m',
    says: ['The next run of this step finds the job.', FINDS],
  },
  {
    what: 'the deadline of a job that vanished',
    shown: { status: 404 },
    options: { inputs: { timeout: '5s' } },
    ends: 'timed-out ❌ running error',
    title: "Mintlify doesn't know this job anymore",
    says: ['accepted job `j1` before, so it may still be running', `${FAIL_ON} \`timed-out\`.`],
  },
  {
    what: 'the deadline if `fail-on` is none',
    shown: 'active',
    options: { inputs: { timeout: ' 1h30m ', 'fail-on': 'none' } },
    ends: 'timed-out ⏱️ running warning',
    title: 'The job did not finish within 1h30m',
    says: [RUNNING],
  },
  {
    what: 'the deadline, and no poll that shows the job',
    shown: { status: 503 },
    options: { inputs: wait },
    ends: 'timed-out ⏱️ none error',
    title: 'The job did not finish within 30m',
    says: [MAYBE, 'returned 503', `${FAIL_ON} \`timed-out\`.`],
  },
  {
    what: 'a cancellation while it waits',
    shown: 'active',
    options: { cancelAtMs: 6000 },
    ends: 'cancelled 🛑 running error',
    title: 'Canceled: the job is still running',
    says: [RUNNING],
  },
  {
    what: 'a cancellation before the create',
    shown: 'active',
    options: { statuses: 'slow', cancelAtMs: 1000 },
    ends: 'cancelled 🛑 nothing error',
    title: 'Canceled before a job was started',
    says: [NOTHING],
  },
  {
    what: 'a new job that is not waited for',
    shown: 'active',
    options: noWait(),
    ends: 'submitted 🚀 success notice',
    title: 'Job started',
    says: ['Job started.', '`wait: false`', HOW],
  },
  {
    what: 'a message to a job that is not waited for',
    shown: 'active',
    options: noWait(message),
    ends: 'submitted 🚀 success notice',
    title: 'Message sent to the job',
    says: ['Message sent to the job.', '`wait: false`', HOW],
  },
  {
    what: 'a single poll of a running job',
    shown: 'active',
    options: noWait(wait),
    ends: 'submitted ⏳ none notice',
    title: 'The job is still running',
    says: [RUNNING],
  },
  {
    what: 'a poll that is denied',
    shown: denied,
    ends: 'error ❌ running error',
    title: 'Mintlify denied the request',
    says: ['when the action tried to get the job', MAYBE],
  },
  {
    what: 'a given job that is unknown',
    shown: { status: 404 },
    options: { inputs: wait },
    ends: 'error ❌ none error',
    title: "Job `j1` wasn't found",
    says: ['Check `job-id` and `project-id`.'],
  },
  {
    what: 'a job of its own that is unknown',
    shown: { status: 404 },
    options: { inputs: { 'poll-interval': '2m' } },
    ends: 'error ❌ running error',
    title: "Mintlify doesn't know this job anymore",
    says: ['accepted job `j1` before, so it may still be running'],
  },
  {
    what: 'a create that is denied',
    shown: 'active',
    options: { post: denied },
    ends: 'error ❌ nothing error',
    title: 'Mintlify denied the request',
    says: ['when the action tried to create a job', NOTHING],
  },
]

/** Texts of the summary. */
export const SUMMARIES: readonly {
  readonly what: string
  readonly shown: Reply
  readonly options?: Ended
  readonly says: string
}[] = [
  {
    what: 'the pull request of a failure',
    shown: job('failed', { prLink: PR_LINK }),
    says: `## ❌ The agent's job failed: ${PR}\n\n`,
  },
  {
    what: 'no prompt of a run that only waits',
    shown: 'failed',
    options: { inputs: wait },
    says: '<details><summary>Job</summary>\n\n| Job',
  },
  {
    what: 'the prompt of a rejected create, and no job',
    shown: 'active',
    options: { post: denied },
    says: '</sub>\n\n<details><summary>Prompt</summary>',
  },
  {
    what: 'the first 200,000 characters of a prompt',
    shown: 'failed',
    options: { inputs: { prompt: 'é'.repeat(300_000) } },
    says: 'é… (100,000 more characters)',
  },
]

/** Links to pull requests, their number and name. */
export const LINKS = [
  { link: 'https://github.com/acme/docs/pull/12/files', number: '12', name: 'acme/docs#12' },
  { link: 'http://127.0.0.1:4010/acme/docs/pull/12', number: '12', name: 'acme/docs#12' },
  {
    link: 'https://gitlab.com/group/sub/docs/-/merge_requests/7',
    number: '7',
    name: 'group/sub/docs!7',
  },
  {
    link: 'https://dev.example/acme/_git/docs/pullrequest/4',
    number: '4',
    name: 'dev.example/acme/_git/docs#4',
  },
  {
    link: 'https://github.com/acme/docs/pull/x1',
    number: '',
    name: 'github.com/acme/docs/pull/x1',
  },
]

import { JobError } from '../../src/job/job-error.ts'
import type { JobEnd, JobResult, RerunAdvice } from '../../src/job/report.ts'
import { MESSAGE, PR_LINK, type report, WAIT } from './reports.ts'

export const RUNNING =
  'The job is still running. To wait for it, run this action with `job-id: j1`.'
export const MAYBE_RUNNING = RUNNING.replace('is still', 'may still be')
export const FAILS = 'The step fails because `fail-on` names'
export const ARCHIVED =
  "The agent's job was archived (job j1). It was archived in the dashboard or by the service, and does no further work."
export const LATER = 'A longer `timeout` gives the next run more time.'

export type Started = ConstructorParameters<typeof JobError>[0]
export const REFUSED = {
  headline: 'The docs service refused the API key (401)',
  details: 'Renew it.',
}
export const refused = (started: Started, isTransient = false) =>
  new JobError(started, REFUSED, { isTransient })
export const expired = refused('nothing')
export const EXPIRED = 'The docs service refused the API key (401). Renew it.'
/** No job was started or seen. */
export const notStarted = (
  error?: JobError,
  isCancelled = false,
  rerun: RerunAdvice = 'safe',
): JobEnd => ({ kind: 'not-started', isCancelled, error, rerun })
export const NO_CHANGE =
  'Completed without a pull request (job j1). Either no file needed a change, or the agent published straight to the branch.'
export const FAILED =
  "The agent's job failed (job j1). The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job."
export const NEVER_SEEN = `Not finished within 30m. The last poll failed. ${EXPIRED} ${MAYBE_RUNNING}`
export const unseen = { isUnseen: true, error: expired, plan: WAIT }
export const SAFE = 'Nothing was started, so it is safe to run this again.'
export const ANEW =
  'Nothing was started. To try again, start the workflow anew instead of re-running it: as this run could not write its commit status or reply, a re-run would not know that.'

/** Results, what differs from a usual end, and what is said. */
export const WORDS: readonly [JobResult, Parameters<typeof report>[1], string][] = [
  ['pull-request', {}, `Pull request ready for review (job j1): ${PR_LINK}`],
  [
    'pull-request',
    { fields: { id: 'ready' } },
    `Pull request ready for review (job ready): ${PR_LINK}`,
  ],
  ['no-pull-request', {}, NO_CHANGE],
  ['failed', {}, `${FAILED} ${FAILS} \`failed\`.`],
  ['archived', {}, ARCHIVED],
  ['archived', { fields: { prLink: PR_LINK } }, `${ARCHIVED} Pull request: ${PR_LINK}`],
  ['timed-out', {}, `Not finished within 30m. ${RUNNING} ${LATER} ${FAILS} \`timed-out\`.`],
  ['timed-out', unseen, `${NEVER_SEEN} ${LATER} ${FAILS} \`timed-out\`.`],
  [
    'timed-out',
    { inputs: { timeout: ' 1h30m ', 'fail-on': 'none' } },
    `Not finished within 1h30m. ${RUNNING} ${LATER}`,
  ],
  ['cancelled', {}, `Cancelled. ${RUNNING}`],
  ['cancelled', { end: notStarted(undefined, true) }, 'Cancelled. Nothing was started.'],
  [
    'cancelled',
    { end: notStarted(refused('nothing', true), true) },
    `Cancelled. ${EXPIRED} ${SAFE}`,
  ],
  ['cancelled', { end: notStarted(refused('maybe'), true) }, `Cancelled. ${EXPIRED}`],
  ['submitted', {}, `Job started; not waiting for it. ${RUNNING}`],
  ['submitted', { plan: MESSAGE }, `Message sent; not waiting for the job. ${RUNNING}`],
  ['submitted', { plan: WAIT }, RUNNING],
  ['error', { error: expired }, `${EXPIRED} ${MAYBE_RUNNING}`],
  ['error', unseen, `${EXPIRED} The request was about job j1.`],
  ['error', { end: notStarted(expired) }, `${EXPIRED} Nothing was started.`],
  ['error', { end: notStarted(refused('nothing', true)), plan: undefined }, `${EXPIRED} ${SAFE}`],
  // A re-run would start none.
  ['error', { end: notStarted(refused('nothing', true), false, 'anew') }, `${EXPIRED} ${ANEW}`],
  ['error', { end: notStarted(expired, false, 'anew') }, `${EXPIRED} ${ANEW}`],
  ['error', { end: notStarted(refused('maybe'), false, 'anew') }, EXPIRED],
  ['error', { end: notStarted(refused('unknown')) }, EXPIRED],
]

/** Results by `fail-on`: whether they fail the step, and their signs. */
export const FAIL_ON: readonly [JobResult, string, boolean, string][] = [
  ['pull-request', 'failed, archived, timed-out, no-pull-request', false, '✅'],
  ['submitted', 'failed, archived, timed-out, no-pull-request', false, '🚀'],
  ['no-pull-request', 'none', false, '✅'],
  ['no-pull-request', 'failed, archived, timed-out', false, '✅'],
  ['no-pull-request', 'no-pull-request', true, '❌'],
  ['archived', 'failed', false, '🗄️'],
  ['archived', 'archived', true, '❌'],
  ['failed', 'failed', true, '❌'],
  ['failed', 'none', false, '❌'],
  ['timed-out', 'timed-out', true, '⏱️'],
  ['timed-out', 'none', false, '⏱️'],
  ['cancelled', 'none', true, '🛑'],
  ['error', 'none', true, '❌'],
]

/** Links to pull requests, their number and name. */
export const PULL_REQUESTS = [
  ['https://github.com/acme/docs/pull/12', '12', 'acme/docs#12'],
  ['https://github.com/acme/docs/pull/12/files', '12', 'acme/docs#12'],
  ['http://127.0.0.1:4010/acme/docs/pull/12', '12', 'acme/docs#12'],
  ['https://gitlab.com/group/sub/docs/-/merge_requests/7', '7', 'group/sub/docs!7'],
  ['https://bitbucket.org/acme/docs/pull-requests/3', '3', 'acme/docs#3'],
  ['https://git.example/acme/docs/pulls/3', '3', 'git.example/acme/docs#3'],
  ['https://dev.example/acme/_git/docs/pullrequest/4', '4', 'dev.example/acme/_git/docs#4'],
  ['https://github.com.example/acme/docs/pull/7', '7', 'github.com.example/acme/docs#7'],
  ['https://example.com/reviews/5', '', 'example.com/reviews/5'],
  ['https://github.com/acme/docs/pull/x1', '', 'github.com/acme/docs/pull/x1'],
  ['not a url', '', 'not a url'],
] as const

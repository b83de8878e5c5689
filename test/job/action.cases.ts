import type { GitHubFault } from '../support/github.ts'
import type { RunOptions } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

export type Options = RunOptions & {
  /** Where the step's status leads that names job j1; `null`: there is none. */
  readonly target?: string | null
  /** How long ago it was set. */
  readonly namedS?: number
  readonly pull?: object
  readonly fault?: GitHubFault['end']
}

export const EARLIER_RUN = 'https://github.com/acme/docs/actions/runs/999'

export const PR = 'https://github.com/acme/docs/pull/12'
const ELSEWHERE = 'https://github.com/acme/site/pull/3'
const GITLAB = 'https://gitlab.com/acme/docs/-/merge_requests/3'
const HERE = 'The earlier job `j1`'
const rerun = { runId: 1001, attempt: 2, target: 'https://github.com/acme/docs/actions/runs/1001' }
const WAITS = 'Job `j1` was started by an earlier attempt of this run. This attempt waits for it.'
const anew = (why: string): string => `Job \`j1\` ${why}. This attempt starts a new job.`
export const SAFE = 'Nothing was started, so it is safe to run this again.'

export const job = (status: string, prLink: string | null = null): Reply => ({
  body: { status, prLink },
})
export const completed = job('completed', PR)
export const gone = { status: 404 }
export const limited = (seconds: string): Reply => ({
  status: 429,
  headers: { 'retry-after': seconds },
})
export const known = { target: PR }
export const dirty = { pull: { mergeable_state: 'dirty' } }
const merged = {
  pull: { state: 'closed', merged: true, merged_at: '2026-01-01T00:00:00Z' },
} as const

export const LOOK = 'GET /job/j1'
const CREATE = [LOOK, 'POST /job']
const MESSAGE = [LOOK, 'POST /job/j1/message']

const NEW = 'This run starts a new job.'
const GOES_ON = `This run updates the pull request ${PR} (job j1, open for 3 days).`
const CONFLICTS = `${GOES_ON} The pull request conflicts with its base branch.`
const ON_GITLAB = `This run updates the pull request ${GITLAB} (job j1).`
const NO_PULL_YET = `${HERE} has no pull request yet. This run sends the job a message.`
const MERGED = `The earlier pull request ${PR} was merged. ${NEW}`
const HIDDEN = `notice: \`github-token\` can't read the earlier pull request ${ELSEWHERE}, so this run starts a new job. To update pull requests in acme/site, use a token that can read them, for example a GitHub App's.`
const unknown = (why: string): string =>
  `notice: Could not look up the pull request ${PR}: ${why}. The message is sent to its job \`j1\` anyway.`
const ON_502 = unknown('GitHub returned 502 ("Server Error")')
const NO_PULL = unknown('GitHub returned something that is not a pull request')
const answersElse = {
  fault: { status: 200, body: { data: { repository: { pullRequest: { state: 7 } } } } },
} as const

const LINK = `[acme/docs#\u200b12](${PR})`
const CONTINUED = `\n\nThis run updated ${LINK}, open for 3 days.`
const EDITED = 'The pull request contains commits by octocat.\n'
const AFTER_ELSEWHERE = `Started a new job, because \`github-token\` can't read the earlier pull request [acme/site#\u200b3](${ELSEWHERE}).\n`
const after = (state: string): string =>
  `\n\nStarted a new job, because the earlier pull request ${LINK} was ${state}.\n`

type FurtherRun = [
  ...[what: string, shown: Reply, options: Options, calls: readonly string[], line: string],
  summary?: string,
]

/** How the earlier job is shown, and what the run asks of the docs service, logs first, and says in its summary. */
export const FURTHER_RUNS: readonly FurtherRun[] = [
  [
    'goes on where the pull request is open',
    completed,
    {},
    MESSAGE,
    GOES_ON,
    `${CONTINUED} ${EDITED}`,
  ],
  ['goes on where GitHub alone knows it', job('active'), known, MESSAGE, GOES_ON],
  [
    'tells of conflicts',
    completed,
    dirty,
    MESSAGE,
    CONFLICTS,
    `${CONTINUED} The pull request conflicts with its base branch. ${EDITED}`,
  ],
  ['starts a new job where it was merged', completed, merged, CREATE, MERGED, after('merged')],
  [
    'starts a new job where it can not be seen',
    job('completed', ELSEWHERE),
    {},
    CREATE,
    HIDDEN,
    AFTER_ELSEWHERE,
  ],
  ['goes on where that can not be told', completed, { fault: '502' }, MESSAGE, ON_502],
  ['goes on where GitHub answers something else', completed, answersElse, MESSAGE, NO_PULL],
  ['goes on where the link is not GitHub’s', job('completed', GITLAB), {}, MESSAGE, ON_GITLAB],
  ['goes on with an active job that has none', job('active'), {}, MESSAGE, NO_PULL_YET],
  ['waits for the job of an earlier attempt', job('active'), rerun, [LOOK], WAITS],
  ['starts a new job where that one failed', job('failed'), rerun, CREATE, anew('failed')],
]

import type { Lookup } from '../github/client.ts'
import { type CommitOrigin, type MergedPulls, readMergedPulls } from '../github/pull-requests.ts'
import {
  type Comparison,
  type Maybe,
  normalizeLogin,
  type PullRequest,
  type PushedCommit,
} from '../github/types.ts'
import { hasPrompt, type Inputs, isWaitOnly } from '../inputs/table.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { type GitHubEvent, isOfPullRequest, isSha } from './event.ts'

/** A push of more commits than this is treated as people's. */
const MAX_COMMITS = 100
/** Mintlify's agent also commits with this address, which belongs to no account on GitHub. */
const AGENT_EMAIL = 'agent@mintlify.com'

type Author = Pick<CommitOrigin, 'login' | 'email'>

/** Returns the login of a commit's author; GitHub may only know the address that it gave the account. */
function authorLogin({ login, email }: Author): string | undefined {
  const address = email?.toLowerCase()
  const ofEmail = address?.match(/^(?:\d+\+)?([^@]+)@users\.noreply\./)?.[1]
  return login ?? (address === AGENT_EMAIL ? 'mintlify' : ofEmail)
}

/** Returns the first of `ignore-authors` that has one of these logins. */
export function ignoredAuthor(
  logins: readonly Maybe<string>[],
  inputs: Pick<Inputs, 'ignore-authors'>,
): string | undefined {
  const plain = logins.map((login) => normalizeLogin(login ?? ''))
  return inputs['ignore-authors'].find((author) => plain.includes(normalizeLogin(author)))
}

/** Returns which of `ignore-authors` wrote a commit, or opened a merged pull request that it came in. */
export function ownAuthor(
  commit: Author & { readonly sha?: string },
  inputs: Pick<Inputs, 'ignore-authors'>,
  mergedPulls: MergedPulls = new Map(),
): string | undefined {
  const pulls = mergedPulls.get(commit.sha ?? '') ?? []
  return ignoredAuthor([authorLogin(commit), ...pulls.map(({ author }) => author?.login)], inputs)
}

export function originsOf(commits: Maybe<readonly PushedCommit[]>): readonly CommitOrigin[] {
  return (commits ?? []).map(({ id, message, author }) => ({
    sha: id ?? '',
    message: message ?? '',
    login: author?.username,
    email: author?.email,
  }))
}

/** Returns the commits of a push that may all be the agent's own: at most 100, to a branch that existed before. */
export function guardedCommits(
  { row, payload }: GitHubEvent,
  inputs: Inputs,
): readonly CommitOrigin[] {
  const { ref, created, commits } = payload
  const isToBranch =
    row.subject === 'push' && ref?.startsWith('refs/heads/') === true && created !== true
  const origins = isToBranch && !isWaitOnly(inputs) ? originsOf(commits) : []
  return origins.length <= MAX_COMMITS ? origins : []
}

/** Reads the merged pull requests of a push's newest commits, if they decide something or the context shows them. */
export async function readPullsOfPush(
  event: GitHubEvent,
  { inputs, github }: Run,
): Promise<MergedPulls> {
  const withText = hasPrompt(inputs)
  const isNeeded =
    event.row.subject === 'push' && (withText || guardedCommits(event, inputs).length > 0)
  if (!isNeeded) return new Map()
  const commits = originsOf(event.payload.commits).filter(({ sha }) => isSha(sha))
  const effect =
    withText &&
    inputs.context !== 'none' &&
    'the agent does not know which pull requests the commits came in'
  return await readMergedPulls(
    commits.slice(-MAX_COMMITS),
    {
      withText,
      level: 'warning',
      ...(effect && { effect: effect }),
      note: "Commits of unknown origin are treated as a person's.",
    },
    github,
  )
}

/** Whether a pull request with these labels doesn't need docs. */
export function hasSkipLabel(labels: readonly string[], inputs: Inputs): boolean {
  const skipped = inputs['skip-labels'].map((label) => label.toLowerCase())
  return labels.some((label) => skipped.includes(label.toLowerCase()))
}

/** Whether labels can make a run unnecessary: a message to a given job and a report are wanted whatever they are. */
export function heedsLabels(inputs: Inputs): boolean {
  const isNewJob = inputs['job-id'] === '' && hasPrompt(inputs)
  return isNewJob && inputs['skip-labels'].length > 0
}

/** Reads the labels of the event's pull request. A re-run has the payload of its first attempt. */
export async function readLabels(
  event: GitHubEvent,
  { inputs, environment, github }: Run,
): Promise<readonly string[]> {
  const { pull_request: pull } = event.payload
  if (!isOfPullRequest(event) || !isRerun(environment) || !heedsLabels(inputs))
    return labelsOf(pull)
  const call = {
    purpose: 'read the labels of the pull request',
    permission: 'pull-requests: read',
    level: 'warning',
    effect: 'its labels at the time of the event decide whether the run is skipped',
  } as const
  const request = { ...github.repository, pull_number: pull?.number ?? 0 }
  const now = await github.attempt(call, () =>
    github.call<PullRequest>(({ rest }) => rest.pulls.get(request)),
  )
  return labelsOf(now.known ? now.value : pull)
}

export function labelsOf(pull: Maybe<PullRequest>): readonly string[] {
  return (pull?.labels ?? []).map(({ name }) => name ?? '')
}

/**
 * Finds out why a schedule doesn't start a job (`skip-unchanged`): the branch has only the agent's own commits since the step's
 * last job. A commit of unknown origin is treated as a person's.
 */
export async function findUnchanged(
  { name }: GitHubEvent,
  lastJob: Lookup<{ readonly sha: string } | undefined>,
  { inputs, environment, github, log }: Run,
): Promise<string | undefined> {
  const base = lastJob.known ? lastJob.value?.sha : undefined
  if (!inputs['skip-unchanged'] || name !== 'schedule' || base === undefined) return undefined
  const reason = `this branch has only the agent's own commits since this step's last job (on ${base.slice(0, 7)})`
  if (base === environment.sha) return reason
  const basehead = `${base}...${environment.sha}`
  const call = {
    purpose: "compare with the commit of this step's last job",
    permission: 'contents: read',
    effect: '`skip-unchanged` has no effect',
  }
  const compared = await github.attempt(call, () =>
    github.call<Comparison>(({ rest }) =>
      rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead }),
    ),
  )
  if (!compared.known) return undefined
  const { status, commits, total_commits: total } = compared.value
  if (status !== 'ahead' || !commits) return undefined
  const origins = commits.map(({ sha, commit, author }) => ({
    sha: sha ?? '',
    message: commit?.message ?? '',
    login: author?.login,
    email: commit?.author?.email,
  }))
  const others = origins.filter((one) => ownAuthor(one, inputs) === undefined)
  const merged = await readMergedPulls(others, { level: 'notice' }, github)
  if (others.some((one) => ownAuthor(one, inputs, merged) === undefined)) return undefined
  if (origins.length >= (total ?? 0)) return reason
  log.notice(
    `\`skip-unchanged\` has no effect, because GitHub lists only ${origins.length} of the ${total} commits since this step's last job.`,
    '`skip-unchanged` has no effect',
  )
  return undefined
}

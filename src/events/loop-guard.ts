import type { Lookup } from '../github/client.ts'
import {
  type CommitOrigin,
  type MergedPull,
  type MergedPulls,
  readMergedPulls,
} from '../github/pull-requests.ts'
import { type Comparison, type Maybe, normalizeLogin, type PushedCommit } from '../github/types.ts'
import { hasPrompt, type Inputs } from '../inputs/table.ts'
import { inBackticks } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import { type GitHubEvent, isOfPullRequest, isSha } from './event-table.ts'

/** A push of more commits than this is a person's; no more of them are asked about. */
const MAX_COMMITS = 20
/** As many of a push's commits are described by the merged pull requests that they came in. */
export const MAX_DESCRIBED = 100
/** The service's agent also commits with this address, which no account of GitHub's has. */
const AGENT_EMAIL = 'agent@mintlify.com'

/**
 * Why an event needs no job: the pull request, or each commit of the push, is the work of `ignore-authors` or of a merged
 * pull request with one of `skip-labels`.
 *
 * @param mergedPulls as far as GitHub was asked
 * @returns `undefined` if it needs one
 */
export function whyNoJobIsNeeded(
  event: GitHubEvent,
  inputs: Inputs,
  mergedPulls: MergedPulls,
): string | undefined {
  if (isOfPullRequest(event) && !isWaitOnly(inputs)) {
    const { user, labels } = event.payload.pull_request ?? {}
    const names = (labels ?? []).map(({ name }) => name ?? '')
    const reason = reasonToSkip(ignoredAuthor([user?.login], inputs), names, inputs)
    return reason && `this pull request is ${reason}`
  }
  const reasons = guardedCommits(event, inputs).map((commit) => {
    const pulls = mergedPulls.get(commit.sha) ?? []
    const labels = pulls.flatMap((pull) => pull.labels)
    return reasonToSkip(ownAuthor(commit, inputs, pulls), labels, inputs)
  })
  if (reasons.length === 0 || reasons.includes(undefined)) return undefined
  return `every change of this push is ${[...new Set(reasons)].join(' or ')}`
}

/** @param author one of `ignore-authors` */
function reasonToSkip(
  author: string | undefined,
  labels: readonly string[],
  inputs: Inputs,
): string | undefined {
  if (author !== undefined) return `by ${author} (\`ignore-authors\`)`
  // A message to a given job and a report are wanted whatever the labels.
  const isNewJob = inputs['job-id'] === '' && hasPrompt(inputs)
  const label = labels.find((one) => isNewJob && hasSkipLabel([one], inputs))
  return label && `labelled ${inBackticks(label)} (\`skip-labels\`)`
}

/** Whether a pull request with these labels needs no docs. */
export function hasSkipLabel(labels: readonly string[], inputs: Inputs): boolean {
  const skipped = inputs['skip-labels'].map((label) => label.toLowerCase())
  return labels.some((label) => skipped.includes(label.toLowerCase()))
}

/** Which of `ignore-authors` wrote a commit, or opened one of the merged pull requests that it came in. */
export function ownAuthor(
  { login, email }: Pick<CommitOrigin, 'login' | 'email'>,
  inputs: Pick<Inputs, 'ignore-authors'>,
  pulls: readonly MergedPull[] = [],
): string | undefined {
  // GitHub may know an author by the e-mail address that it gave the account, only.
  const address = email?.toLowerCase()
  const ofEmail = address?.match(/^(?:\d+\+)?([^@]+)@users\.noreply\./)?.[1]
  const written = login ?? (address === AGENT_EMAIL ? 'mintlify' : ofEmail)
  return ignoredAuthor([written, ...pulls.map(({ author }) => author?.login)], inputs)
}

/** Asks for the merged pull requests of a push's newest commits, where the loop guard or the context needs them. */
export async function loadMergedPulls(
  event: GitHubEvent,
  { inputs, github }: Run,
): Promise<MergedPulls> {
  const withText = hasPrompt(inputs)
  const isAsked =
    event.row.subject === 'push' && (withText || guardedCommits(event, inputs).length > 0)
  const commits = isAsked ? originsOf(event.payload.commits).filter(({ sha }) => isSha(sha)) : []
  const effect =
    withText &&
    inputs.context !== 'none' &&
    'the agent is not told which pull requests the commits came in'
  const note = "Commits of unknown origin count as a person's."
  const described = commits.slice(-MAX_DESCRIBED)
  return await readMergedPulls(
    described,
    { withText, level: 'warning', ...(effect && { effect: effect }), note: note },
    github,
  )
}

/** A run that only waits for a job starts none. */
export function isWaitOnly(inputs: Inputs): boolean {
  return inputs['job-id'] !== '' && !hasPrompt(inputs)
}

/** The commits of a push that are to be judged: to a branch that was there before, and not too many. */
function guardedCommits({ row, payload }: GitHubEvent, inputs: Inputs): readonly CommitOrigin[] {
  const { ref, created, commits } = payload
  const isToBranch =
    row.subject === 'push' && ref?.startsWith('refs/heads/') === true && created !== true
  const origins = isToBranch && !isWaitOnly(inputs) ? originsOf(commits) : []
  return origins.length <= MAX_COMMITS ? origins : []
}

export function originsOf(commits: Maybe<readonly PushedCommit[]>): readonly CommitOrigin[] {
  return (commits ?? []).map(({ id, message, author }) => ({
    sha: id ?? '',
    message: message ?? '',
    login: author?.username,
    email: author?.email,
  }))
}

/** The first of `ignore-authors` that has one of these logins. */
export function ignoredAuthor(
  logins: readonly Maybe<string>[],
  inputs: Pick<Inputs, 'ignore-authors'>,
): string | undefined {
  const plain = logins.map((login) => normalizeLogin(login ?? ''))
  return inputs['ignore-authors'].find((author) => plain.includes(normalizeLogin(author)))
}

/**
 * Why a schedule starts no job (`skip-unchanged`): since the step's last job the branch has no commit but the agent's own.
 *
 * @returns `undefined` if there is one, or that can't be told
 */
export async function findUnchanged(
  { name }: GitHubEvent,
  lastJob: Lookup<{ readonly sha: string } | undefined>,
  { inputs, environment, github }: Run,
): Promise<string | undefined> {
  const base = lastJob.known ? lastJob.value : undefined
  const isAsked =
    inputs['skip-unchanged'] && name === 'schedule' && inputs['content-gaps'] !== 'agent'
  if (!isAsked || base === undefined) return undefined
  const reason = `no commit on this branch since this step's last job (on ${base.sha.slice(0, 7)}) but the agent's own`
  if (base.sha === environment.sha) return reason
  const basehead = `${base.sha}...${environment.sha}`
  const compared = await github.read(() =>
    github.call<Comparison>(({ rest }) =>
      rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead }),
    ),
  )
  if (!compared.known) return undefined
  const { status, commits } = compared.value
  if (status !== 'ahead' || !commits || commits.length > MAX_COMMITS) return undefined
  const origins = commits.map(({ sha, commit, author }) => ({
    sha: sha ?? '',
    message: commit?.message ?? '',
    login: author?.login,
    email: commit?.author?.email,
  }))
  const merged = await readMergedPulls(origins, { level: 'notice' }, github)
  const isOwn = origins.every((one) => ownAuthor(one, inputs, merged.get(one.sha)) !== undefined)
  return isOwn ? reason : undefined
}

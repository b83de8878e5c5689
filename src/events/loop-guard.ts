import { type CommitOrigin, type MergedPulls, readMergedPulls } from '../github/pull-requests.ts'
import { type Maybe, normalizeLogin, type PushedCommit } from '../github/types.ts'
import { hasPrompt, type Inputs } from '../inputs/table.ts'
import { joinSentences } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import { type GitHubEvent, isSha } from './event-table.ts'

/** A push of more commits than this is a person's; no more of them are asked about. */
const MAX_COMMITS = 20
/** As many of a push's commits are described by the merged pull requests that they came in. */
export const MAX_DESCRIBED = 100

/**
 * Why an event must not start the agent: one of `ignore-authors` opened the pull request, or made all commits of the
 * push.
 *
 * @param mergedPulls as far as GitHub was asked
 * @returns `undefined` if it may
 */
export function findOwnWork(
  event: GitHubEvent,
  inputs: Inputs,
  mergedPulls: MergedPulls,
): string | undefined {
  const { row, payload } = event
  if (row.subject === 'pull-request' && row.command === undefined && !isWaitOnly(inputs)) {
    const opener = ignoredAuthor([payload.pull_request?.user?.login], inputs)
    return opener && `${opener} opened this pull request (\`ignore-authors\`)`
  }
  const authors = ownAuthors(guardedCommits(event, inputs), mergedPulls, inputs)
  if (authors === undefined) return undefined
  const orMerged = mergedPulls.size === 0 ? '' : ' or came in a merged pull request of that account'
  return `every commit of this push was written by ${authors.join(', ')}${orMerged} (\`ignore-authors\`)`
}

/**
 * Which of `ignore-authors` made these commits: wrote them, or opened the merged pull requests that they came in (merge
 * commits, squashed and rebased ones).
 *
 * @returns `undefined` if a commit is a person's, as far as is known, or there are none
 */
export function ownAuthors(
  commits: readonly CommitOrigin[],
  mergedPulls: MergedPulls,
  inputs: Inputs,
): readonly string[] | undefined {
  const authors = new Set<string>()
  for (const commit of commits) {
    const openers = mergedPulls.get(commit.sha)?.map((pull) => pull.author) ?? []
    const author = ownAuthor(commit, inputs, openers)
    if (author === undefined) return undefined
    authors.add(author)
  }
  return authors.size === 0 ? undefined : [...authors]
}

/** Which of `ignore-authors` wrote a commit, or is among the `openers` of its pull requests. */
export function ownAuthor(
  { login, email }: Pick<CommitOrigin, 'login' | 'email'>,
  inputs: Inputs,
  openers: readonly string[] = [],
): string | undefined {
  // GitHub may know an author by the e-mail address that it gave the account, only.
  const written = login ?? email?.match(/^(?:\d+\+)?([^@]+)@users\.noreply\./)?.[1]
  return ignoredAuthor([written, ...openers], inputs)
}

/** Asks for the merged pull requests of a push's newest commits, where the loop guard or the context needs them. */
export async function loadMergedPulls(
  { row, payload }: GitHubEvent,
  { isGuarded, isDescribed }: { readonly isGuarded: boolean; readonly isDescribed: boolean },
  { github }: Run,
): Promise<MergedPulls> {
  const isAsked = row.subject === 'push' && (isGuarded || isDescribed)
  const commits = isAsked ? originsOf(payload.commits).filter(({ sha }) => isSha(sha)) : []
  if (commits.length === 0) return new Map()
  const consequence = joinSentences(
    isGuarded ? "A commit of unknown origin counts as a person's (`ignore-authors`)." : '',
    isDescribed ? 'The agent is not told which pull requests the commits came in.' : '',
  )
  const level = isGuarded ? ({ level: 'warning' } as const) : {}
  return await readMergedPulls(
    commits.slice(-MAX_DESCRIBED),
    { withText: isDescribed, consequence, ...level },
    github,
  )
}

/** A run that only waits for a job starts none. */
function isWaitOnly(inputs: Inputs): boolean {
  return inputs['job-id'] !== '' && !hasPrompt(inputs)
}

/** The commits of a push that are to be judged: to a branch that was there before, and not too many. */
export function guardedCommits({ row, payload }: GitHubEvent, inputs: Inputs): readonly CommitOrigin[] {
  const { ref, created, commits } = payload
  const isToBranch = row.subject === 'push' && ref?.startsWith('refs/heads/') === true && created !== true
  const isGuarded = !isWaitOnly(inputs) && inputs['ignore-authors'].length > 0
  const origins = isToBranch && isGuarded ? originsOf(commits) : []
  return origins.length <= MAX_COMMITS ? origins : []
}

/** One that can't be read is of unknown origin. */
export function originsOf(commits: Maybe<readonly Maybe<PushedCommit>[]>): readonly CommitOrigin[] {
  return (Array.isArray(commits) ? commits : []).map((commit: Maybe<PushedCommit>) => {
    const { id, message, author } = commit ?? {}
    return { sha: id ?? '', message: message ?? '', login: author?.username, email: author?.email }
  })
}

/** The first of `ignore-authors` that has one of these logins. */
function ignoredAuthor(logins: readonly Maybe<string>[], inputs: Inputs): string | undefined {
  const plain = logins.map((login) => normalizeLogin(login ?? ''))
  return inputs['ignore-authors'].find((author) => plain.includes(normalizeLogin(author)))
}

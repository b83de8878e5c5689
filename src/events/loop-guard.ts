import type { MergedPull } from '../github/history.ts'
import { type Maybe, normalizeLogin, type PushedCommit } from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import type { GitHubEvent } from './event-table.ts'
import { hasPrompt } from './trigger.ts'

/** A push of more commits than this is a person's; no more of them are asked about. */
export const MAX_COMMITS = 20

/**
 * Why an event must not start the agent: one of `ignore-authors` opened the pull request, or wrote all commits of the
 * push, or opened the merged pull requests that they came in (merge commits, squashed and rebased ones).
 *
 * @param merged merged pull requests by commit, as far as they are known
 * @returns `undefined` if it may
 */
export function findOwnWork(
  event: GitHubEvent,
  inputs: Inputs,
  merged: ReadonlyMap<string, readonly MergedPull[]> = new Map(),
): string | undefined {
  const { row, payload } = event
  if (row.subject === 'pull-request' && row.command === undefined && !isWaitOnly(inputs)) {
    const opener = ignoredAuthor([payload.pull_request?.user?.login], inputs)
    return opener && `${opener} opened this pull request (\`ignore-authors\`)`
  }
  const authors = guardedCommits(event, inputs).map((commit) => {
    const openers = merged.get(commit.id ?? '')?.map(({ author }) => author) ?? []
    return ignoredAuthor([authorOf(commit), ...openers], inputs)
  })
  if (authors.length === 0 || authors.includes(undefined)) return undefined
  const orMerged = merged.size === 0 ? '' : ' or came in a merged pull request of that account'
  const names = [...new Set(authors)].join(', ')
  return `every commit of this push was written by ${names}${orMerged} (\`ignore-authors\`)`
}

/** A run that only waits for a job starts none. */
function isWaitOnly(inputs: Inputs): boolean {
  return inputs['job-id'] !== '' && !hasPrompt(inputs)
}

/** The commits of a push that are to be judged: to a branch that was there before, and not too many. */
export function guardedCommits({ row, payload }: GitHubEvent, inputs: Inputs): readonly PushedCommit[] {
  const { ref, created, commits } = payload
  const isToBranch = row.subject === 'push' && ref?.startsWith('refs/heads/') === true && created !== true
  const isGuarded = !isWaitOnly(inputs) && inputs['ignore-authors'].length > 0
  return isToBranch && isGuarded && commits && commits.length <= MAX_COMMITS ? commits : []
}

/** The login of a commit's author, also where GitHub knows it only by its e-mail address. */
function authorOf({ author }: PushedCommit): Maybe<string> {
  return author?.username ?? author?.email?.match(/^(?:\d+\+)?([^@]+)@users\.noreply\./)?.[1]
}

/** The first of `ignore-authors` that has one of these logins. */
function ignoredAuthor(logins: readonly Maybe<string>[], inputs: Inputs): string | undefined {
  const plain = logins.map((login) => normalizeLogin(login ?? ''))
  return inputs['ignore-authors'].find((author) => plain.includes(normalizeLogin(author)))
}

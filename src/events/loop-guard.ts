import type { MergedPull } from '../github/history.ts'
import { normalizeLogin, type PushedCommit } from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import type { Run } from '../runner/run.ts'
import type { GitHubEvent } from './payload.ts'
import { hasPrompt, type Skip, skip, type Trigger } from './trigger.ts'

/** A push of more commits than this is a person's. */
const MAX_COMMITS = 20

/**
 * Why an event must not start the agent, as far as its payload shows: one of `ignore-authors` opened the pull request,
 * or wrote all commits of the push. `undefined` if it may.
 */
export function ownWorkInPayload(event: GitHubEvent, inputs: Inputs): string | undefined {
  if (!isGuarded(inputs)) return undefined
  const authors = inputs['ignore-authors']
  if (event.row.tells === 'pull-request' && event.row.command === undefined) {
    const opener = ignoredAuthor([event.payload.pull_request?.user?.login ?? ''], authors)
    return opener === undefined ? undefined : `${opener} opened this pull request (\`ignore-authors\`)`
  }
  const writers = pushedToBranch(event).map((commit) => ignoredAuthor([authorOf(commit)], authors))
  if (writers.length === 0 || writers.includes(undefined)) return undefined
  return `every commit of this push was written by ${list(writers)} (\`ignore-authors\`)`
}

/** Whether it takes GitHub to tell that a push is the agent's own work. */
export function needsLoopGuard(event: GitHubEvent, inputs: Inputs): boolean {
  return isGuarded(inputs) && inputs['ignore-authors'].length > 0 && pushedToBranch(event).length > 0
}

/**
 * Skips a push all of whose commits were written by one of `ignore-authors`, or came in a merged pull request that one
 * of them opened: merge commits, squashed and rebased ones.
 */
export function skipOwnWork(
  { event }: Trigger,
  { merged }: { readonly merged: ReadonlyMap<string, readonly MergedPull[]> },
  { inputs }: Run,
): Skip | undefined {
  if (!needsLoopGuard(event, inputs)) return undefined
  const openers = pushedToBranch(event).map((commit) => {
    const pulls = merged.get(commit.id ?? '') ?? []
    return ignoredAuthor([authorOf(commit), ...pulls.map(({ author }) => author)], inputs['ignore-authors'])
  })
  if (openers.includes(undefined)) return undefined
  const why = `every commit of this push was written by ${list(openers)} or came in a merged pull request of that account`
  return skip('notice', `${why} (\`ignore-authors\`)`)
}

/** A run that only waits for a job starts none. */
function isGuarded(inputs: Inputs): boolean {
  return inputs['job-id'] === '' || hasPrompt(inputs)
}

/** The commits that a push added to a branch that was there before; none if these are too many. */
function pushedToBranch({ row, payload }: GitHubEvent): readonly PushedCommit[] {
  const toBranch = payload.ref?.startsWith('refs/heads/') === true
  if (row.tells !== 'push' || !toBranch || payload.created === true) return []
  const commits = payload.commits ?? []
  return commits.length > MAX_COMMITS ? [] : commits
}

/** The login of a commit's author, also where GitHub knows it only by its e-mail address; empty if it has none. */
function authorOf({ author }: PushedCommit): string {
  const [, ofAddress] = /^(?:\d+\+)?([^@]+)@users\.noreply\./.exec(author?.email ?? '') ?? []
  return author?.username ?? ofAddress ?? ''
}

/** The first of `ignore-authors` that has one of these logins. */
function ignoredAuthor(logins: readonly string[], authors: readonly string[]): string | undefined {
  const plain = logins.map(normalizeLogin)
  return authors.find((author) => plain.includes(normalizeLogin(author)))
}

function list(authors: readonly (string | undefined)[]): string {
  return [...new Set(authors)].join(', ')
}

import { plainLogin } from '../github/account.ts'
import type { GitHub } from '../github/github.ts'
import { listField, recordField, stringField } from '../lib/json.ts'
import type { GitHubEvent } from './event.ts'

/** A push of more commits than this is a person's. */
const MAX_COMMITS = 20

/**
 * Why an event must not start the agent, as far as its payload shows: they opened the pull request, or wrote all commits
 * of the push. `undefined` if it may.
 *
 * @param authors logins, with or without `[bot]`
 */
export function ownWorkIn(event: GitHubEvent, authors: readonly string[]): string | undefined {
  if (event.name === 'pull_request') {
    const login = loginOf(recordField(event.payload, 'pull_request'))
    return isOneOf(login, authors) ? `${login} opened this pull request` : undefined
  }
  const writers = pushedCommits(event).map(authorOf)
  if (writers.length === 0 || !writers.every((login) => isOneOf(login, authors))) return undefined
  return `every commit of this push was written by ${listLogins(writers)}`
}

/**
 * Asks GitHub whether every commit of a push that none of the authors wrote came in a merged pull request that one of
 * them opened: a merge commit, or one that changes were squashed into. Ends at the first that did not.
 * Source: GitHub's REST API, "List pull requests associated with a commit".
 *
 * @returns why the event must not start the agent; `undefined` if it may, or if GitHub can't be asked (with a warning)
 */
export async function mergedOwnWork(
  event: GitHubEvent,
  authors: readonly string[],
  github: GitHub,
): Promise<string | undefined> {
  const commits = authors.length === 0 ? [] : pushedCommits(event)
  const openers: string[] = []
  for (const commit of commits) {
    const writer = authorOf(commit)
    const opener = isOneOf(writer, authors) ? writer : await mergedFrom(commit, authors, github)
    if (opener === undefined) return undefined
    openers.push(opener)
  }
  if (openers.length === 0) return undefined
  return `every commit of this push was written by ${listLogins(openers)} or came in a merged pull request of that account`
}

/** Who of the authors opened the merged pull request that a commit came in. */
async function mergedFrom(
  commit: unknown,
  authors: readonly string[],
  github: GitHub,
): Promise<string | undefined> {
  const sha = stringField(commit, 'id') ?? ''
  if (sha === '') return undefined
  const answer = await github.attempt({
    purpose: 'name the pull request that a pushed commit came from (needed for `ignore-authors`)',
    permission: 'pull-requests: read',
    send: ({ rest }) =>
      rest.repos.listPullRequestsAssociatedWithCommit({
        ...github.repository,
        commit_sha: sha,
        per_page: 100,
      }),
  })
  const pulls: readonly unknown[] = answer?.data ?? []
  return pulls
    .filter((pull) => stringField(pull, 'merged_at') !== undefined)
    .map(loginOf)
    .find((login) => isOneOf(login, authors))
}

/** The commits that a push added to a branch that was there before; none if these are too many. */
function pushedCommits({ name, payload }: GitHubEvent): readonly unknown[] {
  const toBranch = (stringField(payload, 'ref') ?? '').startsWith('refs/heads/')
  if (name !== 'push' || !toBranch || payload['created'] === true) return []
  const commits = listField(payload, 'commits')
  return commits.length > MAX_COMMITS ? [] : commits
}

/** The login of a commit's author, also where GitHub knows it only by its e-mail address; empty if it has none. */
function authorOf(commit: unknown): string {
  const author = recordField(commit, 'author')
  const [, ofAddress] = /^(?:\d+\+)?([^@]+)@users\.noreply\./.exec(stringField(author, 'email') ?? '') ?? []
  return stringField(author, 'username') ?? ofAddress ?? ''
}

function loginOf(pull: unknown): string {
  return stringField(recordField(pull, 'user'), 'login') ?? ''
}

function isOneOf(login: string, authors: readonly string[]): boolean {
  return login !== '' && authors.some((author) => plainLogin(author) === plainLogin(login))
}

function listLogins(logins: readonly string[]): string {
  return [...new Set(logins)].join(', ')
}

import { plainLogin } from '../github/account.ts'
import type { GitHub } from '../github/github.ts'
import { integerField, isRecord, listField, recordField, stringField } from '../lib/json.ts'
import type { GitHubEvent } from './event.ts'

/**
 * Why an event must not wake the agent, as far as its payload tells: the pull request is theirs, or all commits of the
 * push are. `undefined` if it may.
 *
 * @param authors logins, with or without `[bot]`
 */
export function ownWorkIn({ name, payload }: GitHubEvent, authors: readonly string[]): string | undefined {
  if (name === 'pull_request') {
    const login = stringField(recordField(recordField(payload, 'pull_request'), 'user'), 'login') ?? ''
    return isOneOf(login, authors) ? `${login} opened this pull request` : undefined
  }
  const commits = name === 'push' ? listField(payload, 'commits').map(authorOf) : []
  if (commits.length === 0 || !commits.every((login) => isOneOf(login, authors))) return undefined
  return `${[...new Set(commits)].join(', ')} wrote all commits of this push`
}

/**
 * Asks GitHub whether the head commit of a push came from a merged pull request that one of the authors opened.
 * Source: GitHub's REST API, "List pull requests associated with a commit".
 *
 * @returns why the event must not wake the agent; `undefined` if it may, or if GitHub can't be asked (with a warning)
 */
export async function mergedOwnWork(
  { name, payload }: GitHubEvent,
  authors: readonly string[],
  github: GitHub,
): Promise<string | undefined> {
  const sha = stringField(recordField(payload, 'head_commit'), 'id') ?? ''
  if (name !== 'push' || sha === '' || authors.length === 0) return undefined
  const pulls = await github.attempt<readonly unknown[]>({
    purpose: 'name the pull request that the pushed commit came from (needed for `ignore-authors`)',
    permission: 'pull-requests: read',
    send: ({ paginate, rest }) => {
      const commit = { ...github.repository, commit_sha: sha, per_page: 100 }
      return paginate(rest.repos.listPullRequestsAssociatedWithCommit, commit)
    },
  })
  for (const pull of pulls ?? []) {
    const login = stringField(recordField(pull, 'user'), 'login') ?? ''
    const merged = isRecord(pull) && typeof pull['merged_at'] === 'string'
    if (merged && isOneOf(login, authors))
      return `the pushed commit came from the pull request ${integerField(pull, 'number') ?? ''} that ${login} opened`
  }
  return undefined
}

/** The login of a commit's author, also where GitHub knows it only by its e-mail address. */
function authorOf(commit: unknown): string {
  const author = recordField(commit, 'author')
  const [, ofAddress] = /^(?:\d+\+)?([^@]+)@users\.noreply\./.exec(stringField(author, 'email') ?? '') ?? []
  return stringField(author, 'username') ?? ofAddress ?? ''
}

function isOneOf(login: string, authors: readonly string[]): boolean {
  return login !== '' && authors.some((author) => plainLogin(author) === plainLogin(login))
}

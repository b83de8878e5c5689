import { integerField, isRecord, listField, recordField, stringField } from '../lib/json.ts'
import { isSameAccount, readAccount } from './account.ts'
import type { Comment } from './comments.ts'
import { type RepositoryName, type RunDeps, readFailure } from './github.ts'

/** A pull request on the GitHub that this run belongs to. */
type PullRequestName = RepositoryName & { readonly number: number }

/** Whether work on a pull request can still be merged; `unknown` where GitHub can't be asked. */
export type PullRequestState = 'open' | 'merged' | 'closed' | 'unknown'

/** An earlier pull request of the agent's, and what became of it. */
export type EarlierPullRequest = { readonly prLink: string; readonly state: PullRequestState }

/** Reads the URL of a pull request; `undefined` if it is none of this GitHub. */
export function readPullRequestUrl(
  prLink: string | null,
  { serverUrl }: RunDeps['environment'],
): PullRequestName | undefined {
  const url = URL.parse(prLink ?? '')
  if (url === null || url.origin !== URL.parse(serverUrl)?.origin) return undefined
  const [, owner = '', repo = '', digits] =
    /^\/([\w.-]+)\/([\w.-]+)\/pull\/(\d{1,15})(?:\/|$)/.exec(url.pathname) ?? []
  return digits === undefined ? undefined : { owner, repo, number: Number(digits) }
}

/** Reads the URL of a pull request in this run's repository; `undefined` if it is elsewhere. */
export function numberOfOwnPullRequest(
  prLink: string | null,
  { environment }: Pick<RunDeps, 'environment'>,
): number | undefined {
  const name = readPullRequestUrl(prLink, environment)
  const repository = `${name?.owner}/${name?.repo}`.toLowerCase()
  return repository === environment.repository.toLowerCase() ? name?.number : undefined
}

/**
 * Asks GitHub what became of a pull request of this server, in this repository or another one. Never fails.
 * Source: GitHub's REST API, "Get a pull request".
 */
export async function pullRequestState(
  prLink: string | null,
  { environment, github, log }: Pick<RunDeps, 'environment' | 'github' | 'log'>,
): Promise<PullRequestState> {
  const name = readPullRequestUrl(prLink, environment)
  if (name === undefined) return 'unknown'
  try {
    const { owner, repo, number } = name
    const { data } = await github.request(({ rest }) => rest.pulls.get({ owner, repo, pull_number: number }))
    if (data.merged) return 'merged'
    return data.state === 'closed' ? 'closed' : 'open'
  } catch (error) {
    const why = readFailure(error).text
    log.info(`GitHub could not be asked whether the pull request ${prLink} is still open: ${why}.`)
    return 'unknown'
  }
}

/** An open pull request of this repository, with the comments of its main thread that the token's own account wrote. */
type OpenPullRequest = { readonly number: number; readonly ownComments: readonly Comment[] }

const OPEN_PULL_REQUESTS = `query ($owner: String!, $repo: String!) {
  viewer { databaseId login }
  repository(owner: $owner, name: $repo) {
    pullRequests(states: OPEN, first: 50, orderBy: {field: CREATED_AT, direction: DESC}) {
      nodes {
        number
        comments(first: 50) {
          nodes {
            databaseId
            url
            body
            updatedAt
            viewerDidAuthor
            author { login ... on Bot { databaseId } ... on User { databaseId } }
          }
        }
      }
    }
  }
}`

/**
 * The 50 newest open pull requests of this repository, newest first, with our own comments among the first 50 of each:
 * one request.
 *
 * @returns `undefined`, with a notice that says `consequence`, if they can't be listed
 */
export async function listOpenPullRequests(
  { github }: Pick<RunDeps, 'github'>,
  consequence: string,
): Promise<readonly OpenPullRequest[] | undefined> {
  const answer = await github.attempt<unknown>({
    purpose: 'list the open pull requests',
    permission: 'pull-requests: read',
    ifFailed: 'notice',
    consequence,
    send: ({ graphql }) => graphql(OPEN_PULL_REQUESTS, github.repository),
  })
  if (answer === undefined) return undefined
  const viewer = readAccount(graphqlUser(recordField(answer, 'viewer')))
  const pulls = recordField(recordField(answer, 'repository'), 'pullRequests')
  return listField(pulls, 'nodes').map((pull) => ({
    number: integerField(pull, 'number') ?? 0,
    ownComments: listField(recordField(pull, 'comments'), 'nodes')
      .map(readGraphqlComment)
      .filter(({ isOwn, author }) => isOwn || (viewer !== undefined && isSameAccount(viewer, author))),
  }))
}

function readGraphqlComment(node: unknown): Comment & { readonly isOwn: boolean } {
  return {
    kind: 'main',
    id: integerField(node, 'databaseId') ?? 0,
    url: stringField(node, 'url') ?? '',
    body: stringField(node, 'body') ?? '',
    author: readAccount(graphqlUser(recordField(node, 'author'))),
    updatedAtMs: Date.parse(stringField(node, 'updatedAt') ?? ''),
    isOwn: isRecord(node) && node['viewerDidAuthor'] === true,
  }
}

/** GraphQL names the fields of an account otherwise than REST. */
function graphqlUser(user: Readonly<Record<string, unknown>>): object {
  return { id: user['databaseId'], login: user['login'] }
}

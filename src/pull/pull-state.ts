import { ownAuthor } from '../events/loop-guard.ts'
import { graphqlError } from '../github/client.ts'
import { locatePullRequest } from '../github/pull-requests.ts'
import { type FromGitHub, type GitActor, type Nodes, nodesOf } from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import { listOf } from '../lib/text.ts'
import { formatAge } from '../lib/time.ts'
import type { Run } from '../runner/run.ts'

/** What became of a docs pull request. */
export type PullState = {
  readonly prLink: string
  /** `invisible`: GitHub knows none that the token can see; `elsewhere`: not on this GitHub server. */
  readonly state: 'open' | 'merged' | 'closed' | 'invisible' | 'unknown' | 'elsewhere'
  /** Whether it conflicts with its base branch; `undefined` where that is not known. */
  readonly conflicts?: boolean
  /** Such as `, open for 3 days`; empty if it is not known. */
  readonly openFor: string
  /** `owner/name`; empty where the link is none of this GitHub's. */
  readonly repository: string
  /** Why it is unknown, to follow a colon; else empty. */
  readonly why: string
  /** The people who have committed to it: `ada, bob and someone`; empty if there are none. */
  readonly editors: string
}

/** How long GitHub is given to find out whether a pull request conflicts, before it is asked once more. */
const CONFLICT_PAUSE_MS = 3000

/** Asks GitHub, in one request, what became of a pull request and who has committed to it, in whichever repository. */
export async function readPullState(prLink: string, run: Run): Promise<PullState> {
  const { github } = run
  const place = locatePullRequest(prLink, github)
  const none = { prLink, repository: place?.repository ?? '', why: '', openFor: '', editors: '' }
  if (place === undefined) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = place
  const ask = async (fields: string) =>
    await github.read(() =>
      github.graphql<PullStateAnswer>(
        `query PullState($owner: String!, $repo: String!, $number: Int!) {
          repository(owner: $owner, name: $repo) { pullRequest(number: $number) { mergeable ${fields} } } }`,
        { owner, repo, number },
      ),
    )
  const first = await ask(`state createdAt commits(last: 100) { nodes { commit {
    parents { totalCount } authors(first: 10) { nodes { email user { login } } } } } }`)
  if (!first.known) return { ...none, state: 'unknown', why: first.why }
  const { data, errors } = first.value
  const pull = data.repository?.pullRequest
  const state = (['OPEN', 'MERGED', 'CLOSED'] as const).find((word) => word === pull?.state)
  if (pull == null || state === undefined) {
    if (errors.some(({ type }) => type === 'NOT_FOUND')) return { ...none, state: 'invisible' }
    const why = errors[0]
      ? graphqlError(errors[0]).message
      : 'GitHub returned something that is not a pull request'
    return { ...none, state: 'unknown', why }
  }
  if (state !== 'OPEN') return { ...none, state: state === 'MERGED' ? 'merged' : 'closed' }
  const ageMs = run.clock.now() - Date.parse(pull.createdAt ?? '')
  const openFor = Number.isNaN(ageMs) ? '' : `, open for ${formatAge(ageMs)}`
  const editors = listOf(findEditors(pull, run.inputs))
  let { mergeable } = pull
  if (mergeable === 'UNKNOWN') {
    await github.pause(CONFLICT_PAUSE_MS)
    const again = await ask('')
    mergeable = again.known ? again.value.data.repository?.pullRequest?.mergeable : undefined
  }
  const isTold = mergeable === 'CONFLICTING' || mergeable === 'MERGEABLE'
  const conflicts = isTold ? { conflicts: mergeable === 'CONFLICTING' } : {}
  return { ...none, state: 'open', openFor, editors, ...conflicts }
}

type AuthoredCommit = FromGitHub<{
  parents: FromGitHub<{ totalCount: number }>
  authors: Nodes<GitActor>
}>
type PullStateNode = FromGitHub<{
  state: string
  createdAt: string
  mergeable: string
  commits: Nodes<FromGitHub<{ commit: AuthoredCommit }>>
}>
type PullStateAnswer = FromGitHub<{ repository: FromGitHub<{ pullRequest: PullStateNode }> }>

/** Who wrote the commits, merges aside: neither an App nor one of `ignore-authors`. `someone`: without an account. */
function findEditors({ commits }: PullStateNode, inputs: Inputs): string[] {
  const own = nodesOf(commits).filter(({ commit }) => (commit?.parents?.totalCount ?? 1) < 2)
  const authors = own.flatMap(({ commit }) => nodesOf(commit?.authors))
  const people = authors.filter((author) => {
    const login = author.user?.login
    const isApp = /\[bot\](?:$|@users\.noreply\.)/.test(login ?? author.email ?? '')
    return !isApp && ownAuthor({ login, email: author.email }, inputs) === undefined
  })
  const logins = people.flatMap(({ user }) => user?.login || [])
  return [...new Set(logins), ...(logins.length < people.length ? ['someone'] : [])]
}

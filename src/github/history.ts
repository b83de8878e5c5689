import { type Account, type GitHub, isSameAccount, type Known, normalizeLogin } from './client.ts'
import { type GraphqlError, graphqlError } from './errors.ts'
import { readStatus, type StepStatus } from './statuses.ts'
import type { Maybe } from './types.ts'

/** What to ask GitHub for, in one request. */
export type HistoryQuery = {
  /** The commits whose statuses of this name are read; `undefined` if none. */
  readonly statuses: { readonly context: string; readonly of: StatusSource } | undefined
  /** The commits whose merged pull requests are read, each with the number that its message gives. */
  readonly commits: readonly { readonly sha: string; readonly number: number | undefined }[]
  /** Whether their titles, labels and bodies are read, too. */
  readonly withWords: boolean
}

/** Commits with the newest before them, so many in all; or those of a pull request, before forced pushes, too. */
type StatusSource =
  | { readonly kind: 'commits'; readonly heads: readonly { readonly sha: string; readonly count: number }[] }
  | { readonly kind: 'pull'; readonly number: number }

export type HistoryAnswer = {
  /** Those that the token's own account set: at most one for each commit, newest commit first. */
  readonly statuses: Known<readonly StepStatus[]>
  /** By commit; one without an entry is unknown. */
  readonly merged: ReadonlyMap<string, readonly MergedPull[]>
  /** What could not be read. */
  readonly errors: readonly GraphqlError[]
}

/** A merged pull request. Title, labels and body are empty unless they were asked for. */
export type MergedPull = {
  readonly number: number
  readonly url: string
  /** Login of whoever opened it; empty if the account was deleted. */
  readonly author: string
  readonly title: string
  readonly labels: readonly string[]
  readonly body: string
}

/** @throws {GitHubError} if nothing can be read */
export async function queryHistory(query: HistoryQuery, github: GitHub): Promise<HistoryAnswer> {
  const fields = [
    ...(query.statuses === undefined ? [] : statusFields(query.statuses)),
    ...query.commits.flatMap((commit, index) => pullFields(commit, index, query.withWords)),
  ]
  const { data, errors } = await github.graphql(
    `query History($owner: String!, $repo: String!) {
      viewer { databaseId login }
      repository(owner: $owner, name: $repo) { ${fields.join(' ')} }
    }`,
    github.repository,
  )
  const { viewer, repository } = data as { viewer?: Maybe<AccountNode>; repository?: Maybe<Aliases> }
  const unread = errors.filter(({ type, path }) => type !== 'NOT_FOUND' || !/^repository\.p\d+$/.test(path))
  if (repository == null) throw graphqlError(unread[0] ?? { type: '', message: 'no repository', path: '' })
  if (viewer?.login) github.knowAccount(viewer)
  return {
    statuses: query.statuses ? readStatuses(repository, viewer, unread) : { known: true, value: [] },
    merged: readMerged(repository, query),
    errors: unread,
  }
}

function statusFields({ context, of }: { readonly context: string; readonly of: StatusSource }): string[] {
  const status = `oid status { context(name: ${JSON.stringify(context)}) {
    state description targetUrl createdAt creator { login ... on Bot { databaseId } ... on User { databaseId } }
  } }`
  if (of.kind === 'commits') {
    return of.heads.map(
      ({ sha, count }, index) =>
        `h${index}: object(oid: "${sha}") { ... on Commit { history(first: ${count}) { nodes { ${status} } } } }`,
    )
  }
  // What a forced push replaced goes on into the base branch, whose statuses are not this pull request's.
  return [
    `pull: pullRequest(number: ${of.number}) {
      mergeCommit { ${status} }
      commits(last: 100) { nodes { commit { ${status} } } }
      timelineItems(last: 20, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes {
        ... on HeadRefForcePushedEvent { beforeCommit { history(first: 10) { nodes { ${status} } } } }
      } }
      baseRef { target { ... on Commit { history(first: 100) { nodes { oid } } } } }
    }`,
  ]
}

function pullFields(commit: HistoryQuery['commits'][number], index: number, withWords: boolean): string[] {
  const { sha, number } = commit
  const words = withWords ? 'title labels(first: 20) { nodes { name } } body' : ''
  const pull = `number url merged mergeCommit { oid } author { login } ${words}`
  const associated = `associatedPullRequests(first: 5) { nodes { ${pull} } }`
  const named = number === undefined ? [] : [`p${index}: pullRequest(number: ${number}) { ${pull} }`]
  return [`c${index}: object(oid: "${sha}") { ... on Commit { ${associated} } }`, ...named]
}

type Nodes<T> = Maybe<{ readonly nodes?: Maybe<readonly Maybe<T>[]> }>

/** A commit or a pull request, as far as the queries above ask for it. */
type Node = {
  readonly oid?: Maybe<string>
  readonly status?: Maybe<{ readonly context?: Maybe<ContextNode> }>
  readonly history?: Nodes<Node>
  readonly associatedPullRequests?: Nodes<Node>
  readonly number?: Maybe<number>
  readonly url?: Maybe<string>
  readonly merged?: Maybe<boolean>
  readonly mergeCommit?: Maybe<Node>
  readonly author?: Maybe<AccountNode>
  readonly title?: Maybe<string>
  readonly labels?: Nodes<{ readonly name?: Maybe<string> }>
  readonly body?: Maybe<string>
  readonly commits?: Nodes<{ readonly commit?: Maybe<Node> }>
  readonly timelineItems?: Nodes<{ readonly beforeCommit?: Maybe<Node> }>
  readonly baseRef?: Maybe<{ readonly target?: Maybe<Node> }>
}

type ContextNode = {
  readonly state?: Maybe<string>
  readonly description?: Maybe<string>
  readonly targetUrl?: Maybe<string>
  readonly createdAt?: Maybe<string>
  readonly creator?: Maybe<AccountNode>
}

type AccountNode = { readonly databaseId?: Maybe<number>; readonly login?: Maybe<string> }

type Aliases = Readonly<Record<string, Maybe<Node>>>

function readStatuses(
  { h0: head, h1: further, pull }: Aliases,
  viewer: Maybe<AccountNode>,
  errors: readonly GraphqlError[],
): Known<readonly StepStatus[]> {
  const own = accountOf(viewer)
  const ofPull = nodesOf(pull?.commits).map(({ commit }) => commit)
  const ofBase = new Set(nodesOf(pull?.baseRef?.target?.history).map(({ oid }) => oid))
  const forced = nodesOf(pull?.timelineItems).toReversed()
  const replaced = forced.flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history))
  const commits = [
    ...nodesOf(head?.history),
    ...nodesOf(further?.history),
    pull?.mergeCommit,
    ...ofPull.toReversed(),
    ...replaced.filter(({ oid }) => !ofBase.has(oid)),
  ]
  const statuses = new Map<string, StepStatus>()
  let isForeign = false
  for (const commit of commits) {
    const { status, oid } = commit ?? {}
    const context = status?.context
    if (context == null || oid == null) continue
    const { targetUrl: target_url, createdAt: created_at, creator, ...text } = context
    if (!isSameAccount(own, accountOf(creator))) isForeign = true
    else statuses.set(oid, readStatus({ ...text, target_url, created_at }, oid))
  }
  // What came counts; where nothing did, an error means that it can't be told.
  const [failed] = errors.filter(({ path }) => !/^repository\.[cp]\d/.test(path))
  if (statuses.size === 0) {
    if (failed !== undefined) return { known: false, why: graphqlError(failed).message }
    if (head == null && pull == null) return { known: false, why: 'GitHub does not know the commit' }
    if (isForeign && own.login === '') return { known: false, why: 'GitHub does not say whose token it is' }
  }
  return { known: true, value: [...statuses.values()] }
}

function accountOf(node: Maybe<AccountNode>): Account {
  return { id: node?.databaseId ?? undefined, login: normalizeLogin(node?.login ?? '') }
}

function readMerged(aliases: Aliases, { commits }: HistoryQuery): ReadonlyMap<string, readonly MergedPull[]> {
  const merged = new Map<string, readonly MergedPull[]>()
  for (const [index, { sha }] of commits.entries()) {
    const named = aliases[`p${index}`]
    const associated = aliases[`c${index}`]?.associatedPullRequests
    if (named?.merged === true && named.mergeCommit?.oid === sha) merged.set(sha, [readPull(named)])
    else if (associated != null) {
      const pulls = nodesOf(associated).filter((pull) => pull.merged === true)
      merged.set(sha, pulls.map(readPull))
    }
  }
  return merged
}

function readPull({ number, url, author, title, labels, body }: Node): MergedPull {
  return {
    number: number ?? 0,
    url: url ?? '',
    author: author?.login ?? '',
    title: title ?? '',
    labels: nodesOf(labels).map(({ name }) => name ?? ''),
    body: body ?? '',
  }
}

function nodesOf<T>(connection: Nodes<T>): T[] {
  return (connection?.nodes ?? []).filter((node) => node != null)
}

import { visibleText } from '../lib/text.ts'
import type { GitHub, Known } from './client.ts'
import { type GraphqlError, graphqlError } from './errors.ts'
import { isSameAccount, type Maybe, type Sent, type Status, type User } from './types.ts'

/** The statuses of this name on a pull request, else on commits and so many before each. */
type StatusQuery = {
  readonly context: string
  readonly pull?: number
  readonly heads: readonly { readonly sha: string; readonly count: number }[]
}

/** What to ask GitHub for, in one request. */
export type HistoryQuery = {
  readonly statuses: StatusQuery | undefined
  /** The commits whose merged pull requests are read, each with the number that its message gives. */
  readonly commits: readonly { readonly sha: string; readonly number: number | undefined }[]
  /** Whether their titles, labels and bodies are read, too. */
  readonly withWords: boolean
}

export type HistoryAnswer = {
  /** Those that the token's own account set: at most one for each commit, newest commit first. */
  readonly statuses: Known<readonly StepStatus[]>
  /** By commit; one without an entry is unknown. */
  readonly merged: ReadonlyMap<string, readonly MergedPull[]>
  /** What could not be read. */
  readonly errors: readonly GraphqlError[]
}

/** What a step remembers of its job, as read from a commit status. */
export type StepStatus = {
  readonly state: string
  /** Empty where the status does not name it. */
  readonly jobId: string
  /** The pull request, else the workflow run. */
  readonly targetUrl: string
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAtMs: number
  readonly sha: string
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

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140

/** A headline with the job's id in brackets. The headline is cut to fit; an id that does not fit is left out. */
export function statusDescription(headline: string, jobId: string): string {
  const id = /^[^\s()]+$/.test(jobId) && jobId.length + 2 <= MAX_DESCRIPTION ? `(${jobId})` : ''
  const room = MAX_DESCRIPTION - id.length - 1
  if (room < 2) return id
  const words = visibleText(headline).replaceAll('`', '').replace(/\s+/g, ' ')
  const shown = words.length <= room ? words : `${words.slice(0, room - 1).toWellFormed()}…`
  return `${shown} ${id}`.trim()
}

/** Reads a status, of whatever context and creator. */
export function readStatus(status: Status, sha: string): StepStatus {
  return {
    state: status.state?.toLowerCase() ?? '',
    jobId: /\(([^\s()]+)\)$/.exec(status.description ?? '')?.[1] ?? '',
    targetUrl: status.target_url ?? '',
    createdAtMs: Date.parse(status.created_at ?? '') || 0,
    sha,
  }
}

/** @throws {GitHubError} if nothing can be read */
export async function queryHistory(query: HistoryQuery, github: GitHub): Promise<HistoryAnswer> {
  const fields = [...statusFields(query.statuses), ...pullFields(query)]
  const text = `query History($owner: String!, $repo: String!) {
    viewer { databaseId login }
    repository(owner: $owner, name: $repo) { ${fields.join(' ')} }
  }`
  const answer = await github.graphql<Answer['data']>(text, github.repository)
  const { viewer, repository } = answer.data
  const errors = answer.errors.filter(
    // A number in a commit's message need not be a pull request's.
    ({ type, path }) => type !== 'NOT_FOUND' || !/^repository\.p\d+$/.test(path),
  )
  if (repository == null) throw graphqlError(errors[0] ?? { type: '', message: 'no repository' })
  github.knowAccount(viewer)
  return {
    statuses: query.statuses ? readStatuses(repository, viewer, errors) : { known: true, value: [] },
    merged: readMerged(repository, query),
    errors,
  }
}

function statusFields(query: StatusQuery | undefined): string[] {
  if (query === undefined) return []
  const status = `oid status { context(name: ${JSON.stringify(query.context)}) {
    state description targetUrl createdAt creator { login ... on Bot { databaseId } ... on User { databaseId } }
  } }`
  if (query.pull === undefined) {
    return query.heads.map(
      ({ sha, count }, index) =>
        `h${index}: object(oid: "${sha}") { ... on Commit { history(first: ${count}) { nodes { ${status} } } } }`,
    )
  }
  // What a forced push replaced goes on into the base branch, whose statuses are not this pull request's.
  return [
    `pull: pullRequest(number: ${query.pull}) {
      mergeCommit { ${status} }
      commits(last: 100) { nodes { commit { ${status} } } }
      timelineItems(last: 20, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes {
        ... on HeadRefForcePushedEvent { beforeCommit { history(first: 10) { nodes { ${status} } } } }
      } }
      baseRef { target { ... on Commit { history(first: 100) { nodes { oid } } } } }
    }`,
  ]
}

function pullFields({ commits, withWords }: HistoryQuery): string[] {
  const words = withWords ? 'title labels(first: 20) { nodes { name } } body' : ''
  const pull = `number url merged mergeCommit { oid } author { login } ${words}`
  const associated = `associatedPullRequests(first: 5) { nodes { ${pull} } }`
  return commits.map(({ sha, number }, index) => {
    const named = number === undefined ? '' : `p${index}: pullRequest(number: ${number}) { ${pull} }`
    return `c${index}: object(oid: "${sha}") { ... on Commit { ${associated} } } ${named}`
  })
}

type Nodes<T> = Sent<{ nodes: readonly Maybe<T>[] }>

/** A commit or a pull request, as far as the queries above ask for it. */
type Node = Sent<{
  oid: string
  status: Sent<{
    context: Sent<{ state: string; description: string; targetUrl: string; createdAt: string; creator: User }>
  }>
  history: Nodes<Node>
  associatedPullRequests: Nodes<Node>
  number: number
  url: string
  merged: boolean
  mergeCommit: Node
  author: User
  title: string
  labels: Nodes<Sent<{ name: string }>>
  body: string
  commits: Nodes<Sent<{ commit: Node }>>
  timelineItems: Nodes<Sent<{ beforeCommit: Node }>>
  baseRef: Sent<{ target: Node }>
}>

type Aliases = Readonly<Record<string, Maybe<Node>>>

type Answer = { readonly data: Sent<{ viewer: User; repository: Aliases }> }

function readStatuses(
  { h0: head, h1: further, pull }: Aliases,
  viewer: Maybe<User>,
  errors: readonly GraphqlError[],
): Known<readonly StepStatus[]> {
  const ofBase = new Set(nodesOf(pull?.baseRef?.target?.history).map(({ oid }) => oid))
  const forced = nodesOf(pull?.timelineItems).toReversed()
  const replaced = forced.flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history))
  const ofPull = nodesOf(pull?.commits).map(({ commit }) => commit)
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
    const { oid, status } = commit ?? {}
    if (status?.context == null || oid == null) continue
    const { state, description, targetUrl: target_url, createdAt: created_at, creator } = status.context
    if (!isSameAccount(viewer, creator)) isForeign = true
    else statuses.set(oid, readStatus({ state, description, target_url, created_at }, oid))
  }
  if (statuses.size > 0) return { known: true, value: [...statuses.values()] }
  // Where nothing came, an error means that it can't be told.
  const failed = errors.find(({ path }) => !/^repository\.[cp]\d/.test(path))
  if (failed !== undefined) return { known: false, why: graphqlError(failed).message }
  if (head == null && pull == null) return { known: false, why: 'GitHub does not know the commit' }
  if (isForeign && !viewer?.login) return { known: false, why: 'GitHub does not say whose token it is' }
  return { known: true, value: [] }
}

function readMerged(aliases: Aliases, { commits }: HistoryQuery): HistoryAnswer['merged'] {
  const merged = new Map<string, readonly MergedPull[]>()
  for (const [index, { sha }] of commits.entries()) {
    const named = aliases[`p${index}`]
    const associated = aliases[`c${index}`]?.associatedPullRequests
    const isNamed = named?.merged === true && named.mergeCommit?.oid === sha
    const pulls = isNamed ? [named] : associated && nodesOf(associated).filter((pull) => pull.merged === true)
    if (pulls != null) merged.set(sha, pulls.map(readPull))
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

function nodesOf<T>(connection: Maybe<Nodes<T>>): T[] {
  return (connection?.nodes ?? []).filter((node) => node != null)
}

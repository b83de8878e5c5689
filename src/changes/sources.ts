import type { GitHubEvent } from '../event/event.ts'
import {
  type FromGitHub,
  type GitHub,
  type Maybe,
  type Nodes,
  nodesOf,
  normalizeLogin,
  type User,
} from '../github/client.ts'
import type { Inputs } from '../inputs/table.ts'
import { includesName } from '../lib/text.ts'

export type Commit = {
  /** May be empty, as may be the URL. */
  readonly sha: string
  readonly url?: Maybe<string>
  readonly message: string
  readonly author?: Maybe<User>
  readonly email?: Maybe<string>
  /** The merged pull requests that it came in. */
  readonly pulls: readonly MergedPull[]
}

/** What a job is about, for people. */
export type Source = {
  readonly kind: 'pull-request' | 'commit' | 'release' | 'issue' | 'command'
  readonly url: string
  readonly title: string
  /** Login; empty if unknown. */
  readonly author: string
}

/** Newest first. `authors`: logins of the people whose changes the job is about. */
export type Sources = { readonly items: readonly Source[]; readonly authors: readonly string[] }

/** How many people are named at most. */
const MAX_AUTHORS = 10

/** Lists what a job is about, for the source comment, and who wrote it. */
export function listSources(
  { command, subject }: GitHubEvent,
  changes: { readonly commits: readonly Commit[]; readonly isArbitrary: boolean } | undefined,
  inputs: Inputs,
): Sources {
  const { commits = [], isArbitrary = false } = changes ?? {}
  const named = isArbitrary ? [] : commits.toReversed()
  const merged = listNeededPulls(named, inputs)
  let items = named.map((one) => toSource('commit', one.url, subjectLine(one), one.author))
  let people = named.flatMap((one) =>
    one.pulls.length > 0 ? neededPulls(one, inputs).flatMap(peopleOf) : one.author,
  )
  if (merged.length > 0)
    items = merged.map(({ url, title, author }) => toSource('pull-request', url, title, author))
  if (subject && (subject.kind !== 'release' || merged.length === 0))
    items = [toSource(subject.kind, subject.url, subject.title, subject.author)]
  if (subject && subject.kind !== 'release')
    people = subject.kind === 'issue' ? [] : peopleOf(subject)
  if (command) {
    const { login, isBot } = command.author
    const user = { login, type: isBot ? 'Bot' : 'User' }
    people = [user]
    items = [toSource('command', command.url, command.request, user)]
  }
  const logins = people.filter(isPerson).flatMap(({ login }) => login ?? [])
  const authors = logins.filter((login) => !ignoredAuthor([login], inputs))
  return { items, authors: [...new Set(authors)].slice(0, MAX_AUTHORS) }
}

function toSource(
  kind: Source['kind'],
  url: Maybe<string>,
  title: string,
  author: Maybe<User>,
): Source {
  return { kind, url: url ?? '', title, author: author?.login ?? '' }
}

/** Returns the author of a pull request or issue; of a bot's one the people assigned to it. */
function peopleOf({
  author,
  assignees,
}: FromGitHub<{ author: User; assignees: readonly User[] }>): Maybe<User>[] {
  return isPerson(author) ? [author] : [...(assignees ?? [])]
}

/** Whether an account is a person's that exists. `Copilot` has no `[bot]` in its name, and a push doesn't give types. */
function isPerson(user: Maybe<User>): user is User {
  const { login, type } = user ?? {}
  return type === 'User' && !/\[bot\]$|^(?:copilot|ghost)$/i.test(login ?? '')
}

/** Returns the merged pull requests that a commit came in, without those that don't need docs. */
function neededPulls({ pulls }: Commit, inputs: Pick<Inputs, 'skip-labels'>): MergedPull[] {
  return pulls.filter(({ labels }) => !findSkipLabel(labels, inputs))
}

/** Lists the merged pull requests of commits that need docs, each once, in the commits' order. */
export function listNeededPulls(
  commits: readonly Commit[],
  inputs: Pick<Inputs, 'skip-labels'>,
): MergedPull[] {
  const all = commits.flatMap((commit) => neededPulls(commit, inputs))
  return [...new Map(all.map((pull) => [pull.number, pull])).values()]
}

function subjectLine({ message }: Pick<Commit, 'message'>): string {
  return message.trimStart().split('\n', 1)[0] ?? ''
}

/** Finds the first label that says that a pull request doesn't need docs. */
export function findSkipLabel(
  labels: readonly string[],
  inputs: Pick<Inputs, 'skip-labels'>,
): string | undefined {
  return labels.find((label) => includesName(inputs['skip-labels'], label))
}

/** Returns the first of `ignore-authors` that has one of these logins. */
export function ignoredAuthor(
  logins: readonly Maybe<string>[],
  inputs: Pick<Inputs, 'ignore-authors'>,
): string | undefined {
  const plain = logins.map((login) => normalizeLogin(login ?? ''))
  return inputs['ignore-authors'].find((author) => plain.includes(normalizeLogin(author)))
}

/** Mintlify's agent also commits with this address, which belongs to no account on GitHub. */
const AGENT_EMAIL = 'agent@mintlify.com'

/** Returns the login of a commit's author; GitHub may only know the address that it gave the account. */
export function authorOf({ author, email }: Commit): string | undefined {
  const address = email?.toLowerCase()
  const ofEmail = address?.match(/^(?:\d+\+)?([^@]+)@users\.noreply\./)?.[1]
  return author?.login ?? (address === AGENT_EMAIL ? 'mintlify' : ofEmail)
}

/** A merged pull request. */
export type MergedPull = {
  readonly number: number
  readonly url: string
  /** Null if the account was deleted. */
  readonly author: Maybe<User>
  readonly assignees: readonly User[]
  readonly title: string
  readonly labels: readonly string[]
  readonly body: string
  /** SHA of its newest commit; may be empty. */
  readonly head: string
}

/** The merged pull requests that commits came in, by SHA. */
type MergedPulls = ReadonlyMap<string, readonly MergedPull[]>

type NamedCommit = { readonly sha: string; readonly message: string }

/** How many commits are asked about in one request. */
const MAX_COMMITS_A_REQUEST = 100

/**
 * Reads the merged pull requests of commits: the one that a commit's subject names, since GitHub's index lags behind a
 * merge, and those of the index.
 *
 * @throws {Problem}
 */
export async function readMergedPulls(
  commits: readonly NamedCommit[],
  github: GitHub,
): Promise<MergedPulls> {
  const found = new Map<string, readonly MergedPull[]>()
  for (let start = 0; start < commits.length; start += MAX_COMMITS_A_REQUEST) {
    const some = commits.slice(start, start + MAX_COMMITS_A_REQUEST)
    for (const [sha, pulls] of await askForPulls(some, github)) found.set(sha, pulls)
  }
  return found
}

async function askForPulls(commits: readonly NamedCommit[], github: GitHub): Promise<MergedPulls> {
  // GitHub allows 100 labels and 10 assignees.
  const pull = `number url merged headRefOid mergeCommit { oid } author { __typename login }
    assignees(first: 10) { nodes { login } } labels(first: 100) { nodes { name } } title body`
  const fields = commits.map(({ sha, message }, index) => {
    const number = numberInSubject(message)
    const named = number && `p${index}: pullRequest(number: ${number}) { ${pull} }`
    const associated = `associatedPullRequests(first: 10) { nodes { ${pull} } pageInfo { hasNextPage } }`
    return `c${index}: object(oid: "${sha}") { ... on Commit { ${associated} } } ${named}`
  })
  const call = { purpose: "read the commits' pull requests", permission: 'pull-requests: read' }
  return await github.need(call, async () =>
    readAliases(await github.askRepository<Aliases>(fields.join(' ')), commits),
  )
}

/** Reads the number that GitHub's merge button adds to a subject; empty if there is none. */
function numberInSubject(message: string): string {
  const subject = subjectLine({ message }).trimEnd()
  const [, merged, squashed] =
    /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? []
  return merged ?? squashed ?? ''
}

type MergedNode = FromGitHub<{
  number: number
  url: string
  headRefOid: string
  merged: boolean
  mergeCommit: FromGitHub<{ oid: string }>
  author: FromGitHub<{ __typename: string; login: string }>
  assignees: Nodes<FromGitHub<{ login: string }>>
  title: string
  labels: Nodes<FromGitHub<{ name: string }>>
  body: string
}>

/** `cN`: the N-th commit. `pN`: the pull request that its subject names. */
type Aliases = Readonly<
  Record<string, Maybe<MergedNode & FromGitHub<{ associatedPullRequests: Associated }>>>
>
type Associated = Nodes<MergedNode> & FromGitHub<{ pageInfo: FromGitHub<{ hasNextPage: boolean }> }>

function readAliases(aliases: Aliases, commits: readonly NamedCommit[]): MergedPulls {
  const pulls = new Map<string, readonly MergedPull[]>()
  for (const [index, { sha }] of commits.entries()) {
    const named = aliases[`p${index}`]
    const isNamed = named?.merged === true && named.mergeCommit?.oid === sha
    const associated = aliases[`c${index}`]?.associatedPullRequests
    if (!isNamed && associated?.nodes == null) continue
    const found = isNamed ? [named] : nodesOf(associated).filter(({ merged }) => merged === true)
    // The merged one may be behind many that are not.
    if (found.length === 0 && associated?.pageInfo?.hasNextPage === true) continue
    pulls.set(sha, found.map(readMergedPull))
  }
  return pulls
}

function readMergedPull({ number, url, author, title, body, ...pull }: MergedNode): MergedPull {
  const { assignees, labels } = pull
  return {
    number: number ?? 0,
    url: url ?? '',
    author: author && { login: author.login, type: author.__typename },
    assignees: nodesOf(assignees).map(({ login }) => ({ login, type: 'User' })),
    title: title ?? '',
    labels: nodesOf(labels).map(({ name }) => name ?? ''),
    body: body ?? '',
    head: pull.headRefOid ?? '',
  }
}

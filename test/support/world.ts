import { createHash } from 'node:crypto'
import type { Payload } from '../../src/events/payload.ts'
import type { CommitFile, PullRequest } from '../../src/github/types.ts'

/** An account, as GitHub's REST answers name it. */
export type Account = {
  readonly login: string
  readonly id: number
  readonly type: 'User' | 'Bot' | 'Organization'
}

/** The account of `github.token`. */
export const ACTIONS: Account = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' }
/** The account that opens the docs agent's pull requests. */
export const AGENT: Account = { login: 'mintlify[bot]', id: 109931778, type: 'Bot' }

/** Somebody who writes. */
export function person(login: string, id = 7001): Account {
  return { login, id, type: 'User' }
}

/** A bot that writes. */
export function bot(login: string): Account {
  return { login, id: 8001, type: 'Bot' }
}

export type Commit = {
  readonly sha: string
  readonly message: string
  /** `undefined`: nobody who has an account. */
  readonly author: Account | undefined
  readonly parents: readonly string[]
  readonly atMs: number
  readonly files: readonly CommitFile[]
}

/** A commit status. Each POST makes one; none is ever changed. */
export type Status = {
  readonly id: number
  readonly sha: string
  readonly state: string
  readonly context: string
  readonly description: string
  readonly targetUrl: string
  readonly creator: Account
  readonly atMs: number
}

export type Pull = {
  readonly number: number
  title: string
  body: string
  author: Account
  state: 'open' | 'closed'
  merged: boolean
  /** As GitHub answers it: `clean`, `dirty`, `unknown` … */
  mergeableState: string
  labels: readonly string[]
  base: string
  head: { readonly ref: string; readonly repository: string; sha: string }
  /** SHAs of its branch, oldest first. */
  commits: string[]
  /** SHAs of the base branch that came with its merge; the last one is its merge commit. */
  landed: string[]
  /** What was pushed over, oldest first. */
  forced: { readonly before: string; readonly after: string }[]
  files: readonly CommitFile[]
  readonly createdAtMs: number
  mergedAtMs: number | undefined
  /** Until then, GitHub's index from commit to pull request does not know it. */
  indexedAtMs: number
}

export type Issue = {
  readonly number: number
  title: string
  body: string
  author: Account
  labels: readonly string[]
}

/** A comment with all it ever said. */
export type Comment = {
  readonly id: number
  readonly kind: 'main' | 'review'
  /** Of the pull request or issue. */
  readonly number: number
  /** Of a reply in a review thread. */
  readonly rootId: number | undefined
  readonly author: Account
  /** Oldest first; the last one is what it says now. */
  readonly history: string[]
  readonly createdAtMs: number
  updatedAtMs: number
}

/** A reaction to a comment, or to an issue itself. */
export type Reaction = {
  readonly id: number
  readonly kind: 'main' | 'review' | 'issue'
  /** Of the comment; an issue's is its number. */
  readonly commentId: number
  readonly author: Account
  readonly content: string
}

/** What somebody may do in the repository, as the permission call answers it. */
export type Role = {
  readonly permission: string
  readonly role_name: string
  /** What the role grants, if GitHub says it. */
  readonly permissions?: Readonly<Record<string, boolean>>
  /** Id of the account that has the login; that of a person of the tests without it. */
  readonly id?: number
}

/** A run of the workflow in that file, with fields of GitHub's answer. */
export type WorkflowRun = Readonly<Record<string, unknown>> & {
  readonly workflow: string
  readonly head_branch: string
  readonly head_sha?: string
  readonly conclusion: string
}

/** What the fake GitHub holds: one repository, and the pull requests of others. */
export type World = {
  readonly repository: string
  /** Whose token it is. */
  viewer: Account
  /** Permissions of the token, such as `issues: write`, which includes reading. */
  readonly scopes: Set<string>
  /** Milliseconds since the epoch. */
  now: () => number
  readonly commits: Map<string, Commit>
  /** SHA by name. */
  readonly branches: Map<string, string>
  readonly tags: Map<string, string>
  readonly statuses: Status[]
  readonly pulls: Map<number, Pull>
  readonly issues: Map<number, Issue>
  /** Pull requests of other repositories that the token can see, by `owner/name`. */
  readonly elsewhere: Map<string, Map<number, Pull>>
  /** What became of the docs agent's pull requests, and in which repository they are. */
  agentPulls: () => readonly { readonly number: number; readonly state: 'open' | 'merged' | 'closed' }[]
  agentRepository: string
  readonly comments: Comment[]
  /** Ids of comments that were deleted. */
  readonly deleted: number[]
  readonly reactions: Reaction[]
  /** What the permission call answers, by login in lower case; others have none. */
  readonly roles: Map<string, Role>
  /** Fields of comparisons, by `before...after`; others are made from the commits. */
  readonly comparisons: Map<string, object>
  /** Fields of releases, as GitHub lists them. */
  readonly releases: object[]
  /** Newest first. */
  readonly runs: WorkflowRun[]
}

/** The first commit, and the one that a push leads to in most tests. */
export const BEFORE = 'a'.repeat(40)
export const AFTER = 'b'.repeat(40)

const SCOPES = ['issues', 'pull-requests', 'statuses'].map((name) => `${name}: write`)

/** A repository of one commit on `main`, and a token that may do all that the action does. */
export function emptyWorld(repository = 'acme/docs'): World {
  const world: World = {
    repository,
    viewer: ACTIONS,
    scopes: new Set([...SCOPES, 'contents: read', 'actions: read']),
    now: Date.now,
    commits: new Map(),
    branches: new Map(),
    tags: new Map(),
    statuses: [],
    pulls: new Map(),
    issues: new Map(),
    elsewhere: new Map(),
    agentPulls: () => [],
    agentRepository: repository,
    comments: [],
    deleted: [],
    reactions: [],
    roles: new Map(),
    comparisons: new Map(),
    releases: [],
    runs: [],
  }
  addCommit(world, { sha: BEFORE, message: 'Begin' })
  return world
}

/** Adds a commit; by default octocat's, on top of the branch `main`. A branch of `undefined` moves none. */
export function addCommit(
  world: World,
  commit: Partial<Omit<Commit, 'files'>> & {
    readonly branch?: string | undefined
    /** A name alone stands for a modified file. */
    readonly files?: readonly (string | CommitFile)[]
  } = {},
): Commit {
  const branch = 'branch' in commit ? commit.branch : 'main'
  const tip = branch === undefined ? undefined : (world.branches.get(branch) ?? world.branches.get('main'))
  const added: Commit = {
    sha: commit.sha ?? createHash('sha1').update(`commit ${world.commits.size}`).digest('hex'),
    message: commit.message ?? `Change ${world.commits.size}`,
    author: 'author' in commit ? commit.author : person('octocat'),
    parents: commit.parents ?? (tip === undefined ? [] : [tip]),
    atMs: commit.atMs ?? world.now(),
    files: (commit.files ?? []).map(fileFields),
  }
  world.commits.set(added.sha, added)
  if (branch !== undefined) world.branches.set(branch, added.sha)
  return added
}

/** Adds a pull request; by default octocat's, open, with one commit of its own. */
export function addPull(
  world: World,
  pull: Partial<Omit<Pull, 'files'>> & {
    readonly number: number
    readonly files?: readonly (string | CommitFile)[]
    readonly repository?: string
  },
): Pull {
  const { repository = world.repository, files = [], ...fields } = pull
  const ref = fields.head?.ref ?? `change-${pull.number}`
  const head = fields.head ?? { ref, repository, sha: '' }
  const isHere = repository === world.repository
  if (isHere && !world.commits.has(head.sha)) {
    const parents = [world.branches.get('main') ?? BEFORE]
    const sha = head.sha === '' ? {} : { sha: head.sha }
    const author = fields.author ?? person('octocat')
    head.sha = addCommit(world, {
      ...sha,
      parents,
      files,
      author,
      branch: ref,
      message: fields.title ?? ref,
    }).sha
  }
  const added: Pull = {
    title: `Change ${pull.number}`,
    body: '',
    author: person('octocat'),
    state: 'open',
    merged: false,
    mergeableState: 'clean',
    labels: [],
    base: 'main',
    commits: isHere ? [head.sha] : [],
    landed: [],
    forced: [],
    createdAtMs: world.now(),
    mergedAtMs: undefined,
    indexedAtMs: 0,
    ...fields,
    head,
    files: files.map(fileFields),
  }
  pullsOf(world, repository).set(added.number, added)
  return added
}

/** Merges a pull request as one of GitHub's three buttons does. Returns the commits that came to its base, oldest first. */
export function mergePull(
  world: World,
  pull: Pull,
  {
    how = 'merge',
    by = person('octocat'),
  }: { readonly how?: 'merge' | 'squash' | 'rebase'; readonly by?: Account } = {},
): readonly string[] {
  const add = (commit: Partial<Commit>): string => addCommit(world, { branch: pull.base, ...commit }).sha
  const { number, title, author, head } = pull
  if (how === 'squash') pull.landed = [add({ message: `${title} (#${number})`, author, files: pull.files })]
  if (how === 'rebase') {
    pull.landed = pull.commits.map((sha) => {
      const { message, author, files } = commitOf(world, sha)
      return add({ message, author, files })
    })
  }
  if (how === 'merge') {
    const tip = world.branches.get(pull.base) ?? BEFORE
    const from = `${head.repository.split('/')[0]}/${head.ref}`
    const message = `Merge pull request #${number} from ${from}\n\n${title}`
    pull.landed = [...pull.commits, add({ message, author: by, parents: [tip, head.sha] })]
  }
  Object.assign(pull, { state: 'closed', merged: true, mergedAtMs: world.now(), mergeableState: 'unknown' })
  return pull.landed
}

/** Pushes a new commit to a pull request's branch; with `force`, in place of what was there. */
export function pushToPull(
  world: World,
  pull: Pull,
  { force = false }: { readonly force?: boolean } = {},
): Commit {
  const before = pull.head.sha
  const parents = force ? commitOf(world, pull.commits[0] ?? before).parents : [before]
  const commit = addCommit(world, { parents, branch: pull.head.ref, author: pull.author })
  pull.head.sha = commit.sha
  pull.commits = force ? [commit.sha] : [...pull.commits, commit.sha]
  if (force) pull.forced.push({ before, after: commit.sha })
  return commit
}

/** Adds a comment. */
export function addComment(
  world: World,
  comment: Pick<Comment, 'kind' | 'number' | 'author'> & { readonly body: string; readonly rootId?: number },
): Comment {
  const { body, rootId, ...rest } = comment
  const id = Math.max(5000, ...world.comments.map((one) => one.id), ...world.deleted) + 1
  const atMs = world.now()
  const added = { ...rest, rootId, id, history: [body], createdAtMs: atMs, updatedAtMs: atMs }
  world.comments.push(added)
  return added
}

/** Adds a commit status; the token's account makes it unless another is named. */
export function addStatus(
  world: World,
  status: Pick<Status, 'sha' | 'state' | 'context'> & Partial<Status>,
): Status {
  const id = world.statuses.length + 1
  const rest = { description: '', targetUrl: '', creator: world.viewer, atMs: world.now() }
  const added = { id, ...rest, ...status }
  world.statuses.push(added)
  return added
}

/** Tells the world what an event's payload says that GitHub would have known before: commits, pull request, issue. */
export function learn(
  world: World,
  { before, after, ref, commits, pull_request: pull, issue }: Payload,
): void {
  const sides = [before, ...(commits ?? []).map((commit) => commit.id), after]
  let parents = world.commits.has(before ?? '') ? [before ?? ''] : []
  for (const sha of sides) {
    if (!sha || /^0+$/.test(sha)) continue
    const told = commits?.find((commit) => commit.id === sha)
    if (!world.commits.has(sha)) {
      const login = told?.author?.username
      const author = login ? person(login) : undefined
      addCommit(world, {
        sha,
        author,
        parents,
        branch: undefined,
        ...(told?.message && { message: told.message }),
      })
    }
    parents = [sha]
  }
  const branch = /^refs\/heads\/(.+)/.exec(ref ?? '')?.[1]
  if (branch !== undefined && after && world.commits.has(after)) world.branches.set(branch, after)
  if (pull?.number && pullOf(world, pull.number) === undefined) learnPull(world, pull, pull.number)
  if (!issue?.number || pullOf(world, issue.number) !== undefined) return
  const { number, title, body, user } = issue
  const author = accountOf(user)
  if (issue.pull_request) addPull(world, { number, author, title: title ?? '', body: body ?? '' })
  else
    world.issues.set(number, {
      number,
      author,
      title: title ?? '',
      body: body ?? '',
      labels: namesOf(issue.labels),
    })
}

function learnPull(
  world: World,
  { head, user, merged, merge_commit_sha, ...told }: PullRequest,
  number: number,
): void {
  const repository = head?.repo?.full_name ?? world.repository
  const pull = addPull(world, {
    number,
    title: told.title ?? '',
    body: told.body ?? '',
    author: accountOf(user),
    state: told.state === 'closed' ? 'closed' : 'open',
    labels: namesOf(told.labels),
    base: told.base?.ref ?? 'main',
    head: { ref: head?.ref ?? `change-${number}`, repository, sha: head?.sha ?? '' },
  })
  if (merged !== true || !merge_commit_sha) return
  addCommit(world, {
    sha: merge_commit_sha,
    branch: pull.base,
    message: `${pull.title} (#${number})`,
    author: pull.author,
  })
  Object.assign(pull, { merged: true, mergedAtMs: world.now(), landed: [merge_commit_sha] })
}

function accountOf(user: PullRequest['user']): Account {
  return { login: user?.login ?? 'ghost', id: user?.id ?? 10137, type: user?.type === 'Bot' ? 'Bot' : 'User' }
}

function namesOf(labels: PullRequest['labels']): string[] {
  return (labels ?? []).map(({ name }) => name ?? '')
}

function fileFields(file: string | CommitFile): CommitFile {
  return typeof file === 'string' ? { filename: file } : file
}

/** The pull requests of a repository that the token can see. */
export function pullsOf(world: World, repository: string): Map<number, Pull> {
  if (repository === world.repository) return world.pulls
  const pulls = world.elsewhere.get(repository) ?? new Map<number, Pull>()
  world.elsewhere.set(repository, pulls)
  return pulls
}

/** A pull request, a person's or the agent's; `undefined` if there is none. */
export function pullOf(world: World, number: number, repository = world.repository): Pull | undefined {
  return (repository === world.repository ? world.pulls : world.elsewhere.get(repository))?.get(number)
}

/** Takes over what became of the agent's pull requests since the last look. */
export function followAgent(world: World): void {
  const isVisible = world.agentRepository === world.repository || world.elsewhere.has(world.agentRepository)
  if (!isVisible) return
  for (const { number, state } of world.agentPulls()) {
    const title = `Update the docs (${number})`
    const repository = world.agentRepository
    const pull =
      pullOf(world, number, repository) ?? addPull(world, { number, repository, title, author: AGENT })
    if (pull.state !== 'open' || state === 'open') continue
    if (state === 'merged' && repository === world.repository) mergePull(world, pull)
    else Object.assign(pull, { state: 'closed', merged: state === 'merged', mergedAtMs: world.now() })
  }
}

/** A commit that is there. */
export function commitOf({ commits }: World, sha: string): Commit {
  const commit = commits.get(sha)
  if (commit === undefined) throw new Error(`There is no commit ${sha}.`)
  return commit
}

/** A commit by SHA, branch or tag, with or without `refs/heads/` or `refs/tags/`. */
export function resolve({ commits, branches, tags }: World, name: string): Commit | undefined {
  const short = name.replace(/^(?:refs\/)?(?:heads|tags)\//, '')
  return commits.get(name) ?? commits.get(branches.get(short) ?? tags.get(short) ?? '')
}

/** A commit and those before it, newest first. */
export function historyOf(world: World, sha: string): readonly Commit[] {
  const seen = new Set<string>()
  const open = [sha]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const commit = world.commits.get(next)
    if (commit === undefined || seen.has(next)) continue
    seen.add(next)
    open.push(...commit.parents)
  }
  return [...world.commits.values()]
    .filter((commit) => seen.has(commit.sha))
    .toReversed()
    .toSorted((one, other) => other.atMs - one.atMs)
}

/** Commits that a name has and another has not, newest first. */
export function commitsBetween(world: World, base: string, head: string): readonly Commit[] {
  const before = new Set(historyOf(world, base))
  return historyOf(world, head).filter((commit) => !before.has(commit))
}

/** The pull requests that a commit came in, as far as GitHub's index knows them. */
export function pullsOfCommit(world: World, sha: string): readonly Pull[] {
  const isKnown = (pull: Pull): boolean => world.now() >= pull.indexedAtMs
  return [...world.pulls.values()].filter(
    (pull) => isKnown(pull) && [...pull.commits, ...pull.landed].includes(sha),
  )
}

/** The newest status of each context on a commit, newest first. */
export function newestStatuses({ statuses }: World, sha: string): readonly Status[] {
  const newest = new Map<string, Status>()
  for (const status of statuses) if (status.sha === sha) newest.set(status.context, status)
  return [...newest.values()].toSorted((one, other) => other.id - one.id)
}

/** Whether the token has a permission; `statuses: write` includes `statuses: read`. */
export function has({ scopes }: World, permission: string): boolean {
  return scopes.has(permission) || scopes.has(permission.replace(': read', ': write'))
}

/** Whether it may write to a pull request or issue. */
export function mayWriteTo(world: World, number: number): boolean {
  return has(world, 'issues: write') || (world.pulls.has(number) && has(world, 'pull-requests: write'))
}

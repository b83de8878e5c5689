import { createHash } from 'node:crypto'
import type { Pull as ServicePull } from '../../docs-service/agent/jobs.ts'
import type { Release } from '../../src/event/event.ts'
import type { CommitFile, PullRequest, RestData } from '../../src/github/client.ts'
import { commitOf } from './history.ts'

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

export function person(login: string, id = 7001): Account {
  return { login, id, type: 'User' }
}

export function bot(login: string): Account {
  return { login, id: 8001, type: 'Bot' }
}

export type Commit = {
  readonly sha: string
  readonly message: string
  /** `undefined`: nobody who has an account. */
  readonly author: Account | undefined
  /** In place of the address that GitHub gives its accounts. */
  readonly email?: string
  readonly parents: readonly string[]
  readonly atMs: number
  readonly files: readonly CommitFile[]
}

type Status = NonNullable<RestData<'repos', 'listCommitStatusesForRef'>[number]>

/** A commit status. Each POST makes one; none is ever changed. */
type StatusFields = 'context' | 'state' | 'description' | 'target_url' | 'created_at' | 'creator'
export type CommitStatus = Required<Pick<Status, StatusFields>> &
  Pick<Commit, 'sha'> & { readonly id: number }

export type Pull = {
  readonly number: number
  /** As REST answers it; what is missing is as in GitHub's example. */
  fields: PullRequest
  /** SHAs of its branch, oldest first. */
  commits: readonly string[]
  /** SHAs of the base branch that came with its merge; the last one is its merge commit. */
  landed: readonly string[]
  /** SHAs at the tip of its branch that a forced push replaced. */
  replaced: readonly string[]
  /** Whose reviews were requested: logins, and teams as `org/team`, oldest first. */
  readonly reviewRequests: string[]
  /** Every label that the token's account ever set. */
  readonly labeled: string[]
  files: readonly CommitFile[]
  /** Whether a bot closed it. */
  isClosedByBot?: boolean
}

/** A pull request of the docs agent, as its service tells it. */
type AgentPull = Omit<ServicePull, 'files'> & Pick<Pull, 'files'>

/** A comment with all it ever said. */
export type Comment = {
  readonly id: number
  readonly kind: 'main' | 'review'
  /** Where it is in another one than the world's. */
  readonly repository?: string
  /** Of the pull request or issue. */
  readonly number: number
  /** Of a reply in a review thread. */
  readonly rootId: number | undefined
  readonly author: Account
  /** The author's relation to the repository, such as `MEMBER`; `NONE` without it. */
  readonly association?: string
  /** Of a comment on lines: the review that it came with, the last line, and the first of several. */
  readonly reviewId?: number
  readonly path?: string
  readonly line?: number
  readonly startLine?: number
  readonly hunk?: string
  /** Oldest first; the last one is what it says now. */
  readonly history: string[]
  readonly atMs: number
  /** Whether somebody hid it. */
  isHidden?: boolean
  /** Whether the thread that it begins is resolved. */
  isResolved?: boolean
}

/** A review of a pull request. */
export type Review = {
  readonly id: number
  /** Of the pull request. */
  readonly number: number
  readonly author: Account
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED'
  readonly body: string
  /** The commit that was reviewed. */
  readonly sha: string
  readonly atMs: number
}

/** What somebody may do in the repository, as the permission call answers it. */
export type Role = {
  readonly permission: string
  readonly role_name: string
  /** What the role grants, if GitHub says it. */
  readonly permissions?: Readonly<Record<string, boolean>> | null
  /** Id of the account that has the login; that of a person of the tests without it. */
  readonly id?: number
}

/** The role of somebody who may write. */
export const MAY_WRITE: Role = { permission: 'write', role_name: 'write' }

/** The first commit. */
export const BEFORE = 'a'.repeat(40)

/** What the fake GitHub holds: one repository, and the agent's pull requests in another one. */
export type World = ReturnType<typeof newWorld>

function newWorld() {
  const list = <T>(): T[] => []
  const writable = ['issues', 'pull-requests', 'statuses'].map((name) => `${name}: write`)
  return {
    repository: 'acme/docs',
    /** Who can read each repository: everyone, if it isn't listed. */
    visibility: new Map<string, 'PUBLIC' | 'INTERNAL' | 'PRIVATE'>(),
    /** Whose token it is. */
    viewer: ACTIONS,
    /** Permissions of the token, such as `issues: write`, which includes reading. */
    scopes: new Set([...writable, 'contents: read']),
    /** Milliseconds since the epoch. */
    now: () => Date.now(),
    commits: new Map<string, Commit>(),
    /** SHA by name. */
    branches: new Map<string, string>(),
    tags: new Map<string, string>(),
    /** Oldest first. */
    statuses: list<CommitStatus>(),
    pulls: new Map<number, Pull>(),
    /** Numbers. */
    issues: new Set<number>(),
    /** What became of the docs agent's pull requests, and in which repository they are. */
    agentPulls: () => list<AgentPull>(),
    agentRepository: 'acme/docs',
    /** Those that the token has seen, if they are in another repository. */
    elsewhere: new Map<number, Pull>(),
    /** How the token sees that repository: by its permissions, as everybody, or not at all. */
    agentAccess: 'token' as 'token' | 'public' | 'none',
    /** Whether it may comment there. */
    commentsElsewhere: false,
    /** Oldest first. */
    comments: list<Comment>(),
    /** Oldest first. */
    reviews: list<Review>(),
    /** Teams that the token can read and ask for a review, as `org/team`. */
    teams: new Set<string>(),
    /** Of the token's account. */
    reactions: list<{ readonly content: string; readonly commentId: number }>(),
    /** What the permission call answers, by login in lower case; others have none. */
    roles: new Map<string, Role>(),
    releases: list<Release>(),
  }
}

/** A repository of one commit on `main`, and a token that may do all that the action does. */
export function emptyWorld(): World {
  const world = newWorld()
  addCommit(world, { sha: BEFORE, message: 'Begin' })
  return world
}

type NewCommit = Partial<Omit<Commit, 'files'>> & {
  /** The branch that it moves; `null` for none. */
  readonly branch?: string | null | undefined
  /** A name alone stands for a modified file. */
  readonly files?: readonly (string | CommitFile)[]
}

/** Adds a commit; by default octocat's, on top of the branch `main`. */
export function addCommit(
  world: World,
  { branch = 'main', files = [], ...commit }: NewCommit = {},
): Commit {
  const count = world.commits.size
  const tip = world.branches.get(branch ?? '') ?? world.branches.get('main')
  const added: Commit = {
    sha: createHash('sha1').update(`commit ${count}`).digest('hex'),
    message: `Change ${count}`,
    author: person('octocat'),
    parents: tip === undefined ? [] : [tip],
    atMs: world.now(),
    files: files.map(fileFields),
    ...commit,
  }
  world.commits.set(added.sha, added)
  if (branch !== null) world.branches.set(branch, added.sha)
  return added
}

type NewPull = PullRequest & Pick<NewCommit, 'files'> & { readonly number: number }

/** Adds a pull request, with fields of GitHub's answer; by default octocat's, open, with one commit of its own. */
export function addPull(world: World, change: NewPull, pulls = world.pulls): Pull {
  const { number, files: named = [], ...given } = change
  const { title = `Change ${number}`, user = person('octocat') } = given
  const { ref = `change-${number}`, sha: wanted } = given.head ?? {}
  const files = named.map(fileFields)
  const own = { author: accountOf(user), message: title ?? '', branch: ref, files }
  const parents = [world.branches.get('main') ?? BEFORE]
  const { sha } =
    world.commits.get(wanted ?? '') ??
    addCommit(world, { ...own, parents, ...(wanted && { sha: wanted }) })
  const pull: Pull = {
    number,
    fields: {
      ...{ state: 'open', merged: false, merged_at: null, merge_commit_sha: null },
      ...{ body: null, labels: [], mergeable_state: 'clean', created_at: time(world.now()) },
      ...given,
      title,
      user,
      head: { repo: { full_name: world.repository }, ...given.head, ref, sha },
      base: { ref: 'main', ...given.base },
    },
    commits: [sha],
    landed: given.merged === true && given.merge_commit_sha ? [given.merge_commit_sha] : [],
    replaced: [],
    labeled: [],
    reviewRequests: [],
    files,
  }
  pulls.set(number, pull)
  return pull
}

/** Squashes a pull request into its base branch, and returns the commit. */
export function mergePull(world: World, pull: Pull): Commit {
  const { title, base, user } = pull.fields
  const message = `${title} (#${pull.number})`
  const merged = { branch: base?.ref, message, author: accountOf(user), files: pull.files }
  const commit = addCommit(world, merged)
  pull.landed = [commit.sha]
  endPull(world, pull, commit.sha)
  return commit
}

/** Closes a pull request; with a merge commit, or none that the token can see, as merged. */
export function endPull(world: World, pull: Pull, mergeCommit?: string | null): void {
  const merged = mergeCommit !== undefined
  const merged_at = merged ? time(world.now()) : null
  const merge_commit_sha = mergeCommit ?? null
  pull.fields = { ...pull.fields, state: 'closed', merged, merged_at, merge_commit_sha }
}

/** Pushes a new commit to a pull request's branch; with `force`, in place of what was there. */
export function pushToPull(
  world: World,
  pull: Pull,
  { force = false, ...change }: { readonly force?: boolean } & Partial<Commit> = {},
): Commit {
  const { user, head } = pull.fields
  const tip = head?.sha ?? ''
  const parents = force ? commitOf(world, pull.commits[0] ?? tip).parents : [tip]
  const usual = { parents, author: accountOf(user), branch: head?.ref ?? '' }
  const commit = addCommit(world, { ...usual, ...change })
  pull.fields = { ...pull.fields, head: { ...head, sha: commit.sha } }
  pull.commits = force ? [commit.sha] : [...pull.commits, commit.sha]
  if (force) pull.replaced = [...pull.replaced, tip]
  return commit
}

type NewComment = Omit<Comment, 'id' | 'rootId' | 'history' | 'atMs'> & {
  readonly body: string
  readonly rootId?: number | undefined
}

export function addComment(world: World, { body, rootId, ...comment }: NewComment): Comment {
  const id = Math.max(5000, ...world.comments.map((one) => one.id)) + 1
  const added: Comment = { ...comment, rootId, id, history: [body], atMs: world.now() }
  world.comments.push(added)
  return added
}

type NewReview = Pick<Review, 'number' | 'author'> &
  Partial<Review> & {
    /** Its comments on lines. */
    readonly comments?: readonly (Pick<Comment, 'path' | 'line' | 'startLine' | 'hunk'> & {
      readonly body: string
      readonly rootId?: number
    })[]
  }

/** Adds a review of the pull request's head, by default one that requests changes. */
export function addReview(world: World, { comments = [], ...given }: NewReview): Review {
  const { number, author } = given
  const added: Review = {
    id: Math.max(9000, ...world.reviews.map(({ id }) => id)) + 1,
    state: 'CHANGES_REQUESTED',
    body: '',
    sha: world.pulls.get(number)?.fields.head?.sha ?? '',
    atMs: world.now(),
    ...given,
  }
  world.reviews.push(added)
  for (const comment of comments) {
    const place = { kind: 'review', number, reviewId: added.id, hunk: '@@ -1 +1 @@' } as const
    addComment(world, { ...place, path: 'docs/page.mdx', line: 1, ...comment, author })
  }
  return added
}

/** Adds a commit status, by default of the token's account. */
export function addStatus(
  world: World,
  sha: string,
  status: Pick<Status, StatusFields>,
): CommitStatus {
  const usual = { context: 'default', state: 'pending', description: null, target_url: null }
  const made = { creator: world.viewer, created_at: time(world.now()) }
  const added = { ...usual, ...made, ...status, sha, id: world.statuses.length + 1 }
  world.statuses.push(added)
  return added
}

function accountOf(user: PullRequest['user']): Account {
  return {
    login: user?.login ?? 'ghost',
    id: user?.id ?? 10137,
    type: user?.type === 'Bot' ? 'Bot' : 'User',
  }
}

function fileFields(file: string | CommitFile): CommitFile {
  if (typeof file !== 'string') return file
  const patch = '@@ -1 +1 @@\n-before\n+after'
  return { filename: file, status: 'modified', additions: 1, deletions: 1, patch }
}

/** A pull request, a person's or the agent's; `undefined` if there is none that the token can see. */
export function pullOf(world: World, number: number, repository: string): Pull | undefined {
  if (repository === world.repository) return world.pulls.get(number)
  return repository === world.agentRepository ? world.elsewhere.get(number) : undefined
}

/** A time as GitHub writes it. */
export function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Whether the token has a permission; `statuses: write` includes `statuses: read`. */
export function has({ scopes }: World, permission: string): boolean {
  return scopes.has(permission) || scopes.has(permission.replace(': read', ': write'))
}

/** Whether it may write to a pull request or issue. */
export function mayWriteTo(world: World, number: number): boolean {
  return (
    has(world, 'issues: write') || (world.pulls.has(number) && has(world, 'pull-requests: write'))
  )
}

/** What comments of the token's account said, one after another, without their markers; oldest comment first. */
export function ownComments({ comments, viewer }: World): string[][] {
  const ours = comments.filter(({ author }) => author.id === viewer.id)
  return ours.map(({ history }) =>
    history.map((body) => body.replace(/^<!-- docs-agent \S+ -->\n/, '')),
  )
}

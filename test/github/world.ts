/** An account, as GitHub's answers name it. */
export type Account = {
  readonly login: string
  readonly id: number
  readonly type: 'User' | 'Bot' | 'Organization'
}

/** The account of `github.token`. */
export const ACTIONS: Account = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' }

/** A comment with all it ever said. */
export type StoredComment = {
  readonly id: number
  readonly kind: 'main' | 'review'
  /** Of the pull request or issue. */
  readonly number: number
  /** Of a reply in a review thread. */
  readonly rootId: number | undefined
  readonly author: Account
  /** Oldest first; the last one is what it says now. */
  readonly history: string[]
  /** Of the last edit, as ISO 8601. */
  updatedAt: string
}

/** A reaction to a comment, or to an issue itself. */
export type StoredReaction = {
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
  readonly conclusion: string
}

/** What the loopback GitHub holds. */
export type World = {
  readonly comments: StoredComment[]
  /** Ids of comments that are gone. */
  readonly deleted: number[]
  readonly reactions: StoredReaction[]
  /** What the permission call answers, by login in lower case; others have none. */
  readonly roles: Map<string, Role>
  /** Fields of a pull request, by number. */
  readonly pulls: Map<number, object>
  /** Pull requests that the agent has opened. */
  agentPulls: () => readonly { readonly number: number; readonly state: 'open' | 'merged' | 'closed' }[]
  /** Changed files by number of the pull request: a name stands for a modified file, or fields of GitHub's answer. */
  readonly files: Map<number, readonly (string | object)[]>
  /** Pull requests that a commit came from, by SHA. */
  readonly pullsOfCommit: Map<string, readonly object[]>
  /** Fields of a comparison, by `before...after`. */
  readonly comparisons: Map<string, object>
  /** Fields of releases, as GitHub lists them. */
  readonly releases: object[]
  /** Newest first. */
  readonly runs: WorkflowRun[]
  /** Milliseconds since the epoch. */
  now: () => number
  /** Scopes that `github.token` has, such as `issues: write`. */
  readonly scopes: Set<string>
}

/** A world with nothing in it, and a token that may do all that the action does. */
export function emptyWorld(): World {
  return {
    comments: [],
    deleted: [],
    reactions: [],
    roles: new Map(),
    pulls: new Map(),
    agentPulls: () => [],
    files: new Map(),
    pullsOfCommit: new Map(),
    comparisons: new Map(),
    releases: [],
    runs: [],
    now: Date.now,
    scopes: new Set(['issues: write', 'pull-requests: write', 'contents: read', 'actions: read']),
  }
}

/** Adds a comment to a world. */
export function addComment(
  world: World,
  comment: Omit<StoredComment, 'id' | 'history' | 'rootId' | 'updatedAt'> & {
    readonly body: string
    readonly rootId?: number
  },
): StoredComment {
  const { body, rootId, ...rest } = comment
  const id = Math.max(5000, ...world.comments.map((one) => one.id), ...world.deleted) + 1
  const stored = { ...rest, rootId, id, history: [body], updatedAt: new Date(world.now()).toISOString() }
  world.comments.push(stored)
  return stored
}

/** Fields of a pull request, a person's or the agent's; `undefined` if there is none. */
export function pullOf(world: World, number: number): object | undefined {
  const own = world.agentPulls().find((pull) => pull.number === number)
  if (own === undefined) return world.pulls.get(number)
  return { state: own.state === 'open' ? 'open' : 'closed', merged: own.state === 'merged' }
}

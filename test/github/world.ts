/** An account, as GitHub's answers name it. */
export type Account = { readonly login: string; readonly id: number; readonly type: 'User' | 'Bot' }

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
}

/** A reaction to a comment. */
export type StoredReaction = {
  readonly id: number
  readonly kind: 'main' | 'review'
  readonly commentId: number
  readonly author: Account
  readonly content: string
}

/** What the loopback GitHub holds. */
export type World = {
  readonly comments: StoredComment[]
  readonly reactions: StoredReaction[]
  /** What the permission call answers, by login in lower case; others have none. */
  readonly roles: Map<string, { readonly permission: string; readonly role_name: string }>
  /** Fields of a pull request, by number. */
  readonly pulls: Map<number, object>
  /** Changed files by number of the pull request: a name stands for a modified file, or fields of GitHub's answer. */
  readonly files: Map<number, readonly (string | object)[]>
  /** Pull requests that a commit came from, by SHA. */
  readonly pullsOfCommit: Map<string, readonly object[]>
  /** Fields of a comparison, by `before...after`. */
  readonly comparisons: Map<string, object>
  /** Fields of releases, as GitHub lists them. */
  readonly releases: object[]
  /** Fields of workflow runs, newest first; `workflow` is the file's name. */
  readonly runs: (object & {
    readonly workflow: string
    readonly head_branch: string
    readonly conclusion: string
  })[]
  /** Scopes that `github.token` has, such as `issues: write`. */
  readonly scopes: Set<string>
}

/** A world with nothing in it, and a token that may do all that the action does. */
export function emptyWorld(): World {
  return {
    comments: [],
    reactions: [],
    roles: new Map(),
    pulls: new Map(),
    files: new Map(),
    pullsOfCommit: new Map(),
    comparisons: new Map(),
    releases: [],
    runs: [],
    scopes: new Set(['issues: write', 'pull-requests: write', 'contents: read', 'actions: read']),
  }
}

/** Adds a comment to a world. */
export function addComment(
  world: World,
  comment: Omit<StoredComment, 'id' | 'history' | 'rootId'> & {
    readonly body: string
    readonly rootId?: number
  },
): StoredComment {
  const { body, rootId, ...rest } = comment
  const stored = { ...rest, rootId, id: 5001 + world.comments.length, history: [body] }
  world.comments.push(stored)
  return stored
}

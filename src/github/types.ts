export type Maybe<T> = T | null | undefined

/**
 * An object in GitHub's payloads and answers, as far as it is read here. Every field may be missing or null: servers
 * differ in age, accounts and repositories are deleted, and a local run makes its payload up.
 * Source: GitHub's documentation, "Webhook events and payloads", "REST API endpoints", "GraphQL".
 */
export type Sent<T> = { readonly [Field in keyof T]?: Maybe<T[Field]> }

export type User = Sent<{
  id: number
  /** The same id in GraphQL. */
  databaseId: number
  /** `renovate[bot]` where REST and webhooks name an app; GraphQL leaves `[bot]` out. */
  login: string
  /** `User`, `Bot`, `Organization`, `Mannequin`. */
  type: string
}>

/** Whether two accounts are the same: by id where both are known, else by login. */
export function isSameAccount(one: Maybe<User>, other: Maybe<User>): boolean {
  const [id, otherId] = [one?.id ?? one?.databaseId, other?.id ?? other?.databaseId]
  if (id != null && otherId != null) return id === otherId
  return !!one?.login && normalizeLogin(one.login) === normalizeLogin(other?.login ?? '')
}

/** A login in lower case, without `[bot]`: GraphQL and REST spell the logins of apps differently. */
export function normalizeLogin(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '')
}

export type Repository = Sent<{ full_name: string; fork: boolean }>

/** A commit in the payload of a push. */
export type PushedCommit = Sent<{
  id: string
  message: string
  author: Sent<{ username: string; email: string }>
  /** Paths; often missing. */
  added: readonly string[]
  modified: readonly string[]
  removed: readonly string[]
}>

/** A commit as REST answers it. */
export type Commit = Sent<{
  sha: string
  commit: Sent<{ message: string }>
  parents: readonly Sent<{ sha: string }>[]
}>

export type CommitFile = Sent<{
  filename: string
  previous_filename: string
  /** `added`, `removed`, `modified`, `renamed`, `copied`, `changed`, `unchanged`. */
  status: string
  additions: number
  deletions: number
  changes: number
  /** Missing for binary files, and where GitHub withholds it. */
  patch: string
}>

export type Comparison = Sent<{
  html_url: string
  /** `ahead`, `behind`, `diverged`, `identical`. */
  status: string
  behind_by: number
  total_commits: number
  commits: readonly Commit[]
  /** 300 at most, without saying how many there are. */
  files: readonly CommitFile[]
}>

/** An issue or a discussion. */
export type Issue = Sent<{
  number: number
  title: string
  html_url: string
  body: string
  user: User
  labels: readonly Sent<{ name: string }>[]
  /** `open` or `closed`. */
  state: string
  draft: boolean
  created_at: string
  /** Where the issue is a pull request. */
  pull_request: Sent<{ merged_at: string }>
}>

export type PullRequest = Issue &
  Sent<{
    merged: boolean
    merged_at: string
    merge_commit_sha: string
    /** `dirty` where it conflicts with its base branch. */
    mergeable_state: string
    changed_files: number
    /** Its repository is null where the fork was deleted. */
    head: PullRequestSide
    base: PullRequestSide
  }>

type PullRequestSide = Sent<{ ref: string; sha: string; repo: Repository }>

export type Review = Sent<{ id: number; html_url: string; body: string; user: User }>

/** A comment on an issue, on a pull request, or in a review. */
export type Comment = Review &
  Sent<{
    /** In a review: the comment that the thread began with. */
    in_reply_to_id: number
    path: string
    diff_hunk: string
    line: number
    start_line: number
    original_line: number
    /** `LEFT` for the old version. */
    side: string
  }>

export type Release = Sent<{
  name: string
  tag_name: string
  html_url: string
  body: string
  draft: boolean
  published_at: string
}>

export type WorkflowRun = Sent<{
  name: string
  html_url: string
  /** The event that it ran for. */
  event: string
  head_branch: string
  head_sha: string
  conclusion: string
  created_at: string
  head_repository: Repository
  /** Who started it, or started it again. */
  triggering_actor: User
}>

export type Status = Sent<{
  context: string
  /** `pending`, `success`, `failure`, `error`; in upper case in GraphQL. */
  state: string
  description: string
  target_url: string
  created_at: string
  creator: User
}>

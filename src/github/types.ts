/**
 * GitHub's payloads and answers, as far as they are read here. Every field may be missing or null: servers differ in
 * age, accounts and repositories are deleted, and a local run makes its payload up.
 * Source: GitHub's documentation, "Webhook events and payloads" and "REST API endpoints".
 */
export type Maybe<T> = T | null | undefined

export type User = {
  readonly id?: Maybe<number>
  /** `renovate[bot]` where REST and webhooks name an app; GraphQL leaves `[bot]` out. */
  readonly login?: Maybe<string>
  /** `User`, `Bot`, `Organization`, `Mannequin`. */
  readonly type?: Maybe<string>
}

export type Repository = { readonly full_name?: Maybe<string>; readonly fork?: Maybe<boolean> }

/** A commit in the payload of a push. */
export type PushedCommit = {
  readonly id?: Maybe<string>
  readonly message?: Maybe<string>
  readonly author?: Maybe<{ readonly username?: Maybe<string>; readonly email?: Maybe<string> }>
  /** Paths; often missing. */
  readonly added?: Maybe<readonly string[]>
  readonly modified?: Maybe<readonly string[]>
  readonly removed?: Maybe<readonly string[]>
}

/** A commit as REST answers it. */
export type Commit = {
  readonly sha?: Maybe<string>
  readonly commit?: Maybe<{ readonly message?: Maybe<string> }>
  readonly parents?: Maybe<readonly { readonly sha?: Maybe<string> }[]>
}

export type CommitFile = {
  readonly filename?: Maybe<string>
  readonly previous_filename?: Maybe<string>
  /** `added`, `removed`, `modified`, `renamed`, `copied`, `changed`, `unchanged`. */
  readonly status?: Maybe<string>
  readonly additions?: Maybe<number>
  readonly deletions?: Maybe<number>
  readonly changes?: Maybe<number>
  /** Missing for binary files, and where GitHub withholds it. */
  readonly patch?: Maybe<string>
}

export type Comparison = {
  readonly html_url?: Maybe<string>
  /** `ahead`, `behind`, `diverged`, `identical`. */
  readonly status?: Maybe<string>
  readonly behind_by?: Maybe<number>
  readonly total_commits?: Maybe<number>
  readonly commits?: Maybe<readonly Commit[]>
  /** 300 at most, without saying how many there are. */
  readonly files?: Maybe<readonly CommitFile[]>
}

/** What issues, pull requests and discussions have in common. */
type Titled = {
  readonly number?: Maybe<number>
  readonly title?: Maybe<string>
  readonly html_url?: Maybe<string>
  readonly body?: Maybe<string>
  readonly user?: Maybe<User>
  readonly labels?: Maybe<readonly { readonly name?: Maybe<string> }[]>
  /** `open` or `closed`. */
  readonly state?: Maybe<string>
  readonly draft?: Maybe<boolean>
  readonly created_at?: Maybe<string>
}

export type Issue = Titled & {
  /** There where the issue is a pull request. */
  readonly pull_request?: Maybe<{ readonly merged_at?: Maybe<string>; readonly html_url?: Maybe<string> }>
}

export type PullRequest = Titled & {
  readonly merged?: Maybe<boolean>
  readonly merged_at?: Maybe<string>
  readonly merge_commit_sha?: Maybe<string>
  /** `dirty` where it conflicts with its base branch. */
  readonly mergeable_state?: Maybe<string>
  readonly changed_files?: Maybe<number>
  readonly head?: Maybe<PullRequestSide>
  readonly base?: Maybe<PullRequestSide>
}

/** Where a pull request comes from, or goes to. */
type PullRequestSide = {
  readonly ref?: Maybe<string>
  readonly sha?: Maybe<string>
  /** Null where the fork was deleted. */
  readonly repo?: Maybe<Repository>
}

export type Discussion = Titled

export type Review = {
  readonly id?: Maybe<number>
  readonly html_url?: Maybe<string>
  readonly body?: Maybe<string>
  readonly user?: Maybe<User>
}

/** A comment on an issue, on a pull request, or in a review. */
export type Comment = Review & {
  /** In a review: the comment that the thread began with. */
  readonly in_reply_to_id?: Maybe<number>
  readonly path?: Maybe<string>
  readonly diff_hunk?: Maybe<string>
  readonly line?: Maybe<number>
  readonly start_line?: Maybe<number>
  readonly original_line?: Maybe<number>
  /** `LEFT` for the old version. */
  readonly side?: Maybe<string>
}

export type Release = {
  readonly name?: Maybe<string>
  readonly tag_name?: Maybe<string>
  readonly html_url?: Maybe<string>
  readonly body?: Maybe<string>
  readonly draft?: Maybe<boolean>
  readonly published_at?: Maybe<string>
}

export type WorkflowRun = {
  readonly name?: Maybe<string>
  readonly html_url?: Maybe<string>
  /** The event that it ran for. */
  readonly event?: Maybe<string>
  readonly head_branch?: Maybe<string>
  readonly head_sha?: Maybe<string>
  readonly conclusion?: Maybe<string>
  readonly created_at?: Maybe<string>
  readonly head_repository?: Maybe<Repository>
  /** Who started it, or started it again. */
  readonly triggering_actor?: Maybe<User>
}

export type Status = {
  readonly context?: Maybe<string>
  /** `pending`, `success`, `failure`, `error`. */
  readonly state?: Maybe<string>
  readonly description?: Maybe<string>
  readonly target_url?: Maybe<string>
  readonly created_at?: Maybe<string>
  readonly creator?: Maybe<User>
}

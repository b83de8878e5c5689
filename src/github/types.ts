import type { getOctokit } from '@actions/github'

export type Octokit = ReturnType<typeof getOctokit>

export type Maybe<T> = T | null | undefined

/**
 * An object in GitHub's payloads and answers, as far as it is read here. Every field may be missing or null: servers
 * differ in age, accounts and repositories are deleted, and a local run makes its payload up.
 * Source: GitHub's documentation, "Webhook events and payloads", "REST API endpoints", "GraphQL".
 */
export type FromGitHub<T> = { readonly [Field in keyof T]?: Maybe<T[Field]> }

/** A list in GraphQL. What the token may not see is null. */
export type Nodes<T> = FromGitHub<{ nodes: readonly Maybe<T>[] }>

/** One page of a list. */
export type Paged<T> = Nodes<T> &
  FromGitHub<{ pageInfo: FromGitHub<{ hasNextPage: boolean; endCursor: string }> }>

export function nodesOf<T>(connection: Maybe<Nodes<T>>): T[] {
  return (connection?.nodes ?? []).filter((node) => node != null)
}

/** As `Sent`, for all that is within, too. */
type DeepFromGitHub<T> = T extends string
  ? string
  : T extends readonly (infer One)[]
    ? readonly DeepFromGitHub<One>[]
    : T extends object
      ? { readonly [Field in keyof T]?: Maybe<DeepFromGitHub<T[Field]>> }
      : T

type Rest = Octokit['rest']

/** The data of a response, as Octokit has it from GitHub's own description. */
type Response<Area extends keyof Rest, Call extends keyof Rest[Area]> = Rest[Area][Call] extends (
  ...options: never[]
) => Promise<{ readonly data: infer Data }>
  ? DeepFromGitHub<Data>
  : never

export type User = FromGitHub<{
  id: number
  /** `renovate[bot]` where REST and webhooks name an app; GraphQL leaves `[bot]` out. */
  login: string
  /** `User`, `Bot`, `Organization`, `Mannequin`. */
  type: string
}>

/** A login in lower case, without `[bot]`: GraphQL and REST spell the logins of apps differently. */
export function normalizeLogin(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '')
}

export type Repository = FromGitHub<
  Record<'full_name' | 'default_branch' | 'visibility', string> & { fork: boolean }
>

/** A commit in the payload of a push. */
export type PushedCommit = FromGitHub<{
  id: string
  message: string
  url: string
  author: FromGitHub<{ username: string; email: string }>
}>

/** `status`: `ahead`, `behind`, `diverged`, `identical`. `files`: 300 at most, without saying how many there are. */
export type Comparison = Response<'repos', 'compareCommitsWithBasehead'>
export type ComparedCommit = NonNullable<NonNullable<Comparison['commits']>[number]>
/** `patch` is missing for binary files, and where GitHub withholds it. */
export type CommitFile = NonNullable<NonNullable<Comparison['files']>[number]>

/** An issue or a discussion. */
export type Issue = FromGitHub<{
  number: number
  title: string
  html_url: string
  body: string
  user: User
  assignees: readonly User[]
  labels: readonly FromGitHub<{ name: string }>[]
  /** `open` or `closed`. */
  state: string
  draft: boolean
  /** Where the issue is a pull request. */
  pull_request: FromGitHub<{ merged_at: string }>
}>

/** `mergeable_state`: `dirty` where it conflicts with its base branch. `head.repo`: null where the fork was deleted. */
export type PullRequest = Response<'pulls', 'get'>

export type Review = FromGitHub<{
  id: number
  html_url: string
  body: string
  /** `approved`, `changes_requested`, `commented`. */
  state: string
  commit_id: string
  user: User
}>

/** A comment in a review, or with fewer fields on an issue or pull request. `side`: `LEFT` for the old version. */
export type Comment = Response<'pulls', 'getReviewComment'>

export type Release = Response<'repos', 'getRelease'>
export type WorkflowRun = Response<'actions', 'getWorkflowRun'>
/** Its `state` is in upper case in GraphQL. */
export type Status = NonNullable<Response<'repos', 'listCommitStatusesForRef'>[number]>

/** Who wrote a commit, in GraphQL. `user`: null where no account has the e-mail address. */
export type GitActor = FromGitHub<{ email: string; user: FromGitHub<{ login: string }> }>

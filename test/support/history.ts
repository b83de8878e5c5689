import type { Commit, CommitStatus, Pull, World } from './world.ts'

/** @throws if there is no such commit */
export function commitOf({ commits }: World, sha: string): Commit {
  const commit = commits.get(sha)
  if (commit === undefined) throw new Error(`There is no commit ${sha}.`)
  return commit
}

/** A commit by SHA, branch or tag, with or without `refs/heads/` or `refs/tags/`. */
export function resolve({ commits, branches, tags }: World, name: string): Commit | undefined {
  const short = name.replace(/^(?:refs\/)?(?:heads|tags)\//, '').replace(/\^\{commit\}$/, '')
  return commits.get(name) ?? commits.get(branches.get(short) ?? tags.get(short) ?? '')
}

/** A commit and those before it, newest first. */
export function historyOf({ commits }: World, sha: string): readonly Commit[] {
  const found = new Set([sha])
  // A set goes on to what is added meanwhile.
  for (const one of found) for (const parent of commits.get(one)?.parents ?? []) found.add(parent)
  const history = [...commits.values()].filter((commit) => found.has(commit.sha))
  return history.toReversed().toSorted((one, other) => other.atMs - one.atMs)
}

/** Commits that `head` has and `base` has not, newest first. */
export function commitsBetween(world: World, base: string, head: string): readonly Commit[] {
  const before = new Set(historyOf(world, base))
  return historyOf(world, head).filter((commit) => !before.has(commit))
}

/** The pull requests that a commit came in. */
export function pullsOfCommit(world: World, sha: string): readonly Pull[] {
  return [...world.pulls.values()].filter(
    ({ commits, landed }) => commits.includes(sha) || landed.includes(sha),
  )
}

/** The newest status of each context on a commit. */
export function newestStatuses({ statuses }: World, sha: string): readonly CommitStatus[] {
  const own = statuses.filter((status) => status.sha === sha)
  return [...new Map(own.map((status) => [status.context, status])).values()]
}

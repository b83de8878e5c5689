import { createHash } from 'node:crypto'
import type { CommitFile } from '../../src/github/pull-requests.ts'
import type { Commit, CommitStatus, Pull, Snapshot, World, WorldFile } from './world.ts'

/** The changed files between two snapshots in alphabetical order, each with one hunk. */
export function filesBetween(before: Snapshot, after: Snapshot): CommitFile[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return paths.flatMap((filename): CommitFile[] => {
    const [old, made] = [before.get(filename), after.get(filename)]
    if (old?.text === made?.text && old?.mode === made?.mode) return []
    const [removed, added] = [linesOf(old), linesOf(made)]
    const rangeOf = (lines: readonly string[]) => `${lines.length === 0 ? 0 : 1},${lines.length}`
    const head = `@@ -${rangeOf(removed)} +${rangeOf(added)} @@`
    const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
    const isBinary = old?.isBinary === true || made?.isBinary === true
    const shown = isBinary ? {} : { patch: [head, ...lines].join('\n') }
    const counts = { additions: added.length, deletions: removed.length, changes: lines.length }
    const status = old === undefined ? 'added' : made === undefined ? 'removed' : 'modified'
    const sha = blobSha(made ?? old ?? { text: '' })
    const hasDiff = lines.length > 0 ? shown : {}
    return [{ sha, filename, status, ...counts, ...hasDiff }]
  })
}

function linesOf(file: WorldFile | undefined): string[] {
  return !file?.text || file.isBinary ? [] : file.text.replace(/\n$/, '').split('\n')
}

/** The object that a file is in git: equal for equal files. */
export function blobSha({ text, mode = '' }: WorldFile): string {
  return mode === '160000'
    ? text
    : createHash('sha1')
        .update(`blob ${Buffer.byteLength(text)}\0${text}`)
        .digest('hex')
}

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

/** The pull requests that a commit came in, as far as GitHub's index knows them. */
export function pullsOfCommit(world: World, sha: string): readonly Pull[] {
  const known = [...world.pulls.values()].filter(({ indexedAtMs }) => world.now() >= indexedAtMs)
  return known.filter(({ commits, landed }) => commits.includes(sha) || landed.includes(sha))
}

/** The newest status of each context on a commit. */
export function newestStatuses({ statuses }: World, sha: string): readonly CommitStatus[] {
  const own = statuses.filter((status) => status.sha === sha)
  return [...new Map(own.map((status) => [status.context, status])).values()]
}

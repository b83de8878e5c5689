/** One commit to make. */
export type Task = {
  branch: string
  /** What was asked for, directives included. */
  prompt: string
  /** The commit's date, epoch milliseconds. */
  atMs: number
}

/** A commit of a branch, as its pull request's page shows it. */
export type Commit = { hash: string; subject: string }

/** Who does the jobs' work. */
export type Agent = {
  /** Edits a page and commits it to the branch, which is made from `main` if it is new. */
  commit(task: Task): Promise<void>
  /** What the branch has beyond `main`: its commits, oldest first, and one diff over all. */
  changes(branch: string): Promise<{ commits: Commit[]; diff: string }>
  /** Folder of the repository; `null` if there is none. */
  readonly folder: string | null
  /** Ends the work under way and deletes the folder. */
  close(): Promise<void>
}

/** An agent that only seems to work: jobs end and have links, but no file is ever touched. */
export function idleAgent(): Agent {
  return {
    commit: () => Promise.resolve(),
    changes: () => Promise.resolve({ commits: [], diff: '' }),
    folder: null,
    close: () => Promise.resolve(),
  }
}

/** Where comments follow one another: the main thread of a pull request or issue, or one thread of a review. */
export type Thread = {
  readonly kind: 'main' | 'review'
  /** Of the pull request or issue. */
  readonly number: number
  readonly isPull: boolean
  /** Id of the comment that a review thread began with; 0 in a main thread. */
  readonly rootId: number
}

/** What a command was written in. */
export type CommandSource = {
  readonly kind: 'issue-comment' | 'review-comment' | 'review' | 'issue'
  /** Of the comment or review; an issue's is its number. */
  readonly id: number
  readonly url: string
  /** Where it is answered: a review and an issue have the main thread. */
  readonly thread: Thread
}

/** The main thread of a pull request. */
export function pullRequestThread(number: number): Thread {
  return { kind: 'main', number, isPull: true, rootId: 0 }
}

/** The permission that writing into a thread needs. */
export function writePermission({ isPull }: Pick<Thread, 'isPull'>): string {
  return isPull ? 'pull-requests: write' : 'issues: write'
}

import type { LastJob } from '../context/since.ts'
import type { Known } from '../github/client.ts'
import type { CommentRef, ThreadComment } from '../github/comments.ts'
import type { GitHubError } from '../github/errors.ts'

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type NamedJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** When GitHub was first told of it, in milliseconds since the epoch. */
  readonly namedAtMs: number
}

/** What earlier attempts of this very run have left. */
export type Attempt =
  /** Nothing was begun: this attempt may begin. */
  | { readonly kind: 'none' }
  /** Runs like this one remember nothing. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'job'; readonly job: NamedJob }
  /** A job was about to be started or sent a message, and nobody knows whether it was. */
  | { readonly kind: 'maybe-started' }
  /** `why` follows a colon; `error`: where GitHub did not tell. */
  | { readonly kind: 'unknown'; readonly why: string; readonly error?: GitHubError }

/** The comments of a command's thread. */
export type CommandThread = {
  /** Oldest first, ours among them. */
  readonly comments: readonly ThreadComment[]
  readonly ownIds: ReadonlySet<number>
  /** Id of the last one that the job to continue was told of. */
  readonly lastToldId: number | undefined
}

/** What a run finds of the ones before it. */
export type Found = {
  readonly attempt: Attempt
  /** An earlier attempt's reply to the command. */
  readonly reply?: CommentRef | undefined
  /** The job that an earlier run was about, and that this one may continue. */
  readonly earlier: Known<NamedJob | undefined>
  /** The step's last successful job before the event: what the context compares with. */
  readonly lastJob: Known<LastJob | undefined>
  /** The comments of a command's thread; `undefined` without a command, or where they are not read. */
  readonly thread: CommandThread | undefined
}

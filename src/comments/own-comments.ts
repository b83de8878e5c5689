import type { Known } from '../github/client.ts'
import {
  type CommentRef,
  createComment,
  editComment,
  isSameAccount,
  listComments,
  mainThread,
  type Thread,
  type ThreadComment,
  writePermission,
} from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import { joinMarkdown, type Markdown } from '../lib/markdown.ts'
import { TransportError } from '../lib/transport.ts'
import type { Run } from '../runner/run.ts'
import { isSameComment, type Marker, Markers } from './marker.ts'

/** A comment that this action wrote, for whichever step: its marker is signed, and its author is the token's account. */
export type OwnComment = { readonly ref: CommentRef; readonly marker: Marker }

/** The comments of a thread, oldest first, and which of them are ours. */
export type ThreadComments = { readonly all: readonly ThreadComment[]; readonly own: readonly OwnComment[] }

/** A comment as it is to be written. */
export type Draft = { readonly marker: Marker; readonly text: Markdown }

/** Where a comment is, or is to be. */
export type Place = {
  readonly thread: Thread
  /** The comment if it is known to be there. */
  readonly ref?: CommentRef | undefined
  /** Whether it may be there although it is not known: then it is looked for before it is written. */
  readonly mayExist?: boolean
}

/** Pauses before a comment is looked for, and written again, that may have arrived. The client repeats all else itself. */
const PAUSES_MS = [3000, 9000]

/** The comments of this action in the run's repository. */
export class OwnComments {
  readonly #run: Run
  readonly #markers: Markers

  constructor(run: Run) {
    this.#run = run
    this.#markers = new Markers(run.inputs['api-key'], run.environment.repository)
  }

  /** All comments of a thread: the signature tells the threads of a review apart. */
  async list(thread: Thread): Promise<Known<ThreadComments>> {
    const { github, inputs } = this.#run
    return await github.read(async () => {
      const all = await listComments(github, thread)
      // Without the key, as in a dry run, none is ours.
      const signed = all.flatMap(({ ref, author, body }) => {
        const marker = inputs['api-key'] === '' ? undefined : this.#markers.read(body, thread)
        return marker === undefined ? [] : [{ ref, author, marker }]
      })
      if (signed.length === 0) return { all, own: [] }
      const account = await github.account()
      return { all, own: signed.filter(({ author }) => isSameAccount(account, author)) }
    })
  }

  /**
   * Writes a comment, or edits it where it is there; one that was deleted is written anew if `isLast`. A failure is logged.
   *
   * @param cost what follows from a failure, as a sentence
   */
  async write(
    place: Place,
    draft: Draft,
    { isLast = false, cost = '' }: { readonly isLast?: boolean; readonly cost?: string } = {},
  ): Promise<Known<CommentRef>> {
    const { github } = this.#run
    const purpose = place.ref === undefined ? 'write a comment' : `edit the comment ${place.ref.url}`
    const permission = writePermission(place.thread)
    return await github.attempt({ purpose, permission, cost }, async () => {
      const { ref = place.mayExist === true ? await this.#find(place.thread, draft.marker) : undefined } =
        place
      if (ref === undefined) return await this.#create(place.thread, draft)
      try {
        await editComment(github, ref, this.#render(draft, ref.thread))
        return ref
      } catch (error) {
        if (!isLast || !isDeleted(error)) throw error
        // A stray answer is told from a deleted comment by looking for it.
        const there = await this.#find(place.thread, draft.marker)
        if (there === undefined) return await this.#create(place.thread, draft)
        await editComment(github, there, this.#render(draft, there.thread))
        return there
      }
    })
  }

  async #create(thread: Thread, draft: Draft): Promise<CommentRef> {
    const { github, clock, cancel } = this.#run
    for (const pauseMs of PAUSES_MS) {
      try {
        return await createComment(github, thread, (there) => this.#render(draft, there))
      } catch (error) {
        if (!mayHaveArrived(error) || cancel.aborted) throw error
        await clock.sleep(pauseMs, cancel).catch(() => undefined)
        const there = await this.#find(thread, draft.marker)
        if (there !== undefined) return there
      }
    }
    return await createComment(github, thread, (there) => this.#render(draft, there))
  }

  /** Where its review thread was deleted, a comment is in the main thread. */
  async #find(thread: Thread, marker: Marker): Promise<CommentRef | undefined> {
    const listed = await this.list(thread)
    if (!listed.known) throw listed.error
    const found = listed.value.own.findLast((one) => isSameComment(one.marker, marker))?.ref
    return found ?? (thread.kind === 'review' ? await this.#find(mainThread(thread), marker) : undefined)
  }

  #render({ marker, text }: Draft, thread: Thread): string {
    const { redact } = this.#run
    return redact(joinMarkdown([this.#markers.render(marker, thread, redact), text], '\n').source)
  }
}

function isDeleted(error: unknown): boolean {
  return error instanceof GitHubError && (error.status === 404 || error.status === 410)
}

/** Whether GitHub may have taken what it did not confirm. */
function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof GitHubError) || error.kind !== 'other') return false
  if (error.cause instanceof TransportError) return error.cause.maybeSent
  return error.status === undefined || error.status >= 500
}

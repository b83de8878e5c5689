import type { Known } from '../github/client.ts'
import {
  type CommentRef,
  createComment,
  deleteComment,
  editComment,
  listComments,
  type Thread,
  writePermission,
} from '../github/comments.ts'
import { isSameAccount } from '../github/types.ts'
import { joinMarkdown, type Markdown } from '../lib/markdown.ts'
import { errorMessage } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import { isNewer, isSameComment, type Marker, Markers } from './marker.ts'

/** A comment that this action wrote, for whichever step: its marker is signed, and its author is the token's account. */
export type OwnComment = { readonly ref: CommentRef; readonly marker: Marker }

/** A comment as it is to be written. */
export type Draft = { readonly marker: Marker; readonly text: Markdown }

/** Where a comment is, or is to be. */
export type Place = {
  readonly thread: Thread
  /** The comment if it is known to be there. */
  readonly ref?: CommentRef | undefined
  /** Whether it may be there although it is not known. */
  readonly mayExist?: boolean
}

/** The comments of this action in the run's repository. Failures are logged, never thrown. */
export class OwnComments {
  readonly #run: Run
  readonly #markers: Markers

  constructor(run: Run) {
    this.#run = run
    this.#markers = new Markers(run.inputs['api-key'], run.environment.repository)
  }

  /** Those of a thread, oldest first: the signature tells the threads of a review apart. */
  async list(thread: Thread): Promise<Known<readonly OwnComment[]>> {
    const { github, inputs } = this.#run
    // Without the key, as in a dry run, none counts.
    if (inputs['api-key'] === '') return { known: true, value: [] }
    try {
      const signed = (await listComments(github, thread)).flatMap(({ ref, author, body }) => {
        const marker = this.#markers.read(body, thread)
        return marker === undefined ? [] : [{ ref, author, marker }]
      })
      if (signed.length === 0) return { known: true, value: [] }
      const account = await github.account()
      return { known: true, value: signed.filter(({ author }) => isSameAccount(account, author)) }
    } catch (error) {
      // Reading would do for this alone, but whoever lists our comments is about to write one.
      github.report(error, { purpose: 'list our comments', permission: writePermission(thread) })
      return { known: false, why: errorMessage(error) }
    }
  }

  /**
   * Writes a comment, or edits it where it is there. Status comments and announcements may be written by several runs at
   * once, and a reply twice where GitHub's answer was lost: the comment of the newest run stays, and whoever sees another
   * one deletes it. An announcement that is there is not edited.
   *
   * @returns `superseded` if a newer run has written it; `undefined` if something failed
   */
  async write(
    { thread, ref, mayExist }: Place,
    draft: Draft,
  ): Promise<CommentRef | 'superseded' | undefined> {
    const { kind } = draft.marker
    if (kind === 'reply' && ref !== undefined) return await this.#edit(ref, draft)
    if (kind === 'reply' && mayExist !== true) return await this.#create(thread, draft)
    const mayBeThere = kind === 'status' || mayExist === true
    let same = mayBeThere ? await this.#listSame(thread, draft.marker) : []
    let created: CommentRef | undefined
    if (same?.length === 0) {
      created = await this.#create(thread, draft)
      if (created === undefined) return undefined
      same = await this.#listSame(thread, draft.marker)
    }
    // Where they can't be listed, no comment is better than two.
    if (same === undefined) return undefined
    const [newest, ...others] = same.toSorted(newestRunFirst)
    if (newest === undefined) return created
    const isSuperseded = kind !== 'announcement' && isNewer(newest.marker, draft.marker)
    const isFinal = kind === 'announcement' || isSuperseded || newest.ref.id === created?.id
    if (!isFinal && (await this.#edit(newest.ref, draft)) === undefined) return undefined
    for (const other of others) {
      if (!(await deleteComment(this.#run.github, other.ref))) return undefined
    }
    return isSuperseded ? 'superseded' : newest.ref
  }

  #create(thread: Thread, draft: Draft): Promise<CommentRef | undefined> {
    return createComment(this.#run.github, thread, (there) => this.#render(draft, there))
  }

  async #edit(ref: CommentRef, draft: Draft): Promise<CommentRef | undefined> {
    const isEdited = await editComment(this.#run.github, ref, this.#render(draft, ref.thread))
    return isEdited ? ref : undefined
  }

  async #listSame(thread: Thread, marker: Marker): Promise<readonly OwnComment[] | undefined> {
    const own = await this.list(thread)
    return own.known ? own.value.filter((one) => isSameComment(one.marker, marker)) : undefined
  }

  #render({ marker, text }: Draft, thread: Thread): string {
    const { redact } = this.#run
    return redact(joinMarkdown([this.#markers.render(marker, thread, redact), text], '\n').source)
  }
}

function newestRunFirst({ marker: one }: OwnComment, { marker: other }: OwnComment): number {
  return isNewer(one, other) ? -1 : Number(isNewer(other, one))
}

import type { Known } from '../github/client.ts'
import {
  type CommentRef,
  createComment,
  deleteComment,
  editComment,
  isSameAccount,
  listComments,
  mainThread,
  type Thread,
  writePermission,
} from '../github/comments.ts'
import { joinMarkdown, type Markdown } from '../lib/markdown.ts'
import type { EarlierJob } from '../memory/find.ts'
import type { Run } from '../runner/run.ts'
import { compareRuns, isSameComment, type Marker, Markers } from './marker.ts'

/** A comment that this action wrote, for whichever step: its marker is signed, and its author is the token's account. */
type OwnComment = { readonly ref: CommentRef; readonly marker: Marker }

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

  /**
   * Looks for the comment that an earlier attempt of this run wrote (`mayResume`), and for the job that the run is to go
   * on with: that of the comment, else the conversation's (`mayContinue`).
   *
   * @param marker of the comment that the run is to write in this thread
   */
  async find(
    thread: Thread,
    marker: Marker,
    { mayResume, mayContinue }: { readonly mayResume: boolean; readonly mayContinue: boolean },
  ): Promise<Known<{ readonly ref?: CommentRef | undefined; readonly job?: EarlierJob | undefined }>> {
    let comment: OwnComment | undefined
    let job: EarlierJob | undefined
    for (const there of thread.kind === 'main' ? [thread] : [thread, mainThread(thread)]) {
      if (!mayResume && (!mayContinue || job !== undefined)) break
      const comments = await this.#list(there)
      if (!comments.known) return comments
      // Where its thread was deleted, a review comment is answered in the main thread.
      if (mayResume) comment ??= comments.value.find((one) => isSameComment(one.marker, marker))
      if (mayContinue) job ??= conversationJob(comments.value, marker, there === thread)
    }
    const before = comment?.marker
    if (before?.run === marker.run && before.job !== '') job = earlierJob(before, 'resume')
    return { known: true, value: { ref: comment?.ref, job } }
  }

  /**
   * Writes a comment, or edits it where it is there. Status comments and announcements may be written by several runs at
   * once, and a reply twice where GitHub's answer was lost: the comment of the newest run stays, and whoever sees another
   * one deletes it. An announcement that is there is not edited.
   *
   * @returns `superseded` if a newer run has written it; `undefined` if something failed
   */
  async write(
    { thread, ref, mayExist = false }: Place,
    draft: Draft,
  ): Promise<CommentRef | 'superseded' | undefined> {
    const { kind } = draft.marker
    if (kind === 'reply' && ref !== undefined) return await this.#edit(ref, draft)
    if (kind === 'reply' && !mayExist) return await this.#create(thread, draft)
    let same = kind === 'status' || mayExist ? await this.#listSame(thread, draft.marker) : []
    let created: CommentRef | undefined
    if (same?.length === 0) {
      created = await this.#create(thread, draft)
      // An announcement is not tried again: it may be there although the response was lost.
      if (created === undefined && kind !== 'announcement') return undefined
      same = await this.#listSame(thread, draft.marker)
    }
    // Where they can't be listed, no comment is better than two.
    if (same === undefined) return undefined
    const [newest, ...others] = same.toSorted((one, other) => compareRuns(other.marker, one.marker))
    if (newest === undefined) return created
    const isSuperseded = kind !== 'announcement' && compareRuns(newest.marker, draft.marker) > 0
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

  #render({ marker, text }: Draft, thread: Thread): string {
    const { redact } = this.#run
    return redact(joinMarkdown([this.#markers.render(marker, thread, redact), text], '\n').source)
  }

  async #listSame(thread: Thread, marker: Marker): Promise<readonly OwnComment[] | undefined> {
    const own = await this.#list(thread)
    return own.known ? own.value.filter((one) => isSameComment(one.marker, marker)) : undefined
  }

  /** Those of a thread, oldest first: the signature tells the threads of a review apart. */
  async #list(thread: Thread): Promise<Known<readonly OwnComment[]>> {
    const { github, inputs } = this.#run
    // Without the key, as in a dry run, none counts.
    if (inputs['api-key'] === '') return { known: true, value: [] }
    // Reading would do for this alone, but whoever lists our comments is about to write one.
    const call = { purpose: 'list our comments', permission: writePermission(thread) }
    return await github.attempt(call, async () => {
      const signed = (await listComments(github, thread)).flatMap(({ ref, author, body }) => {
        const marker = this.#markers.read(body, thread)
        return marker === undefined ? [] : [{ ref, author, marker }]
      })
      if (signed.length === 0) return []
      const account = await github.account()
      return signed.filter(({ author }) => isSameAccount(account, author))
    })
  }
}

/** The own step's newest comment in its own thread counts first; then an announcement, whichever step led to it. */
function conversationJob(
  comments: readonly OwnComment[],
  { project, step }: Marker,
  isOwnThread: boolean,
): EarlierJob | undefined {
  const markers = comments
    .map(({ marker }) => marker)
    .filter((marker) => marker.job !== '' && marker.project === project)
  const ofStep = markers.findLast((one) => one.kind !== 'announcement' && one.step === step)
  const found = (isOwnThread ? ofStep : undefined) ?? markers.findLast(({ kind }) => kind === 'announcement')
  if (found === undefined) return undefined
  // A job that is still running names no pull request: an older comment of ours may.
  const pull = markers.findLast((one) => one.job === found.job && one.pull !== '')?.pull ?? ''
  return earlierJob({ ...found, pull }, 'continue')
}

function earlierJob({ job, pull, namedAt }: Marker, kind: EarlierJob['kind']): EarlierJob {
  return { id: job, prLink: pull, kind, namedAtMs: namedAt }
}

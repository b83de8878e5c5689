import { type Known, NONE } from '../github/client.ts'
import {
  type CommentRef,
  createComment,
  editComment,
  isSameAccount,
  listComments,
  type Thread,
  type ThreadComment,
  writePermission,
} from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import { joinMarkdown, Markdown } from '../lib/markdown.ts'
import { isSameComment, type Marker, Markers } from '../memory/marker.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** A comment that this action wrote, for whichever step: its marker is signed, and its author is the token's account. */
export type OwnComment = { readonly ref: CommentRef; readonly marker: Marker }

/** The comments of a thread, oldest first, and which of them are ours. */
type ThreadComments = { readonly all: readonly ThreadComment[]; readonly own: readonly OwnComment[] }

/** A comment as it is to be written. */
type Draft = { readonly marker: Marker; readonly text: Markdown }

/** Where a comment is, or is to be. */
export type Place = {
  readonly thread: Thread
  /** The comment if it is known to exist. */
  readonly ref?: CommentRef | undefined
  /** Whether it may exist although it is not known: then it is looked for before it is written. */
  readonly mayExist?: boolean
}

/** All comments of a thread: the signature tells the threads of a review apart. */
export async function listThread(
  thread: Thread,
  { github, inputs, environment }: Run,
): Promise<Known<ThreadComments>> {
  const key = inputs['api-key']
  const markers = new Markers(key, environment.repository)
  return await github.read(async () => {
    const all = await listComments(github, thread)
    // Without the key, as in a dry run, none is ours.
    const signed = all.flatMap(({ ref, author, body }) => {
      const marker = key === '' ? undefined : markers.read(body, thread)
      return marker === undefined ? [] : [{ ref, author, marker }]
    })
    if (signed.length === 0) return { all, own: [] }
    const account = await github.account()
    return { all, own: signed.filter(({ author }) => isSameAccount(account, author)) }
  })
}

/**
 * Writes a comment, or edits one that exists; one that was deleted is written anew if `isLast`. A failure is logged.
 *
 * @param cost what a failure costs, to follow "so"
 */
export async function writeComment(
  { thread, ref: knownRef, mayExist = false }: Place,
  draft: Draft,
  { isLast = false, cost = '' }: { readonly isLast?: boolean; readonly cost?: string },
  run: Run,
): Promise<Known<CommentRef>> {
  const purpose = knownRef === undefined ? 'write a comment' : `edit the comment ${knownRef.url}`
  const call = { purpose, permission: writePermission(thread), cost }
  return await run.github.attempt(call, async () => {
    const ref = knownRef ?? (mayExist ? await findComment(thread, draft, run) : undefined)
    if (ref === undefined) return await createOnce(thread, draft, run)
    try {
      return await edit(ref, draft, run)
    } catch (error) {
      if (!isLast || !isDeleted(error)) throw error
      // A stray answer is told from a deleted comment by looking for it.
      const found = await findComment(thread, draft, run)
      return found === undefined ? await createOnce(thread, draft, run) : await edit(found, draft, run)
    }
  })
}

async function edit(ref: CommentRef, draft: Draft, run: Run): Promise<CommentRef> {
  await editComment(run.github, ref, render(draft, ref.thread, run))
  return ref
}

async function createOnce(thread: Thread, draft: Draft, run: Run): Promise<CommentRef> {
  const find = (): Promise<CommentRef | undefined> => findComment(thread, draft, run)
  return await createComment(run.github, thread, render(draft, thread, run), find)
}

async function findComment(thread: Thread, draft: Draft, run: Run): Promise<CommentRef | undefined> {
  const listed = await listThread(thread, run)
  if (!listed.known) throw listed.error
  return listed.value.own.findLast((one) => isSameComment(one.marker, draft.marker))?.ref
}

function render({ marker, text }: Draft, thread: Thread, { inputs, environment, redact }: Run): string {
  const markers = new Markers(inputs['api-key'], environment.repository)
  return redact(joinMarkdown([markers.render(marker, thread, redact), text], '\n').source)
}

function isDeleted(error: unknown): boolean {
  return error instanceof GitHubError && (error.status === 404 || error.status === 410)
}

type PendingComment = Place & { readonly marker: Marker; readonly text: string }

const COST =
  'no later command can continue this job: each opens another pull request, and a re-run starts none'

/** The comment in which a run says what it does. What must replace it in the end is saved for the post step. */
export class LiveComment {
  readonly #run: Run
  /** `undefined` where no comment is wanted, or it must be left as it is. */
  #place: Place | undefined
  /** The comment is edited once at a time: the last edit is what people see. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(run: Run) {
    this.#run = run
  }

  /** Says where the comment is to be. Writes nothing yet. */
  place(place: Place): void {
    this.#place = place
  }

  /** @param ifKilled what the post step writes, should this step be killed */
  async show(draft: Draft, ifKilled: Draft): Promise<Known<unknown>> {
    return await this.#write(draft, ifKilled, false)
  }

  /** Writes the last text; what GitHub refuses for the moment is left to the post step. */
  async end(draft: Draft): Promise<void> {
    await this.#write(draft, draft, true)
  }

  async #write(draft: Draft, { marker, text }: Draft, isLast: boolean): Promise<Known<unknown>> {
    const { redact } = this.#run
    if (this.#place === undefined) return NONE
    const pending: PendingComment = { ...this.#place, marker, text: redact(text.source) }
    this.#run.setPending('comment', pending)
    const written = this.#queue.then(() => this.#writeNow(draft, isLast))
    this.#queue = written
    return await written
  }

  async #writeNow(draft: Draft, isLast: boolean): Promise<Known<unknown>> {
    const run = this.#run
    const place = this.#place
    if (place === undefined) return NONE
    const isFirst = draft.marker.kind === 'reply' && place.ref === undefined && !isRerun(run.environment)
    const written = await writeComment(place, draft, { isLast, cost: isFirst && !isLast ? COST : '' }, run)
    if (written.known)
      run.setOutputs({ 'comment-id': `${written.value.id}`, 'comment-url': written.value.url })
    this.#place = written.known ? { ...place, ref: written.value } : { ...place, mayExist: true }
    const pending = run.getPending('comment') as PendingComment
    const isDone = isLast && isSettled(written, place.thread, run)
    run.setPending('comment', isDone ? undefined : { ...pending, ...this.#place })
    return written
  }
}

/** For the post step: ends the comment that the main step has left. Our own words: nobody else writes a step's state. */
export async function finishPendingComment(run: Run): Promise<void> {
  const pending = run.getPending('comment') as PendingComment | undefined
  if (pending === undefined) return
  const { marker, text, ...place } = pending
  const draft = { marker, text: Markdown.raw(text) }
  const written = await writeComment({ ...place, mayExist: true }, draft, { isLast: true }, run)
  if (written.known) run.log.info(`Finished the comment ${written.value.url}.`)
}

/** Whether nothing is left to the post step: it is written, or refused for good. */
export function isSettled(written: Known<unknown>, thread: Thread, { github }: Run): boolean {
  return written.known || github.isRefusedForGood(written.error, writePermission(thread))
}

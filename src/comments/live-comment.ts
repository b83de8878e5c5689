import {
  type CommandSource,
  giveFinalReaction,
  type ReactionContent,
  writePermission,
} from '../github/comments.ts'
import { isRecord } from '../lib/json.ts'
import { Markdown } from '../lib/markdown.ts'
import type { Run } from '../runner/run.ts'
import type { Marker } from './marker.ts'
import { type Draft, OwnComments, type Place } from './own-comments.ts'

type PendingReaction = { readonly source: CommandSource; readonly content: ReactionContent }

/** A reply or status comment, edited in place while the job goes on, and ended by the post step if need be. */
export class LiveComment {
  readonly #run: Run
  readonly #own: OwnComments
  #place: Place
  /** What the post step is to write, should this step be killed. */
  #pending: Draft | undefined
  #isSuperseded = false
  #queue: Promise<void> = Promise.resolve()

  constructor(run: Run, place: Place) {
    this.#run = run
    this.#own = new OwnComments(run)
    this.#place = place
  }

  /** Says something now; the post step says `ifKilled`. Resolves when it is written. */
  show(now: Draft, ifKilled: Draft): Promise<void> {
    return this.#inTurn(ifKilled, async () => {
      const { ref, mayExist } = this.#place
      // What GitHub has refused is tried once more only, at the end.
      if (ref !== undefined || mayExist !== true) await this.#write(now)
    })
  }

  /** Says the last that there is to say. Resolves when it is written, or left to the post step. */
  finish(end: Draft): Promise<void> {
    return this.#inTurn(end, async () => {
      const isDone = await this.#write(end)
      if (isDone || this.#run.github.lacks(writePermission(this.#place.thread))) this.#pending = undefined
    })
  }

  #inTurn(pending: Draft, write: () => Promise<void>): Promise<void> {
    this.#pending = pending
    this.#savePending()
    this.#queue = this.#queue.then(write).then(() => this.#savePending())
    return this.#queue
  }

  async #write(draft: Draft): Promise<boolean> {
    if (this.#isSuperseded) return true
    const written = await this.#own.write(this.#place, draft)
    this.#place = { ...this.#place, mayExist: true }
    if (written === undefined) return false
    if (written === 'superseded') {
      this.#isSuperseded = true
      this.#run.log.info('A newer run has written the status comment: this run leaves it as it is.')
      return true
    }
    this.#place = { ...this.#place, ref: written }
    this.#run.setOutputs({ 'comment-id': `${written.id}`, 'comment-url': written.url })
    return true
  }

  #savePending(): void {
    const draft = this.#pending
    const text = this.#run.redact(draft?.text.source ?? '')
    this.#run.setPending('comment', draft && { ...this.#place, marker: draft.marker, text })
  }
}

/** Gives a command its final reaction, or leaves that to the post step. */
export async function finishReaction(run: Run, { source, content }: PendingReaction): Promise<void> {
  run.setPending('reaction', { source, content })
  const isDone = await giveFinalReaction(run.github, source, content)
  if (isDone || run.github.lacks(writePermission(source.thread))) run.setPending('reaction', undefined)
}

/** How long the post step waits for GitHub to recover, and between two tries, in milliseconds. */
const MAX_WAIT_MS = 60_000
const PAUSE_MS = 15_000

/** Ends what the main step has left (our own words: nobody else writes a step's state), as far as GitHub lets it. */
export async function finishPending(run: Run): Promise<void> {
  const { clock, cancel } = run
  const untilMs = clock.now() + MAX_WAIT_MS
  for (;;) {
    const reaction = run.getPending('reaction')
    const reacted = isRecord(reaction) ? finishReaction(run, reaction as PendingReaction) : undefined
    await Promise.all([finishLeftComment(run), reacted])
    const isDone = run.getPending('comment') === undefined && run.getPending('reaction') === undefined
    if (isDone || cancel.aborted || clock.now() + PAUSE_MS > untilMs) return
    await clock.sleep(PAUSE_MS, cancel).catch(() => undefined)
  }
}

async function finishLeftComment(run: Run): Promise<void> {
  const left = run.getPending('comment')
  if (!isRecord(left)) return
  // Its text is Markdown of our own making.
  const { marker, text, ...place } = left as Place & { readonly marker: Marker; readonly text: string }
  const draft = { marker, text: Markdown.raw(text) }
  const written = await new OwnComments(run).write({ ...place, mayExist: true }, draft)
  if (typeof written === 'object') run.log.info(`Finished the comment ${written.url}.`)
  const isDone = written !== undefined || run.github.lacks(writePermission(place.thread))
  if (isDone) run.setPending('comment', undefined)
}

import { type Command, mayWrite } from '../events/trigger.ts'
import { NONE } from '../github/client.ts'
import { mainThread, type Thread, type ThreadComment } from '../github/comments.ts'
import { jobOfMarker } from '../memory/announced-job.ts'
import { isSameComment, type Marker } from '../memory/marker.ts'
import type { Attempt, Recalled } from '../memory/recall.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { listThread, type OwnComment } from './own-comments.ts'

/** What the comments of a command's conversation tell. */
export type ConversationMemory = Recalled & {
  /** An earlier attempt's reply to the command. */
  readonly reply: OwnComment | undefined
  /** The comments of the command's thread, oldest first, ours among them. */
  readonly comments: readonly ThreadComment[]
  /** Ids of ours, and of the last one that names the job to continue. */
  readonly ownIds: ReadonlySet<number>
  readonly lastNamedId: number | undefined
}

const NOTHING_FOUND: ConversationMemory = {
  attempt: { kind: 'none' },
  earlier: NONE,
  reply: undefined,
  comments: [],
  ownIds: new Set(),
  lastNamedId: undefined,
}

/** Reads the command's thread and, where that tells nothing, the main thread. */
export async function readConversation(
  { source: { thread }, fresh }: Command,
  marker: Marker,
  run: Run,
): Promise<ConversationMemory> {
  const { inputs, environment, log } = run
  const isAgain = isRerun(environment)
  const mayHaveReplied = isAgain && mayWrite(inputs)
  const mayContinue = !fresh && inputs['follow-up'] && inputs['job-id'] === '' && inputs['api-key'] !== ''
  const attempt: Attempt = { kind: isAgain && !inputs['dry-run'] ? 'forgotten' : 'none' }
  let found: ConversationMemory = { ...NOTHING_FOUND, attempt }
  if (!mayContinue && !mayHaveReplied && inputs.context === 'none') return found
  // Those of the command's own thread come last: the last one that fits counts.
  let own: readonly OwnComment[] = []
  let job: OwnComment | undefined
  for (const place of thread.kind === 'main' ? [thread] : [thread, mainThread(thread)]) {
    const listed = await listThread(place, run)
    if (!listed.known) {
      if (place === thread && inputs.context !== 'none') {
        log.warning(
          `Failed to list the comments before the command: ${listed.why}. The agent is not told the conversation.`,
        )
      }
      if (mayContinue) found = { ...found, earlier: listed }
      return mayHaveReplied ? { ...found, attempt: { kind: 'unknown', why: listed.why } } : found
    }
    own = [...listed.value.own, ...own]
    const ownIds = new Set(own.map(({ ref }) => ref.id))
    found = { ...found, ownIds, ...(place === thread && { comments: listed.value.all }) }
    job = mayContinue ? conversationJob(own, marker, thread) : undefined
    if (job !== undefined && !isAgain) break
  }
  const newest = mayContinue && !isAgain ? repliesOf(own, marker, thread).at(-1) : undefined
  if (newest?.marker.job === '' && newest.marker.state !== 'failure') {
    log.notice(
      `An earlier command may have started a job that its reply (${newest.ref.url}) does not name, so this run can't continue that one. The dashboard of the docs service shows it.`,
    )
  }
  // A job that is still running names no pull request: an older comment of ours may.
  const withPull = own.findLast(({ marker: { job: id, pull } }) => id === job?.marker.job && pull !== '')
  const prLink = job?.marker.pull || withPull?.marker.pull || ''
  // Where its thread was deleted, a review comment is answered in the main thread.
  const reply = own.findLast((one) => isSameComment(one.marker, marker))
  return {
    ...found,
    ...(mayHaveReplied && { reply, attempt: attemptOf(reply?.marker) }),
    earlier: { known: true, value: job && { ...jobOfMarker(job.marker), prLink } },
    lastNamedId: job && answeredId(job, found.comments),
  }
}

function attemptOf(before: Marker | undefined): Attempt {
  if (before === undefined) return { kind: 'none' }
  if (before.job !== '') return { kind: 'job', job: jobOfMarker(before) }
  return before.state === 'failure' ? { kind: 'none' } : { kind: 'maybe-started', state: before.state }
}

/** The step's replies to other commands in the thread. */
function repliesOf(own: readonly OwnComment[], marker: Marker, thread: Thread): readonly OwnComment[] {
  const { project, step } = marker
  return own.filter(
    ({ ref, marker: one }) =>
      one.kind === 'reply' &&
      one.project === project &&
      one.step === step &&
      ref.thread.kind === thread.kind &&
      !isSameComment(one, marker),
  )
}

/** The own step's newest reply in its own thread counts first; then an announcement, whichever step led to it. */
function conversationJob(own: readonly OwnComment[], marker: Marker, thread: Thread): OwnComment | undefined {
  return (
    repliesOf(own, marker, thread).findLast((one) => one.marker.job !== '') ??
    own.findLast(({ marker: { kind, job, project } }) => {
      return kind === 'announcement' && job !== '' && project === marker.project
    })
  )
}

/** Id of the comment that a reply of ours answers, if it is among these; else of ours. */
function answeredId({ ref, marker }: OwnComment, comments: readonly ThreadComment[]): number {
  const id = Number(/^(?:issue|review)-comment\/(\d+)$/.exec(marker.source)?.[1])
  return comments.some((one) => one.ref.id === id) ? id : ref.id
}

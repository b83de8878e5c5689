import { pullRequestThread, type Thread } from '../github/comments.ts'
import type { RunDeps } from '../github/github.ts'
import { listOpenPullRequests } from '../github/pull-requests.ts'
import { isEarlierAttempt, type Marker } from './marker.ts'
import { isOfStep, isSameComment, type OwnComment, type OwnComments } from './own-comments.ts'

/** An earlier job that is to go on: by a message, or as it is if an earlier attempt of this run has started it. */
export type EarlierJob = {
  readonly kind: 'continue' | 'resume'
  readonly id: string
  /** URL of its pull request as far as our comments know it: a job at work does not say. Empty if they don't. */
  readonly prLink: string
}

/** A command's place in its conversation. */
type Turn = {
  readonly thread: Thread
  /** The marker of the reply to it. */
  readonly marker: Marker
  /** Whether earlier commands are waited for: not in a dry run, which writes no reply. */
  readonly isQueued: boolean
}

type Parts = { readonly own: OwnComments; readonly deps: RunDeps }

/** How long another command's job is waited for, in milliseconds. */
const MAX_WAIT_MS = 60_000
const PAUSE_MS = 3000

/** A reply that has been pending for longer was left by a run that was killed. */
const MAX_PENDING_MS = 600_000

/**
 * The latest job of a command's conversation. Two commands at once make one job: while an earlier command has none yet,
 * that is waited for, a minute at most. Our replies are the queue, in the order in which they were written.
 */
export async function findConversationJob(turn: Turn, parts: Parts): Promise<EarlierJob | undefined> {
  const { thread, marker } = turn
  const comments = await waitForEarlierReplies(turn, parts)
  const here = latestJob(comments, turn)
  if (here !== undefined) return { kind: 'continue', id: here, prLink: pullOf(here, comments) }
  if (thread.kind === 'main') return undefined
  // A review thread on the agent's own pull request goes on with that pull request's job.
  const main = await parts.own.list(pullRequestThread(thread.number))
  const announced = main?.findLast((one) => isAnnouncement(one, marker))
  if (announced === undefined) return undefined
  const { job, pull } = announced.marker
  return { kind: 'continue', id: job, prLink: pull }
}

async function waitForEarlierReplies(turn: Turn, { own, deps }: Parts): Promise<readonly OwnComment[]> {
  const { clock, cancel, log } = deps
  const untilMs = clock.now() + MAX_WAIT_MS
  let comments = (await own.list(turn.thread)) ?? []
  for (let isFirst = true; ; isFirst = false) {
    const pending = comments.filter((one) => isEarlierPending(one, comments, turn))
    const leftMs = untilMs - clock.now()
    if (pending.length === 0 || leftMs <= 0 || cancel.aborted) return comments
    if (isFirst) log.info(`Waiting for the job of an earlier command: ${pending[0]?.comment.url}`)
    await clock.sleep(Math.min(PAUSE_MS, leftMs), cancel).catch(() => undefined)
    const now = await Promise.all(
      comments.map((one) => (pending.includes(one) ? own.readAgain(one, turn.thread) : one)),
    )
    comments = now.filter((one) => one !== undefined)
  }
}

function isEarlierPending({ comment, marker }: OwnComment, all: readonly OwnComment[], turn: Turn): boolean {
  if (marker.kind !== 'reply' || marker.state !== 'pending' || !isOfStep(marker, turn.marker)) return false
  const ours = all.find((one) => isOurs(one, turn))?.comment
  if (ours === undefined) return turn.isQueued
  // A further attempt edits an old reply: it has its place in the queue from then on.
  const aheadMs = ours.updatedAtMs - comment.updatedAtMs
  if (aheadMs > MAX_PENDING_MS || aheadMs < 0) return false
  return aheadMs > 0 || comment.id < ours.id
}

/** Whether a comment is the reply to this very command, of this attempt or an earlier one. */
function isOurs({ marker }: OwnComment, turn: Turn): boolean {
  return isSameComment(marker, turn.marker)
}

/** The own step's comments count first; then an announcement, whichever step of the project led to it. */
function latestJob(comments: readonly OwnComment[], turn: Turn): string | undefined {
  const others = comments.filter((one) => !isOurs(one, turn))
  const ofStep = others.findLast(
    ({ marker: { kind, job }, marker }) =>
      kind !== 'announcement' && job !== '' && isOfStep(marker, turn.marker),
  )
  return (ofStep ?? others.findLast((one) => isAnnouncement(one, turn.marker)))?.marker.job
}

/** The pull request of a job, by the latest of our comments that names it. */
function pullOf(job: string, comments: readonly OwnComment[]): string {
  return comments.findLast(({ marker }) => marker.job === job && marker.pull !== '')?.marker.pull ?? ''
}

function isAnnouncement({ marker }: OwnComment, { project }: Marker): boolean {
  return marker.kind === 'announcement' && marker.project === project && marker.job !== ''
}

/** The job of the newest open pull request that this step was announced on. One request to GitHub. */
export async function findAnnouncedJob({
  own,
  deps,
  marker,
}: Parts & { readonly marker: Marker }): Promise<EarlierJob | undefined> {
  const pulls = await listOpenPullRequests(
    deps,
    'So this run does not continue the pull request of an earlier one, and starts a new job.',
  )
  for (const { number, ownComments } of pulls ?? []) {
    const found = own
      .read(ownComments, pullRequestThread(number))
      .findLast((one) => isAnnouncement(one, marker) && isOfStep(one.marker, marker))
    if (found === undefined) continue
    const { job, pull } = found.marker
    return { kind: isEarlierAttempt(found.marker, marker) ? 'resume' : 'continue', id: job, prLink: pull }
  }
  return undefined
}

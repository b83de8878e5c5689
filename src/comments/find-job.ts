import type { Known } from '../github/client.ts'
import { mainThread, type Thread } from '../github/comments.ts'
import type { EarlierJob } from '../memory/find.ts'
import { isSameComment, type Marker } from './marker.ts'
import type { OwnComment, OwnComments } from './own-comments.ts'

type Search = {
  /** Where the run's comment belongs. */
  readonly thread: Thread
  /** The marker of that comment. */
  readonly marker: Marker
  /** Whether an earlier attempt of this run may have written it. */
  readonly mayResume: boolean
  /** Whether the run may go on with the conversation's job. */
  readonly mayContinue: boolean
}

/** What a thread tells: the comment that an earlier attempt wrote, and the job that the run is to go on with. */
type Found = { readonly comment: OwnComment | undefined; readonly job: EarlierJob | undefined }

/** Looks for the job that an earlier attempt of this run started, else for that of the conversation. */
export async function findJob(search: Search, own: OwnComments): Promise<Known<Found>> {
  const { thread, marker, mayResume, mayContinue } = search
  const isWanted = mayResume || mayContinue
  let comment: OwnComment | undefined
  let job: EarlierJob | undefined
  for (const there of thread.kind === 'main' ? [thread] : [thread, mainThread(thread)]) {
    if (!isWanted || (job !== undefined && !mayResume)) break
    const comments = await own.list(there)
    if (!comments.known) return comments
    // Where its thread was deleted, a review comment is answered in the main thread.
    if (mayResume) comment ??= comments.value.find((one) => isSameComment(one.marker, marker))
    if (mayContinue) job ??= conversationJob(comments.value, marker, there === thread)
  }
  const before = comment?.marker
  const isOfRun = before !== undefined && before.run === marker.run && before.job !== ''
  return { known: true, value: { comment, job: isOfRun ? earlierJob(before, 'resume') : job } }
}

/** The own step's newest comment in its own thread counts first; then an announcement, whichever step led to it. */
function conversationJob(
  comments: readonly OwnComment[],
  marker: Marker,
  isOwnThread: boolean,
): EarlierJob | undefined {
  const markers = comments
    .map((one) => one.marker)
    .filter((one) => one.job !== '' && one.project === marker.project)
  const ofStep = markers.findLast((one) => one.kind !== 'announcement' && one.step === marker.step)
  const announced = markers.findLast((one) => one.kind === 'announcement')
  const found = (isOwnThread ? ofStep : undefined) ?? announced
  if (found === undefined) return undefined
  // A job that is still running names no pull request: an older comment of ours may.
  const pull = markers.findLast((one) => one.job === found.job && one.pull !== '')?.pull ?? ''
  return earlierJob({ ...found, pull }, 'continue')
}

function earlierJob({ job, pull, namedAt }: Marker, kind: EarlierJob['kind']): EarlierJob {
  return { id: job, prLink: pull, kind, namedAtMs: namedAt }
}

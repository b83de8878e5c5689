import type { Account } from '../github/account.ts'
import { type CommentRef, createComment, editComment } from '../github/comments.ts'
import type { RunDeps } from '../github/github.ts'
import type { Thread } from '../github/thread.ts'
import { pullRequestNumber } from '../job/pull-request.ts'
import { announcementBody, type CommentFrame } from './body.ts'
import { isOfStep, ownComments } from './own-comments.ts'

/** Says on the agent's pull request how to go on there: once for each job. */
export type Announcement = {
  readonly frame: CommentFrame
  /** URL of the comment that led to it; empty if none did. */
  readonly origin: string
  /** The pull request's thread. */
  readonly thread: Thread
  /** The account that the token belongs to, if that is known by now. */
  readonly self: Account | undefined
}

/** The main thread of a pull request; `undefined` if the link is none of this run's repository. */
export function threadHere(
  prLink: string | null,
  { serverUrl, repository }: RunDeps['environment'],
): Thread | undefined {
  const url = URL.parse(prLink ?? '')
  const here = URL.parse(`${serverUrl}/${repository}/pull/`)
  const number = Number(pullRequestNumber(prLink))
  if (url === null || here === null || number === 0 || url.origin !== here.origin) return undefined
  const isHere = url.pathname.toLowerCase().startsWith(here.pathname.toLowerCase())
  return isHere ? { kind: 'main', number, isPull: true, rootId: 0 } : undefined
}

/** Makes sure that a pull request carries the announcement. Returns it; `undefined`, with a warning, if that failed. */
export async function announce(
  { frame, origin, thread, self }: Announcement,
  { github, redact }: RunDeps,
): Promise<CommentRef | undefined> {
  const { marker } = frame
  const own = await ownComments(github, thread, self)
  const announcements = own.filter((one) => one.marker.kind === 'announcement')
  const same = announcements.find(
    (one) => one.marker.project === marker.project && one.marker.job === marker.job,
  )
  if (same !== undefined) return same.comment
  const body = redact(announcementBody(frame, origin).source)
  const earlier = announcements.find((one) => isOfStep(one, marker))?.comment
  if (earlier === undefined) return await createComment(github, thread, body)
  return (await editComment(github, earlier, { body, isPull: true })) ? earlier : undefined
}

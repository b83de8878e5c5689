import { isDeepStrictEqual } from 'node:util'
import { type Account, askWhoWeAre, isSameAccount } from '../github/account.ts'
import { type ListedComment, listComments } from '../github/comments.ts'
import type { GitHub } from '../github/github.ts'
import type { Thread } from '../github/thread.ts'
import { type Marker, type MarkerOwner, readMarker } from './marker.ts'

/** A comment that this action wrote, for whichever step. */
export type OwnComment = { readonly comment: ListedComment; readonly marker: Marker }

/**
 * The comments of a thread that carry a marker and were written by us, oldest first.
 *
 * @param self whose token it is, if that is known; asked only if a comment carries a marker at all
 */
export async function ownComments(github: GitHub, thread: Thread, self?: Account): Promise<OwnComment[]> {
  const own: OwnComment[] = []
  let us = self
  for await (const comment of listComments(github, thread)) {
    const marker = readMarker(comment.body)
    if (marker === undefined) continue
    us ??= await askWhoWeAre(github)
    if (isSameAccount(us, comment.author)) own.push({ comment, marker })
  }
  return own
}

/** Whether a comment belongs to this very step. */
export function isOfStep({ marker }: OwnComment, { project, step }: MarkerOwner): boolean {
  return marker.project === project && marker.step === step
}

/** The comment of ours that has this body's marker but for its job; for one whose writing may have been lost on the way. */
export async function findWritten(
  github: GitHub,
  thread: Thread,
  body: string,
): Promise<ListedComment | undefined> {
  const wanted = readMarker(body)
  if (wanted === undefined) return undefined
  const own = await ownComments(github, thread)
  return own.findLast(({ marker }) => isDeepStrictEqual({ ...marker, job: '' }, { ...wanted, job: '' }))
    ?.comment
}

/**
 * The latest job of a conversation that a step may go on with: of its own replies, and of announcements that name its
 * command, whichever workflow led to them.
 *
 * @param but id of a reply that does not count
 * @returns the job's id; `undefined` if there is none
 */
export function latestJob(own: readonly OwnComment[], owner: MarkerOwner, but?: number): string | undefined {
  const candidates = own.filter(
    (one) => one.marker.job !== '' && one.comment.id !== but && (isOfStep(one, owner) || invites(one, owner)),
  )
  // The sort is stable: of one run, the last comment counts.
  return candidates.toSorted((a, b) => Number(a.marker.run) - Number(b.marker.run)).at(-1)?.marker.job
}

function invites({ marker }: OwnComment, { project, command }: MarkerOwner): boolean {
  const sameCommand = marker.command.toLowerCase() === command.toLowerCase()
  return marker.kind === 'announcement' && marker.project === project && sameCommand
}

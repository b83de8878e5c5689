import { isTerminal, type Job } from '../service/job.ts'

/** How long an old status must stay before it is taken for the new one, in milliseconds. */
const GRACE_MS = 30_000

/** Decides whether a job that shows a terminal status is over. */
export type Belief = {
  /** Takes an answer in, with when it came. Returns whether the job is over. */
  isOver(job: Job, atMs: number): boolean
}

/** For a job that nothing was sent to: what it says is so. */
export const trusting: Belief = { isOver: (job) => isTerminal(job.status) }

/**
 * For a job that just got a message: the service may go on showing the status from before for a moment. A terminal
 * status counts once the job was seen at work, or once it has stayed the same for 30 s.
 */
export function afterMessage(): Belief {
  let seenAtWork = false
  let status = ''
  let sinceMs = 0
  return {
    isOver(job, atMs) {
      if (job.status !== status) [status, sinceMs] = [job.status, atMs]
      seenAtWork ||= !isTerminal(status)
      return isTerminal(status) && (seenAtWork || atMs - sinceMs >= GRACE_MS)
    },
  }
}

import { type Command, mayWrite } from '../events/trigger.ts'
import { NONE } from '../github/client.ts'
import { pullRequestThread, type ThreadComment, writePermission } from '../github/comments.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { Attempt, Found, NamedJob } from './memory.ts'
import { isSameComment, listThread, type OwnComment, type RecordMarker } from './own-comments.ts'

/**
 * Reads what the comments before a command tell: an earlier attempt's reply, and the job of the step's newest reply in the
 * thread, else that of the note on the agent's pull request.
 *
 * @param marker of the reply to the command
 */
export async function findInComments(
  command: Command,
  marker: RecordMarker,
  run: Run,
): Promise<Found> {
  const { inputs, environment } = run
  const { thread } = command.source
  const isAgain = isRerun(environment) && !inputs['dry-run']
  const mayContinue = !command.fresh && inputs['follow-up'] && inputs['job-id'] === ''
  const remembers = mayWrite(inputs)
  const forgotten: Attempt = { kind: isAgain ? 'forgotten' : 'none' }
  const none: Found = { attempt: forgotten, earlier: NONE, lastJob: NONE, thread: undefined }
  if (!mayContinue && !(isAgain && remembers) && inputs.context === 'none') return none
  const listed = await listThread(thread, run)
  if (!listed.known) {
    if (inputs.context !== 'none') {
      const purpose = 'list the comments before the command'
      const cost = 'the agent is not told the conversation'
      run.github.report(listed.error, { purpose, permission: writePermission(thread), cost })
    }
    const attempt: Attempt =
      isAgain && remembers ? { kind: 'unknown', why: listed.why, error: listed.error } : forgotten
    return { ...none, attempt, earlier: mayContinue ? listed : NONE }
  }
  const { all: comments, own } = listed.value
  const replies = own.flatMap(({ ref, marker: one }) =>
    one.kind === 'reply' ? [{ ref, marker: one }] : [],
  )
  const before = replies.findLast((one) => isSameComment(one.marker, marker))
  const ofStep = replies.filter(
    ({ marker: one }) =>
      one.project === marker.project && one.step === marker.step && !isSameComment(one, marker),
  )
  const last = mayContinue ? ofStep.findLast((one) => one.marker.job !== '') : undefined
  const found: Found = {
    ...none,
    attempt: isAgain && remembers ? attemptOf(before?.marker) : forgotten,
    reply: before?.ref,
    thread: {
      comments,
      ownIds: new Set(own.map(({ ref }) => ref.id)),
      lastToldId: last && toldId(last, comments),
    },
  }
  if (!mayContinue) return found
  noticeUnnamed(ofStep.at(-1), run)
  if (last === undefined)
    return { ...found, earlier: await findInNote(command, own, marker.project, run) }
  const markers = ofStep.map((one) => one.marker)
  return { ...found, earlier: { known: true, value: namedBy(last.marker, markers) } }
}

function attemptOf(before: RecordMarker | undefined): Attempt {
  if (before === undefined) return { kind: 'none' }
  if (before.job !== '') return { kind: 'job', job: namedBy(before, [before]) }
  return { kind: before.state === 'failure' ? 'none' : 'maybe-started' }
}

/** A job that is still running names no pull request: an older reply may. */
function namedBy({ job, pull, namedAt }: RecordMarker, others: readonly RecordMarker[]): NamedJob {
  const withPull = others.findLast((one) => one.job === job && one.pull !== '')
  return { id: job, prLink: pull || withPull?.pull || '', namedAtMs: namedAt }
}

/** The job of the note in the main thread, where the command stands on the agent's pull request. */
async function findInNote(
  { source: { thread } }: Command,
  own: readonly OwnComment[],
  project: string,
  run: Run,
): Promise<Found['earlier']> {
  let inMain = own
  if (thread.kind === 'review') {
    const listed = await listThread(pullRequestThread(thread.number), run)
    if (!listed.known) return listed
    inMain = listed.value.own
  }
  const notes = inMain.flatMap(({ marker: one }) => (one.kind === 'note' ? [one] : []))
  const line = notes.findLast((one) => one.project === project)?.lines[0]
  const prLink = `${run.github.serverUrl}/${run.environment.repository}/pull/${thread.number}`
  return { known: true, value: line && { id: line.job, prLink, namedAtMs: line.atMs } }
}

function noticeUnnamed(newest: OwnComment | undefined, { log }: Run): void {
  if (
    newest?.marker.kind !== 'reply' ||
    newest.marker.job !== '' ||
    newest.marker.state === 'failure'
  )
    return
  log.notice(
    `An earlier command may have started a job that its reply (${newest.ref.url}) does not name, so this run can't continue that one. The dashboard of the docs service shows it.`,
  )
}

/** Id of the comment that a reply of ours answers, if it is among these; else of ours. */
function toldId(
  { ref, marker }: { readonly ref: OwnComment['ref']; readonly marker: RecordMarker },
  comments: readonly ThreadComment[],
): number {
  const id = Number(/^(?:main|review)\/(\d+)$/.exec(marker.source)?.[1])
  return comments.some((one) => one.ref.id === id) ? id : ref.id
}

import { canWriteComments } from '../inputs/table.ts'
import { type Markdown, md } from '../lib/markdown.ts'
import type { Trigger } from '../look/command.ts'
import { requestReviews } from '../pull/reviewers.ts'
import { isSuccess } from '../record/bodies.ts'
import {
  createLine,
  earlierJobLine,
  placeDocsPull,
  readReviewRequests,
  type SourceChange,
  writeSourceComment,
} from '../record/source-comment.ts'
import type { Run } from '../runner/run.ts'
import { type Report, sourcesOfPlan } from './report.ts'
import type { AcceptedJob, Plan } from './submit.ts'

/** The parts of the end that concern the docs pull request. */
type DocsPullUpdate = {
  /** Whether a command there, in this repository, continues the job. */
  readonly hasCommands: boolean
  /** Who couldn't be asked to review it. */
  readonly note: Markdown
}

/** Asks reviewers, and says on the docs pull request which changes it covers. */
export async function updateDocsPull(
  { plan, prLink, accepted, job, pull, result }: Report,
  trigger: Trigger,
  run: Run,
): Promise<DocsPullUpdate> {
  const { inputs, cancel } = run
  const link = prLink || accepted?.prLink || ''
  const isEnded = pull?.kind === 'pull-request' && pull.ended !== undefined
  const wantsReview = inputs['pr-reviewers'].length + inputs['pr-labels'].length > 0
  const canAsk = wantsReview && isSuccess(result) && !isEnded && !cancel.aborted
  const nothing = { hasCommands: false, requests: undefined, note: md`` }
  if (!accepted || !plan || link === '' || !(canAsk || canWriteComments(inputs))) return nothing
  const place = await placeDocsPull(link, trigger, run)
  if (place === undefined) return nothing
  const sources = sourcesOfPlan(plan)
  const { requests, note } = canAsk
    ? await requestReviews(
        place,
        {
          isOpener: plan.kind === 'create',
          known: plan.kind === 'create' ? undefined : await readReviewRequests(place, run),
          // Who requests changes is asked again by the review itself.
          authors: trigger.event.payload.review ? [] : (sources?.authors ?? []),
        },
        run,
      )
    : nothing
  const change = { ...sourceChange({ plan, accepted, job }, trigger, run), requests }
  const isWritten = canWriteComments(inputs) && (await writeSourceComment(place, change, run))
  const thread = trigger.command?.source.thread
  const hasCommands =
    isWritten && place.isOwn && thread !== undefined && thread.number !== place.number
  return { hasCommands, note }
}

/** What the source comment is to say of a run. */
function sourceChange(
  { plan, accepted, job }: Pick<Report, 'job'> & { plan: Plan; accepted: AcceptedJob },
  trigger: Trigger,
  run: Run,
): Pick<SourceChange, 'lines' | 'ifMissing'> {
  const { id: jobId, namedAtMs } = accepted
  const sources = sourcesOfPlan(plan)
  const isSent = plan.kind !== 'wait'
  const atMs = isSent ? accepted.sentAtMs : namedAtMs
  const line = sources && createLine({ jobId, atMs }, sources.items, trigger, run)
  // A re-run repeats a line that its first attempt may have written.
  if (line !== undefined && !isSent) return { lines: [], ifMissing: line }
  const lines = line === undefined ? [] : [line]
  if (plan.kind === 'create') return { lines }
  const createdAtMs = isSent ? undefined : Date.parse(job?.createdAt ?? '') || namedAtMs
  const earlierAtMs = plan.namedAtMs ?? createdAtMs
  return {
    lines,
    ifMissing: earlierAtMs === undefined ? undefined : earlierJobLine(jobId, earlierAtMs),
  }
}

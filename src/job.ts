import { pollJob } from './agent/poll.ts'
import { type AcceptedJob, submit } from './agent/submit.ts'
import { listNeededPulls, listSources } from './changes/sources.ts'
import { ANSWERED, type Decision, decide, type Skip, skipByReason } from './decide/decide.ts'
import { look, lookAtJobs, type Situation } from './decide/look.ts'
import { readDocsPull, requestReviews } from './docs-pull/docs-pull.ts'
import { writeSourceComment } from './docs-pull/source-comment.ts'
import type { GitHubEvent } from './event/event.ts'
import type { RunRequest } from './event/request.ts'
import { canWriteComments } from './inputs/table.ts'
import { docsLink, type Problem } from './lib/text.ts'
import { writePrompt } from './prompt/prompt.ts'
import { isRecorded } from './record/record.ts'
import { type PullCommit, Recorder } from './record/recorder.ts'
import type { Run } from './runner/run.ts'
import type { ContentGaps } from './visitors/visitors.ts'
import { endView, killedView, usageText, workingView } from './words/comments.ts'
import {
  annotationText,
  hasLostLink,
  isSuccess,
  type JobEnd,
  makeReport,
  operationOf,
  type Plan,
  type Report,
  toProblem,
  withDocs,
} from './words/report.ts'
import { publishReport, reportDryRun, reportSkip } from './words/summary.ts'

/**
 * Requests the job, waits for it, and reports it in the outputs, the log, the summary, comments, and a commit status.
 * Never rejects, whatever Mintlify, GitHub, or the network does.
 */
export async function runJob(
  event: GitHubEvent,
  request: RunRequest,
  gaps: ContentGaps,
  run: Run,
): Promise<void> {
  // If the run ends before it has a better result, the output isn't empty.
  run.setOutputs({ result: 'error' })
  const recorder = new Recorder(event, run)
  const started = await start(request, gaps, recorder, run)
  if (started.isDone) return
  const { situation, plan, hasBegun } = started
  let end: JobEnd = { plan, isCancelled: run.cancel.aborted, problem: started.problem }
  let recording: Promise<void> | undefined
  if (plan) {
    let accepted: AcceptedJob | undefined
    try {
      run.cancel.throwIfAborted()
      // `timeout` starts with the first request about the job, which for a recorded one was its lookup.
      const askedAtMs = plan.kind === 'create' ? undefined : situation?.askedAtMs
      const deadlineMs = (askedAtMs ?? run.clock.now()) + run.inputs.timeout
      accepted = await submit(plan, deadlineMs, run)
      const working = workingView(event, plan.kind, run)
      const killed = killedView(event, accepted.id, run)
      // Polling doesn't wait for GitHub.
      recording = recorder.accepted(accepted, listShares(situation, run), working, killed)
      const polled = await pollJob(accepted, run)
      end = { plan, accepted, polled, isCancelled: polled.kind === 'cancelled' }
    } catch (error) {
      const isCancelled = run.cancel.aborted
      const isSilent = isCancelled && error === run.cancel.reason
      const problem = isSilent ? undefined : toProblem(error, hasBegun, run)
      end = { plan, accepted, isCancelled, problem }
    }
  }
  await publish(end, situation, { recorder, recording }, run)
}

/** What a run has looked at and recorded before it sends anything. */
type Started =
  | { readonly isDone: true }
  | {
      readonly isDone: false
      readonly situation: Situation | undefined
      readonly plan: Plan | undefined
      /** Whether it is recorded that a job may be started. */
      readonly hasBegun: boolean
      readonly problem?: Problem | undefined
    }

/** Looks, decides, and records that a job is about to start; a run that starts none is done. */
async function start(
  request: RunRequest,
  gaps: ContentGaps,
  recorder: Recorder,
  run: Run,
): Promise<Started> {
  const { event } = recorder
  let situation: Situation | undefined
  try {
    await recorder.react('eyes')
    situation = await look(event, request.hasInstructions, run)
    let decision: Decision | undefined = skipByReason(situation, run)
    if (!decision) {
      situation = await lookAtJobs(situation, run)
      run.cancel.throwIfAborted()
      decision = decide(situation, run)
    }
    if (decision.kind === 'skip') return await skipRun(decision, situation, recorder, run)
    if (decision.kind === 'stop') throw decision.problem
    for (const { text, title, isInSummary } of decision.notes) {
      if (title) run.log.notice(text, title)
      else run.log[isInSummary ? 'infoInSummary' : 'info'](text)
    }
    const contentGaps = (await gaps)?.forAgent ?? []
    const plan = {
      ...decision,
      ...writePrompt(decision, situation, { ...request, contentGaps }, run),
      sources: listSources(event, situation.changes, run.inputs),
    }
    if (plan.isFull)
      run.log.warnOnlyInSummary(
        'The prompt has no room for the context, because your own text is longer than 124 KiB. Shorten `prompt`, `prompt-file`, or `context-files`.',
      )
    if (run.inputs['dry-run']) {
      reportDryRun(plan, run)
      return { isDone: true }
    }
    const { memory, changes } = situation
    recorder.resume(memory, changes)
    if (plan.kind === 'wait') return { isDone: false, situation, plan, hasBegun: false }
    run.saveState('requested', 'true')
    const views = [workingView(event, 'starting', run), killedView(event, undefined, run)] as const
    if (!(await recorder.begin(...views))) {
      reportSkip(ANSWERED, run)
      return { isDone: true }
    }
    return { isDone: false, situation, plan, hasBegun: true }
  } catch (error) {
    const problem = run.cancel.aborted ? undefined : toProblem(error, false, run)
    return { isDone: false, situation, plan: undefined, hasBegun: false, problem }
  }
}

/** A record that is further back is repeated, so that later runs find it. */
const MAX_COMMITS_BACK = 250

async function skipRun(
  skip: Skip,
  { memory }: Situation,
  recorder: Recorder,
  run: Run,
): Promise<Started> {
  if (skip.answer === 'usage') await recorder.end({ title: '', text: usageText(run) })
  const { last, commitsBack, sha } = memory
  const isFar = commitsBack > MAX_COMMITS_BACK && !run.inputs['dry-run']
  if (last && isFar) await recorder.repeat(last, sha)
  reportSkip(skip, run)
  return { isDone: true }
}

/** How many merged pull requests a run names its job on at most. */
const MAX_SHARES = 5

/** Lists the pull requests whose docs job is the run's: its own, or the newest merged ones that it is about. */
function listShares(situation: Situation | undefined, { inputs }: Run): readonly PullCommit[] {
  const { event, memory, changes } = situation ?? {}
  if (!event || !memory || event.command) return []
  const number = event.isOfPull ? event.subject?.number : undefined
  if (number !== undefined) return [{ number, sha: changes?.pullHead ?? memory.sha }]
  const merged = listNeededPulls(changes?.commits.toReversed() ?? [], inputs).slice(0, MAX_SHARES)
  return merged.map(({ number: ofPull, head: sha }) => ({ number: ofPull, sha }))
}

/** Reports the result as soon as it is known, and then what GitHub shows of it. */
async function publish(
  end: JobEnd,
  situation: Situation | undefined,
  {
    recorder,
    recording,
  }: { readonly recorder: Recorder; readonly recording: Promise<void> | undefined },
  run: Run,
): Promise<void> {
  const event = recorder.event
  const first = makeReport(end, event, run)
  publishReport(first, run)
  if (first.prLink) run.log.info(`The docs pull request: ${first.prLink}`)
  recorder.prepareEnd(first.state, first.prLink, endView(event, first, run))
  // From this line, the result is known even if the run is killed.
  if (end.polled?.kind === 'finished') run.saveState('finished', 'true')
  const isCancelled = first.result === 'cancelled'
  const docs =
    first.prLink && !isCancelled
      ? await readDocsPull(first.prLink, event.visibility, run)
      : undefined
  const report = withDocs(first, docs)
  if (docs?.isInvisible) warnOfInvisible(docs.repository, event, run)
  const isGood = isSuccess(report.result) && !hasLostLink(report.job)
  const level = isGood ? 'notice' : 'warning'
  run.log[report.isFailure ? 'fail' : level](annotationText(report), report.title)
  // A canceled run has 5 s, so it only finishes its record.
  if (!isCancelled) await updateDocsPull(report, situation, run)
  await recording
  const shares = [...listShares(situation, run)]
  if (docs?.head && !docs.ended)
    shares.push({ number: docs.number, sha: docs.head, repository: docs.repository })
  if (!isCancelled && report.prLink) await recorder.share(shares)
  publishReport(report, run)
  await recorder.end(endView(event, report, run))
}

/** Requests reviews of the docs pull request, and lists there what it covers. */
async function updateDocsPull(
  report: Report,
  situation: Situation | undefined,
  run: Run,
): Promise<void> {
  const { docs, plan, result, prLink } = report
  const { inputs, log } = run
  if (!plan || !situation || !prLink) return
  const wantsReview = inputs['pr-reviewers'].length + inputs['pr-labels'].length > 0
  const isOpened = isSuccess(result) && operationOf(report) === 'created'
  if (!docs || docs.isInvisible) {
    if (wantsReview && isOpened)
      log.warnOnlyInSummary(
        `The action could not request reviews or add labels, because ${docs ? "`github-token` can't read the pull request" : "the pull request isn't on this GitHub server"}.`,
      )
    return
  }
  if (wantsReview && isOpened && !docs.ended) await requestReviews(docs, plan.sources.authors, run)
  const { event, memory } = situation
  const isAbout = plan.kind !== 'wait' || memory.attempt.kind === 'job'
  if (isAbout && canWriteComments(inputs))
    await writeSourceComment(docs, plan.sources.items, event, run)
}

/** Warns that the next run of the step can't update a docs pull request that the token can't read. */
function warnOfInvisible(repository: string, event: GitHubEvent, run: Run): void {
  if (!run.inputs['follow-up'] || !isRecorded(event, run)) return
  run.log.warnInSummary(
    `\`github-token\` can't read ${repository}, so the next run of this step can't update this docs pull request and fails. Use your GitHub App's token ${docsLink('private-docs.md')}, or set \`follow-up: false\`, so that each run starts a new job.`,
    "`github-token` can't read the docs pull request",
  )
}

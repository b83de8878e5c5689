import { updateDocsPull } from './act/docs-pull.ts'
import { RunRecord } from './act/record.ts'
import { pollJob, submit } from './act/submit.ts'
import { decide, type Remark } from './decide/plan.ts'
import { NeededCallError } from './github/github-errors.ts'
import { md } from './lib/markdown.ts'
import { type PullReport, readPullReport, waitForPreview } from './look/result.ts'
import { look, type Situation } from './look/situation.ts'
import type { Command, Trigger } from './look/trigger.ts'
import { sourcesOf } from './prompt/gather.ts'
import { type Plan, type RunRequest, writePrompt } from './prompt/prompt.ts'
import {
  type AcceptedJob,
  isSuccess,
  type JobEnd,
  JobError,
  makeReport,
  neededCallError,
  type Report,
  reportSentences,
  unexpectedFailure,
} from './report/outcome.ts'
import { publishReport, reportDryRun, reportSkip, withPull } from './report/texts.ts'
import type { Run } from './runner/run.ts'
import type { VisitorsReporter } from './visitors/visitors-report.ts'

/**
 * Requests the job, waits for it, and reports it in the outputs, the log, the summary, comments, and a commit status.
 * Never rejects, whatever Mintlify, GitHub, or the network does.
 *
 * @returns the headline of the error that it ended in, if it did
 */
export async function runJob(
  request: RunRequest,
  visitors: VisitorsReporter | undefined,
  run: Run,
): Promise<string | undefined> {
  const { trigger } = request
  const { inputs, cancel, clock, github } = run
  // If the run ends before it has a better result, the output isn't empty.
  run.setOutputs({ result: 'error' })
  const record = new RunRecord(trigger, run)
  await record.react('eyes')
  const startedAtMs = clock.now()
  let situation: Situation | undefined
  let plan: Plan | undefined
  let accepted: AcceptedJob | undefined
  let end: JobEnd
  try {
    situation = await look(request, run)
    record.continue(situation.earlier)
    cancel.throwIfAborted()
    const decision = decide(situation, run)
    if (decision.kind === 'skip') {
      await record.answer(decision)
      if (decision.isSettled) await record.settle(decision)
      return reportSkip(decision, run)
    }
    if (decision.kind === 'stop') throw new JobError(decision)
    for (const remark of decision.remarks) say(remark, run)
    const contentGaps = (await visitors?.contentGaps()) ?? []
    const isRepeated = situation.earlier.attempt.kind === 'job'
    if (decision.kind !== 'wait')
      plan = { ...decision, ...writePrompt(decision, situation, request.parts, contentGaps, run) }
    else if (isRepeated)
      plan = { ...decision, sources: sourcesOf(trigger, situation.changes, inputs, contentGaps) }
    else plan = decision
    if (inputs['dry-run']) return reportDryRun(plan, run)
    if (plan.kind !== 'wait') {
      run.saveState('requested', 'true')
      await record.begin()
    }
    cancel.throwIfAborted()
    const isLookedUp = plan.kind !== 'create' && plan.namedAtMs !== undefined
    const deadlineMs = (isLookedUp ? startedAtMs : clock.now()) + inputs.timeout
    accepted = await submit(plan, deadlineMs, run).finally(() => github.jobStarted())
    void record.accepted(accepted)
    end = await pollJob(accepted, run)
  } catch (error) {
    if (situation === undefined) record.leave()
    end = accepted
      ? {
          kind: 'refused',
          job: accepted.job,
          error: toJobError(error, trigger, run),
          durationMs: 0,
        }
      : notStarted(error, trigger, run)
  }
  const report = makeReport(end, { plan, accepted }, run)
  await publish(report, end, { record, trigger }, run)
  return report.result === 'error' ? report.headline : undefined
}

function notStarted(error: unknown, trigger: Trigger, run: Run): JobEnd {
  const isCancelled = run.cancel.aborted
  const cause = isCancelled ? error : toJobError(error, trigger, run)
  return { kind: 'not-started', isCancelled, error: cause instanceof JobError ? cause : undefined }
}

function toJobError(error: unknown, trigger: Trigger, run: Run): JobError {
  if (error instanceof JobError) return error
  if (error instanceof NeededCallError) return neededCallError(error, trigger, run)
  return new JobError({ ...unexpectedFailure(error, run), maybeStarted: true })
}

function say(remark: Remark, { log }: Run): void {
  if (remark.level === 'notice') log.notice(remark.text, remark.title)
  else log[remark.level](remark.text)
}

/** Reports the result as soon as it is known, and then what GitHub shows of it. */
async function publish(
  first: Report,
  end: JobEnd,
  { record, trigger }: { readonly record: RunRecord; readonly trigger: Trigger },
  run: Run,
): Promise<void> {
  const { accepted } = first
  const endedAtMs = run.clock.now()
  let report = first
  publishReport(report, run)
  record.prepareEnd(report)
  // From this line, the result is known even if the run is killed.
  if (end.kind === 'finished') run.saveState('finished', 'true')
  if (first.prLink !== '') run.log.info(`The pull request of job ${first.jobId}: ${first.prLink}`)

  const show = (shown: PullReport | undefined, note = md``): void => {
    report = withPull(first, shown, note)
    publishReport(report, run)
  }
  const messageAtMs = accepted?.kind === 'message' ? accepted.sentAtMs : undefined
  const finished = end.kind === 'finished' ? { job: end.job, messageAtMs } : undefined
  const pull = finished && (await readPullReport(finished, run))
  if (pull) show(pull)
  const level = isSuccess(report.result) ? 'notice' : 'warning'
  run.log[report.isFailure ? 'fail' : level](reportSentences(report), report.headline)
  // A canceled run has 5 s, so it first finishes what nothing else can finish.
  if (report.result === 'cancelled') await record.end(report, false)
  const { hasCommands, note } = await updateDocsPull(report, trigger, run)
  show(pull, note)
  if (report.result !== 'cancelled') await record.end(report, hasCommands)
  if (trigger.command?.kind === 'review') await requestReview(report, trigger.command, trigger, run)
  const { 'wait-for-preview': wantsPreview, wait } = run.inputs
  if (!wantsPreview || !wait || !finished || !pull || !accepted) return
  const limits = { endedAtMs, deadlineMs: accepted.deadlineMs }
  const later = await waitForPreview(finished, pull, limits, run)
  if (later === pull) return
  show(later, note)
  await record.end(report, hasCommands)
}

/** Asks a reviewer to review the changes that the agent made. */
async function requestReview(
  { plan, job, pull }: Report,
  { author, source: { thread } }: Command,
  { event }: Trigger,
  { github }: Run,
): Promise<void> {
  if (job?.status !== 'completed' || pull?.kind !== 'pull-request' || pull.ended) return
  const isChanged = pull.headSha !== '' && pull.headSha !== event.payload.review?.commit_id
  // A re-run that finds the job completed repeats the report of an attempt that has asked.
  const isRepeated = plan?.kind === 'wait' && plan.job?.status === 'completed'
  if (!isChanged || isRepeated) return
  const call = {
    purpose: 'ask the reviewer to review again',
    permission: 'pull-requests: write',
  }
  const request = { pull_number: thread.number, reviewers: [author.login] }
  await github.attempt(call, () =>
    github.call(({ rest }) => rest.pulls.requestReviewers({ ...github.repository, ...request })),
  )
}

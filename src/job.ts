import { updateDocsPull } from './act/docs-pull.ts'
import { RunRecord } from './act/record.ts'
import { pollJob, submit } from './act/submit.ts'
import { decideNothing } from './decide/nothing.ts'
import { type Decision, decide, type Remark } from './decide/plan.ts'
import { NeededCallError } from './github/github-errors.ts'
import { docsLink } from './lib/text.ts'
import { findDocsPlace, readPullReport } from './look/result.ts'
import { look, lookAtJobs, type Situation } from './look/situation.ts'
import { hasStatusRecord } from './look/status.ts'
import type { Trigger } from './look/trigger.ts'
import { type Plan, type RunRequest, sourcesOf, writePrompt } from './prompt/prompt.ts'
import { JobError, neededCallError } from './report/not-started.ts'
import {
  type AcceptedJob,
  hasLostLink,
  isSuccess,
  type JobEnd,
  makeReport,
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
  const { inputs, cancel, clock } = run
  // If the run ends before it has a better result, the output isn't empty.
  run.setOutputs({ result: 'error' })
  const record = new RunRecord(trigger, run)
  await record.react('eyes')
  const startedAtMs = clock.now()
  let hasBegun = false
  let plan: Plan | undefined
  let accepted: AcceptedJob | undefined
  let end: JobEnd
  try {
    let situation = await look(request, run)
    record.continue(situation)
    // `decide` asks this again. A skip because of the changes alone doesn't wait for Mintlify.
    let decision: Decision | undefined = decideNothing(situation, run)
    if (decision === undefined) {
      situation = await lookAtJobs(situation, run)
      cancel.throwIfAborted()
      decision = decide(situation, run)
    }
    if (decision.kind === 'skip') {
      await record.answer(decision)
      if (decision.isSettled) await record.settle(decision)
      return reportSkip(decision, run)
    }
    if (decision.kind === 'stop') throw new JobError(decision)
    for (const remark of decision.remarks) say(remark, run)
    const contentGaps = (await visitors?.contentGaps()) ?? []
    plan = makePlan(decision, situation, request, contentGaps, run)
    if (inputs['dry-run']) return reportDryRun(plan, run)
    if (plan.kind !== 'wait') {
      hasBegun = true
      await record.begin()
      run.saveState('requested', 'true')
    }
    cancel.throwIfAborted()
    // `timeout` starts with the first request about the job, which for a recorded one was its lookup.
    const isLookedUp = plan.kind !== 'create' && plan.recordedAtMs !== undefined
    const deadlineMs = (isLookedUp ? startedAtMs : clock.now()) + inputs.timeout
    accepted = await submit(plan, deadlineMs, run)
    // Polling doesn't wait for GitHub.
    void record.accepted(accepted)
    end = await pollJob(accepted, run)
  } catch (error) {
    if (!hasBegun && !accepted) record.leave()
    end = accepted
      ? {
          kind: 'refused',
          job: accepted.job,
          error: await toJobError(error, trigger, run),
          durationMs: 0,
        }
      : await notStarted(error, trigger, run)
  }
  const report = makeReport(end, { plan, accepted }, run)
  await publish(report, end, { record, trigger }, run)
  return report.result === 'error' ? report.headline : undefined
}

/** Adds the prompt to a decision; to that of a re-run what its job is about. */
function makePlan(
  decision: Exclude<Decision, { readonly kind: 'skip' | 'stop' }>,
  situation: Situation,
  { trigger, parts }: RunRequest,
  contentGaps: readonly string[],
  run: Run,
): Plan {
  if (decision.kind !== 'wait')
    return { ...decision, ...writePrompt(decision, situation, parts, contentGaps, run) }
  if (situation.earlier.attempt.kind !== 'job') return decision
  const sources = sourcesOf(trigger, situation.changes, run.inputs, contentGaps)
  return { ...decision, sources }
}

async function notStarted(error: unknown, trigger: Trigger, run: Run): Promise<JobEnd> {
  const isCancelled = run.cancel.aborted
  const cause = isCancelled ? error : await toJobError(error, trigger, run)
  return { kind: 'not-started', isCancelled, error: cause instanceof JobError ? cause : undefined }
}

async function toJobError(error: unknown, trigger: Trigger, run: Run): Promise<JobError> {
  if (error instanceof JobError) return error
  if (error instanceof NeededCallError) return await neededCallError(error, trigger, run)
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
  publishReport(first, run)
  record.prepareEnd(first)
  // From this line, the result is known even if the run is killed.
  if (end.kind === 'finished') run.saveState('finished', 'true')
  if (first.prLink !== '') run.log.info(`The pull request of job ${first.jobId}: ${first.prLink}`)

  const link = first.prLink || accepted?.prLink || ''
  const isCancelled = first.result === 'cancelled'
  const place = accepted && (await findDocsPlace(first.job, link, trigger, run))
  const messageAtMs = accepted?.kind === 'message' ? accepted.sentAtMs : undefined
  const finished = end.kind === 'finished' ? { job: end.job, messageAtMs } : undefined
  const pull = finished && (await readPullReport(finished, place, run))
  const report = pull ? withPull(first, pull, place?.isHidden !== false) : first
  if (pull?.kind === 'invisible') warnOfInvisible(pull.repository, trigger, run)
  const isGood = isSuccess(report.result) && !hasLostLink(report.job)
  const level = isGood ? 'notice' : 'warning'
  run.log[report.isFailure ? 'fail' : level](reportSentences(report), report.headline)
  // A canceled run has 5 s, so it first finishes its record, which no later step can finish.
  if (isCancelled) await record.end(report, false)
  const hasCommands = await updateDocsPull(report, place, trigger, run)
  publishReport(report, run)
  if (!isCancelled) await record.end(report, hasCommands)
}

/** Warns that the next run of the step can't update a docs pull request that the token can't read. */
function warnOfInvisible(repository: string, { event, command }: Trigger, run: Run): void {
  const isContinued = command !== undefined || hasStatusRecord(event, run)
  if (!run.inputs['follow-up'] || !isContinued) return
  run.log.warnInSummary(
    `\`github-token\` can't read ${repository}, so the next run of this step can't update this docs pull request and fails. Use your GitHub App's token ${docsLink('private-docs.md')}, or set \`follow-up: false\`, so that each run opens a docs pull request.`,
    "`github-token` can't read the docs pull request",
  )
}

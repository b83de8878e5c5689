import { updateDocsPull } from './act/docs-pull.ts'
import { RunRecord } from './act/record.ts'
import { pollJob, submit } from './act/submit.ts'
import { decide, type Remark, unclearStart, withMissingPermission } from './decide/plan.ts'
import type { Skip } from './decide/skip.ts'
import { writePermission } from './github/pull-requests.ts'
import { md } from './lib/markdown.ts'
import { type PullReport, readPullReport } from './look/result.ts'
import { look } from './look/situation.ts'
import { isFull, STATUS_PERMISSION } from './look/status.ts'
import type { Command, Trigger } from './look/trigger.ts'
import {
  type JobRequest,
  type JobTools,
  type Plan,
  readSources,
  writePrompt,
} from './prompt/prompt.ts'
import {
  type AcceptedJob,
  isSuccess,
  type JobEnd,
  JobError,
  makeReport,
  type Report,
  type RerunAdvice,
  reportSentences,
  unexpectedFailure,
} from './report/outcome.ts'
import { publishReport, reportDryRun, reportSkip, withPull } from './report/texts.ts'
import { isRerun, type Run } from './runner/run.ts'

/**
 * Requests the job, waits for it, and reports it in the outputs, the log, the summary, comments, and a commit status.
 * Never rejects, whatever Mintlify, GitHub, or the network does.
 *
 * @returns the headline of the error that it ended in, if it did
 */
export async function runJob(
  request: JobRequest,
  tools: JobTools,
  run: Run,
): Promise<string | undefined> {
  // If the run ends before it has a better result, the output isn't empty.
  run.setOutputs({ result: 'error' })
  const record = new RunRecord(request.trigger, run)
  await record.react('eyes')
  let plan: Plan | undefined
  let accepted: AcceptedJob | undefined
  let rerun: RerunAdvice = 'safe'
  let end: JobEnd
  try {
    const startedAtMs = run.clock.now()
    const planned = await makePlan(request, tools, record, run)
    if (planned.kind === 'skip') {
      await record.answer(planned)
      return reportSkip(planned, run)
    }
    plan = planned
    if (run.inputs['dry-run']) return reportDryRun(plan, run)
    ;({ plan, rerun } = await begin(plan, record, request.trigger, run))
    run.cancel.throwIfAborted()
    const isLookedUp = plan.kind !== 'create' && plan.namedAtMs !== undefined
    const deadlineMs = (isLookedUp ? startedAtMs : run.clock.now()) + run.inputs.timeout
    accepted = await submit(plan, deadlineMs, tools.service, run).finally(() =>
      run.github.jobStarted(),
    )
    void record.accepted(accepted)
    end = await pollJob(accepted, tools.service, run)
  } catch (error) {
    const isCancelled = run.cancel.aborted
    const cause =
      error instanceof JobError || isCancelled
        ? error
        : new JobError({ ...unexpectedFailure(error, run), maybeStarted: true })
    end = accepted
      ? { kind: 'refused', job: accepted.job, error: cause, durationMs: 0 }
      : {
          kind: 'not-started',
          isCancelled,
          error: cause instanceof JobError ? cause : undefined,
          rerun,
        }
  }
  const report = makeReport(end, { plan, accepted }, run)
  await publish(report, end, { record, trigger: request.trigger }, run)
  return report.result === 'error' ? report.headline : undefined
}

/**
 * Looks, decides, and writes the prompt.
 *
 * @throws {JobError} if nothing may be started
 */
async function makePlan(
  request: JobRequest,
  tools: JobTools,
  record: RunRecord,
  run: Run,
): Promise<Plan | Skip> {
  const earlier = await record.find()
  run.cancel.throwIfAborted()
  const service = run.inputs['dry-run'] ? undefined : tools.service
  const decision = decide(await look(earlier, request, service, run), run)
  if (decision.kind === 'skip') return decision
  if (decision.kind === 'stop') throw new JobError(decision)
  for (const remark of decision.remarks) say(remark, run)
  run.cancel.throwIfAborted()
  if (decision.kind === 'wait') {
    if (earlier.attempt.kind !== 'job') return decision
    return { ...decision, sources: await readSources(earlier, request, tools, run) }
  }
  return { ...decision, ...(await writePrompt(decision, earlier, request, tools, run)) }
}

function say(remark: Remark, { log, github }: Run): void {
  if (remark.level === 'failure') github.report(remark.error, remark.call)
  else if (remark.level === 'notice') log.notice(remark.text, remark.title)
  else log[remark.level](remark.text)
}

const COMMIT_IS_FULL = {
  headline: 'This commit has 1,000 commit statuses of this step',
  details:
    'GitHub accepts no more of them on a commit, so a later run could not find this job. On a schedule, set `skip-unchanged: true`, so that runs without new commits start no job.',
  maybeStarted: false,
}

/**
 * Writes down what is about to be started, where a re-run finds it.
 *
 * @returns what is to be done, and what to say of re-runs where nothing was started
 * @throws {JobError} on a re-run that can't write: it might not have seen the first attempt's job either
 */
async function begin(
  plan: Plan,
  record: RunRecord,
  { command }: Trigger,
  run: Run,
): Promise<{ readonly plan: Plan; readonly rerun: RerunAdvice }> {
  const { environment, inputs } = run
  if (plan.kind === 'wait') return { plan, rerun: 'safe' }
  run.saveState('requested', 'true')
  const written = await record.begin()
  if (written.known) return { plan, rerun: 'safe' }
  if (isFull(written.error)) throw new JobError(COMMIT_IS_FULL)
  if (!isRerun(environment)) return { plan, rerun: 'new-run' }
  // The first attempt may have sent the message.
  if (inputs['job-id'] !== '')
    return { plan: { kind: 'wait', id: inputs['job-id'] }, rerun: 'safe' }
  const permission = command ? writePermission(command.source.thread) : STATUS_PERMISSION
  throw new JobError(
    unclearStart(
      `This re-run could not record what it is about to start: ${withMissingPermission(permission, written.error)}.`,
      'This re-run could not record its job',
    ),
  )
}

/** Reports the result as soon as it is known, and then what GitHub shows of it. */
async function publish(
  first: Report,
  end: JobEnd,
  { record, trigger }: { readonly record: RunRecord; readonly trigger: Trigger },
  run: Run,
): Promise<void> {
  const { accepted } = first
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
    level: 'notice',
  } as const
  const request = { pull_number: thread.number, reviewers: [author.login] }
  await github.attempt(call, () =>
    github.call(({ rest }) => rest.pulls.requestReviewers({ ...github.repository, ...request })),
  )
}

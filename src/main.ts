import { performAsk } from './agent-job.ts'
import { openGitHub } from './github/github.ts'
import { type Inputs, secretsOf } from './inputs/inputs.ts'
import { wantsSummary } from './inputs/job-inputs.ts'
import { InputsError } from './inputs/reader.ts'
import { inputsErrorSummary } from './job/summary.ts'
import { openSystemClock } from './lib/clock.ts'
import { openHttp } from './lib/http.ts'
import { redactor } from './lib/redact.ts'
import type { RunContext } from './run-context.ts'
import { listenForCancel } from './runner/cancel.ts'
import { readEnvironment } from './runner/environment.ts'
import { maskSecrets, openLog } from './runner/log.ts'
import { openOutputs } from './runner/outputs.ts'
import { readState, saveState } from './runner/state.ts'
import { writeSummary } from './runner/summary.ts'
import { type DocsService, openDocsService } from './service/docs-service.ts'
import { admit } from './trigger/admission.ts'
import { readEvent } from './trigger/event.ts'
import type { Task } from './trigger/task.ts'

const HTTP_LIMITS = { timeLimitMs: 30_000, bodyLimitBytes: 16 * 1024 * 1024 }

/** Runs the action: its main part or, where that has run before, its post part. */
export async function run(): Promise<void> {
  const cancel = listenForCancel()
  const environment = readEnvironment(process.env)
  const secrets = secretsOf(environment)
  maskSecrets(secrets)
  const isPost = readState(environment, 'phase') === 'main'
  // As early as can be: without it, the post part would take itself for this one.
  if (!isPost) saveState('phase', 'main')
  const redact = redactor(secrets)
  const log = openLog(redact)
  const clock = openSystemClock()
  const outside = { environment, log, clock, random: Math.random, cancel: cancel.signal }
  const github = openGitHub({ ...outside, token: environment.inputs.get('github-token') ?? '' })
  const context: RunContext = { ...outside, redact, setOutputs: openOutputs(log, redact), github }
  try {
    if (isPost) await runPost(context)
    else await runMain(context)
  } catch (error) {
    await reportError(error, context)
  } finally {
    github.close()
    cancel.release()
  }
}

async function runPost(context: RunContext): Promise<void> {
  const { finishCutOffRun } = await import('./post.ts')
  await finishCutOffRun(context)
}

async function runMain(context: RunContext): Promise<void> {
  const { environment, log, setOutputs, cancel } = context
  const admission = await admit(readEvent(environment), context)
  if (admission.admitted) {
    const failures = await doAllParts(admission.task, context)
    if (failures.length > 0) log.fail(failures.join('\n'))
  } else if (cancel.aborted) {
    setOutputs({ result: 'cancelled' })
    log.fail('Cancelled before anything was asked of the docs service.')
  } else {
    if (admission.quiet === true) log.info(admission.reason)
    else log.notice(admission.reason, 'Docs agent: skipped')
    setOutputs({ result: 'skipped' })
  }
  saveState('finished', 'true')
}

/** Tries every part that was asked for; one part's failure never hides another's result. */
async function doAllParts(task: Task, context: RunContext): Promise<string[]> {
  const { inputs, command } = task
  const parts: Part[] = []
  if (inputs.job.asked || command !== undefined) parts.push((service) => performAsk(task, service, context))
  if (inputs.visitors !== undefined) {
    const { reportVisitors, showVisitorsPlan } = await import('./visitors/report-visitors.ts')
    const { visitors } = inputs
    if (inputs.dryRun) showVisitorsPlan(visitors, inputs.projectId, context)
    else parts.push((service) => reportVisitors(visitors, service, context))
  }
  const ends = await Promise.allSettled(parts.map((part) => withService(part, inputs, context)))
  return ends.map(failureOf).filter((failure) => failure !== undefined)
}

/** A part of a run; resolves to why the step fails, as sentences, if it does. */
type Part = (service: DocsService) => Promise<string | undefined>

/** Gives a part the docs service, over one connection of its own: no part waits for another's requests. */
async function withService(part: Part, inputs: Inputs, context: RunContext): Promise<string | undefined> {
  const { environment, clock, redact } = context
  const http = openHttp({ proxy: environment.proxy, clock, ...HTTP_LIMITS })
  try {
    return await part(openDocsService({ ...inputs, http, clock, redact }))
  } finally {
    http.close()
  }
}

function failureOf(end: PromiseSettledResult<string | undefined>): string | undefined {
  if (end.status === 'fulfilled') return end.value
  return end.reason instanceof Error ? (end.reason.stack ?? end.reason.message) : String(end.reason)
}

async function reportError(error: unknown, context: RunContext): Promise<void> {
  const { environment, log, setOutputs } = context
  setOutputs({ result: 'error' })
  if (error instanceof InputsError && wantsSummary(environment)) {
    writeSummary(inputsErrorSummary(error.problems), context)
  }
  log.fail(error instanceof Error ? error.message : String(error))
  if (!(error instanceof InputsError) && error instanceof Error) log.info(error.stack ?? '')
  saveState('finished', 'true')
}

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
import { saveState } from './runner/state.ts'
import { writeSummary } from './runner/summary.ts'
import { type DocsService, openDocsService } from './service/docs-service.ts'
import { admit } from './trigger/admission.ts'
import { readEvent } from './trigger/event.ts'
import type { Task } from './trigger/task.ts'

const HTTP_LIMITS = { timeLimitMs: 30_000, bodyLimitBytes: 16 * 1024 * 1024 }

/** Runs the main part of the step. Resolves to its exit code. */
export async function runMain(): Promise<number> {
  const cancel = listenForCancel()
  const context = openContext(cancel)
  try {
    return await runTask(context)
  } catch (error) {
    return reportError(error, context)
  }
}

/** Runs the post part of the step: what a killed main part left is finished. Resolves to its exit code. */
export async function runPost(): Promise<number> {
  const context = openContext(listenForCancel())
  try {
    const { finishCutOffRun } = await import('./post.ts')
    await finishCutOffRun(context)
    return 0
  } catch (error) {
    context.log.fail(error instanceof Error ? error.message : String(error))
    return 1
  }
}

function openContext(cancel: AbortSignal): RunContext {
  const environment = readEnvironment(process.env)
  const secrets = secretsOf(environment)
  maskSecrets(secrets)
  const redact = redactor(secrets)
  const log = openLog(redact)
  const deps = { environment, log, clock: openSystemClock(), random: Math.random, cancel }
  const github = openGitHub({ ...deps, token: environment.inputs.get('github-token') ?? '' })
  return { ...deps, redact, setOutputs: openOutputs(log, redact), github }
}

async function runTask(context: RunContext): Promise<number> {
  const { environment, log, setOutputs, cancel } = context
  const admission = await admit(readEvent(environment), context)
  let exitCode = 0
  if (admission.admitted) {
    const failures = await doAllParts(admission.task, context)
    if (failures.length > 0) {
      log.fail(failures.join('\n'))
      exitCode = 1
    }
  } else if (cancel.aborted) {
    setOutputs({ result: 'cancelled' })
    log.fail('Cancelled before anything was asked of the docs service.')
    exitCode = 1
  } else {
    if (admission.quiet === true) log.info(admission.reason)
    else log.notice(admission.reason, 'Docs agent: skipped')
    setOutputs({ result: 'skipped' })
  }
  saveState('finished', 'true')
  return exitCode
}

/** Tries every part that was asked for; one part's failure never hides another's result. */
async function doAllParts(task: Task, context: RunContext): Promise<string[]> {
  const { inputs, command } = task
  const parts: Part[] = []
  if (inputs.job.asked || command !== undefined) parts.push((service) => performAsk(task, service, context))
  if (inputs.visitors !== undefined) {
    const { reportVisitors } = await import('./visitors/visitors-part.ts')
    parts.push((service) => reportVisitors(inputs, service, context))
  } else if ((context.environment.inputs.get('visitors-export') ?? '') !== '') {
    context.log.warning('`visitors-export` does nothing without `visitors-summary: true`.')
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

/** Says why a run failed, in the log first: outputs and state may be what can't be written. */
function reportError(error: unknown, context: RunContext): number {
  const { environment, log, setOutputs } = context
  log.fail(error instanceof Error ? error.message : String(error))
  if (!(error instanceof InputsError) && error instanceof Error) log.info(error.stack ?? '')
  if (error instanceof InputsError && wantsSummary(environment)) {
    writeSummary(inputsErrorSummary(error.problems), context)
  }
  try {
    setOutputs({ result: 'error' })
    saveState('finished', 'true')
  } catch (second) {
    if (String(second) !== String(error)) log.fail(String(second))
  }
  return 1
}

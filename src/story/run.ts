import { type GitHubEvent, lacksSecrets, readEvent } from '../edges/github/event.ts'
import { listenForCancel } from '../edges/runner/cancel.ts'
import { readEnvironment } from '../edges/runner/environment.ts'
import { InputsError } from '../edges/runner/input-reader.ts'
import { type Inputs, loadInputs, secretsOf } from '../edges/runner/inputs.ts'
import { maskSecrets, openLog } from '../edges/runner/log.ts'
import { openOutputs } from '../edges/runner/outputs.ts'
import { readState, saveState } from '../edges/runner/state.ts'
import { writeSummary } from '../edges/runner/summary.ts'
import { systemClock } from '../machinery/clock.ts'
import { openHttp } from '../machinery/http.ts'
import { redactor } from '../machinery/redact.ts'
import { inputsErrorSummary } from '../report/job-summary.ts'
import { openDocsService } from '../service/docs-service.ts'
import { performAsk } from './job-part.ts'
import { finishCutOffRun } from './post.ts'
import type { RunContext } from './run-context.ts'

const HTTP_LIMITS = { timeLimitMs: 30_000, bodyLimitBytes: 16 * 1024 * 1024 }

/** Runs the action: its main part or, where that has run before, its post part. */
export async function run(): Promise<void> {
  const environment = readEnvironment(process.env)
  const secrets = secretsOf(environment)
  maskSecrets(secrets)
  const redact = redactor(secrets)
  const log = openLog(redact)
  const cancel = listenForCancel()
  const context: RunContext = {
    environment,
    log,
    redact,
    setOutputs: openOutputs(log, redact),
    clock: systemClock,
    random: Math.random,
    cancel: cancel.signal,
  }
  try {
    if (readState(environment, 'phase') === 'main') await finishCutOffRun(context)
    else await runMain(context)
  } catch (error) {
    await reportError(error, context)
  } finally {
    cancel.release()
  }
}

async function runMain(context: RunContext): Promise<void> {
  saveState('phase', 'main')
  const event = await readEvent(context.environment)
  const skipReason = reasonToSkip(event, context)
  if (skipReason !== undefined) {
    context.log.notice(skipReason, 'Docs agent: skipped')
    context.setOutputs({ result: 'skipped' })
  } else {
    const inputs = await loadInputs(context.environment, context.redact)
    const failures = await doAllParts(inputs, context)
    if (failures.length > 0) context.log.fail(failures.join('\n'))
  }
  saveState('finished', 'true')
}

/** Tries every part that was asked for; one part's failure never hides another's result. */
async function doAllParts(inputs: Inputs, context: RunContext): Promise<string[]> {
  const { environment, clock, redact } = context
  const http = openHttp({ proxy: environment.proxy, clock, ...HTTP_LIMITS })
  const service = openDocsService({ ...inputs, http, clock, redact })
  try {
    const ends = await Promise.allSettled([performAsk(inputs, service, context)])
    return ends.map(failureOf).filter((failure) => failure !== undefined)
  } finally {
    await http.close()
  }
}

function failureOf(end: PromiseSettledResult<string | undefined>): string | undefined {
  if (end.status === 'fulfilled') return end.value
  return end.reason instanceof Error ? (end.reason.stack ?? end.reason.message) : String(end.reason)
}

function reasonToSkip(event: GitHubEvent, { environment }: RunContext): string | undefined {
  const keyGiven = (environment.inputs.get('api-key') ?? '') !== ''
  const dryRun = /^true$/i.test(environment.inputs.get('dry-run') ?? '')
  if (keyGiven || dryRun || !lacksSecrets(event, environment)) return undefined
  return 'GitHub gives no secrets to runs for pull requests from forks or by Dependabot, so there is no `api-key` here and nothing was asked of the docs service.'
}

async function reportError(error: unknown, context: RunContext): Promise<void> {
  const { environment, log, setOutputs } = context
  setOutputs({ result: 'error' })
  if (error instanceof InputsError && environment.inputs.get('summary') !== 'false') {
    await writeSummary(inputsErrorSummary(error.problems), context)
  }
  log.fail(error instanceof Error ? error.message : String(error))
  if (!(error instanceof InputsError) && error instanceof Error) log.info(error.stack ?? '')
  saveState('finished', 'true')
}

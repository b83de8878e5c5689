import { performAgentJob } from './agent-job.ts'
import { explainUsage } from './comments/session.ts'
import { openGitHub, type RunDeps } from './github/github.ts'
import { InputsError, readInputs } from './inputs/read.ts'
import { inputsErrorSummary } from './job/summary.ts'
import type { Deps } from './lib/clock.ts'
import { openHttp } from './lib/http.ts'
import { errorMessage } from './lib/text.ts'
import { loadRunRequest, type RunRequest } from './run-request.ts'
import type { Environment } from './runner/environment.ts'
import { openRunner, type Runner } from './runner/runner.ts'
import { type DocsService, openDocsService } from './service/docs-service.ts'
import { authorize } from './trigger/authorize.ts'
import { readEvent } from './trigger/event.ts'
import { readTrigger, type Skip } from './trigger/trigger.ts'

const HTTP_LIMITS = { timeoutMs: 30_000, bodyLimitBytes: 16 * 1024 * 1024 }

/**
 * The main part of the step.
 *
 * @returns its exit code
 */
export async function runMain(environment: Environment, deps: Deps): Promise<number> {
  const runner = openRunner(environment)
  try {
    await perform(runner, deps)
  } catch (error) {
    reportError(error, runner)
  }
  runner.saveState('finished', 'true')
  return runner.log.hasFailed() ? 1 : 0
}

/** Finds out what is requested and whether it may be, and performs it. */
async function perform(runner: Runner, deps: Deps): Promise<void> {
  const { environment, redact, log, setOutputs } = runner
  const read = readInputs(environment.inputs, redact)
  const trigger = readTrigger(readEvent(environment), read.inputs, environment)
  if ('skip' in trigger) return skipRun(trigger, runner)

  const request = await loadRunRequest(trigger, read, { environment, clock: deps.clock })
  const github = openGitHub({ ...deps, ...runner, token: request.inputs['github-token'] })
  const runDeps: RunDeps = { ...deps, ...runner, github }
  const refusal = await authorize(request, request.inputs, runDeps)
  if (deps.cancel.aborted) {
    setOutputs({ result: 'cancelled' })
    log.fail('Cancelled before anything was sent to the docs service.')
  } else if (refusal === undefined) await performAllParts(request, runDeps)
  else {
    const { command } = request
    if (refusal.explainUsage && command !== undefined) await explainUsage({ ...request, command }, runDeps)
    skipRun(refusal, runner)
  }
}

function skipRun({ reason, level }: Skip, { log, setOutputs }: Runner): void {
  log[level](reason)
  setOutputs({ result: 'skipped' })
}

/** A part of a run; resolves to why the step fails, as sentences, if it does. */
type Part = (service: DocsService) => Promise<string | undefined>

/** Tries every part that was requested; one part's failure never hides another's result. */
async function performAllParts(request: RunRequest, deps: RunDeps): Promise<void> {
  const { wantsJob, visitors } = request
  const parts: Part[] = []
  if (wantsJob) parts.push((service) => performAgentJob(request, service, deps))
  if (visitors !== undefined) {
    const { reportVisitors, reportVisitorsDryRun } = await import('./visitors/report-visitors.ts')
    if (request.inputs['dry-run']) reportVisitorsDryRun(visitors, request.inputs['project-id'], deps)
    else parts.push((service) => reportVisitors(visitors, service, deps))
  }
  const results = await Promise.allSettled(parts.map((part) => part(openService(request, deps))))
  for (const result of results) {
    if (result.status === 'rejected') reportError(result.reason, deps)
    else if (result.value !== undefined) deps.log.fail(result.value)
  }
}

/** Gives a part the docs service, over connections of its own: no part waits for another's requests. */
function openService({ inputs }: RunRequest, { environment, clock, redact }: RunDeps): DocsService {
  const http = openHttp({ proxy: environment.proxy, clock, ...HTTP_LIMITS })
  const { 'api-key': apiKey, 'project-id': projectId, 'base-url': baseUrl } = inputs
  return openDocsService({ apiKey, projectId, baseUrl, http, clock, redact })
}

function reportError(error: unknown, { environment, log, redact, setOutputs, writeSummary }: Runner): void {
  if (error instanceof InputsError) {
    setOutputs({ result: 'error' })
    const { inputs } = readInputs(environment.inputs, redact)
    if (inputs.summary) writeSummary('job', inputsErrorSummary(error.problems, inputs['project-id']))
    log.fail(error.message)
  } else {
    log.fail(errorMessage(error))
    if (error instanceof Error) log.info(error.stack ?? '')
  }
}

import * as core from '@actions/core'
import { GitHub } from '../github/client.ts'
import { type InputProblem, readInputs, secretsOf } from '../inputs/read.ts'
import type { Inputs } from '../inputs/table.ts'
import { isRecord, parseJson } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import type { Markdown } from '../lib/markdown.ts'
import { createRedact, type Redact } from '../lib/redact.ts'
import { errorMessage, logText } from '../lib/text.ts'
import type { Clock, Waiting } from '../lib/time.ts'
import type { Environment } from './environment.ts'
import { Outputs, type OutputValues, Summary, type SummarySection } from './outputs.ts'

/** What the main step leaves for the post step. */
type StateName = 'job-id' | 'pending' | 'finished'

/** What a killed run leaves to be ended by the post step: its comment, its reaction, its commit status. */
type PendingPart = 'comment' | 'reaction' | 'status'

/** One run of a step: what it was given, and what it may touch outside. Passed whole where most of it is used. */
export class Run {
  readonly environment: Environment
  readonly inputs: Inputs
  /** What is wrong with the inputs; a wrong one has the value of its default. */
  readonly problems: readonly InputProblem[]
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
  readonly log: Log
  /** Takes the secrets out of a text. */
  readonly redact: Redact
  readonly github: GitHub
  readonly #outputs: Outputs
  readonly #summary: Summary
  #pending: Partial<Record<PendingPart, unknown>>
  #stateHasFailed = false

  /** Masks the secrets before anything else happens. Sends nothing. */
  constructor(environment: Environment, waiting: Waiting, options: { readonly isPost?: boolean } = {}) {
    const secrets = secretsOf(environment.inputs)
    for (const secret of secrets) core.setSecret(secret)
    this.environment = environment
    this.clock = waiting.clock
    this.random = waiting.random
    this.cancel = waiting.cancel
    this.redact = createRedact(secrets)
    const { inputs, problems } = readInputs(environment.inputs, this.redact)
    this.inputs = inputs
    this.problems = problems
    this.log = createLog(this.redact, `Docs agent: ${environment.inputs.get('project-id')?.trim() ?? ''}`)
    this.#outputs = new Outputs(this.log, this.redact)
    this.#summary = new Summary(environment.summaryPath, this.log)
    this.github = new GitHub({
      ...waiting,
      ...environment,
      token: inputs['github-token'],
      log: this.log,
      retries: options.isPost === true ? POST_RETRIES : MAIN_RETRIES,
    })
    const saved = parseJson(this.readState('pending'))
    this.#pending = isRecord(saved) ? saved : {}
  }

  setOutputs(values: OutputValues): void {
    this.#outputs.set(values)
  }

  writeSummary(section: SummarySection, markdown: Markdown): void {
    this.#summary.write(section, this.redact(markdown.source))
  }

  /** Saves a value for the post step, in place of the one before. */
  saveState(name: StateName, value: string): void {
    if (this.#stateHasFailed) return
    try {
      core.saveState(name, value)
    } catch (error) {
      this.#stateHasFailed = true
      this.log.warning(`Failed to save anything for the post step: ${errorMessage(error)}`)
    }
  }

  /** What the main step saved; empty if nothing. */
  readState(name: StateName): string {
    return this.environment.state.get(name) ?? ''
  }

  /** Saves what the post step is to end should this step be killed; `undefined` once that is done. */
  setPending(part: PendingPart, value: unknown): void {
    this.#pending = { ...this.#pending, [part]: value }
    this.saveState('pending', JSON.stringify(this.#pending))
  }

  /** What is still to be ended; `undefined` if nothing. Our own words: nobody else writes a step's state. */
  getPending(part: PendingPart): unknown {
    return this.#pending[part]
  }
}

/** Nothing on GitHub is worth holding a job up for. */
const MAIN_RETRIES = { maxAttempts: 3, maxWaitMs: 15_000 }
/** The post step has nothing else to do than to end what was begun. */
const POST_RETRIES = { maxAttempts: 100, maxWaitMs: 60_000, isPatient: true }

/** Creates the run's log: the only way text reaches it. `usualTitle`: of annotations that have none of their own. */
function createLog(redact: Redact, usualTitle: string): Log {
  let failed = false
  // Cleaning takes characters out and could put a secret together, so that redacting comes first and last.
  const clean = (text: string): string => redact(logText(redact(text)))
  const titled = (title = usualTitle): core.AnnotationProperties => ({ title: clean(title) })
  return {
    info: (text) => core.info(clean(text)),
    notice: (text, title) => core.notice(clean(text), titled(title)),
    warning: (text, title) => core.warning(clean(text), titled(title)),
    fail(text, title) {
      failed = true
      core.error(clean(text), titled(title))
    },
    group(title, text) {
      core.startGroup(clean(title))
      core.info(clean(text))
      core.endGroup()
    },
    hasFailed: () => failed,
  }
}

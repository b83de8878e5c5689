import { readFileSync, writeFileSync } from 'node:fs'
import * as core from '@actions/core'
import { GitHub } from '../github/client.ts'
import { INPUTS, type InputProblem, type Inputs, readInputs, secretsOf } from '../inputs/table.ts'
import { createRedact, type Markdown, md, type Redact } from '../lib/markdown.ts'
import { byteLength, errorMessage, isRecord, logText, parseJson, shorten } from '../lib/text.ts'
import type { Clock, Waiting } from '../lib/time.ts'
import type { Environment } from './environment.ts'

/** What the main step leaves for the post step. */
type StateName = 'job-id' | 'pending' | 'finished'

/** What the post step finishes for a killed run. */
export type PendingPart = 'comment' | 'status'

const DEFAULT_ORIGIN = new URL(INPUTS['base-url'].default).origin

/** How long the post step waits for `Retry-After`, over all its requests. */
const POST_RETRY_AFTER_MS = 60_000

/** One run of a step: its inputs and its surroundings. */
export class Run {
  readonly environment: Environment
  readonly inputs: Inputs
  /** The problems of the inputs; a wrong one has the value of its default. */
  readonly problems: readonly InputProblem[]
  readonly clock: Clock
  /** The project and, in a matrix, its values: they distinguish this run from others next to it. May be empty. */
  readonly subject: string
  /** Mintlify's name in messages: with another `base-url` its host, whose App may have another name. */
  readonly mintlify: string
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
  readonly log: Log
  /** Replaces the secrets in a text. */
  readonly redact: Redact
  readonly github: GitHub
  readonly #writeSection: ReturnType<typeof createSummary>
  #pending: Partial<Record<PendingPart, unknown>>
  /** The files and outputs whose failure has been logged. */
  readonly #unwritten = new Set<string>()

  /** Masks the secrets before anything else. Sends nothing. */
  constructor(
    environment: Environment,
    waiting: Waiting,
    options: { readonly isPost?: boolean } = {},
  ) {
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
    this.subject = this.redact(
      [inputs['project-id'], inputs.matrix].filter((part) => part !== '').join(', '),
    )
    const { 'base-url': baseUrl } = inputs
    this.mintlify = baseUrl.origin === DEFAULT_ORIGIN ? 'Mintlify' : baseUrl.host
    this.log = createLog(this.redact, this.subject)
    this.#writeSection = createSummary(environment.summaryPath)
    this.github = new GitHub({
      ...waiting,
      ...environment,
      token: inputs['github-token'],
      log: this.log,
      ...(options.isPost === true && {
        retryAfterDeadlineMs: waiting.clock.now() + POST_RETRY_AFTER_MS,
      }),
    })
    const saved = parseJson(this.readState('pending'))
    this.#pending = isRecord(saved) ? saved : {}
  }

  /** Sets outputs. One that is too long is left empty, with a warning. */
  setOutputs(values: OutputValues): void {
    for (const [name, value] of Object.entries(values)) {
      const isTooLong = byteLength(value) > OUTPUT_LIMIT_BYTES
      if (isTooLong && !this.#unwritten.has(name)) {
        this.log.warnInSummary(
          `The output \`${name}\` is empty, because it would be longer than ${OUTPUT_LIMIT_BYTES / 1024} KiB.`,
          `The output \`${name}\` is too long`,
        )
        this.#unwritten.add(name)
      }
      this.#writeFile('outputs', () => core.setOutput(name, isTooLong ? '' : this.redact(value)))
    }
  }

  /** Writes a section of the step's summary; it replaces the section's earlier text. */
  writeSummary(section: SummarySection, markdown: Markdown): void {
    this.#writeFile('summary', () => this.#writeSection(section, this.redact(markdown.source)))
  }

  /** Saves a value for the post step; it replaces the earlier value. */
  saveState(name: StateName, value: string): void {
    this.#writeFile('state', () => core.saveState(name, value))
  }

  /** Writes a file that the runner reads. If that fails, an error says so once, and the step fails at its end. */
  #writeFile(name: string, write: () => void): void {
    try {
      write()
    } catch (error) {
      if (!this.#unwritten.has(name)) {
        this.log.fail(
          `Could not write this step's ${name} (${errorMessage(error)}). The step continues without it and fails at the end. The cause is the runner, for example a full disk.`,
          `Could not write this step's ${name}`,
        )
      }
      this.#unwritten.add(name)
    }
  }

  /** What the main step saved; empty if nothing. */
  readState(name: StateName): string {
    return this.environment.state.get(name) ?? ''
  }

  /** Saves what the post step finishes if this step is killed; `undefined` when it is finished. */
  setPending(part: PendingPart, value: unknown): void {
    this.#pending = { ...this.#pending, [part]: value }
    this.saveState('pending', JSON.stringify(this.#pending))
  }

  /** Returns what is unfinished. It can be trusted, because only this step writes its state. */
  getPending(part: PendingPart): unknown {
    return this.#pending[part]
  }
}

type Log = ReturnType<typeof createLog>

/**
 * The run's log, and the only way text reaches it: nothing in it acts as a workflow command or shows a secret.
 * Annotations (`notice`, `warning`, `fail`) are shown at the top of the run, too. Their title states the problem in at
 * most 60 characters; the log appends the project.
 */
function createLog(redact: Redact, subject: string) {
  let failed = false
  const summaryWarnings: string[] = []
  const summaryLines: string[] = []
  // Cleaning takes characters out and could put a secret together, so that redacting comes first and last.
  const clean = (text: string): string => redact(logText(redact(text)))
  const titled = (title: string): core.AnnotationProperties => ({
    title: clean(`${shorten(title, 60)}${subject && ` (${subject})`}`),
  })
  return {
    info: (text: string) => core.info(clean(text)),
    /** Shown with step debug logging alone. */
    debug: (text: string) => core.isDebug() && core.debug(clean(text)),
    notice: (text: string, title: string) => core.notice(clean(text), titled(title)),
    /** A line that the summary shows, too. */
    infoInSummary(text: string) {
      summaryLines.push(clean(text))
      core.info(clean(text))
    },
    /** What the run has said with `infoInSummary`. */
    summaryLines: (): readonly string[] => summaryLines,
    warning: (text: string, title: string) => core.warning(clean(text), titled(title)),
    /** A warning that the summary shows, too. */
    warnInSummary(text: string, title: string) {
      summaryWarnings.push(clean(text))
      core.warning(clean(text), titled(title))
    },
    /** What the run has warned of with `warnInSummary`. */
    summaryWarnings: (): readonly string[] => summaryWarnings,
    /** Marks the step as failed. */
    fail(text: string, title: string) {
      failed = true
      core.error(clean(text), titled(title))
    },
    /** A folded part of the log. */
    group(title: string, text: string) {
      core.startGroup(clean(title))
      core.info(clean(text))
      core.endGroup()
    },
    hasFailed: () => failed,
  }
}

/** All outputs, as in `action.yml`: of the agent job, of the readers report. */
export const OUTPUTS = [
  'job-id',
  'status',
  'pr-link',
  'result',
  'pr-number',
  'pr-operation',
  'pr-title',
  'pr-files',
  'source-authors',
  'preview-url',
  'preview-status',
  'job',
  'visitors-human',
  'visitors-ai',
  'visitors-total',
  'visitors',
  'visitors-markdown',
  'visitors-csv',
  'visitors-headline',
  'content-gaps',
] as const

type OutputName = (typeof OUTPUTS)[number]

/** Values by output; what is not named is not set. */
export type OutputValues = Readonly<Partial<Record<OutputName, string>>>

/** An output may have this many bytes. GitHub's own limit is 1 MiB for all outputs of a job. */
const OUTPUT_LIMIT_BYTES = 256 * 1024

export type SummarySection = 'job' | 'visitors'

/** GitHub drops a step's summary that is larger than 1 MiB. */
const MAX_SUMMARY_BYTES = 1024 * 1024

const TOO_LARGE = md`This part of the summary is larger than GitHub shows. The step's outputs and log have the result.`

/**
 * The step's summary: returns what writes a section, instead of its previous content. The order of the sections is fixed,
 * whichever is written first, and what is written is in the file at once, so that a run that is killed loses none of it.
 *
 * @param path of the file that the runner reads; empty if it gave none: then nothing is written
 */
function createSummary(path: string) {
  const sections = { job: '', visitors: '' }
  let earlier: string | undefined
  return (section: SummarySection, source: string): void => {
    if (path === '') return
    sections[section] = `${source}\n\n`
    earlier ??= readFileSync(path, { encoding: 'utf8', flag: 'a+' })
    let text = earlier
    for (const part of [sections.job, sections.visitors]) {
      text +=
        byteLength(text) + byteLength(part) <= MAX_SUMMARY_BYTES ? part : `${TOO_LARGE.source}\n\n`
    }
    writeFileSync(path, text)
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as core from '@actions/core'
import { GitHub } from '../github/client.ts'
import {
  INPUTS,
  type InputName,
  type InputProblem,
  type Inputs,
  readInputs,
  secretsOf,
} from '../inputs/table.ts'
import { HttpClient } from '../lib/http.ts'
import { createRedact, type Markdown, type Redact } from '../lib/markdown.ts'
import {
  byteLength,
  errorMessage,
  isRecord,
  logText,
  MAX_TITLE_LENGTH,
  parseJson,
  shorten,
} from '../lib/text.ts'
import type { Clock, Waiting } from '../lib/time.ts'
import { MintlifyClient } from '../mintlify/mintlify-client.ts'

/** The environment of a step, read once. */
export type Environment = Readonly<ReturnType<typeof readEnvironment>>

/**
 * Reads the environment: the only place that does. A text is empty where the runner does not set it.
 * Source: GitHub's documentation, "Variables reference".
 */
export function readEnvironment(env: NodeJS.ProcessEnv) {
  const read = (name: string): string => env[name] ?? ''
  const either = (name: string): string => env[name.toLowerCase()] ?? read(name)
  return {
    /** Inputs by name, as they were given. A missing entry was not given at all. */
    inputs: withPrefix(env, 'INPUT_'),
    /** State that this step's main part saved for its post part, by name. */
    state: withPrefix(env, 'STATE_'),
    workspace: read('GITHUB_WORKSPACE') || process.cwd(),
    /** A folder that the runner empties after each workflow job. */
    tempFolder: read('RUNNER_TEMP') || tmpdir(),
    summaryPath: read('GITHUB_STEP_SUMMARY'),
    eventName: read('GITHUB_EVENT_NAME'),
    eventPath: read('GITHUB_EVENT_PATH'),
    repository: read('GITHUB_REPOSITORY'),
    actor: read('GITHUB_ACTOR'),
    workflow: read('GITHUB_WORKFLOW'),
    /** Path of the workflow's file and its ref: `acme/docs/.github/workflows/weekly.yml@refs/heads/main`. */
    workflowRef: read('GITHUB_WORKFLOW_REF'),
    job: read('GITHUB_JOB'),
    action: read('GITHUB_ACTION'),
    ref: read('GITHUB_REF'),
    sha: read('GITHUB_SHA'),
    runId: read('GITHUB_RUN_ID'),
    runAttempt: read('GITHUB_RUN_ATTEMPT'),
    serverUrl: read('GITHUB_SERVER_URL') || 'https://github.com',
    apiUrl: read('GITHUB_API_URL') || 'https://api.github.com',
    /** For programs that the action starts. */
    variables: env,
    proxy: {
      httpsProxy: withScheme(either('HTTPS_PROXY')),
      httpProxy: withScheme(either('HTTP_PROXY')),
      noProxy: either('NO_PROXY'),
    },
  }
}

/** Adds the scheme to a proxy that is given as `HOST:PORT`, which curl accepts. */
function withScheme(proxy: string): string {
  return proxy === '' || proxy.includes('://') ? proxy : `http://${proxy}`
}

function withPrefix(env: NodeJS.ProcessEnv, prefix: string) {
  const found = Object.entries(env).filter(([name]) => name.startsWith(prefix))
  return new Map(
    found.map(([name, value]) => [name.slice(prefix.length).toLowerCase(), value ?? '']),
  )
}

/** Whether this run has been started again by hand. */
export function isRerun({ runAttempt }: Environment): boolean {
  return Number(runAttempt) > 1
}

/** Returns what distinguishes steps. The workflow's file stays the same if the workflow is renamed. */
export function stepNames({ workflowRef, workflow, job, action: step }: Environment) {
  const file = /^[^/]+\/[^/]+\/(?:\.github\/workflows\/)?(.+?)@/.exec(workflowRef)?.[1]
  return { workflow: file ?? workflow, job, step }
}

/** Returns the URL of the workflow run; empty outside of one. */
export function runUrlOf({ serverUrl, repository, runId }: Environment): string {
  return runId === '' ? '' : `${serverUrl}/${repository}/actions/runs/${runId}`
}

/** Returns the URL of this attempt of the workflow run; empty outside of one. */
export function attemptUrlOf(environment: Environment): string {
  const url = runUrlOf(environment)
  return url && `${url}/attempts/${environment.runAttempt || 1}`
}

/** What the main step leaves for the post step. */
type StateName = 'requested' | 'job-id' | 'pending' | 'finished' | 'explained'

/** What the post step finishes for a killed run. */
type PendingPart = 'comment' | 'status'

const DEFAULT_ORIGIN = new URL(INPUTS['base-url'].default).origin

/** How long calls to GitHub are repeated that the run can do without. The post step holds nothing up. */
const OPTIONAL_MS = { main: 12_000, post: 60_000 }

/** One run of a step: its inputs and its surroundings. */
export class Run {
  readonly environment: Environment
  readonly inputs: Inputs
  /** The problems of the inputs; a wrong one has the value of its default. */
  readonly problems: readonly InputProblem[]
  readonly clock: Clock
  /** Mintlify's name in messages: with another `base-url` its host, whose App may have another name. */
  readonly mintlifyName: string
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
  readonly log: Log
  /** Replaces the secrets in a text. */
  readonly redact: Redact
  readonly github: GitHub
  readonly mintlify: MintlifyClient
  readonly #sections: Record<SummarySection, string> = { job: '', visitors: '' }
  /** What the summary's file had before. */
  #earlierSummary: string | undefined
  #pending: Partial<Record<PendingPart, unknown>>
  /** The files and outputs whose failure has been logged. */
  readonly #unwritten = new Set<string>()

  /** Masks the secrets before anything else. Makes no request. */
  constructor(
    environment: Environment,
    waiting: Waiting,
    { isPost = false }: { readonly isPost?: boolean } = {},
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
    const { 'base-url': baseUrl } = inputs
    this.mintlifyName = baseUrl.origin === DEFAULT_ORIGIN ? 'Mintlify' : baseUrl.host
    this.log = createLog(this.redact, inputs.matrix)
    this.github = new GitHub({
      ...waiting,
      ...environment,
      token: inputs['github-token'],
      log: this.log,
      optionalMs: OPTIONAL_MS[isPost ? 'post' : 'main'],
    })
    this.mintlify = new MintlifyClient({
      name: this.mintlifyName,
      apiKey: inputs['api-key'],
      projectId: inputs['project-id'],
      baseUrl,
      redact: this.redact,
      clock: waiting.clock,
      http: new HttpClient({
        ...waiting,
        proxy: environment.proxy,
        timeoutMs: 30_000,
        debug: this.log.debug,
      }),
    })
    const saved = parseJson(this.readState('pending'))
    this.#pending = isRecord(saved) ? saved : {}
  }

  /** Returns the text of an input as it was given, or its default. */
  inputText(name: InputName): string {
    return this.environment.inputs.get(name)?.trim() || INPUTS[name].default
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

  /**
   * Writes a section of the step's summary instead of its earlier text. The order of the sections is fixed, whichever is
   * written first. They are in the file at once, so that a run that is killed loses none of them.
   */
  writeSummary(section: SummarySection, markdown: Markdown): void {
    const path = this.environment.summaryPath
    // The runner may not name a file.
    if (path === '') return
    this.#sections[section] = `${this.redact(markdown.source)}\n\n`
    this.#writeFile('summary', () => {
      this.#earlierSummary ??= readFileSync(path, { encoding: 'utf8', flag: 'a+' })
      let text = this.#earlierSummary
      for (const part of [this.#sections.job, this.#sections.visitors])
        text += byteLength(text + part) <= MAX_SUMMARY_BYTES ? part : TOO_LARGE
      writeFileSync(path, text)
    })
  }

  /** Saves a value for the post step; it replaces the earlier value. */
  saveState(name: StateName, value: string): void {
    this.#writeFile('state', () => core.saveState(name, value))
  }

  /** Writes a file that the runner reads. A failure is one error, and the step fails at its end. */
  #writeFile(name: string, write: () => void): void {
    try {
      write()
    } catch (error) {
      if (!this.#unwritten.has(name)) {
        this.log.failInSummary(
          `Could not write this step's ${name} (${errorMessage(error)}). The step continues without it and fails at the end. The cause is the runner, for example a full disk.`,
          `Could not write this step's ${name}`,
        )
      }
      this.#unwritten.add(name)
    }
  }

  /** Reads a value that the main step saved; empty if there is none. */
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
 * The run's log, and the only way text reaches it: it doesn't act as a workflow command or show a secret.
 * Annotations (`notice`, `warning`, `fail`) are shown at the top of the run, too. Their title states the problem in at
 * most 60 characters; the log appends the values of a matrix job.
 */
function createLog(redact: Redact, subject: string) {
  let failed = false
  const errorTitles = new Set<string>()
  const summaryWarnings: string[] = []
  const summaryLines: string[] = []
  // Cleaning takes characters out and could put a secret together, so that redacting comes first and last.
  const clean = (text: string): string => redact(logText(redact(text)))
  const titled = (title: string): core.AnnotationProperties => ({
    title: clean(`${shorten(title, MAX_TITLE_LENGTH)}${subject && ` (${subject})`}`),
  })
  return {
    info: (text: string) => core.info(clean(text)),
    /** Logs a line that only step debug logging shows. */
    debug: (text: string) => core.isDebug() && core.debug(clean(text)),
    notice: (text: string, title: string) => core.notice(clean(text), titled(title)),
    /** Logs a line that the summary shows, too. */
    infoInSummary(text: string) {
      summaryLines.push(clean(text))
      core.info(clean(text))
    },
    /** What the run has said with `infoInSummary`. */
    summaryLines: (): readonly string[] => summaryLines,
    warning: (text: string, title: string) => core.warning(clean(text), titled(title)),
    /** Logs a warning that the summary shows, too. */
    warnInSummary(text: string, title: string) {
      summaryWarnings.push(clean(text))
      core.warning(clean(text), titled(title))
    },
    /** Logs a line that the summary shows as a warning. */
    warnOnlyInSummary(text: string) {
      summaryWarnings.push(clean(text))
      core.info(clean(text))
    },
    /** Warnings for the summary. */
    summaryWarnings: (): readonly string[] => summaryWarnings,
    /** Logs an error, and marks the step as failed. A title is that of a cause, which has one annotation. */
    fail(text: string, title: string) {
      failed = true
      if (errorTitles.has(title)) core.info(clean(text))
      else core.error(clean(text), titled(title))
      errorTitles.add(title)
    },
    /** Logs an error that the summary shows, too. */
    failInSummary(text: string, title: string) {
      summaryWarnings.push(clean(text))
      failed = true
      core.error(clean(text), titled(title))
    },
    /** Logs a folded part. */
    group(title: string, text: string) {
      core.startGroup(clean(title))
      core.info(clean(text))
      core.endGroup()
    },
    hasFailed: () => failed,
  }
}

/** All outputs, as in `action.yml`: of the agent job, of the visitors report. */
export const OUTPUTS = [
  'job-id',
  'status',
  'pr-link',
  'result',
  'pr-number',
  'pr-operation',
  'pr-files',
  'source-authors',
  'job',
  'visitors',
  'visitors-markdown',
] as const

type OutputName = (typeof OUTPUTS)[number]

/** Values by output; what is not named is not set. */
export type OutputValues = Readonly<Partial<Record<OutputName, string>>>

/** An output may have this many bytes. GitHub's own limit is 1 MiB for all outputs of a job. */
const OUTPUT_LIMIT_BYTES = 256 * 1024

export type SummarySection = 'job' | 'visitors'

/** GitHub drops a step's summary that is larger than 1 MiB. */
const MAX_SUMMARY_BYTES = 1024 * 1024

const TOO_LARGE =
  "This part of the summary is larger than GitHub shows. The step's outputs and log have the result.\n\n"

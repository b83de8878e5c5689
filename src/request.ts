import { hasPrompt, type Trigger } from './events/trigger.ts'
import { type InputProblem, InputsError, inputNames } from './inputs/read.ts'
import type { Inputs } from './inputs/table.ts'
import type { JobRequest } from './job/perform.ts'
import { hasInstructions } from './job/plan.ts'
import { formatDuration } from './lib/time.ts'
import { type TextFile, WorkspaceError, WorkspaceReader } from './lib/workspace.ts'
import { type ReadersOptions, readReadersOptions } from './readers/options.ts'
import type { Run } from './runner/run.ts'

/** What a run is to do, checked as a whole. */
export type RunRequest = JobRequest & {
  /** Whether a job is requested, or is to be waited for. */
  readonly wantsJob: boolean
  /** `undefined` if no part of the readers report is requested. */
  readonly readers: ReadersOptions | undefined
}

/** All files that a run reads may have this many bytes together. */
const FILES_LIMIT_BYTES = 1024 * 1024

/**
 * Puts together what a run is to do. Sends nothing.
 *
 * @throws {InputsError} naming all that is wrong
 */
export async function loadRequest(trigger: Trigger, run: Run): Promise<RunRequest> {
  const { inputs, problems, environment, clock, log } = run
  const reader = new WorkspaceReader(environment.workspace, FILES_LIMIT_BYTES)
  const promptFiles = await readFiles('prompt-file', inputs, reader)
  const contextFiles = await readFiles('context-files', inputs, reader)
  const readersOptions = { workspace: environment.workspace, nowMs: clock.now(), problems }
  const readers = await readReadersOptions(inputs, readersOptions)
  const wantsJob = trigger.command !== undefined || hasPrompt(inputs) || inputs['job-id'] !== ''
  const files = { promptFiles: promptFiles.files, contextFiles: contextFiles.files }
  const command = trigger.command?.instructions ?? ''
  const hasRequest = hasInstructions({ ...files, prompt: inputs.prompt, command })
  const further = [
    ...missingInputs(inputs),
    ...promptFiles.problems,
    ...(files.promptFiles.length > 0 && !hasRequest && inputs['job-id'] === '' ? [EMPTY_FILES] : []),
    ...contextFiles.problems,
    ...pollInterval(inputs),
    ...signalsWithoutPrompt(inputs, wantsJob && hasRequest),
    ...readers.problems,
  ]
  const asking = ['job-id', 'visitors-summary', 'visitors-export', 'reader-signals']
  const isAsked = wantsJob || readers.isRequested || problems.some(({ input }) => asking.includes(input))
  const all = [...problems, ...further, ...(isAsked ? [] : [nothingRequested(readers.unused)])]
  const first = all.filter(({ input }, index) => all.findIndex((one) => one.input === input) === index)
  // In the order of the inputs' documentation.
  const names = inputNames()
  first.sort((a, b) => names.indexOf(a.input) - names.indexOf(b.input))
  if (first.length > 0) throw new InputsError(first)
  if (files.contextFiles.length > 0 && !hasRequest) {
    log.warning('`context-files` has no effect without a prompt: data alone requests nothing.')
  }
  for (const sentence of [...withoutEffect(inputs, wantsJob), ...readers.warnings]) log.warning(sentence)
  return { trigger, wantsJob, ...files, readers: readers.options }
}

/** Inputs about a job, given to a run that has none, or does not wait for it. */
function withoutEffect(inputs: Inputs, wantsJob: boolean): string[] {
  if (wantsJob && inputs.wait) return []
  const given = [
    ...(inputs['poll-interval'] === undefined ? [] : ['`poll-interval`']),
    ...(wantsJob || inputs.wait ? [] : ['`wait`']),
  ]
  const why = wantsJob ? 'with `wait: false`' : 'without a job'
  return given.map((name) => `${name} has no effect ${why}.`)
}

const WAYS_TO_ASK =
  'prompt, prompt-file, job-id, visitors-summary, visitors-export, reader-signals, or a comment that starts with the command (/docs)'

function nothingRequested(unused: readonly string[]): InputProblem {
  return unused.length === 0
    ? { input: 'prompt', problem: 'is missing, and nothing else is requested', accepted: WAYS_TO_ASK }
    : {
        input: 'visitors-summary',
        problem: `is not set, so ${unused.join(', ')} has no effect, and nothing else is requested`,
        accepted: `true; or one of ${WAYS_TO_ASK}`,
      }
}

function missingInputs(inputs: Inputs): InputProblem[] {
  const missing: InputProblem[] = []
  if (inputs['api-key'] === '' && !inputs['dry-run']) {
    missing.push({
      input: 'api-key',
      problem:
        'is missing: is the secret set for this repository or organization, and if this is a reusable workflow, does its caller pass `secrets:` on?',
      accepted: 'an admin API key of the docs service, from a secret of the repository',
    })
  }
  if (inputs['project-id'] === '') {
    missing.push({
      input: 'project-id',
      problem:
        'is missing: if the workflow takes it from a variable, such as `vars.DOCS_PROJECT_ID`, is that set for this repository or organization?',
      accepted: "the project's id, from the dashboard's API keys page",
    })
  }
  return missing
}

const EMPTY_FILES: InputProblem = {
  input: 'prompt-file',
  problem: 'names only empty files',
  accepted: 'files with instructions in them',
}

function pollInterval({ timeout, 'poll-interval': pollInterval }: Inputs): InputProblem[] {
  if (pollInterval === undefined || pollInterval <= timeout) return []
  const problem = `(${formatDuration(pollInterval)}) is longer than timeout (${formatDuration(timeout)})`
  return [{ input: 'poll-interval', problem, accepted: 'a pause that is at most as long as `timeout`' }]
}

/** The job is told what readers missed in the block that the prompt gets. */
function signalsWithoutPrompt(inputs: Inputs, hasRequest: boolean): InputProblem[] {
  if (inputs['reader-signals'] !== 'agent' || (hasRequest && inputs.context !== 'none')) return []
  const problem = hasRequest
    ? '("agent") has no effect with `context: none`'
    : '("agent") needs a prompt, as it is for the job of this run'
  const accepted = 'report; or agent with a prompt and `context: diff` or `files`'
  return [{ input: 'reader-signals', problem, accepted }]
}

async function readFiles(
  input: 'prompt-file' | 'context-files',
  inputs: Inputs,
  reader: WorkspaceReader,
): Promise<{ files: TextFile[]; problems: InputProblem[] }> {
  const files: TextFile[] = []
  const problems: string[] = []
  for (const name of inputs[input]) {
    try {
      files.push({ name, text: await reader.read(name) })
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      problems.push(`"${name}", which ${error.message}`)
    }
  }
  if (problems.length === 0) return { files, problems: [] }
  const accepted = 'text files of the workspace, one per line'
  return { files, problems: [{ input, problem: `names ${problems.join(', and ')}`, accepted }] }
}

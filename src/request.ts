import { hasPrompt, type Trigger } from './events/trigger.ts'
import { API_KEY } from './inputs/formats.ts'
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

/**
 * Puts together what a run is to do. Sends nothing.
 *
 * @throws {InputsError} naming all that is wrong
 */
export async function loadRequest(trigger: Trigger, run: Run): Promise<RunRequest> {
  const { inputs, environment, log } = run
  const problems = [...run.problems]
  const reader = new WorkspaceReader(environment.workspace)
  const promptFiles = await readFiles('prompt-file', inputs, { reader, problems })
  const contextFiles = await readFiles('context-files', inputs, { reader, problems })
  const files = { promptFiles, contextFiles }
  const readers = await readReadersOptions(run)
  const command = trigger.command?.instructions ?? ''
  const hasInstruction = hasInstructions({ ...files, prompt: inputs.prompt, command })
  const wantsJob = trigger.command !== undefined || hasPrompt(inputs) || inputs['job-id'] !== ''
  const asking = ['job-id', 'visitors-summary', 'visitors-export', 'reader-signals']
  const isAsked =
    wantsJob || readers.options !== undefined || run.problems.some(({ input }) => asking.includes(input))

  problems.push(...togetherWrong(inputs, hasInstruction), ...readers.problems)
  if (promptFiles.length > 0 && !hasInstruction && inputs['job-id'] === '') problems.push(EMPTY_FILES)
  if (!isAsked) problems.push(nothingRequested(readers.unused))
  // In the order of the inputs' documentation, and of each what was found first.
  const first = inputNames().flatMap((name) => problems.find(({ input }) => input === name) ?? [])
  if (first.length > 0) throw new InputsError(first)

  const isAwaited = wantsJob && inputs.wait
  const why = wantsJob ? 'with `wait: false`' : 'without a job'
  if (contextFiles.length > 0 && !hasInstruction)
    log.warning('`context-files` has no effect without a prompt: data alone requests nothing.')
  if (inputs['poll-interval'] !== undefined && !isAwaited)
    log.warning(`\`poll-interval\` has no effect ${why}.`)
  if (!wantsJob && !inputs.wait) log.warning('`wait` has no effect without a job.')
  for (const sentence of readers.warnings) log.warning(sentence)
  return { trigger, wantsJob, ...files, readers: readers.options }
}

const WAYS_TO_ASK =
  'prompt, prompt-file, job-id, visitors-summary, visitors-export, reader-signals, or a comment that starts with the command (/docs)'

function nothingRequested(unused: readonly string[]): InputProblem {
  if (unused.length === 0) {
    return { input: 'prompt', problem: 'is missing, and nothing else is requested', accepted: WAYS_TO_ASK }
  }
  const problem = `is not set, so ${unused.join(', ')} has no effect, and nothing else is requested`
  return { input: 'visitors-summary', problem, accepted: `true; or one of ${WAYS_TO_ASK}` }
}

const EMPTY_FILES: InputProblem = {
  input: 'prompt-file',
  problem: 'names only empty files',
  accepted: 'files with instructions in them',
}

/** What is wrong with inputs that are right by themselves. */
function togetherWrong(inputs: Inputs, hasInstruction: boolean): InputProblem[] {
  const { timeout, 'poll-interval': pollInterval = 0 } = inputs
  const found: InputProblem[] = []
  if (inputs['api-key'] === '' && !inputs['dry-run']) {
    const problem =
      'is missing: is the secret set for this repository or organization, and if this is a reusable workflow, does its caller pass `secrets:` on?'
    found.push({ input: 'api-key', problem, accepted: API_KEY.accepted })
  }
  if (inputs['project-id'] === '') {
    const problem =
      'is missing: if the workflow takes it from a variable, such as `vars.DOCS_PROJECT_ID`, is that set for this repository or organization?'
    const accepted = "the project's id, from the dashboard's API keys page"
    found.push({ input: 'project-id', problem, accepted })
  }
  if (pollInterval > timeout) {
    const problem = `(${formatDuration(pollInterval)}) is longer than timeout (${formatDuration(timeout)})`
    const accepted = 'a pause that is at most as long as `timeout`'
    found.push({ input: 'poll-interval', problem, accepted })
  }
  // The job is told what readers missed in the block that the prompt gets.
  if (inputs['reader-signals'] === 'agent' && (!hasInstruction || inputs.context === 'none')) {
    const problem = hasInstruction
      ? '("agent") has no effect with `context: none`'
      : '("agent") needs a prompt, as it is for the job of this run'
    const accepted = 'report; or agent with a prompt and `context: diff` or `files`'
    found.push({ input: 'reader-signals', problem, accepted })
  }
  return found
}

/** Reads the files that an input names; those that can't be read become a problem. */
async function readFiles(
  input: 'prompt-file' | 'context-files',
  inputs: Inputs,
  { reader, problems }: { readonly reader: WorkspaceReader; readonly problems: InputProblem[] },
): Promise<TextFile[]> {
  const files: TextFile[] = []
  const unread: string[] = []
  for (const name of inputs[input]) {
    try {
      files.push({ name, text: await reader.read(name) })
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      unread.push(`"${name}", which ${error.message}`)
    }
  }
  const accepted = 'text files of the workspace, one per line'
  if (unread.length > 0) problems.push({ input, problem: `names ${unread.join(', and ')}`, accepted })
  return files
}

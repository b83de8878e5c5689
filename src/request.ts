import { hasPrompt, type Trigger } from './events/trigger.ts'
import { type InputProblem, InputsError, inputNames } from './inputs/read.ts'
import { INPUTS, type Inputs } from './inputs/table.ts'
import type { JobRequest } from './job/perform.ts'
import { hasInstructions } from './job/plan.ts'
import { listOf } from './lib/text.ts'
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

/** Puts together what a run is to do. Sends nothing. @throws {InputsError} naming all that is wrong */
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

  problems.push(...togetherWrong(run, hasInstruction), ...readers.problems)
  if (promptFiles.length > 0 && !hasInstruction && inputs['job-id'] === '') {
    const accepted = 'files with instructions in them'
    problems.push({ input: 'prompt-file', problem: 'names only empty files', accepted })
  }
  if (!isAsked) problems.push(nothingRequested(readers.unused, contextFiles.length > 0))
  // In the order of the inputs' documentation, and of each what was found first.
  const first = inputNames().flatMap((name) => problems.find(({ input }) => input === name) ?? [])
  if (first.length > 0) throw new InputsError(first, environment.inputs)

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

function nothingRequested(unused: readonly string[], hasContextFiles: boolean): InputProblem {
  if (unused.length > 0) {
    const problem = `is not set, and without a report nothing uses ${listOf(unused)}`
    const accepted = 'true; or prompt, prompt-file, job-id, visitors-export, reader-signals, a /docs comment'
    return { input: 'visitors-summary', problem, accepted }
  }
  const problem = hasContextFiles
    ? 'is missing: context-files alone request nothing'
    : 'is missing, and nothing else is requested'
  const accepted =
    'an instruction, here or in prompt-file; job-id, to wait for a job; visitors-summary, visitors-export or reader-signals, for a report alone; or a comment that starts with the command (/docs)'
  return { input: 'prompt', problem, accepted }
}

/** What is wrong with inputs that are right by themselves. */
function togetherWrong({ inputs, environment }: Run, hasInstruction: boolean): InputProblem[] {
  const { timeout, 'poll-interval': pollInterval = 0 } = inputs
  const found: InputProblem[] = []
  if (inputs['api-key'] === '' && !inputs['dry-run']) {
    const problem =
      "is missing: is its secret's name spelled as in the settings of this repository, its organization or the job's environment? In a reusable workflow, does the caller pass it with `secrets:`?"
    found.push({ input: 'api-key', problem, accepted: INPUTS['api-key'].format.accepted })
  }
  if (inputs['project-id'] === '') {
    const problem =
      'is missing: if it is taken from `vars.DOCS_PROJECT_ID`, is that set, as a variable and not as a secret (`gh variable set DOCS_PROJECT_ID`)?'
    found.push({ input: 'project-id', problem, accepted: INPUTS['project-id'].format.accepted })
  }
  if (pollInterval > timeout) {
    const problem = `("${environment.inputs.get('poll-interval')?.trim()}") is longer than timeout`
    const accepted = `a pause that is at most as long as \`timeout\` (${INPUTS.timeout.default} if not given)`
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
  const accepted = 'text files of the workspace, one per line (no commas), with / between folders'
  if (unread.length > 0) problems.push({ input, problem: `names ${unread.join(', and ')}`, accepted })
  return files
}

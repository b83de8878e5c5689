import { type InputProblem, InputsError, inputNames, type ReadInputs } from './inputs/read.ts'
import type { InputName, Inputs } from './inputs/table.ts'
import type { Clock } from './lib/clock.ts'
import { formatDuration } from './lib/duration.ts'
import { openWorkspace, type TextFile, type Workspace, WorkspaceError } from './lib/workspace.ts'
import type { Environment } from './runner/environment.ts'
import { hasPrompt, type Trigger } from './trigger/trigger.ts'
import { readVisitorsOptions, type VisitorsOptions } from './visitors/options.ts'

/** What a run is to do: its inputs, checked, and the files that they name. */
export type RunRequest = Trigger & {
  readonly inputs: Inputs
  /** Whether a job is requested, or is to be waited for. */
  readonly wantsJob: boolean
  readonly promptFiles: readonly TextFile[]
  readonly contextFiles: readonly TextFile[]
  /** `undefined` if neither report nor export is requested. */
  readonly visitors: VisitorsOptions | undefined
}

/** All files that a run reads may have this many bytes together. */
const FILES_LIMIT_BYTES = 1024 * 1024

/**
 * Puts together what a run is to do, and checks it as a whole. Sends nothing.
 *
 * @throws {InputsError} naming all that is wrong
 */
export async function loadRunRequest(
  trigger: Trigger,
  { inputs, problems }: ReadInputs,
  { environment, clock }: { readonly environment: Environment; readonly clock: Clock },
): Promise<RunRequest> {
  const workspace = openWorkspace(environment.workspace, FILES_LIMIT_BYTES)
  const promptFiles = await readFiles('prompt-file', inputs, workspace)
  const contextFiles = await readFiles('context-files', inputs, workspace)
  const visitors = await readVisitorsOptions(inputs, {
    workspace: environment.workspace,
    nowMs: clock.now(),
    problems,
  })
  const wantsVisitors = inputs['visitors-summary'] || inputs['visitors-export'] !== ''
  const wantsJob = trigger.command !== undefined || hasPrompt(inputs) || inputs['job-id'] !== ''
  const further = [
    ...missingInputs(inputs),
    ...promptFiles.problems,
    ...emptyPrompt(trigger, inputs, promptFiles.files),
    ...contextFiles.problems,
    ...pollInterval(inputs),
    ...visitors.problems,
    ...(wantsJob || wantsVisitors || problems.length > 0 ? [] : [NOTHING_REQUESTED]),
  ].filter(({ input }) => !problems.some((problem) => problem.input === input))
  const all = [...problems, ...further]
  if (all.length > 0) throw new InputsError(inOrder(all))
  return {
    ...trigger,
    inputs,
    wantsJob,
    promptFiles: promptFiles.files,
    contextFiles: contextFiles.files,
    visitors: visitors.options,
  }
}

/** Problems in the order of the inputs' documentation. */
function inOrder(problems: readonly InputProblem[]): InputProblem[] {
  const names = inputNames()
  return problems.toSorted((a, b) => names.indexOf(a.input) - names.indexOf(b.input))
}

const NOTHING_REQUESTED: InputProblem = {
  input: 'prompt',
  problem: 'is missing, and nothing else is requested either',
  accepted:
    'prompt, prompt-file, job-id, visitors-summary, visitors-export, or a comment that begins with the command (/docs)',
}

function missingInputs(inputs: Inputs): InputProblem[] {
  const missing: InputProblem[] = []
  if (inputs['api-key'] === '' && !inputs['dry-run']) {
    missing.push({
      input: 'api-key',
      problem:
        'is missing: is the secret set for this repository or organisation, and if this is a reusable workflow, does its caller pass `secrets:` on',
      accepted: 'an admin API key of the docs service, from a secret of the repository',
    })
  }
  if (inputs['project-id'] === '') {
    missing.push({
      input: 'project-id',
      problem: 'is missing',
      accepted: "the project's id, from the dashboard's API keys page",
    })
  }
  return missing
}

function emptyPrompt({ command }: Trigger, inputs: Inputs, promptFiles: readonly TextFile[]): InputProblem[] {
  const saysMore = (command?.instructions ?? '') !== '' || inputs.prompt !== '' || inputs['job-id'] !== ''
  const isEmpty = promptFiles.length > 0 && promptFiles.every(({ text }) => text.trim() === '')
  if (saysMore || !isEmpty) return []
  return [
    { input: 'prompt-file', problem: 'names empty files alone', accepted: 'files with instructions in them' },
  ]
}

function pollInterval({ timeout, 'poll-interval': pollInterval }: Inputs): InputProblem[] {
  if (pollInterval === undefined || pollInterval <= timeout) return []
  return [
    {
      input: 'poll-interval',
      problem: `(${formatDuration(pollInterval)}) is longer than timeout (${formatDuration(timeout)})`,
      accepted: 'a pause that is at most as long as `timeout`',
    },
  ]
}

async function readFiles(
  input: Extract<InputName, 'prompt-file' | 'context-files'>,
  inputs: Inputs,
  workspace: Workspace,
): Promise<{ readonly files: readonly TextFile[]; readonly problems: readonly InputProblem[] }> {
  const files: TextFile[] = []
  const problems: InputProblem[] = []
  for (const name of inputs[input]) {
    try {
      files.push({ name, text: await workspace.read(name) })
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      const accepted = 'text files of the workspace, one per line'
      problems.push({ input, problem: `names "${name}", which ${error.message}`, accepted })
    }
  }
  return { files, problems }
}

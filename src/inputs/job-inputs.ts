import { FAILING_RESULTS, type FailingResult } from '../job/outcome.ts'
import type { TextFile } from '../job/prompt.ts'
import { type Workspace, WorkspaceError } from '../lib/workspace.ts'
import type { Environment } from '../runner/environment.ts'
import { anyOf, BOOLEAN, duration, PATH_SEGMENT, splitLines } from './formats.ts'
import type { InputReader } from './reader.ts'

/** What the inputs say of an agent job. */
export type JobInputs = {
  /** Whether a job is asked for at all. */
  readonly asked: boolean
  readonly prompt: string
  readonly promptFiles: readonly TextFile[]
  readonly contextFiles: readonly TextFile[]
  /** Whether to tell the agent what GitHub knows of the event. */
  readonly context: boolean
  /** Empty if none was given. */
  readonly jobId: string
  readonly wait: boolean
  readonly timeoutMs: number
  /** `undefined`: adaptive. */
  readonly pollIntervalMs: number | undefined
  readonly failOn: ReadonlySet<FailingResult>
  readonly summary: boolean
}

/** Reads the inputs of the agent job, files included. What is wrong is left with the reader. */
export async function readJobInputs(inputs: InputReader, workspace: Workspace): Promise<JobInputs> {
  const promptFiles = await readFiles('prompt-file', inputs, workspace)
  const saysNothing = ['prompt', 'job-id'].every((name) => inputs.text(name) === '')
  if (saysNothing && promptFiles.length > 0 && promptFiles.every(({ text }) => text.trim() === '')) {
    inputs.report({ input: 'prompt-file', problem: 'names nothing but empty files', accepted: '' })
  }
  return {
    asked: asksForJob(inputs),
    prompt: inputs.text('prompt'),
    promptFiles,
    contextFiles: await readFiles('context-files', inputs, workspace),
    context: inputs.value('context', BOOLEAN, 'true'),
    jobId: inputs.optional('job-id', PATH_SEGMENT) ?? '',
    wait: inputs.value('wait', BOOLEAN, 'true'),
    timeoutMs: inputs.value('timeout', duration(), '30m'),
    pollIntervalMs: inputs.optional('poll-interval', duration(100)),
    failOn: inputs.value('fail-on', anyOf(FAILING_RESULTS), 'failed, timed-out'),
    summary: inputs.value('summary', BOOLEAN, 'true'),
  }
}

/** Whether a summary is wanted, as far as that can be read from inputs that may be wrong. */
export function wantsSummary({ inputs }: Environment): boolean {
  return !/^false$/i.test(inputs.get('summary') ?? '')
}

/** Whether the inputs ask for a job, as far as they can be read: they name a prompt, a file of it, or a job. */
export function asksForJob(inputs: InputReader): boolean {
  return ['prompt', 'prompt-file', 'job-id'].some((name) => inputs.text(name) !== '')
}

async function readFiles(input: string, inputs: InputReader, workspace: Workspace): Promise<TextFile[]> {
  const files: TextFile[] = []
  for (const name of splitLines(inputs.text(input))) {
    try {
      files.push({ name, text: await workspace.read(name) })
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      inputs.report({
        input,
        problem: `names "${name}", which ${error.message}`,
        accepted: 'text files of the workspace, one a line',
      })
    }
  }
  return files
}

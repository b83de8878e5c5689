import { promises as files } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import {
  hasPrompt,
  hasReport,
  INPUTS,
  type InputName,
  type InputProblem,
  type Inputs,
  InputsProblem,
  inputNames,
} from '../inputs/table.ts'
import { docsLink, errorCode, errorMessage, inBackticks } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { GitHubEvent } from './event.ts'

export type TextFile = {
  /** As the workflow names it. */
  readonly name: string
  readonly text: string
}

/** What a run does, checked as a whole. */
export type RunRequest = {
  /** Whether a job is requested or waited for. */
  readonly wantsJob: boolean
  /** Whether the inputs or the command contain instructions. */
  readonly hasInstructions: boolean
  readonly prompt: string
  readonly promptFiles: readonly TextFile[]
  /** Files to be read as data. */
  readonly contextFiles: readonly TextFile[]
}

type Reject = (input: InputName, problem: string, use?: string) => void

/** Reads and checks the request, without sending anything. @throws {InputsProblem} with all problems */
export async function readRequest(event: GitHubEvent, run: Run): Promise<RunRequest> {
  const { inputs, environment } = run
  const { command } = event
  const problems: InputProblem[] = [...run.problems]
  const reject: Reject = (input, problem, use = INPUTS[input].format.use) =>
    void problems.push({ input, problem, use })
  const reader = new WorkspaceReader(environment.workspace)
  const promptFiles = await readInputFiles('prompt-file', inputs, reader, reject)
  const contextFiles = await readInputFiles('context-files', inputs, reader, reject)
  const texts = [inputs.prompt, command?.request ?? '', ...promptFiles.map(({ text }) => text)]
  // The open review comments can be the instructions of a command. Data alone requests nothing.
  const hasInstructions =
    texts.some((text) => text.trim() !== '') || command?.thread.isPull === true
  const wantsJob = command !== undefined || hasPrompt(inputs) || inputs['job-id'] !== ''
  rejectMissingAccess(run, reject)
  if (promptFiles.length > 0 && !hasInstructions && inputs['job-id'] === '')
    reject('prompt-file', 'The files are empty.', 'files that contain instructions')
  if (inputs['content-gaps'] === 'agent' && (!hasPrompt(inputs) || inputs.context === 'none'))
    reject(
      'content-gaps',
      '`agent` needs a `prompt`, and a `context` other than `none`.',
      '`report`, or set both',
    )
  const isWrong = (...names: string[]): boolean =>
    problems.some(({ input }) => names.includes(input))
  const isJobMeant = wantsJob || isWrong('prompt', 'prompt-file', 'job-id')
  const isReportMeant = hasReport(inputs) || isWrong('visitors-summary', 'content-gaps')
  if (!isJobMeant && !isReportMeant) rejectNothing(inputs, reject)
  // In the order of the inputs' documentation, and one problem for each input.
  const order = [...inputNames(), ...run.problems.map(({ input }) => input)]
  const first = [...new Set(order)].flatMap(
    (name) => problems.find(({ input }) => input === name) ?? [],
  )
  if (first.length > 0) throw new InputsProblem(first, isJobMeant || !isReportMeant)
  return { wantsJob, hasInstructions, prompt: inputs.prompt, promptFiles, contextFiles }
}

/** Rejects a step that requests neither a job nor a report. */
function rejectNothing({ command }: Inputs, reject: Reject): void {
  const start = command ? `, \`prompt-file\`, or a \`${command}\` comment` : ' or `prompt-file`'
  reject(
    'prompt',
    'No input requests a job or a report. The name of an input may be misspelled (GitHub then warns about `Unexpected input(s)`), or its expression may be empty.',
    `\`prompt\`${start} to start a job, \`job-id\` to wait for one, or \`visitors-summary\` or \`content-gaps\` for a report ${docsLink('inputs-outputs.md#inputs')}`,
  )
}

function rejectMissingAccess(run: Run, reject: Reject): void {
  if (run.inputText('api-key') === '' && !run.inputs['dry-run'])
    reject(
      'api-key',
      'It is empty. The secret may be missing from this repository, organization, or environment, or its name may be misspelled. A reusable workflow gets it only if the caller passes it under `secrets:`.',
    )
  if (run.inputText('project-id') === '')
    reject(
      'project-id',
      'It is empty. If it comes from `vars.DOCS_PROJECT_ID`, make sure that this is a variable and not a secret.',
      'the ID on the API keys page of the Mintlify dashboard: `gh variable set DOCS_PROJECT_ID`',
    )
}

/** Reads the files that an input names; those that can't be read are a problem. */
async function readInputFiles(
  input: 'prompt-file' | 'context-files',
  inputs: Inputs,
  reader: WorkspaceReader,
  reject: Reject,
): Promise<TextFile[]> {
  const read: TextFile[] = []
  const unread: string[] = []
  for (const name of inputs[input]) {
    try {
      read.push({ name, text: await reader.read(name) })
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      unread.push(`${inBackticks(name)} ${error.message}.`)
    }
  }
  const use = 'text files in the workspace, one per line, with `/` between folders'
  if (unread.length > 0) reject(input, unread.join(' '), use)
  return read
}

/** A file that can't be used. The message is the problem, to follow the file's name: `doesn't exist`. */
class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

/** The limit for all files of a run together. */
const MAX_WORKSPACE_BYTES = 1024 * 1024

/** Reads text files of the workspace. */
class WorkspaceReader {
  readonly #root: string
  #readBytes = 0

  constructor(root: string) {
    this.#root = root
  }

  /** Resolves a name without links. Rejects if there is no such file, or if it is outside the workspace. */
  async #resolve(name: string): Promise<string> {
    const root = await files.realpath(this.#root)
    const path = await files.realpath(resolve(root, name))
    if (!isInside(root, path)) throw new WorkspaceError('is outside the workspace')
    return path
  }

  /**
   * Reads a UTF-8 file.
   *
   * @param name path relative to the workspace, or absolute within it; links are followed
   * @throws {WorkspaceError} if it is missing, outside, not a file, not UTF-8 text, or too large
   */
  async read(name: string): Promise<string> {
    try {
      const path = await this.#resolve(name)
      const kind = await files.stat(path)
      if (kind.isDirectory()) throw new WorkspaceError('is a directory')
      // Opening a named pipe would wait for a writer.
      if (!kind.isFile()) throw new WorkspaceError("isn't a regular file")
      this.#readBytes += kind.size
      if (this.#readBytes > MAX_WORKSPACE_BYTES) {
        throw new WorkspaceError(
          `is too large: the files of a run can have at most ${MAX_WORKSPACE_BYTES / 1024} KiB in total`,
        )
      }
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await files.readFile(path))
      if (text.includes('\0')) throw new WorkspaceError("isn't a text file")
      return text
    } catch (error) {
      const cause = error
      if (error instanceof TypeError) throw new WorkspaceError("isn't UTF-8 text", { cause })
      if (error instanceof WorkspaceError) throw error
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error)))
        throw new WorkspaceError(`can't be read: ${errorMessage(error)}`, { cause })
      const checkout = 'Make sure that `actions/checkout` runs before this step'
      throw new WorkspaceError(`doesn't exist in the workspace. ${checkout}`, { cause })
    }
  }
}

/** Whether an absolute path is a directory or below it; both free of links. */
function isInside(directory: string, path: string): boolean {
  const steps = relative(directory, path)
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)
}

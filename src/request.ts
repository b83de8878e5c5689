import { promises as files } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { MINTLIFY_KEY } from './inputs/formats.ts'
import {
  hasPrompt,
  hasReport,
  INPUTS,
  type InputName,
  type InputProblem,
  type Inputs,
  InputsError,
  inputNames,
  readInputs,
} from './inputs/table.ts'
import { type ProxySettings, proxyProblem } from './lib/http.ts'
import {
  docsLink,
  EXPRESSION,
  errorCode,
  errorMessage,
  inBackticks,
  joinSentences,
  listOf,
  MAX_TITLE_LENGTH,
} from './lib/text.ts'
import type { Trigger } from './look/trigger.ts'
import type { RunRequest, TextFile } from './prompt/prompt.ts'
import type { Run } from './runner/run.ts'

type Reject = (input: InputName, problem: string, use?: string, title?: string) => void

/** Reads and checks the request, without sending anything. @throws {InputsError} with all problems */
export async function loadRequest(trigger: Trigger, run: Run): Promise<RunRequest> {
  const { inputs, environment, log } = run
  const problems = singleInputProblems(run)
  const reject: Reject = (input, problem, use = INPUTS[input].format.use, title) =>
    void problems.push({ input, problem, use, title })
  const reader = new WorkspaceReader(environment.workspace)
  const promptFiles = await readInputFiles('prompt-file', inputs, { reader, reject })
  const contextFiles = await readInputFiles('context-files', inputs, { reader, reject })
  const command = trigger.command?.instructions ?? ''
  const parts = { prompt: inputs.prompt, promptFiles, command, contextFiles }
  const texts = [inputs.prompt, command, ...promptFiles.map(({ text }) => text)]
  // Data alone requests nothing.
  const hasInstructions = texts.some((text) => text.trim() !== '')
  const wantsJob = trigger.command !== undefined || hasPrompt(inputs) || inputs['job-id'] !== ''
  rejectMissingAccess(trigger.event.payload.repository?.fork === true, run, reject)
  if (await reader.hasFile(inputs.prompt)) {
    const problem = `${inBackticks(inputs.prompt)} is only the name of a file.`
    reject('prompt', problem, '`prompt-file` to send the contents of the file', PROMPT_IS_FILE)
  }
  if (promptFiles.length > 0 && !hasInstructions && inputs['job-id'] === '') {
    const use = 'files that contain instructions'
    reject('prompt-file', 'The files are empty.', use, 'The files in `prompt-file` are empty')
  }
  rejectCombinations(hasInstructions, run, reject)
  const isWrong = (...names: string[]): boolean =>
    problems.some(({ input }) => names.includes(input))
  const isJobMeant = wantsJob || isWrong('prompt', 'prompt-file', 'job-id')
  const isReportMeant =
    hasReport(inputs) || isWrong('visitors-summary', 'visitors-export', 'content-gaps')
  if (!isJobMeant && !isReportMeant) rejectNothing(inputs, reject)
  // In the order of the inputs' documentation, and one problem for each input.
  const first = inputNames().flatMap((name) => problems.find(({ input }) => input === name) ?? [])
  first.push(...proxyProblems(environment.proxy))
  if (first.length > 0) throw new InputsError(first, isJobMeant || !isReportMeant)

  for (const { text, title } of warningsAbout(inputs, wantsJob)) log.warning(text, title)
  if (/^[^\s:]+\.(?:mdx?|txt)$/.test(inputs.prompt)) {
    log.warnInSummary(
      "`prompt` looks like the name of a file that isn't in the workspace, so the agent gets only this name. To send the contents of a file, use `prompt-file`, and make sure that `actions/checkout` runs before this step.",
      '`prompt` looks like a file name',
    )
  }
  return { trigger, wantsJob, hasInstructions, parts }
}

const PROMPT_IS_FILE = '`prompt` is only the name of a file'

/** Rejects values that are right alone, but not together. */
function rejectCombinations(hasInstructions: boolean, run: Run, reject: Reject): void {
  const { timeout, 'poll-interval': pollInterval = 0, 'content-gaps': gaps, context } = run.inputs
  if (pollInterval > timeout) {
    const [given, limit] = [run.inputText('poll-interval'), run.inputText('timeout')]
    const problem = `\`${given}\` is longer than \`timeout\` (\`${limit}\`).`
    const title = '`poll-interval` is longer than `timeout`'
    reject('poll-interval', problem, `at most \`${limit}\``, title)
  }
  // The list of content gaps is a part of the block that the prompt gets.
  if (gaps === 'agent' && (!hasInstructions || context === 'none')) {
    const isWithoutContext = context === 'none'
    const missing = listOf([
      ...(hasInstructions ? [] : ['a prompt']),
      ...(isWithoutContext ? ['a `context`'] : []),
    ])
    const needed = `${missing}${isWithoutContext ? ' other than `none`' : ''}`
    const problem = `\`agent\` adds the content gaps to this run's prompt, so it needs ${needed}.`
    const title = hasInstructions
      ? '`content-gaps: agent` needs another `context`'
      : `\`content-gaps: agent\` needs ${missing}`
    reject('content-gaps', problem, `\`report\`, or set ${needed}`, title)
  }
}

/** Rejects a step that requests neither a job nor a report. */
function rejectNothing({ command }: Inputs, reject: Reject): void {
  const start = command ? `, \`prompt-file\`, or a \`${command}\` comment` : ' or `prompt-file`'
  reject(
    'prompt',
    'No input requests a job or a report. The name of an input may be misspelled (GitHub then warns about `Unexpected input(s)`), or its expression may be empty.',
    `\`prompt\`${start} to start a job, \`job-id\` to wait for one, or \`visitors-summary\`, \`visitors-export\`, or \`content-gaps\` for a report ${docsLink('inputs-outputs.md#inputs')}`,
    'No input requests a job or a report',
  )
}

type Warning = { readonly title: string; readonly text: string }

/** Lists likely mistakes in inputs that are valid. */
function warningsAbout(inputs: Inputs, wantsJob: boolean): readonly Warning[] {
  const warnings: Warning[] = []
  const warn = (title: string, text: string): void => void warnings.push({ title, text })
  const [names, why] = inputsWithoutEffect(inputs, wantsJob)
  const [only = ''] = names
  if (names.length === 1) warn(`${only} has no effect`, `${only} has no effect ${why}.`)
  if (names.length > 1)
    warn(`${names.length} inputs have no effect`, `${listOf(names)} have no effect ${why}.`)
  if (inputs['pr-reviewers'].includes('source-author'))
    warn(
      '`source-author` is used as a login',
      '`source-author` in `pr-reviewers` is used as a login. To ask the people whose changes the docs are about, use `source-authors`.',
    )
  if (inputs.matrix === 'Object')
    warn(
      '`matrix` is the text "Object"',
      `\`matrix\` is the text "Object", because \`\${{ matrix }}\` can't be passed directly. Use \`\${{ toJSON(matrix) }}\`, or remove the input.`,
    )
  if (/^[\p{L}\p{N}]/u.test(inputs.command))
    warn(
      '`command` is an ordinary word',
      `\`command: ${inputs.command}\` is an ordinary word, so comments may start with it by accident. Use \`/${inputs.command}\`, for example.`,
    )
  return warnings
}

/** Lists the inputs that were set although this run doesn't use them, and why it doesn't. */
function inputsWithoutEffect(
  inputs: Inputs,
  wantsJob: boolean,
): readonly [names: readonly string[], why: string] {
  const { inputs: defaults } = readInputs(new Map(), (text) => text)
  const setOf = (names: readonly InputName[]): readonly string[] =>
    names.filter((name) => !isDeepStrictEqual(inputs[name], defaults[name])).map(inBackticks)
  if (!wantsJob) return [setOf(OF_JOBS), 'without a job. To request one, set `prompt` or `job-id`']
  return inputs.wait ? [[], ''] : [setOf(['poll-interval']), 'with `wait: false`']
}

const OF_JOBS = [
  'context-files',
  'context',
  'skip-unchanged',
  'wait',
  'timeout',
  'poll-interval',
  'fail-on',
  'skip-labels',
  'paths',
  'follow-up',
  'pause-after',
  'pr-reviewers',
  'pr-labels',
  'comment',
] as const

/** Lists the problems of single inputs. A key and a project ID that are swapped are one problem. */
function singleInputProblems({ environment, problems }: Run): InputProblem[] {
  const [key = '', projectId = ''] = ['api-key', 'project-id'].map((name) =>
    environment.inputs.get(name),
  )
  const input = 'api-key'
  if (key.trim() !== '' && key.trim() === projectId.trim() && !MINTLIFY_KEY.test(key)) {
    const problem = 'The value is the same as that of `project-id`.'
    const title = '`api-key` and `project-id` have the same value'
    return [...problems, { input, problem, use: INPUTS[input].format.use, title }]
  }
  if (!MINTLIFY_KEY.test(projectId) || MINTLIFY_KEY.test(key) || key.trim() === '')
    return [...problems]
  const swapped = {
    input,
    problem: 'It is swapped with `project-id`, whose value starts with `mint_`, as API keys do.',
    use: 'the key for `api-key`, from a secret, and the ID for `project-id`. Replace a key that was stored in a variable',
    title: '`api-key` and `project-id` are swapped',
  }
  return [swapped, ...problems.filter((one) => !['api-key', 'project-id'].includes(one.input))]
}

function rejectMissingAccess(isFork: boolean, run: Run, reject: Reject): void {
  if (run.inputText('api-key') === '' && !run.inputs['dry-run']) {
    const why = isFork
      ? "It is empty, because a fork doesn't have the secrets of the original repository. To run the workflow here, save a key in this fork. Otherwise, disable the workflow."
      : 'It is empty. The secret may be missing from this repository, organization, or environment, or its name may be misspelled. A reusable workflow gets it only if the caller passes it under `secrets:`.'
    const title = isFork ? 'This fork has no API key' : 'The input `api-key` is empty'
    reject('api-key', why, undefined, title)
  }
  if (run.inputText('project-id') === '') {
    reject(
      'project-id',
      'It is empty. If it comes from `vars.DOCS_PROJECT_ID`, make sure that this is a variable and not a secret.',
      'the ID on the API keys page of the Mintlify dashboard: `gh variable set DOCS_PROJECT_ID`',
      'The input `project-id` is empty',
    )
  }
}

/** Checks the proxies before anything is sent, even if the hosts of this run are exempt from them. */
function proxyProblems({ httpsProxy, httpProxy }: ProxySettings): InputProblem[] {
  const use = '`http://HOST:PORT` or `https://HOST:PORT`, or unset it'
  return Object.entries({ HTTPS_PROXY: httpsProxy, HTTP_PROXY: httpProxy }).flatMap(
    ([input, value]) => {
      const why = proxyProblem(value)
      const problem = `The environment variable (or \`${input.toLowerCase()}\`) ${why}.`
      const title = `\`${input}\` ${why}`
      return why === undefined ? [] : { input, problem, use, title }
    },
  )
}

/** Reads the files that an input names; each that can't be read is a problem. */
async function readInputFiles(
  input: 'prompt-file' | 'context-files',
  inputs: Inputs,
  { reader, reject }: { readonly reader: WorkspaceReader; readonly reject: Reject },
): Promise<TextFile[]> {
  const files: TextFile[] = []
  const unread: string[] = []
  let title: string | undefined
  for (const name of inputs[input]) {
    try {
      files.push({ name, text: await reader.read(name) })
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
      const problem = `${inBackticks(name)} ${error.message}`
      const short = `\`${input}\`: ${problem}`
      unread.push(joinSentences(`${problem}.`, error.explanation))
      title ??= short.length <= MAX_TITLE_LENGTH ? short : `A file in \`${input}\` ${error.message}`
    }
  }
  const use = 'text files in the workspace, one per line, with `/` between folders'
  if (unread.length > 0) reject(input, unread.join(' '), use, title)
  return files
}

/** A file that can't be used. The message is the problem, to follow the file's name: `doesn't exist`. */
class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
  /** The likely cause or the fix, as sentences; may be empty. */
  readonly explanation: string

  constructor(problem: string, explanation = '', options: ErrorOptions = {}) {
    super(problem, options)
    this.explanation = explanation
  }
}

const UNEVALUATED = `Write it as \`\${{ … }}\` under \`with:\`.`
const OUTSIDE = "The action doesn't read files outside the workspace, even through links."

/** The limit for all files of a run together. */
const MAX_WORKSPACE_BYTES = 1024 * 1024

/** Reads text files of the workspace. */
export class WorkspaceReader {
  readonly #root: string
  #readBytes = 0

  constructor(root: string) {
    this.#root = root
  }

  /** Whether a text is the name of a file in the workspace. */
  async hasFile(name: string): Promise<boolean> {
    try {
      return (await files.stat(await this.#resolve(name))).isFile()
    } catch {
      return false
    }
  }

  /** Resolves a name without links. Rejects if there is no such file, or if it is outside the workspace. */
  async #resolve(name: string): Promise<string> {
    const root = await files.realpath(this.#root)
    const path = await files.realpath(resolve(root, name))
    if (!isInside(root, path)) throw new WorkspaceError('is outside the workspace', OUTSIDE)
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
          'is too large',
          `The files of a run can have at most ${MAX_WORKSPACE_BYTES / 1024} KiB in total.`,
        )
      }
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await files.readFile(path))
      if (text.includes('\0')) throw new WorkspaceError("isn't a text file")
      return text
    } catch (error) {
      if (error instanceof TypeError)
        throw new WorkspaceError("isn't UTF-8 text", '', { cause: error })
      if (error instanceof WorkspaceError) throw error
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error)))
        throw new WorkspaceError("can't be read", `${errorMessage(error)}.`, { cause: error })
      if (EXPRESSION.test(name))
        throw new WorkspaceError('is the text of an expression', UNEVALUATED)
      const hint = missingHint(name.replace(`${this.#root}${sep}`, ''))
      throw new WorkspaceError("doesn't exist in the workspace", hint, { cause: error })
    }
  }
}

/** Explains the likely mistake in the name of a file that doesn't exist. */
function missingHint(name: string): string {
  const hints: readonly (readonly [RegExp, string])[] = [
    [/^["'`]/, 'Remove the quotes.'],
    [/^https?:/, "The action doesn't fetch URLs."],
    [/^(?:\.\.|~)?[\\/]/, OUTSIDE],
    [/\s\S+\s/, 'An instruction belongs in `prompt`.'],
    [/,/, 'Files are separated by line breaks, not by commas.'],
    [/\\/, `Folders are separated by \`/\`: \`${name.replaceAll('\\', '/')}\`.`],
    [/[*?[\]{}]/, 'Patterns are not supported: list each file.'],
  ]
  const usual =
    'Check its letter case, and make sure that `actions/checkout` runs before this step.'
  return hints.find(([pattern]) => pattern.test(name))?.[1] ?? usual
}

/** Whether an absolute path is a directory or below it; both free of links. */
function isInside(directory: string, path: string): boolean {
  const steps = relative(directory, path)
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)
}

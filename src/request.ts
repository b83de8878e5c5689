import { unguardedWarning } from './events/loop-guard.ts'
import type { Trigger } from './events/trigger.ts'
import { SERVICE_KEY } from './inputs/formats.ts'
import { type InputProblem, InputsError, inputNames } from './inputs/read.ts'
import { hasPrompt, INPUTS, type InputName, type Inputs } from './inputs/table.ts'
import type { JobRequest } from './job/plan.ts'
import { hasInstructions, type PromptParts } from './job/prompt.ts'
import { inBackticks, listOf } from './lib/text.ts'
import { type ProxySettings, proxyProblem } from './lib/transport.ts'
import { type TextFile, WorkspaceError, WorkspaceReader } from './lib/workspace.ts'
import { type ReadersOptions, readReadersOptions } from './readers/readers.ts'
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
  const problems = singleInputProblems(run)
  const reader = new WorkspaceReader(environment.workspace)
  const promptFiles = await readFiles('prompt-file', inputs, { reader, problems })
  const contextFiles = await readFiles('context-files', inputs, { reader, problems })
  const readers = await readReadersOptions(run)
  const command = trigger.command?.instructions ?? ''
  const parts = { prompt: inputs.prompt, promptFiles, command, contextFiles }
  const hasInstruction = hasInstructions(parts)
  const wantsJob = trigger.command !== undefined || hasPrompt(inputs) || inputs['job-id'] !== ''
  const asking = ['job-id', 'visitors-summary', 'visitors-export', 'reader-signals']
  const isRequested =
    wantsJob || readers.options !== undefined || run.problems.some(({ input }) => asking.includes(input))

  const isFork = trigger.event.payload.repository?.fork === true
  const asked = { parts, isRequested, hasInstruction, isFork, unused: readers.unused }
  problems.push(...crossInputProblems(asked, run), ...readers.problems)
  // In the order of the inputs' documentation, and of each what was found first.
  const first = inputNames().flatMap((name) => problems.find(({ input }) => input === name) ?? [])
  first.push(...proxyProblems(environment.proxy))
  if (first.length > 0) throw new InputsError(first)

  if (contextFiles.length > 0 && !hasInstruction)
    log.warning('`context-files` has no effect without a prompt: data alone requests nothing.')
  const unguarded = unguardedWarning(trigger.event, inputs)
  for (const sentence of [
    ...inputWarnings(inputs, wantsJob),
    ...(unguarded ? [unguarded] : []),
    ...readers.warnings,
  ])
    log.warning(sentence)
  return { trigger, wantsJob, parts, readers: readers.options }
}

function inputWarnings(inputs: Inputs, wantsJob: boolean): string[] {
  const why = wantsJob
    ? 'with `wait: false`. Remove one of the two.'
    : 'without a job. Remove it, or request a job with `prompt` or `job-id`.'
  const isAwaited = wantsJob && inputs.wait
  const unused = {
    'poll-interval': inputs['poll-interval'] !== undefined && !isAwaited,
    'wait-for-preview': inputs['wait-for-preview'] && !isAwaited,
    wait: !inputs.wait && !wantsJob,
  }
  const names = Object.entries(unused).flatMap(([name, isUnused]) => (isUnused ? name : []))
  const warnings = names.map((name) => `\`${name}\` has no effect ${why}`)
  if (inputs.matrix === 'Object') {
    const meant = `Write \`\${{ toJSON(matrix) }}\`, or leave the input out.`
    warnings.push(`\`matrix\` is \`Object\`, as \`\${{ matrix }}\` is for every leg alike. ${meant}`)
  }
  if (!/^[\p{L}\p{N}]/u.test(inputs.command)) return warnings
  const [given, better] = [`command: ${inputs.command}`, `/${inputs.command}`].map(inBackticks)
  const risk = `${given} starts with a letter or digit, so any comment may start with it by chance.`
  return [...warnings, `${risk} Put a character such as / before it: ${better}.`]
}

/** What is wrong with single inputs. A key and a project's id that are swapped are one problem. */
function singleInputProblems({ environment, problems }: Run): InputProblem[] {
  const [key = '', projectId = ''] = ['api-key', 'project-id'].map((name) => environment.inputs.get(name))
  if (!SERVICE_KEY.test(projectId) || SERVICE_KEY.test(key) || key.trim() === '') return [...problems]
  const problem = 'is swapped with project-id, which starts with mint_, as API keys do'
  const accepted =
    'the key as api-key, from a secret, and the id as project-id; a key that stood in a variable must be replaced'
  const others = problems.filter(({ input }) => input !== 'api-key' && input !== 'project-id')
  return [{ input: 'api-key', problem, accepted }, ...others]
}

/** Refused before anything is sent, though the hosts of this run may be exempt from the proxy. */
function proxyProblems({ httpsProxy, httpProxy }: ProxySettings): InputProblem[] {
  const accepted = 'the URL of an http or https proxy, such as http://proxy.example:8080, or nothing'
  const judge = (input: 'HTTPS_PROXY' | 'HTTP_PROXY', value: string): InputProblem[] => {
    const why = proxyProblem(value)
    const problem = `(environment variable, or ${input.toLowerCase()}) ${why}`
    return why === undefined ? [] : [{ input, problem, accepted }]
  }
  return [...judge('HTTPS_PROXY', httpsProxy), ...judge('HTTP_PROXY', httpProxy)]
}

type Requested = {
  readonly parts: PromptParts
  /** Inputs of a report that is not requested. */
  readonly unused: readonly InputName[]
} & Record<'isRequested' | 'hasInstruction' | 'isFork', boolean>

/** What is wrong with inputs that are right by themselves. */
function crossInputProblems(
  { parts: { promptFiles, contextFiles }, isRequested, hasInstruction, isFork, unused }: Requested,
  { inputs, environment, problems }: Run,
): InputProblem[] {
  const found: InputProblem[] = []
  const refuse = (input: InputName, problem: string, accepted = INPUTS[input].format.accepted): void =>
    void found.push({ input, problem, accepted })
  const given = (name: InputName): string => environment.inputs.get(name)?.trim() || INPUTS[name].default
  if (given('api-key') === '' && !inputs['dry-run']) {
    const spelled =
      "is its secret's name spelled as in the settings of this repository, its organization or the job's environment? In a reusable workflow, does the caller pass it with `secrets:`?"
    const fork =
      'this repository is a fork, which has no secrets of the original: set one here (is its name spelled as in the settings?), or disable the workflow.'
    refuse('api-key', `is missing: ${isFork ? fork : spelled}`)
  }
  if (given('project-id') === '') {
    const set = 'is that set, as a variable and not as a secret (`gh variable set DOCS_PROJECT_ID`)?'
    refuse('project-id', `is missing: if it is taken from \`vars.DOCS_PROJECT_ID\`, ${set}`)
  }
  const { timeout, 'poll-interval': pollInterval = 0 } = inputs
  if (pollInterval > timeout && problems.every(({ input }) => input !== 'timeout')) {
    const problem = `("${given('poll-interval')}") is longer than timeout ("${given('timeout')}")`
    refuse('poll-interval', problem, `at most ${given('timeout')}, or a longer timeout`)
  }
  // The job is told what readers missed in the block that the prompt gets.
  if (inputs['reader-signals'] === 'agent' && (!hasInstruction || inputs.context === 'none')) {
    const problem = hasInstruction
      ? '("agent") has no effect with `context: none`'
      : '("agent") needs a prompt, as it is for the job of this run'
    refuse('reader-signals', problem, 'report; or agent with a prompt and `context: diff` or `files`')
  }
  if (promptFiles.length > 0 && !hasInstruction && inputs['job-id'] === '') {
    refuse('prompt-file', 'names only empty files', 'files with instructions in them')
  }
  if (!isRequested) {
    const alone = contextFiles.length > 0 ? (['context-files'] as const) : unused
    const why =
      alone.length > 0
        ? `: nothing is requested with ${listOf(alone)} alone`
        : ', and nothing else is requested'
    const accepted =
      'an instruction, here or in prompt-file; job-id, to wait for a job; visitors-summary, visitors-export or reader-signals, for a report alone; or a comment that starts with the command (/docs)'
    refuse('prompt', `is missing${why}`, accepted)
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

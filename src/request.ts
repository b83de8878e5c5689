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
import { hasInstructions, type JobRequest } from './job/prompt.ts'
import { type ProxySettings, proxyProblem } from './lib/http.ts'
import { inBackticks, listOf } from './lib/text.ts'
import { type TextFile, WorkspaceError, WorkspaceReader } from './lib/workspace.ts'
import type { Trigger } from './look/command.ts'
import { comparesWithLastJob } from './look/event.ts'
import type { Run } from './runner/run.ts'

/** What a run is to do, checked as a whole. */
export type RunRequest = JobRequest & {
  /** Whether a job is requested, or is to be waited for. */
  readonly wantsJob: boolean
}

type Refuse = (input: InputName, problem: string, accepted?: string) => void

/** Puts together what a run is to do. Sends nothing. @throws {InputsError} naming all that is wrong */
export async function loadRequest(trigger: Trigger, run: Run): Promise<RunRequest> {
  const { inputs, environment, log } = run
  const problems = singleInputProblems(run)
  const refuse: Refuse = (input, problem, accepted = INPUTS[input].format.accepted) =>
    void problems.push({ input, problem, accepted })
  const reader = new WorkspaceReader(environment.workspace)
  const promptFiles = await readInputFiles('prompt-file', inputs, { reader, refuse })
  const contextFiles = await readInputFiles('context-files', inputs, { reader, refuse })
  const command = trigger.command?.instructions ?? ''
  const parts = { prompt: inputs.prompt, promptFiles, command, contextFiles }
  const hasInstruction = hasInstructions(parts)
  const wantsJob = trigger.command !== undefined || hasPrompt(inputs) || inputs['job-id'] !== ''
  refuseMissingAccess(trigger.event.payload.repository?.fork === true, run, refuse)
  const { timeout, 'poll-interval': pollInterval = 0 } = inputs
  if (pollInterval > timeout) {
    const [given, limit] = [textOf('poll-interval', run), textOf('timeout', run)]
    refuse('poll-interval', `("${given}") is longer than timeout ("${limit}")`, 'at most timeout')
  }
  // The job is told what readers missed in the block that the prompt gets.
  if (inputs['content-gaps'] === 'agent' && (!hasInstruction || inputs.context === 'none')) {
    const problem =
      '("agent") needs a prompt and a `context` other than `none`, as it is for the job of this run'
    refuse('content-gaps', problem, 'report; or agent with a prompt and `context: diff` or `files`')
  }
  if (promptFiles.length > 0 && !hasInstruction && inputs['job-id'] === '') {
    refuse('prompt-file', 'names only empty files', 'files with instructions in them')
  }
  const isWrong = (...names: string[]): boolean =>
    problems.some(({ input }) => names.includes(input))
  const isJobMeant = wantsJob || isWrong('prompt', 'prompt-file', 'job-id')
  const isReportMeant =
    hasReport(inputs) || isWrong('visitors-summary', 'visitors-export', 'content-gaps')
  if (!isJobMeant && !isReportMeant) {
    const comment =
      inputs.command && `; or a comment that starts with the command (${inputs.command})`
    const accepted = `an instruction, here or in prompt-file; job-id, to wait for a job; visitors-summary, visitors-export or content-gaps, for a report alone${comment}`
    refuse('prompt', 'is missing, and nothing else is requested', accepted)
  }
  // In the order of the inputs' documentation, and of each what was found first.
  const first = inputNames().flatMap((name) => problems.find(({ input }) => input === name) ?? [])
  first.push(...proxyProblems(environment.proxy))
  if (first.length > 0) throw new InputsError(first, isJobMeant || !isReportMeant)

  for (const sentence of warningsOf(inputs, wantsJob, hasInstruction)) log.warning(sentence)
  if (/^[^\s:]+\.(?:mdx?|txt)$/.test(inputs.prompt))
    log.warnInSummary(
      '`prompt` is the name of a file: to send its text, write it as `prompt-file`.',
    )
  const isUnscheduled = ['push', 'pull_request', 'pull_request_target'].includes(trigger.event.name)
  if (inputs['skip-unchanged'] && wantsJob && isUnscheduled) {
    log.notice('`skip-unchanged` has no effect on a push or pull request: it is for a `schedule`.')
  }
  const isPausable = comparesWithLastJob(trigger.event, environment)
  if (inputs['pause-after'] !== undefined && wantsJob && !isPausable) {
    log.notice(
      `\`pause-after\` has no effect on ${inBackticks(trigger.event.name || 'local')} events. It applies to pushes to a branch, schedules, dispatches, and \`workflow_run\` events.`,
      '`pause-after` has no effect on this event',
    )
  }
  return { trigger, wantsJob, parts }
}

/** What inputs that are right are to be warned of. */
function warningsOf(inputs: Inputs, wantsJob: boolean, hasInstruction: boolean): string[] {
  const { inputs: defaults } = readInputs(new Map(), (text) => text)
  const sentenceOf = (names: readonly InputName[], why: string): string | [] => {
    const unused = names.filter((name) => !isDeepStrictEqual(inputs[name], defaults[name]))
    return unused.length === 0
      ? []
      : `${listOf(unused.map(inBackticks))} can have no effect ${why}.`
  }
  const isToExisting = inputs['job-id'] !== ''
  const hasPages = inputs['visitors-summary'] || inputs['content-gaps'] !== 'none'
  const hasVisitors = inputs['visitors-summary'] || inputs['visitors-export']
  const warnings = [
    wantsJob ? [] : sentenceOf(OF_JOBS, 'without a job: request one with `prompt` or `job-id`'),
    isToExisting && !hasInstruction ? sentenceOf(OF_PROMPTS, 'without a prompt') : [],
    isToExisting && hasInstruction ? sentenceOf(['follow-up', 'pause-after'], 'with `job-id`') : [],
    inputs['follow-up'] ? [] : sentenceOf(['pause-after'], 'with `follow-up: false`'),
    hasVisitors
      ? []
      : sentenceOf(['visitors-days'], 'without `visitors-summary` or `visitors-export`'),
    hasPages ? [] : sentenceOf(['site-url'], 'without a readers report'),
    wantsJob && !inputs.wait ? sentenceOf(OF_WAITING, 'with `wait: false`') : [],
  ].flat()
  if (inputs.matrix === 'Object') {
    const meant = `Write \`\${{ toJSON(matrix) }}\`, or leave the input out.`
    warnings.push(
      `\`matrix\` is \`Object\`, as \`\${{ matrix }}\` is for every leg alike. ${meant}`,
    )
  }
  if (/^[\p{L}\p{N}]/u.test(inputs.command)) {
    const why = 'starts with a letter or digit, so any comment may start with it by chance'
    warnings.push(
      `\`command: ${inputs.command}\` ${why}: write \`/${inputs.command}\`, for example.`,
    )
  }
  return warnings
}

const OF_WAITING = ['poll-interval', 'wait-for-preview'] as const
const OF_PROMPTS = [
  'context-files',
  'context',
  'skip-unchanged',
  'skip-labels',
  'follow-up',
  'pause-after',
] as const
const OF_JOBS = [...OF_PROMPTS, 'wait', 'timeout', ...OF_WAITING, 'fail-on', 'comment'] as const

/** What is wrong with single inputs. A key and a project's id that are swapped are one problem. */
function singleInputProblems({ environment, problems }: Run): InputProblem[] {
  const [key = '', projectId = ''] = ['api-key', 'project-id'].map((name) =>
    environment.inputs.get(name),
  )
  if (key.trim() !== '' && key.trim() === projectId.trim() && !MINTLIFY_KEY.test(key)) {
    const problem = 'has the same value as project-id'
    return [...problems, { input: 'api-key', problem, accepted: INPUTS['api-key'].format.accepted }]
  }
  if (!MINTLIFY_KEY.test(projectId) || MINTLIFY_KEY.test(key) || key.trim() === '')
    return [...problems]
  const problem = 'is swapped with project-id, which starts with mint_, as API keys do'
  const accepted =
    'the key as api-key, from a secret, and the id as project-id; a key that stood in a variable must be replaced'
  const others = problems.filter(({ input }) => input !== 'api-key' && input !== 'project-id')
  return [{ input: 'api-key', problem, accepted }, ...others]
}

function refuseMissingAccess(isFork: boolean, run: Run, refuse: Refuse): void {
  if (textOf('api-key', run) === '' && !run.inputs['dry-run']) {
    const spelled =
      "is its secret's name spelled as in the settings of this repository, its organization or the job's environment? In a reusable workflow, does the caller pass it with `secrets:`?"
    const fork =
      'this repository is a fork, which has no secrets of the original: set one here, spelled as in the settings, or disable the workflow'
    refuse('api-key', `is missing: ${isFork ? fork : spelled}`)
  }
  if (textOf('project-id', run) === '') {
    const set =
      'is that set, as a variable and not as a secret (`gh variable set DOCS_PROJECT_ID`)?'
    refuse('project-id', `is missing: if it is taken from \`vars.DOCS_PROJECT_ID\`, ${set}`)
  }
}

function textOf(name: InputName, { environment }: Run): string {
  return environment.inputs.get(name)?.trim() || INPUTS[name].default
}

/** Refused before anything is sent, though the hosts of this run may be exempt from the proxy. */
function proxyProblems({ httpsProxy, httpProxy }: ProxySettings): InputProblem[] {
  const accepted =
    'the URL of an http or https proxy, such as http://proxy.example:8080, or nothing'
  return Object.entries({ HTTPS_PROXY: httpsProxy, HTTP_PROXY: httpProxy }).flatMap(
    ([input, value]) => {
      const why = proxyProblem(value)
      const problem = `(environment variable, or ${input.toLowerCase()}) ${why}`
      return why === undefined ? [] : { input, problem, accepted }
    },
  )
}

/** Reads the files that an input names; those that can't be read become a problem. */
async function readInputFiles(
  input: 'prompt-file' | 'context-files',
  inputs: Inputs,
  { reader, refuse }: { readonly reader: WorkspaceReader; readonly refuse: Refuse },
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
  if (unread.length > 0) refuse(input, `names ${unread.join(', and ')}`, accepted)
  return files
}

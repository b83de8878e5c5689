import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { toolPath } from '../../scripts/tools.ts'

type Values = Readonly<Record<string, string>>

/** What act needs for one run of a workflow. */
export type ActOptions = {
  /** Paths of the workflow file and of the event's payload. */
  readonly workflow: string
  readonly payload: string
  /** Name of the event, such as `push`. */
  readonly event: string
  /** Folder that act copies into a job in place of `actions/checkout`, and the one for all that it stores. */
  readonly workspace: string
  readonly home: string
  /** Folders in place of actions, by `owner/name@ref`. */
  readonly actions: Values
  readonly secrets: Values
  readonly variables: Values
  /** Environment variables of each step. */
  readonly env: Values
}

/** One job of a run; of a matrix, one of its combinations. */
export type ActJob = {
  /** For a job of a reusable workflow, its id there. */
  readonly id: string
  /** `undefined` if the job did not run. */
  readonly result: string | undefined
  /** By step id and output name. */
  readonly outputs: Readonly<Record<string, Values>>
  /** What the steps wrote to the job summary, and what they printed, workflow commands included. */
  readonly summary: string
  readonly log: string
}

/** One run of a workflow. */
export type ActRun = {
  readonly exitCode: number | null
  readonly jobs: readonly ActJob[]
  /** What act printed, one message per line. */
  readonly output: string
}

/** Runs a workflow on this machine, its jobs as plain processes. */
export async function runAct(options: ActOptions): Promise<ActRun> {
  const { TOOLS: tools, PATH = '' } = process.env
  if (tools === undefined) throw new Error('Start this with npm run e2e, which installs act.')
  const { workflow, event, payload, workspace, actions, home } = options
  const args = [
    ...[event, '--workflows', workflow, '--eventpath', payload, '--directory', workspace],
    ...['--actor', 'octocat', '--json', '--no-cache-server', '--concurrent-jobs', '4'],
    ...['--platform', 'ubuntu-latest=-self-hosted', '--platform', 'docs-runner=-self-hosted'],
    ...['--action-cache-path', join(home, 'cache'), ...assignments('--local-repository', actions)],
    ...assignments('--secret', options.secrets),
    ...assignments('--var', options.variables),
    ...assignments('--env', options.env),
  ]
  const child = spawn(toolPath(tools, 'act'), args, {
    cwd: home,
    // act passes its own environment on to each step, so it gets next to none. The steps find gh among the tools.
    env: {
      PATH: [dirname(process.execPath), PATH, tools].join(delimiter),
      HOME: home,
      HTTPS_PROXY: options.env['HTTPS_PROXY'] ?? '',
      ACT_DISABLE_VERSION_CHECK: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [exitCode] = await once(child, 'close')
  return { exitCode, ...readOutput(output) }
}

function assignments(flag: string, values: Values): string[] {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`])
}

/** A line of act's log. */
type Line = Readonly<
  Partial<Record<'jobID' | 'command' | 'name' | 'arg' | 'content' | 'raw' | 'msg' | 'jobResult', string>>
> & { readonly matrix?: object; readonly stepID?: readonly string[]; readonly raw_output?: boolean }

function readOutput(output: string): Pick<ActRun, 'jobs' | 'output'> {
  const jobs = new Map<string, ActJob>()
  const readable = output.split('\n').map((text) => {
    if (!text.startsWith('{')) return text
    const line = JSON.parse(text) as Line
    const { jobID: id = '', matrix = {}, msg = '' } = line
    const key = `${id} ${JSON.stringify(matrix)}`
    const job: ActJob = jobs.get(key) ?? { id, result: undefined, outputs: {}, summary: '', log: '' }
    if (id !== '') jobs.set(key, addLine(line, job))
    return `${id}: ${msg.trim()}`
  })
  return { jobs: [...jobs.values()], output: readable.join('\n') }
}

function addLine(line: Line, job: ActJob): ActJob {
  const { outputs } = job
  const step = line.stepID?.at(-1) ?? ''
  const isOutput = line.command === 'set-output'
  const output = { [step]: { ...outputs[step], [line.name ?? '']: line.arg ?? '' } }
  return {
    ...job,
    result: line.jobResult ?? job.result,
    log: job.log + (line.raw_output === true ? (line.msg ?? '') : (line.raw ?? '')),
    summary: job.summary + (line.command === 'summary' ? (line.content ?? '') : ''),
    outputs: isOutput ? { ...outputs, ...output } : outputs,
  }
}

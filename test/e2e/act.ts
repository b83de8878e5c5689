import { spawn } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { toolPath } from '../../scripts/tools.ts'

/** What act needs for one run of a workflow. */
export type ActOptions = {
  /** Path of the workflow file. */
  readonly workflow: string
  /** Name of the event, such as `push`. */
  readonly event: string
  /** Path of the event's payload. */
  readonly payload: string
  /** Folder that act copies into a job in place of `actions/checkout`. */
  readonly workspace: string
  /** Folder of our repository, for `your-org/docs-agent-action@v1` and the reusable workflows in it. */
  readonly action: string
  /** Folder for everything that act stores. */
  readonly home: string
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** Environment variables of each step. */
  readonly env: Readonly<Record<string, string>>
  readonly actor: string
}

/** One job of a run; of a matrix, one of its combinations. */
export type ActJob = {
  /** For a job of a reusable workflow, its id there. */
  readonly id: string
  readonly matrix: Readonly<Record<string, unknown>>
  /** `undefined` if the job did not run. */
  result: string | undefined
  /** Outputs by step id and output name. Steps without an id are numbered from 0. */
  readonly outputs: Record<string, Record<string, string>>
  /** What the steps wrote to the job summary. */
  summary: string
  /** What the steps printed, workflow commands included. */
  log: string
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
  const tools = process.env['TOOLS']
  if (tools === undefined) throw new Error('Start this with npm run e2e, which installs act.')
  const { workflow, event, payload, workspace, action, home, actor } = options
  const args = [
    ...[event, '--workflows', workflow, '--eventpath', payload, '--directory', workspace, '--actor', actor],
    ...['--platform', 'ubuntu-latest=-self-hosted'],
    ...['--local-repository', `your-org/docs-agent-action@v1=${action}`],
    ...['--json', '--no-cache-server', '--action-cache-path', join(home, 'cache'), '--concurrent-jobs', '4'],
    ...assignments('--secret', options.secrets),
    ...assignments('--var', options.variables),
    ...assignments('--env', options.env),
  ]
  const child = spawn(toolPath(tools, 'act'), args, {
    cwd: home,
    // act passes its own environment on to each step, so it gets next to none. The steps find gh among the tools.
    env: {
      PATH: [dirname(process.execPath), process.env['PATH'] ?? '', tools].join(delimiter),
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
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  return { exitCode, jobs: readJobs(output), output: readable(output) }
}

function assignments(flag: string, values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`])
}

/** A line of act's log. */
type Line = {
  readonly jobID?: string
  readonly job?: string
  readonly matrix?: Readonly<Record<string, unknown>>
  readonly stepID?: readonly string[]
  readonly command?: string
  readonly name?: string
  readonly arg?: string
  readonly content?: string
  readonly raw?: string
  readonly msg?: string
  readonly raw_output?: boolean
  readonly jobResult?: string
}

function readJobs(output: string): ActJob[] {
  const jobs = new Map<string, ActJob>()
  for (const text of output.split('\n')) {
    if (!text.startsWith('{')) continue
    const line = JSON.parse(text) as Line
    if (line.jobID === undefined) continue
    const matrix = line.matrix ?? {}
    const key = `${line.jobID} ${JSON.stringify(matrix)}`
    const job: ActJob = jobs.get(key) ?? {
      id: line.jobID,
      matrix,
      result: undefined,
      outputs: {},
      summary: '',
      log: '',
    }
    jobs.set(key, job)
    addLine(line, job)
  }
  return [...jobs.values()]
}

function readable(output: string): string {
  return output
    .split('\n')
    .map((text) => {
      if (!text.startsWith('{')) return text
      const { jobID = '', msg = '' } = JSON.parse(text) as Line
      return `${jobID}: ${msg.trim()}`
    })
    .join('\n')
}

function addLine(line: Line, job: ActJob): void {
  if (line.jobResult !== undefined) job.result = line.jobResult
  if (line.raw_output === true) job.log += line.msg ?? ''
  else if (line.raw !== undefined) job.log += line.raw
  if (line.command === 'summary') job.summary += line.content ?? ''
  if (line.command === 'set-output') {
    const step = line.stepID?.at(-1) ?? ''
    const outputs = job.outputs[step] ?? {}
    outputs[line.name ?? ''] = line.arg ?? ''
    job.outputs[step] = outputs
  }
}

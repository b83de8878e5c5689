import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'

/** What act needs for one run of a workflow. */
export type ActOptions = {
  /** Path of the workflow file. */
  readonly workflow: string
  /** Name of the event, such as `push`. */
  readonly event: string
  /** Path of the event's payload. */
  readonly payload: string
  /** Folder whose content `actions/checkout` gives to a job; act does that itself and never runs the real one. */
  readonly workspace: string
  /** Folder of our action, for `your-org/docs-agent-action@v1`. */
  readonly action: string
  /** Folder for all that act keeps. */
  readonly home: string
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** Variables of the environment of each step. */
  readonly env: Readonly<Record<string, string>>
  readonly actor: string
}

/** What came of a job, by its id; of a matrix, of one of its parts. */
export type ActJob = {
  readonly id: string
  readonly matrix: Readonly<Record<string, unknown>>
  /** `undefined` if the job was not run. */
  result: string | undefined
  /** Outputs by the step's id and the output's name; steps without an id are numbered from 0. */
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
  readonly all: string
}

/** Runs a workflow on this machine, its jobs as plain processes. */
export async function runAct(options: ActOptions): Promise<ActRun> {
  const act = process.env['ACT']
  if (act === undefined) throw new Error('Start this with npm run e2e: it finds act.')
  const { workflow, event, payload, workspace, action, home, actor } = options
  const args = [
    [event, '--workflows', workflow, '--eventpath', payload, '--directory', workspace, '--actor', actor],
    [
      '--platform',
      'ubuntu-latest=-self-hosted',
      '--local-repository',
      `your-org/docs-agent-action@v1=${action}`,
    ],
    ['--json', '--no-cache-server', '--action-cache-path', join(home, 'cache'), '--concurrent-jobs', '4'],
    ...Object.entries(options.secrets).map(([name, value]) => ['--secret', `${name}=${value}`]),
    ...Object.entries(options.variables).map(([name, value]) => ['--var', `${name}=${value}`]),
    ...Object.entries(options.env).map(([name, value]) => ['--env', `${name}=${value}`]),
  ].flat()
  const child = spawn(act, args, {
    cwd: home,
    // act hands its own environment to each step, so it gets next to none.
    env: {
      PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      HOME: home,
      HTTPS_PROXY: options.env['HTTPS_PROXY'] ?? '',
      // Otherwise it tells its makers its version and system, to ask for news.
      ACT_DISABLE_VERSION_CHECK: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let all = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      all += text
    })
  }
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  return { exitCode, jobs: readJobs(all), all }
}

/** A workflow's text, as it stands. */
export async function readWorkflow(path: string): Promise<string> {
  return await readFile(path, 'utf8')
}

type Line = {
  readonly jobID?: string
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

function readJobs(all: string): ActJob[] {
  const jobs = new Map<string, ActJob>()
  for (const text of all.split('\n')) {
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
    take(line, job)
  }
  return [...jobs.values()]
}

function take(line: Line, job: ActJob): void {
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

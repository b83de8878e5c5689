import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { toolPath } from '../../scripts/tools.ts'

type Values = Readonly<Record<string, string>>

/** What act needs for one run of a workflow. */
export type ActOptions = Readonly<
  /** Name of the event, and paths; `workspace` is copied into each job, and act stores all that it needs in `home`. */
  Record<'event' | 'workflow' | 'payload' | 'workspace' | 'home', string> &
    /** `actions`: folders in place of actions, by `owner/name@ref`; `env`: variables of each step. */
    Record<'actions' | 'secrets' | 'variables' | 'env', Values>
>

/** One job of a run; of a matrix, one of its combinations. */
export type ActJob = {
  readonly id: string
  /** `undefined` if the job did not run. */
  result: string | undefined
  /** By step id and output name. */
  readonly outputs: Record<string, Values>
  /** What the steps wrote to the job summary, and what they printed, workflow commands included. */
  summary: string
  log: string
}

/** Runs a workflow on this machine, its jobs as plain processes. */
export async function runAct(options: ActOptions) {
  const { TOOLS: tools, PATH = '' } = process.env
  if (tools === undefined) throw new Error('Start this with npm run e2e, which installs act.')
  const { workflow, event, payload, workspace, home } = options
  const args = [
    ...[event, '--workflows', workflow, '--eventpath', payload, '--directory', workspace],
    ...['--actor', 'octocat', '--json', '--no-cache-server', '--concurrent-jobs', '4'],
    ...['--action-cache-path', join(home, 'cache')],
    '--platform=ubuntu-latest=-self-hosted',
    ...assignments('--local-repository', options.actions),
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
  return Object.entries(values).map(([name, value]) => `${flag}=${name}=${value}`)
}

/** A line of act's log. */
type Line = Readonly<
  Partial<
    Record<'jobID' | 'command' | 'name' | 'arg' | 'content' | 'raw' | 'msg' | 'jobResult', string>
  >
> & { readonly matrix?: object; readonly stepID?: readonly string[]; readonly raw_output?: boolean }

/** The jobs, and what act printed, one message per line. */
function readOutput(printed: string) {
  const jobs = new Map<string, ActJob>()
  const readable = printed.split('\n').map((text) => {
    if (!text.startsWith('{')) return text
    const line = JSON.parse(text) as Line
    const { jobID: id = '', matrix = {}, msg = '', command, name = '', arg = '' } = line
    const key = `${id} ${JSON.stringify(matrix)}`
    const job = jobs.get(key) ?? { id, result: undefined, outputs: {}, summary: '', log: '' }
    if (id !== '') jobs.set(key, job)
    job.result = line.jobResult ?? job.result
    job.log += line.raw_output === true ? msg : (line.raw ?? '')
    if (command === 'summary') job.summary += line.content ?? ''
    const step = line.stepID?.at(-1) ?? ''
    if (command === 'set-output') job.outputs[step] = { ...job.outputs[step], [name]: arg }
    return `${id}: ${msg.trim()}`
  })
  return { jobs: [...jobs.values()], output: readable.join('\n') }
}

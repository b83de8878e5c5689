import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readActionMetadata } from '../../scripts/action-metadata.ts'
import { readCommandFile } from '../../scripts/command-file.ts'
import { checkOutputs } from './output-schemas.ts'

/** One run of the action as a runner would start it. */
export type ActionOptions = {
  /** Inputs by name; the others have the defaults of `action.yml`. */
  readonly inputs?: Readonly<Record<string, string>>
  /** Further variables of the environment, `GITHUB_*` included. */
  readonly env?: Readonly<Record<string, string>>
  /** The event that started the workflow. */
  readonly event?: { readonly name: string; readonly payload: unknown }
  /** Files of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** An existing workspace to use instead of a new one. */
  readonly workspace?: string
  /** State that an earlier part of the step saved: starts the post part. */
  readonly state?: Readonly<Record<string, string>>
  /** Whether the service breaks its own documentation, so that the output `job`, which is as sent, does too. */
  readonly oddJob?: boolean
}

/** What a person and the next step see of a run. */
export type ActionRun = {
  /** `null` if a signal ended the process. */
  readonly exitCode: number | null
  /** Standard output and error, with the lines that only the runner reads. */
  readonly log: string
  readonly outputs: Readonly<Record<string, string>>
  readonly state: Readonly<Record<string, string>>
  readonly summary: string
}

/** A run under way. */
export type StartedAction = {
  readonly child: ChildProcess
  /** Resolves once the log holds the text. */
  logged(text: string): Promise<void>
  readonly ended: Promise<ActionRun>
}

const ROOT = join(import.meta.dirname, '../..')
const NODE = join(ROOT, 'node_modules/.bin/node')

/** Runs the bundle to its end, in an environment made from nothing. */
export async function runAction(options: ActionOptions): Promise<ActionRun> {
  const started = await startAction(options)
  return await started.ended
}

/** Starts the bundle. */
export async function startAction(options: ActionOptions): Promise<StartedAction> {
  const folder = await mkdtemp(join(tmpdir(), 'action-run-'))
  const workspace = options.workspace ?? join(folder, 'workspace')
  const files = {
    output: '',
    state: '',
    summary: '',
    'event.json': JSON.stringify(options.event?.payload ?? {}),
  }
  await mkdir(workspace, { recursive: true })
  await writeAll(folder, files)
  await writeAll(workspace, options.files ?? {})

  const entry = options.state === undefined ? 'dist/index.js' : 'dist/post.js'
  const child = spawn(NODE, [join(ROOT, entry)], {
    cwd: workspace,
    env: { ...environmentOf(options, folder, workspace), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk
      for (const listener of listeners) listener()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).then(
    async (exitCode) => {
      const run: ActionRun = {
        exitCode,
        log,
        outputs: readCommandFile(await readFile(join(folder, 'output'), 'utf8')),
        state: readCommandFile(await readFile(join(folder, 'state'), 'utf8')),
        summary: await readFile(join(folder, 'summary'), 'utf8'),
      }
      await rm(folder, { recursive: true, force: true })
      checkOutputs(options.oddJob === true ? { ...run.outputs, job: '' } : run.outputs)
      return run
    },
  )
  const logged = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (log.includes(text)) resolve()
      }
      listeners.add(look)
      look()
      child.once('close', () => reject(new Error(`The run ended without logging "${text}":\n${log}`)))
    })
  return { child, logged, ended }
}

function environmentOf(options: ActionOptions, folder: string, workspace: string): Record<string, string> {
  const inputs = { ...defaultInputs(), ...options.inputs }
  return {
    PATH: process.env['PATH'] ?? '',
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STATE: join(folder, 'state'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_EVENT_NAME: options.event?.name ?? 'workflow_dispatch',
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_ACTOR: 'octocat',
    GITHUB_WORKFLOW: 'Docs',
    GITHUB_JOB: 'docs',
    GITHUB_ACTION: 'docs-agent',
    GITHUB_RUN_ID: '1001',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_SERVER_URL: 'https://github.com',
    // A closed port: a run that asks GitHub without being told to fails at once, and says so.
    GITHUB_API_URL: 'http://127.0.0.1:9',
    ...Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
    ...Object.fromEntries(
      Object.entries(options.state ?? {}).map(([name, value]) => [`STATE_${name}`, value]),
    ),
  }
}

function defaultInputs(): Record<string, string> {
  const { inputs } = readActionMetadata()
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name,
      (input.default ?? '').replace(/^\$\{\{.*\}\}$/, ''),
    ]),
  )
}

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

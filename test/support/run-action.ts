import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import { readActionMetadata } from '../../scripts/action-metadata.ts'
import { readCommandFile } from '../../scripts/command-file.ts'
import type { Event } from './events.ts'

/** One run of the action as a runner would start it. */
export type ActionOptions = {
  /** Inputs by name; the others have the defaults of `action.yml`. */
  readonly inputs?: Readonly<Record<string, string>>
  /** Further variables of the environment, `GITHUB_*` included. */
  readonly env?: Readonly<Record<string, string>>
  /** The event that started the workflow. */
  readonly event?: Event
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
  await mkdir(workspace, { recursive: true })
  const event = JSON.stringify(options.event?.payload ?? {})
  await writeAll(folder, { output: '', state: '', summary: '', 'event.json': event })
  await writeAll(workspace, options.files ?? {})

  const entry = options.state === undefined ? 'dist/index.js' : 'dist/post.js'
  const child = spawn(NODE, [join(ROOT, entry)], {
    cwd: workspace,
    env: environmentOf(options, folder, workspace),
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
      const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8')
      const outputs = readCommandFile(await read('output'))
      const run = {
        exitCode,
        log,
        outputs,
        state: readCommandFile(await read('state')),
        summary: await read('summary'),
      }
      await rm(folder, { recursive: true, force: true })
      checkOutputs(options.oddJob === true ? { ...outputs, job: '' } : outputs)
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

/** The variables that a runner would set, as far as the action reads them. */
export function environmentOf(
  options: ActionOptions,
  folder: string,
  workspace: string,
): Record<string, string> {
  const { event, state = {}, inputs, env } = options
  const { pull_request: pull, after, ref } = event?.payload ?? {}
  return {
    PATH: process.env['PATH'] ?? '',
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STATE: join(folder, 'state'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_EVENT_NAME: event?.name ?? 'workflow_dispatch',
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_ACTOR: 'octocat',
    GITHUB_WORKFLOW: 'Docs',
    GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
    GITHUB_JOB: 'docs',
    GITHUB_ACTION: 'docs-agent',
    GITHUB_RUN_ID: '1001',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_REF: event?.name === 'push' && ref ? ref : 'refs/heads/main',
    GITHUB_SHA: pull?.merge_commit_sha || pull?.head?.sha || after || 'a'.repeat(40),
    GITHUB_SERVER_URL: 'https://github.com',
    // A closed port: a run that asks GitHub without being told to fails at once, and says so.
    GITHUB_API_URL: 'http://127.0.0.1:9',
    ...prefixed('INPUT_', { ...defaultInputs(), ...inputs }, (name) => name.toUpperCase()),
    ...prefixed('STATE_', state, (name) => name),
    ...env,
  }
}

function prefixed(prefix: string, values: Readonly<Record<string, string>>, spell: (name: string) => string) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${spell(name)}`, value]))
}

function defaultInputs(): Record<string, string> {
  const inputs = Object.entries(readActionMetadata().inputs)
  return Object.fromEntries(
    inputs.map(([name, input]) => [name, (input.default ?? '').replace(/^\$\{\{.*\}\}$/, '')]),
  )
}

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
const schemas = ['job', 'visitors', 'reader-signals'].map((name) => {
  const schema = JSON.parse(readFileSync(join(ROOT, `docs/schemas/${name}.schema.json`), 'utf8'))
  return { name, validate: ajv.compile(schema) }
})

/** Throws if the outputs of a run are not as `action.yml` and `docs/schemas` describe them. */
function checkOutputs(outputs: Readonly<Record<string, string>>): void {
  const known = Object.keys(readActionMetadata().outputs)
  const unknown = Object.keys(outputs).filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`action.yml does not know these outputs: ${unknown.join(', ')}`)
  for (const { name, validate } of schemas) {
    const json = outputs[name] ?? ''
    if (json === '' || validate(JSON.parse(json))) continue
    throw new Error(
      `The output ${name} is not as its schema says: ${ajv.errorsText(validate.errors)}\n${json}`,
    )
  }
}

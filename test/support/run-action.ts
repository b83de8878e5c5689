import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Ajv } from 'ajv'
import { readActionMetadata } from '../../scripts/action-metadata.ts'
import { readCommandFile } from './command-file.ts'
import type { Event } from './events.ts'

type Texts = Readonly<Record<string, string>>

/** One run of the action as a runner would start it. */
export type ActionOptions = {
  /** Inputs by name; the others have the defaults of `action.yml`. */
  readonly inputs?: Texts
  /** Further variables of the environment, `GITHUB_*` included. */
  readonly env?: Texts
  /** The event that started the workflow. */
  readonly event?: Event
  /** Files of the workspace, by path. */
  readonly files?: Texts
  /** State that an earlier part of the step saved: starts the post part. */
  readonly state?: Texts
  /** Whether the service breaks its own documentation, so that the output `job`, which is as sent, does too. */
  readonly oddJob?: boolean
}

/** What a person and the next step see of a run. */
export type ActionRun = Readonly<
  Record<'outputs' | 'state', Texts> & {
    /** `null` if a signal ended the process. */
    exitCode: number | null
    /** Standard output and error, with the lines that only the runner reads. */
    log: string
    summary: string
  }
>

const ROOT = join(import.meta.dirname, '../..')
const NODE = join(ROOT, 'node_modules/.bin/node')

/** Runs the bundle to its end. */
export async function runAction(options: ActionOptions): Promise<ActionRun> {
  return await (await startAction(options)).ended
}

/** Starts the bundle in an environment made from nothing. */
export async function startAction(options: ActionOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'action-run-'))
  const workspace = join(folder, 'workspace')
  await mkdir(workspace, { recursive: true })
  const event = JSON.stringify(options.event?.payload ?? {})
  await writeAll(folder, { output: '', state: '', summary: '', 'event.json': event })
  await writeAll(workspace, options.files ?? {})

  const entry = options.state === undefined ? 'dist/index.js' : 'dist/post.js'
  const env = environmentOf(options, folder, workspace)
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  const child = spawn(NODE, [join(ROOT, entry)], { cwd: workspace, env, stdio })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk
    })
  }
  const closed = once(child, 'close')

  async function end(): Promise<ActionRun> {
    const [exitCode] = await closed
    const files = ['output', 'state', 'summary'].map((name) => readFile(join(folder, name), 'utf8'))
    const [output = '', state = '', summary = ''] = await Promise.all(files)
    await rm(folder, { recursive: true, force: true })
    const outputs = readCommandFile(output)
    checkOutputs(options.oddJob === true ? { ...outputs, job: '' } : outputs)
    return { exitCode, log, outputs, state: readCommandFile(state), summary }
  }

  /** Resolves once the log holds the text. */
  async function logged(text: string): Promise<void> {
    while (!log.includes(text)) {
      if (child.exitCode !== null)
        throw new Error(`The run ended without logging "${text}":\n${log}`)
      await setTimeout(5)
    }
  }

  return { child, logged, ended: end() }
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
    RUNNER_TEMP: folder,
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_REPOSITORY_ID: '1296269',
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
    ...withPrefix('INPUT_', { ...DEFAULTS, ...inputs }),
    ...withPrefix('STATE_', state),
    ...env,
  }
}

// Expressions are GitHub's: there is no token unless one is given.
const DEFAULTS = Object.fromEntries(
  Object.entries(readActionMetadata().inputs).map(([name, input]) => [
    name,
    input.default?.replace(/^\$\{\{.*\}\}$/, '') ?? '',
  ]),
)

/** Inputs or state as the runner sets them. */
export function withPrefix(prefix: 'INPUT_' | 'STATE_', values: Texts): Texts {
  const all = Object.entries(values)
  return Object.fromEntries(
    all.map(([name, value]) => [
      `${prefix}${prefix === 'INPUT_' ? name.toUpperCase() : name}`,
      value,
    ]),
  )
}

/** Writes files by path, and the folders that they need. */
export async function writeAll(folder: string, files: Texts): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
const schemas = ['job', 'visitors'].map((name) => {
  const schema = JSON.parse(readFileSync(join(ROOT, `docs/schemas/${name}.schema.json`), 'utf8'))
  return { name, validate: ajv.compile(schema) }
})

/** @throws if the outputs of a run are not as `action.yml` and `docs/schemas` describe them */
export function checkOutputs(outputs: Texts): void {
  const known = Object.keys(readActionMetadata().outputs)
  const unknown = Object.keys(outputs).filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(`action.yml does not know these outputs: ${unknown.join(', ')}`)
  for (const { name, validate } of schemas) {
    const json = outputs[name] ?? ''
    if (json === '' || validate(JSON.parse(json))) continue
    throw new Error(`The output ${name} is wrong: ${ajv.errorsText(validate.errors)}\n${json}`)
  }
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { DocsService } from '../docs-service/service.ts'
import { readActionMetadata } from '../scripts/action-metadata.ts'
import { type Command, isInstalled, NODE } from './process-run.ts'
import type { PushScene } from './push-scene.ts'

const RIVALS = join(import.meta.dirname, 'rivals')
const ROOT = join(import.meta.dirname, '..')

/** What is requested: the action's inputs, and the same for the rivals. */
export type Ask = {
  readonly name: string
  readonly kind: 'job' | 'visitors'
  readonly inputs: Readonly<Record<string, string>>
  readonly rivalEnv: Readonly<Record<string, string>>
  /** The event, the addresses and the certificate authority of a run in the midst of a repository. */
  readonly push?: PushScene
}

/** Node alone: what every ratio is to. */
export const BARE_NODE: Command = { program: NODE, args: ['-e', '0'], env: pathOnly() }

/** What "start to done" is measured with. `jobId` is that of a job that is over. */
export function shortAsks(jobId: string, push: PushScene): Ask[] {
  const prompt = 'Explain the new flag.'
  return [
    { name: 'create, answered terminal', kind: 'job', inputs: { prompt }, rivalEnv: { PROMPT: prompt } },
    {
      name: 'attach to a finished job',
      kind: 'job',
      inputs: { 'job-id': jobId },
      rivalEnv: { JOB_ID: jobId },
    },
    {
      name: 'push, defaults, https',
      kind: 'job',
      inputs: { prompt, 'base-url': push.docsUrl, 'github-token': push.token },
      rivalEnv: { PROMPT: prompt, BASE_URL: push.docsUrl, GITHUB_TOKEN: push.token },
      push,
    },
    { ...visitorsAsk(1), name: 'visitors totals' },
  ]
}

/** The visitors of the last seven days, whatever number of requests that takes. */
export function visitorsAsk(requests: number): Ask {
  const inputs = {
    'visitors-summary': 'true',
    'visitors-trend': '1',
    'visitors-max-requests': String(requests),
    'visitors-days': '7',
  }
  return { name: 'visitors', kind: 'visitors', inputs, rivalEnv: { KIND: 'visitors' } }
}

/** The bundle, as a runner starts it; `root` is the folder of the action. */
export function actionCommand(ask: Ask, docs: DocsService, folder: string, root = ROOT): Command {
  const defaults = Object.entries(readActionMetadata(root).inputs).map(([name, input]) => [
    name,
    (input.default ?? '').replace(/^\$\{\{.*\}\}$/, ''),
  ])
  const access = { 'api-key': docs.key, 'project-id': 'docs', 'base-url': docs.url }
  const inputs: Record<string, string> = { ...Object.fromEntries(defaults), ...access, ...ask.inputs }
  const inputEnv = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])
  return {
    program: NODE,
    args: [join(root, 'dist/index.js')],
    env: { ...runnerEnv(ask, folder), ...Object.fromEntries(inputEnv) },
  }
}

/** How a shell step is written: with one jq for each value, or with as few programs as can be. */
export type ShellStyle = 'common' | 'lean'

/** The shell step; `undefined` where curl or jq is missing. */
export function shellCommand(
  ask: Ask,
  docs: DocsService,
  { folder, style }: { readonly folder: string; readonly style: ShellStyle },
): Command | undefined {
  if (!['bash', 'curl', 'jq'].every(isInstalled)) return undefined
  const script = `shell-${ask.kind}${style === 'lean' ? '-lean' : ''}.sh`
  return { program: 'bash', args: ['-e', join(RIVALS, script)], env: rivalEnv(ask, docs, folder) }
}

/** A step of actions/github-script; `bundle` is made by `bundleGithubScript`. */
export function githubScriptCommand(
  ask: Ask,
  docs: DocsService,
  { folder, bundle }: { readonly folder: string; readonly bundle: string },
): Command {
  const env = {
    GITHUB_TOKEN: 'none',
    ...rivalEnv(ask, docs, folder),
    SCRIPT_FILE: join(RIVALS, 'recipe.js.txt'),
  }
  return { program: NODE, args: [bundle], env }
}

/** Bundles the stand-in for actions/github-script as such actions are: whole, into one file of CommonJS. */
export async function bundleGithubScript(folder: string): Promise<string> {
  const bundle = await rolldown({
    input: join(RIVALS, 'github-script.ts'),
    platform: 'node',
    logLevel: 'silent',
  })
  await bundle.write({ file: join(folder, 'github-script.cjs'), format: 'cjs' })
  await bundle.close()
  return join(folder, 'github-script.cjs')
}

function rivalEnv(ask: Ask, docs: DocsService, folder: string): Record<string, string> {
  const access = { BASE_URL: docs.url, PROJECT_ID: 'docs', API_KEY: docs.key }
  return { ...runnerEnv(ask, folder), ...access, ...ask.rivalEnv }
}

function runnerEnv({ push }: Ask, folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true })
  for (const name of ['output', 'state', 'summary']) writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'event.json'), JSON.stringify(push?.event.payload ?? {}))
  return {
    ...pathOnly(),
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STATE: join(folder, 'state'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_EVENT_NAME: push?.event.name ?? 'workflow_dispatch',
    GITHUB_WORKSPACE: folder,
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_RUN_ID: '1001',
    ...(push && {
      GITHUB_API_URL: push.apiUrl,
      NODE_EXTRA_CA_CERTS: push.authorityFile,
      CURL_CA_BUNDLE: push.authorityFile,
    }),
  }
}

function pathOnly(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '' }
}

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import type { DocsService } from '../../docs-service/service.ts'
import { unpackArchive } from '../../scripts/archive.ts'
import type { PullRequest } from '../../src/github/pull-requests.ts'
import { previewBody } from '../support/builds.ts'
import { bareEvent, commentIn, type Event, pullRequest, pushOf } from '../support/events.ts'
import type { FakeGitHub } from '../support/github.ts'
import { learn } from '../support/learn.ts'
import { runAction, writeAll } from '../support/run-action.ts'
import { octocat } from '../support/scene.ts'
import { startServices } from '../support/services.ts'
import {
  AGENT,
  addComment,
  addCommit,
  addPull,
  emptyWorld,
  MAY_WRITE,
  type World,
} from '../support/world.ts'
import { runAct } from './act.ts'
import { startHostProxy, startServer } from './proxy.ts'

const ROOT = join(import.meta.dirname, '../..')
const ACTION = 'your-org/docs-agent-action'
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The agent's pull request in this repository, as the docs service and GitHub link it. */
export const PULL = 'https://github.com/acme/docs/pull/1'
/** Its preview. */
export const PREVIEW = 'https://docs-pr-1.example.com/'

type Files = Readonly<Record<string, string>>

/** One run of a workflow. */
export type WorkflowOptions = {
  /** By default a push of the repository's second commit; a name alone has no payload. */
  readonly event?: string | ((world: World) => Event)
  /** Files of the repository in its first commit, and those that the second changes. */
  readonly files?: Files
  readonly changes?: Files
  readonly docs?: DocsServiceOptions
  /** Prepares the docs service and GitHub; `commits` are the SHAs of the repository's two. */
  readonly before?: (services: {
    readonly docs: DocsService
    readonly github: FakeGitHub
    readonly world: World
    readonly commits: readonly [string, string]
    /** The variables that lead to both. */
    readonly env: Files
  }) => unknown
  /** What GitHub's GraphQL API answers gh; without it, gh asks the same GitHub as the action. */
  readonly gh?: (query: string) => object
  /** The workflow's text in place of the example's. */
  readonly workflow?: string
  readonly variables?: (docs: DocsService) => Files
  /** In place of those by their names; an empty one is one that the run does not have. */
  readonly secrets?: Files
  /** The token that an App gives out; empty: it gives none. */
  readonly appToken?: string
  /** What the run must end with; 0 without it. */
  readonly exitCode?: number
}

export type WorkflowRun = Awaited<ReturnType<typeof runWorkflow>>

/**
 * Runs an example as a user would have it: the file as it stands, in a repository of the user's, with the action and
 * the reusable workflows as GitHub delivers them and the addresses that they have by default. What GitHub would
 * provide differs: API, token, secrets, variables. No other host may be asked for anything, and GitHub for nothing that
 * it does not know.
 *
 * @param name name of the file in `examples/`, without its ending
 */
export async function runWorkflow(name: string, options: WorkflowOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'workflow-'))
  const at = (...path: readonly string[]): string => join(folder, ...path)
  const workflow = `.github/workflows/${name}.yml`
  const text = forAct(options.workflow ?? readExample(name))
  const files = { [workflow]: text, ...options.files }
  const commits = await makeRepository(at('repository'), files, options.changes ?? {})
  const world = worldOf(commits)
  const services = await startServices({
    github: { world },
    repository: '',
    jobTimeMs: 300,
    ...options.docs,
  })
  const { docs, github } = services
  const { agentPulls } = world
  const chat = await startServer(() => 'ok')
  const gh = await startServer((body) => ({ data: options.gh?.(`${body['query']}`) }))
  const apiUrl = options.gh === undefined ? github.url : gh.url
  const proxy = await startHostProxy(
    {
      'api.mintlify.com': docs.url,
      'api.github.com': apiUrl,
      'chat.example.com': chat.url,
    },
    // The service links its own pages; a pull request on GitHub is what a user's job has.
    (body) => body.replaceAll(`${docs.url}/acme/docs`, 'https://github.com/acme/docs'),
  )
  world.agentPulls = () => {
    const pulls = agentPulls()
    if (pulls.length > 0) addPreview(world)
    return pulls
  }
  const { event: wanted = () => pushOf(world, commits[0]) } = options
  const event = typeof wanted === 'string' ? bareEvent(wanted) : wanted(world)
  learn(world, event.payload)
  const env = {
    GITHUB_API_URL: github.url,
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: proxy.authorityFile, // the action
  }
  try {
    await options.before?.({ docs, github, world, commits, env })
    unpackArchive(at('action'))
    for (const path of globSync(at('action/.github/workflows/*.yml')))
      await writeFile(path, forAct(readFileSync(path, 'utf8')))
    await mkdir(at('home'))
    const stubs = await makeStubs(at('stubs'), at('repository'))
    const repository = { ...event.payload.repository, ...REPOSITORY }
    await writeFile(at('event.json'), JSON.stringify({ ...event.payload, repository }))
    const run = await runAct({
      workflow: at('repository', workflow),
      event: event.name,
      payload: at('event.json'),
      workspace: at('repository'),
      actions: {
        [`${ACTION}@v1`]: at('action'),
        [`${ACTION}@v${VERSION}`]: at('action'),
        ...stubs,
      },
      home: at('home'),
      secrets: {
        DOCS_API_KEY: docs.key,
        DOCS_READ_KEY: docs.key,
        DOCS_APP_PRIVATE_KEY: 'a private key',
        GITHUB_TOKEN: github.token,
        CHAT_WEBHOOK_URL: 'https://chat.example.com/hooks/docs',
        ...options.secrets,
      },
      variables: {
        DOCS_PROJECT_ID: 'docs',
        DOCS_APP_CLIENT_ID: 'Iv1',
        ...options.variables?.(docs),
      },
      env: {
        ...env,
        GITHUB_WORKFLOW_REF: `acme/docs/${workflow}@refs/heads/main`, // unknown to act
        SSL_CERT_FILE: proxy.authorityFile, // gh
        CURL_CA_BUNDLE: proxy.authorityFile,
        GH_TELEMETRY: 'false',
        APP_TOKEN: options.appToken ?? github.token, // what the stub of actions/create-github-app-token gives out
      },
    })
    expect([...proxy.refused, ...github.violations], run.output).toEqual([])
    expect(run.exitCode, run.output).toBe(options.exitCode ?? 0)
    /** The outputs of all steps, in order. */
    const outputs = run.jobs.flatMap((job) => Object.values(job.outputs))
    /** Requests to the docs service, as `POST /v2/agent/docs/job`. */
    const asked = docs.requests.map(({ method, path }) => `${method} ${path}`)
    return {
      ...run,
      docs,
      github,
      world,
      /** What was posted to the chat, and what gh was used for where its answers are told. */
      chat: chat.requests.map(({ body }) => body),
      gh: gh.requests.map(({ body }) => body),
      /** The one job with this id. */
      job(id: string) {
        const [job, ...more] = run.jobs.filter((candidate) => candidate.id === id)
        if (job !== undefined && more.length === 0) return job
        throw new Error(`The run has ${more.length + 1} jobs ${id}, or none:\n${run.output}`)
      },
      outputs,
      /** What the steps of the action have ended as. */
      results: outputs.flatMap(({ result }) => result ?? []),
      /** The prompts of the jobs that were created, in order. */
      prompts: docs.jobs.map(({ prompt }) => prompt),
      asked,
      /** All that was sent, to GitHub, too. */
      sent: [...asked, ...github.requests],
      /** The different statuses that were set, oldest first. */
      statuses: [...new Set(world.statuses.map(({ state, context }) => `${state} ${context}`))],
      /** What our reactions say now. */
      reactions: world.reactions.map(({ content }) => content),
    }
  } finally {
    await Promise.all([services, proxy, chat, gh].map((server) => server.close()))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const REPOSITORY = {
  full_name: 'acme/docs',
  default_branch: 'main',
  name: 'docs',
  owner: { login: 'acme' },
}

/** What the repository's second commit changes, and pull request 5. */
const FILES = [
  {
    filename: 'src/pets.ts',
    status: 'modified' as const,
    patch: '@@ -1 +1 @@\n-cats\n+cats and dogs',
  },
]

/** An earlier run of a step, `FILE, JOB, STEP`, on one of the repository's commits. Its docs pull request is open. */
export function earlierJob(step: string, commit: 0 | 1 = 0): WorkflowOptions {
  const [file = '', job = '', action = ''] = step.split(', ')
  return {
    docs: { jobTimeMs: 1 },
    before: async ({ docs, github, commits, env }) => {
      const inputs = {
        'api-key': docs.key,
        'project-id': 'docs',
        'github-token': github.token,
        prompt: 'Describe cats.',
        context: 'none',
        comment: 'never',
        'poll-interval': '100ms',
      }
      const { outputs, log } = await runAction({
        inputs,
        event: bareEvent('schedule'),
        env: {
          ...env,
          GITHUB_WORKFLOW_REF: `acme/docs/.github/workflows/${file}@refs/heads/main`,
          GITHUB_JOB: job,
          GITHUB_ACTION: action,
          GITHUB_SHA: commits[commit],
        },
      })
      expect(outputs, log).toMatchObject({ result: 'pull-request' })
    },
  }
}

/** A comment of octocat's on pull request 5. */
export function comment(body: string): (world: World) => Event {
  return (world) => commentIn(world, { author: octocat, body })
}

/** Fields of a pull request that was merged. */
export const MERGED = { merged: true, state: 'closed', merge_commit_sha: 'e'.repeat(40) }

/** What happens to octocat's pull request 5, with fields that it has then. */
export function pullIs(action: string, pull: PullRequest = {}): () => Event {
  const changed = { title: 'Add pets', base: { ref: 'main' }, ...pull }
  return () => pullRequest({ action, sender: octocat, author: octocat, pull: changed })
}

/** The comment by which the docs service's App says that the preview of the agent's pull request is built. */
function addPreview(world: World): void {
  if (world.comments.some(({ author }) => author === AGENT)) return
  const body = previewBody('ready', PREVIEW)
  addComment(world, { kind: 'main', number: 1, author: AGENT, body })
}

/** The repository as GitHub knows it, with pull request 5. octocat may write to it. */
function worldOf([first, second]: readonly [string, string]): World {
  const world = emptyWorld()
  addCommit(world, { sha: first, message: 'Add cats' })
  addCommit(world, { sha: second, message: 'Add pets', files: FILES })
  addPull(world, { number: 5, title: 'Add pets', files: FILES })
  world.roles.set('octocat', MAY_WRITE)
  return world
}

/** act 0.2.89 takes a workflow with these keys for an invalid one. */
function forAct(workflow: string): string {
  return workflow.replace(/^ *(?:queue: max|timezone: ).*\n/gm, '')
}

/**
 * What the stub of an action of others runs, which has its inputs as JSON in `GIVEN`. act copies a repository by itself
 * only for a checkout without `ref`.
 */
const STUBS: Readonly<Record<string, (repository: string) => string>> = {
  'actions/checkout': (repository) => `cp -R "${repository}/." .`,
  'actions/create-github-app-token': () => `
    jq --compact-output '"GIVEN \\(del(..|select(. == "")))"' <<< "$GIVEN"
    if [ -z "$APP_TOKEN" ]; then echo "::error::Not Found"; exit 1; fi
    echo "token=$APP_TOKEN" >> "$GITHUB_OUTPUT"`,
  'actions/upload-artifact': () =>
    'file="$(jq -r .path <<< "$GIVEN")"; echo "uploaded $file, which begins with $(head -1 "$file")"',
}

/** Inputs of these actions that stubs record. */
const STUB_INPUTS = [
  ...['path', 'name', 'client-id', 'private-key', 'owner', 'repositories'],
  ...['actions', 'checks', 'contents', 'issues', 'metadata', 'pull-requests', 'statuses'].map(
    (permission) => `permission-${permission}`,
  ),
]

/** Actions in place of those of others that the examples use, by `owner/name@ref`. */
async function makeStubs(folder: string, repository: string): Promise<Files> {
  const places = ['examples/*.yml', '.github/workflows/{docs-*,weekly}.yml', 'docs/recipes.md']
  const workflows = globSync(places, { cwd: ROOT })
  const text = workflows.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('')
  const uses = [...text.matchAll(/uses: (actions\/[\w-]+)(@[0-9a-f]{40})/g)]
  const made: Record<string, string> = {}
  for (const [, name = '', ref = ''] of uses) {
    const run = STUBS[name]?.(repository)
    const env = { GIVEN: expression('toJSON(inputs)') }
    const outputs = { token: { value: expression('steps.run.outputs.token') } }
    const runs = { using: 'composite', steps: [{ id: 'run', shell: 'bash', run, env }] }
    const inputs = Object.fromEntries(STUB_INPUTS.map((input) => [input, { default: '' }]))
    // JSON is YAML, too.
    await writeAll(join(folder, name), {
      'action.yml': JSON.stringify({ name, inputs, outputs, runs }),
    })
    made[`${name}${ref}`] = join(folder, name)
  }
  return made
}

/** The text of an example. */
export function readExample(name: string): string {
  return readFileSync(join(ROOT, `examples/${name}.yml`), 'utf8')
}

/** The YAML below a heading of a page in `docs/`; where there are several blocks, the first one. */
function yamlBelow(page: string, heading: string): string {
  const text = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8')
  const [, section = ''] = text.split(new RegExp(`^#+ ${heading}\n`, 'm'))
  return /^```yaml\n([\s\S]+?)```/m.exec(section)?.[1] ?? ''
}

/** The workflow with which README or a recipe calls the reusable workflow of this name. */
export function callingWorkflow(name: string): string {
  const title = name.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase())
  if (name !== 'docs-on-push') return yamlBelow('recipes', title)
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  return /^```yaml\n([\s\S]+?)^```/m.exec(readme)?.[1] ?? ''
}

/** An expression of GitHub's. */
export function expression(text: string): string {
  return `$\{{ ${text} }}`
}

/** A repository of two commits. */
async function makeRepository(folder: string, first: Files, second: Files) {
  await mkdir(folder)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const commit = async (content: Files): Promise<string> => {
    await writeAll(folder, content)
    git('add', '--all')
    const author = ['-c', 'user.name=Octocat', '-c', 'user.email=octocat@example.com']
    git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'Pets')
    return git('rev-parse', 'HEAD')
  }
  git('init', '--quiet', '--initial-branch=main', '--template=')
  git('remote', 'add', 'origin', 'https://github.com/acme/docs')
  return [await commit({ 'README.md': '# Docs\n', ...first }), await commit(second)] as const
}

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import type { DocsService } from '../../docs-service/service.ts'
import { unpackArchive } from '../../scripts/archive.ts'
import type { PullRequest } from '../../src/github/client.ts'
import { bareEvent, commentIn, type Event, pullRequest, pushOf } from '../support/events.ts'
import { learn } from '../support/learn.ts'
import { runAction, writeAll } from '../support/run-action.ts'
import { octocat } from '../support/scene.ts'
import { startServices } from '../support/services.ts'
import { addCommit, addPull, emptyWorld, MAY_WRITE, type World } from '../support/world.ts'
import { runAct } from './act.ts'
import { startHostProxy, startServer } from './proxy.ts'

/** The action as the examples use it. */
export const ACTION = 'your-org/docs-agent-action@main'
/** The agent's pull request in this repository, as the docs service and GitHub link it. */
export const PULL = 'https://github.com/acme/docs/pull/1'
const WORKFLOW = '.github/workflows/docs.yml'

type Files = Readonly<Record<string, string>>

/** One run of a workflow. */
export type WorkflowOptions = {
  /** By default a push of the repository's second commit; a name alone has no payload. */
  readonly event?: string | ((world: World) => Event)
  /** More files of the repository. */
  readonly files?: Files
  readonly docs?: DocsServiceOptions
  /** Prepares the docs service and GitHub. */
  readonly before?: (services: {
    readonly docs: DocsService
    readonly world: World
    /** The inputs and the variables that lead to both. */
    readonly inputs: Files
    readonly env: Files
  }) => unknown
  /** What GitHub's GraphQL API answers gh; without it, gh asks the same GitHub as the action. */
  readonly gh?: (query: string) => object
  /** In place of those by their names; an empty one is one that the run does not have. */
  readonly secrets?: Files
  /** What the run must end with; 0 without it. */
  readonly exitCode?: number
  /** Variables besides the project's ID. */
  readonly variables?: (docs: DocsService) => Files
}

/**
 * Runs a workflow as a user would have it: the text as it stands, in a repository of the user's, with the action as
 * GitHub delivers it and the addresses that it has by default. What GitHub would provide differs: API, token, secrets,
 * variables. No other host may be asked for anything, and GitHub for nothing that it does not know.
 */
export async function runWorkflow(text: string, options: WorkflowOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'workflow-'))
  const at = (...path: readonly string[]): string => join(folder, ...path)
  const commits = await makeRepository(at('repository'), { [WORKFLOW]: text, ...options.files })
  const world = worldOf(commits)
  const services = await startServices({
    github: { world },
    repository: '',
    jobTimeMs: 300,
    ...options.docs,
  })
  const { docs, github } = services
  const chat = await startServer(() => 'ok')
  const gh = await startServer((body) => ({ data: options.gh?.(`${body['query']}`) }))
  const hosts = {
    'api.mintlify.com': docs.url,
    'api.github.com': options.gh === undefined ? github.url : gh.url,
    'chat.example.com': chat.url,
  }
  // The service links its own pages; a pull request on GitHub is what a user's job has.
  const proxy = await startHostProxy(hosts, (body) =>
    body.replaceAll(`${docs.url}/acme/docs`, 'https://github.com/acme/docs'),
  )
  const { event: wanted = () => pushOf(world, commits[0]) } = options
  const event = typeof wanted === 'string' ? bareEvent(wanted) : wanted(world)
  learn(world, event.payload)
  const env = {
    GITHUB_API_URL: github.url,
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: proxy.authorityFile, // the action
  }
  const inputs = { 'api-key': docs.key, 'project-id': 'docs', 'github-token': github.token }
  try {
    await options.before?.({ docs, world, inputs, env })
    unpackArchive(at('action'))
    await mkdir(at('home'))
    const repository = { ...event.payload.repository, ...REPOSITORY }
    await writeFile(at('event.json'), JSON.stringify({ ...event.payload, repository }))
    const run = await runAct({
      workflow: at('repository', WORKFLOW),
      event: event.name,
      payload: at('event.json'),
      workspace: at('repository'),
      actions: { [ACTION]: at('action'), ...(await makeStubs(at('stubs'), text)) },
      home: at('home'),
      secrets: {
        DOCS_API_KEY: docs.key,
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
        GITHUB_WORKFLOW_REF: `acme/docs/${WORKFLOW}@refs/heads/main`, // unknown to act
        SSL_CERT_FILE: proxy.authorityFile, // gh
        CURL_CA_BUNDLE: proxy.authorityFile,
        GH_TELEMETRY: 'false',
        APP_TOKEN: github.token, // what the stub of actions/create-github-app-token gives out
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
      gh: gh.requests,
      outputs,
      summary: run.jobs.map(({ summary }) => summary).join(''),
      /** What the steps of the action have ended as. */
      results: outputs.flatMap(({ result }) => result ?? []),
      /** The prompts of the jobs that were created, in order. */
      prompts: docs.jobs.map(({ prompt }) => prompt),
      asked,
      /** All that was sent, to GitHub, too. */
      sent: [...asked, ...github.requests],
      /** The different statuses that were set, oldest first. */
      statuses: [...new Set(world.statuses.map(({ state, context }) => `${state} ${context}`))],
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
    filename: 'packages/api/src/pets.ts',
    status: 'modified' as const,
    patch: '@@ -1 +1 @@\n-cats\n+cats and dogs',
  },
]

/** An earlier push, whose job has opened a docs pull request. */
export const EARLIER: WorkflowOptions = {
  docs: { jobTimeMs: 5500 }, // so that the first poll finds the updated job active
  before: async ({ world, inputs, env }) => {
    const [, first = ''] = [...world.commits.keys()]
    const { outputs, log } = await runAction({
      inputs: {
        ...inputs,
        prompt: 'Describe cats.',
        comment: 'never',
        'poll-interval': '100ms',
      },
      event: bareEvent('workflow_dispatch'),
      env: {
        ...env,
        GITHUB_WORKFLOW_REF: `acme/docs/${WORKFLOW}@refs/heads/main`,
        GITHUB_JOB: 'docs',
        GITHUB_ACTION: 'docs',
        GITHUB_SHA: first,
      },
    })
    expect(outputs, log).toMatchObject({ result: 'pull-request' })
  },
}

/** A comment of octocat's on pull request 5. */
export function comment(body: string, kind: 'main' | 'review' = 'main'): (world: World) => Event {
  return (world) => commentIn(world, { author: octocat, body, kind })
}

/** What happens to octocat's pull request 5, with fields that it has then. */
export function pullIs(
  action: string,
  pull: PullRequest = {},
  fields = {},
): (world: World) => Event {
  return (world) => {
    const changed = { title: 'Add pets', ...world.pulls.get(5)?.fields, ...pull }
    const event = pullRequest({ action, sender: octocat, author: octocat, pull: changed })
    return { ...event, payload: { ...event.payload, ...fields } }
  }
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

/** The token that GitHub would make for an App. The inputs are printed, so that a test can read them. */
const APP_STUB = `
  jq --compact-output '"GIVEN \\(del(..|select(. == "")))"' <<< "$GIVEN"
  echo "token=$APP_TOKEN" >> "$GITHUB_OUTPUT"`
const APP_INPUTS = [
  ...['client-id', 'private-key', 'owner', 'repositories'],
  ...['contents', 'issues', 'members', 'pull-requests', 'statuses'].map(
    (permission) => `permission-${permission}`,
  ),
]

/** The action that makes an App's token, if a workflow uses it, by `owner/name@ref`. */
async function makeStubs(folder: string, workflow: string): Promise<Files> {
  const [, name] = /uses: (actions\/create-github-app-token@[0-9a-f]{40})/.exec(workflow) ?? []
  if (name === undefined) return {}
  const env = { GIVEN: expression('toJSON(inputs)') }
  const outputs = { token: { value: expression('steps.run.outputs.token') } }
  const steps = [{ id: 'run', shell: 'bash', run: APP_STUB, env }]
  const inputs = Object.fromEntries(APP_INPUTS.map((input) => [input, { default: '' }]))
  const stub = { name: 'App', inputs, outputs, runs: { using: 'composite', steps } }
  // JSON is YAML, too.
  await writeAll(folder, { 'action.yml': JSON.stringify(stub) })
  return { [name]: folder }
}

/** An expression of GitHub's. */
export function expression(text: string): string {
  return `$\{{ ${text} }}`
}

/** A repository of two commits. */
async function makeRepository(folder: string, files: Files) {
  await mkdir(folder)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const commit = (): string => {
    git('add', '--all')
    const author = ['-c', 'user.name=Octocat', '-c', 'user.email=octocat@example.com']
    git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'Pets')
    return git('rev-parse', 'HEAD')
  }
  git('init', '--quiet', '--initial-branch=main', '--template=')
  git('remote', 'add', 'origin', 'https://github.com/acme/docs')
  await writeAll(folder, files)
  return [commit(), commit()] as const
}

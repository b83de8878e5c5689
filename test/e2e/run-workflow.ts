import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import { unpackArchive } from '../../scripts/archive.ts'
import { type ActJob, type ActRun, runAct } from './act.ts'
import { type LoopbackGitHub, type LoopbackGitHubOptions, startLoopbackGitHub } from './github.ts'
import { startHostProxy } from './proxy.ts'

const ROOT = join(import.meta.dirname, '../..')

/** One run of a workflow. */
export type WorkflowOptions = {
  readonly event: string
  /** Fields of the event's payload besides the repository. */
  readonly payload?: (commits: Commits) => object
  /** Files of the repository in its first commit. */
  readonly files?: Readonly<Record<string, string>>
  /** Files that the second commit changes. */
  readonly changes?: Readonly<Record<string, string>>
  readonly docs?: DocsServiceOptions
  readonly github?: Partial<LoopbackGitHubOptions> | ((commits: Commits) => Partial<LoopbackGitHubOptions>)
  /** Prepares the docs service, with faults for example. */
  readonly before?: (docs: DocsService) => void | Promise<void>
  /** The workflow's text in place of the example's. */
  readonly workflow?: string
  readonly variables?: (docs: DocsService) => Readonly<Record<string, string>>
}

/** The two commits of the repository. */
export type Commits = { readonly before: string; readonly after: string }

export type WorkflowRun = ActRun & {
  readonly docs: DocsService
  readonly github: LoopbackGitHub
  /** Bodies that were posted to the chat. */
  readonly chat: readonly string[]
  /** `host:port` of each host that the run tried to reach and could not. */
  readonly refused: readonly string[]
  /** The one job with this id. */
  job(id: string): ActJob
}

/**
 * Runs an example as a user would have it: the file as it stands, in a repository of the user's, with the action and
 * the reusable workflows as GitHub delivers them and the addresses that they have by default. What GitHub would
 * provide differs: API, token, secrets, variables.
 *
 * @param name name of the file in `examples/`, without its ending
 */
export async function runWorkflow(name: string, options: WorkflowOptions): Promise<WorkflowRun> {
  const folder = await mkdtemp(join(tmpdir(), 'workflow-'))
  const workflow = `.github/workflows/${name}.yml`
  const commits = await makeRepository(join(folder, 'repository'), {
    first: {
      [workflow]: options.workflow ?? readFileSync(join(ROOT, `examples/${name}.yml`), 'utf8'),
      ...options.files,
    },
    second: options.changes ?? {},
  })
  const { role = 'write', ...rest } =
    typeof options.github === 'function' ? options.github(commits) : (options.github ?? {})
  const docs = await startDocsService({ agent: 'none', jobTimeMs: 300, ...options.docs })
  const github = await startLoopbackGitHub({ role, ...rest })
  const chat = await startChat()
  const proxy = await startHostProxy(
    { 'api.mintlify.com': docs.url, 'api.github.com': github.url, 'chat.example.com': chat.url },
    // The service links its own pages; a pull request on GitHub is what a user's job has.
    (body) => body.replaceAll(`${docs.url}/acme/docs`, 'https://github.com/acme/docs'),
  )
  try {
    await options.before?.(docs)
    unpackArchive(join(folder, 'action'))
    // GitHub reads reusable workflows from the repository, not from the archive that runners download.
    cpSync(join(ROOT, '.github/workflows'), join(folder, 'action/.github/workflows'), { recursive: true })
    await mkdir(join(folder, 'home'))
    const run = await runAct({
      workflow: join(folder, 'repository', workflow),
      event: options.event,
      payload: await writePayload(folder, options.payload?.(commits)),
      workspace: join(folder, 'repository'),
      action: join(folder, 'action'),
      home: join(folder, 'home'),
      actor: 'octocat',
      secrets: {
        DOCS_API_KEY: docs.key,
        GITHUB_TOKEN: 'ghs_example',
        CHAT_WEBHOOK_URL: 'https://chat.example.com/hooks/docs',
      },
      variables: { DOCS_PROJECT_ID: 'docs', DOCS_REVIEWER: 'hubot', ...options.variables?.(docs) },
      env: {
        GITHUB_API_URL: github.url,
        GITHUB_WORKFLOW_REF: `acme/docs/${workflow}@refs/heads/main`, // unknown to act
        HTTPS_PROXY: proxy.url,
        NODE_EXTRA_CA_CERTS: proxy.authorityFile, // the action
        SSL_CERT_FILE: proxy.authorityFile, // gh
        CURL_CA_BUNDLE: proxy.authorityFile,
        GH_TELEMETRY: 'false',
      },
    })
    return { ...run, docs, github, chat: chat.bodies, refused: proxy.refused, job: (id) => onlyJob(run, id) }
  } finally {
    await Promise.all([docs.close(), github.close(), proxy.close(), chat.close()])
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function writePayload(folder: string, fields: object = {}): Promise<string> {
  const path = join(folder, 'event.json')
  const repository = {
    full_name: 'acme/docs',
    default_branch: 'main',
    name: 'docs',
    owner: { login: 'acme' },
  }
  await writeFile(path, JSON.stringify({ repository, ...fields }))
  return path
}

function onlyJob({ jobs, output }: ActRun, id: string): ActJob {
  const [job, ...more] = jobs.filter((candidate) => candidate.id === id)
  if (job === undefined || more.length > 0) {
    const ids = jobs.map((candidate) => candidate.id).join(', ')
    throw new Error(`One job ${id} was expected; the run has: ${ids}\n${output}`)
  }
  return job
}

type Files = Readonly<Record<string, string>>

/** A repository of two commits. */
async function makeRepository(
  folder: string,
  { first, second }: { first: Files; second: Files },
): Promise<Commits> {
  await mkdir(folder)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Octo Cat', '-c', 'user.email=octocat@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).trim()
  const commit = async (message: string, content: Files): Promise<string> => {
    for (const [path, text] of Object.entries(content)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', message)
    return git('rev-parse', 'HEAD')
  }
  git('init', '--quiet', '--initial-branch=main', '--template=')
  git('remote', 'add', 'origin', 'https://github.com/acme/docs')
  const before = await commit('Begin', { 'README.md': '# Docs\n', ...first })
  return { before, after: await commit('Add pets', second) }
}

type Chat = { readonly url: string; readonly bodies: readonly string[]; close(): Promise<void> }

/** An incoming webhook that keeps what is posted to `/hooks/docs`. */
async function startChat(): Promise<Chat> {
  const bodies: string[] = []
  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    const known = incoming.method === 'POST' && incoming.url === '/hooks/docs'
    if (known) bodies.push(body)
    response.writeHead(known ? 200 : 404).end('ok')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

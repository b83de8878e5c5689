import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import { unpackArchive } from '../../scripts/archive.ts'
import { type ActJob, type ActRun, runAct } from './act.ts'
import { type ExampleGitHub, startExampleGitHub } from './github.ts'
import { openWayOut } from './way-out.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')

/** One run of an example. */
export type ExampleOptions = {
  readonly event: string
  /** Fields of the event's payload besides the repository. */
  readonly payload?: (commits: Commits) => object
  /** Files of the repository in its first commit, and what the second changes. */
  readonly files?: Readonly<Record<string, string>>
  readonly changes?: Readonly<Record<string, string>>
  readonly docs?: DocsServiceOptions
  /** Prepares the docs service: faults, for one. */
  readonly before?: (docs: DocsService) => void
  /** Role of the person who comments. */
  readonly role?: string
  readonly pullAuthor?: string
  /** The workflow's text in place of the example's, to try what the README tells users to do. */
  readonly workflow?: string
  readonly variables?: (docs: DocsService) => Readonly<Record<string, string>>
}

/** The two commits of the repository. */
export type Commits = { readonly before: string; readonly after: string }

/** What came of it. */
export type ExampleRun = ActRun & {
  readonly docs: DocsService
  readonly github: ExampleGitHub
  /** Hosts that the run tried to reach and could not. */
  readonly refused: readonly string[]
  /** The only run of a job. */
  job(id: string): ActJob
}

/**
 * Runs an example as it stands: the file itself, the action as a runner would download it, with the address it has
 * by default. Only what GitHub would give differs: API, token, secret, variable.
 */
export async function runExample(name: string, options: ExampleOptions): Promise<ExampleRun> {
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  const docs = await startDocsService({ agent: 'none', jobTimeMs: 300, ...options.docs })
  const github = await startExampleGitHub({ role: options.role ?? 'write', pullAuthor: options.pullAuthor })
  const out = await openWayOut(docs.url)
  options.before?.(docs)
  try {
    unpackArchive(join(folder, 'action'))
    await mkdir(join(folder, 'home'))
    const commits = await makeRepository(join(folder, 'repository'), options)
    const payload = join(folder, 'event.json')
    const repository = {
      full_name: 'acme/docs',
      default_branch: 'main',
      name: 'docs',
      owner: { login: 'acme' },
    }
    await writeFile(payload, JSON.stringify({ repository, ...options.payload?.(commits) }))
    let workflow = join(EXAMPLES, `${name}.yml`)
    if (options.workflow !== undefined) {
      workflow = join(folder, `${name}.yml`)
      await writeFile(workflow, options.workflow)
    }
    const run = await runAct({
      workflow,
      event: options.event,
      payload,
      workspace: join(folder, 'repository'),
      action: join(folder, 'action'),
      home: join(folder, 'home'),
      actor: 'octocat',
      secrets: { DOCS_API_KEY: docs.key, GITHUB_TOKEN: 'ghs_example' },
      variables: { DOCS_PROJECT_ID: 'docs', ...options.variables?.(docs) },
      env: {
        GITHUB_API_URL: github.url,
        HTTPS_PROXY: out.proxyUrl,
        NODE_EXTRA_CA_CERTS: out.authorityFile,
      },
    })
    return { ...run, docs, github, refused: out.refused, job: (id) => onlyJob(run, id) }
  } finally {
    await Promise.all([docs.close(), github.close(), out.close()])
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function onlyJob({ jobs, all }: ActRun, id: string): ActJob {
  const [job, ...more] = jobs.filter((one) => one.id === id)
  if (job === undefined || more.length > 0) {
    throw new Error(`There are ${more.length + (job ? 1 : 0)} jobs with the id ${id}:\n${all}`)
  }
  return job
}

async function makeRepository(folder: string, { files, changes }: ExampleOptions): Promise<Commits> {
  await mkdir(folder)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Octo Cat', '-c', 'user.email=octocat@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).trim()
  const commit = async (message: string, content: Readonly<Record<string, string>>): Promise<string> => {
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
  const before = await commit('Begin', { 'README.md': '# Docs\n', ...files })
  return { before, after: await commit('Add pets', changes ?? {}) }
}

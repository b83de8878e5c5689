import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { basedOn, bestPage, type Page, subjectOf, withNewSection } from './page-edit.ts'

/** One commit to make. */
export type Task = {
  branch: string
  /** The prompt as it was sent. */
  prompt: string
  /** The commit's date, epoch milliseconds. */
  atMs: number
}

/** A commit of a branch, as its pull request's page shows it. */
export type Commit = { hash: string; subject: string }

/** What a branch has beyond its base: its commits, oldest first, and one diff over all. */
export type BranchChanges = { commits: Commit[]; diff: string }

/** Who does the jobs' work. */
export type Agent = {
  /** Edits a page and commits it to the branch, which is made from `main` if it is new. */
  commit(task: Task): Promise<void>
  /** What the branch has beyond `main`, or beyond the commit that `main` was at when it was merged. */
  changes(branch: string, base?: string): Promise<BranchChanges>
  /**
   * Merges the branch into `main`; gives the commit that `main` was at before.
   * Throws {@link MergeConflictError} and leaves everything as it was if that can't be done.
   */
  merge(task: { branch: string; message: string; atMs: number }): Promise<string>
  /** Folder of the repository; `null` if there is none. */
  readonly folder: string | null
  /** Ends the work under way and deletes the folder. */
  close(): Promise<void>
}

/** Why git could not do what the agent needed. */
export class GitError extends Error {
  override readonly name = 'GitError'
}

/** A branch that `main` has gone on without. */
export class MergeConflictError extends Error {
  override readonly name = 'MergeConflictError'
}

/** Runs git in a folder and gives what it printed; `atMs` dates the commits it makes. */
type Git = (options: { folder: string; atMs?: number }, ...args: string[]) => Promise<string>

const FIRST_COMMIT_MS = Date.UTC(2026, 0, 5, 9)
const SUBJECT_LENGTH = 72
/** `gc.auto=0`: a clean-up in the background would still write while the folder is being deleted. */
const SETTINGS = [
  'gc.auto=0',
  'maintenance.auto=false',
  'core.quotePath=false',
  'core.autocrlf=false',
].flatMap((setting) => ['-c', setting])

/** An agent that only seems to work: jobs end and have links, but no file is ever touched. */
export function idleAgent(): Agent {
  return {
    commit: () => Promise.resolve(),
    changes: () => Promise.resolve({ commits: [], diff: '' }),
    merge: () => Promise.resolve(''),
    folder: null,
    close: () => Promise.resolve(),
  }
}

/**
 * An agent that works in a git repository of its own: the sample site, in a temporary folder.
 * Throws {@link GitError} if git is missing; nothing is left behind then.
 */
export async function gitAgent(gitProgram: string): Promise<Agent> {
  const git = gitOf(gitProgram)
  const folder = await mkdtemp(join(tmpdir(), 'docs-service-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
  try {
    await makeRepository(git, folder)
  } catch (error) {
    await remove()
    throw error
  }
  let open = true
  const inTurn = queue()
  return {
    folder,
    // Work that was waiting when the service closed has no folder to be done in.
    commit: (task) => inTurn(() => (open ? commitPage(git, folder, task) : Promise.resolve())),
    changes: (branch, base = 'main') => inTurn(() => changesOf(git, { folder, branch, base })),
    merge: (task) => inTurn(() => mergeBranch(git, folder, task)),
    close() {
      open = false
      return inTurn(remove)
    },
  }
}

async function makeRepository(git: Git, folder: string): Promise<void> {
  await git({ folder }, 'init', '--quiet', '--initial-branch=main', '--template=')
  await cp(fileURLToPath(new URL('../sample-site', import.meta.url)), folder, { recursive: true })
  await git({ folder }, 'add', '--all')
  await git({ folder, atMs: FIRST_COMMIT_MS }, 'commit', '--quiet', '--message', 'Docs for Brindle 2.4')
}

async function commitPage(git: Git, folder: string, { branch, prompt, atMs }: Task): Promise<void> {
  const exists = (await git({ folder }, 'branch', '--list', branch)) !== ''
  await git({ folder }, 'switch', '--quiet', ...(exists ? [branch] : ['--create', branch, 'main']))
  const page = bestPage(await readPages(folder), prompt)
  if (page) {
    await writeFile(join(folder, page.path), withNewSection(page.text, prompt))
    const message = ['--message', commitSubject(prompt)]
    const files = basedOn(prompt, (name) => name)
    if (files !== '') message.push('--message', `Based on the changes in ${files}.`)
    await git({ folder, atMs }, 'commit', '--quiet', '--all', ...message)
  }
  // Whoever opens the folder finds the published site in it, as in a fresh clone.
  await git({ folder }, 'switch', '--quiet', 'main')
}

/** Cut at a word, as people do. */
function commitSubject(prompt: string): string {
  const subject = `docs: ${subjectOf(prompt)}`
  if (subject.length <= SUBJECT_LENGTH) return subject
  return `${subject.slice(0, SUBJECT_LENGTH - 2).replace(/\s+\S*$/, '')} …`
}

async function readPages(folder: string): Promise<Page[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.mdx')).sort()
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })))
}

async function changesOf(
  git: Git,
  { folder, branch, base }: { folder: string; branch: string; base: string },
): Promise<BranchChanges> {
  const log = await git({ folder }, 'log', '--reverse', '--format=%h %s', `${base}..${branch}`)
  const commits = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ hash: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
  return {
    commits,
    diff: await git({ folder }, 'diff', '--no-color', '--no-ext-diff', `${base}...${branch}`),
  }
}

async function mergeBranch(
  git: Git,
  folder: string,
  { branch, message, atMs }: { branch: string; message: string; atMs: number },
): Promise<string> {
  const base = (await git({ folder }, 'rev-parse', 'main')).trim()
  try {
    await git({ folder, atMs }, 'merge', '--quiet', '--no-ff', '--message', message, branch)
  } catch (cause) {
    await git({ folder }, 'merge', '--abort')
    throw new MergeConflictError(`${branch} changes the same lines as main and can't be merged.`, { cause })
  }
  return base
}

/** Runs one task after the other: they share one work tree. */
function queue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
}

/**
 * Git without anybody's configuration: same author, same dates, no hooks, wherever it runs.
 * What it gives throws {@link GitError}: git missing, or git's own words.
 */
function gitOf(program: string): Git {
  const run = promisify(execFile)
  return async ({ folder, atMs = 0 }, ...args) => {
    const options = { cwd: folder, env: environment(atMs), maxBuffer: 64 * 1024 * 1024 }
    try {
      const { stdout } = await run(program, [...SETTINGS, ...args], options)
      return stdout
    } catch (cause) {
      throw new GitError(problemOf(cause, program, args), { cause })
    }
  }
}

/** Made from nothing: a `GIT_DIR` of the caller, say of a git hook, would lead every command to another repository. */
function environment(atMs: number): Record<string, string> {
  const date = `@${Math.max(0, Math.floor(atMs / 1000))} +0000`
  const person = { name: 'Docs Agent', email: 'docs-agent@example.com' }
  return {
    PATH: process.env['PATH'] ?? '',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    GIT_AUTHOR_NAME: person.name,
    GIT_AUTHOR_EMAIL: person.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: person.name,
    GIT_COMMITTER_EMAIL: person.email,
    GIT_COMMITTER_DATE: date,
  }
}

function problemOf(cause: unknown, program: string, args: readonly string[]): string {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') {
    return `The docs service needs git for its sample repository, and '${program}' was not found. Install git, or start the service with the agent 'none' (--agent none).`
  }
  const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
  return `git ${args[0]} failed: ${said}`
}

import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { basedOn, bestPage, subjectOf, withNewSection } from './page-edit.ts'

/** A commit to make for a prompt. */
export type Task = { readonly branch: string; readonly prompt: string; readonly atMs: number }

/** A page that a branch changes, in the words of GitHub's REST API. */
export type ChangedPage = {
  readonly filename: string
  readonly status: 'modified'
  readonly additions: number
  readonly deletions: number
}

/** Who does the jobs' work. */
export type Agent = Awaited<ReturnType<typeof gitAgent>>

const SAMPLE_SITE = join(import.meta.dirname, '../sample-site')
const FIRST_COMMIT_MS = Date.UTC(2026, 0, 5, 9)
const MAX_SUBJECT_LENGTH = 72
/** `gc.auto=0`: a clean-up in the background would still write while the folder is being deleted. */
const SETTINGS = [
  'gc.auto=0',
  'maintenance.auto=false',
  'core.quotePath=false',
  'core.autocrlf=false',
]
const PERSON = { NAME: 'Docs Agent', EMAIL: 'docs-agent@example.com' }

/** An agent that only seems to work: jobs end and have links, but no file is ever touched. */
export function idleAgent(): Agent {
  return {
    folder: '',
    commit: async () => [],
    changes: async () => ({ commits: '', diff: '' }),
    close: async () => undefined,
  }
}

/**
 * An agent that works in its own git repository: the sample site, in a temporary folder.
 * @throws if git is missing; the folder is then removed
 */
export async function gitAgent() {
  const folder = await mkdtemp(join(tmpdir(), 'docs-service-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
  const git = (args: readonly string[], atMs = 0) => runGit(folder, args, atMs)
  try {
    await git(['init', '--quiet', '--initial-branch=main', '--template='])
    await cp(SAMPLE_SITE, folder, { recursive: true })
    await git(['add', '--all'])
    await git(['commit', '--quiet', '--message', 'Docs for Brindle 2.4'], FIRST_COMMIT_MS)
  } catch (error) {
    await remove()
    throw error
  }
  let closed = false
  // One task after the other: they share a work tree.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
  return {
    /** Folder of the repository; empty if there is none. */
    folder,
    /** Edits a page and commits it to the branch, which is made from `main` if it is new; gives the branch's changed files. */
    commit: (task: Task) =>
      // Work that was waiting when the service closed has no folder any more.
      inTurn(async () => (closed ? [] : commitPage(git, folder, task))),
    /** The commits that the branch has beyond `main`. */
    changes: (branch: string) =>
      inTurn(async () => ({
        commits: await git(['log', '--reverse', '--format=%h %s', `main..${branch}`]),
        diff: await git(['diff', '--no-color', '--no-ext-diff', `main...${branch}`]),
      })),
    /** Ends the work under way and deletes the folder. */
    close() {
      closed = true
      return inTurn(remove)
    },
  }
}

type Git = (args: readonly string[], atMs?: number) => Promise<string>

async function commitPage(
  git: Git,
  folder: string,
  { branch, prompt, atMs }: Task,
): Promise<readonly ChangedPage[]> {
  const exists = (await git(['branch', '--list', branch])) !== ''
  await git(['switch', '--quiet', ...(exists ? [branch] : ['--create', branch, 'main'])])
  const paths = (await readdir(folder, { recursive: true }))
    .filter((path) => path.endsWith('.mdx'))
    .sort()
  const pages = paths.map(async (path) => ({
    path,
    text: await readFile(join(folder, path), 'utf8'),
  }))
  const page = bestPage(await Promise.all(pages), prompt)
  if (page) {
    await writeFile(join(folder, page.path), withNewSection(page.text, prompt))
    const files = basedOn(prompt).replaceAll('`', '')
    const body = files === '' ? [] : ['--message', `Based on the changes in ${files}.`]
    const subject = `docs: ${subjectOf(prompt)}`.slice(0, MAX_SUBJECT_LENGTH)
    await git(['commit', '--quiet', '--all', '--message', subject, ...body], atMs)
  }
  // The folder then contains the published site, as in a fresh clone.
  await git(['switch', '--quiet', 'main'])
  const lines = (await git(['diff', '--numstat', `main...${branch}`])).trim().split('\n')
  return lines.map((line) => {
    const [additions, deletions, filename = ''] = line.split('\t')
    return {
      filename,
      status: 'modified',
      additions: Number(additions),
      deletions: Number(deletions),
    }
  })
}

/**
 * Runs git without anyone's configuration: same author, same dates, no hooks, wherever it runs.
 * @throws if git is missing or fails, with git's own words
 */
async function runGit(folder: string, args: readonly string[], atMs: number): Promise<string> {
  const DATE = `@${Math.max(0, Math.floor(atMs / 1000))} +0000`
  const person = Object.entries({ ...PERSON, DATE }).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ])
  // Made from nothing: a `GIT_DIR` of the caller, say of a git hook, would lead to another repository.
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
    ...Object.fromEntries(person),
  }
  const settings = SETTINGS.flatMap((setting) => ['-c', setting])
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }
  return (await promisify(execFile)('git', [...settings, ...args], options)).stdout
}

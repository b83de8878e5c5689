import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent, Commit, Task } from './agent.ts'
import { bestPage, type Page } from './best-page.ts'
import { type Git, gitOf } from './git.ts'
import { subjectOf, withNewSection } from './new-section.ts'

const FIRST_COMMIT_MS = Date.UTC(2026, 0, 5, 9)
const SUBJECT_LENGTH = 72

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
    changes: (branch) => inTurn(() => changesOf(git, folder, branch)),
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
    const subject = `docs: ${subjectOf(prompt)}`.slice(0, SUBJECT_LENGTH)
    await git({ folder, atMs }, 'commit', '--quiet', '--all', '--message', subject)
  }
  // Whoever opens the folder finds the published site in it, as in a fresh clone.
  await git({ folder }, 'switch', '--quiet', 'main')
}

async function readPages(folder: string): Promise<Page[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.mdx')).sort()
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })))
}

async function changesOf(
  git: Git,
  folder: string,
  branch: string,
): Promise<{ commits: Commit[]; diff: string }> {
  const log = await git({ folder }, 'log', '--reverse', '--format=%h %s', `main..${branch}`)
  const commits = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ hash: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
  return { commits, diff: await git({ folder }, 'diff', '--no-color', '--no-ext-diff', `main...${branch}`) }
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
